//! Estimates the total duration of a run from the time elapsed.

use std::time::{Duration, Instant};

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
