//! The blob server: the client interface of the access layer of CubeFS's blobstore.
//!
//! Written from the protocol's description and the behaviour of a real cluster, without using
//! CubeFS's code. Blobs are kept in memory.

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
mod turns;

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use tenbin_plan::Secret;

pub use faults::Fault;

use super::{ServeError, accept, half_of_available_memory};
use faults::Faults;
use service::Access;
use store::Store;
use turns::Turns;

/// Settings of the blob server.
#[derive(Debug, Clone)]
pub struct BlobOptions {
    /// Listen address; port 0 selects a free port.
    pub listen: SocketAddr,
    /// How long a blob remains readable after its deletion has been acknowledged.
    pub delete_lag: Duration,
    /// Response to a GET of a deleted blob.
    pub gone: Gone,
    /// With [`Gone::Cut`]: delay between sending the head and closing the connection.
    pub gone_delay: Duration,
    /// Secret for the tokens that requests must contain; `None` disables authentication.
    pub secret: Option<Secret>,
    /// Maximum total size of the blobs, bytes; `None` for half of the available memory at the
    /// start. A PUT beyond the limit gets status 507.
    pub memory: Option<u64>,
    /// Injected faults.
    pub faults: Vec<Fault>,
    /// Delay before every response.
    pub delay: Duration,
    /// Maximum number of requests served at the same time; further requests wait, in order of
    /// arrival. `None` for no limit.
    pub max_in_flight: Option<NonZeroUsize>,
    /// Worker threads, at least 1.
    pub workers: usize,
}

/// Response to a GET of a deleted blob.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Gone {
    /// The head with the length of the content, then the end of the connection. The access layer
    /// sends the head before it reads the content.
    #[default]
    Cut,
    /// Status 404, as from a store that checks before it responds.
    NotFound,
}

/// Serves blobs until SIGTERM or SIGINT. Calls `ready` once, with the listen address.
///
/// # Errors
/// When the server cannot listen or start its threads.
pub fn blob(options: &BlobOptions, ready: impl FnOnce(SocketAddr)) -> Result<(), ServeError> {
    let memory = options.memory.or_else(half_of_available_memory);
    let access = Access {
        store: Arc::new(Store::new(options.delete_lag, memory)),
        faults: Arc::new(Faults::new(&options.faults)),
        secret: options.secret.clone(),
        gone: options.gone,
        gone_delay: options.gone_delay,
        turns: Arc::new(Turns::new(options.delay, options.max_in_flight)),
    };
    accept::run(options.listen, options.workers, access, ready)
}
