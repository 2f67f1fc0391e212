//! Observed processes of a target that ended during the run.

use tenbin_record::{EndedProcess, Slice};
use tenbin_result::{Cause, Finding, Message, Metric, Severity, Value, message};

use crate::cell::Cell;
use crate::compare::metric::Measure;
use crate::evidence::{Evidence, is_closed};
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::words::{middle, tame};

/// Relative change of a figure above which the figures before and after the end must not be
/// averaged.
const NOTICEABLE: f64 = 0.10;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "process_ended",
    summary: Texts {
        english: "an observed process of a target ended during the run",
        japanese: "実行中に、観測していたターゲットのプロセスが終了した",
    },
    severities: &[Severity::Suspect, Severity::Invalid],
    explanation: pages!("process_ended"),
    messages: Messages {
        english: r#"
            ended = observed processes of the target ended: { $processes }{ $figures }
            process = { $name } (pid { $pid }) { $at } after the start of the run
            figures = : the { $metric } was { $before } before and { $after } after that
            find-reason =
                find out why the process ended (its log, the kernel log); the figures mix the
                target with and without it: start the process and run again, or measure both states
                as two targets
        "#,
        japanese: r#"
            ended = ターゲットの観測対象プロセスが終了した: { $processes }{ $figures }
            process = { $name }(pid { $pid })、実行開始から { $at } 後
            figures = 。{ $metric }はその前が { $before }、その後が { $after }
            find-reason =
                プロセスが終了した理由を調べる(そのログ、カーネルログ)。
                数値にはこのプロセスがある状態とない状態が混ざっている。プロセスを起動して測り直すか、
                両方の状態を2 つのターゲットとして測る
        "#,
    },
    tier: Tier::Work,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let ended: Vec<&EndedProcess> = evidence
        .slices
        .iter()
        .flat_map(|slice| &slice.end.ended)
        .collect();
    let cells = evidence.cells.iter();
    cells.filter_map(|cell| of_cell(cell, &ended)).collect()
}

fn of_cell(cell: &Cell<'_>, ended: &[&EndedProcess]) -> Option<Finding> {
    let mine: Vec<&EndedProcess> = ended
        .iter()
        .copied()
        .filter(|process| process.target == cell.target.name)
        .collect();
    let first = mine
        .iter()
        .min_by(|one, other| one.at.total_cmp(&other.at))?;
    let metric = Metric::default_primary(is_closed(cell.workload));
    let figure = |is_wanted: &dyn Fn(&Slice) -> bool| {
        let slices = cell.slices.iter().filter(|slice| is_wanted(slice));
        middle(slices.filter_map(|slice| metric.of_slice(slice)))
    };
    let before = figure(&|slice| slice.start + slice.end.seconds <= first.at);
    let after = figure(&|slice| slice.start >= first.at);
    let has_changed = before
        .zip(after)
        .is_some_and(|(before, after)| (after / before).ln().abs() > NOTICEABLE.ln_1p());
    let figures = before.zip(after).map(|(before, after)| {
        message!(
            "figures",
            metric = metric.message(),
            before = metric.value(before),
            after = metric.value(after)
        )
    });
    let processes = mine.iter().map(|process| {
        message!(
            "process",
            name = tame(&process.name),
            pid = process.pid.to_string(),
            at = Value::Seconds(process.at)
        )
    });
    let processes: Vec<Message> = processes.collect();
    let severity = Severity::Suspect.raised_if(has_changed);
    let ended = message!("ended", processes, figures);
    let finding = RULE.finding(severity, Cause::Server, ended, message!("find-reason"));
    Some(finding.on(&cell.workload.name, &cell.target.name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    /// Slices start every 1.5 s and last 1 s; a process of `b` ends within the tenth slice.
    fn run(after: f64) -> Run {
        let mut run = Run::pair(8);
        let at = 9.0 * 1.5 + 0.5;
        run.slices[9].end.ended.push(EndedProcess {
            target: "b".to_owned(),
            name: "blobnode\u{1b}".to_owned(),
            pid: 77,
            at,
        });
        run.each_of("b", |slice| {
            if slice.0.start >= at {
                slice.answers((1_000.0 * after) as u64, 0.002 / after);
            }
        });
        run
    }

    #[test]
    fn the_process_its_time_and_the_figures_before_and_after_are_named() {
        let findings = run(0.5).findings(&RULE);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].severity, Severity::Invalid);
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        assert_eq!(
            findings[0].evidence,
            "observed processes of the target ended: blobnode\\u{1b} (pid 77) 14.0 s after the \
             start of the run: the throughput was 1.00 k/s before and 500/s after that"
        );
    }

    #[test]
    fn an_end_without_a_change_is_suspect_and_none_is_silent() {
        let findings = run(1.0).findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Suspect);
        assert_eq!(Run::pair(8).findings(&RULE), []);
    }
}
