//! How a run is stopped, and how a run reports progress.

use crate::progress::Progress;
use crate::stop::Stop;

/// The signal that stops a run, and the receiver of its progress.
pub(crate) struct Controls<'a> {
    pub(crate) stop: &'a Stop,
    pub(crate) progress: &'a mut dyn FnMut(Progress<'_>),
}
