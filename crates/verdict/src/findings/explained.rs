//! Removal of findings that another finding explains.
//!
//! For example, the finding that the machine has no idle core is removed if another finding reports
//! busy programs or a target at its CPU limit. The explaining finding must be at least as severe as
//! the removed finding, so that the reported trust has a visible reason.

use tenbin_result::Finding;

use crate::rules;

/// Removes the findings that another finding explains.
pub(crate) fn without_explained(findings: Vec<Finding>) -> Vec<Finding> {
    let is_explained = |finding: &Finding| findings.iter().any(|other| explains(other, finding));
    let kept: Vec<bool> = findings
        .iter()
        .map(|finding| !is_explained(finding))
        .collect();
    let each = findings.into_iter().zip(kept);
    each.filter_map(|(finding, is_kept)| is_kept.then_some(finding))
        .collect()
}

fn explains(other: &Finding, finding: &Finding) -> bool {
    let Some(rule) = rules::named(&finding.rule) else {
        return false;
    };
    let is_listed = rule.explained_by.iter().any(|by| by.name == other.rule);
    is_listed
        && !(rule.stands_alone)(finding)
        && other.severity >= finding.severity
        && covers(other, finding)
}

/// Whether `other` concerns every workload and target that `finding` concerns.
fn covers(other: &Finding, finding: &Finding) -> bool {
    let within = |whole: &Option<String>, part: &Option<String>| whole.is_none() || whole == part;
    within(&other.workload, &finding.workload) && within(&other.target, &finding.target)
}

#[cfg(test)]
mod tests {
    use tenbin_result::{Cause, Severity};

    use super::*;
    use crate::testing::Run;

    fn finding(rule: &'static str, severity: Severity, target: Option<&str>) -> Finding {
        Finding {
            rule: rule.to_owned(),
            severity,
            cause: Cause::Setup,
            workload: None,
            target: target.map(str::to_owned),
            evidence: "seen".to_owned(),
            advice: "do".to_owned(),
            data: None,
        }
    }

    fn kept(findings: &[Finding]) -> Vec<String> {
        let kept = without_explained(findings.to_vec());
        kept.into_iter().map(|finding| finding.rule).collect()
    }

    #[test]
    fn what_another_finding_explains_is_left_out() {
        use Severity::{Note, Suspect};
        let full = finding("machine_full", Note, Some("a"));
        assert_eq!(
            kept(&[finding("others_busy", Suspect, None), full.clone()]),
            ["others_busy"]
        );
        let elsewhere = finding("others_busy", Suspect, Some("b"));
        assert_eq!(kept(&[elsewhere, full.clone()]).len(), 2, "another target");
        let worse = finding("machine_full", Suspect, Some("a"));
        let server = finding("server_cpu", Note, Some("a"));
        assert_eq!(
            kept(&[server, worse]).len(),
            2,
            "its severity has no other reason"
        );
    }

    #[test]
    fn a_pause_of_the_machine_is_explained_and_one_of_the_target_is_not() {
        let others = finding("others_busy", Severity::Suspect, None);
        let pause = |cause, severity| Finding {
            cause,
            ..finding("stalls", severity, Some("a"))
        };
        let kept = |pause| kept(&[others.clone(), pause]).len();
        assert_eq!(kept(pause(Cause::Generator, Severity::Note)), 1);
        assert_eq!(kept(pause(Cause::Generator, Severity::Suspect)), 2, "p99");
        assert_eq!(kept(pause(Cause::Server, Severity::Note)), 2);
    }

    #[test]
    fn a_target_at_its_limit_explains_a_full_machine() {
        let mut run = Run::pair(8);
        run.each(|slice| slice.server_cpu(1.9));
        let findings = run.assess().findings;
        let rules: Vec<&str> = findings
            .iter()
            .map(|finding| finding.rule.as_str())
            .collect();
        // The lack of idle cores still limits the trust in absolute figures.
        let left = ["server_cpu", "server_cpu", "absolute_figures"];
        assert_eq!(rules, left, "{findings:?}");
    }
}
