//! The clock of a slice: nanoseconds since its origin, shared by all its threads.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Monotonic nanoseconds since an origin, and the wall time of that origin.
///
/// The clock is read twice for every request, so it reads the CPU's counter where the kernel uses
/// that counter for its own clock: 10 ns instead of 25 to 35.
#[derive(Debug, Clone)]
pub struct Clock {
    source: Source,
    /// Nanoseconds between this clock's zero and that of `source`.
    behind: u64,
    origin_unix: Duration,
}

#[derive(Debug, Clone)]
enum Source {
    Counter { clock: quanta::Clock, origin: u64 },
    System { origin: Instant },
}

impl Clock {
    /// A clock that starts at zero.
    pub fn start() -> Self {
        let source = if kernel_trusts_the_counter() {
            let clock = quanta::Clock::new();
            let origin = clock.raw();
            Source::Counter { clock, origin }
        } else {
            let origin = Instant::now();
            Source::System { origin }
        };
        Self {
            source,
            behind: 0,
            origin_unix: SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .unwrap_or_default(),
        }
    }

    /// Nanoseconds since the origin.
    #[inline]
    pub fn now(&self) -> u64 {
        let since_start = match &self.source {
            // Saturates: the counters of two cores may differ by some cycles.
            Source::Counter { clock, origin } => clock.delta_as_nanos(*origin, clock.raw()),
            Source::System { origin } => origin.elapsed().as_nanos() as u64,
        };
        since_start.saturating_sub(self.behind)
    }

    /// Sets the zero of this clock to `origin`, a time on this clock.
    pub(crate) fn begin_at(&mut self, origin: u64) {
        self.behind += origin;
        self.origin_unix += Duration::from_nanos(origin);
    }

    /// Wall time of the origin, since 1970-01-01 UTC.
    pub fn origin_unix(&self) -> Duration {
        self.origin_unix
    }
}

/// The kernel checks whether the counter runs evenly and equally on all cores, and switches to
/// another clock source if it does not.
fn kernel_trusts_the_counter() -> bool {
    let path = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    std::fs::read_to_string(path).is_ok_and(|source| source.trim() == "tsc")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_step_with_the_system() {
        let before = Instant::now();
        let clock = Clock::start();
        let after = Instant::now();
        std::thread::sleep(Duration::from_millis(200));
        // The test's reading lies between two readings of the system's clock, so that a pause
        // only widens the allowed range. 0.1 % is a hundred times the usual error.
        let least = after.elapsed().as_nanos() as f64 * 0.999;
        let found = clock.now() as f64;
        let most = before.elapsed().as_nanos() as f64 * 1.001;
        assert!(least <= found && found <= most, "{least} {found} {most}");
    }
}
