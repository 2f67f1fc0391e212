//! When targets are restarted during a run.

use std::time::Duration;

use crate::names::Named;

/// When targets are restarted during a run.
///
/// Two processes of one program differ: in where their memory lies, in the seeds of their hash
/// tables, in the threads that share a core. Interleaving does not cancel that, and the interval
/// of a run with one process of each target does not contain it. Restarts make it part of the interval
/// (Mytkowicz et al., "Producing Wrong Data Without Doing Anything Obviously Wrong!", 2009).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Relaunch {
    /// Before each block where that is possible and starting takes at most
    /// [`Self::QUICK_START`]; otherwise never.
    #[default]
    Auto,
    /// Never.
    Never,
    /// Before each block, with an empty data directory unless pages were loaded into it; the warm-up
    /// then comes at the start of every block.
    Block,
    /// Before each slice, on its data, and stopped after it; the warm-up then comes before every slice.
    Slice,
}

impl Relaunch {
    /// The longest time to start for which [`Self::Auto`] restarts a target.
    pub const QUICK_START: Duration = Duration::from_secs(2);

    /// Its name in plans.
    pub fn name(self) -> &'static str {
        Named::name(self)
    }
}

impl Named for Relaunch {
    const NAMES: &'static [(&'static str, Self)] = &[
        ("auto", Self::Auto),
        ("never", Self::Never),
        ("block", Self::Block),
        ("slice", Self::Slice),
    ];
}
