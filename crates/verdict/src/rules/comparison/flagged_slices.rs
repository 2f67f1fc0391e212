//! Flagged slices that change a ratio.

use tenbin_result::format::{ENGLISH, ratio_ends};
use tenbin_result::{Cause, Finding, Message, Severity, Value, message};

use crate::compare::comparison::Comparison;
use crate::evidence::Evidence;
use crate::findings::flags::{Flag, flags};
use crate::findings::messages::{Messages, interval};
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};

/// Maximum number of flagged slices that a finding lists.
const TOLD: usize = 3;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "flagged_slices",
    summary: Texts {
        english: "the ratio changes if flagged slices are left out",
        japanese: "注意の印がついたスライスを除くと比が変わる",
    },
    severities: &[Severity::Suspect],
    explanation: pages!("flagged_slices"),
    messages: Messages {
        english: r#"
            differs =
                the ratio to { $baseline } is { $with } ({ $low }–{ $high }) with all slices and { $without }
                ({ $interval }) without the blocks of { $slices }{ $more ->
                    [0] {""}
                    [one] {" "}and 1 more flag
                   *[other] {" "}and { $more } more flags
                }
            slice = slice { $slice } of { $target } ({ $why })
            find-out =
                find out what happened in these slices before you use either ratio; the result contains all
                slices
        "#,
        japanese: r#"
            differs =
                { $baseline } に対する比は、全スライスで { $with }({ $low }–{ $high })、{ $slices }{ $more ->
                    [0] {""}
                   *[other] など(ほか { $more } 件)
                }のブロックを除くと { $without }({ $interval })
            slice = { $target } のスライス { $slice }({ $why })
            find-out =
                どちらの比を使う前にも、これらのスライスで何が起きたかを調べる。結果には全スライスを含む
        "#,
    },
    tier: Tier::Circumstance,
    ..RuleInfo::PLAIN
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
    let mine = flags_of(comparison, flags);
    let slices: Vec<Message> = mine.iter().take(TOLD).map(|flag| slice(flag)).collect();
    let differs = message!(
        "differs",
        baseline = &comparison.baseline,
        with = Value::Ratio(with.value),
        low = Value::Ratio(with.low),
        high = Value::Ratio(with.high),
        without = Value::Ratio(without.value),
        interval = interval(without.interval.map(|_| ratio_ends(without, &ENGLISH))),
        slices,
        more = mine.len().saturating_sub(TOLD)
    );
    let (severity, cause) = (Severity::Suspect, Cause::Setup);
    Some(comparison.finding(&RULE, severity, cause, differs, message!("find-out")))
}

/// The flags of baseline and challenger.
fn flags_of<'f>(comparison: &Comparison, flags: &'f [Flag]) -> Vec<&'f Flag> {
    let sides = [&comparison.baseline, &comparison.challenger];
    let flags = flags.iter();
    flags
        .filter(|flag| flag.workload == comparison.workload && sides.contains(&&flag.target))
        .collect()
}

/// `slice 12 of b (its throughput is …)`.
fn slice(flag: &Flag) -> Message {
    message!(
        "slice",
        slice = Value::Plain(u64::from(flag.slice) + 1),
        target = &flag.target,
        why = flag.why.clone()
    )
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
