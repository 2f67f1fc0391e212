//! What happens when a load machine is lost.

use crate::keys::names::Named;

/// What happens when an agent is lost during a run. In every case, its slice is void.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnLoss {
    /// Look for another agent for up to [`Agents::wait`](crate::Agents::wait), and measure the block again.
    #[default]
    Repeat,
    /// Measure the block again with the other agents.
    Continue,
    /// End the run.
    Stop,
}

impl OnLoss {
    /// Name in plans.
    pub fn name(self) -> &'static str {
        Named::name(self)
    }
}

impl Named for OnLoss {
    const NAMES: &'static [(&'static str, Self)] = &[
        ("repeat", Self::Repeat),
        ("continue", Self::Continue),
        ("stop", Self::Stop),
    ];
}
