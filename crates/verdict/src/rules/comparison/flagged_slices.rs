//! Flagged slices that change a ratio.

use tenbin_result::format::{plural, ratio, ratio_ends};
use tenbin_result::{Cause, Finding, Severity};

use crate::compare::comparison::Comparison;
use crate::evidence::Evidence;
use crate::findings::flags::{Flag, flags};
use crate::findings::rule_info::RuleInfo;

/// Maximum number of flagged slices that a finding lists.
const TOLD: usize = 3;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "flagged_slices",
    summary: "the ratio changes if flagged slices are left out",
    severities: &[Severity::Suspect],
    explanation: include_str!("flagged_slices.md"),
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let flags = flags(evidence.plan, evidence.slices);
    let primary = evidence.comparisons.iter().filter(|c| c.primary);
    primary
        .filter_map(|comparison| finding_of(comparison, &flags))
        .collect()
}

fn finding_of(comparison: &Comparison, flags: &[Flag]) -> Option<Finding> {
    let with = comparison.ratio.estimate()?;
    let without = comparison.without_flagged?;
    let apart = (with.value / without.value).ln().abs();
    let half_width = (with.high / with.low).ln() / 2.0;
    if apart <= half_width {
        return None;
    }
    let evidence = format!(
        "the ratio to {} is {} ({}–{}) with all slices and {} ({}) without the blocks of {}",
        comparison.baseline,
        ratio(with.value),
        ratio(with.low),
        ratio(with.high),
        ratio(without.value),
        ratio_ends(without),
        flagged(comparison, flags),
    );
    let advice = "find out what happened in these slices before you use either ratio; the result \
                  contains all slices";
    let (severity, cause) = (Severity::Suspect, Cause::Setup);
    Some(comparison.finding(RULE.name, severity, cause, evidence, advice))
}

/// The flagged slices of baseline and challenger, as `slice 12 of b (its throughput is …)`.
fn flagged(comparison: &Comparison, flags: &[Flag]) -> String {
    let sides = [&comparison.baseline, &comparison.challenger];
    let mine: Vec<&Flag> = flags
        .iter()
        .filter(|flag| flag.workload == comparison.workload && sides.contains(&&flag.target))
        .collect();
    let each = mine
        .iter()
        .take(TOLD)
        .map(|flag| format!("slice {} of {} ({})", flag.slice + 1, flag.target, flag.why));
    let mut text = each.collect::<Vec<_>>().join(", ");
    if mine.len() > TOLD {
        text += &format!(" and {}", plural(mine.len() - TOLD, "more flag"));
    }
    text
}

#[cfg(test)]
mod tests {
    use tenbin_record::ErrorClass;

    use super::*;
    use crate::testing::Run;

    /// A run in which `b` is faster only in the first `flagged` quads, in which the load generator
    /// is busy.
    fn run(flagged: u32) -> Run {
        let mut run = Run::pair(12);
        run.each_of("b", |slice| {
            let noise = 1.0 + f64::from(slice.0.block % 3) * 0.002;
            let share = if slice.0.block < flagged { 1.3 } else { 1.0 };
            slice.answers((10_000.0 * share * noise) as u64, 0.000_2 / share / noise);
            if slice.0.block < flagged {
                slice.busiest_thread(0.99);
            }
        });
        run.each_of("a", |slice| slice.answers(10_000, 0.000_2));
        run
    }

    #[test]
    fn fires_when_flagged_slices_make_the_difference() {
        let findings = run(4).findings(&RULE);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].severity, Severity::Suspect);
        let evidence = &findings[0].evidence;
        assert!(
            evidence.contains("without the blocks of slice"),
            "{evidence}"
        );
        assert!(evidence.contains("more flags"), "{evidence}");
    }

    #[test]
    fn silent_when_they_change_little_or_nothing_is_flagged() {
        assert_eq!(run(0).findings(&RULE), []);
        let mut one = Run::pair(8);
        one.each_of("b", |slice| {
            let share = 1.0 + f64::from(slice.0.block) * 0.004;
            slice.answers((10_000.0 * share) as u64, 0.000_2 / share);
        });
        one.each_of("a", |slice| slice.answers(10_000, 0.000_2));
        one.first_of("b").fail(ErrorClass::Reset, 50);
        assert_eq!(one.findings(&RULE), []);
    }
}
