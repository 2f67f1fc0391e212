//! Runs that did not reach their planned end.

use tenbin_record::Slice;
use tenbin_result::format::plural;
use tenbin_result::{Cause, Finding, Severity};

use crate::evidence::Evidence;
use crate::findings::rule_info::RuleInfo;
use crate::words::verb;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "incomplete",
    summary: "the run ended before its planned end",
    severities: &[Severity::Suspect, Severity::Invalid],
    explanation: include_str!("incomplete.md"),
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
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
        rule: RULE.name.to_owned(),
        severity: if measured_nothing {
            Severity::Invalid
        } else {
            Severity::Suspect
        },
        cause: Cause::Setup,
        workload: None,
        target: None,
        evidence: [
            match (planned, searches) {
                (0, true) => "the maximum-rate search did not finish".to_owned(),
                _ => sentence(full, planned, cut_short),
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

fn sentence(full: usize, planned: usize, cut_short: usize) -> String {
    let were = verb(planned, "was", "were");
    if full >= planned {
        // The run ended after or between windows, so all measured slices are complete. `--until`
        // can add slices beyond the planned number.
        let of_planned = if full > planned {
            "slices were".to_owned()
        } else {
            format!("of {} planned {were}", plural(planned, "slice"))
        };
        return format!(
            "{full} {of_planned} measured in full, but the run did not finish: it is still running, \
             was stopped, or a target failed, during or after the last slice"
        );
    }
    format!(
        "{full} of {} planned {were} measured in full, {cut_short} cut short",
        plural(planned, "slice")
    )
}

fn advice(evidence: &Evidence<'_>) -> &'static str {
    if evidence.slices.is_empty() {
        return "repeat the run: nothing was measured";
    }
    // A slice without any success stops the run.
    if !evidence.complete && evidence.slices.last().is_some_and(Slice::gave_nothing) {
        "first fix the failures: the run was stopped because no operation of the last slice \
         succeeded"
    } else {
        "repeat the run to its end; the comparisons use only complete blocks"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    #[test]
    fn fires_when_the_run_was_interrupted_or_a_slice_was() {
        let findings = Run::pair(8).interrupted(7).findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(
            findings[0].evidence,
            "7 of 32 slices planned were measured in full, 0 cut short"
        );
        let mut run = Run::pair(8);
        run.first_of("a").cut_short();
        assert_eq!(run.findings(&RULE).len(), 1);
    }

    #[test]
    fn a_run_that_failed_in_its_last_slice_says_so() {
        let evidence = |rounds: u32| {
            let findings = Run::single(rounds).interrupted(9).findings(&RULE);
            findings[0].evidence.clone()
        };
        let one = evidence(1);
        assert!(
            one.starts_with("1 of 1 slice planned was measured in full, but the run did not"),
            "{one}"
        );
        assert!(!one.contains("0 cut short"), "{one}");
        assert!(evidence(2).starts_with("2 of 2 slices planned were"));
        let mut extended = Run::single(9).interrupted(9);
        extended.plan.rounds.count = 4;
        let more = extended.findings(&RULE)[0].evidence.clone();
        assert!(
            more.starts_with("9 slices were measured in full, but the run did not finish: it is"),
            "{more}"
        );
    }

    #[test]
    fn a_run_stopped_by_failures_is_not_advised_to_repeat() {
        let mut run = Run::pair(8).interrupted(1);
        run.each(|slice| {
            slice.answers(0, 0.001);
            slice.fail(tenbin_record::ErrorClass::Status, 400);
        });
        let advice = &run.findings(&RULE)[0].advice;
        assert!(advice.starts_with("first fix the failures"), "{advice}");

        let run = Run::pair(8).interrupted(1);
        let advice = &run.findings(&RULE)[0].advice;
        assert!(advice.starts_with("repeat the run to its end"), "{advice}");
    }

    #[test]
    fn a_run_that_measured_nothing_is_invalid() {
        let findings = Run::pair(8).interrupted(0).findings(&RULE);
        assert_eq!(findings[0].severity, Severity::Invalid);
        let mut emptied = Run::pair(8);
        emptied.slices.clear();
        let findings = emptied.findings(&RULE);
        assert_eq!(findings[0].severity, Severity::Invalid, "{findings:?}");
        let findings = Run::pair(8).interrupted(1).findings(&RULE);
        assert_eq!(findings[0].severity, Severity::Suspect);
    }

    #[test]
    fn a_file_that_was_cut_off_is_named() {
        let mut run = Run::pair(8).interrupted(7);
        run.integrity.cut_off = Some("intervals.jsonl ends within a line".to_owned());
        let evidence = &run.findings(&RULE)[0].evidence;
        assert!(evidence.contains("; intervals.jsonl ends within a line, as after a kill"));
        assert_eq!(run.assess().trust, tenbin_result::Trust::Suspect);
    }

    #[test]
    fn silent_for_a_complete_run() {
        assert_eq!(Run::pair(8).findings(&RULE), []);
    }
}
