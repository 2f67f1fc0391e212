//! Time on a slice: nanoseconds since its origin, shared by all its threads.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use nix::time::{ClockId, clock_gettime};

/// Monotonic nanoseconds since an origin, and the wall time of that origin.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    origin: Instant,
    origin_unix: Duration,
}

impl Clock {
    /// A clock that reads zero now.
    pub fn start() -> Self {
        Self {
            origin: Instant::now(),
            origin_unix: SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .unwrap_or_default(),
        }
    }

    /// Nanoseconds since the origin.
    #[inline]
    pub fn now(&self) -> u64 {
        self.origin.elapsed().as_nanos() as u64
    }

    /// Wall time of the origin, since 1970-01-01 UTC.
    pub fn origin_unix(&self) -> Duration {
        self.origin_unix
    }
}

/// CPU time of the calling thread, nanoseconds.
pub(crate) fn thread_cpu() -> u64 {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID)
        .map(|time| time.tv_sec() as u64 * 1_000_000_000 + time.tv_nsec() as u64)
        .unwrap_or(0)
}
