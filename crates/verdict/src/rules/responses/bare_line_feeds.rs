//! Response heads whose lines end with a line feed alone.

use tenbin_result::{Cause, Finding, Severity};

use crate::evidence::Evidence;
use crate::findings::rule_info::RuleInfo;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "bare_line_feeds",
    summary: "lines of a response head end with a line feed alone",
    severities: &[Severity::Note],
    explanation: include_str!("bare_line_feeds.md"),
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let targets = evidence.environment.targets.iter();
    let found = targets.filter_map(|(name, target)| Some((name, target.bare_line_feed?)));
    found
        .map(|(name, line)| Finding {
            rule: RULE.name.to_owned(),
            severity: Severity::Note,
            cause: Cause::Server,
            workload: None,
            target: Some(name.clone()),
            evidence: format!(
                "line {line} in the head of the first response ended with a line feed alone, not \
                 with CR LF as HTTP/1.1 requires"
            ),
            advice: "end every line of the head with CR LF: Tenbin accepts a line feed, but other \
                     clients and proxies refuse such a response"
                .to_owned(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    #[test]
    fn the_line_is_named() {
        let mut run = Run::pair(8);
        let target = run.environment.targets.entry("b".to_owned()).or_default();
        target.bare_line_feed = Some(3);
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert!(findings[0].evidence.starts_with("line 3"), "{findings:?}");
    }

    #[test]
    fn silent_when_every_line_ends_with_cr_lf() {
        let mut run = Run::pair(8);
        run.environment.targets.entry("b".to_owned()).or_default();
        assert_eq!(run.findings(&RULE), []);
    }
}
