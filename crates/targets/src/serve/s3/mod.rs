//! The S3 server: `s3s` handles protocol and signatures, this module the storage.
//!
//! Multipart uploads, versions and ACLs are refused with `NotImplemented`.

mod access;
mod disk;
mod failure;
mod faults;
mod flaky;
mod keys;
mod listing;
mod object;
mod pages;
mod receive;
mod service;
mod signature;
mod store;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use s3s::auth::{S3Auth, SecretKey};
use s3s::service::S3ServiceBuilder;
use s3s::{S3Result, s3_error};
use tenbin_plan::Credentials;

pub use faults::S3Fault;

use super::{ServeError, accept};
use crate::counters;
use access::SignedOnly;
use disk::Disk;
use faults::Faults;
use flaky::Flaky;
use service::Service;
use store::Store;

/// Settings of the S3 server.
#[derive(Debug, Clone)]
pub struct S3Options {
    /// Listen address; port 0 selects a free port.
    pub listen: SocketAddr,
    /// Directory of the durable store, created if missing; `None` for a store in memory.
    pub durable: Option<PathBuf>,
    /// Maximum total size of the objects in memory, bytes; `None` for half of the available memory
    /// at the start. Ignored for a durable store.
    pub memory: Option<u64>,
    /// The only credentials that are accepted.
    pub credentials: Credentials,
    /// Injected faults.
    pub faults: Vec<S3Fault>,
    /// Delay before every request is handled.
    pub delay: Duration,
    /// Worker threads, at least 1.
    pub workers: usize,
}

/// Serves S3 until SIGTERM or SIGINT. Calls `ready` once, with the listen address.
///
/// # Errors
/// When the server cannot listen, start its threads, or use the directory.
pub fn s3(options: &S3Options, ready: impl FnOnce(SocketAddr)) -> Result<(), ServeError> {
    let store = match &options.durable {
        None => Store::in_memory(options.memory.or_else(half_of_available_memory)),
        Some(path) => Disk::open(path.clone())
            .and_then(Store::durable)
            .map_err(|source| ServeError::Store {
                path: path.clone(),
                source,
            })?,
    };
    let faults = Arc::new(Faults::new(&options.faults));
    let service = Service::new(Arc::new(store), Arc::clone(&faults));
    let mut builder = S3ServiceBuilder::new(service);
    builder.set_auth(OneKey(options.credentials.clone()));
    builder.set_access(SignedOnly);
    let service = Flaky::new(builder.build(), faults, options.delay);
    accept::run(options.listen, options.workers, service, ready)
}

/// Half of the memory available now, bytes; `None` if unknown.
pub fn half_of_available_memory() -> Option<u64> {
    counters::available_memory().map(|bytes| bytes / 2)
}

/// Provides the secret key of the only accepted access key.
struct OneKey(Credentials);

#[async_trait::async_trait]
impl S3Auth for OneKey {
    async fn get_secret_key(&self, access_key: &str) -> S3Result<SecretKey> {
        if access_key == self.0.access_key {
            Ok(SecretKey::from(self.0.secret_key.reveal()))
        } else {
            Err(s3_error!(InvalidAccessKeyId, "unknown access key id"))
        }
    }
}
