//! The blob server: the access layer of CubeFS's blobstore, as far as clients see it.
//!
//! Written after the protocol's description and its behaviour on a real cluster; it
//! shares no code with it. Blobs are in memory.

mod body;
mod faults;
mod framing;
mod get;
mod hashes;
mod location;
mod query;
mod reply;
mod service;
mod sign;
mod store;
mod ticket;
mod token;
mod trace;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tenbin_plan::Secret;

pub use faults::{Fault, FaultError};

use super::{ServeError, accept, half_of_the_free_memory};
use faults::Faults;
use service::Access;
use store::Store;

/// How to run the blob server.
#[derive(Debug, Clone)]
pub struct BlobOptions {
    /// Where to listen; port 0 takes a free one.
    pub listen: SocketAddr,
    /// How long a blob can still be read once its deletion was acknowledged.
    pub delete_lag: Duration,
    /// What a GET gets of a blob that is gone.
    pub gone: Gone,
    /// How long the connection stays open behind the head with which a GET of a blob that is
    /// gone begins ([`Gone::Cut`]).
    pub gone_delay: Duration,
    /// Secret of the tokens that requests must carry; none are asked for without.
    pub secret: Option<Secret>,
    /// Bytes that all blobs may take; half of what is free at the start if `None`. A PUT beyond it
    /// gets 507.
    pub memory: Option<u64>,
    /// What goes wrong, and how often.
    pub faults: Vec<Fault>,
    /// Worker threads, at least 1.
    pub workers: usize,
}

/// What a GET gets of a blob that is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Gone {
    /// The head, with the length of the content, and then the connection is closed: the
    /// access layer sends the head before it looks for the content.
    #[default]
    Cut,
    /// 404, as of a store that looks first.
    NotFound,
}

/// Serves blobs until SIGTERM or SIGINT. `ready` is called once, with the address
/// that it listens on.
///
/// # Errors
/// It cannot listen there, or cannot start its threads.
pub fn blob(options: &BlobOptions, ready: impl FnOnce(SocketAddr)) -> Result<(), ServeError> {
    let memory = options.memory.or_else(half_of_the_free_memory);
    let access = Access {
        store: Arc::new(Store::new(options.delete_lag, memory)),
        faults: Arc::new(Faults::new(&options.faults)),
        secret: options.secret.clone(),
        gone: options.gone,
        gone_delay: options.gone_delay,
    };
    accept::run(options.listen, options.workers, access, ready)
}
