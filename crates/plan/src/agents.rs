//! The load machines of a run, if this machine does not send the load.

use std::path::PathBuf;
use std::time::Duration;

use crate::names::Named;

/// Load machines that send the load of a run together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agents {
    /// Number of agents, at least 1.
    pub count: usize,
    /// URL of the NATS server at which the agents are found.
    pub nats: String,
    /// File with the credentials for the NATS server; `None` for a server that needs none.
    pub creds: Option<PathBuf>,
    /// What happens when an agent is lost.
    pub on_loss: OnLoss,
    /// How long to look for agents.
    pub wait: Duration,
}

/// What happens when an agent is lost during a run. In every case, its slice is void.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnLoss {
    /// Look for another agent for up to [`Agents::wait`], and measure the block again.
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
