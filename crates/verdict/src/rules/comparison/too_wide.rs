//! Runs whose intervals are too wide for a conclusion.

use tenbin_plan::Plan;
use tenbin_result::{Cause, Finding, Metric, Outcome, Severity, Value, message};

use crate::compare::compare_all;
use crate::compare::comparison::{Comparison, is_question};
use crate::compare::metric::Measure;
use crate::compare::sentence::size;
use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};

/// Half width of the interval of a single target's figure, relative to the figure, above which the
/// interval counts as wide.
const WIDE: f64 = 0.10;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "too_wide",
    summary: Texts {
        english: "the confidence interval is too wide for a verdict",
        japanese: "信頼区間が広すぎて判定できない",
    },
    severities: &[Severity::Note],
    explanation: pages!("too_wide"),
    messages: Messages {
        english: r#"
            comparison = { $interval }; { $outlook }
            interval = the ratio to { $baseline } lies between { $low } and { $high }
            no-interval =
                { $rounds ->
                    [one] 1 complete round gives
                   *[other] { $rounds } complete rounds give
                } no interval
            detectable =
                with { $rounds ->
                    [one] 1 round
                   *[other] { $rounds } rounds
                }, this run would have detected a difference of { $size } or more
            missing =
                all rounds show the same difference, and { $rounds ->
                    [one] 1 round is
                   *[other] { $rounds } rounds are
                } missing for a verdict
            too-few-rounds =
                too few rounds to detect any difference{ $several ->
                    [true] {" "}in { $comparisons } comparisons
                   *[false] {""}
                }
            for-verdict = use --rounds { $rounds } or more for a verdict with the usual confidence
            more-rounds =
                use about --rounds { $rounds } to detect a difference of { $size }, or longer slices, or a
                machine with less other work
            longer-slices =
                use longer slices or a machine with less other work: no reasonable number of rounds would
                detect a difference of { $size }
            wide =
                the { $metric } is known only to ± { $spread } ({ $slices ->
                    [one] 1 slice
                   *[other] { $slices } slices
                })
            too-few-slices =
                { $slices ->
                    [one] 1 slice is
                   *[other] { $slices } slices are
                } too few for an interval of the { $metric }
            single =
                use more --rounds (an interval needs at least 6), longer slices, or a machine with less other
                work
        "#,
        japanese: r#"
            comparison = { $interval }。{ $outlook }
            interval = { $baseline } に対する比は { $low } から { $high } の間
            no-interval = 完全なラウンドが { $rounds } 個では区間を求められない
            detectable = { $rounds } ラウンドのこの実行で検出できるのは { $size } 以上の差
            missing =
                すべてのラウンドが同じ向きの差を示しており、判定にはあと { $rounds } ラウンドが必要
            too-few-rounds =
                ラウンドが少なすぎ、{ $several ->
                    [true] { $comparisons } 個の問いのどの差も検出できない
                   *[false] 差を検出できない
                }
            for-verdict = 通常の信頼水準で判定するには --rounds { $rounds } 以上にする
            more-rounds =
                { $size } の差を検出するには、--rounds { $rounds } 程度にする。またはスライスを長くするか、
                ほかの処理が少ないマシンを使う
            longer-slices =
                スライスを長くするか、ほかの処理が少ないマシンを使う。現実的なラウンド数では { $size } の差を
                検出できない
            wide = { $metric }の精度は ± { $spread } にとどまる({ $slices } スライス)
            too-few-slices = { $slices } スライスでは{ $metric }の区間を求められない
            single =
                --rounds を増やす(区間には 6 以上必要)。またはスライスを長くするか、ほかの処理が少ないマシンを使う
        "#,
    },
    tier: Tier::Precision,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    if evidence.plan.challengers().next().is_none() {
        return if is_one_stretch(evidence.plan) {
            Vec::new()
        } else {
            single(evidence)
        };
    }
    let family = evidence.plan.hypotheses();
    // In a sweep, the curve is judged instead of the levels.
    let sweeps = !evidence.plan.concurrency_sweeps().is_empty();
    let curves = sweeps.then(|| compare_all(evidence.plan, evidence.slices).curves);
    let alone = evidence.comparisons.iter().filter(|c| is_question(c));
    alone
        .chain(curves.iter().flatten().filter(|c| is_question(c)))
        .filter_map(|comparison| of_comparison(comparison, family))
        .collect()
}

/// Whether the plan has a single slice per target, like the command lines of wrk and ab, so that no
/// interval is expected.
fn is_one_stretch(plan: &Plan) -> bool {
    plan.rounds.count == 1 && plan.rounds.until.is_none()
}

fn of_comparison(comparison: &Comparison, family: usize) -> Option<Finding> {
    let Outcome::Inconclusive {
        detectable,
        aim,
        rounds_needed,
        likely,
    } = &comparison.outcome
    else {
        return None;
    };
    let rounds_in = |blocks: u64| blocks.saturating_mul(comparison.rounds_per_block);
    let rounds = rounds_in(comparison.block_ratios.len() as u64);
    let interval = match comparison.ratio.estimate() {
        Some(estimate) => message!(
            "interval",
            baseline = &comparison.baseline,
            low = Value::Ratio(estimate.low),
            high = Value::Ratio(estimate.high)
        ),
        None => message!("no-interval", rounds),
    };
    let missing = likely.map_or(0, |likely| likely.blocks_missing);
    let outlook = match detectable {
        Some(detectable) => message!("detectable", rounds, size = size(*detectable)),
        None if missing > 0 => message!("missing", rounds = rounds_in(missing)),
        None => message!(
            "too-few-rounds",
            several = family > 1,
            comparisons = Value::Plain(family as u64)
        ),
    };
    let advice = match rounds_needed {
        Some(rounds) if likely.is_some() => {
            message!("for-verdict", rounds = Value::Plain(*rounds))
        }
        Some(rounds) => message!(
            "more-rounds",
            rounds = Value::Plain(*rounds),
            size = size(*aim)
        ),
        None => message!("longer-slices", size = size(*aim)),
    };
    let wide = message!("comparison", interval, outlook);
    Some(comparison.finding(&RULE, Severity::Note, Cause::Plan, wide, advice))
}

fn single(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    // The result of a maximum-rate search is a rate, which has its own interval.
    let in_rounds = cells.iter().filter(|cell| cell.workload.search().is_none());
    in_rounds
        .filter_map(|cell| {
            let metric = Metric::primary(evidence.plan, cell.workload);
            let figure = metric.figure(&cell.full());
            figure.value()?;
            let seen = match figure.estimate() {
                Some(estimate) if estimate.relative_spread()? <= WIDE => return None,
                Some(estimate) => message!(
                    "wide",
                    metric = metric.message(),
                    spread = Value::Share(estimate.relative_spread()?),
                    slices = estimate.n
                ),
                None => message!(
                    "too-few-slices",
                    slices = figure.n(),
                    metric = metric.message()
                ),
            };
            let (severity, cause) = (Severity::Note, Cause::Plan);
            let finding = RULE.finding(severity, cause, seen, message!("single"));
            Some(finding.on(&cell.workload.name, &cell.target.name))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    fn noisy(quads: u32) -> Run {
        let mut run = Run::pair(quads);
        run.each_of("b", |slice| {
            let share = if slice.0.block % 2 == 0 { 1.25 } else { 0.85 };
            slice.answers((1_000.0 * share) as u64, 0.002 / share);
        });
        run
    }

    #[test]
    fn names_what_would_have_shown_and_what_it_takes() {
        let findings = noisy(8).findings(&RULE);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].severity, Severity::Note);
        assert_eq!(findings[0].cause, Cause::Plan);
        assert!(
            findings[0]
                .evidence
                .contains("would have detected a difference of"),
            "{findings:?}"
        );
        assert!(findings[0].advice.contains("--rounds"), "{findings:?}");
    }

    #[test]
    fn a_likely_difference_says_what_is_missing() {
        let mut run = Run::pair(5);
        run.each_of("b", |slice| slice.answers(300, 0.002 / 0.3));
        let findings = run.findings(&RULE);
        assert_eq!(
            findings[0].evidence,
            "10 complete rounds give no interval; all rounds show the same difference, and 2 rounds \
             are missing for a verdict"
        );
        assert!(findings[0].advice.starts_with("use --rounds 12 or more"));
    }

    #[test]
    fn of_a_sweep_only_the_curve_is_a_question() {
        let mut run = Run::new(&["a", "b"], &["get-c1", "get-c2", "get-c4"], 16);
        for (at, work) in run.plan.workloads.iter_mut().enumerate() {
            work.load.connections = 1 << at;
        }
        run.each_of("b", |slice| {
            let share = if slice.0.block % 2 == 0 { 1.25 } else { 0.85 };
            slice.answers((1_000.0 * share) as u64, 0.002 / share);
        });
        let findings = run.findings(&RULE);
        let about: Vec<_> = findings.iter().map(|it| it.workload.as_deref()).collect();
        assert_eq!(about, [Some("get")]);
    }

    #[test]
    fn fires_when_there_is_no_interval() {
        let findings = Run::pair(3).findings(&RULE);
        assert!(
            findings[0]
                .evidence
                .starts_with("6 complete rounds give no interval")
        );
        let findings = Run::pair(1).findings(&RULE);
        assert!(
            findings[0]
                .evidence
                .starts_with("2 complete rounds give no interval")
        );
        let mut run = Run::single(8);
        run.slices.truncate(1);
        let findings = run.findings(&RULE);
        assert!(findings[0].evidence.starts_with("1 slice is too few"));
        let findings = Run::single(3).findings(&RULE);
        assert!(findings[0].evidence.starts_with("3 slices are too few"));
    }

    #[test]
    fn a_wide_figure_of_a_single_target_is_noted() {
        let mut run = Run::single(8);
        let mut count = 600;
        run.each_of("a", |slice| {
            count += 100;
            slice.answers(count, 2.0 / count as f64);
        });
        assert_eq!(run.findings(&RULE).len(), 1);
    }

    #[test]
    fn silent_where_one_slice_was_asked_for() {
        assert_eq!(Run::single(1).findings(&RULE), []);
    }

    #[test]
    fn silent_when_the_answer_is_clear() {
        assert_eq!(Run::pair(8).findings(&RULE), []);
        assert_eq!(Run::single(8).findings(&RULE), []);
        let mut run = Run::pair(8);
        run.each_of("b", |slice| slice.answers(1_300, 0.002 / 1.3));
        assert_eq!(run.findings(&RULE), []);
    }
}
