//! Estimates how long loading data takes, from the loading rate in the first two seconds.

use std::time::{Duration, Instant};

use tenbin_plan::duration::Time;
use tenbin_plan::{Sentence, Sizes, Workload, sentence};
use tenbin_workloads::Stage;

use crate::data::loaded::size;

/// How long the loading rate is measured before an estimate.
const START: Duration = Duration::from_secs(2);

/// Shortest remaining time for which an estimate is printed.
const SHORT: Duration = Duration::from_secs(5);

/// The time estimate for one unmeasured stage, such as loading data.
pub(crate) struct StageForecast {
    what: Sentence,
    total: Option<u64>,
    /// Bytes of content per operation, if the stage uploads content.
    each: Option<f64>,
    started: Instant,
    told: bool,
}

impl StageForecast {
    /// With `told`, [`Self::first`] never returns a sentence; only the remaining time is available.
    pub(crate) fn new(work: &Workload, stage: &Stage, told: bool) -> Self {
        let sizes = work.facts().sizes();
        let each = sizes.filter(|_| stage.is_loading()).map(Sizes::mean);
        Self {
            what: stage.what.clone(),
            total: stage.total,
            each,
            started: Instant::now(),
            told,
        }
    }

    /// Returns the estimate as a sentence, only once, as soon as the rate is known; only for a
    /// stage that uploads much data.
    pub(crate) fn first(&mut self, done: u64) -> Option<Sentence> {
        let took = self.started.elapsed();
        if self.told || took < START || done == 0 {
            return None;
        }
        self.told = true;
        self.sentence(done, took)
    }

    fn sentence(&self, done: u64, took: Duration) -> Option<Sentence> {
        let (total, each) = (self.total?, self.each?);
        let left = left(total, done, took)?;
        if left < SHORT {
            return None;
        }
        let rate = done as f64 / took.as_secs_f64();
        let takes = sentence!(
            "stage-takes",
            "{what} ({size}) takes about {time}, at {rate} objects/s and {bytes}/s so far",
            what = self.what,
            size = size((total as f64 * each) as u64),
            time = Time::rounded(took + left),
            rate = format!("{rate:.0}"),
            bytes = size((rate * each) as u64)
        );
        Some(takes.with_part("what", [self.what.clone()]))
    }

    /// The remaining time for the progress line; `None` until the rate is known.
    pub(crate) fn left(&self, done: u64) -> Option<Sentence> {
        let took = self.started.elapsed();
        let known = self.total.filter(|_| took >= START);
        let left = known.and_then(|total| left(total, done, took));
        let left = left.map(Time::rounded);
        left.map(|left| sentence!("time-left", ", about {time} left", time = left))
    }
}

/// The remaining time at the average rate so far.
fn left(total: u64, done: u64, took: Duration) -> Option<Duration> {
    let rest = total.saturating_sub(done) as f64;
    let seconds = took.as_secs_f64() * rest / done as f64;
    Duration::try_from_secs_f64(seconds).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forecast(total: u64, each: f64) -> StageForecast {
        StageForecast {
            what: "loading 2,500 objects".into(),
            total: Some(total),
            each: Some(each),
            started: Instant::now(),
            told: false,
        }
    }

    #[test]
    fn the_estimate_follows_from_the_rate_of_the_start() {
        let found = forecast(2_500, 10_485_760.0).sentence(30, Duration::from_secs(2));
        assert_eq!(
            found.as_ref().map(Sentence::text),
            Some(
                "loading 2,500 objects (24.4 GiB) takes about 2m47s, at 15 objects/s and \
                 150 MiB/s so far"
            )
        );
    }

    #[test]
    fn a_short_stage_has_no_estimate() {
        let short = forecast(2_500, 1_024.0).sentence(2_000, Duration::from_secs(2));
        assert_eq!(short, None);
        assert_eq!(forecast(2_500, 1_024.0).left(0), None);
    }
}
