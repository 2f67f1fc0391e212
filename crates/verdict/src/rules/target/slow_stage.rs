//! Server stages that explain the slowest responses.

use tenbin_record::Slice;
use tenbin_result::{Cause, Finding, Severity, StageBand, Value, message};

use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::server::stages::{Means, operations, pooled};
use crate::words::tame;

/// Share of the additional time of the slowest responses from which a stage counts as the cause of
/// their slowness.
const MOST: f64 = 0.50;
/// Minimum number of responses above the 99th percentile, over all slices.
const FEWEST: f64 = 100.0;
/// Minimum share of responses with stage times, among the fastest half and among the slowest 1 %;
/// the stages of other responses are unknown.
const TOLD: f64 = 0.90;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "slow_stage",
    summary: Texts {
        english: "one server stage explains the slowest responses",
        japanese: "サーバー内の 1 つの段階が、最も遅い応答の原因になっている",
    },
    severities: &[Severity::Note],
    explanation: pages!("slow_stage"),
    messages: Messages {
        english: r#"
            slow-stage =
                the slowest hundredth of { $operation } takes { $extra } longer than the fastest
                half, and { $share } of that is the target's stage { $stage }
            find-wait =
                find out what { $stage } waits for in slow requests; faster other stages hardly
                change the 99th percentile
        "#,
        japanese: r#"
            slow-stage =
                { $operation } の最も遅い 1 % は、速い側の半分より { $extra } 長い。
                その { $share } はターゲットの段階 { $stage }
            find-wait =
                遅いリクエストで { $stage } が何を待っているかを調べる。
                ほかの段階を速くしても 99 パーセンタイルはほとんど変わらない
        "#,
    },
    tier: Tier::Cause,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    cells.iter().flat_map(|cell| of_cell(cell)).collect()
}

fn of_cell(cell: &Cell<'_>) -> Vec<Finding> {
    let full = cell.full();
    operations(&full)
        .into_iter()
        .filter_map(|operation| {
            let tail = Tail::of(&full, operation)?;
            (tail.share >= MOST).then(|| {
                let stage = tame(&tail.stage);
                let slow = message!(
                    "slow-stage",
                    operation = tame(operation),
                    extra = Value::Seconds(tail.extra),
                    share = Value::Share(tail.share),
                    stage = &stage
                );
                let advice = message!("find-wait", stage = &stage);
                let finding = RULE.finding(Severity::Note, Cause::Server, slow, advice);
                finding.on(&cell.workload.name, &cell.target.name)
            })
        })
        .collect()
}

/// The additional time of the slowest responses, compared with the fastest half.
struct Tail {
    /// Mean additional time per response, seconds.
    extra: f64,
    /// The stage that explains most of the additional time.
    stage: String,
    /// The stage's share of the additional time, which can exceed 1.
    share: f64,
}

impl Tail {
    fn of(slices: &[&Slice], operation: &str) -> Option<Self> {
        let all = pooled(slices, operation);
        if all.answers() as f64 * 0.01 < FEWEST {
            return None;
        }
        let [fast, slow] =
            [StageBand::FastestHalf, StageBand::AboveP99].map(|band| Means::of(&all, band));
        let tells = |means: &Means| means.carrying.is_some_and(|share| share >= TOLD);
        if !tells(&fast) || !tells(&slow) {
            return None;
        }
        let extra = slow.service? - fast.service?;
        let shares = all.stages.iter().filter_map(|stage| {
            Some((
                stage,
                (slow.of_stage(stage)? - fast.of_stage(stage)?) / extra,
            ))
        });
        let (stage, share) = shares.max_by(|(_, one), (_, other)| one.total_cmp(other))?;
        Some(Self {
            extra,
            stage: stage.clone(),
            share,
        })
        .filter(|tail| tail.extra > 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Run, StageTimes, stages};

    fn sentence(parts: &[StageTimes<'_>]) -> Vec<Finding> {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| slice.0.end.stages = Some(stages(parts)));
        run.findings(&RULE)
    }

    #[test]
    fn fires_when_one_stage_takes_most_of_the_extra_time() {
        let findings = sentence(&[
            (990, 2, &[("db", 1), ("view", 1)]),
            (10, 22, &[("db", 16), ("view", 3)]),
        ]);
        assert_eq!(findings.len(), 1, "{findings:?}");
        let finding = &findings[0];
        assert_eq!(finding.target.as_deref(), Some("b"));
        assert_eq!(finding.cause, Cause::Server);
        let expected = "the slowest hundredth of GET takes 20.0 ms longer than the fastest half, \
                        and 75 % of that is the target's stage db";
        assert_eq!(finding.evidence, expected);
    }

    #[test]
    fn fires_on_short_slices_when_there_are_enough_of_them() {
        let findings = sentence(&[(198, 2, &[("db", 1)]), (2, 22, &[("db", 16)])]);
        assert_eq!(findings, [], "32 answers above the 99th percentile");
        let mut run = Run::pair(50);
        run.each_of("b", |slice| {
            slice.0.end.stages = Some(stages(&[(198, 2, &[("db", 1)]), (2, 22, &[("db", 16)])]));
        });
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
    }

    #[test]
    fn silent_when_the_additional_time_is_spread_or_unknown() {
        let spread: &[StageTimes<'_>] = &[
            (990, 2, &[("db", 1), ("view", 1)]),
            (10, 22, &[("db", 8), ("view", 8)]),
        ];
        assert_eq!(sentence(spread), []);
        let elsewhere: &[StageTimes<'_>] = &[(990, 2, &[("db", 1)]), (10, 22, &[("db", 1)])];
        assert_eq!(sentence(elsewhere), []);
    }

    #[test]
    fn silent_when_slow_responses_have_no_stage_times() {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| {
            let parts: &[StageTimes<'_>] = &[(990, 2, &[("db", 1)]), (10, 22, &[("db", 16)])];
            let mut sums = stages(parts);
            sums.operations[0].buckets[1].carrying = 8;
            slice.0.end.stages = Some(sums);
        });
        assert_eq!(run.findings(&RULE), []);
    }

    #[test]
    fn a_stage_cannot_send_controls_to_a_terminal() {
        let findings = sentence(&[
            (990, 2, &[("<b>\u{1b}[31m|`x`", 1)]),
            (10, 22, &[("<b>\u{1b}[31m|`x`", 20)]),
        ]);
        let text = format!("{} {}", findings[0].evidence, findings[0].advice);
        assert!(!text.contains('\u{1b}'), "{text}");
    }
}
