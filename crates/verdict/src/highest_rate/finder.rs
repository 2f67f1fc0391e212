//! Steers a run to the highest rate that holds, probe by probe.

use tenbin_plan::{Limit, Plan, RateSearch, Slo};
use tenbin_record::Slice;
use tenbin_stats::{Probe, Purpose, Search, Step, fewest_samples};

use super::judge::judge;

/// A probe is at most so many slices long, however few operations a second there are.
const LONGEST: f64 = 10.0;
/// So many times the operations that the strictest percentile needs.
const ROOM: f64 = 1.2;

/// What is to be measured next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wish {
    /// Operations a second to offer.
    pub rate: f64,
    /// It is the proof at the end.
    pub proof: bool,
    /// Length of the window, as a multiple of the plan's slice, at least 1.
    pub slices: f64,
}

/// The searches of a plan while they go on, one for each workload and target.
#[derive(Debug)]
pub struct Finder<'a> {
    plan: &'a Plan,
    /// By position of workload and target; only those that have begun.
    searches: Vec<((usize, usize), Search)>,
}

impl<'a> Finder<'a> {
    /// Nothing has begun.
    pub fn new(plan: &'a Plan) -> Self {
        Self {
            plan,
            searches: Vec::new(),
        }
    }

    /// Begins the search of that workload on that target at so many operations a
    /// second.
    pub fn begin(&mut self, workload: usize, target: usize, rate: f64) {
        self.searches.push(((workload, target), Search::new(rate)));
    }

    /// What to measure next; `None` when nothing more is to be learned.
    pub fn next(&self, workload: usize, target: usize) -> Option<Wish> {
        let search = self.search(workload, target)?;
        let Step::Probe { rate, purpose } = search.next() else {
            return None;
        };
        let slo = &self.objective(workload)?.slo;
        let slice = self.plan.rounds.slice.as_secs_f64();
        let needed = fewest_operations(slo) * ROOM / rate;
        let slices = (needed / slice).clamp(1.0, LONGEST);
        let proof = purpose == Purpose::Proof;
        let longer = f64::from(RateSearch::PROOF_SLICES);
        Some(Wish {
            rate,
            proof,
            slices: if proof { slices * longer } else { slices },
        })
    }

    /// Takes in what was measured. A slice that was cut short teaches nothing.
    pub fn learn(&mut self, workload: usize, target: usize, slice: &Slice) {
        let Some(slo) = self.objective(workload).map(|search| &search.slo) else {
            return;
        };
        let Some(offered) = slice.probe.filter(|_| !slice.cut_short) else {
            return;
        };
        let judged = judge(slice, slo);
        let mut searches = self.searches.iter_mut();
        if let Some((_, search)) = searches.find(|(at, _)| *at == (workload, target)) {
            search.learn(Probe {
                rate: offered.rate,
                purpose: if offered.proof {
                    Purpose::Proof
                } else {
                    Purpose::Seek
                },
                held: judged.held,
                borderline: judged.borderline,
                ended: judged.ended,
            });
        }
    }

    /// The highest rate that held and the lowest that failed, so far.
    pub fn bracket(&self, workload: usize, target: usize) -> (Option<f64>, Option<f64>) {
        let search = self.search(workload, target);
        search.map_or((None, None), Search::bracket)
    }

    fn search(&self, workload: usize, target: usize) -> Option<&Search> {
        let mut searches = self.searches.iter();
        let found = searches.find(|(at, _)| *at == (workload, target));
        found.map(|(_, search)| search)
    }

    fn objective(&self, workload: usize) -> Option<&'a RateSearch> {
        self.plan.workloads.get(workload)?.search()
    }
}

/// Operations that the strictest percentile of an objective takes to be seen.
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
        // 368 samples of p99, in slices of one second.
        assert_eq!(first(1_000.0), 1.0);
        assert!((first(100.0) - 4.416).abs() < 1e-9);
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
