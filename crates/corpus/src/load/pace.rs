//! Not more than so many a second.

use std::time::{Duration, Instant};

/// Longest rest between two looks at whether to stop.
const STEP: Duration = Duration::from_millis(50);

/// Holds a sender back.
#[derive(Debug)]
pub struct Pace {
    rate: Option<f64>,
    begun: Instant,
}

impl Pace {
    /// `rate` messages a second from `now` on; `None` for as many as go.
    pub fn new(rate: Option<f64>, now: Instant) -> Self {
        Self { rate, begun: now }
    }

    /// When message number `sent`, from 0, may be sent.
    fn due(&self, sent: u64) -> Option<Instant> {
        let seconds = sent as f64 / self.rate?;
        Some(self.begun + Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX / 4))
    }

    /// Rests until another may be sent after `sent` of them, or `stop` says so.
    pub fn wait(&self, sent: u64, stop: &dyn Fn() -> bool) {
        let Some(due) = self.due(sent) else { return };
        while !stop() {
            let left = due.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            std::thread::sleep(left.min(STEP));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_due_at_even_distances() {
        let now = Instant::now();
        let pace = Pace::new(Some(100.0), now);
        assert_eq!(pace.due(0), Some(now));
        assert_eq!(pace.due(250), Some(now + Duration::from_millis(2_500)));
        assert_eq!(Pace::new(None, now).due(250), None);
    }
}
