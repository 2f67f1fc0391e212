//! Targets that did not receive the same requests.

use tenbin_plan::Workload;
use tenbin_record::{Segment, Slice};
use tenbin_result::{Cause, Finding, Message, Severity, Value, message};

use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};

/// Share of missing requests on one target above which the target's hit ratio may change.
const SOME: f64 = 0.01;
/// Share of missing requests above which the run measured a different experiment.
const MANY: f64 = 0.10;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "unequal_requests",
    summary: Texts {
        english: "the targets were not sent the same requests",
        japanese: "ターゲットに同じリクエストが送られていない",
    },
    severities: &[Severity::Suspect, Severity::Invalid],
    explanation: pages!("unequal_requests"),
    messages: Messages {
        english: r#"
            much-slower =
                { $slow } is so much slower that it was sent only { $share } of the requests of
                { $fast }, so that a slice of { $fast } is long enough to measure
            separate-plans =
                the ratio is valid if the response time does not depend on which requests were sent
                before; if caches matter, measure targets of such unequal speed in separate plans, or
                with the same --requests
            fewer-requests =
                by the end of the same round, { $most } had been sent { $more } and { $least }
                { $fewer }, which is { $share } fewer
            other-requests =
                { $one } and { $other } were sent { $requests } each, but not the same requests
            requests =
                { $requests ->
                    [one] 1 request
                   *[other] { $requests } requests
                }
            longer-slice =
                use a longer --slice and a --warmup, so that the slowest target can be sent as many
                requests as the others; with --rate, use a lower rate or more connections
        "#,
        japanese: r#"
            much-slower =
                { $slow } は非常に遅いため、{ $fast } のリクエストの { $share } しか送っていない。
                そうしないと { $fast } のスライスが短すぎて測れない
            separate-plans =
                応答時間がそれまでのリクエストに左右されなければ、比は有効である。
                キャッシュが影響するなら、
                速度がこれほど違うターゲットは別のプランで測るか、同じ --requests で測る
            fewer-requests =
                同じラウンドの終わりまでに { $most } に { $more }、{ $least } に { $fewer }を送った。
                後者が { $share } 少ない
            other-requests =
                { $one } と { $other } に { $requests }ずつ送ったが、同じリクエストではない
            requests = { $requests } リクエスト
            longer-slice =
                最も遅いターゲットにもほかと同じ数のリクエストを送れるように、
                --slice を長くし、--warmup を使う。
                --rate を使うなら、レートを下げるか同時接続数を増やす
        "#,
    },
    tier: Tier::Work,
    ..RuleInfo::PLAIN
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
        let slower = message!(
            "much-slower",
            slow = least.target,
            share = Value::Share(1.0 - share),
            fast = most.target
        );
        let advice = message!("separate-plans");
        let finding = RULE.finding(Severity::Suspect, Cause::Setup, slower, advice);
        return Some(finding.on(&work.name, least.target));
    }
    if share > SOME {
        let severity = Severity::Suspect.raised_if(share > MANY);
        let evidence = message!(
            "fewer-requests",
            most = most.target,
            more = requests(more),
            least = least.target,
            fewer = requests(fewer),
            share = Value::Share(share)
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
    let evidence = message!(
        "other-requests",
        one = reference.target,
        other = other.target,
        requests = requests(more)
    );
    Some(finding_of(work, other.target, Severity::Invalid, evidence))
}

fn finding_of(work: &Workload, target: &str, severity: Severity, evidence: Message) -> Finding {
    let advice = message!("longer-slice");
    let finding = RULE.finding(severity, Cause::Setup, evidence, advice);
    finding.on(&work.name, target)
}

fn requests(number: u64) -> Message {
    message!("requests", requests = Value::Plain(number))
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
            segment: slice.end.segment.as_deref()?,
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
                slice.0.end.segment = Some(Box::new(Segment {
                    from: 1_000 * (rounds - 1),
                    to: 1_000 * rounds,
                    planned: Some(1_000),
                    unmeasured: 0,
                    skipped: (1_000 - each) * rounds,
                    is_prefix: false,
                    digest: Some(digest.to_owned()),
                }));
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
            slice.0.end.segment.as_mut().unwrap().is_prefix = true;
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
