//! How long laying out data takes, by how it began.

use std::time::{Duration, Instant};

use tenbin_plan::duration::Time;
use tenbin_plan::{Sizes, Workload};
use tenbin_workloads::Stage;

use crate::supply::size;

/// Length of the timed start.
const START: Duration = Duration::from_secs(2);

/// A stage that takes less than this needs no forecast.
const SHORT: Duration = Duration::from_secs(5);

/// What is known of the time that a stage takes.
pub(crate) struct StageForecast {
    what: String,
    total: Option<u64>,
    /// Bytes of content in one operation, if it puts any.
    each: Option<f64>,
    begun: Instant,
    told: bool,
}

impl StageForecast {
    /// `told`: no sentence is wanted, only the time left.
    pub(crate) fn new(work: &Workload, stage: &Stage, told: bool) -> Self {
        let puts = stage.what.starts_with("putting") || stage.what.starts_with("uploading");
        let each = work.facts().sizes().filter(|_| puts).map(Sizes::mean);
        Self {
            what: stage.what.clone(),
            total: stage.total,
            each,
            begun: Instant::now(),
            told,
        }
    }

    /// The sentence after the timed start, once, if the stage puts much.
    pub(crate) fn first(&mut self, done: u64) -> Option<String> {
        let took = self.begun.elapsed();
        if self.told || took < START || done == 0 {
            return None;
        }
        self.told = true;
        self.sentence(done, took)
    }

    fn sentence(&self, done: u64, took: Duration) -> Option<String> {
        let (total, each) = (self.total?, self.each?);
        let left = left(total, done, took)?;
        if left < SHORT {
            return None;
        }
        let rate = done as f64 / took.as_secs_f64();
        Some(format!(
            "{} ({}) takes about {}, at {rate:.0} objects/s and {}/s so far",
            self.what,
            size((total as f64 * each) as u64),
            whole_seconds(took + left),
            size((rate * each) as u64),
        ))
    }

    /// The time left, for the line of progress; empty where that is not known yet.
    pub(crate) fn left(&self, done: u64) -> String {
        let took = self.begun.elapsed();
        let known = self.total.filter(|_| took >= START);
        let left = known.and_then(|total| left(total, done, took));
        left.map_or_else(String::new, |left| {
            format!(", about {} left", whole_seconds(left))
        })
    }
}

/// What is left at the rate so far.
fn left(total: u64, done: u64, took: Duration) -> Option<Duration> {
    let rest = total.saturating_sub(done) as f64;
    let seconds = took.as_secs_f64() * rest / done as f64;
    Duration::try_from_secs_f64(seconds).ok()
}

fn whole_seconds(time: Duration) -> Time {
    Time(Duration::from_secs(time.as_secs_f64().round() as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forecast(total: u64, each: f64) -> StageForecast {
        StageForecast {
            what: "putting 2,500 objects".to_owned(),
            total: Some(total),
            each: Some(each),
            begun: Instant::now(),
            told: false,
        }
    }

    #[test]
    fn the_time_follows_from_the_rate_of_the_start() {
        let found = forecast(2_500, 10_485_760.0).sentence(30, Duration::from_secs(2));
        assert_eq!(
            found.as_deref(),
            Some(
                "putting 2,500 objects (24.4 GiB) takes about 2m47s, at 15 objects/s and \
                 150 MiB/s so far"
            )
        );
    }

    #[test]
    fn what_is_soon_done_is_not_forecast() {
        let short = forecast(2_500, 1_024.0).sentence(2_000, Duration::from_secs(2));
        assert_eq!(short, None);
        assert_eq!(forecast(2_500, 1_024.0).left(0), "");
    }
}
