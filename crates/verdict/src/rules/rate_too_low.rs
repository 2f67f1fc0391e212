//! A rate at which all targets look alike.

use tenbin_plan::Workload;
use tenbin_result::format::{plural, rate};
use tenbin_result::{Blame, Finding, Severity};

use super::Rule;
use crate::cell::Cell;
use crate::evidence::{Evidence, is_closed};
use crate::words::middle;

/// Share of the operations due that has to be answered to keep up.
const KEEPS_UP: f64 = 0.99;

/// A rate at which all targets look alike.
pub(super) struct RateTooLow;

impl Rule for RateTooLow {
    fn name(&self) -> &'static str {
        "rate_too_low"
    }

    fn summary(&self) -> &'static str {
        "every target keeps up with the rate, so the run cannot distinguish them"
    }

    fn severities(&self) -> &'static [Severity] {
        &[Severity::Note]
    }

    fn explanation(&self) -> &'static str {
        include_str!("rate_too_low.md")
    }

    fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding> {
        let open = evidence.plan.workloads.iter().filter(|w| !is_closed(w));
        open.filter_map(|workload| self.workload(workload, evidence))
            .collect()
    }
}

impl RateTooLow {
    fn workload(&self, workload: &Workload, evidence: &Evidence<'_>) -> Option<Finding> {
        let mut primary = evidence.comparisons.iter();
        let told_apart =
            primary.any(|c| c.primary && c.workload == workload.name && c.outcome.is_different());
        let cells = evidence.cells();
        let arms: Vec<&Cell<'_>> = cells
            .iter()
            .filter(|cell| cell.workload.name == workload.name)
            .collect();
        let all_keep_up = arms.iter().all(|cell| keeps_up(cell).unwrap_or(false));
        if arms.len() < 2 || told_apart || !all_keep_up {
            return None;
        }
        let answered = arms.iter().filter_map(|cell| answered(cell));
        let least = answered.fold(f64::INFINITY, f64::min);
        Some(Finding {
            rule: self.name().to_owned(),
            severity: Severity::Note,
            blame: Blame::Question,
            workload: Some(workload.name.clone()),
            target: None,
            evidence: format!(
                "each of {} reached the requested rate ({} or more), and their response times do not \
                 differ: it is unknown which of them can do more",
                plural(arms.len(), "target"),
                rate(least)
            ),
            advice: "use a higher --rate or a closed loop to find out which can do more".to_owned(),
        })
    }
}

fn keeps_up(cell: &Cell<'_>) -> Option<bool> {
    let pace = &cell.workload.load.pace;
    let full = cell.full();
    let due = middle(full.iter().filter_map(|slice| {
        let due = pace.due_within(slice.seconds)?;
        (slice.seconds > 0.0).then(|| due / slice.seconds)
    }))?;
    Some(answered(cell)? >= KEEPS_UP * due)
}

fn answered(cell: &Cell<'_>) -> Option<f64> {
    let full = cell.full();
    middle(full.iter().filter_map(|slice| slice.answer_rate()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    #[test]
    fn fires_when_all_keep_up_and_look_alike() {
        let findings = Run::pair(8).open_loop().findings(&RateTooLow);
        assert_eq!(findings.len(), 1);
        assert!(
            findings[0]
                .evidence
                .starts_with("each of 2 targets reached the requested rate (1.00 k/s or more)"),
            "{findings:?}"
        );
    }

    #[test]
    fn silent_when_something_tells_them_apart_or_there_is_one() {
        let mut slower = Run::pair(8).open_loop();
        slower.each_of("b", |slice| slice.answers(1_000, 0.003));
        assert_eq!(slower.findings(&RateTooLow), []);
        let mut overloaded = Run::pair(8).open_loop();
        overloaded.each_of("b", |slice| slice.answers(900, 0.002));
        assert_eq!(overloaded.findings(&RateTooLow), []);
        assert_eq!(Run::single(8).open_loop().findings(&RateTooLow), []);
        assert_eq!(Run::pair(8).findings(&RateTooLow), []);
    }
}
