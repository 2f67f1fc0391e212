//! Observed processes of a target that ended during the run.

use tenbin_record::{EndedProcess, Slice};
use tenbin_result::format::{RATE, TIME};
use tenbin_result::{Cause, Finding, Severity};

use crate::cell::Cell;
use crate::compare::metric::Metric;
use crate::evidence::{Evidence, is_closed};
use crate::findings::rule_info::RuleInfo;
use crate::words::{middle, tame};

/// Relative change of a figure above which the figures before and after the end must not be
/// averaged.
const NOTICEABLE: f64 = 0.10;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "process_ended",
    summary: "an observed process of a target ended during the run",
    severities: &[Severity::Suspect, Severity::Invalid],
    explanation: include_str!("process_ended.md"),
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let ended: Vec<&EndedProcess> = evidence
        .slices
        .iter()
        .flat_map(|slice| &slice.ended)
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
    let closed = is_closed(cell.workload);
    let metric = Metric::default_primary(closed);
    let figure = |is_wanted: &dyn Fn(&Slice) -> bool| {
        let slices = cell.slices.iter().filter(|slice| is_wanted(slice));
        middle(slices.filter_map(|slice| metric.of_slice(slice)))
    };
    let before = figure(&|slice| slice.start + slice.seconds <= first.at);
    let after = figure(&|slice| slice.start >= first.at);
    let has_changed = before
        .zip(after)
        .is_some_and(|(before, after)| (after / before).ln().abs() > NOTICEABLE.ln_1p());
    let figures = match (before, after) {
        (Some(before), Some(after)) => format!(
            ": the {} was {} before and {} after that",
            metric.phrase(),
            shown(metric, before),
            shown(metric, after)
        ),
        _ => String::new(),
    };
    let names: Vec<String> = mine
        .iter()
        .map(|process| {
            format!(
                "{} (pid {}) {} after the start of the run",
                tame(&process.name),
                process.pid,
                TIME.of(process.at)
            )
        })
        .collect();
    Some(Finding {
        rule: RULE.name.to_owned(),
        severity: if has_changed {
            Severity::Invalid
        } else {
            Severity::Suspect
        },
        cause: Cause::Server,
        workload: Some(cell.workload.name.clone()),
        target: Some(cell.target.name.clone()),
        evidence: format!(
            "observed processes of the target ended: {}{figures}",
            names.join(", ")
        ),
        advice: "find out why the process ended (its log, the kernel log); the figures mix the \
                 target with and without it: start the process and run again, or measure both \
                 states as two targets"
            .to_owned(),
    })
}

fn shown(metric: Metric, value: f64) -> String {
    match metric {
        Metric::Throughput => RATE.of(value),
        _ => TIME.of(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    /// Slices start every 1.5 s and last 1 s; a process of `b` ends within the tenth slice.
    fn run(after: f64) -> Run {
        let mut run = Run::pair(8);
        let at = 9.0 * 1.5 + 0.5;
        run.slices[9].ended.push(EndedProcess {
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
