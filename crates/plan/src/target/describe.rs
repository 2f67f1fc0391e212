//! What a target says about itself, without its secrets.

use url::{Host, Url};

use super::{Builtin, DEFAULT_REGION, Reach, Target};
use crate::keys::scalar::Scalar;
use crate::{Sentence, sentence};

impl Target {
    /// A target with default settings.
    pub fn new(name: impl Into<String>, reach: Reach) -> Self {
        Self {
            name: name.into(),
            reach,
            ..Self::default()
        }
    }

    /// Whether the target is a server. Operations on a directory or the dummy run in Tenbin's
    /// threads.
    pub fn has_server(&self) -> bool {
        !matches!(self.reach, Reach::Files(_) | Reach::Builtin(Builtin::Dummy))
    }

    /// Whether its connections stay inside this machine, as far as its URL tells.
    pub fn is_on_loopback(&self) -> bool {
        let is_loopback = |url: &str| match Url::parse(url).ok().as_ref().and_then(Url::host) {
            Some(Host::Domain(name)) => name == "localhost",
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        };
        match &self.reach {
            _ if self.connect.unix.is_some() => true,
            Reach::Endpoint { url } => is_loopback(url.as_str()),
            Reach::Launched(launch) => {
                let node = launch.nodes.first().map(ToString::to_string);
                let url = launch.url.replace("{port}", "1");
                is_loopback(&url.replace("{host}", node.as_deref().unwrap_or("127.0.0.1")))
            }
            Reach::Builtin(_) | Reach::Files(_) => true,
        }
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

/// Maximum length of a version, characters.
const LONGEST_VERSION: usize = 200;

/// Reads the version of a server.
pub(super) fn version(scalar: &Scalar) -> Result<String, Sentence> {
    let text = scalar.text()?.trim();
    if text.is_empty() || text.chars().count() > LONGEST_VERSION || text.contains(char::is_control)
    {
        Err(sentence!(
            "version-text",
            "is 1 to {longest_version} printable characters, for example \"13.0.0\"",
            longest_version = LONGEST_VERSION
        ))
    } else {
        Ok(text.to_owned())
    }
}

/// Reads the memory limit of a built-in store, bytes.
pub(super) fn memory(scalar: &Scalar) -> Result<u64, Sentence> {
    match scalar.size()? {
        0 => Err(sentence!("memory-zero", "is 0; write for example \"4GiB\"")),
        bytes => Ok(bytes),
    }
}

/// Reads an S3 region.
pub(super) fn region(scalar: &Scalar) -> Result<String, Sentence> {
    let region = scalar.text()?;
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if region.is_empty() || !region.chars().all(allowed) {
        return Err(sentence!(
            "no-region",
            "{region:?} is not a region; write for example {default_region:?}",
            region,
            default_region = DEFAULT_REGION
        ));
    }
    Ok(region.to_owned())
}
