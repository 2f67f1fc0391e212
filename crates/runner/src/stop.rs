//! Stop flags: a stop by the user, and a stop by the run itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The flags that end a run early. A handler for the user's signal sets all flags. If a target
/// exits, the run sets only `over` and leaves `asked` unset, so that a later Ctrl-C still counts as
/// the user's stop.
///
/// A run has two phases: everything up to the result, and the clean-up. The first signal in each
/// phase ends that phase; another signal in the same phase ends the program.
#[derive(Debug, Clone, Default)]
pub struct Stop {
    asked: Arc<AtomicBool>,
    over: Arc<AtomicBool>,
    again: Arc<AtomicBool>,
    late: Arc<AtomicBool>,
    cleaning: Arc<AtomicBool>,
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
            ..Self::default()
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

    /// The flag that is set by the first signal of a phase. A signal that finds it set ends the
    /// program.
    pub fn again(&self) -> &Arc<AtomicBool> {
        &self.again
    }

    /// The flag that ends the clean-up. Signals before the clean-up have no effect on it.
    pub fn late(&self) -> &Arc<AtomicBool> {
        &self.late
    }

    /// Whether the user has stopped the run.
    pub fn is_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// Whether the clean-up has started.
    pub fn is_cleaning(&self) -> bool {
        self.cleaning.load(Ordering::Relaxed)
    }

    /// Prepares the flags for the next run of a command that measures several, unless the user has
    /// stopped the command.
    pub fn begin_run(&self) {
        self.cleaning.store(false, Ordering::Relaxed);
        for flag in [&self.over, &self.again, &self.late] {
            flag.store(false, Ordering::Relaxed);
        }
        // A signal can have come in between.
        if self.is_asked() {
            self.over.store(true, Ordering::Relaxed);
            self.again.store(true, Ordering::Relaxed);
        }
    }

    /// Ends the run for a reason other than the user.
    pub(crate) fn end(&self) {
        self.over.store(true, Ordering::Relaxed);
    }

    /// Begins the clean-up, and returns its stop flags: only a signal from now on stops it.
    pub(crate) fn begin_clean_up(&self) -> Self {
        self.late.store(false, Ordering::Relaxed);
        self.again.store(false, Ordering::Relaxed);
        self.cleaning.store(true, Ordering::Relaxed);
        Self::both(&self.late)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the handler of a signal does.
    fn signal(stop: &Stop) {
        for flag in [&stop.asked, &stop.over, &stop.again, &stop.late] {
            flag.store(true, Ordering::Relaxed);
        }
    }

    #[test]
    fn a_signal_ends_only_the_phase_in_which_it_came() {
        let stop = Stop::new();
        signal(&stop);
        let clean_up = stop.begin_clean_up();
        assert!(stop.is_asked() && !clean_up.is_asked());
        assert!(!stop.again.load(Ordering::Relaxed), "it would end at once");
        signal(&stop);
        assert!(clean_up.is_asked());
    }

    #[test]
    fn the_next_run_begins_with_flags_that_are_not_set_unless_the_user_stopped() {
        let stop = Stop::new();
        stop.end();
        stop.begin_clean_up();
        stop.begin_run();
        assert!(!stop.over.load(Ordering::Relaxed) && !stop.is_cleaning());
        signal(&stop);
        stop.begin_run();
        assert!(stop.is_asked() && stop.over.load(Ordering::Relaxed));
    }
}
