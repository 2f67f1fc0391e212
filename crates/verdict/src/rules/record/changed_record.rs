//! Files of the run directory that were changed after the run wrote them.

use tenbin_result::{Cause, Finding, Severity};

use crate::evidence::Evidence;
use crate::findings::rule_info::RuleInfo;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "changed_record",
    summary: "a file of the run directory was changed after the run wrote it",
    severities: &[Severity::Note, Severity::Invalid],
    explanation: include_str!("changed_record.md"),
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let integrity = evidence.integrity;
    let (severity, evidence, advice) = if !integrity.changed.is_empty() {
        let changed = integrity.changed.join("; ");
        (Severity::Invalid, changed, RESTORE)
    } else if integrity.is_unchecked {
        (Severity::Note, UNCHECKED.to_owned(), RUN_AGAIN)
    } else {
        return Vec::new();
    };
    vec![Finding {
        rule: RULE.name.to_owned(),
        severity,
        cause: Cause::Setup,
        workload: None,
        target: None,
        evidence,
        advice: advice.to_owned(),
    }]
}

const RESTORE: &str = "restore the files from a copy, or repeat the run";
const UNCHECKED: &str = "a version without check values wrote this run, so changes to its files \
                         cannot be detected";
const RUN_AGAIN: &str = "to have the files checked, repeat the run with this version";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;
    use tenbin_result::Trust;

    #[test]
    fn a_changed_file_makes_the_run_and_every_comparison_invalid() {
        let mut run = Run::pair(8);
        run.integrity.changed = ["line 17", "plan.toml"].map(str::to_owned).to_vec();
        let assessment = run.assess();
        assert_eq!(assessment.trust, Trust::Invalid);
        assert!(
            assessment
                .primary()
                .all(|each| each.trust == Trust::Invalid)
        );
        assert_eq!(assessment.findings[0].rule, "changed_record");
        assert_eq!(assessment.findings[0].evidence, "line 17; plan.toml");
    }

    #[test]
    fn a_run_of_an_older_version_gets_a_note() {
        let mut run = Run::pair(8);
        run.integrity.is_unchecked = true;
        let assessment = run.assess();
        assert_eq!(assessment.trust, Trust::Valid);
        assert_eq!(assessment.findings[0].severity, Severity::Note);
    }

    #[test]
    fn silent_when_all_files_are_as_written() {
        assert_eq!(Run::pair(8).findings(&RULE), []);
    }
}
