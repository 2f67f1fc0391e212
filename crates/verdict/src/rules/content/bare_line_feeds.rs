//! Response heads whose lines end with a line feed alone.

use tenbin_result::{Cause, Finding, Severity, message};

use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "bare_line_feeds",
    summary: Texts {
        english: "lines of a response head end with a line feed alone",
        japanese: "応答ヘッダーの行が LF だけで終わっている",
    },
    severities: &[Severity::Note],
    explanation: pages!("bare_line_feeds"),
    messages: Messages {
        english: r#"
            bare-line-feed =
                line { $line } in the head of the first response ended with a line feed alone, not
                with CR LF as HTTP/1.1 requires
            use-cr-lf =
                end every line of the head with CR LF: Tenbin accepts a line feed, but other clients
                and proxies refuse such a response
        "#,
        japanese: r#"
            bare-line-feed =
                最初の応答のヘッダー { $line } 行目が、HTTP/1.1 の定める CR LF ではなく LF だけで終わっている
            use-cr-lf =
                ヘッダーの各行を CR LF で終える。
                Tenbin は LF だけでも受け付けるが、拒否するクライアントやプロキシーもある
        "#,
    },
    tier: Tier::Circumstance,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let targets = evidence.environment.targets.iter();
    let found = targets.filter_map(|(name, target)| Some((name, target.bare_line_feed?)));
    found
        .map(|(name, line)| {
            let seen = message!("bare-line-feed", line);
            let advice = message!("use-cr-lf");
            let finding = RULE.finding(Severity::Note, Cause::Server, seen, advice);
            finding.of_target(name)
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
