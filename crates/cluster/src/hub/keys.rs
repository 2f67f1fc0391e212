//! The keys of a hub: nkeys of the two roles, and the authority that signs the hub's certificate.

use nkeys::KeyPair;
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyUsagePurpose,
};
use tenbin_plan::{Sentence, sentence};

use super::directory::Directory;
use super::{AGENT_CREDS, COORDINATOR_CREDS};
use crate::creds::Creds;
use crate::error::ClusterError;

/// The private key of the authority. Its certificate is in the credentials.
const AUTHORITY_KEY: &str = "authority.key";
/// The files that every start of a hub uses again.
const KEPT: [&str; 3] = [AUTHORITY_KEY, AGENT_CREDS, COORDINATOR_CREDS];

/// The keys of a hub.
pub(super) struct Keys {
    /// The nkey of coordinators.
    pub(super) coordinator: KeyPair,
    /// The nkey of agents.
    pub(super) agent: KeyPair,
    authority: rcgen::KeyPair,
    /// Whether an earlier start made the keys.
    pub(super) are_earlier: bool,
}

/// A certificate and its private key, in PEM.
pub(super) struct Identity {
    /// The certificate.
    pub(super) certificate: String,
    /// The private key.
    pub(super) key: String,
}

impl Keys {
    /// The keys in the directory; new keys if it has none.
    pub(super) fn load_or_make(directory: &Directory) -> Result<Self, ClusterError> {
        let is_there = |name: &&str| directory.join(name).exists();
        let (there, missing): (Vec<&str>, Vec<&str>) = KEPT.into_iter().partition(is_there);
        match (there.as_slice(), missing.as_slice()) {
            ([], _) => Self::make(directory),
            (_, []) => Self::load(directory),
            (there, missing) => Err(ClusterError::Hub(
                sentence!(
                    "hub-keys-missing",
                    "directory {directory} has {there} but lacks {missing}; restore what is \
                     missing, or remove the directory for new keys",
                    directory = directory.path().display(),
                    there = there.join(" and "),
                    missing = missing.join(" and ")
                )
                .with_names("there", there)
                .with_names("missing", missing),
            )),
        }
    }

    fn make(directory: &Directory) -> Result<Self, ClusterError> {
        let keys = Self {
            coordinator: KeyPair::new_user(),
            agent: KeyPair::new_user(),
            authority: rcgen::KeyPair::generate().map_err(unusable)?,
            are_earlier: false,
        };
        let certificate = authority().self_signed(&keys.authority).map_err(unusable)?;
        directory.write(AUTHORITY_KEY, &keys.authority.serialize_pem())?;
        for (name, pair) in [
            (AGENT_CREDS, &keys.agent),
            (COORDINATOR_CREDS, &keys.coordinator),
        ] {
            let seed = pair.seed().map_err(|error| {
                ClusterError::Hub(sentence!("no-nkey", "cannot make an nkey: {error}", error))
            })?;
            directory.write(name, &Creds::text(&seed, &certificate.pem()))?;
        }
        Ok(keys)
    }

    fn load(directory: &Directory) -> Result<Self, ClusterError> {
        for name in KEPT {
            directory.refuse_exposed(name)?;
        }
        let authority =
            rcgen::KeyPair::from_pem(&directory.read(AUTHORITY_KEY)?).map_err(|error| {
                ClusterError::Hub(sentence!(
                    "hub-key-unreadable",
                    "{file} is no private key: {error}; remove {directory} for new keys",
                    file = directory.join(AUTHORITY_KEY).display(),
                    error,
                    directory = directory.path().display()
                ))
            })?;
        Ok(Self {
            coordinator: nkey(directory, COORDINATOR_CREDS)?,
            agent: nkey(directory, AGENT_CREDS)?,
            authority,
            are_earlier: true,
        })
    }

    /// A new certificate of the hub for these host names and IP addresses.
    pub(super) fn server_certificate(&self, names: &[String]) -> Result<Identity, ClusterError> {
        let mut server = CertificateParams::new(names).map_err(unusable)?;
        server.distinguished_name = named("tenbin hub");
        server.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        server.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        server.use_authority_key_identifier_extension = true;
        let key = rcgen::KeyPair::generate().map_err(unusable)?;
        let authority = authority();
        let issuer = Issuer::from_params(&authority, &self.authority);
        let certificate = server.signed_by(&key, &issuer).map_err(unusable)?;
        Ok(Identity {
            certificate: certificate.pem(),
            key: key.serialize_pem(),
        })
    }
}

fn nkey(directory: &Directory, name: &str) -> Result<KeyPair, ClusterError> {
    let path = directory.join(name);
    let creds = Creds::read(&path)?;
    KeyPair::from_seed(&creds.seed).map_err(|error| ClusterError::Creds {
        path,
        why: Sentence::verbatim(error),
    })
}

/// The authority's certificate, before its signature.
fn authority() -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name = named("tenbin hub authority");
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    params
}

fn named(name: &str) -> DistinguishedName {
    let mut whole = DistinguishedName::new();
    whole.push(DnType::CommonName, name);
    whole
}

fn unusable(error: rcgen::Error) -> ClusterError {
    ClusterError::Hub(sentence!(
        "no-hub-certificate",
        "cannot make the hub's certificate: {error}",
        error
    ))
}
