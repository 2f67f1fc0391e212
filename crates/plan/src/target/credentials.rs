//! S3 credentials of a target, and how its requests are signed.

use std::fmt;

use crate::keys::names::named;
use crate::secrets::secret::{KeySource, Secret};

named! {
    /// How S3 requests are signed.
    Signature {
        /// AWS Signature Version 4.
        #[default]
        V4 = "v4",
        /// AWS Signature Version 2, for servers without Version 4.
        V2 = "v2",
        /// Unsigned: requests are anonymous, even if the target has credentials.
        None = "none",
    }
}

/// An S3 access key and its secret.
#[derive(Clone, PartialEq)]
pub struct Credentials {
    /// Access key id: not secret, but never printed. Empty if the target needs only a secret key.
    pub access_key: String,
    /// The secret key.
    pub secret_key: Secret,
    /// Source of the access key.
    pub access_key_source: KeySource,
    /// Source of the secret key.
    pub secret_key_source: KeySource,
    /// The session token of temporary keys.
    pub session_token: Option<SessionToken>,
}

/// The session token of temporary keys.
#[derive(Clone, PartialEq)]
pub struct SessionToken {
    /// The token.
    pub secret: Secret,
    /// Source of the token.
    pub source: KeySource,
}

impl fmt::Debug for SessionToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionToken(…)")
    }
}

impl Credentials {
    /// Credentials given literally.
    pub fn literal(access_key: impl Into<String>, secret_key: impl Into<String>) -> Self {
        Self::from_one_source(access_key, secret_key, KeySource::Literal)
    }

    /// Credentials generated for this run.
    pub fn generated(access_key: impl Into<String>, secret_key: impl Into<String>) -> Self {
        Self::from_one_source(access_key, secret_key, KeySource::Generated)
    }

    fn from_one_source(
        access_key: impl Into<String>,
        secret_key: impl Into<String>,
        source: KeySource,
    ) -> Self {
        Self {
            access_key: access_key.into(),
            secret_key: Secret::new(secret_key),
            access_key_source: source.clone(),
            secret_key_source: source,
            session_token: None,
        }
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Credentials(…)")
    }
}
