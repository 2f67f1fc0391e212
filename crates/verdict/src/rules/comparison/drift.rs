//! Targets that become faster or slower within the quads.

use tenbin_plan::Workload;
use tenbin_record::Slice;
use tenbin_result::format::{percent, plural};
use tenbin_result::{Cause, Finding, Severity};
use tenbin_stats::{CONFIDENCE, Drift, drift, quad_drift};

use crate::compare::metric::Metric;
use crate::evidence::{Evidence, is_closed};
use crate::findings::rule_info::RuleInfo;

/// Change from the first to the last slice of a quad above which there is a finding.
const NOTICEABLE: f64 = 0.02;

/// Change within a quad above which the drift is seldom linear, so that quads may not cancel it.
const LARGE: f64 = 0.20;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "drift",
    summary: "a target became faster or slower while it was measured",
    severities: &[Severity::Note, Severity::Suspect],
    explanation: include_str!("drift.md"),
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let workloads = evidence.plan.workloads.iter();
    workloads
        .filter_map(|workload| {
            let found = test(workload, evidence.slices)?;
            let across = found.across_quad();
            (found.is_significant() && across.abs() > NOTICEABLE).then(|| Finding {
                rule: RULE.name.to_owned(),
                severity: if across.abs() > LARGE {
                    Severity::Suspect
                } else {
                    Severity::Note
                },
                cause: Cause::Setup,
                workload: Some(workload.name.clone()),
                target: None,
                evidence: format!(
                    "from the first to the last slice of a quad, the primary metric of the same \
                     target changes by {} ({})",
                    percent(across),
                    plural(found.per_slice.n, "quad")
                ),
                advice: "the order of the slices cancels a steady change; to avoid it, use a \
                         longer --warmup, a fresh data set or a fixed CPU frequency"
                    .to_owned(),
            })
        })
        .collect()
}

fn test(workload: &Workload, slices: &[Slice]) -> Option<Drift> {
    drift(&per_quad(workload, slices, quad_drift), CONFIDENCE)
}

/// One value per quad of a workload, computed by `of` from the default primary metrics of the four
/// slices: first those of the first and last slice, which belong to one target, then those of the
/// two middle slices.
pub(crate) fn per_quad(
    workload: &Workload,
    slices: &[Slice],
    of: fn([f64; 2], [f64; 2]) -> Option<f64>,
) -> Vec<f64> {
    let Some(metric) = Metric::of_load(is_closed(workload)).first() else {
        return Vec::new();
    };
    let mut mine: Vec<&Slice> = slices
        .iter()
        .filter(|slice| slice.workload == workload.name && !slice.cut_short)
        .collect();
    mine.sort_by_key(|slice| (slice.block, slice.index));
    mine.chunk_by(|a, b| a.block == b.block)
        .filter_map(|block| {
            let (outer, inner) = figures_of_quad(*metric, block)?;
            of(outer, inner)
        })
        .collect()
}

/// The figures (outer slices, inner slices) of an ABBA or BAAB quad; `None` for any other block.
fn figures_of_quad(metric: Metric, block: &[&Slice]) -> Option<([f64; 2], [f64; 2])> {
    let [first, second, third, last] = block else {
        return None;
    };
    let outer_same = first.target == last.target;
    let inner_same = second.target == third.target;
    if !outer_same || !inner_same || first.target == second.target {
        return None;
    }
    let value = |slice: &Slice| metric.of_block(&[slice])?.first().copied();
    Some((
        [value(first)?, value(last)?],
        [value(second)?, value(third)?],
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    fn drifting(per_slice: f64) -> Run {
        let mut run = Run::pair(8);
        let mut position = 0;
        run.each(|slice| {
            let level = 1.0 + per_slice * f64::from(position % 4);
            slice.answers((1_000.0 * level) as u64, 0.002 / level);
            position += 1;
        });
        run
    }

    #[test]
    fn fires_when_every_quad_slows_down() {
        let findings = drifting(-0.03).findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Note);
        let findings = drifting(-0.09).findings(&RULE);
        assert_eq!(findings[0].severity, Severity::Suspect);
    }

    #[test]
    fn silent_when_it_is_small_or_a_difference_between_the_targets() {
        assert_eq!(drifting(0.004).findings(&RULE), []);
        let mut run = Run::pair(8);
        run.each_of("b", |slice| slice.answers(1_300, 0.002 / 1.3));
        assert_eq!(run.findings(&RULE), []);
    }
}
