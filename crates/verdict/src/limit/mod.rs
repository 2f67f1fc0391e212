//! What limited each workload on each target: the cause that predicts best what was seen.

mod causes;
mod observed;
mod quantities;
mod sentence;
mod transfers;

use tenbin_plan::{NoProbes, Plan, Reach, Store};
use tenbin_record::Slice;
use tenbin_result::{Certainty, Finding, FindingData, Limit, Severity};

use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, pages};
use crate::findings::trust::only_slows;
use crate::limit::causes::{CAUSES, LimitCause, Prediction};
use crate::limit::observed::Observed;
use crate::limit::quantities::Quantity;
use crate::rules;
use crate::server::backend::Backends;

/// What `tenbin explain limit` prints.
pub static LIMIT: RuleInfo = RuleInfo {
    name: "limit",
    summary: Texts {
        english: "what limited each workload on each target",
        japanese: "各ワークロードで各ターゲットの限界を決めたもの",
    },
    explanation: pages!("limit"),
    ..RuleInfo::PLAIN
};

/// Least score of a cause that is named.
const FITS: f64 = 0.5;
/// Least score of a cause that is called established.
const FITS_WELL: f64 = 0.75;
/// Least lead over the next cause.
const LEAD: f64 = 0.15;
/// Most candidates that are named if the limit is unknown.
const CANDIDATES: usize = 2;

/// Every cause with what it predicts, as a table in Markdown.
pub fn limit_table() -> String {
    let mut table = String::from("| cause | predicts (weight) |\n|---|---|\n");
    for cause in CAUSES {
        let predicts = cause.predicts.iter().filter(|it| it.weight > 0.0);
        let predicts: Vec<String> = predicts.map(Prediction::describe).collect();
        table += &format!("| `{}` | {} |\n", cause.name, predicts.join("; "));
    }
    table
}

/// Whether a note says what limits a target whose limit is known, in the same or in other words.
pub fn is_told_by_limit(finding: &Finding, limits: &[Limit]) -> bool {
    let rule = rules::named(&finding.rule);
    let is_of_limit = |limit: &&Limit| {
        let same = |name: &Option<String>, of: &String| name.as_ref().is_none_or(|it| it == of);
        same(&finding.workload, &limit.workload) && same(&finding.target, &limit.target)
    };
    finding.severity == Severity::Note
        && rule.is_some_and(|rule| rule.tells_limit)
        && limits
            .iter()
            .find(is_of_limit)
            .is_some_and(|it| it.cause.is_some())
}

/// The limits of a run. `probes` are the slices with other numbers of connections.
/// `findings`: those of the run, some of which say that something else was the limit.
pub(crate) fn limits(
    evidence: &Evidence<'_>,
    probes: &[Slice],
    findings: &[Finding],
) -> Vec<Limit> {
    let backends = Backends::of(evidence);
    let levels = levels(evidence.plan);
    let cells = evidence.cells.iter();
    cells
        .filter(|cell| cell.workload.search().is_none() && !levels.contains(&&*cell.workload.name))
        .filter_map(|cell| {
            let seen = Observed::of(cell, probes, evidence, &backends)?;
            let mut decision = decide(&seen);
            decision.doubt(cell, findings);
            Some(limit(
                cell,
                &seen,
                &decision,
                no_probes(evidence.plan, cell),
            ))
        })
        .collect()
}

/// The workloads that are levels of a concurrency sweep, which has its own section.
fn levels(plan: &Plan) -> Vec<&str> {
    let sweeps = plan.concurrency_sweeps();
    let levels = sweeps.into_iter().flatten();
    levels.map(|at| plan.workloads[at].name.as_str()).collect()
}

/// Why the workload of a cell has no probes; `None` if it has some.
fn no_probes(plan: &Plan, cell: &Cell<'_>) -> Option<NoProbes> {
    let mut workloads = plan.workloads.iter();
    let at = workloads.position(|each| each.name == cell.workload.name)?;
    plan.no_limit_probes(at, plan.rounds.most())
}

/// Whether the target is the access layer of a blobstore, whose other programs do a part of the work.
fn is_blobstore(cell: &Cell<'_>) -> bool {
    let target = cell.target;
    let is_running = matches!(target.reach, Reach::Endpoint { .. });
    let is_blobstore = target.reach.store(target.store) == Store::Blobstore;
    is_running && is_blobstore && cell.workload.facts().is_for_blob_stores()
}

fn limit(
    cell: &Cell<'_>,
    seen: &Observed,
    decision: &Decision,
    no_probes: Option<NoProbes>,
) -> Limit {
    let store = is_blobstore(cell).then(|| sentence::how_to_observe_blobstore(decision, seen));
    let advice = store.flatten();
    let data = FindingData {
        evidence: sentence::evidence(decision, seen),
        advice: advice.unwrap_or_else(|| sentence::advice(decision, seen, no_probes)),
        also: None,
    };
    let (is_known, ranked) = (decision.cause.is_some(), &decision.ranked);
    Limit {
        workload: cell.workload.name.clone(),
        target: cell.target.name.clone(),
        cause: decision.cause.map(|cause| cause.name.to_owned()),
        certainty: decision.certainty,
        candidates: ranked
            .iter()
            .take(CANDIDATES)
            .filter(|(_, score)| !is_known && *score > 0.0)
            .map(|(cause, _)| cause.name.to_owned())
            .collect(),
        figures: seen.by_name(),
        scores: ranked
            .iter()
            .map(|(cause, score)| (cause.name.to_owned(), *score))
            .collect(),
        evidence: Messages::NONE.in_english(&data.evidence),
        advice: Messages::NONE.in_english(&data.advice),
        data: Some(data),
    }
}

/// What was decided.
struct Decision {
    /// The limit; `None` if unknown.
    cause: Option<&'static LimitCause>,
    certainty: Certainty,
    /// Every cause that nothing rules out, with its score, the best first.
    ranked: Vec<(&'static LimitCause, f64)>,
    /// The rule of a finding that says that something else may be the limit.
    doubted_by: Option<&'static str>,
    /// Whether a delay of the load generator or of its machine makes the figures untrusted.
    delayed: bool,
}

impl Decision {
    /// Lowers the certainty of a limit that a finding contradicts.
    fn doubt(&mut self, cell: &Cell<'_>, findings: &[Finding]) {
        let Some(cause) = self.cause else {
            return;
        };
        let target = [cell.target.name.as_str()];
        self.delayed = findings.iter().any(|finding| {
            finding.severity == Severity::Invalid
                && only_slows(finding)
                && finding.concerns(&cell.workload.name, &target)
        });
        let doubting = |finding: &&Finding| {
            finding.severity > Severity::Note && finding.concerns(&cell.workload.name, &target)
        };
        let mut rules = findings
            .iter()
            .filter(doubting)
            .filter_map(|finding| rules::named(&finding.rule));
        let rule = rules
            .find(|rule| !rule.says_limit.is_empty() && !rule.says_limit.contains(&cause.name));
        self.doubted_by = rule.map(|rule| rule.name);
        if self.doubted_by.is_some() {
            self.certainty = self.certainty.min(Certainty::Likely);
        }
    }
}

fn decide(seen: &Observed) -> Decision {
    let scored = CAUSES
        .iter()
        .filter_map(|cause| Some((cause, score(cause, seen)?)));
    let mut ranked: Vec<(&LimitCause, f64)> = scored.collect();
    ranked.sort_by(|one, other| other.1.total_cmp(&one.1));
    let next = ranked.get(1).map_or(f64::NEG_INFINITY, |(_, score)| *score);
    let best = ranked.first().copied();
    let named = best.filter(|(_, score)| *score >= FITS && score - next >= LEAD);
    let certainty = match named {
        None => Certainty::Unknown,
        Some((cause, score)) if score >= FITS_WELL && is_seen_to_change(cause, seen) => {
            Certainty::Established
        }
        Some(_) => Certainty::Likely,
    };
    Decision {
        cause: named.map(|(cause, _)| cause),
        certainty,
        ranked,
        doubted_by: None,
        delayed: false,
    }
}

/// How well a cause predicts what was seen, −1 to 1; unknown quantities count as 0. `None` if
/// something rules it out.
fn score(cause: &LimitCause, seen: &Observed) -> Option<f64> {
    let (mut sum, mut weights) = (0.0, 0.0);
    for prediction in cause.predicts {
        let fit = seen.get(prediction.of).map(|value| prediction.fit(value));
        if prediction.is_ruled_out(fit) {
            return None;
        }
        sum += prediction.weight * fit.unwrap_or(0.0);
        weights += prediction.weight;
    }
    Some(sum / weights)
}

/// Whether the load was changed, and throughput followed or not as the cause predicts. An offered
/// rate that is kept needs no other load; one that is not kept was not changed.
fn is_seen_to_change(cause: &LimitCause, seen: &Observed) -> bool {
    let settling = match seen.get(Quantity::Kept) {
        Some(_) => Quantity::Kept,
        None => Quantity::Doubled,
    };
    let mut predicts = cause.predicts.iter();
    predicts
        .find(|it| it.of == settling && it.establishes)
        .is_some_and(|it| seen.get(settling).is_some_and(|value| it.contains(value)))
}

#[cfg(test)]
mod tests;
