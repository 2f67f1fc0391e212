//! The highest rate at which an objective is met, from the probes of a search.

mod compare;
mod document;
mod evidence;
mod finder;
mod judge;
mod sentence;

use std::collections::BTreeMap;

use tenbin_plan::{Plan, RateSearch};
use tenbin_record::{ErrorClass, OpFigures, PackedHistogram, Slice, merged, quantile_ns};
use tenbin_stats::{HighestRate, Probe, Purpose, Search, Yield};

pub use compare::compare_rates;
pub use finder::{Finder, Wish};
pub use judge::{Judged, JudgedLimit, USUAL_ERRORS, judge};

use judge::KEEPS_UP;
use tenbin_result::format::percent;
use tenbin_result::{Finding, Trust};

/// Share of a core above which a generator thread may be what missed the limits.
const BUSY_GENERATOR: f64 = 0.9;
/// Times the quickest median service time that still counts as quick.
const AS_QUICK: f64 = 1.5;

/// Why a probe that missed a limit does not count against the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Void {
    /// The load generator sent too many requests late.
    LateGenerator,
    /// Threads of the target or of the load generator waited for a core for too long.
    WaitedForCore,
}

impl Void {
    fn of(ended: Yield) -> Option<Self> {
        match ended {
            Yield::LateGenerator => Some(Self::LateGenerator),
            Yield::WaitedForCore => Some(Self::WaitedForCore),
            Yield::Work | Yield::OnlyFailures | Yield::Nothing => None,
        }
    }
}

/// What a search has found of one workload on one target.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchResult {
    /// Name of the workload.
    pub workload: String,
    /// Name of the target.
    pub target: String,
    /// The objective, as it is written.
    pub slo: String,
    /// The highest rate that held, as far as it is known.
    pub found: HighestRate,
    /// Rates between what held and what failed that were tried and could not be decided,
    /// operations a second, in ascending order.
    pub undecided: Vec<f64>,
    /// The search ended because the load generator was late with too many requests, probe after
    /// probe.
    pub ended_late: bool,
    /// Every probe, in the order of the run, without those cut short.
    pub probes: Vec<ProbeResult>,
    /// How far that can be trusted.
    pub trust: Trust,
}

/// One probe.
#[derive(Debug, Clone, PartialEq)]
pub struct ProbeResult {
    /// Position of its slice in the run, from 0.
    pub slice: u32,
    /// Operations a second that were offered.
    pub rate: f64,
    /// What it was for.
    pub purpose: Purpose,
    /// Length, seconds.
    pub seconds: f64,
    /// What it showed by itself. Whether a rate held follows from all probes at it.
    pub judged: Judged,
    /// Why it does not count against the target although it missed a limit; `None` if it counts.
    pub void: Option<Void>,
    /// Share of a core that the busiest generator thread used.
    pub busiest_thread: f64,
    /// Median service time of requests, seconds.
    pub service: Option<f64>,
    /// Longest service time of a request, seconds.
    pub slowest_service: Option<f64>,
    /// 99th percentile of what they waited to be sent, seconds.
    pub lag: Option<f64>,
    /// The commonest way to fail, in words; `None` when nothing failed.
    pub failure: Option<String>,
}

impl SearchResult {
    /// Lowers the trust to what the findings leave of it.
    pub(crate) fn trust_after(&mut self, findings: &[Finding]) {
        let target = [self.target.as_str()];
        let concerns = |finding: &&Finding| finding.concerns(&self.workload, &target);
        self.trust = Trust::after(findings.iter().filter(concerns));
    }

    /// The probe that failed at the lowest rate known to fail, the last of them.
    pub fn limiting(&self) -> Option<&ProbeResult> {
        let failed = self.found.failed()?;
        let mut probes = self.probes.iter().rev();
        probes.find(|p| p.rate == failed && !p.judged.held && p.void.is_none())
    }

    /// Whether the generator had little left when the limit was missed.
    pub fn may_be_the_generator(&self) -> bool {
        self.limiting()
            .is_some_and(|probe| probe.busiest_thread > BUSY_GENERATOR)
    }

    /// Whether the target was no slower when the limit was missed than before, not even in its
    /// slowest responses, and requests waited for a free connection instead.
    pub fn may_be_the_connections(&self) -> bool {
        let quickest = self.probes.iter().filter_map(|probe| probe.service);
        let Some(quickest) = quickest.reduce(f64::min) else {
            return false;
        };
        self.limiting().is_some_and(|probe| {
            let as_quick = |service: f64| service < quickest * AS_QUICK;
            let waited = probe.lag.is_some_and(|lag| lag > quickest);
            // Requests that wait while the target pauses do so because of the pause.
            let paused = match (probe.slowest_service, probe.lag) {
                (Some(slowest), Some(lag)) => slowest >= lag / 2.0,
                _ => false,
            };
            probe.service.is_some_and(as_quick) && waited && !paused
        })
    }

    /// How many probes missed a limit for this reason without counting against the target.
    pub(crate) fn voided(&self, cause: Void) -> usize {
        let probes = self.probes.iter();
        probes.filter(|probe| probe.void == Some(cause)).count()
    }

    /// What was missed at the lowest rate that failed, in words.
    pub fn missed(&self) -> Option<String> {
        let (limits, others) = self.limiting()?.misses();
        Some([limits, others].concat().join(", "))
    }
}

impl ProbeResult {
    /// The limits of the objective that were missed, and what else was wrong, as
    /// clauses: nobody who gave no limit of errors is told that it was missed.
    pub(crate) fn misses(&self) -> (Vec<String>, Vec<String>) {
        let (mut limits, mut others) = (Vec::new(), Vec::new());
        for missed in self.judged.missed() {
            if missed.asked {
                limits.push(missed.limit.clone());
            } else if missed.limit == KEEPS_UP {
                others.push("it did not keep up".to_owned());
            } else {
                others.push(match missed.seen {
                    Some(share) => format!("{} of the operations failed", percent(share)),
                    None => "nothing came to an end".to_owned(),
                });
            }
        }
        (limits, others)
    }
}

/// What the searches of the plan have found, by workload and target. From the slices
/// alone: a run read from its directory gives what the live one gave.
pub fn search_results(plan: &Plan, slices: &[Slice]) -> Vec<SearchResult> {
    let mut results = Vec::new();
    for workload in &plan.workloads {
        let Some(search) = workload.search() else {
            continue;
        };
        for target in &plan.targets {
            let mut mine: Vec<&Slice> = slices
                .iter()
                .filter(|slice| slice.workload == workload.name && slice.target == target.name)
                .collect();
            mine.sort_by_key(|slice| slice.index);
            let (probes, history): (Vec<ProbeResult>, Vec<Probe>) = mine
                .into_iter()
                .filter_map(|slice| probe(slice, search))
                .unzip();
            let known = Search::after(&history);
            results.push(SearchResult {
                workload: workload.name.clone(),
                target: target.name.clone(),
                slo: search.slo.to_string(),
                found: known.as_ref().map_or(HighestRate::Unknown, Search::found),
                undecided: known.as_ref().map_or(Vec::new(), Search::undecided),
                ended_late: known.as_ref().is_some_and(Search::is_late),
                probes,
                trust: Trust::Valid,
            });
        }
    }
    results
}

fn probe(slice: &Slice, search: &RateSearch) -> Option<(ProbeResult, Probe)> {
    let (probe, judged) = evidence::probe(slice, &search.slo)?;
    let result = ProbeResult {
        slice: slice.index,
        rate: probe.rate,
        purpose: probe.purpose,
        seconds: slice.seconds,
        judged,
        void: Void::of(probe.ended),
        busiest_thread: slice.client.busiest_thread,
        service: quantile(slice, 0.5, |op| &op.service),
        slowest_service: quantile(slice, 1.0, |op| &op.service),
        lag: quantile(slice, 0.99, |op| &op.lag),
        failure: failure(slice),
    };
    Some((result, probe))
}

/// The commonest class of error, or the status if that is what was wrong.
fn failure(slice: &Slice) -> Option<String> {
    let mut classes: BTreeMap<ErrorClass, u64> = BTreeMap::new();
    let mut statuses: BTreeMap<u16, u64> = BTreeMap::new();
    for op in slice.requests() {
        for (class, count) in &op.errors {
            *classes.entry(*class).or_default() += count;
        }
        for (status, count) in &op.statuses {
            *statuses.entry(*status).or_default() += count;
        }
    }
    classes.retain(|_, count| *count > 0);
    let (class, _) = classes.into_iter().max_by_key(|(_, count)| *count)?;
    let commonest = statuses.into_iter().max_by_key(|(_, count)| *count);
    Some(match commonest {
        // Which statuses are wrong is up to the plan: where something else was right
        // as well, only the class is sure.
        Some((status, _)) if class == ErrorClass::Status && slice.ok() == 0 => {
            format!("status {status}")
        }
        _ => class.name().to_owned(),
    })
}

/// Over all requests, seconds; `None` when there was none.
fn quantile(slice: &Slice, q: f64, of: fn(&OpFigures) -> &PackedHistogram) -> Option<f64> {
    let all = merged(slice.requests().map(of));
    Some(quantile_ns(&all, q)? as f64 / 1e9)
}

#[cfg(test)]
pub(crate) mod tests {
    use tenbin_plan::{Arrivals, Pace};
    use tenbin_record::RateProbe;

    use super::*;
    use crate::testing::Run;

    /// Targets that answer in 2 ms up to a rate and in 50 ms above it.
    pub(crate) fn searched(targets: &[(&str, f64)]) -> Run {
        let names: Vec<&str> = targets.iter().map(|(name, _)| *name).collect();
        let mut run = Run::new(&names, &["get"], 1).open_loop();
        run.plan.workloads[0].load.pace = Pace::Search(RateSearch {
            slo: "p99<10ms".parse().unwrap(),
            from: None,
            arrivals: Arrivals::Poisson,
        });
        let blank = run.slices[0].clone();
        run.slices.clear();
        let mut finder = Finder::new(&run.plan);
        for at in 0..targets.len() {
            finder.begin(0, at, 100.0);
        }
        let mut more = true;
        while more {
            more = false;
            for (at, (name, most)) in targets.iter().enumerate() {
                let Some(wish) = finder.next(0, at) else {
                    continue;
                };
                more = true;
                let mut slice = blank.clone();
                slice.target = (*name).to_owned();
                slice.index = run.slices.len() as u32;
                slice.seconds = wish.slices;
                slice.probe = Some(RateProbe {
                    rate: wish.rate,
                    proof: wish.proof,
                });
                let time = if wish.rate <= *most { 0.002 } else { 0.050 };
                crate::testing::Made(&mut slice).answers((wish.rate * wish.slices) as u64, time);
                finder.learn(0, at, &slice);
                run.slices.push(slice);
            }
        }
        run
    }

    #[test]
    fn live_and_from_disk_the_same_is_found() {
        let run = searched(&[("a", 1_000.0)]);
        let found = &search_results(&run.plan, &run.slices)[0];
        let HighestRate::Proven {
            rate,
            failed: Some(failed),
        } = found.found
        else {
            panic!("{found:?}");
        };
        assert!(rate <= 1_000.0 && 1_000.0 < failed && failed / rate < 1.031);
        assert_eq!(found.missed().as_deref(), Some("p99<10ms"));
        assert_eq!(found.probes.len(), run.slices.len());
        let killed = &run.slices[..4];
        let early = &search_results(&run.plan, killed)[0];
        assert_eq!(early.found.rate(), Some(800.0));
        assert!(matches!(
            early.found,
            HighestRate::AtLeast { failed: None, .. }
        ));
    }

    #[test]
    fn a_probe_cut_short_says_nothing() {
        let mut run = searched(&[("a", 1_000.0)]);
        run.slices.truncate(3);
        crate::testing::Made(&mut run.slices[2]).cut_short();
        let found = &search_results(&run.plan, &run.slices)[0];
        assert_eq!(found.probes.len(), 2);
        assert_eq!(found.found.rate(), Some(200.0));
    }

    #[test]
    fn only_the_proof_is_in_the_figures_and_nothing_is_compared_by_latency() {
        let run = searched(&[("a", 1_000.0), ("b", 2_000.0)]);
        let assessment = run.assess();
        assert_eq!(assessment.comparisons, []);
        for figures in &assessment.figures {
            assert_eq!(figures.slices, 1);
            assert!(figures.operations[0].p99.unwrap().value < 0.01);
        }
    }
}
