//! Comparison of the highest rates of targets.

use tenbin_plan::Plan;
use tenbin_result::{RateComparison, Trust};

use super::{SearchResult, sentence};
use crate::findings::messages::Messages;

/// Compares every challenger with the baseline for every maximum-rate search of the plan.
pub fn compare_rates(plan: &Plan, results: &[SearchResult]) -> Vec<RateComparison> {
    let Some(baseline) = plan.baseline() else {
        return Vec::new();
    };
    let mut comparisons = Vec::new();
    for workload in plan.workloads.iter().filter(|work| work.search().is_some()) {
        let of = |target: &str| {
            let mut all = results.iter();
            all.find(|result| result.workload == workload.name && result.target == target)
        };
        for challenger in plan.challengers() {
            let (Some(a), Some(b)) = (of(&baseline.name), of(&challenger.name)) else {
                continue;
            };
            let ends = |result: &SearchResult| Some((result.found.rate()?, result.found.failed()?));
            let bracket = ends(a).zip(ends(b));
            let mut found = RateComparison {
                workload: workload.name.clone(),
                baseline: baseline.name.clone(),
                challenger: challenger.name.clone(),
                ratio: a.found.rate().zip(b.found.rate()).map(|(a, b)| b / a),
                low: bracket.map(|((_, a_failed), (b_held, _))| b_held / a_failed),
                high: bracket.map(|((a_held, _), (_, b_failed))| b_failed / a_held),
                trust: trust_in_ratio(a, b),
                sentence: String::new(),
            };
            found.sentence = Messages::NONE.in_english(&sentence::of_comparison(&found));
            comparisons.push(found);
        }
    }
    comparisons
}

/// The trust in the ratio of two highest rates. A rate that held despite a delay is a lower bound, and
/// the ratio of two lower bounds tells nothing.
fn trust_in_ratio(a: &SearchResult, b: &SearchResult) -> Trust {
    if a.holds_despite_delay || b.holds_despite_delay {
        return Trust::Invalid;
    }
    a.trust.max(b.trust)
}

#[cfg(test)]
mod tests {
    use super::super::search_results;
    use super::super::tests::searched;
    use super::*;

    #[test]
    fn the_bracket_holds_the_true_ratio() {
        let run = searched(&[("a", 1_000.0), ("b", 1_700.0)]);
        let results = search_results(&run.plan, &run.slices);
        let found = compare_rates(&run.plan, &results).remove(0);
        let (low, high) = found.low.zip(found.high).unwrap();
        assert!(low <= 1.7 && 1.7 <= high, "{low} {high}");
        assert!(high / low < 1.07);
        assert!(low <= found.ratio.unwrap() && found.ratio.unwrap() <= high);
    }

    #[test]
    fn two_lower_bounds_have_no_ratio() {
        let run = searched(&[("a", 1_000.0), ("b", 1_700.0)]);
        let mut results = search_results(&run.plan, &run.slices);
        results[0].holds_despite_delay = true;
        let found = compare_rates(&run.plan, &results).remove(0);
        assert_eq!(found.trust, Trust::Invalid);
        assert!(
            found.sentence.starts_with("no verdict"),
            "{}",
            found.sentence
        );
    }

    #[test]
    fn the_baseline_of_the_plan_is_the_base_and_its_twin_is_no_challenger() {
        let mut run = searched(&[("a", 1_000.0), ("b", 1_700.0), ("b-twin", 1_700.0)]);
        run.plan.comparing.baseline = 1;
        run.plan.comparing.twin = Some(2);
        let results = search_results(&run.plan, &run.slices);
        let found = compare_rates(&run.plan, &results);
        let pairs: Vec<[&str; 2]> = found
            .iter()
            .map(|each| [each.baseline.as_str(), each.challenger.as_str()])
            .collect();
        assert_eq!(pairs, [["b", "a"]]);
        assert!(found[0].ratio.unwrap() < 1.0);
    }

    #[test]
    fn an_open_end_leaves_no_bracket() {
        let mut run = searched(&[("a", 1_000.0), ("b", 1_700.0)]);
        run.slices.truncate(4);
        let results = search_results(&run.plan, &run.slices);
        let found = compare_rates(&run.plan, &results).remove(0);
        assert_eq!(
            (found.ratio, found.low, found.high),
            (Some(1.0), None, None)
        );
        let nothing = search_results(&run.plan, &[]);
        assert_eq!(compare_rates(&run.plan, &nothing)[0].ratio, None);
    }
}
