//! Targets that did not start at the first try during the run.

use tenbin_result::{Cause, Finding, Severity, message};

use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::words::tame;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "failed_start",
    summary: Texts {
        english: "a restart of a target failed and succeeded at the second try",
        japanese: "ターゲットの再起動が失敗し、2 度目で成功した",
    },
    severities: &[Severity::Note],
    explanation: pages!("failed_start"),
    messages: Messages {
        english: r#"
            failed =
                { $restarts ->
                    [one] 1 restart
                   *[other] { $restarts } restarts
                } of { $target } failed and succeeded at the second try: { $reason }
            look-at-log =
                look at the target's log in the run directory; on a busy machine, a start can take
                too long
        "#,
        japanese: r#"
            failed =
                { $target } の再起動が { $restarts } 回失敗し、2 度目で成功した: { $reason }
            look-at-log =
                実行ディレクトリーにあるターゲットのログを調べる。忙しいマシンでは起動に時間がかかりすぎることがある
        "#,
    },
    tier: Tier::Circumstance,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let targets = evidence.environment.targets.iter();
    let failed = targets.filter_map(|(name, target)| {
        let first = target.failed_starts.first()?;
        let failed = message!(
            "failed",
            restarts = target.failed_starts.len(),
            target = name,
            reason = tame(first)
        );
        let advice = message!("look-at-log");
        let finding = RULE.finding(Severity::Note, Cause::Server, failed, advice);
        Some(finding.of_target(name))
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
