//! Findings, verdicts and figures of a run.

use tenbin_plan::Plan;
use tenbin_record::{Environment, Integrity, Slice};
use tenbin_result::{
    AbsoluteTrust, AgentRatios, AgentResult, ConcurrencySweep, ConcurrencySweepComparison,
    Expectation, Finding, Gate, Limit, NodeScaling, Optimum, PercentileRatios, RateComparison,
    ResultOf, Search, Trust, UseCase,
};

use crate::agents::{agent_ratios, agent_results};
use crate::cell::cells;
use crate::compare::comparison::Comparison;
use crate::compare::{Compared, compare_all};
use crate::concurrency_sweep::{compare_concurrency_sweeps, concurrency_sweeps};
use crate::evidence::Evidence;
use crate::expected::expected;
use crate::figures::figures_of;
use crate::figures::percentiles::percentile_ratios;
use crate::figures::use_case::use_cases;
use crate::findings::explained::without_explained;
use crate::findings::flags::{Flag, flags};
use crate::findings::gathered::gather;
use crate::findings::precedence;
use crate::findings::trust::trust_in;
use crate::gate::gate;
use crate::limit::limits;
use crate::max_rate::{SearchResult, compare_rates, search_results};
use crate::rules::{ABSOLUTE_FIGURES, RULES};
use crate::sustained::{stretches, withhold};
use crate::sweep::nodes::node_scaling;
use crate::sweep::optima;

/// Findings, verdicts and figures of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Assessment {
    /// Trust in the numbers of the run; the worst finding decides.
    pub trust: Trust,
    /// Trust in absolute figures: never higher than `trust`.
    pub absolute: AbsoluteTrust,
    /// The findings in the order of the report: first findings that make the numbers unusable, then
    /// findings on the work, causes, conditions on the machines, precision and results.
    pub findings: Vec<Finding>,
    /// Comparisons of challengers with the baseline, ordered by workload, then by metric (the
    /// primary metric first), then by challenger.
    pub comparisons: Vec<Comparison>,
    /// Comparisons of targets over all levels of a sweep together: one per sweep and challenger,
    /// ordered by sweep, then by challenger.
    pub curves: Vec<Comparison>,
    /// Comparisons of workloads with the first workload on the same target, ordered by target,
    /// workload and metric. Empty unless the plan compares workloads.
    pub workload_comparisons: Vec<Comparison>,
    /// Ratio of every challenger to the baseline at several percentiles.
    pub percentile_ratios: Vec<PercentileRatios>,
    /// The figures of each workload on each target.
    pub figures: Vec<ResultOf>,
    /// What limited each workload on each target.
    pub limits: Vec<Limit>,
    /// Which target suits which use case of an object store.
    pub use_cases: Vec<UseCase>,
    /// The result of every expectation of the plan.
    pub expected: Vec<Expectation>,
    /// The result of the plan's gate.
    pub gate: Option<Gate>,
    /// The optimum value of every parameter sweep, for each workload.
    pub optima: Vec<Optimum>,
    /// The throughput gain from additional nodes, by cluster and workload.
    pub nodes: Vec<NodeScaling>,
    /// Slices flagged as unusual: many failures, a busy load generator, or an outlying figure.
    pub flags: Vec<Flag>,
    /// The maximum throughput of each target in each concurrency sweep.
    pub concurrency_sweeps: Vec<ConcurrencySweep>,
    /// The maximum throughput of each challenger compared with the baseline.
    pub concurrency_sweep_comparisons: Vec<ConcurrencySweepComparison>,
    /// The results of the maximum-rate searches, by workload and target.
    pub searches: Vec<Search>,
    /// The highest rate of each challenger compared with the baseline.
    pub rate_comparisons: Vec<RateComparison>,
    /// The part of each agent in the figures; empty with fewer than two agents.
    pub agents: Vec<AgentResult>,
    /// The ratios of challengers to the baseline by agent; empty with fewer than two agents.
    pub agent_ratios: Vec<AgentRatios>,
}

impl Assessment {
    /// The comparisons that use the primary metric of the workload.
    pub fn primary(&self) -> impl Iterator<Item = &Comparison> {
        self.comparisons
            .iter()
            .filter(|comparison| comparison.primary)
    }
}

/// What was measured after the rounds, in order.
#[derive(Debug, Clone, Copy, Default)]
pub struct AfterRounds<'a> {
    /// The continuous load.
    pub sustained: &'a [Slice],
    /// The probes with other numbers of connections.
    pub limit_probes: &'a [Slice],
}

/// Compares the targets of a run, judges the run by every rule, and computes its figures.
///
/// `after`: what was measured after the rounds. `complete`: whether the run reached its planned end. `environment`: the load generator's machine
/// and the targets' versions. `integrity`: whether the files are unchanged since the run wrote
/// them. The trust in a comparison follows from the findings about the comparison; the trust in the
/// run follows from all findings.
pub fn assess(
    plan: &Plan,
    slices: &[Slice],
    after: AfterRounds<'_>,
    complete: bool,
    environment: &Environment,
    integrity: &Integrity,
) -> Assessment {
    let cells = cells(plan, slices);
    let stretches = stretches(plan, &cells, after.sustained);
    let mut compared = compare_all(plan, slices);
    withhold(&mut compared, &stretches);
    let Compared {
        targets: mut comparisons,
        mut curves,
        workloads: mut workload_comparisons,
    } = compared;
    let evidence = Evidence {
        plan,
        slices,
        cells: &cells,
        stretches: &stretches,
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
    let limits = limits(&evidence, after.limit_probes, &findings);

    settle_targets(&mut comparisons, &findings);
    settle_curves(&mut curves, &comparisons);
    settle_workloads(&mut workload_comparisons, &findings);
    let mut searches = search_results(plan, slices);
    searches
        .iter_mut()
        .for_each(|search| search.trust_after(&findings));
    let concurrency_sweeps = concurrency_sweeps(plan, slices, &findings);
    Assessment {
        percentile_ratios: percentile_ratios(plan, slices, &comparisons),
        nodes: node_scaling(plan, slices, &findings),
        concurrency_sweep_comparisons: compare_concurrency_sweeps(
            plan, slices, &concurrency_sweeps,
        ),
        concurrency_sweeps,
        rate_comparisons: compare_rates(plan, &searches),
        agents: agent_results(plan, slices, environment),
        agent_ratios: agent_ratios(plan, slices, environment),
        searches: searches.iter().map(SearchResult::document).collect(),
        trust: Trust::after(&findings),
        absolute: absolute_trust(&findings),
        expected: expected(plan, slices, &comparisons, &findings),
        gate: gate(plan, slices, &comparisons, &findings),
        optima: optima(plan, slices, &findings),
        flags: flags(plan, slices),
        // Must come last: `gather` removes the workload and the target of merged findings.
        findings: gather(without_explained(findings), plan),
        use_cases: use_cases(plan, &comparisons),
        comparisons,
        curves,
        workload_comparisons,
        limits,
        figures: figures_of(plan, slices, &cells, &stretches, environment),
    }
}

/// Gives each comparison of targets the trust that the findings about both targets leave in its
/// figure.
fn settle_targets(comparisons: &mut [Comparison], findings: &[Finding]) {
    for comparison in comparisons {
        let sides = [comparison.baseline.as_str(), comparison.challenger.as_str()];
        let concerning = findings.iter();
        let concerning = concerning.filter(|it| it.concerns(&comparison.workload, &sides));
        comparison.settle(trust_in(comparison.metric, concerning));
    }
}

/// Gives each sweep the least trust of its levels.
fn settle_curves(curves: &mut [Comparison], comparisons: &[Comparison]) {
    for curve in curves {
        let levels = comparisons.iter().filter(|level| {
            level.primary
                && level.challenger == curve.challenger
                && level.level_of.as_ref() == Some(&curve.workload)
        });
        let trust = levels.map(|level| level.trust).max().unwrap_or_default();
        curve.settle(trust);
    }
}

/// Gives each comparison of workloads the trust that the findings about both workloads leave.
fn settle_workloads(comparisons: &mut [Comparison], findings: &[Finding]) {
    for comparison in comparisons {
        let target = [comparison.workload.as_str()];
        let sides = [&comparison.baseline, &comparison.challenger];
        let concerns = |finding: &&Finding| {
            let mut sides = sides.iter();
            sides.any(|workload| finding.concerns(workload, &target))
        };
        let concerning = findings.iter().filter(concerns);
        comparison.settle(trust_in(comparison.metric, concerning));
    }
}

/// Trust in absolute figures, from all findings and the rule `absolute_figures`. On a busy machine,
/// ratios can be right although absolute figures are wrong.
fn absolute_trust(findings: &[Finding]) -> AbsoluteTrust {
    let mine = || findings.iter().filter(|it| it.rule == ABSOLUTE_FIGURES);
    let because: Vec<String> = mine().map(|it| it.evidence.clone()).collect();
    let data = mine().filter_map(|it| Some(it.data.as_ref()?.evidence.clone()));
    let trust = if because.is_empty() {
        Trust::Valid
    } else {
        Trust::Suspect
    };
    AbsoluteTrust {
        trust: trust.max(Trust::after(findings)),
        because,
        data: data.collect(),
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
