//! Configuration of a [`super::Scheduler`].

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use crate::pacer::Pacer;
use crate::stop::StopRule;
use crate::think::Thinker;

/// Configuration of one thread's part of a slice. Times are nanoseconds since the slice's origin.
pub struct Schedule {
    /// Index of this thread, from 0.
    pub thread: usize,
    /// Whether the thread uses separate connections that do not belong to the load: see
    /// [`crate::Workload::own_connections`].
    pub beside: bool,
    /// Number of this thread's connections to each host.
    pub connections: usize,
    /// Most requests in flight on a connection.
    pub depth: usize,
    /// Weight of each host: its relative share of the requests.
    pub weights: Vec<u32>,
    /// Whether connections are reused.
    pub keep_alive: bool,
    /// How often each connection is opened in the window; 0 and 1 mean once.
    pub reopens: u32,
    /// Start of the measured window.
    pub open: u64,
    /// End of the measured window.
    pub close: u64,
    /// How a slice that sends a fixed segment of a request sequence ends; `None` for other slices.
    pub rest: Option<Rest>,
    /// Timeout of an operation.
    pub timeout: u64,
    /// The schedule of an open loop.
    pub pacer: Option<Box<dyn Pacer>>,
    /// Think time between a user's requests; only in a closed loop.
    pub think: Option<Thinker>,
    /// Whether to read server stage times from response headers.
    pub stages: bool,
    /// Limits after which no more operations are issued.
    pub stop_rules: Vec<Box<dyn StopRule>>,
    /// The slice stops if this thread was suspended for longer, nanoseconds; [`u64::MAX`] for no
    /// limit.
    pub longest_pause: u64,
    /// Wall time of the origin, since 1970-01-01 UTC.
    pub origin_unix: Duration,
}

/// End of a slice that sends a fixed segment of a request sequence. The window closes in all
/// threads as soon as one thread has sent its share, so that the load stays constant in the window.
/// The other threads then send the rest of the segment unmeasured.
#[derive(Debug, Clone)]
pub struct Rest {
    /// Longest time for the rest of the segment, nanoseconds after the window closed.
    pub most: u64,
    /// Time at which the window closes, nanoseconds since the slice's origin; [`u64::MAX`] until
    /// known. Shared by all threads.
    pub edge: Arc<AtomicU64>,
}
