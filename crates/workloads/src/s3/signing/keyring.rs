//! Keys that are replaced while requests are signed with them.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tenbin_plan::Credentials;

/// How the keys of a keyring are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KeyUse {
    /// As keys of an account or of a token service.
    #[default]
    Account,
    /// As keys of a session of a bucket (S3 Express One Zone).
    BucketSession,
}

impl KeyUse {
    /// Name of the service in signatures.
    pub(crate) fn service(self) -> &'static str {
        match self {
            Self::Account => "s3",
            Self::BucketSession => "s3express",
        }
    }

    /// Header of the session token.
    pub(crate) fn token_header(self) -> &'static str {
        match self {
            Self::Account => "x-amz-security-token",
            Self::BucketSession => "x-amz-s3session-token",
        }
    }
}

/// Temporary keys. Another thread replaces them; a signer compares one number per request.
pub struct Keyring {
    /// How the keys are sent.
    pub key_use: KeyUse,
    /// Number of the keys, from 0.
    version: AtomicU64,
    keys: Mutex<Credentials>,
}

impl fmt::Debug for Keyring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Keyring(…)")
    }
}

impl Keyring {
    /// A keyring with its first keys.
    pub fn new(key_use: KeyUse, keys: Credentials) -> Self {
        Self {
            key_use,
            version: AtomicU64::new(0),
            keys: Mutex::new(keys),
        }
    }

    /// The current keys.
    pub fn keys(&self) -> Credentials {
        let keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        keys.clone()
    }

    /// Replaces the keys. Requests that are written afterwards are signed with the new keys.
    pub fn replace(&self, keys: Credentials) {
        *self.keys.lock().unwrap_or_else(PoisonError::into_inner) = keys;
        self.version.fetch_add(1, Ordering::Release);
    }

    fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }
}

/// The keyrings of a target.
#[derive(Debug, Clone, Default)]
pub struct Keyrings {
    /// Keys of a token service, for all requests.
    pub account: Option<Arc<Keyring>>,
    /// Keys of sessions, by bucket.
    pub buckets: BTreeMap<String, Arc<Keyring>>,
}

impl Keyrings {
    /// The keyring for requests to a bucket; `None` for keys that do not change.
    pub(crate) fn of(&self, bucket: &str) -> Option<&Arc<Keyring>> {
        self.buckets.get(bucket).or(self.account.as_ref())
    }
}

/// The keys of one signer, and whether there are newer ones.
pub(crate) struct KeyReader {
    ring: Arc<Keyring>,
    seen: u64,
}

impl KeyReader {
    /// The reader, and the keys at this time.
    pub(crate) fn new(ring: &Arc<Keyring>) -> (Self, Credentials) {
        // The version first: keys that are replaced in between are read once more.
        let seen = ring.version();
        let reader = Self {
            ring: Arc::clone(ring),
            seen,
        };
        (reader, ring.keys())
    }

    pub(crate) fn key_use(&self) -> KeyUse {
        self.ring.key_use
    }

    /// Keys that have replaced the last ones.
    pub(crate) fn newer(&mut self) -> Option<Credentials> {
        let version = self.ring.version();
        if version == self.seen {
            return None;
        }
        self.seen = version;
        Some(self.ring.keys())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaced_keys_are_seen_once() {
        let ring = Arc::new(Keyring::new(
            KeyUse::Account,
            Credentials::literal("A", "1"),
        ));
        let (mut reader, keys) = KeyReader::new(&ring);
        assert_eq!(keys.access_key, "A");
        assert!(reader.newer().is_none());
        ring.replace(Credentials::literal("B", "2"));
        ring.replace(Credentials::literal("C", "3"));
        assert_eq!(reader.newer().map(|keys| keys.access_key), Some("C".into()));
        assert!(reader.newer().is_none());
    }

    #[test]
    fn the_session_of_a_bucket_comes_before_the_keys_of_the_account() {
        let ring = |key_use, key: &str| {
            Some(Arc::new(Keyring::new(
                key_use,
                Credentials::literal(key, "s"),
            )))
        };
        let rings = Keyrings {
            account: ring(KeyUse::Account, "A"),
            buckets: ring(KeyUse::BucketSession, "B")
                .map(|ring| ("box".to_owned(), ring))
                .into_iter()
                .collect(),
        };
        let key_of = |bucket| rings.of(bucket).map(|ring| ring.keys().access_key);
        assert_eq!(key_of("box").as_deref(), Some("B"));
        assert_eq!(key_of("other").as_deref(), Some("A"));
    }
}
