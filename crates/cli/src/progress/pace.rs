//! Estimates the total duration of a run from the time elapsed, and its end.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::wording::NO_LIMIT;

/// An estimate of the total duration, from the forecast and the time elapsed.
#[derive(Debug)]
pub(crate) struct Pace {
    begun: Instant,
    forecast: Duration,
    /// When the first slice started.
    measuring: Option<Instant>,
}

impl Pace {
    /// Starts the clock, with a forecast of the duration of all slices.
    pub(crate) fn new(forecast: Duration) -> Self {
        Self {
            begun: Instant::now(),
            forecast,
            measuring: None,
        }
    }

    /// The estimated total duration. Called when slice `index` of `total` starts.
    pub(crate) fn whole(&mut self, index: usize, total: usize) -> Duration {
        let now = Instant::now();
        let measuring = *self.measuring.get_or_insert(now);
        let slices = match u32::try_from(index) {
            Ok(done @ 1..) => (now - measuring) / done * u32::try_from(total).unwrap_or(u32::MAX),
            _ => self.forecast,
        };
        measuring - self.begun + slices
    }

    /// Time since the clock started.
    pub(crate) fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    /// The estimated end of the run. Called when slice `index` of `total` starts.
    pub(crate) fn end(&mut self, index: usize, total: usize) -> Instant {
        let whole = self.whole(index, total);
        self.begun + whole
    }
}

/// Runs with this much time left have an estimated end.
const LONG: Duration = Duration::from_secs(120);

/// The time of day, UTC, at which the run ends if this much time is left: `18:43`; `None` for a run
/// that ends soon or has no limit.
pub(super) fn end(now: SystemTime, left: Duration) -> Option<String> {
    if left < LONG || left >= NO_LIMIT {
        return None;
    }
    let end = (now + left).duration_since(UNIX_EPOCH).unwrap_or_default();
    let minutes = end.as_secs() / 60 % (24 * 60);
    Some(format!("{:02}:{:02}", minutes / 60, minutes % 60))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_run_has_an_estimated_end() {
        let now = UNIX_EPOCH + Duration::from_secs(86_400 * 20_000 + 23 * 3_600 + 30 * 60);
        let left = Duration::from_secs;
        assert_eq!(end(now, left(31 * 60)).as_deref(), Some("00:01"));
        assert_eq!(end(now, left(100)), None);
        assert_eq!(end(now, left(2 * 86_400)), None);
    }
}
