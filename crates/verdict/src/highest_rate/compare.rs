//! The highest rates of targets against each other.

use serde::Serialize;
use tenbin_plan::Plan;

use super::SearchResult;
use tenbin_result::Trust;

/// A challenger's highest rate against that of the baseline.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RateComparison {
    /// Name of the workload.
    pub workload: String,
    /// Name of the target compared with.
    pub baseline: String,
    /// Name of the target that is compared.
    pub challenger: String,
    /// The challenger's highest rate divided by the baseline's; `None` unless both
    /// held at some rate.
    pub ratio: Option<f64>,
    /// The least and the most that it can be, when the limits of both lie between what
    /// held and what failed; `None` where an end is open. A bracket and not an
    /// interval: it holds the steps of the search and not the noise.
    pub bracket: Option<(f64, f64)>,
    /// How far that can be trusted: as far as both rates.
    pub trust: Trust,
}

/// Compares every challenger with the baseline at every search of the plan.
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
            comparisons.push(RateComparison {
                workload: workload.name.clone(),
                baseline: baseline.name.clone(),
                challenger: challenger.name.clone(),
                ratio: a.found.rate().zip(b.found.rate()).map(|(a, b)| b / a),
                bracket: bracket.map(|((a_held, a_failed), (b_held, b_failed))| {
                    (b_held / a_failed, b_failed / a_held)
                }),
                trust: a.trust.max(b.trust),
            });
        }
    }
    comparisons
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
        let (low, high) = found.bracket.unwrap();
        assert!(low <= 1.7 && 1.7 <= high, "{low} {high}");
        assert!(high / low < 1.07);
        assert!(low <= found.ratio.unwrap() && found.ratio.unwrap() <= high);
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
        assert_eq!((found.ratio, found.bracket), (Some(1.0), None));
        let nothing = search_results(&run.plan, &[]);
        assert_eq!(compare_rates(&run.plan, &nothing)[0].ratio, None);
    }
}
