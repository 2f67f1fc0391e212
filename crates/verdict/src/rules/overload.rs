//! A target that cannot keep up with the rate.

use tenbin_plan::Pace;
use tenbin_record::Slice;

use super::Rule;
use crate::evidence::{Cell, Evidence};
use crate::finding::{Blame, Finding, Severity};
use crate::words::{count, middle, percent};

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

    fn explanation(&self) -> &'static str {
        include_str!("overload.md")
    }

    fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding> {
        let cells = evidence.cells();
        cells.iter().filter_map(|cell| self.cell(cell)).collect()
    }
}

impl Overload {
    fn cell(&self, cell: &Cell<'_>) -> Option<Finding> {
        let Pace::Constant { per_second } = cell.workload.load.pace else {
            return None;
        };
        let full = cell.full();
        let waiting = middle(full.iter().map(|slice| slice.backlog as f64))?;
        let share = middle(
            full.iter()
                .filter_map(|slice| waiting_share(slice, per_second)),
        )?;
        if share <= TOLERANCE || waiting <= cell.workload.load.connections as f64 {
            return None;
        }
        let throughput = middle(full.iter().filter_map(|slice| slice.throughput()))?;
        Some(Finding {
            rule: self.name(),
            severity: Severity::Suspect,
            blame: Blame::Server,
            workload: Some(cell.workload.name.clone()),
            target: Some(cell.target.name.clone()),
            evidence: format!(
                "{waiting:.0} operations ({} of those due) were still waiting for a free \
                 connection at the end of a slice (median of {}): {throughput:.1}/s were \
                 answered of {per_second}/s asked for, and response times grow with the length \
                 of a slice",
                percent(share),
                count(full.len(), "slice"),
            ),
            advice: "use a lower --rate, or more --connections if the target was waiting"
                .to_owned(),
        })
    }
}

fn waiting_share(slice: &Slice, per_second: f64) -> Option<f64> {
    let due = per_second * slice.seconds;
    (due > 0.0).then(|| slice.backlog as f64 / due)
}

#[cfg(test)]
mod tests {
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
