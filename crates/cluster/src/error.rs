//! Errors of working with several load machines.

use std::path::PathBuf;

use thiserror::Error;

/// Why load machines cannot work together.
#[derive(Debug, Error)]
pub enum ClusterError {
    /// A file of credentials cannot be used.
    #[error("credentials {}: {why}", path.display())]
    Creds {
        /// The file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// The NATS server cannot be reached, or refuses the connection.
    #[error("cannot connect to the NATS server at {url}: {why}")]
    Connect {
        /// URL of the server.
        url: String,
        /// The reason.
        why: String,
    },
    /// The hub cannot be started; one sentence.
    #[error("{0}")]
    Hub(String),
    /// An agent was lost during the run; the others can continue without it.
    #[error("{why}")]
    Lost {
        /// Name of the agent.
        agent: String,
        /// One sentence.
        why: String,
    },
    /// The user stopped the run.
    #[error("interrupted")]
    Interrupted,
    /// Something else prevents the agents from working together; one sentence.
    #[error("{0}")]
    Agents(String),
}
