//! Text in a request that looks like a template and was sent literally.

use tenbin_plan::LiteralTemplate;
use tenbin_result::{Cause, Finding, Severity};

use crate::evidence::Evidence;
use crate::findings::rule_info::RuleInfo;
use crate::words::tame;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "literal_template",
    summary: "a request contains a placeholder of another tool, which was sent literally",
    severities: &[Severity::Suspect],
    explanation: include_str!("literal_template.md"),
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let found = evidence.plan.literal_templates().into_iter();
    found
        .map(
            |(workload, LiteralTemplate { part, text, remedy })| Finding {
                rule: RULE.name.to_owned(),
                severity: Severity::Suspect,
                cause: Cause::Plan,
                workload: Some(workload.to_owned()),
                target: None,
                evidence: format!(
                    "{part} contains \"{}\", which looks like a template and was sent literally",
                    tame(&text)
                ),
                advice: remedy.to_owned(),
            },
        )
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    #[test]
    fn fires_for_a_placeholder_and_not_for_json() {
        let with = |path: &str| {
            let mut run = Run::pair(8);
            run.sends_to(path);
            run.findings(&RULE)
        };
        let found = with("/json?x={random}");
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].severity, Severity::Suspect);
        assert!(found[0].evidence.contains("\"{random}\""), "{found:?}");
        assert!(found[0].advice.contains("--patterns"), "{found:?}");
        assert_eq!(with("/json?filter={}"), []);
    }
}
