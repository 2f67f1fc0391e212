//! Targets that did not receive the same requests.

use tenbin_plan::Workload;
use tenbin_record::{Segment, Slice};
use tenbin_result::format::percent;
use tenbin_result::{Cause, Finding, Severity};

use crate::evidence::Evidence;
use crate::findings::rule_info::RuleInfo;

/// Share of missing requests on one target above which the target's hit ratio may change.
const SOME: f64 = 0.01;
/// Share of missing requests above which the run measured a different experiment.
const MANY: f64 = 0.10;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "unequal_requests",
    summary: "the targets were not sent the same requests",
    severities: &[Severity::Suspect, Severity::Invalid],
    explanation: include_str!("unequal_requests.md"),
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let works = evidence.plan.workloads.iter();
    let paired = works.filter(|work| work.search().is_none());
    paired
        .filter_map(|work| of_workload(evidence, work))
        .collect()
}

/// The requests that were sent to one target.
struct Sent<'a> {
    target: &'a str,
    segment: &'a Segment,
}

fn of_workload(evidence: &Evidence<'_>, work: &Workload) -> Option<Finding> {
    let sent = last_common_round(evidence, work);
    let most = sent.iter().max_by_key(|one| one.segment.sent())?;
    let least = sent.iter().min_by_key(|one| one.segment.sent())?;
    let (more, fewer) = (most.segment.sent(), least.segment.sent());
    let share = (more - fewer) as f64 / more.max(1) as f64;
    if share > SOME && least.segment.is_prefix {
        let evidence = format!(
            "{} is so much slower that it was sent only {} of the requests of {}, so that a slice \
             of {} is long enough to measure",
            least.target,
            percent(1.0 - share),
            most.target,
            most.target
        );
        return Some(Finding {
            advice: "the ratio is valid if the response time does not depend on which requests \
                     were sent before; if caches matter, measure targets of such unequal speed in \
                     separate plans, or with the same --requests"
                .to_owned(),
            ..finding_of(work, least.target, Severity::Suspect, evidence)
        });
    }
    if share > SOME {
        let severity = if share > MANY {
            Severity::Invalid
        } else {
            Severity::Suspect
        };
        let evidence = format!(
            "by the end of the same round, {} had been sent {} and {} {}, which is {} fewer",
            most.target,
            requests(more),
            least.target,
            requests(fewer),
            percent(share)
        );
        return Some(finding_of(work, least.target, severity, evidence));
    }
    let reference = sent.first()?;
    let mut others = sent.iter().skip(1);
    let other = others.find(|other| {
        let known = reference.segment.digest.is_some() && other.segment.digest.is_some();
        let complete = reference.segment.skipped == 0 && other.segment.skipped == 0;
        known && complete && reference.segment.digest != other.segment.digest
    })?;
    let evidence = format!(
        "{} and {} were sent {} each, but not the same requests",
        reference.target,
        other.target,
        requests(more)
    );
    Some(finding_of(work, other.target, Severity::Invalid, evidence))
}

fn finding_of(work: &Workload, target: &str, severity: Severity, evidence: String) -> Finding {
    Finding {
        rule: RULE.name.to_owned(),
        severity,
        cause: Cause::Setup,
        workload: Some(work.name.clone()),
        target: Some(target.to_owned()),
        evidence,
        advice: "use a longer --slice and a --warmup, so that the slowest target can be sent as \
                 many requests as the others; with --rate, use a lower rate or more \
                 connections"
            .to_owned(),
    }
}

fn requests(number: u64) -> String {
    match number {
        1 => "1 request".to_owned(),
        many => format!("{many} requests"),
    }
}

/// The requests sent to each target by the end of the last round that all targets have; empty if
/// unknown for a target.
fn last_common_round<'a>(evidence: &'a Evidence<'_>, work: &Workload) -> Vec<Sent<'a>> {
    let of_work = |slice: &&Slice| slice.workload == work.name;
    let slices: Vec<&Slice> = evidence.slices.iter().filter(of_work).collect();
    let targets = &evidence.plan.targets;
    let last = |name: &str| {
        let of_target = slices.iter().filter(|slice| slice.target == name);
        of_target.map(|slice| slice.round).max()
    };
    let rounds: Option<Vec<u32>> = targets.iter().map(|target| last(&target.name)).collect();
    let Some(round) = rounds.and_then(|rounds| rounds.into_iter().min()) else {
        return Vec::new();
    };
    let sent = targets.iter().map(|target| {
        let mut slices = slices.iter();
        let slice = slices.find(|slice| slice.target == target.name && slice.round == round)?;
        Some(Sent {
            target: &slice.target,
            segment: slice.segment.as_ref()?,
        })
    });
    sent.collect::<Option<_>>().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    /// A run in which each slice of `a` sends 1,000 requests, and each slice of `b` sends `on_b`.
    fn with(on_b: u64, digest: &str) -> Run {
        let mut run = Run::pair(8);
        for (target, each, digest) in [("a", 1_000, "00ff"), ("b", on_b, digest)] {
            run.each_of(target, |slice| {
                let rounds = u64::from(slice.0.round) + 1;
                slice.0.segment = Some(Segment {
                    from: 1_000 * (rounds - 1),
                    to: 1_000 * rounds,
                    planned: Some(1_000),
                    unmeasured: 0,
                    skipped: (1_000 - each) * rounds,
                    is_prefix: false,
                    digest: Some(digest.to_owned()),
                });
            });
        }
        run
    }

    #[test]
    fn requests_that_were_left_out_on_one_side_are_found() {
        let findings = with(970, "11ff").findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Suspect);
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        assert_eq!(
            findings[0].evidence,
            "by the end of the same round, a had been sent 16000 requests and b 15520 requests, \
             which is 3 % fewer"
        );
        let findings = with(800, "11ff").findings(&RULE);
        assert_eq!(findings[0].severity, Severity::Invalid);
    }

    #[test]
    fn different_requests_of_the_same_number_are_found() {
        let findings = with(1_000, "11ff").findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Invalid);
        assert!(
            findings[0].evidence.contains("not the same requests"),
            "{findings:?}"
        );
    }

    #[test]
    fn a_target_that_is_meant_to_get_a_part_is_suspect_and_the_part_is_named() {
        let mut run = with(10, "11ff");
        run.each_of("b", |slice| {
            slice.0.segment.as_mut().unwrap().is_prefix = true;
        });
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].severity, Severity::Suspect);
        assert!(
            findings[0]
                .evidence
                .contains("only 1 % of the requests of a"),
            "{findings:?}"
        );
    }

    #[test]
    fn silent_when_they_are_the_same_or_nothing_is_known() {
        assert_eq!(with(1_000, "00ff").findings(&RULE), []);
        assert_eq!(with(995, "11ff").findings(&RULE), []);
        assert_eq!(Run::pair(8).findings(&RULE), []);
    }

    #[test]
    fn a_run_that_ends_within_a_round_is_judged_by_the_one_before() {
        let mut run = with(1_000, "00ff");
        let last = run
            .slices
            .iter()
            .position(|slice| slice.target == "b" && slice.round == 15);
        run.slices.remove(last.expect("a last slice of b"));
        assert_eq!(run.findings(&RULE), []);
    }
}
