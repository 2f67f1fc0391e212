//! Errors of working with several load machines.

use std::path::PathBuf;

use tenbin_plan::{Sentence, sentence};
use thiserror::Error;

/// Why load machines cannot work together.
#[derive(Debug, Error)]
#[error("{}", self.sentence())]
pub enum ClusterError {
    /// A file of credentials cannot be used.
    Creds {
        /// The file.
        path: PathBuf,
        /// The reason.
        why: Sentence,
    },
    /// The NATS server cannot be reached, or refuses the connection.
    Connect {
        /// URL of the server.
        url: String,
        /// The reason.
        why: Sentence,
    },
    /// The hub cannot be started; one sentence.
    Hub(Sentence),
    /// An agent was lost during the run; the others can continue without it.
    Lost {
        /// Name of the agent.
        agent: String,
        /// One sentence.
        why: Sentence,
    },
    /// The user stopped the run.
    Interrupted,
    /// Something else prevents the agents from working together; one sentence.
    Agents(Sentence),
}

impl ClusterError {
    /// The error with its arguments.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::Creds { path, why } => sentence!(
                "of-credentials",
                "credentials {path}: {why}",
                path = path.display(),
                why
            ),
            Self::Connect { url, why } if is_refused(why) => sentence!(
                "no-hub",
                "no hub listens at {address} (connection refused): start one with tenbin hub",
                address = url
                    .split_once("://")
                    .map_or(url.as_str(), |(_, address)| address)
            ),
            Self::Connect { url, why } => sentence!(
                "no-nats",
                "cannot connect to the NATS server at {url}: {why}",
                url,
                why
            ),
            Self::Hub(why) | Self::Agents(why) | Self::Lost { why, .. } => why.clone(),
            Self::Interrupted => sentence!("cluster-interrupted", "interrupted"),
        }
    }
}

/// Whether nothing listens at the address. The client of NATS reports this with the text of the operating
/// system.
fn is_refused(why: &Sentence) -> bool {
    why.text().contains("Connection refused")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hub_that_does_not_run_is_named_by_its_address() {
        let of = |why: &str| ClusterError::Connect {
            url: "nats://10.0.0.1:4222".to_owned(),
            why: why.into(),
        };
        assert_eq!(
            of("IO error: Connection refused (os error 111)").to_string(),
            "no hub listens at 10.0.0.1:4222 (connection refused): start one with tenbin hub"
        );
        assert_eq!(
            of("timed out").to_string(),
            "cannot connect to the NATS server at nats://10.0.0.1:4222: timed out"
        );
    }
}
