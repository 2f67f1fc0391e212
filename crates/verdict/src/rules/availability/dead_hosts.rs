//! Hosts that did not respond before the run.

use tenbin_record::DeadHost;
use tenbin_result::{Cause, Finding, Severity, message};

use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::words::tame;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "dead_hosts",
    summary: Texts {
        english: "a host of a target did not respond before the run",
        japanese: "実行の前に応答しないホストがあった",
    },
    severities: &[Severity::Suspect],
    explanation: pages!("dead_hosts"),
    messages: Messages {
        english: r#"
            did-not-respond =
                before the run, { $hosts } of { $target } did not respond ({ $reason });
                { $left_out ->
                    [true] no requests were sent there
                   *[false]
                        their share of the requests was sent there and counts as failed unless they
                        came back
                }
            start-hosts =
                { $left_out ->
                    [true]
                        the figures are those of the other hosts; start the dead ones and repeat
                        the run to measure all of them
                   *[false]
                        start them and repeat the run, or leave them out with --dead-hosts
                        leave-out
                }
        "#,
        japanese: r#"
            did-not-respond =
                実行の前に、{ $target } の { $hosts } が応答しなかった({ $reason })。{ $left_out ->
                    [true] これらのホストにはリクエストを送っていない
                   *[false]
                        これらのホストの分のリクエストも送られ、応答が回復しないかぎり失敗として数えられる
                }
            start-hosts =
                { $left_out ->
                    [true]
                        数値はほかのホストのもの。すべてのホストを測るには、
                        応答しなかったホストを起動して再実行する
                   *[false]
                        これらのホストを起動して再実行するか、--dead-hosts leave-out で除外する
                }
        "#,
    },
    tier: Tier::Work,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let targets = evidence.environment.targets.iter();
    targets
        .filter_map(|(name, target)| finding(name, &target.dead_hosts))
        .collect()
}

fn finding(target: &str, dead: &[DeadHost]) -> Option<Finding> {
    let first = dead.first()?;
    let names: Vec<String> = dead.iter().map(|host| tame(&host.name)).collect();
    let did_not_respond = message!(
        "did-not-respond",
        hosts = names,
        target,
        reason = tame(&first.reason),
        left_out = first.left_out
    );
    let advice = message!("start-hosts", left_out = first.left_out);
    let finding = RULE.finding(Severity::Suspect, Cause::Setup, did_not_respond, advice);
    Some(finding.of_target(target))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    #[test]
    fn dead_hosts_are_named_with_what_happened_to_their_share() {
        for (left_out, effect) in [(true, "no requests"), (false, "counts as failed")] {
            let mut run = Run::pair(8);
            assert!(run.findings(&RULE).is_empty());
            let target = run.environment.targets.entry("b".to_owned()).or_default();
            target.dead_hosts.push(DeadHost {
                name: "db2:9000".to_owned(),
                reason: "nothing listens".to_owned(),
                left_out,
            });
            let findings = run.findings(&RULE);
            assert_eq!(findings.len(), 1);
            let evidence = &findings[0].evidence;
            assert!(evidence.contains("db2:9000 of b"), "{evidence}");
            assert!(evidence.contains(effect), "{evidence}");
        }
    }
}
