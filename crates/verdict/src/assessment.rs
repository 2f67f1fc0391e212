//! Findings, verdicts and figures of a run.

use tenbin_plan::Plan;
use tenbin_record::{Environment, Integrity, Slice};
use tenbin_result::{
    AbsoluteTrust, Capacity, CapacityComparison, Expectation, Finding, NodeLadder, Optimum,
    RateComparison, ResultOf, Search, Trust, UseCase,
};

use crate::capacity::{capacities, compare_capacities};
use crate::cell::cells;
use crate::compare::{Compared, compare_all};
use crate::comparison::Comparison;
use crate::evidence::Evidence;
use crate::expected::expected;
use crate::explained::without_explained;
use crate::figures::figures_of;
use crate::flags::{Flag, flags};
use crate::gathered::gather;
use crate::highest_rate::{SearchResult, compare_rates, search_results};
use crate::nodes::node_ladders;
use crate::precedence;
use crate::rules::{ABSOLUTE_FIGURES, RULES};
use crate::sweep::optima;
use crate::use_case::use_cases;

/// Findings, verdicts and figures of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Assessment {
    /// Whether the numbers can be trusted: as far as the worst finding allows.
    pub trust: Trust,
    /// How far absolute figures can be trusted: never more than `trust`.
    pub absolute: AbsoluteTrust,
    /// What was found: what makes the numbers unusable first, then causes before circumstances.
    pub findings: Vec<Finding>,
    /// Which target is faster: by workload, then by metric (the primary one
    /// first), then by challenger.
    pub comparisons: Vec<Comparison>,
    /// Targets over all levels of each sweep, which are one question: by sweep, then by challenger.
    pub curves: Vec<Comparison>,
    /// Workloads against the first of them on each target, as far as the plan compares workloads:
    /// by target, then by workload, then by metric.
    pub workload_comparisons: Vec<Comparison>,
    /// What each target did at each workload.
    pub figures: Vec<ResultOf>,
    /// Which target suits which use of an object store.
    pub use_cases: Vec<UseCase>,
    /// What came of everything that was expected.
    pub expected: Vec<Expectation>,
    /// The optimum of every sweep at every workload.
    pub optima: Vec<Optimum>,
    /// What nodes are worth, by cluster and workload.
    pub nodes: Vec<NodeLadder>,
    /// Slices that something is wrong with.
    pub flags: Vec<Flag>,
    /// What each target can do at most, by ladder of connections.
    pub capacities: Vec<Capacity>,
    /// The challengers at their capacity against the baseline.
    pub capacity_comparisons: Vec<CapacityComparison>,
    /// The highest rates that held, by workload whose rate was searched for.
    pub searches: Vec<Search>,
    /// Those of the challengers against that of the baseline.
    pub rate_comparisons: Vec<RateComparison>,
}

impl Assessment {
    /// The comparisons that decide the workloads.
    pub fn primary(&self) -> impl Iterator<Item = &Comparison> {
        self.comparisons
            .iter()
            .filter(|comparison| comparison.primary)
    }
}

/// Compares, judges and sums up a run.
///
/// `complete` says whether it came to its planned end, `environment` on which machine
/// the generator ran, `integrity` whether what was read is what the run wrote. Each comparison is trusted as far as the findings allow that
/// concern it; the run, as far as all of them.
pub fn assess(
    plan: &Plan,
    slices: &[Slice],
    complete: bool,
    environment: &Environment,
    integrity: &Integrity,
) -> Assessment {
    let Compared {
        targets: mut comparisons,
        mut curves,
        workloads: mut workload_comparisons,
    } = compare_all(plan, slices);
    let cells = cells(plan, slices);
    let evidence = Evidence {
        plan,
        slices,
        cells: &cells,
        comparisons: &comparisons,
        complete,
        cores: environment
            .cores
            .and_then(|cores| usize::try_from(cores).ok()),
        environment,
        integrity,
    };
    let mut findings: Vec<Finding> = RULES
        .iter()
        .flat_map(|rule| rule.judge(&evidence))
        .collect();
    precedence::sort(&mut findings);

    for comparison in &mut comparisons {
        let sides = [comparison.baseline.as_str(), comparison.challenger.as_str()];
        let concerning = findings.iter();
        let trust = Trust::after(concerning.filter(|it| it.concerns(&comparison.workload, &sides)));
        comparison.settle(trust);
    }
    for curve in &mut curves {
        let levels = comparisons.iter().filter(|level| {
            level.primary
                && level.challenger == curve.challenger
                && level.level_of.as_ref() == Some(&curve.workload)
        });
        let trust = levels.map(|level| level.trust).max().unwrap_or_default();
        curve.settle(trust);
    }
    for comparison in &mut workload_comparisons {
        let target = [comparison.workload.as_str()];
        let sides = [&comparison.baseline, &comparison.challenger];
        let concerns = |finding: &&Finding| {
            let mut sides = sides.iter();
            sides.any(|workload| finding.concerns(workload, &target))
        };
        let trust = Trust::after(findings.iter().filter(concerns));
        comparison.settle(trust);
    }
    let mut searches = search_results(plan, slices);
    searches
        .iter_mut()
        .for_each(|search| search.trust_after(&findings));
    let capacities = capacities(plan, slices, &findings);
    Assessment {
        nodes: node_ladders(plan, slices, &findings),
        capacity_comparisons: compare_capacities(plan, slices, &capacities),
        capacities,
        rate_comparisons: compare_rates(plan, &searches),
        searches: searches.iter().map(SearchResult::document).collect(),
        trust: Trust::after(&findings),
        absolute: absolute_trust(&findings),
        expected: expected(plan, slices, &comparisons, &findings),
        optima: optima(plan, slices, &findings),
        flags: flags(plan, slices),
        // Last: until here each finding concerns its own workload and target.
        findings: gather(without_explained(findings), plan),
        use_cases: use_cases(plan, &comparisons),
        comparisons,
        curves,
        workload_comparisons,
        figures: figures_of(plan, slices, &cells, environment),
    }
}

/// As far as the findings and the rule `absolute_figures` allow. On a busy machine a ratio can stand,
/// and absolute figures cannot.
fn absolute_trust(findings: &[Finding]) -> AbsoluteTrust {
    let mine = findings.iter().filter(|it| it.rule == ABSOLUTE_FIGURES);
    let because: Vec<String> = mine.map(|it| it.evidence.clone()).collect();
    let trust = match because.is_empty() {
        true => Trust::Valid,
        false => Trust::Suspect,
    };
    AbsoluteTrust {
        trust: trust.max(Trust::after(findings)),
        because,
    }
}

#[cfg(test)]
mod tests {
    use tenbin_record::ErrorClass;

    use super::*;
    use crate::testing::Run;
    use tenbin_result::Severity;

    #[test]
    fn a_good_run_is_valid() {
        let assessment = Run::pair(8).assess();
        assert_eq!(assessment.trust, Trust::Valid);
        assert_eq!(assessment.findings, []);
        assert_eq!(assessment.primary().count(), 1);
    }

    #[test]
    fn the_worst_finding_decides_the_trust() {
        let mut run = Run::pair(8);
        run.each_of("a", |slice| slice.server_cpu(1.9));
        run.first_of("b").fail(ErrorClass::Reset, 1);
        let assessment = run.assess();
        assert_eq!(assessment.trust, Trust::Suspect);
        assert_eq!(assessment.findings[0].severity, Severity::Suspect);
        assert_eq!(assessment.findings.last().unwrap().severity, Severity::Note);
    }

    #[test]
    fn one_workload_does_not_void_the_others() {
        let mut run = Run::new(&["a", "b"], &["get", "put"], 16);
        run.first_of("b").fail(ErrorClass::Status, 900);
        let assessment = run.assess();
        assert_eq!(assessment.trust, Trust::Invalid);
        let trusts: Vec<Trust> = assessment.primary().map(|c| c.trust).collect();
        assert_eq!(trusts, [Trust::Invalid, Trust::Valid]);
    }

    #[test]
    fn one_target_does_not_void_the_others() {
        let mut run = Run::new(&["a", "b", "c"], &["get"], 16);
        run.first_of("c").fail(ErrorClass::Status, 900);
        let assessment = run.assess();
        let trusts: Vec<Trust> = assessment.primary().map(|c| c.trust).collect();
        assert_eq!(trusts, [Trust::Valid, Trust::Invalid]);
    }

    #[test]
    fn nothing_measured_is_nothing_known() {
        let assessment = Run::pair(8).interrupted(0).assess();
        assert!(assessment.figures.iter().all(|f| f.throughput.is_none()));
        assert!(assessment.primary().all(|c| c.ratio.value().is_none()));
        assert_eq!(assessment.trust, Trust::Invalid);
    }
}
