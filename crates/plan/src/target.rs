//! A system under test.

use std::fmt;

use url::Url;

use crate::comparing::SweepPoint;
use crate::connect::Connect;
use crate::names::Named;
use crate::observe::Observe;
use crate::reach::{Builtin, Reach};
use crate::searched::Searched;
use crate::secret::{KeySource, Secret};
use crate::secrets::Secrets;
use crate::store::Store;

/// The region of a target that names none.
pub(crate) const DEFAULT_REGION: &str = "us-east-1";

/// A system under test.
#[derive(Debug, Clone, PartialEq)]
pub struct Target {
    /// Unique name: letters, digits, `-`, `_`, `.`; in a sweep, `@` and `=` too.
    pub name: String,
    /// Where it is, or how it comes to be.
    pub reach: Reach,
    /// How connections get there.
    pub connect: Connect,
    /// S3 credentials, if it wants any.
    pub credentials: Option<Credentials>,
    /// S3 region.
    pub region: String,
    /// How S3 requests are signed.
    pub signature: Signature,
    /// What blob workloads speak to it, where it is reached by HTTP.
    pub store: Store,
    /// Bytes that the objects or blobs of a built-in store in memory may take; half of the free
    /// memory without.
    pub memory: Option<u64>,
    /// Its version, as the plan says it, for the report.
    pub version: Option<String>,
    /// Its place in a sweep, if it is one of several that differ in a value alone.
    pub sweep: Option<SweepPoint>,
    /// Where the figures of what it uses come from, if not from having launched it.
    pub observe: Option<Observe>,
    /// What it is as a server that searches.
    pub searched: Searched,
    /// Values in its URL and environment that nothing printed shows.
    pub secrets: Secrets,
}

impl Target {
    /// A target with nothing else said of it.
    pub fn new(name: impl Into<String>, reach: Reach) -> Self {
        Self {
            name: name.into(),
            reach,
            connect: Connect::default(),
            credentials: None,
            region: DEFAULT_REGION.to_owned(),
            signature: Signature::default(),
            store: Store::default(),
            memory: None,
            version: None,
            sweep: None,
            observe: None,
            searched: Searched::default(),
            secrets: Secrets::default(),
        }
    }

    /// Whether the target is a server. Operations on a directory or the dummy run in Tenbin's threads.
    pub fn has_server(&self) -> bool {
        !matches!(self.reach, Reach::Files(_) | Reach::Builtin(Builtin::Dummy))
    }

    /// The number of its hosts: one process on each for a target that Tenbin starts.
    pub fn host_count(&self) -> usize {
        let several = match &self.reach {
            Reach::Launched(launch) => launch.nodes.len(),
            _ => self.connect.hosts.len(),
        };
        several.max(1)
    }

    /// A URL of this target without its secrets. Plans refuse a URL with a user name or a password; one
    /// of a plan made elsewhere is shown without them.
    pub fn shown_url(&self, url: &Url) -> String {
        let mut url = url.clone();
        // A URL that cannot have them has none.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        self.secrets.conceal(url.as_str())
    }
}

/// How S3 requests are signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Signature {
    /// AWS Signature Version 4.
    #[default]
    V4,
    /// AWS Signature Version 2, for servers that know no other.
    V2,
    /// Not at all: requests are anonymous, whatever credentials there are.
    None,
}

impl Named for Signature {
    const NAMES: &'static [(&'static str, Self)] =
        &[("v4", Self::V4), ("v2", Self::V2), ("none", Self::None)];
}

impl Signature {
    /// Its name in plans and on the command line: `v4`, `v2`, `none`.
    pub fn name(self) -> &'static str {
        Named::name(self)
    }
}

/// An S3 access key and its secret.
#[derive(Clone, PartialEq)]
pub struct Credentials {
    /// Access key id: not secret, yet not printed either.
    pub access_key: String,
    /// The secret.
    pub secret_key: Secret,
    /// Where the access key came from.
    pub access_key_source: KeySource,
    /// Where the secret came from.
    pub secret_key_source: KeySource,
    /// The session token of temporary keys.
    pub session_token: Option<SessionToken>,
}

/// The session token of temporary keys.
#[derive(Clone, PartialEq)]
pub struct SessionToken {
    /// The token.
    pub secret: Secret,
    /// Where it came from.
    pub source: KeySource,
}

impl fmt::Debug for SessionToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionToken(…)")
    }
}

impl Credentials {
    /// Keys given literally.
    pub fn literal(access_key: impl Into<String>, secret_key: impl Into<String>) -> Self {
        Self::from_one_source(access_key, secret_key, KeySource::Literal)
    }

    /// Keys generated for this run.
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
