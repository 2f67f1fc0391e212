//! Renewals of temporary keys that were refused.

use tenbin_record::RefusedRenewal;
use tenbin_result::{Cause, Finding, Severity, Value, message};

use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::words::tame;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "key_renewal",
    summary: Texts {
        english: "the temporary keys of a target were not renewed at the first try",
        japanese: "ターゲットの一時的な鍵を 1 回で更新できなかった",
    },
    severities: &[Severity::Note, Severity::Suspect],
    explanation: pages!("key_renewal"),
    messages: Messages {
        english: r#"
            refused =
                { $issuer } refused { $tries ->
                    [one] { $tries } renewal
                   *[other] { $tries } renewals
                } of the keys of { $target } from { $first } after the start of the run on: { $reason };
                { $outcome }
            in-time = the old keys were valid until there were new ones, { $renewed } after the start
            unneeded = the old keys were valid to the end of the load
            late =
                the old keys expired { $expired } after the start, and there were new ones only
                { $renewed } after it: requests in between failed because of that
            never =
                the old keys expired { $expired } after the start, and there were no new ones to the
                end of the load: requests failed because of that
            ask-issuer = find out why the keys were refused; no figure depends on it
            repeat-run =
                find out why the keys were refused, and measure again: the failures are those of the
                token service, not of the target
        "#,
        japanese: r#"
            refused =
                { $target } の鍵の更新を { $issuer } が、実行開始の { $first } 後から { $tries } 回拒否した:
                { $reason }。{ $outcome }
            in-time = 古い鍵は、開始の { $renewed } 後に新しい鍵を得るまで有効だった
            unneeded = 古い鍵は負荷の終わりまで有効だった
            late =
                古い鍵は開始の { $expired } 後に失効し、新しい鍵を得たのは { $renewed } 後。その間のリクエストは
                そのために失敗した
            never =
                古い鍵は開始の { $expired } 後に失効し、負荷の終わりまで新しい鍵はなかった。リクエストはそのために
                失敗した
            ask-issuer = 鍵を拒否された理由を調べる。どの数値にも影響はない
            repeat-run =
                鍵を拒否された理由を調べ、測り直す。失敗はトークンサービスのもので、ターゲットのものではない
        "#,
    },
    tier: Tier::Work,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let refused = &evidence.environment.refused_renewals;
    refused.iter().map(finding).collect()
}

fn finding(refused: &RefusedRenewal) -> Finding {
    let outcome = match (refused.expired, refused.renewed) {
        (Some(expired), Some(renewed)) => message!(
            "late",
            expired = Value::Seconds(expired),
            renewed = Value::Seconds(renewed)
        ),
        (Some(expired), None) => message!("never", expired = Value::Seconds(expired)),
        (None, Some(renewed)) => message!("in-time", renewed = Value::Seconds(renewed)),
        (None, None) => message!("unneeded"),
    };
    let (severity, advice) = match refused.expired {
        Some(_) => (Severity::Suspect, message!("repeat-run")),
        None => (Severity::Note, message!("ask-issuer")),
    };
    let evidence = message!(
        "refused",
        target = &refused.target,
        issuer = tame(&refused.issuer),
        tries = Value::Count(refused.tries),
        first = Value::Seconds(refused.first),
        reason = tame(&refused.reason),
        outcome
    );
    let finding = RULE.finding(severity, Cause::Setup, evidence, advice);
    finding.of_target(&refused.target)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    fn refused(expired: Option<f64>, renewed: Option<f64>) -> RefusedRenewal {
        RefusedRenewal {
            target: "b".to_owned(),
            issuer: "CreateSession of bucket box--x-s3".to_owned(),
            reason: "the server is not ready for work; try again (503 SlowDown)".to_owned(),
            tries: 3,
            first: 12.3,
            expired,
            renewed,
        }
    }

    #[test]
    fn keys_that_expired_make_the_run_suspect_and_keys_renewed_in_time_do_not() {
        let mut run = Run::pair(8);
        assert!(run.findings(&RULE).is_empty());
        for (expired, renewed, severity, said) in [
            (None, Some(14.1), Severity::Note, "valid until"),
            (None, None, Severity::Note, "valid to the end"),
            (Some(15.2), Some(16.1), Severity::Suspect, "only 16.1 s"),
            (Some(15.2), None, Severity::Suspect, "expired 15.2 s"),
        ] {
            run.environment.refused_renewals = vec![refused(expired, renewed)];
            let findings = run.findings(&RULE);
            assert_eq!(findings.len(), 1);
            assert_eq!(findings[0].severity, severity);
            let evidence = &findings[0].evidence;
            for part in [said, "3 renewals", "12.3 s", "box--x-s3", "503 SlowDown"] {
                assert!(evidence.contains(part), "{part}: {evidence}");
            }
        }
    }
}
