//! A target that cannot keep up with the rate.

use tenbin_plan::{Pace, Workload};
use tenbin_record::Slice;
use tenbin_result::format::{percent, plural, rate};
use tenbin_result::{Blame, Finding, Severity};

use super::Rule;
use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::words::middle;

/// Share of the operations due in a slice that may be waiting at its end.
const TOLERANCE: f64 = 0.01;

/// A target that cannot keep up with the rate.
pub(super) struct Overload;

impl Rule for Overload {
    fn name(&self) -> &'static str {
        "overload"
    }

    fn summary(&self) -> &'static str {
        "a target could not keep up with the rate"
    }

    fn severities(&self) -> &'static [Severity] {
        &[Severity::Suspect]
    }

    fn explanation(&self) -> &'static str {
        include_str!("overload.md")
    }

    fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding> {
        let cells = evidence.cells();
        cells
            .iter()
            .filter_map(|cell| self.cell(cell, evidence))
            .collect()
    }
}

impl Overload {
    fn cell(&self, cell: &Cell<'_>, evidence: &Evidence<'_>) -> Option<Finding> {
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
        let answered = middle(full.iter().filter_map(|slice| slice.answer_rate()))?;
        let asked = middle(full.iter().filter_map(|slice| asked(slice, pace)))?;
        let growth = middle(full.iter().filter_map(|slice| growth(slice, lead)))?;
        Some(Finding {
            rule: self.name().to_owned(),
            severity: Severity::Suspect,
            blame: Blame::Server,
            workload: Some(cell.workload.name.clone()),
            target: Some(cell.target.name.clone()),
            evidence: format!(
                "{waiting:.0} operations ({} of those due) were still waiting for a free \
                 connection at the end of a slice (median of {}): {} were answered of \
                 {} asked for, so that the queue grew by {}, and response times grow with the \
                 length of a slice",
                percent(share),
                plural(full.len(), "slice"),
                rate(answered),
                rate(asked),
                rate(growth),
            ),
            advice: format!(
                "use {}, or more --connections if the target was waiting",
                lower(pace)
            ),
        })
    }
}

/// Seconds in which the queue grows before the window opens.
fn lead(workload: &Workload, evidence: &Evidence<'_>) -> f64 {
    workload.lead(&evidence.plan.rounds).as_secs_f64()
}

fn waiting_share(slice: &Slice, pace: &Pace, lead: f64) -> Option<f64> {
    let due = pace.due_within(slice.seconds)? + due_in_lead(pace, lead);
    (due > 0.0).then(|| slice.backlog as f64 / due)
}

/// The rate of the window's start holds before it; a trace begins with the window.
fn due_in_lead(pace: &Pace, lead: f64) -> f64 {
    match pace {
        Pace::Constant { per_second } | Pace::Poisson { per_second } => per_second * lead,
        Pace::Ramp { from, .. } => from * lead,
        Pace::Steps { steps, .. } => steps.first().map_or(0.0, |(rate, _)| rate * lead),
        Pace::Closed | Pace::Trace(_) | Pace::Search(_) => 0.0,
    }
}

/// Operations due a second, over the whole slice.
fn asked(slice: &Slice, pace: &Pace) -> Option<f64> {
    let due = pace.due_within(slice.seconds)?;
    (slice.seconds > 0.0).then(|| due / slice.seconds)
}

/// By how much the queue grew a second, over the lead and the whole slice.
fn growth(slice: &Slice, lead: f64) -> Option<f64> {
    let time = slice.seconds + lead;
    (time > 0.0).then(|| slice.backlog as f64 / time)
}

/// What to ask for instead.
fn lower(pace: &Pace) -> &'static str {
    match pace {
        Pace::Closed | Pace::Constant { .. } | Pace::Poisson { .. } | Pace::Search(_) => {
            "a lower --rate"
        }
        Pace::Ramp { .. } => "a lower --rate-to",
        Pace::Steps { .. } => "lower rates in --step",
        Pace::Trace(_) => "a lower --trace-speed",
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
        let findings = run.findings(&Overload);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Suspect);
        assert_eq!(findings[0].target.as_deref(), Some("b"));
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
        for (pace, asked, advice) in [
            (Pace::Poisson { per_second: 1e3 }, "1.00 k/s", "--rate,"),
            (ramp(1e3, 3e3), "2.00 k/s", "--rate-to,"),
            (steps, "4.00 k/s", "--step,"),
            (trace(1_000_000, 1), "1.00 k/s", "--trace-speed,"),
        ] {
            let mut run = Run::pair(8).open_loop();
            run.plan.workloads[0].load.pace = pace;
            run.each_of("b", |slice| slice.backlog(300));
            let findings = run.findings(&Overload);
            assert_eq!(findings.len(), 1, "{asked}");
            let Finding {
                evidence,
                advice: found,
                ..
            } = &findings[0];
            assert!(evidence.contains(asked), "{evidence}");
            assert!(evidence.contains("the queue grew by 300/s"), "{evidence}");
            assert!(found.contains(advice), "{found}");
            // Less than a hundredth of what is due.
            run.each_of("b", |slice| slice.backlog(9));
            assert_eq!(run.findings(&Overload), [], "{asked}");
        }
    }

    #[test]
    fn the_queue_of_the_lead_does_not_make_it_grow_faster_than_operations_come() {
        let mut run = Run::pair(8).open_loop();
        run.plan.rounds.lead = Duration::from_millis(100);
        run.each_of("b", |slice| slice.backlog(1_100));
        let evidence = &run.findings(&Overload)[0].evidence;
        assert!(
            evidence.contains("the queue grew by 1.00 k/s"),
            "{evidence}"
        );
        assert!(evidence.contains("(100 % of those due)"), "{evidence}");
    }

    /// One operation every so many nanoseconds, from the start on.
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
        assert_eq!(run.findings(&Overload), []);
        let mut closed = Run::pair(8);
        closed.each(|slice| slice.backlog(300));
        assert_eq!(closed.findings(&Overload), []);
    }
}
