//! When targets are restarted during a run.

use std::time::Duration;

use crate::keys::names::named;

named! {
    /// When targets are restarted during a run.
    ///
    /// Two processes of one program differ in memory layout, in the seeds of their hash tables, and in
    /// the threads that share a core. Interleaving does not cancel this variation, and with a single
    /// process per target, the confidence interval does not include the variation. With restarts, the
    /// interval does include the variation (Mytkowicz et al., "Producing Wrong Data Without Doing
    /// Anything Obviously Wrong!", 2009).
    Relaunch {
        /// [`Self::Block`] if restarts are possible, every target starts within [`Self::QUICK_START`],
        /// and the plan has several targets, several blocks and no patterns; otherwise [`Self::Never`].
        #[default]
        Auto = "auto",
        /// Never.
        Never = "never",
        /// Before each block, with an empty data directory unless pages were loaded into the target. A
        /// warm-up starts every block.
        Block = "block",
        /// Before each slice, with the target's data; the target is stopped after the slice. A warm-up
        /// precedes every slice.
        Slice = "slice",
    }
}

impl Relaunch {
    /// The longest start time with which [`Self::Auto`] restarts targets.
    pub const QUICK_START: Duration = Duration::from_secs(2);
}
