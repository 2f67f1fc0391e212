//! Stop flags: a stop by the user, and a stop by the run itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The flags that end a run early. A handler for the user's signal sets both flags. If a target
/// exits, the run sets only `over` and leaves `asked` unset, so that a later Ctrl-C still counts as
/// the user's stop.
#[derive(Debug, Clone, Default)]
pub struct Stop {
    asked: Arc<AtomicBool>,
    over: Arc<AtomicBool>,
}

impl Stop {
    /// Creates unset flags.
    pub fn new() -> Self {
        Self::default()
    }

    /// A flag that stands for both: whoever sets it stops the run.
    pub(crate) fn both(flag: &Arc<AtomicBool>) -> Self {
        Self {
            asked: Arc::clone(flag),
            over: Arc::clone(flag),
        }
    }

    /// The flag that is set only when the user stops the run.
    pub fn asked(&self) -> &Arc<AtomicBool> {
        &self.asked
    }

    /// The flag that is set when the measured part must end: by the user together with
    /// [`Self::asked`], or by the run itself.
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
