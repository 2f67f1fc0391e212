//! Rates that are too low to show a difference: all targets keep up and are equivalent.

use tenbin_plan::Workload;
use tenbin_result::{Cause, Finding, Severity, Value, message};

use crate::cell::Cell;
use crate::evidence::{Evidence, is_closed};
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::words::middle;

/// Minimum share of the due operations that a target completes to keep up.
const KEEPS_UP: f64 = 0.99;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "rate_too_low",
    summary: Texts {
        english: "every target keeps up with the rate, so the run cannot distinguish them",
        japanese: "全ターゲットがレートに追いつき、この実行では区別できない",
    },
    severities: &[Severity::Note],
    explanation: pages!("rate_too_low"),
    messages: Messages {
        english: r#"
            all-keep-up =
                { $targets ->
                    [one] the target
                   *[other] each of { $targets } targets
                } reached the requested rate ({ $least } or more), and their response times do not
                differ: the run does not show which target can do more
            raise-rate =
                to find out which target can do more, use a higher --rate or a closed loop
        "#,
        japanese: r#"
            all-keep-up =
                { $targets } 個のターゲットのいずれも指定のレートに達し({ $least } 以上)、応答時間にも差がない。
                どのターゲットの余力が大きいかはこの実行ではわからない
            raise-rate =
                どのターゲットの余力が大きいかを知るには、--rate を上げるか、クローズドループを使う
        "#,
    },
    tier: Tier::Question,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let open = evidence.plan.workloads.iter().filter(|w| !is_closed(w));
    open.filter_map(|workload| of_workload(workload, evidence))
        .collect()
}

fn of_workload(workload: &Workload, evidence: &Evidence<'_>) -> Option<Finding> {
    let mut primary = evidence.comparisons.iter();
    let is_different =
        primary.any(|c| c.primary && c.workload == workload.name && c.outcome.is_different());
    let cells = evidence.cells();
    let targets: Vec<&Cell<'_>> = cells
        .iter()
        .filter(|cell| cell.workload.name == workload.name)
        .collect();
    let all_keep_up = targets.iter().all(|cell| keeps_up(cell).unwrap_or(false));
    if targets.len() < 2 || is_different || !all_keep_up {
        return None;
    }
    let answered = targets.iter().filter_map(|cell| answered(cell));
    let least = answered.fold(f64::INFINITY, f64::min);
    let kept_up = message!(
        "all-keep-up",
        targets = targets.len(),
        least = Value::Rate(least)
    );
    let finding = RULE.finding(Severity::Note, Cause::Plan, kept_up, message!("raise-rate"));
    Some(finding.of_workload(&workload.name))
}

fn keeps_up(cell: &Cell<'_>) -> Option<bool> {
    let pace = &cell.workload.load.pace;
    let full = cell.full();
    let due = middle(full.iter().filter_map(|slice| {
        let due = pace.due_within(slice.end.seconds)?;
        (slice.end.seconds > 0.0).then(|| due / slice.end.seconds)
    }))?;
    Some(answered(cell)? >= KEEPS_UP * due)
}

fn answered(cell: &Cell<'_>) -> Option<f64> {
    let full = cell.full();
    middle(full.iter().filter_map(|slice| slice.response_rate()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    #[test]
    fn fires_when_all_keep_up_and_look_alike() {
        let findings = Run::pair(8).open_loop().findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert!(
            findings[0]
                .evidence
                .starts_with("each of 2 targets reached the requested rate (1.00 k/s or more)"),
            "{findings:?}"
        );
    }

    #[test]
    fn silent_for_a_difference_or_a_single_target() {
        let mut slower = Run::pair(8).open_loop();
        slower.each_of("b", |slice| slice.answers(1_000, 0.003));
        assert_eq!(slower.findings(&RULE), []);
        let mut overloaded = Run::pair(8).open_loop();
        overloaded.each_of("b", |slice| slice.answers(900, 0.002));
        assert_eq!(overloaded.findings(&RULE), []);
        assert_eq!(Run::single(8).open_loop().findings(&RULE), []);
        assert_eq!(Run::pair(8).findings(&RULE), []);
    }
}
