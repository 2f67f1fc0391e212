//! The credentials of a coordinator or an agent for a NATS server: an nkey seed and, for a hub, the
//! certificate of the hub's authority, in one file of PEM blocks.
//!
//! A file of this kind that the hub writes:
//!
//! ```text
//! -----BEGIN USER NKEY SEED-----
//! SUA…
//! -----END USER NKEY SEED-----
//! -----BEGIN CERTIFICATE-----
//! …
//! -----END CERTIFICATE-----
//! ```

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use tenbin_plan::{Sentence, sentence};

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
        let refuse = |why: Sentence| ClusterError::Creds {
            path: path.to_owned(),
            why,
        };
        let text = fs::read_to_string(path).map_err(|error| refuse(Sentence::from(&error)))?;
        let mut lines = text.lines();
        let seed = lines
            .find(|line| line.contains(SEED))
            .and_then(|_| lines.next())
            .map(str::trim)
            .filter(|seed| seed.len() == 58 && seed.starts_with("SU"));
        let seed = seed.ok_or_else(|| {
            refuse(sentence!(
                "no-nkey-seed",
                "no user's nkey seed; use a file that `tenbin hub` wrote, or a NATS credentials \
                 file with USER NKEY SEED"
            ))
        })?;
        Ok(Self {
            seed: seed.to_owned(),
            authority: text.contains(CERTIFICATE).then(|| path.to_owned()),
        })
    }

    /// The text of a file with this seed and the certificate of an authority in PEM.
    ///
    /// NATS's own files have six dashes at both ends of the line after the seed. PEM has five, and
    /// the readers of PEM in rustls do not find the end of the seed otherwise.
    pub fn text(seed: &str, authority: &str) -> String {
        format!("-----{SEED}-----\n{seed}\n-----END USER NKEY SEED-----\n{authority}")
    }
}

impl fmt::Debug for Creds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Creds")
            .field("authority", &self.authority)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use async_nats::rustls::pki_types::CertificateDer;
    use async_nats::rustls::pki_types::pem::PemObject;
    use nkeys::KeyPair;

    use super::*;

    fn written(text: &str) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), text).unwrap();
        file
    }

    #[test]
    fn a_seed_and_a_certificate_are_read_back() {
        let seed = KeyPair::new_user().seed().unwrap();
        let authority = rcgen::generate_simple_self_signed(["hub.test".to_owned()]).unwrap();
        let file = written(&Creds::text(&seed, &authority.cert.pem()));
        let creds = Creds::read(file.path()).unwrap();
        assert_eq!(creds.seed, seed);
        assert_eq!(creds.authority.as_deref(), Some(file.path()));
        assert!(!format!("{creds:?}").contains(&seed));

        let certificates = CertificateDer::pem_file_iter(file.path()).unwrap();
        let certificates: Vec<_> = certificates.collect::<Result<_, _>>().unwrap();
        assert_eq!(certificates, [authority.cert.der().clone()]);
    }

    #[test]
    fn a_credentials_file_of_nats_has_no_authority() {
        let seed = KeyPair::new_user().seed().unwrap();
        let file = written(&format!(
            "-----BEGIN NATS USER JWT-----\neyJ0\n------END NATS USER JWT------\n\n\
             -----BEGIN USER NKEY SEED-----\n{seed}\n------END USER NKEY SEED------\n"
        ));
        let creds = Creds::read(file.path()).unwrap();
        assert_eq!(creds.seed, seed);
        assert_eq!(creds.authority, None);
    }

    #[test]
    fn a_file_without_a_seed_is_refused() {
        let operator = KeyPair::new_operator().seed().unwrap();
        for text in [String::new(), Creds::text(&operator, "")] {
            let error = Creds::read(written(&text).path()).unwrap_err().to_string();
            assert!(error.contains("no user's nkey seed"), "{error}");
        }
    }
}
