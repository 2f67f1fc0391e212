//! Large objects whose throughput is not limited by CPU.

use tenbin_plan::Direction;
use tenbin_result::{Cause, Finding, Severity, Value, message};

use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::figures::size_class::SizeClass;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::server::busy_cores;
use crate::words::middle;

/// Used share of a core (load generator thread) or of all cores (target) below which CPU is not the
/// limit.
const IDLE: f64 = 0.5;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "large_objects",
    summary: Texts {
        english: "disk or network, not a CPU, set the limit for large objects",
        japanese: "大きなオブジェクトの上限が、CPU ではなくディスクかネットワーク",
    },
    severities: &[Severity::Note],
    explanation: pages!("large_objects"),
    messages: Messages {
        english: r#"
            cpu-is-idle =
                at { $bandwidth } ({ $basis }), the busiest load generator thread used { $thread } of
                a core and the target { $target } of { $cores ->
                    [one] 1 core
                   *[other] { $cores } cores
                }: neither is the limit
            check-disk =
                check the disk that it { $direction ->
                    [write] writes to
                   *[read] reads from
                }, or the network; more CPU would not help
        "#,
        japanese: r#"
            cpu-is-idle =
                { $bandwidth }({ $basis })で、負荷生成側の最も忙しいスレッドは 1 コアの { $thread }、
                ターゲットは { $cores } コア中 { $target } コアを使った。どちらも上限ではない
            check-disk =
                { $direction ->
                    [write] 書き込み先
                   *[read] 読み込み元
                }のディスクかネットワークを確認する。CPU を増やしても効果はない
        "#,
    },
    tier: Tier::Result,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let Some(cores) = evidence.cores.filter(|cores| *cores > 0) else {
        return Vec::new();
    };
    let cells = evidence.cells();
    cells
        .iter()
        .filter_map(|cell| of_cell(cell, cores))
        .collect()
}

fn of_cell(cell: &Cell<'_>, cores: usize) -> Option<Finding> {
    let transfer = cell.workload.facts().transfer()?;
    if SizeClass::of(transfer.bytes) != SizeClass::Large {
        return None;
    }
    let full = cell.full();
    let thread = middle(full.iter().map(|slice| slice.client.busiest_thread))?;
    if !cell.runs_here() {
        return None;
    }
    let server = middle(full.iter().filter_map(|slice| busy_cores(slice)))?;
    let moved = middle(full.iter().filter_map(|slice| {
        let bytes: u64 = slice.work().map(|op| op.counts.payload).sum();
        (slice.end.seconds > 0.0).then(|| bytes as f64 / slice.end.seconds)
    }))?;
    if thread >= IDLE || server >= IDLE * cores as f64 {
        return None;
    }
    let idle = message!(
        "cpu-is-idle",
        bandwidth = Value::Bandwidth(moved),
        basis = message!("median-of-slices", slices = full.len()),
        thread = Value::Share(thread),
        target = Value::Cores(server),
        cores
    );
    let direction = match transfer.direction {
        Direction::Write => "write",
        Direction::Read => "read",
    };
    let advice = message!("check-disk", direction = Value::word(direction));
    let finding = RULE.finding(Severity::Note, Cause::Server, idle, advice);
    Some(finding.on(&cell.workload.name, &cell.target.name))
}

#[cfg(test)]
mod tests {
    use tenbin_plan::S3Operation;

    use super::*;
    use crate::testing::Run;

    fn run(bytes: u64) -> Run {
        let mut run = Run::pair(8).of_s3(S3Operation::Put, bytes);
        run.each(|slice| slice.server_cpu(0.5));
        run
    }

    #[test]
    fn fires_when_no_cpu_is_busy() {
        let findings = run(64_000_000).findings(&RULE);
        assert_eq!(findings.len(), 2);
        assert!(
            findings[0].evidence.contains("0.50 of 2 cores"),
            "{}",
            findings[0].evidence
        );
    }

    #[test]
    fn silent_when_one_side_is_busy_unobserved_or_objects_are_small() {
        assert_eq!(run(1_000_000).findings(&RULE), []);
        let mut busy = run(64_000_000);
        busy.each(|slice| slice.server_cpu(1.1));
        assert_eq!(busy.findings(&RULE), []);
        let mut generator = run(64_000_000);
        generator.each(|slice| slice.busiest_thread(0.9));
        assert_eq!(generator.findings(&RULE), []);
        let mut unobserved = run(64_000_000);
        unobserved.each(|slice| slice.unobserved());
        assert_eq!(unobserved.findings(&RULE), []);
        assert_eq!(run(64_000_000).on_unknown_machine().findings(&RULE), []);
    }
}
