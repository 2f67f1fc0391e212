//! The credentials of a coordinator or an agent for a NATS server: an nkey seed and, for a hub, the
//! certificate of the hub's authority, in one file of PEM blocks.
//!
//! A file of this kind that the hub writes:
//!
//! ```text
//! -----BEGIN USER NKEY SEED-----
//! SUA…
//! ------END USER NKEY SEED------
//! -----BEGIN CERTIFICATE-----
//! …
//! -----END CERTIFICATE-----
//! ```

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::ClusterError;

/// The line before the seed, without its dashes: the wording of NATS's own credentials files.
const SEED: &str = "BEGIN USER NKEY SEED";
/// The line before a certificate, without its dashes.
const CERTIFICATE: &str = "BEGIN CERTIFICATE";

/// Credentials for a NATS server.
#[derive(Clone)]
pub struct Creds {
    /// The nkey seed of a user: 58 characters that begin with `SU`.
    pub(crate) seed: String,
    /// The file, if it contains the certificate of an authority.
    pub(crate) authority: Option<PathBuf>,
}

impl Creds {
    /// Reads a file of credentials.
    ///
    /// # Errors
    /// The path and the reason if the file cannot be read or contains no seed.
    pub fn read(path: &Path) -> Result<Self, ClusterError> {
        let refuse = |why: String| ClusterError::Creds {
            path: path.to_owned(),
            why,
        };
        let text = fs::read_to_string(path).map_err(|error| refuse(error.to_string()))?;
        let mut lines = text.lines();
        let seed = lines
            .find(|line| line.contains(SEED))
            .and_then(|_| lines.next())
            .map(str::trim)
            .filter(|seed| seed.len() == 58 && seed.starts_with("SU"));
        let seed = seed.ok_or_else(|| {
            refuse(
                "no user's nkey seed; use a file that `tenbin hub` wrote, or a NATS credentials \
                 file with USER NKEY SEED"
                    .to_owned(),
            )
        })?;
        Ok(Self {
            seed: seed.to_owned(),
            authority: text.contains(CERTIFICATE).then(|| path.to_owned()),
        })
    }

    /// The text of a file with this seed and the certificate of an authority in PEM.
    pub fn text(seed: &str, authority: &str) -> String {
        format!("-----{SEED}-----\n{seed}\n------END USER NKEY SEED------\n{authority}")
    }
}

impl fmt::Debug for Creds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Creds")
            .field("authority", &self.authority)
            .finish_non_exhaustive()
    }
}
