//! Observed targets whose resource use is unknown in some slices.

use tenbin_result::{Cause, Finding, Severity, Value, message};

use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::server;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "unobserved",
    summary: Texts {
        english: "the resource use of an observed target is unknown in some slices",
        japanese: "観測したターゲットの資源使用量が、一部のスライスで不明",
    },
    severities: &[Severity::Note],
    explanation: pages!("unobserved"),
    messages: Messages {
        english: r#"
            unknown-use =
                the resource use of the target is unknown in { $unknown } of { $slices ->
                    [one] 1 slice
                   *[other] { $slices } slices
                }: its source did not respond, responded too late, or reset its counters
            check-source =
                the costs of the server are those of the other slices; check whether the target
                was restarted, and the source of its figures (observe in the plan)
        "#,
        japanese: r#"
            unknown-use =
                { $slices } スライス中 { $unknown } スライスで、ターゲットの資源使用量が不明。
                取得元が応答しない、応答が遅すぎる、またはカウンターがリセットされた
            check-source =
                サーバーのコストはほかのスライスのもの。ターゲットが再起動されていないか、
                値の取得元(プランの observe)を確認する
        "#,
    },
    tier: Tier::Precision,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    cells.iter().filter_map(|cell| of_cell(cell)).collect()
}

fn of_cell(cell: &Cell<'_>) -> Option<Finding> {
    cell.target.observe.as_ref()?;
    let full = cell.full();
    let unknown = full
        .iter()
        .filter(|slice| server::cpu_seconds(slice).is_none())
        .count();
    if unknown == 0 {
        return None;
    }
    let unknown_use = message!(
        "unknown-use",
        unknown = Value::Plain(unknown as u64),
        slices = full.len()
    );
    let advice = message!("check-source");
    let finding = RULE.finding(Severity::Note, Cause::Setup, unknown_use, advice);
    Some(finding.on(&cell.workload.name, &cell.target.name))
}

#[cfg(test)]
mod tests {
    use tenbin_plan::{Observe, Processes};

    use super::*;
    use crate::testing::Run;

    fn run() -> Run {
        let mut run = Run::pair(8);
        for target in &mut run.plan.targets {
            target.observe = Some(Observe::Processes(Processes::Port(80)));
        }
        run
    }

    #[test]
    fn fires_when_an_observation_is_missing() {
        let mut run = run();
        run.first_of("b").unobserved();
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        assert!(findings[0].evidence.contains("unknown in 1 of 16 slices"));
    }

    #[test]
    fn silent_when_all_is_known_or_nothing_is_observed() {
        assert_eq!(run().findings(&RULE), []);
        let mut launched = Run::pair(8);
        launched.first_of("b").unobserved();
        assert_eq!(launched.findings(&RULE), []);
    }
}
