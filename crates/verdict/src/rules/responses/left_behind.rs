//! Data of the run that is still on a target.

use tenbin_plan::Plan;
use tenbin_record::{Environment, Left};
use tenbin_result::{Cause, Finding, Severity, message};

use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::words::tame_to;

/// Largest number of characters of the description of what is left, and of the reason.
const DESCRIPTION: usize = 320;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "left_behind",
    summary: Texts {
        english: "data of the run is still on a target after the clean-up",
        japanese: "後片づけの後も、実行のデータがターゲットに残っている",
    },
    severities: &[Severity::Note, Severity::Suspect],
    explanation: pages!("left_behind"),
    messages: Messages {
        english: r#"
            left =
                { $what }{ $reason }{ $more ->
                    [0] {""}
                   *[other] {" "}(and { $more } more)
                }
            reason = : { $reason }
            delete =
                { $acknowledged ->
                    [true]
                        do not believe the target's deletions, and not its DELETE figures; left.json has
                        the command that deletes what is left
                   *[false] delete what is left: left.json has the command
                }
            wait =
                wait until the target has deleted the data, or delete the data with the tools of the
                target: the run has no place by which tenbin clean could find the data
        "#,
        japanese: r#"
            left =
                { $what }{ $reason }{ $more ->
                    [0] {""}
                   *[other] (ほか { $more } 件)
                }
            reason = : { $reason }
            delete =
                { $acknowledged ->
                    [true]
                        このターゲットの削除と DELETE の数値は信用できない。
                        残ったデータを削除するコマンドは left.json にある
                   *[false] 残ったデータを削除する。コマンドは left.json にある
                }
            wait =
                ターゲットがデータを削除するまで待つか、ターゲットのツールで削除する。
                実行にはデータの場所の記録がないので、tenbin clean では見つけられない
        "#,
    },
    tier: Tier::Work,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    left_behind(evidence.plan, evidence.environment)
}

/// The findings about what stays on the targets. They need only the environment, which is complete
/// after the clean-up.
pub fn left_behind(plan: &Plan, environment: &Environment) -> Vec<Finding> {
    let names = plan.targets.iter().map(|target| &target.name);
    let of_target = names.filter_map(|name| {
        let target = environment.targets.get(name)?;
        finding_of(name, &target.left)
    });
    of_target.collect()
}

fn finding_of(target: &str, left: &[Left]) -> Option<Finding> {
    let kept = left.iter().find(|left| left.acknowledged);
    let first = kept.or_else(|| left.first())?;
    let reason = first.reason.as_ref();
    let reason = reason.map(|reason| message!("reason", reason = tame_to(reason, DESCRIPTION)));
    let seen = message!(
        "left",
        what = tame_to(&first.what, DESCRIPTION),
        reason,
        more = left.len() - 1
    );
    let (severity, cause) = match kept {
        Some(_) => (Severity::Suspect, Cause::Server),
        None => (Severity::Note, Cause::Setup),
    };
    let advice = if first.unremovable {
        message!("wait")
    } else {
        message!("delete", acknowledged = kept.is_some())
    };
    Some(
        RULE.finding(severity, cause, seen, advice)
            .of_target(target),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    fn with(left: Vec<Left>) -> Vec<Finding> {
        let mut run = Run::pair(8);
        run.environment
            .targets
            .entry("b".to_owned())
            .or_default()
            .left = left;
        run.findings(&RULE)
    }

    fn left(what: &str, acknowledged: bool) -> Left {
        Left {
            target: Some("b".to_owned()),
            reason: Some("because".to_owned()),
            acknowledged,
            ..Left::from(what.to_owned())
        }
    }

    #[test]
    fn objects_that_were_kept_in_spite_of_a_success_are_suspect() {
        let findings = with(vec![
            left("a bucket is left", false),
            left("216 objects are left", true),
        ]);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Suspect);
        assert_eq!(
            findings[0].evidence,
            "216 objects are left: because (and 1 more)"
        );
        assert_eq!(
            with(vec![left("a bucket is left", false)])[0].severity,
            Severity::Note
        );
        assert_eq!(with(Vec::new()), []);
    }

    #[test]
    fn what_no_command_deletes_is_not_said_to_have_one() {
        let beyond = Left {
            unremovable: true,
            ..left("16 blobs were still there", false)
        };
        let advice = |left| with(left)[0].advice.to_string();
        assert!(advice(vec![beyond.clone()]).contains("wait until the target has deleted"));
        let both = advice(vec![left("2 blobs could not be deleted", false), beyond]);
        assert!(both.contains("left.json has the command"), "{both}");
    }
}
