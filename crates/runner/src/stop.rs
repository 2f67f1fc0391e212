//! The wish to stop, apart from the need to.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How a run is told to end early.
///
/// A run that finds a target dead must end its slice as well, but nobody has asked
/// for that: what is made of a user's second wish must not come with the first. So
/// there are two flags, and whoever speaks for the user sets both.
#[derive(Debug, Clone, Default)]
pub struct Stop {
    asked: Arc<AtomicBool>,
    over: Arc<AtomicBool>,
}

impl Stop {
    /// Nobody has asked for anything.
    pub fn new() -> Self {
        Self::default()
    }

    /// Set when the user has asked to stop, and by nobody else.
    pub fn asked(&self) -> &Arc<AtomicBool> {
        &self.asked
    }

    /// Set when measuring is to end: by the user, together with [`Self::asked`], or
    /// by the run itself.
    pub fn over(&self) -> &Arc<AtomicBool> {
        &self.over
    }

    /// Whether the user has asked to stop.
    pub fn is_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// The run has a reason of its own to end.
    pub(crate) fn end(&self) {
        self.over.store(true, Ordering::Relaxed);
    }
}
