//! How a run is stopped, how a run reports progress, and which machines send its load.

use crate::generators::Generators;
use crate::progress::Progress;
use crate::stop::Stop;

/// The signal that stops a run, the receiver of its progress, and the machines that send its load.
pub(crate) struct Controls<'a> {
    pub(crate) stop: &'a Stop,
    pub(crate) progress: &'a mut dyn FnMut(Progress<'_>),
    pub(crate) generators: Generators,
}
