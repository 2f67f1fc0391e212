//! Data of the run that is still on a target.

use tenbin_record::Left;
use tenbin_result::{Cause, Finding, Severity};

use crate::evidence::Evidence;
use crate::findings::rule_info::RuleInfo;
use crate::words::tame_to;

/// Largest number of characters of the description of what is left, and of the reason.
const DESCRIPTION: usize = 320;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "left_behind",
    summary: "data of the run is still on a target after the clean-up",
    severities: &[Severity::Note, Severity::Suspect],
    explanation: include_str!("left_behind.md"),
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let names = evidence.plan.targets.iter().map(|target| &target.name);
    let of_target = names.filter_map(|name| {
        let target = evidence.environment.targets.get(name)?;
        finding_of(name, &target.left)
    });
    of_target.collect()
}

fn finding_of(target: &str, left: &[Left]) -> Option<Finding> {
    let kept = left.iter().find(|left| left.acknowledged);
    let first = kept.or_else(|| left.first())?;
    let mut evidence = tame_to(&first.what, DESCRIPTION);
    if let Some(reason) = &first.reason {
        evidence.push_str(&format!(": {}", tame_to(reason, DESCRIPTION)));
    }
    if left.len() > 1 {
        evidence.push_str(&format!(" (and {} more)", left.len() - 1));
    }
    Some(Finding {
        rule: RULE.name.to_owned(),
        severity: match kept {
            Some(_) => Severity::Suspect,
            None => Severity::Note,
        },
        cause: match kept {
            Some(_) => Cause::Server,
            None => Cause::Setup,
        },
        workload: None,
        target: Some(target.to_owned()),
        evidence,
        advice: match kept {
            Some(_) => {
                "do not believe the target's deletions, and not its DELETE figures; left.json has \
                 the command that deletes what is left"
            }
            None => "delete what is left: left.json has the command",
        }
        .to_owned(),
    })
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
}
