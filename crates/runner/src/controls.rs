//! How a run is stopped and what it reports on its way.

use crate::progress::Progress;
use crate::stop::Stop;

/// The signal that stops a run, and the receiver of its progress.
pub(crate) struct Controls<'a> {
    pub(crate) stop: &'a Stop,
    pub(crate) progress: &'a mut dyn FnMut(Progress<'_>),
}
