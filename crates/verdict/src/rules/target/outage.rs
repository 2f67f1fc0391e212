//! Targets that stopped answering during the run.

use tenbin_record::Outage;
use tenbin_result::format::TIME;
use tenbin_result::{Cause, Finding, Severity};

use crate::evidence::Evidence;
use crate::findings::rule_info::RuleInfo;
use crate::words::tame;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "outage",
    summary: "a target stopped answering, and the run went on when it answered again",
    severities: &[Severity::Suspect],
    explanation: include_str!("outage.md"),
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    evidence.environment.outages.iter().map(finding).collect()
}

fn finding(outage: &Outage) -> Finding {
    let from = match outage.last_correct {
        Some(last) => format!(
            "between {} (end of the last slice with a correct response) and {}",
            TIME.of(last),
            TIME.of(outage.noticed)
        ),
        None => format!("before {}", TIME.of(outage.noticed)),
    };
    Finding {
        rule: RULE.name.to_owned(),
        severity: Severity::Suspect,
        cause: Cause::Server,
        workload: None,
        target: Some(outage.target.clone()),
        evidence: format!(
            "{} stopped answering {from} and answered again {} after the start of the run, at least \
             {} later: {}; {} was measured again",
            outage.target,
            TIME.of(outage.answered),
            TIME.of((outage.answered - outage.noticed).max(0.0)),
            tame(&outage.reason),
            outage.during
        ),
        advice:
            "find out why the target stopped (its log, its supervisor); no figure contains the \
                 outage, and after it the target may have empty caches"
                .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    #[test]
    fn an_outage_is_named_with_its_times_and_a_run_without_one_has_no_finding() {
        let mut run = Run::pair(8);
        assert!(run.findings(&RULE).is_empty());
        run.environment.outages.push(Outage {
            target: "b".to_owned(),
            reason: "connection refused (412 times)".to_owned(),
            during: "block 2".to_owned(),
            last_correct: Some(10.1),
            noticed: 12.3,
            answered: 17.5,
        });
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Suspect);
        for part in [
            "10.1 s",
            "12.3 s",
            "17.5 s",
            "5.20 s",
            "(412 times)",
            "block 2",
        ] {
            let evidence = &findings[0].evidence;
            assert!(evidence.contains(part), "{part}: {evidence}");
        }
    }
}
