//! Estimates the total duration of a run from the time elapsed, and its end.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::wording::NO_LIMIT;

/// An estimate of the total duration, from the forecast and the time elapsed.
#[derive(Debug)]
pub(crate) struct Pace {
    begun: Instant,
    forecast: Duration,
    /// Planned time of each slice after the rounds, which can be longer or shorter than the others.
    after_rounds: Vec<Duration>,
    /// When the first slice started.
    measuring: Option<Instant>,
}

impl Pace {
    /// Starts the clock, with a forecast of the duration of all slices, and the planned times of those
    /// after the rounds.
    pub(crate) fn new(forecast: Duration, after_rounds: &[Duration]) -> Self {
        Self {
            begun: Instant::now(),
            forecast,
            after_rounds: after_rounds.to_vec(),
            measuring: None,
        }
    }

    /// The estimated total duration. Called when slice `index` of `total` starts.
    pub(crate) fn whole(&mut self, index: usize, total: usize) -> Duration {
        let now = Instant::now();
        let measuring = *self.measuring.get_or_insert(now);
        measuring - self.begun + self.of_slices(now - measuring, index, total)
    }

    /// The estimated duration of `total` slices, of which `index` took `measured`.
    fn of_slices(&self, measured: Duration, index: usize, total: usize) -> Duration {
        let in_rounds = total.saturating_sub(self.after_rounds.len());
        let after = self.after_rounds.get(index.saturating_sub(in_rounds)..);
        let after: Duration = after.unwrap_or_default().iter().sum();
        let rounds = match u32::try_from(index) {
            Ok(0) | Err(_) => return self.forecast,
            Ok(_) if index > in_rounds => measured,
            Ok(done) => measured / done * u32::try_from(in_rounds).unwrap_or(u32::MAX),
        };
        rounds + after
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
    fn slices_after_the_rounds_take_their_planned_time() {
        let seconds = Duration::from_secs;
        let pace = Pace::new(seconds(19), &[seconds(1), seconds(8)]);
        let of = |measured, index| pace.of_slices(seconds(measured), index, 12);
        assert_eq!(of(0, 0), seconds(19));
        // Slices of 2 s instead of 1 s: 10 of them, and the two after the rounds.
        assert_eq!(of(4, 2), seconds(20 + 1 + 8));
        assert_eq!(of(20, 10), seconds(20 + 1 + 8));
        assert_eq!(of(21, 11), seconds(21 + 8));
        // One that was measured once more.
        assert_eq!(pace.of_slices(seconds(29), 12, 13), seconds(29 + 8));
    }

    #[test]
    fn a_long_run_has_an_estimated_end() {
        let now = UNIX_EPOCH + Duration::from_secs(86_400 * 20_000 + 23 * 3_600 + 30 * 60);
        let left = Duration::from_secs;
        assert_eq!(end(now, left(31 * 60)).as_deref(), Some("00:01"));
        assert_eq!(end(now, left(100)), None);
        assert_eq!(end(now, left(2 * 86_400)), None);
    }
}
