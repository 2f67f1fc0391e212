//! The clock of a slice, the same for all its threads: nanoseconds since an origin.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Counts monotonic nanoseconds since an origin. The wall time of the origin is known.
///
/// Every request reads the clock twice. If the kernel's clock source is the CPU's time-stamp
/// counter, this clock reads the counter directly, which takes 10 ns; the system's clock takes 25
/// to 35 ns.
#[derive(Debug, Clone)]
pub struct Clock {
    source: Source,
    /// Origin of this clock, nanoseconds since the origin of `source`.
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
            // Saturates: the counters of two cores can differ by some cycles.
            Source::Counter { clock, origin } => clock.delta_as_nanos(*origin, clock.raw()),
            Source::System { origin } => origin.elapsed().as_nanos() as u64,
        };
        since_start.saturating_sub(self.behind)
    }

    /// Moves the origin to `origin`, a time on this clock: later readings are nanoseconds since
    /// `origin`.
    pub(crate) fn begin_at(&mut self, origin: u64) {
        self.behind += origin;
        self.origin_unix += Duration::from_nanos(origin);
    }

    /// Wall time of the origin, since 1970-01-01 UTC.
    pub fn origin_unix(&self) -> Duration {
        self.origin_unix
    }
}

/// Whether the kernel's clock source is the CPU's time-stamp counter. The kernel switches to
/// another source if the counter drifts or differs between cores.
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
        // The clock is read between two readings of the system's clock, so a delay of the test only
        // widens the allowed range. 0.1 % is a hundred times the usual error.
        let least = after.elapsed().as_nanos() as f64 * 0.999;
        let found = clock.now() as f64;
        let most = before.elapsed().as_nanos() as f64 * 1.001;
        assert!(least <= found && found <= most, "{least} {found} {most}");
    }
}
