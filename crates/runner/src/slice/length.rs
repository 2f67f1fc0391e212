//! Computes the necessary slice length from the warm-up.

use std::time::Duration;

use tenbin_engine::Sample;
use tenbin_plan::duration::Time;
use tenbin_plan::{Plan, Sentence, sentence};
use tenbin_record::OpFigures;

/// Necessary length of a slice, as a multiple of the median service time of the slowest operation.
/// Twice the multiple that the finding `short_slices` requires, because a warm-up contains few
/// requests.
const TIMES: u32 = 20;

/// Maximum slice length that Tenbin chooses.
const LONGEST: Duration = Duration::from_secs(60);

/// Step of the chosen slice lengths, milliseconds.
const STEP_MILLIS: u128 = 500;

/// Minimum number of responses for a median.
const FEWEST: u64 = 3;

/// Service times of one warm-up, by operation.
#[derive(Default)]
pub(crate) struct WarmUpTimes(Vec<OpFigures>);

impl WarmUpTimes {
    /// Adds a sample of the warm-up. Samples of the drain count too, because slow operations end
    /// in the drain.
    pub(crate) fn add(&mut self, sample: &Sample) {
        for op in sample.ops.iter().filter(|op| !op.times.service.is_empty()) {
            let at = self.0.iter().position(|known| known.name == op.name);
            let at = at.unwrap_or_else(|| {
                self.0.push(OpFigures::new(&op.name));
                self.0.len() - 1
            });
            self.0[at].times.service.add(&(&op.times.service).into());
        }
    }

    /// The median service time of the slowest operation; `None` with too few responses.
    pub(crate) fn slowest_median(&self) -> Option<Duration> {
        let enough = self.0.iter().filter(|op| op.times.service.len() >= FEWEST);
        let medians = enough.map(|op| op.times.service.value_at_quantile(0.5));
        medians.max().map(Duration::from_nanos)
    }
}

/// The plan with slices long enough for the slowest operation, whose median service time is
/// `median`; `None` if slices are already long enough. Slices that end after a number of requests
/// and slices of a maximum-rate search are not changed.
pub(crate) fn lengthened(plan: &Plan, median: Option<Duration>) -> Option<Plan> {
    let by_time = |work: &tenbin_plan::Workload| work.load.requests.is_none();
    if !plan.workloads.iter().all(by_time) || plan.workloads.iter().any(|w| w.search().is_some()) {
        return None;
    }
    let slice = slice_length(plan.rounds.slice, median?)?;
    let mut plan = plan.clone();
    plan.rounds.slice = slice;
    Some(plan)
}

fn slice_length(planned: Duration, median: Duration) -> Option<Duration> {
    let steps = (median * TIMES).as_millis().div_ceil(STEP_MILLIS);
    let millis = u64::try_from(steps * STEP_MILLIS).unwrap_or(u64::MAX);
    let wanted = Duration::from_millis(millis).min(LONGEST);
    (wanted > planned).then_some(wanted)
}

/// The sentence that tells the user about the longer slices.
pub(crate) fn sentence(plan: &Plan, longer: &Plan, median: Duration) -> Sentence {
    let millis = Duration::from_millis(u64::try_from(median.as_millis()).unwrap_or(u64::MAX));
    sentence!(
        "slices-lengthened",
        "slices of {longer} instead of {slice}: an operation took {median} in the warm-up (median), \
         and a slice lasts {times} times that; the slices now take about {all} in all (--slice sets \
         another length)",
        longer = Time(longer.rounds.slice),
        slice = Time(plan.rounds.slice),
        median = Time(millis),
        times = TIMES,
        all = Time(Duration::from_secs(longer.forecast().as_secs()))
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_lasts_twenty_times_the_slowest_operation() {
        let seconds = Duration::from_secs;
        let millis = Duration::from_millis;
        assert_eq!(slice_length(seconds(2), millis(500)), Some(seconds(10)));
        assert_eq!(slice_length(seconds(2), millis(110)), Some(millis(2_500)));
        assert_eq!(slice_length(seconds(2), millis(100)), None);
        assert_eq!(slice_length(seconds(2), seconds(9)), Some(LONGEST));
        assert_eq!(slice_length(seconds(90), seconds(9)), None);
    }
}
