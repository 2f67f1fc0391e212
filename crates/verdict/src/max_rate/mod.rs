//! Maximum-rate search: the highest rate at which an objective is met.

mod compare;
mod document;
mod evidence;
mod finder;
pub(crate) mod headline;
mod judge;
mod own_limit;
pub(crate) mod sentence;

use std::collections::BTreeMap;

use tenbin_plan::{Arrivals, Plan, RateSearch};
use tenbin_record::{ErrorClass, OpFigures, PackedHistogram, Slice, merged, quantile_ns};
use tenbin_stats::{MaxRate, Probe, Purpose, Search, Yield};

pub use compare::compare_rates;
pub use finder::{Finder, NextProbe};
pub use judge::{Judged, JudgedLimit, Origin, USUAL_ERRORS, judge};
pub(crate) use own_limit::{OwnLimit, RULE_NAME};

use tenbin_result::{Finding, Message, Trust, Value, message};

use crate::findings::distortion::{Direction, Quantity};
use crate::findings::messages::Messages;
use crate::findings::trust::of_invalid;

/// Why a probe that missed a limit does not count against the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Void {
    /// The load generator sent too many requests late.
    LateGenerator,
    /// Threads of the target or of the load generator waited too long for a core.
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

/// The result of the search for one workload on one target.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchResult {
    /// Name of the workload.
    pub workload: String,
    /// Name of the target.
    pub target: String,
    /// The objective as the plan writes it, such as `p99<10ms`.
    pub slo: String,
    /// The highest rate that held, with the reason if no rate is known to hold.
    pub found: MaxRate,
    /// Undecided rates between the highest rate that held and the lowest rate that failed,
    /// operations per second, in ascending order.
    pub undecided: Vec<f64>,
    /// Whether the search ended because the load generator sent too many requests late in several
    /// consecutive probes.
    pub ended_late: bool,
    /// Every probe in the order of the run, except probes that were cut short.
    pub probes: Vec<ProbeResult>,
    /// Trust in the result, according to the findings.
    pub trust: Trust,
    /// Whether findings make the figures INVALID only because requests may have been delayed: the rates
    /// that held are then valid.
    pub holds_despite_delay: bool,
    /// Whether findings doubt the result for another reason than how the search ended.
    is_doubted_otherwise: bool,
    /// Connections to each host of the target.
    pub(crate) connections: usize,
    /// Whether requests were due at equal distances. A delay then cannot have spread a burst, with which
    /// the target would have failed.
    arrives_evenly: bool,
}

/// The result of one probe.
#[derive(Debug, Clone, PartialEq)]
pub struct ProbeResult {
    /// Position of the probe's slice in the run, from 0.
    pub slice: u32,
    /// Offered operations per second.
    pub rate: f64,
    /// The purpose of the probe.
    pub purpose: Purpose,
    /// Length of the probe, seconds.
    pub seconds: f64,
    /// The judgement of this probe alone; the search decides a rate from several probes.
    pub judged: Judged,
    /// Why the probe missed a limit without counting against the target; `None` if the probe
    /// counts.
    pub void: Option<Void>,
    /// Share of a core that the busiest load generator thread used, 0 to 1.
    pub busiest_thread: f64,
    /// Median service time of requests, seconds.
    pub service: Option<f64>,
    /// Longest service time of a request, seconds.
    pub slowest_service: Option<f64>,
    /// 99th percentile of the send lag, seconds.
    pub lag: Option<f64>,
    /// The most frequent kind of failure; `None` without failures.
    pub failure: Option<String>,
}

impl SearchResult {
    /// Sets the trust that the findings about the workload and the target allow. A fault that can only
    /// delay leaves the rates that held; what failed may have failed because of it, so that the result
    /// is a lower bound.
    pub(crate) fn trust_after(&mut self, findings: &[Finding]) {
        let target = [self.target.as_str()];
        let concerns = |finding: &&Finding| finding.concerns(&self.workload, &target);
        let concerning = || findings.iter().filter(concerns);
        let trust = Trust::after(concerning());
        self.holds_despite_delay = self.arrives_evenly
            && trust == Trust::Invalid
            && of_invalid(Quantity::Speed, concerning()) == Some(Direction::Worse)
            && self.found.rate().or_else(|| self.held_once()).is_some();
        self.is_doubted_otherwise = own_limit::are_about_more(concerning());
        self.trust = if self.holds_despite_delay {
            Trust::Suspect
        } else {
            trust
        };
    }

    /// The last probe that missed a limit at the lowest rate that failed, without void probes.
    pub fn limiting(&self) -> Option<&ProbeResult> {
        let failed = self.found.failed()?;
        let mut probes = self.probes.iter().rev();
        probes.find(|p| p.rate == failed && !p.judged.held && p.void.is_none())
    }

    /// Number of probes that are void because of `cause`.
    pub(crate) fn voided(&self, cause: Void) -> usize {
        let probes = self.probes.iter();
        probes.filter(|probe| probe.void == Some(cause)).count()
    }

    /// The limits that the [`limiting`](Self::limiting) probe missed, in words; `None` without a
    /// limiting probe.
    pub fn missed(&self) -> Option<String> {
        let (limits, others) = self.limiting()?.misses(self.own_limit());
        let others = others.iter().map(|other| Messages::NONE.in_english(other));
        Some(
            limits
                .into_iter()
                .chain(others)
                .collect::<Vec<_>>()
                .join(", "),
        )
    }
}

impl ProbeResult {
    /// The missed limits of the objective, and the other missed limits, as clauses. `own`: the limit
    /// of Tenbin that may be the cause.
    pub(crate) fn misses(&self, own: Option<OwnLimit>) -> (Vec<String>, Vec<Message>) {
        let (mut limits, mut others) = (Vec::new(), Vec::new());
        for missed in self.judged.missed() {
            match (missed.origin, missed.seen) {
                (Origin::Objective, _) => limits.push(missed.limit.clone()),
                (Origin::KeepsUp, _) => others.push(own_limit::fell_behind(own)),
                (Origin::UsualErrors, Some(share)) => {
                    others.push(message!("search-errors", share = Value::Share(share)));
                }
                (Origin::UsualErrors, None) => others.push(message!("search-nothing-ended")),
            }
        }
        (limits, others)
    }
}

/// The results of the maximum-rate searches of the plan, by workload and target. The results depend
/// only on the plan and the slices: a run read from disk has the same results as the live run.
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
                found: known.as_ref().map_or(MaxRate::Unknown, Search::found),
                undecided: known.as_ref().map_or(Vec::new(), Search::undecided),
                ended_late: known.as_ref().is_some_and(Search::is_late),
                probes,
                trust: Trust::Valid,
                holds_despite_delay: false,
                is_doubted_otherwise: false,
                connections: workload.load.connections,
                arrives_evenly: search.arrivals == Arrivals::Constant,
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
        seconds: slice.end.seconds,
        judged,
        void: Void::of(probe.ended),
        busiest_thread: slice.client.busiest_thread,
        service: quantile(slice, 0.5, |op| &op.times.service),
        slowest_service: quantile(slice, 1.0, |op| &op.times.service),
        lag: quantile(slice, 0.99, |op| &op.times.lag),
        failure: failure(slice),
    };
    Some((result, probe))
}

/// The most frequent class of error; `None` without errors. If this class is `status` and no
/// operation succeeded, returns the most frequent status instead.
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
        // The plan decides which statuses are errors, so the most frequent status is certainly an
        // error only if no operation succeeded.
        Some((status, _)) if class == ErrorClass::Status && slice.ok() == 0 => {
            format!("status {status}")
        }
        _ => class.name().to_owned(),
    })
}

/// The quantile `q` over all requests, seconds; `None` without requests.
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

    /// `targets` holds (name, rate in operations per second). Up to the rate, the service time of
    /// the target is 2 ms; above the rate, 50 ms.
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
                let Some(next) = finder.next(0, at) else {
                    continue;
                };
                more = true;
                let mut slice = blank.clone();
                slice.target = (*name).to_owned();
                slice.index = run.slices.len() as u32;
                slice.end.seconds = next.slices;
                slice.probe = Some(RateProbe {
                    rate: next.rate,
                    proof: next.proof,
                });
                let time = if next.rate <= *most { 0.002 } else { 0.050 };
                crate::testing::Made(&mut slice).answers((next.rate * next.slices) as u64, time);
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
        let MaxRate::Proven {
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
        assert!(matches!(early.found, MaxRate::AtLeast { failed: None, .. }));
    }

    #[test]
    fn a_probe_that_was_cut_short_is_ignored() {
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

    #[test]
    fn names_only_what_was_asked_and_missed() {
        let mut run = searched(&[("a", 0.0)]);
        let said = |run: &Run| {
            let found = search_results(&run.plan, &run.slices).remove(0);
            (found.document().sentence, found.missed().unwrap())
        };
        assert!(
            said(&run).0.contains("/s missed p99<10ms"),
            "{:?}",
            said(&run)
        );
        run.each(|slice| {
            slice.answers(1_000, 0.050);
            slice.backlog(5_000);
        });
        let (sentence, missed) = said(&run);
        assert!(
            sentence.contains("/s missed p99<10ms, and the target did not keep up"),
            "{sentence}"
        );
        assert_eq!(missed, "p99<10ms, the target did not keep up");
        run.each(|slice| {
            slice.answers(980, 0.002);
            slice.fail(ErrorClass::Status, 20);
            slice.backlog(0);
        });
        let (sentence, _) = said(&run);
        assert!(
            sentence.contains("/s missed p99<10ms, and 2 % of the operations failed"),
            "{sentence}"
        );
    }
}
