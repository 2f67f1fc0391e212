//! The sentences of a result document as messages, made from its figures.

use tenbin_result::{
    Comparison, ConcurrencySweep, ConcurrencySweepComparison, Document, Expectation, Message,
    MetricName, NodeScaling, NodeStep, Optimum, RateComparison, Search, message,
};

use crate::compare::across::Across;
use crate::compare::curve::LevelOf;
use crate::compare::sentence::Sentence;
use crate::document::conditions;
use crate::findings::messages::clauses;
use crate::max_rate::headline::Place;
use crate::{concurrency_sweep, max_rate, sweep};

/// The verdicts of a run. Optima of sweeps come first: they are the main result of a sweep.
pub fn verdicts(document: &Document) -> Vec<Message> {
    let found = of_comparisons(document);
    if !found.is_empty() {
        return found;
    }
    let expected = of_expectations(&document.expectations);
    vec![expected.unwrap_or_else(|| message!("one-target-measured"))]
}

/// Whether a run has no verdict but its figures: no comparison, search, sweep or condition.
pub(super) fn is_only_figures(document: &Document) -> bool {
    document.expectations.is_empty() && of_comparisons(document).is_empty()
}

/// The verdicts on comparisons, sweeps and searches.
fn of_comparisons(document: &Document) -> Vec<Message> {
    let optima = document.optima.iter();
    let alone = document.comparisons.iter().filter(|c| c.level_of.is_none());
    let compared = document.curves.iter().chain(alone);
    let compared = compared.chain(&document.workload_comparisons);
    optima
        .map(|found| of_optimum(document, found))
        .chain(
            compared
                .filter(|found| found.primary)
                .map(|found| of_comparison(document, found)),
        )
        .chain(
            document
                .concurrency_sweep_comparisons
                .iter()
                .map(of_concurrency_sweep_comparison),
        )
        .chain(document.rate_comparisons.iter().map(of_rates))
        .chain(document.concurrency_sweeps.iter().map(of_concurrency_sweep))
        .chain(
            document
                .searches
                .iter()
                .map(|found| of_search_in_short(document, found)),
        )
        .collect()
}

/// Whether the expectations of a run that compares nothing are met; `None` without expectations.
fn of_expectations(all: &[Expectation]) -> Option<Message> {
    let all_met = || message!("expectations-met", count = all.len());
    let found = match (conditions::not_met(all), conditions::failed(all)) {
        (Some(not_met), Some(failed)) => Some(clauses([not_met, failed])),
        (not_met, failed) => not_met.or(failed),
    };
    let found = found
        .or_else(|| conditions::cannot_tell(all))
        .or_else(|| conditions::not_proven(all));
    (!all.is_empty()).then(|| found.unwrap_or_else(all_met))
}

/// The verdict of a comparison of the document.
pub fn of_comparison(document: &Document, found: &Comparison) -> Message {
    let mut between_workloads = document.workload_comparisons.iter();
    let across = if document.is_curve(found) {
        Across::Levels
    } else if between_workloads.any(|each| std::ptr::eq(each, found)) {
        Across::Workloads
    } else {
        Across::Targets
    };
    let level = found.level_of.as_ref();
    let level = level.map(|sweep| level_of(document, found, sweep));
    Sentence {
        found,
        across,
        level: level.as_ref(),
    }
    .message()
}

fn level_of(document: &Document, found: &Comparison, sweep: &str) -> LevelOf {
    let is_level = |each: &&Comparison| {
        each.level_of.as_deref() == Some(sweep)
            && (&each.challenger, &each.metric) == (&found.challenger, &found.metric)
    };
    let is_curve =
        |each: &&Comparison| each.workload == sweep && each.challenger == found.challenger;
    let curve = document.curves.iter().find(is_curve);
    LevelOf {
        sweep: sweep.to_owned(),
        levels: document.comparisons.iter().filter(is_level).count(),
        differs: curve.is_some_and(|curve| curve.outcome.is_different()),
    }
}

/// The optimum of a parameter sweep.
pub fn of_optimum(document: &Document, found: &Optimum) -> Message {
    let mut comparisons = document.comparisons_of(&found.workload);
    match comparisons
        .find(|each| each.primary)
        .map(|each| &each.metric)
    {
        Some(MetricName::Known(metric)) => sweep::sentence(found, *metric),
        _ => Message::or_text(None, &found.sentence),
    }
}

/// The result of a concurrency sweep.
pub fn of_concurrency_sweep(found: &ConcurrencySweep) -> Message {
    concurrency_sweep::sentence::of_concurrency_sweep(found)
}

/// The comparison of two targets at their highest throughput.
pub fn of_concurrency_sweep_comparison(found: &ConcurrencySweepComparison) -> Message {
    concurrency_sweep::sentence::of_comparison(found)
}

/// The result of a maximum-rate search.
pub fn of_search(found: &Search) -> Message {
    max_rate::sentence::of_search(found)
}

/// The result of a maximum-rate search for headlines and lists: of a search without a decision, its bounds
/// and what to do.
pub fn of_search_in_short(document: &Document, found: &Search) -> Message {
    max_rate::headline::of_search_in_short(found, Place::in_run(document))
}

/// The comparison of the highest rates of two targets.
pub fn of_rates(found: &RateComparison) -> Message {
    max_rate::sentence::of_comparison(found)
}

/// The name of the nodes that a step adds to a cluster: `the first node`, `node 2`.
pub fn of_added_nodes(step: &NodeStep) -> Message {
    sweep::nodes::added(step.nodes, step.against_nodes)
}

/// How throughput scales with the nodes of a cluster.
pub fn of_nodes(found: &NodeScaling) -> Message {
    sweep::nodes::sentence(found)
}

#[cfg(test)]
mod tests {
    use tenbin_result::{ExpectedUnit, Standing};

    use super::*;

    #[test]
    fn an_undecided_condition_is_not_met() {
        let of = |fails_if: bool, standing: Standing| Expectation {
            fails_if,
            condition: "errors>1%".to_owned(),
            target: "a".to_owned(),
            workload: "get".to_owned(),
            unit: ExpectedUnit::Share,
            figure: None,
            extreme: false,
            standing,
            why: None,
            data: None,
        };
        let said = |all: &[Expectation]| of_expectations(all).map(|message| message.id);
        for (fails_if, standing, id) in [
            (true, Standing::CannotTell, "fail-if-undecided"),
            (false, Standing::CannotTell, "expectations-undecided"),
            (true, Standing::Met, "expectations-met"),
            (true, Standing::NotMet, "fail-if-violated"),
            (false, Standing::NotMet, "expectations-violated"),
        ] {
            assert_eq!(said(&[of(fails_if, standing)]).as_deref(), Some(id));
        }
        assert_eq!(said(&[]), None);
    }
}
