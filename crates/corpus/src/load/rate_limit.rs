//! Limits the rate at which messages or records are sent.

use std::time::{Duration, Instant};

/// Maximum time between two checks for interruption.
const CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// A rate limit, counted from a start time.
#[derive(Debug)]
pub struct RateLimit {
    rate: Option<f64>,
    started: Instant,
}

impl RateLimit {
    /// Creates a limit of `rate` messages per second, starting at `now`; `None` for no limit.
    pub fn new(rate: Option<f64>, now: Instant) -> Self {
        Self { rate, started: now }
    }

    /// Time at which the message after the first `sent` messages is due.
    fn due(&self, sent: u64) -> Option<Instant> {
        let seconds = sent as f64 / self.rate?;
        Some(self.started + Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX / 4))
    }

    /// Waits until the message after the first `sent` messages is due, or `stop` returns true.
    pub fn wait(&self, sent: u64, stop: &dyn Fn() -> bool) {
        let Some(due) = self.due(sent) else { return };
        while !stop() {
            let left = due.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            std::thread::sleep(left.min(CHECK_INTERVAL));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_evenly_spaced() {
        let now = Instant::now();
        let pace = RateLimit::new(Some(100.0), now);
        assert_eq!(pace.due(0), Some(now));
        assert_eq!(pace.due(250), Some(now + Duration::from_millis(2_500)));
        assert_eq!(RateLimit::new(None, now).due(250), None);
    }
}
