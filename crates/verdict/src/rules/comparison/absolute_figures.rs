//! Absolute figures that cannot be trusted because the machine was busy or unsteady.

use tenbin_result::{Cause, Finding, Message, Metric, Severity, Value, message};

use crate::cell::Cell;
use crate::compare::metric::Measure;
use crate::evidence::{Evidence, is_closed};
use crate::findings::messages::{Messages, clauses};
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::machine::{Place, share_of_time};

/// Share of the CPU time of all cores below which no core counts as idle, as in `shared_cores`.
const IDLE: f64 = 0.10;

/// Share of the time in which some process waits for a core, above which there is a finding.
const WAITING: f64 = 0.20;

/// Idle share of the CPU time from which waits for a core come from a quota or from pinning, and not
/// from a busy machine.
const MOSTLY_IDLE: f64 = 0.50;

/// Range of the slices' figures, as a share of their median, above which there is a finding. From a
/// simulation: see the explanation page of the rule.
const SPREAD: f64 = 0.15;

/// Reciprocal of the share of slices that the range leaves out at each end: 10 leaves out 10 %.
const LEFT_OUT: usize = 10;

/// Name of the rule.
pub(crate) const NAME: &str = "absolute_figures";

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: NAME,
    summary: Texts {
        english: "absolute figures are unreliable; the ratio may still be reliable",
        japanese: "絶対値は信用できない。比は信用できることがある",
    },
    severities: &[Severity::Note, Severity::Suspect],
    explanation: pages!("absolute_figures"),
    messages: Messages {
        english: r#"
            idle =
                only { $share } of the machine's CPU time was idle ({ $basis })
            waiting =
                processes waited for a core in { $share } of the time ({ $basis })
            spread =
                the { $metric } of { $slices ->
                    [one] 1 slice
                   *[other] { $slices } slices
                } varies by { $spread }
            use-ratio =
                use the ratio; for absolute figures use a machine with an idle core, and a separate one for
                the load generator
            compare =
                without a second target there is no ratio, which is reliable even on a busy machine: compare
                with one in the same run; or use a machine with an idle core, and a separate machine for the load generator
        "#,
        japanese: r#"
            idle = マシンの CPU の空きは { $share } しかなかった({ $basis })
            waiting = 時間の { $share } でプロセスがコアの空きを待っていた({ $basis })
            spread = { $slices } スライスの{ $metric }のばらつきが { $spread }
            use-ratio =
                比を使う。絶対値が必要なら、空きコアのあるマシンを使い、負荷生成側は別のマシンにする
            compare =
                ターゲットが 1 つでは、忙しいマシンでも信用できる比がない。同じ実行で 2 つ目のターゲットと比べる。
                または空きコアのあるマシンを使い、負荷生成側は別のマシンにする
        "#,
    },
    tier: Tier::Circumstance,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let compares = evidence.plan.hypotheses() > 0;
    let cells = evidence.cells();
    // A maximum-rate search judges each of its probes.
    let in_rounds = cells.iter().filter(|cell| cell.workload.search().is_none());
    in_rounds
        .filter_map(|cell| Some(finding_of(cell, reasons(cell)?, compares)))
        .collect()
}

fn finding_of(cell: &Cell<'_>, reasons: Message, compares: bool) -> Finding {
    let (severity, advice) = if compares {
        (Severity::Note, message!("use-ratio"))
    } else {
        (Severity::Suspect, message!("compare"))
    };
    let finding = RULE.finding(severity, Cause::Setup, reasons, advice);
    finding.on(&cell.workload.name, &cell.target.name)
}

/// Why absolute figures cannot be trusted; `None` if they can.
fn reasons(cell: &Cell<'_>) -> Option<Message> {
    let idle = Place::of_cell(cell, &|_, machine| machine.cpu?.idle_share());
    let waiting = Place::of_cell(cell, &|_, machine| {
        share_of_time(machine.pressure.cpu_some_us, machine)
    });
    let is_full = idle.as_ref().is_some_and(|idle| idle.value < IDLE);
    let is_idle = idle.as_ref().is_some_and(|idle| idle.value > MOSTLY_IDLE);
    let idle = idle.filter(|_| is_full).map(|idle| {
        message!(
            "idle",
            share = Value::Share(idle.value),
            basis = idle.basis()
        )
    });
    // On a fully used machine, some process always waits.
    let waiting = waiting.filter(|waiting| !is_full && !is_idle && waiting.value > WAITING);
    let waiting = waiting.map(|waiting| {
        message!(
            "waiting",
            share = Value::Share(waiting.value),
            basis = waiting.basis()
        )
    });
    let reasons = idle.into_iter().chain(waiting).chain(spread_of(cell));
    let reasons: Vec<Message> = reasons.collect();
    (!reasons.is_empty()).then(|| clauses(reasons))
}

/// A clause on slices that differ too much; `None` for steady slices.
fn spread_of(cell: &Cell<'_>) -> Option<Message> {
    let metric = Metric::default_primary(is_closed(cell.workload));
    let full = cell.full();
    let known = full.iter().filter_map(|slice| metric.of_slice(slice));
    let values: Vec<f64> = known.collect();
    let spread = spread(&values)?;
    (spread > SPREAD).then(|| {
        message!(
            "spread",
            metric = metric.message(),
            slices = values.len(),
            spread = Value::Share(spread)
        )
    })
}

/// The range of the values as a share of their median, without the lowest and the highest tenth;
/// `None` for fewer than two values.
fn spread(values: &[f64]) -> Option<f64> {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    let ends = values.len() / LEFT_OUT;
    let middle = values.get(ends..values.len() - ends)?;
    let (low, high) = (middle.first()?, middle.last()?);
    let median = crate::words::middle(middle.iter().copied())?;
    (values.len() > 1 && median > 0.0).then(|| (high - low) / median)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;
    use tenbin_result::Trust;

    fn full(mut run: Run, idle: f64) -> Run {
        run.each(|slice| {
            let cpu = slice.machine().cpu.as_mut().unwrap();
            (cpu.busy, cpu.interrupts, cpu.idle, cpu.iowait) = (2.0 - idle, 0.0, idle, 0.0);
        });
        run
    }

    #[test]
    fn a_single_run_on_a_machine_without_an_idle_core_is_suspect() {
        let assessment = full(Run::single(8), 0.1).assess();
        assert_eq!(assessment.trust, Trust::Suspect);
        assert_eq!(assessment.absolute.trust, Trust::Suspect);
        assert_eq!(
            assessment.absolute.because,
            ["only 5 % of the machine's CPU time was idle (median of 8 slices)"]
        );
        let assessment = full(Run::single(8), 0.3).assess();
        assert_eq!(assessment.trust, Trust::Valid);
        assert_eq!(assessment.absolute.trust, Trust::Valid);
        assert!(assessment.absolute.because.is_empty());
    }

    #[test]
    fn waits_on_an_idle_machine_are_those_of_a_quota() {
        let waiting = |idle: f64| {
            let mut run = full(Run::single(8), idle);
            run.each(|slice| {
                let machine = slice.machine();
                machine.pressure.cpu_some_us = Some((0.8e6 * machine.seconds) as u64);
            });
            run.findings(&RULE).len()
        };
        assert_eq!(waiting(0.6), 1);
        assert_eq!(waiting(1.8), 0);
    }

    #[test]
    fn a_ratio_stands_on_a_machine_without_an_idle_core() {
        let assessment = full(Run::pair(8), 0.1).assess();
        assert_eq!(assessment.trust, Trust::Valid);
        assert!(assessment.primary().all(|c| c.trust == Trust::Valid));
        assert_eq!(assessment.absolute.trust, Trust::Suspect);
    }

    #[test]
    fn slices_that_spread_are_suspect() {
        let spread = |share: f64| {
            let mut run = Run::single(8);
            run.each(|slice| {
                let at = f64::from(slice.0.index % 4) / 3.0;
                let answers = 1_000.0 * (1.0 + share * at);
                slice.answers(answers as u64, 2.0 / answers);
            });
            run.findings(&RULE)
        };
        assert_eq!(spread(0.14), []);
        let found = spread(0.30);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].severity, Severity::Suspect);
        assert!(
            found[0]
                .evidence
                .starts_with("the throughput of 8 slices varies by 26"),
            "{found:?}"
        );
    }

    #[test]
    fn waiting_for_a_core_is_suspect_and_what_is_unknown_is_not() {
        let mut run = Run::single(8);
        run.each(|slice| slice.machine().pressure.cpu_some_us = Some(300_000));
        let found = run.findings(&RULE);
        assert!(
            found[0]
                .evidence
                .starts_with("processes waited for a core in 30 % of the time"),
            "{found:?}"
        );
        run.each(|slice| slice.0.end.machine = None);
        assert_eq!(run.findings(&RULE), []);
    }

    #[test]
    fn a_tenth_at_either_end_is_left_out() {
        let mut values = vec![100.0; 20];
        (values[3], values[7], values[11]) = (40.0, 300.0, 50.0);
        assert_eq!(spread(&values), Some(0.0));
        assert_eq!(spread(&values[..9]), Some(2.6));
        assert_eq!(spread(&[1.0]), None);
        assert_eq!(spread(&[0.0, 0.0]), None);
    }
}
