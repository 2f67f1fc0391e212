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

/// The default S3 region.
pub(crate) const DEFAULT_REGION: &str = "us-east-1";

/// A system under test.
#[derive(Debug, Clone, PartialEq)]
pub struct Target {
    /// Unique name: letters, digits, `-`, `_`, `.`; in a sweep, `@` and `=` too.
    pub name: String,
    /// How the target is reached.
    pub reach: Reach,
    /// Connection settings.
    pub connect: Connect,
    /// S3 credentials, if the target has any.
    pub credentials: Option<Credentials>,
    /// S3 region.
    pub region: String,
    /// How S3 requests are signed.
    pub signature: Signature,
    /// Storage protocol of blob workloads, for a target that is reached by HTTP.
    pub store: Store,
    /// Memory limit, bytes, for the objects or blobs of a built-in store; `None`: half of the free
    /// memory, divided by the number of targets with a store in memory.
    pub memory: Option<u64>,
    /// Version for the report, as given in the plan.
    pub version: Option<String>,
    /// Point of a sweep, if the target is one of several that differ only in parameter values.
    pub sweep: Option<SweepPoint>,
    /// Source of resource usage, if not the processes that Tenbin launched.
    pub observe: Option<Observe>,
    /// Search settings.
    pub searched: Searched,
    /// Secret values in the URL and the environment, which no output contains.
    pub secrets: Secrets,
}

impl Target {
    /// A target with default settings.
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

    /// Whether the target is a server. Operations on a directory or the dummy run in Tenbin's
    /// threads.
    pub fn has_server(&self) -> bool {
        !matches!(self.reach, Reach::Files(_) | Reach::Builtin(Builtin::Dummy))
    }

    /// The number of hosts; for a target that Tenbin starts, the number of processes.
    pub fn host_count(&self) -> usize {
        let several = match &self.reach {
            Reach::Launched(launch) => launch.nodes.len(),
            _ => self.connect.hosts.len(),
        };
        several.max(1)
    }

    /// The path in the URL of the target, without its secrets and without the query; `None` for a
    /// target that Tenbin implements.
    pub fn shown_path(&self) -> Option<String> {
        let url = match &self.reach {
            Reach::Endpoint { url } => self.shown_url(url),
            Reach::Launched(launch) => self.secrets.conceal(&launch.url),
            Reach::Builtin(_) | Reach::Files(_) => return None,
        };
        let (_, after) = url.split_once("://")?;
        let path = after.find('/').map_or("/", |at| &after[at..]);
        path.split(['?', '#']).next().map(str::to_owned)
    }

    /// A URL of this target without its secrets. A user name and a password are removed; only a
    /// plan made without a plan file or flags can contain them.
    pub fn shown_url(&self, url: &Url) -> String {
        let mut url = url.clone();
        // `set_username` and `set_password` fail only for URLs that cannot contain them.
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
    /// AWS Signature Version 2, for servers without Version 4.
    V2,
    /// Unsigned: requests are anonymous, even if the target has credentials.
    None,
}

impl Named for Signature {
    const NAMES: &'static [(&'static str, Self)] =
        &[("v4", Self::V4), ("v2", Self::V2), ("none", Self::None)];
}

impl Signature {
    /// Name in plans and on the command line: `v4`, `v2`, `none`.
    pub fn name(self) -> &'static str {
        Named::name(self)
    }
}

/// An S3 access key and its secret.
#[derive(Clone, PartialEq)]
pub struct Credentials {
    /// Access key id: not secret, but never printed.
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
