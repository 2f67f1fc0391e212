//! The run did not come to its planned end.

use tenbin_record::Slice;
use tenbin_result::format::plural;
use tenbin_result::{Blame, Finding, Severity};

use super::Rule;
use crate::evidence::Evidence;
use crate::words::verb;

/// The run did not come to its planned end.
pub(super) struct Incomplete;

impl Rule for Incomplete {
    fn name(&self) -> &'static str {
        "incomplete"
    }

    fn summary(&self) -> &'static str {
        "the run ended before its planned end"
    }

    fn severities(&self) -> &'static [Severity] {
        &[Severity::Suspect, Severity::Invalid]
    }

    fn explanation(&self) -> &'static str {
        include_str!("incomplete.md")
    }

    fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding> {
        let plan = evidence.plan;
        let planned = plan.slices_in_rounds(plan.rounds.count);
        let in_rounds = |slice: &&Slice| slice.probe.is_none();
        let cut_short = evidence.slices.iter().filter(|slice| slice.cut_short);
        let cut_short_in_rounds = cut_short.clone().filter(in_rounds).count();
        let cut_short = cut_short.count();
        let measured_nothing = evidence.slices.is_empty();
        if evidence.complete && cut_short == 0 && !measured_nothing {
            return Vec::new();
        }
        let full = evidence.slices.iter().filter(in_rounds).count() - cut_short_in_rounds;
        let searches = plan.workloads.iter().any(|work| work.search().is_some());
        vec![Finding {
            rule: self.name().to_owned(),
            severity: match measured_nothing {
                true => Severity::Invalid,
                false => Severity::Suspect,
            },
            blame: Blame::Setup,
            workload: None,
            target: None,
            evidence: [
                match (planned, searches) {
                    (0, true) => {
                        "the search for the highest rate did not come to its end".to_owned()
                    }
                    _ => told(full, planned, cut_short),
                },
                match &evidence.integrity.cut_off {
                    Some(clause) => format!("; {clause}, as after a kill or on a full disk"),
                    None => String::new(),
                },
            ]
            .concat(),
            advice: advice(evidence).to_owned(),
        }]
    }
}

fn told(full: usize, planned: usize, cut_short: usize) -> String {
    let were = verb(planned, "was", "were");
    if full >= planned {
        // Behind the last window, or between two: what is there to see is whole.
        return format!(
            "{planned} of {} planned {were} measured in full, and yet the run did not come to its \
             end: it was stopped, or a target failed, in the last slice or behind it",
            plural(planned, "slice")
        );
    }
    format!(
        "{full} of {} planned {were} measured in full, {cut_short} cut short",
        plural(planned, "slice")
    )
}

fn advice(evidence: &Evidence<'_>) -> &'static str {
    if evidence.slices.is_empty() {
        return "run it again: nothing was measured";
    }
    // Behind such a slice no further one is measured.
    if !evidence.complete && evidence.slices.last().is_some_and(Slice::gave_nothing) {
        "mend first what failed: the run was stopped because nothing in the last slice succeeded"
    } else {
        "run it again to its end; only whole blocks count in the comparisons"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    #[test]
    fn fires_when_the_run_was_interrupted_or_a_slice_was() {
        let findings = Run::pair(8).interrupted(7).findings(&Incomplete);
        assert_eq!(findings.len(), 1);
        assert_eq!(
            findings[0].evidence,
            "7 of 32 slices planned were measured in full, 0 cut short"
        );
        let mut run = Run::pair(8);
        run.first_of("a").cut_short();
        assert_eq!(run.findings(&Incomplete).len(), 1);
    }

    #[test]
    fn a_run_that_failed_in_its_last_slice_says_so() {
        let evidence = |rounds: u32| {
            let findings = Run::single(rounds).interrupted(9).findings(&Incomplete);
            findings[0].evidence.clone()
        };
        let one = evidence(1);
        assert!(
            one.starts_with("1 of 1 slice planned was measured in full, and yet the run did not"),
            "{one}"
        );
        assert!(!one.contains("0 cut short"), "{one}");
        assert!(evidence(2).starts_with("2 of 2 slices planned were"));
    }

    #[test]
    fn whoever_was_stopped_because_nothing_succeeded_is_not_told_to_run_it_again() {
        let mut run = Run::pair(8).interrupted(1);
        run.each(|slice| {
            slice.answers(0, 0.001);
            slice.fail(tenbin_record::ErrorClass::Status, 400);
        });
        let advice = &run.findings(&Incomplete)[0].advice;
        assert!(advice.starts_with("mend first what failed"), "{advice}");

        let run = Run::pair(8).interrupted(1);
        let advice = &run.findings(&Incomplete)[0].advice;
        assert!(advice.starts_with("run it again to its end"), "{advice}");
    }

    #[test]
    fn a_run_that_measured_nothing_is_invalid() {
        let findings = Run::pair(8).interrupted(0).findings(&Incomplete);
        assert_eq!(findings[0].severity, Severity::Invalid);
        let mut emptied = Run::pair(8);
        emptied.slices.clear();
        let findings = emptied.findings(&Incomplete);
        assert_eq!(findings[0].severity, Severity::Invalid, "{findings:?}");
        let findings = Run::pair(8).interrupted(1).findings(&Incomplete);
        assert_eq!(findings[0].severity, Severity::Suspect);
    }

    #[test]
    fn a_file_that_was_cut_off_is_named() {
        let mut run = Run::pair(8).interrupted(7);
        run.integrity.cut_off = Some("intervals.jsonl ends within a line".to_owned());
        let evidence = &run.findings(&Incomplete)[0].evidence;
        assert!(evidence.contains("; intervals.jsonl ends within a line, as after a kill"));
        assert_eq!(run.assess().trust, tenbin_result::Trust::Suspect);
    }

    #[test]
    fn silent_when_it_came_to_its_end() {
        assert_eq!(Run::pair(8).findings(&Incomplete), []);
    }
}
