//! Targets that cannot keep up with the rate.

use tenbin_plan::{Pace, Workload};
use tenbin_record::Slice;
use tenbin_result::{Cause, Finding, Severity, Value, message};

use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::words::middle;

/// Share of the due operations waiting at the end of a slice above which there is a finding.
const TOLERANCE: f64 = 0.01;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "overload",
    summary: Texts {
        english: "a target could not keep up with the rate",
        japanese: "ターゲットがレートに追いつかない",
    },
    severities: &[Severity::Suspect],
    explanation: pages!("overload"),
    messages: Messages {
        english: r#"
            queue-grew =
                { $waiting } operations ({ $share } of those due) were still waiting for a free
                connection at the end of a slice ({ $basis }): the target completed { $answered } of
                the { $offered } offered, so the queue grew by { $growth }, and response times
                depend on the length of a slice{ $drops ->
                    [true]
                        ; { $unsent } operations ({ $never } of those due) were never sent, because the
                        queue was not empty when as much time again had passed, and percentiles among
                        them are unknown
                   *[false] {""}
                }
            lower-rate =
                use { $pace ->
                    [ramp] a lower --rate-to
                    [steps] lower rates in --step
                    [trace] a lower --trace-speed
                   *[rate] a lower --rate
                }; or more --connections if the target was waiting rather than working
        "#,
        japanese: r#"
            queue-grew =
                スライスの終わりに { $waiting } 操作(送信予定の { $share })がまだ接続の空きを待っていた({ $basis })。
                ターゲットの処理は { $offered } の負荷に対して { $answered } で、待ち行列が { $growth } で伸びた。
                応答時間はスライスの長さに左右される{ $drops ->
                    [true]
                        。スライスの終了後、同じだけの時間が過ぎても待ち行列が空にならず、
                        { $unsent } 操作(送信予定の { $never })は送信されなかった。
                        これらの操作にかかるパーセンタイルは不明
                   *[false] {""}
                }
            lower-rate =
                { $pace ->
                    [ramp] --rate-to を下げる
                    [steps] --step のレートを下げる
                    [trace] --trace-speed を下げる
                   *[rate] --rate を下げる
                }。ターゲットが処理中ではなく待機中だったなら --connections を増やす
        "#,
    },
    tier: Tier::Cause,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    cells
        .iter()
        .filter_map(|cell| of_cell(cell, evidence))
        .collect()
}

fn of_cell(cell: &Cell<'_>, evidence: &Evidence<'_>) -> Option<Finding> {
    let pace = &cell.workload.load.pace;
    let full = cell.full();
    let waiting = middle(full.iter().map(|slice| slice.backlog as f64))?;
    let lead = lead(cell.workload, evidence);
    let share = middle(
        full.iter()
            .filter_map(|slice| waiting_share(slice, pace, lead)),
    )?;
    if share <= TOLERANCE || waiting <= cell.workload.load.connections as f64 {
        return None;
    }
    let answered = middle(full.iter().filter_map(|slice| slice.response_rate()))?;
    let offered = middle(full.iter().filter_map(|slice| offered(slice, pace)))?;
    let growth = middle(full.iter().filter_map(|slice| growth(slice, lead)))?;
    let requests = full.iter().flat_map(|slice| slice.requests());
    let never_sent: u64 = requests.map(|op| op.counts.unsent).sum();
    let due = full
        .iter()
        .filter_map(|slice| pace.due_within(slice.end.seconds));
    let never = never_sent as f64 / due.sum::<f64>().max(1.0);
    let queue_grew = message!(
        "queue-grew",
        waiting = Value::whole(waiting),
        share = Value::Share(share),
        basis = message!("median-of-slices", slices = full.len()),
        answered = Value::Rate(answered),
        offered = Value::Rate(offered),
        growth = Value::Rate(growth),
        drops = never_sent > 0,
        unsent = Value::Plain(never_sent),
        never = Value::Share(never.min(1.0))
    );
    let advice = message!("lower-rate", pace = Value::word(word(pace)));
    let finding = RULE.finding(Severity::Suspect, Cause::Server, queue_grew, advice);
    Some(finding.on(&cell.workload.name, &cell.target.name))
}

/// Time in which the queue can grow before the window opens, seconds. 0 for a trace, which starts
/// with the window.
fn lead(workload: &Workload, evidence: &Evidence<'_>) -> f64 {
    match workload.load.pace {
        Pace::Trace(_) => 0.0,
        _ => workload.lead(&evidence.plan.rounds).as_secs_f64(),
    }
}

fn waiting_share(slice: &Slice, pace: &Pace, lead: f64) -> Option<f64> {
    let due = pace.due_within(slice.end.seconds)? + due_in_lead(pace, lead);
    (due > 0.0).then(|| slice.backlog as f64 / due)
}

/// Number of operations due in the `lead` seconds before the window, at the rate of the window's
/// start.
fn due_in_lead(pace: &Pace, lead: f64) -> f64 {
    match pace {
        Pace::Constant { per_second } | Pace::Poisson { per_second } => per_second * lead,
        Pace::Ramp { from, .. } => from * lead,
        Pace::Steps { steps, .. } => steps.first().map_or(0.0, |(rate, _)| rate * lead),
        Pace::Closed | Pace::Trace(_) | Pace::Search(_) => 0.0,
    }
}

/// Operations due per second, over the whole slice; `None` if unknown.
fn offered(slice: &Slice, pace: &Pace) -> Option<f64> {
    let due = pace.due_within(slice.end.seconds)?;
    (slice.end.seconds > 0.0).then(|| due / slice.end.seconds)
}

/// Growth of the queue, operations per second: the queue at the end of the slice divided by the
/// length of slice and settling time.
fn growth(slice: &Slice, lead: f64) -> Option<f64> {
    let time = slice.end.seconds + lead;
    (time > 0.0).then(|| slice.backlog as f64 / time)
}

/// The word that selects the option that lowers the rate.
fn word(pace: &Pace) -> &'static str {
    match pace {
        Pace::Closed | Pace::Constant { .. } | Pace::Poisson { .. } | Pace::Search(_) => "rate",
        Pace::Ramp { .. } => "ramp",
        Pace::Steps { .. } => "steps",
        Pace::Trace(_) => "trace",
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tenbin_plan::{Arrivals, Trace};

    use super::*;
    use crate::testing::Run;

    #[test]
    fn fires_when_operations_queue_up_in_every_slice() {
        let mut run = Run::pair(8).open_loop();
        run.each_of("b", |slice| slice.backlog(300));
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Suspect);
        assert_eq!(findings[0].target.as_deref(), Some("b"));
    }

    #[test]
    fn says_how_many_operations_were_never_sent() {
        let mut run = Run::pair(8).open_loop();
        run.each_of("b", |slice| {
            slice.backlog(600);
            slice.0.ops[0].counts.unsent = 250;
        });
        let evidence = &run.findings(&RULE)[0].evidence;
        assert!(
            evidence.contains("; 4000 operations (25 % of those due) were never sent"),
            "{evidence}"
        );
        run.each_of("b", |slice| slice.0.ops[0].counts.unsent = 0);
        let evidence = &run.findings(&RULE)[0].evidence;
        assert!(evidence.ends_with("the length of a slice"), "{evidence}");
    }

    #[test]
    fn knows_what_is_due_at_every_kind_of_rate() {
        let ramp = |from, to| Pace::Ramp {
            from,
            to,
            arrivals: Arrivals::Poisson,
        };
        let steps = Pace::Steps {
            steps: vec![(4e3, Duration::from_secs(3600))],
            arrivals: Arrivals::Constant,
        };
        for (pace, offered, advice) in [
            (Pace::Poisson { per_second: 1e3 }, "1.00 k/s", "--rate;"),
            (ramp(1e3, 3e3), "2.00 k/s", "--rate-to;"),
            (steps, "4.00 k/s", "--step;"),
            (trace(1_000_000, 1), "1.00 k/s", "--trace-speed;"),
        ] {
            let mut run = Run::pair(8).open_loop();
            run.plan.workloads[0].load.pace = pace;
            run.each_of("b", |slice| slice.backlog(300));
            let findings = run.findings(&RULE);
            assert_eq!(findings.len(), 1, "{offered}");
            let Finding {
                evidence,
                advice: found,
                ..
            } = &findings[0];
            assert!(evidence.contains(offered), "{evidence}");
            assert!(evidence.contains("the queue grew by 300/s"), "{evidence}");
            assert!(found.contains(advice), "{found}");
            // The backlog is less than 1 % of the operations due.
            run.each_of("b", |slice| slice.backlog(9));
            assert_eq!(run.findings(&RULE), [], "{offered}");
        }
    }

    #[test]
    fn the_queue_of_the_settling_time_is_no_growth() {
        let mut run = Run::pair(8).open_loop();
        run.plan.rounds.lead = Duration::from_millis(100);
        run.each_of("b", |slice| slice.backlog(1_100));
        let evidence = &run.findings(&RULE)[0].evidence;
        assert!(
            evidence.contains("the queue grew by 1.00 k/s"),
            "{evidence}"
        );
        assert!(evidence.contains("(100 % of those due)"), "{evidence}");
    }

    /// A trace with one operation every `nanos` nanoseconds.
    fn trace(nanos: u64, speed: u32) -> Pace {
        Pace::Trace(Trace {
            path: "arrivals.txt".into(),
            speed: speed.into(),
            offsets: (0..60_000).map(|index| index * nanos).collect(),
        })
    }

    #[test]
    fn silent_for_one_pause_a_few_waiting_and_a_closed_loop() {
        let mut run = Run::pair(8).open_loop();
        run.each(|slice| slice.backlog(2));
        run.first_of("a").backlog(900);
        assert_eq!(run.findings(&RULE), []);
        let mut closed = Run::pair(8);
        closed.each(|slice| slice.backlog(300));
        assert_eq!(closed.findings(&RULE), []);
    }
}
