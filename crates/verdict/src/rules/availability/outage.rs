//! Targets that stopped answering during the run.

use tenbin_record::Outage;
use tenbin_result::{Cause, Finding, Severity, Value, message};

use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::words::{tame, void_part};

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "outage",
    summary: Texts {
        english: "a target stopped answering, and the run went on when it answered again",
        japanese: "ターゲットが応答しなくなり、再び応答してから実行を続けた",
    },
    severities: &[Severity::Suspect],
    explanation: pages!("outage"),
    messages: Messages {
        english: r#"
            stopped =
                { $target } stopped answering { $when } and answered again { $answered } after the
                start of the run, at least { $length } later: { $reason }; { $during } was measured
                again
            between =
                between { $last } (end of the last slice with a correct response) and { $noticed }
            before = before { $noticed }
            find-cause =
                find out why the target stopped (its log, its supervisor); no figure contains the
                outage, and after it the target may have empty caches
        "#,
        japanese: r#"
            stopped =
                { $target } が { $when }に応答しなくなり、実行開始の { $answered } 後、少なくとも { $length } を経て
                再び応答した: { $reason }。{ $during } は測り直した
            between = { $last }(正しい応答のある最後のスライスの終わり)から { $noticed } までの間
            before = { $noticed } より前
            find-cause =
                ターゲットが止まった理由を調べる(そのログ、監視プロセス)。停止の間はどの数値にも含まれず、
                その後はターゲットのキャッシュが空の可能性がある
        "#,
    },
    tier: Tier::Work,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    evidence.environment.outages.iter().map(finding).collect()
}

fn finding(outage: &Outage) -> Finding {
    let noticed = Value::Seconds(outage.noticed);
    let when = match outage.last_correct {
        Some(last) => message!("between", last = Value::Seconds(last), noticed),
        None => message!("before", noticed),
    };
    let stopped = message!(
        "stopped",
        target = &outage.target,
        when,
        answered = Value::Seconds(outage.answered),
        length = Value::Seconds((outage.answered - outage.noticed).max(0.0)),
        reason = tame(&outage.reason),
        during = void_part(outage.part, &outage.during)
    );
    let advice = message!("find-cause");
    let finding = RULE.finding(Severity::Suspect, Cause::Server, stopped, advice);
    finding.of_target(&outage.target)
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
            part: None,
            last_correct: Some(10.1),
            noticed: 12.3,
            answered: 17.5,
        });
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Suspect);
        for part in [
            "10.1 s", "12.3 s", "17.5 s", "5.20 s", "(412 times)", "block 2",
        ] {
            let evidence = &findings[0].evidence;
            assert!(evidence.contains(part), "{part}: {evidence}");
        }
    }
}
