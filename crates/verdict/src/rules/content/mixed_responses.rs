//! Targets that send different kinds of responses to the same request.

use std::collections::BTreeMap;

use tenbin_plan::MayDiffer;
use tenbin_record::{ErrorClass, ExpectedResponse, Sameness, UnexpectedResponses};
use tenbin_result::{Cause, Finding, Message, Severity, Value, message};
use tenbin_stats::equal_proportions_p;

use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::words::tame;

/// Share of unexpected responses above which the target did different work: the same threshold as
/// for wrong responses in [errors](crate::rules::responses::errors).
const OTHER_WORK: f64 = 0.001;

/// Level above which two shares can be equal.
const BY_CHANCE: f64 = 0.01;

/// Maximum number of kinds of responses that a finding names.
const NAMED: usize = 3;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "mixed_responses",
    summary: Texts {
        english: "the same request got different kinds of responses, all with a successful status",
        japanese: "同じリクエストに異なる種類の応答があり、ステータスはすべて成功",
    },
    severities: &[Severity::Note, Severity::Suspect, Severity::Invalid],
    explanation: pages!("mixed_responses"),
    messages: Messages {
        english: r#"
            other-kinds =
                { $share } of the responses of { $target } are not of the expected kind{ $expected } and
                do not count as throughput{ $kinds }{ $usual ->
                    [true] ; without load, after the run, they were as frequent
                   *[false] {""}
                }
            expected =
                {" "}(status { $status }, { $varies ->
                    [true] { $shortest } to { $longest }
                   *[false] { $shortest }
                } bytes)
            kinds =
                : { $kinds }{ $more ->
                    [true] {" "}and more kinds
                   *[false] {""}
                }{ $example }
            kind = { $share } with status { $status } and { $length } bytes
            example = ; for example: { $example }
            send-by-hand =
                send the request by hand under load and look at the response: for some requests, the
                target does less or different work than before the run; if the page is meant to
                differ, measure with --may-differ size or body
            already-differed =
                the responses of { $target } to the same request already differed before the run:
                their shape is compared, not their values
            measure-static-page =
                if the page is dynamic, nothing is wrong; for a stricter comparison, measure a
                static page
        "#,
        japanese: r#"
            other-kinds =
                { $target } の応答の { $share } が想定した種類{ $expected }ではなく、
                スループットに数えない{ $kinds }{ $usual ->
                    [true] 。実行後の無負荷時にも同じ頻度で現れる
                   *[false] {""}
                }
            expected =
                (ステータス { $status }、{ $varies ->
                    [true] { $shortest }〜{ $longest }
                   *[false] { $shortest }
                } バイト)
            kinds =
                。内訳: { $kinds }{ $more ->
                    [true] 、ほかの種類もあり
                   *[false] {""}
                }{ $example }
            kind = { $share } はステータス { $status }・{ $length } バイト
            example = 。例: { $example }
            send-by-hand =
                負荷をかけながら手でリクエストを送り、応答を調べる。
                ターゲットの処理が実行前より少ないか、異なる場合がある。
                内容が変わって当然のページなら --may-differ size または body を付けて測る
            already-differed =
                同じリクエストに対する { $target } の応答は、実行前からすでに一定でなかった。
                値ではなく構造を比較する
            measure-static-page =
                動的なページなら問題ない。厳密に比べるなら静的なページで測る
        "#,
    },
    tier: Tier::Work,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    let found = cells.iter().filter_map(|cell| {
        let target = evidence.environment.targets.get(&cell.target.name);
        let expected = target.and_then(|target| target.responses.get(&cell.workload.name));
        let (severity, seen, advice) = judged(cell, expected)?;
        let cause = match severity {
            Severity::Note => Cause::Setup,
            _ => Cause::Server,
        };
        let finding = RULE.finding(severity, cause, seen, advice);
        Some(finding.on(&cell.workload.name, &cell.target.name))
    });
    found.collect()
}

/// Severity, evidence and advice.
type Seen = (Severity, Message, Message);

fn judged(cell: &Cell<'_>, expected: Option<&ExpectedResponse>) -> Option<Seen> {
    let requests = || cell.slices.iter().flat_map(|slice| slice.requests());
    let of_class = |class| requests().filter_map(move |op| op.errors.get(&class)).sum();
    let unexpected: u64 = of_class(ErrorClass::Unexpected);
    let ok: u64 = requests().map(|op| op.counts.ok).sum();
    if unexpected == 0 {
        return varies(cell, expected?);
    }
    let share = unexpected as f64 / (ok + unexpected) as f64;
    let is_usual =
        expected.is_some_and(|expected| is_usual(expected, (unexpected, ok + unexpected)));
    let severity = match share > OTHER_WORK {
        _ if is_usual => Severity::Note,
        true => Severity::Invalid,
        false => Severity::Suspect,
    };
    let seen = message!(
        "other-kinds",
        share = Value::Share(share),
        target = &cell.target.name,
        expected = expected.and_then(wanted),
        kinds = kinds(cell, share),
        usual = is_usual
    );
    Some((severity, seen, message!("send-by-hand")))
}

/// Whether responses of another kind are as frequent without load: a server can have pages so rare
/// that none came before the load. More frequent kinds did come, and were ruled out as errors.
fn is_usual(expected: &ExpectedResponse, unexpected: (u64, u64)) -> bool {
    let Some(after) = &expected.after else {
        return false;
    };
    let all = after.responses + after.other;
    let expected_share = 1.0 - unexpected.0 as f64 / unexpected.1 as f64;
    let none_before = expected_share.powf(expected.probed as f64);
    after.other > 0
        && none_before > BY_CHANCE
        && after.other * 2 < all
        && equal_proportions_p((after.other, all), unexpected).is_some_and(|p| p > BY_CHANCE)
}

/// The expected kind of response in words; `None` if unknown.
fn wanted(expected: &ExpectedResponse) -> Option<Message> {
    let (low, high) = (expected.shortest, expected.longest);
    Some(message!(
        "expected",
        status = Value::Plain(expected.status?.into()),
        varies = low != high,
        shortest = Value::Plain(low),
        longest = Value::Plain(high)
    ))
}

/// The unexpected kinds of responses with their shares, and an example; `None` if unknown.
fn kinds(cell: &Cell<'_>, share: f64) -> Option<Message> {
    let mut kinds: BTreeMap<(u16, u64), (u64, &str)> = BTreeMap::new();
    let mut all = 0;
    let seen = cell
        .slices
        .iter()
        .filter_map(|slice| slice.end.responses.as_ref());
    for responses in seen {
        all += responses.others;
        for kind in &responses.unexpected {
            let UnexpectedResponses {
                status,
                length,
                count,
                example,
                ..
            } = kind;
            all += count;
            let (sum, known) = kinds.entry((*status, *length)).or_default();
            *sum += count;
            if known.is_empty() {
                *known = example;
            }
        }
    }
    let mut kinds: Vec<_> = kinds.into_iter().collect();
    kinds.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
    let named = kinds
        .iter()
        .take(NAMED)
        .map(|((status, length), (count, _))| {
            // The counts include settling time and drain, so show shares of the total instead.
            let part = share * *count as f64 / all.max(1) as f64;
            message!(
                "kind",
                share = Value::Share(part),
                status = Value::Plain((*status).into()),
                length = Value::Plain(*length)
            )
        });
    let named: Vec<Message> = named.collect();
    let example = kinds.iter().find(|(_, (_, example))| !example.is_empty());
    let example = example.map(|(_, (_, example))| message!("example", example = tame(example)));
    (!named.is_empty()).then(|| {
        let more = kinds.len() > NAMED;
        message!("kinds", kinds = named, more, example)
    })
}

/// Finding on a page that differs from response to response.
fn varies(cell: &Cell<'_>, expected: &ExpectedResponse) -> Option<Seen> {
    let MayDiffer { size, body, .. } = cell.workload.facts().may_differ()?;
    if expected.content != Sameness::Varies || body || size {
        return None;
    }
    let seen = message!("already-differed", target = &cell.target.name);
    Some((Severity::Note, seen, message!("measure-static-page")))
}

#[cfg(test)]
mod tests {
    use tenbin_record::{Frequencies, Responses};

    use super::*;
    use crate::testing::Run;
    use tenbin_result::Trust;

    /// A run of `a` with `count` unexpected per 1,000 expected responses in each slice.
    fn with_unexpected(count: u64, example: &str) -> Run {
        let mut run = Run::single(8);
        run.each(|slice| {
            if count > 0 {
                slice.fail(ErrorClass::Unexpected, count);
            }
            slice.0.end.responses = Some(Responses {
                compared: 1_000 + count,
                read: count,
                unexpected: vec![UnexpectedResponses {
                    status: 200,
                    length: 22,
                    count,
                    difference: "other JSON keys".to_owned(),
                    example: example.to_owned(),
                }],
                others: 0,
            });
        });
        let expected = ExpectedResponse {
            probed: 16,
            status: Some(200),
            shortest: 10_000,
            longest: 10_000,
            content: Sameness::Same,
            ..ExpectedResponse::default()
        };
        let target = run.environment.targets.entry("a".to_owned()).or_default();
        target.responses.insert("get".to_owned(), expected);
        run
    }

    #[test]
    fn responses_of_another_kind_void_the_run_and_are_named_with_an_example() {
        let run = with_unexpected(1_000, "{\"error\":\"over\u{1b}loaded\"}");
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Invalid);
        assert_eq!(
            findings[0].evidence,
            "50 % of the responses of a are not of the expected kind (status 200, 10000 bytes) \
             and do not count as throughput: 50 % with status 200 and 22 bytes; for example: \
             {\"error\":\"over\\u{1b}loaded\"}"
        );
        let rules: Vec<String> = run
            .assess()
            .findings
            .into_iter()
            .map(|one| one.rule)
            .collect();
        assert_eq!(rules[0], "mixed_responses");
        assert!(rules.iter().all(|rule| rule != "errors"), "{rules:?}");
        assert_eq!(run.assess().trust, Trust::Invalid);
    }

    #[test]
    fn a_few_patterns_without_hits_are_suspect() {
        let findings = with_unexpected(1, "x").findings(&RULE);
        assert_eq!(findings[0].severity, Severity::Suspect);
        assert_eq!(with_unexpected(0, "").findings(&RULE), []);
        assert_eq!(Run::pair(8).findings(&RULE), []);
    }

    #[test]
    fn a_rare_page_that_the_idle_server_sends_as_often_is_a_note() {
        let severity_of = |count: u64, other: u64| {
            let mut run = with_unexpected(count, "x");
            let target = run.environment.targets.get_mut("a").unwrap();
            let responses = target.responses.get_mut("get").unwrap();
            responses.probed = 100;
            responses.after = Some(Frequencies {
                responses: 43 - other,
                other,
                ..Frequencies::default()
            });
            run.findings(&RULE)[0].severity
        };
        // The server sent this kind before the load too, and it was ruled out.
        assert_eq!(severity_of(1_000, 21), Severity::Invalid);
        let severity = |other| severity_of(20, other);
        assert_eq!(severity(0), Severity::Invalid);
        assert_eq!(severity(1), Severity::Note);
        assert_eq!(
            severity(43),
            Severity::Invalid,
            "the server still rejects requests"
        );
    }

    #[test]
    fn a_dynamic_page_is_a_note_unless_the_plan_says_so() {
        let mut run = with_unexpected(0, "");
        let target = run.environment.targets.get_mut("a").unwrap();
        target.responses.get_mut("get").unwrap().content = Sameness::Varies;
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Note);
        if let tenbin_plan::WorkloadKind::Http(work) = &mut run.plan.workloads[0].kind {
            work.may_differ = MayDiffer::BODY;
        }
        assert_eq!(run.findings(&RULE), []);
    }
}
