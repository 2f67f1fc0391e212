//! Servers that are slower after a heavier load.

use tenbin_plan::Workload;
use tenbin_result::{Cause, Finding, Severity, Value, message};
use tenbin_stats::Estimate;

use crate::concurrency_sweep::{family, hysteresis, steps};
use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};

/// Relative difference between the throughput of a concurrency sweep in descending order and in
/// ascending order, above which there is a finding.
const DIFFERENCE: f64 = 0.03;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "hysteresis",
    summary: Texts {
        english: "a ramp gave different figures in descending than in ascending order",
        japanese: "同時接続数のスイープで、上げながら測った数値と下げながら測った数値が異なる",
    },
    severities: &[Severity::Suspect],
    explanation: pages!("hysteresis"),
    messages: Messages {
        english: r#"
            differs =
                in descending order of connections, { $target } had { $ratio } ({ $low }–{ $high }) of its
                throughput in ascending order, over the { $levels } levels of { $sweep }
            find-out =
                find out what a heavier load leaves behind in the target: queues, evicted caches, memory that is
                not released; runs with a longer --gap show how long the target takes to recover
            longer-warmup = use a longer --warmup: the target was still getting faster in ascending order
        "#,
        japanese: r#"
            differs =
                同時接続数を下げながら測ると、{ $target } のスループットは上げながら測ったときの { $ratio } 倍
                ({ $low }–{ $high }、{ $sweep } の { $levels } 段階を通して)
            find-out =
                重い負荷がターゲットに残す影響(待ち行列、追い出されたキャッシュ、解放されないメモリー)を調べる。
                --gap を長くした実行で、回復に要する時間がわかる
            longer-warmup = --warmup を長くする。上げながら測った間、ターゲットはまだ速くなり続けていた
        "#,
    },
    tier: Tier::Result,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let plan = evidence.plan;
    let mut findings = Vec::new();
    for sweep in plan.concurrency_sweeps() {
        let workloads: Vec<&Workload> = sweep.iter().map(|&at| &plan.workloads[at]).collect();
        for target in &plan.targets {
            let steps = steps(&workloads, target, evidence.slices);
            let measured = hysteresis(&steps);
            let Some(found) = measured.estimate().filter(|found| is_large(found)) else {
                continue;
            };
            findings.push(finding_of(&workloads, &target.name, found));
        }
    }
    findings
}

fn is_large(found: &Estimate) -> bool {
    !found.contains(1.0) && (found.value - 1.0).abs() > DIFFERENCE
}

fn finding_of(workloads: &[&Workload], target: &str, found: &Estimate) -> Finding {
    let differs = message!(
        "differs",
        target,
        ratio = Value::Ratio(found.value),
        low = Value::Ratio(found.low),
        high = Value::Ratio(found.high),
        levels = Value::Plain(workloads.len() as u64),
        sweep = family(workloads)
    );
    let advice = if found.value < 1.0 {
        message!("find-out")
    } else {
        message!("longer-warmup")
    };
    let finding = RULE.finding(Severity::Suspect, Cause::Server, differs, advice);
    finding.of_target(target)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    fn ramp() -> Run {
        let names = ["get-c1", "get-c2", "get-c4"];
        let mut run = Run::new(&["a"], &names, 8);
        for (at, workload) in run.plan.workloads.iter_mut().enumerate() {
            workload.load.connections = 1 << at;
        }
        run.each(|slice| {
            let wobble = [3, 0, 5, 2, 4, 1, 6, 7][slice.0.block as usize];
            slice.answers(1_000 + wobble, 0.002);
        });
        run
    }

    #[test]
    fn fires_when_descending_levels_have_less_throughput() {
        let mut run = ramp();
        run.each(|slice| {
            if slice.0.block % 2 == 1 {
                slice.answers(900, 0.002);
            }
        });
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Suspect);
        assert_eq!(findings[0].target.as_deref(), Some("a"));
        assert!(findings[0].evidence.contains("had 0.89"), "{findings:?}");
        assert!(
            findings[0]
                .advice
                .starts_with("find out what a heavier load leaves")
        );
    }

    #[test]
    fn says_so_when_descending_levels_have_more_throughput() {
        let mut run = ramp();
        run.each(|slice| {
            if slice.0.block % 2 == 1 {
                slice.answers(1_100, 0.002);
            }
        });
        let findings = run.findings(&RULE);
        assert!(findings[0].advice.starts_with("use a longer --warmup"));
    }

    #[test]
    fn silent_when_both_orders_are_alike_or_blocks_are_few() {
        assert_eq!(ramp().findings(&RULE), []);
        let mut short = ramp();
        short.each(|slice| {
            if slice.0.block % 2 == 1 {
                slice.answers(900, 0.002);
            }
        });
        assert_eq!(short.interrupted(18).findings(&RULE), []);
    }
}
