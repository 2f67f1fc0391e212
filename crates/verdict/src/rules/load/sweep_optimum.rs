//! The finding that states the optimum of a sweep.

use tenbin_record::{MachineUse, Slice};
use tenbin_result::{Cause, Finding, Metric, Optimum, Severity, Value, message};

use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::machine::Place;
use crate::server::backend::Backends;
use crate::sweep::{claim, optima};
use crate::words::middle;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "sweep_optimum",
    summary: Texts {
        english: "the smallest value of a sweep whose result is within the margin of the best",
        japanese: "スイープの値のうち、結果が最良とほぼ同じになる最小の値",
    },
    severities: &[Severity::Note],
    explanation: pages!("sweep_optimum"),
    messages: Messages {
        english: r#"
            stop-others =
                stop the other programs, which used { $share } of the CPU time of all cores, and run again: a
                server with more processes gets a larger share of a busy machine, so { $place } may not be the
                optimum on an idle machine
            try-larger =
                try larger values, too: { $place } is the largest value of { $sweep } in the sweep, and the
                optimum may be larger
            use-optimum =
                use { $place } for { $sweep }; larger values use more resources and gain at most { $margin }
            more-rounds =
                use more --rounds to be sure: another value may be more than { $margin } better than { $place }
        "#,
        japanese: r#"
            stop-others =
                全コアの CPU 時間の { $share } を使ったほかのプログラムを止めて再実行する。
                忙しいマシンではプロセスの多いサーバーほど多くの CPU を得るので、
                空いたマシンでは { $place } が最適値とは限らない
            try-larger =
                より大きな値も試す。{ $place } は試した { $sweep } の最大の値で、
                最適値はさらに大きい可能性がある
            use-optimum =
                { $sweep } に { $place } を使う。より大きな値は資源を多く使い、改善は最大でも { $margin }
            more-rounds =
                確実にするには --rounds を増やす。
                { $place } より { $margin } を超えて良い値がほかにある可能性がある
        "#,
    },
    tier: Tier::Result,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let optima = optima(evidence.plan, evidence.slices, &[]);
    let optima = optima.iter();
    optima
        .map(|optimum| finding_of(optimum, evidence))
        .collect()
}

/// Share of the CPU time of all cores above which other programs can affect an optimum.
const CROWDED: f64 = 0.10;

/// Share of the CPU time of all cores that unrelated programs used during the workload; `None` if
/// the share is too small to affect the optimum.
fn share_of_others(evidence: &Evidence<'_>, optimum: &Optimum) -> Option<f64> {
    let backends = Backends::of(evidence);
    let cells = evidence.cells.iter();
    let mine = cells.filter(|cell| cell.workload.name == optimum.workload);
    let share = |_: &Slice, machine: &MachineUse| backends.share_of_others(machine);
    let shares = mine.filter_map(|cell| Place::of_cell(cell, &share));
    middle(shares.map(|place| place.value)).filter(|share| *share > CROWDED)
}

fn finding_of(optimum: &Optimum, evidence: &Evidence<'_>) -> Finding {
    let others = share_of_others(evidence, optimum).map(Value::Share);
    let (place, margin) = (&optimum.place, Value::Share(optimum.margin));
    let advice = match (optimum.certain, optimum.is_largest(), others) {
        (true, true, Some(share)) => message!("stop-others", share, place),
        (true, true, None) => message!("try-larger", place, sweep = &optimum.sweep),
        (true, false, _) => {
            message!("use-optimum", place, sweep = &optimum.sweep, margin)
        }
        (false, _, _) => message!("more-rounds", margin, place),
    };
    let mut workloads = evidence.plan.workloads.iter();
    let workload = workloads.find(|workload| workload.name == optimum.workload);
    let metric = workload.map_or(Metric::Throughput, |it| Metric::primary(evidence.plan, it));
    let claim = claim(optimum, metric);
    let finding = RULE.finding(Severity::Note, Cause::Setup, claim, advice);
    finding.on(&optimum.workload, &optimum.target)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::tests::swept;
    use crate::testing::Run;

    #[test]
    fn names_the_optimum_and_says_how_sure_that_is() {
        let findings = swept(&[(1, 1.0), (2, 1.9), (4, 1.91)], 36).findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Note);
        assert_eq!(findings[0].target.as_deref(), Some("web@workers=2"));
        assert!(findings[0].advice.starts_with("use workers=2 for web"));
        let findings = swept(&[(1, 1.0), (2, 1.9)], 36).findings(&RULE);
        assert!(findings[0].advice.starts_with("try larger values"));
        let findings = swept(&[(1, 1.0), (2, 1.9), (4, 1.91)], 12).findings(&RULE);
        assert!(findings[0].advice.contains("more --rounds"), "{findings:?}");
    }

    #[test]
    fn more_processes_get_more_of_a_machine_that_others_use() {
        let mut run = swept(&[(1, 1.0), (2, 1.9)], 36);
        run.each(|slice| {
            slice.others(0.8);
        });
        let findings = run.findings(&RULE);
        let advice = &findings[0].advice;
        assert!(advice.starts_with("stop the other programs"), "{advice}");
        assert!(advice.contains("40 %"), "{advice}");
    }

    #[test]
    fn silent_without_a_sweep() {
        assert_eq!(Run::pair(8).findings(&RULE), []);
    }
}
