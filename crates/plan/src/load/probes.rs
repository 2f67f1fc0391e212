//! Whether a run ends with probes of other loads; see [`Plan::limit_probes`](crate::Plan::limit_probes).

use crate::keys::names::Named;

/// Whether short slices at one connection and at twice the connections follow the rounds, to find
/// what limits a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Probes {
    /// Where they can tell something, if the run is long enough: all probes of a workload on a
    /// target take at most a tenth of its measured time.
    #[default]
    Auto,
    /// None.
    None,
}

impl Named for Probes {
    const NAMES: &'static [(&'static str, Self)] = &[("auto", Self::Auto), ("none", Self::None)];
}
