//! Runs the maximum-rate searches of a plan: proposes probes and learns their results.

use tenbin_plan::{Limit, Plan, RateSearch, Slo};
use tenbin_record::Slice;
use tenbin_stats::{ProbeTimes, Purpose, Search, Step, fewest_samples};

use super::evidence::probe;

/// Length of the longest probe at any rate, as a multiple of a slice.
const LONGEST: f64 = 6.0;
/// Minimum number of operations of a probe, as a multiple of the number needed to print the
/// strictest percentile of the objective.
const SPARE: f64 = 1.35;

/// Number of proofs that may run although drains took the time reserved for them.
const RESERVED_PROOFS: f64 = 2.0;

/// The next probe of a search: rate, purpose and length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NextProbe {
    /// Offered operations per second.
    pub rate: f64,
    /// Whether the probe is the proof at the end of the search.
    pub proof: bool,
    /// Length of the measured window, as a multiple of the plan's slice, at least 1.
    pub slices: f64,
}

/// The running searches of a plan, one for each workload and target.
#[derive(Debug)]
pub struct Finder<'a> {
    plan: &'a Plan,
    /// Started searches, by (position of the workload, position of the target).
    searches: Vec<((usize, usize), Running)>,
}

/// A search that has started.
#[derive(Debug)]
struct Running {
    search: Search,
    /// Total time of the probes so far, seconds.
    spent: f64,
    /// The part of `spent` that outstanding responses took after the windows, seconds.
    drained: f64,
}

impl<'a> Finder<'a> {
    /// A finder without started searches.
    pub fn new(plan: &'a Plan) -> Self {
        Self {
            plan,
            searches: Vec::new(),
        }
    }

    /// Starts the search for a workload on a target at `rate` operations per second.
    pub fn begin(&mut self, workload: usize, target: usize, rate: f64) {
        let running = Running {
            search: Search::new(rate),
            spent: 0.0,
            drained: 0.0,
        };
        self.searches.push(((workload, target), running));
    }

    /// The next probe; `None` if the result is known or the time for the search is over.
    pub fn next(&self, workload: usize, target: usize) -> Option<NextProbe> {
        let running = self.running(workload, target)?;
        let slice = self.plan.rounds.slice.as_secs_f64();
        let around = self.around(workload);
        let shortest_proof = slice * f64::from(RateSearch::PROOF_SLICES);
        let times = ProbeTimes {
            left: self.plan.longest_search().as_secs_f64() - running.spent,
            overdraft: running
                .drained
                .min(RESERVED_PROOFS * (shortest_proof + around)),
            around,
            shortest: slice,
            shortest_proof,
            longest: slice * LONGEST,
            operations: fewest_operations(&self.objective(workload)?.slo) * SPARE,
        };
        let Step::Probe {
            rate,
            purpose,
            seconds,
        } = running.search.next_within(&times)
        else {
            return None;
        };
        Some(NextProbe {
            rate,
            proof: purpose == Purpose::Proof,
            slices: seconds / slice,
        })
    }

    /// Adds the result of a probe. Of a slice that was cut short, only the time counts.
    pub fn learn(&mut self, workload: usize, target: usize, slice: &Slice) {
        let Some(slo) = self.objective(workload).map(|search| &search.slo) else {
            return;
        };
        let around = self.around(workload);
        let mut searches = self.searches.iter_mut();
        let Some((_, running)) = searches.find(|(at, _)| *at == (workload, target)) else {
            return;
        };
        let drain = drained(slice);
        running.drained += drain;
        running.spent += slice.end.seconds + around + drain;
        if let Some((probe, _)) = probe(slice, slo) {
            running.search.learn(probe);
        }
    }

    /// (Highest rate that held, lowest rate that failed) so far, operations per second.
    pub fn bracket(&self, workload: usize, target: usize) -> (Option<f64>, Option<f64>) {
        let running = self.running(workload, target);
        running.map_or((None, None), |running| running.search.bracket())
    }

    /// Time of a probe outside its measured window, seconds: settling time and pause.
    fn around(&self, workload: usize) -> f64 {
        let rounds = &self.plan.rounds;
        let lead = self
            .plan
            .workloads
            .get(workload)
            .map(|work| work.lead(rounds));
        (lead.unwrap_or_default() + rounds.gap).as_secs_f64()
    }

    fn running(&self, workload: usize, target: usize) -> Option<&Running> {
        let mut searches = self.searches.iter();
        let found = searches.find(|(at, _)| *at == (workload, target));
        found.map(|(_, running)| running)
    }

    fn objective(&self, workload: usize) -> Option<&'a RateSearch> {
        self.plan.workloads.get(workload)?.search()
    }
}

/// Upper bound of the time that outstanding responses took after the window, seconds: the slowest
/// response.
fn drained(slice: &Slice) -> f64 {
    let slowest = slice
        .requests()
        .map(|op| op.times.response.max().max(op.times.failed.max()));
    slowest.max().unwrap_or(0) as f64 / 1e9
}

/// Number of operations needed to print the strictest percentile of an objective.
fn fewest_operations(slo: &Slo) -> f64 {
    let of = |limit: &Limit| match limit {
        Limit::Percentile { percent, .. } => fewest_samples(percent / 100.0),
        Limit::Mean { .. } | Limit::Errors { .. } => None,
    };
    slo.limits().iter().filter_map(of).max().unwrap_or(1) as f64
}

#[cfg(test)]
mod tests {
    use super::super::tests::searched;
    use super::*;

    #[test]
    fn few_operations_a_second_take_longer_and_the_proof_longest() {
        let run = searched(&[("a", 1_000.0)]);
        let first = |rate| {
            let mut finder = Finder::new(&run.plan);
            finder.begin(0, 0, rate);
            finder.next(0, 0).unwrap().slices
        };
        // A p99 needs 368 samples. Slices last one second, and no probe is shorter than three
        // seconds.
        assert_eq!(first(1_000.0), 3.0);
        assert!((first(100.0) - 4.968).abs() < 1e-9);
        assert_eq!(first(1.0), LONGEST);
        assert_eq!(Finder::new(&run.plan).next(0, 0), None, "not begun");
    }

    #[test]
    fn two_targets_are_offered_the_same_rates_while_both_hold() {
        let run = searched(&[("a", 1_000.0), ("b", 2_000.0)]);
        let rates: Vec<(&str, f64)> = run
            .slices
            .iter()
            .map(|slice| (slice.target.as_str(), slice.probe.unwrap().rate))
            .collect();
        assert_eq!(
            rates[..6],
            [
                ("a", 100.0),
                ("b", 100.0),
                ("a", 200.0),
                ("b", 200.0),
                ("a", 400.0),
                ("b", 400.0)
            ]
        );
    }
}
