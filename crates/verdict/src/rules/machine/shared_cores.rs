//! Load generator and target that together use all cores of the machine.

use tenbin_result::{Cause, Finding, Severity, Value, message};

use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::machine::processor::Busy;
use crate::rules::generator::client_saturated;
use crate::rules::target::server_cpu;

/// Used share of all cores above which no core counts as idle.
const FULL: f64 = 0.90;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "shared_cores",
    summary: Texts {
        english: "load generator and target together used all cores of the machine",
        japanese: "負荷生成側とターゲットが、マシンの全コアを使い切った",
    },
    severities: &[Severity::Note],
    explanation: pages!("shared_cores"),
    messages: Messages {
        english: r#"
            used-cores =
                load generator and target used { $used } of { $cores ->
                    [one] 1 core
                   *[other] { $cores } cores
                } ({ $share })
        "#,
        japanese: r#"
            used-cores =
                負荷生成側とターゲットで { $cores } コア中 { $used } コアを使った({ $share })
        "#,
    },
    tier: Tier::Circumstance,
    explained_by: &[&server_cpu::RULE, &client_saturated::RULE],
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    let busy = cells
        .iter()
        .filter_map(|cell| Some((cell, Busy::of(cell, evidence)?)));
    busy.filter_map(|(cell, busy)| of_cell(cell, busy))
        .collect()
}

fn of_cell(cell: &Cell<'_>, Busy { both, cores, .. }: Busy) -> Option<Finding> {
    let share = both / cores as f64;
    (share > FULL).then(|| {
        let used = message!(
            "used-cores",
            used = Value::Cores(both),
            cores,
            share = Value::Share(share)
        );
        let advice = message!("read-ratio");
        let finding = RULE.finding(Severity::Note, Cause::Setup, used, advice);
        finding.on(&cell.workload.name, &cell.target.name)
    })
}

/// Whether this rule has a finding: target and load generator together use nearly all cores.
pub(crate) fn is_reported(cell: &Cell<'_>, evidence: &Evidence<'_>) -> bool {
    Busy::of(cell, evidence).is_some_and(|busy| busy.both / busy.cores as f64 > FULL)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    #[test]
    fn fires_when_no_core_is_left() {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| slice.server_cpu(1.7));
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(
            findings[0].evidence,
            "load generator and target used 1.90 of 2 cores (95 %)"
        );
    }

    #[test]
    fn a_core_that_only_the_target_may_use_counts() {
        let used = |cores: f64| {
            let mut run = Run::pair(8).on_cores(2).on_own_cores(1);
            run.each_of("b", |slice| slice.server_cpu(cores));
            run.findings(&RULE)
        };
        assert_eq!(used(0.8), [], "a core is idle");
        assert_eq!(used(1.8).len(), 1, "none is");
    }

    #[test]
    fn silent_with_room_to_spare_or_unknown_cores() {
        assert_eq!(Run::pair(8).findings(&RULE), []);
        let mut run = Run::pair(8).on_unknown_machine();
        run.each_of("b", |slice| slice.server_cpu(1.9));
        assert_eq!(run.findings(&RULE), []);
    }
}
