//! The load machines of a run, if this machine does not send the load.

use std::path::PathBuf;

/// Load machines that send the load of a run together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agents {
    /// Number of agents, at least 1.
    pub count: usize,
    /// URL of the NATS server at which the agents are found.
    pub nats: String,
    /// File with the credentials for the NATS server; `None` for a server that needs none.
    pub creds: Option<PathBuf>,
}
