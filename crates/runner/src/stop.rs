//! Stop flags: a stop by the user, and a stop by the run itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The flags that end a run early. A run whose target has exited ends its slice with `over` and
/// leaves `asked` unset, so that a second Ctrl-C keeps its meaning. A handler for the user's
/// signal sets both flags.
#[derive(Debug, Clone, Default)]
pub struct Stop {
    asked: Arc<AtomicBool>,
    over: Arc<AtomicBool>,
}

impl Stop {
    /// No stop yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Set only when the user stops the run.
    pub fn asked(&self) -> &Arc<AtomicBool> {
        &self.asked
    }

    /// Set when the measured part must end: by the user together with [`Self::asked`], or by the
    /// run itself.
    pub fn over(&self) -> &Arc<AtomicBool> {
        &self.over
    }

    /// Whether the user has stopped the run.
    pub fn is_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// Ends the run for a reason other than the user.
    pub(crate) fn end(&self) {
        self.over.store(true, Ordering::Relaxed);
    }
}
