//! The S3 server: the protocol and its signatures by `s3s`, storage by us.
//!
//! Multipart uploads, versions and ACLs are answered with `NotImplemented`.

mod access;
mod disk;
mod keys;
mod listing;
mod pages;
mod receive;
mod service;
mod store;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use s3s::auth::{S3Auth, SecretKey};
use s3s::service::S3ServiceBuilder;
use s3s::{S3Result, s3_error};
use tenbin_plan::Credentials;

use super::{ServeError, accept};
use access::SignedOnly;
use disk::Disk;
use service::Service;
use store::Store;

/// How to run the S3 server.
#[derive(Debug, Clone)]
pub struct S3Options {
    /// Where to listen; port 0 takes a free one.
    pub listen: SocketAddr,
    /// Directory of the durable store, made if missing; in memory if `None`.
    pub durable: Option<PathBuf>,
    /// The only credentials that are accepted.
    pub credentials: Credentials,
    /// Worker threads, at least 1.
    pub workers: usize,
}

/// Serves S3 until SIGTERM or SIGINT. `ready` is called once, with the address
/// that it listens on.
///
/// # Errors
/// It cannot listen there, cannot start its threads, or cannot use the directory.
pub fn s3(options: &S3Options, ready: impl FnOnce(SocketAddr)) -> Result<(), ServeError> {
    let store = match &options.durable {
        None => Store::in_memory(),
        Some(path) => Disk::open(path.clone())
            .and_then(Store::durable)
            .map_err(|source| ServeError::Store {
                path: path.clone(),
                source,
            })?,
    };
    let mut builder = S3ServiceBuilder::new(Service::new(Arc::new(store)));
    builder.set_auth(OneKey(options.credentials.clone()));
    builder.set_access(SignedOnly);
    accept::run(options.listen, options.workers, builder.build(), ready)
}

/// Knows one access key.
struct OneKey(Credentials);

#[async_trait::async_trait]
impl S3Auth for OneKey {
    async fn get_secret_key(&self, access_key: &str) -> S3Result<SecretKey> {
        if access_key == self.0.access_key {
            Ok(SecretKey::from(self.0.secret_key.reveal()))
        } else {
            Err(s3_error!(
                InvalidAccessKeyId,
                "the access key id is not known here"
            ))
        }
    }
}
