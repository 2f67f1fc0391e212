//! Targets that did not start at the first try during the run.

use tenbin_result::format::plural;
use tenbin_result::{Cause, Finding, Severity};

use crate::evidence::Evidence;
use crate::findings::rule_info::RuleInfo;
use crate::words::tame;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "failed_start",
    summary: "a restart of a target failed and succeeded at the second try",
    severities: &[Severity::Note],
    explanation: include_str!("failed_start.md"),
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let targets = evidence.environment.targets.iter();
    let failed = targets.filter_map(|(name, target)| {
        let first = target.failed_starts.first()?;
        Some(Finding {
            rule: RULE.name.to_owned(),
            severity: Severity::Note,
            cause: Cause::Server,
            workload: None,
            target: Some(name.clone()),
            evidence: format!(
                "{} of {name} failed and succeeded at the second try: {}",
                plural(target.failed_starts.len(), "restart"),
                tame(first)
            ),
            advice:
                "look at the target's log in the run directory; on a busy machine, a start can \
                     take too long"
                    .to_owned(),
        })
    });
    failed.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    #[test]
    fn failed_restarts_are_counted_with_the_first_reason() {
        let mut run = Run::pair(8);
        assert!(run.findings(&RULE).is_empty());
        let target = run.environment.targets.entry("b".to_owned()).or_default();
        target.failed_starts = vec!["it did not start".to_owned(), "again".to_owned()];
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        let evidence = &findings[0].evidence;
        assert!(evidence.starts_with("2 restarts of b failed"), "{evidence}");
        assert!(evidence.ends_with("it did not start"), "{evidence}");
    }
}
