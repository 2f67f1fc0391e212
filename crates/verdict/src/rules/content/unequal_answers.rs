//! Targets that send different responses to the same requests.

use tenbin_plan::{MayDiffer, Workload};
use tenbin_result::{Cause, Finding, Message, Severity, message};

use self::responses::TargetResponses;
use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};

mod bodies;
mod heads;
mod responses;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "unequal_answers",
    summary: Texts {
        english: "two targets gave different responses to the same requests",
        japanese: "同じリクエストに対して、2 つのターゲットが異なる応答を返した",
    },
    severities: &[Severity::Note, Severity::Suspect, Severity::Invalid],
    explanation: pages!("unequal_answers"),
    messages: Messages {
        english: r#"
            marks-differ =
                { $share } of the responses of { $target } { $mark ->
                    [age] have an Age, which caches add,
                    [via] have a Via, which proxies and caches add,
                   *[hit] report that they come from a cache
                } but { $baseline_share } of those of { $baseline }
            feature-missing =
                all responses of { $target } have the feature { $feature }, but few or none of those of
                { $other }
            only-one-varies =
                the content of { $constant } is always the same, but that of { $varying } differs from
                response to response
            sizes-unknown =
                the sizes of response bodies were not compared: the version that made this run did
                not record them separately from request bodies
            sizes-differ =
                a response body of { $target } has { $bytes } bytes on average, one of { $baseline } has
                { $baseline_bytes }: a difference of { $share }{ $remark }
            by-compression = , by compression ({ $encodings }); { $decoded }
            permitted = , which --may-differ permits
            permitted-not-compared =
                , which --may-differ permits; the contents were not compared{ $encodings }
            not-decoded = ; the contents could not be decoded and compared ({ $encodings })
            encodings = { $encoding } against { $baseline_encoding }
            in-brackets = {" "}({ $encodings })
            decoded-equal = the decoded bodies are equal ({ $bytes } bytes)
            decoded-alike =
                the decoded bodies are about equally long ({ $bytes } and { $baseline_bytes } bytes on
                average)
            contents-differ = the contents of { $target } and { $baseline } differ: { $how }
            other-bytes = other bytes, { $bytes } of each
            other-lengths = { $bytes } and { $baseline_bytes } bytes decoded
            types-differ =
                responses of { $target } have the media type { $media_type }, those of { $baseline } have
                { $baseline_type }
            statuses-differ =
                { $share } of the responses of { $target } have status { $status }, but
                { $baseline_share } of those of { $baseline }
            compare-by-hand =
                send the request to each target by hand and compare the responses; --may-differ lists
                permitted differences
            make-equal =
                make both targets send the same response before you compare their speed: check a
                response of each for redirects, error pages, compression and different content; if
                you compare that difference on purpose, use --may-differ size, headers or body
        "#,
        japanese: r#"
            marks-differ =
                { $mark ->
                    [age] キャッシュが付ける Age のある
                    [via] プロキシーやキャッシュが付ける Via のある
                   *[hit] キャッシュからの
                }応答は { $target } で { $share }、{ $baseline } では { $baseline_share }
            feature-missing =
                { $target } の応答はすべて { $feature } を含むが、{ $other } の応答にはほとんどない
            only-one-varies =
                { $constant } の内容は常に同じだが、{ $varying } の内容は応答ごとに異なる
            sizes-unknown =
                応答ボディのサイズは比較していない。
                この実行を記録したバージョンは、リクエストボディと分けて記録していない
            sizes-differ =
                応答ボディは { $target } が平均 { $bytes } バイト、{ $baseline } が { $baseline_bytes } バイトで、
                差は { $share }{ $remark }
            by-compression = 。圧縮の違いによる({ $encodings })。{ $decoded }
            permitted = 。--may-differ により許容
            permitted-not-compared = 。--may-differ により許容。内容は比較していない{ $encodings }
            not-decoded = 。内容は復号できず、比較していない({ $encodings })
            encodings =
                { $encoding ->
                    [none] なし
                   *[other] { $encoding }{" "}
                }と{ $baseline_encoding ->
                    [none] なし
                   *[other] {" "}{ $baseline_encoding }
                }
            in-brackets = ({ $encodings })
            decoded-equal = 復号したボディは同一({ $bytes } バイト)
            decoded-alike =
                復号したボディの長さはほぼ同じ(平均 { $bytes } バイトと { $baseline_bytes } バイト)
            contents-differ = { $target } と { $baseline } の内容が異なる: { $how }
            other-bytes = 内容が異なる、長さはどちらも { $bytes } バイト
            other-lengths = 復号後 { $bytes } バイトと { $baseline_bytes } バイト
            types-differ =
                応答のメディアタイプは { $target } が { $media_type }、{ $baseline } が { $baseline_type }
            statuses-differ =
                ステータス { $status } の応答は { $target } で { $share }、
                { $baseline } では { $baseline_share }
            compare-by-hand =
                各ターゲットに手でリクエストを送り、応答を比べる。許容する違いは --may-differ で指定する
            make-equal =
                速度を比べる前に、両方のターゲットが同じ応答を返すようにする。
                それぞれの応答で、リダイレクト、エラーページ、圧縮、内容の違いを確認する。
                意図した違いなら --may-differ size、headers、body を使う
        "#,
    },
    tier: Tier::Work,
    ..RuleInfo::PLAIN
};

/// The severity and the description of a difference.
type Difference = (Severity, Message);

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    let workloads = evidence.plan.workloads.iter();
    workloads
        .filter_map(|workload| Some((workload, may_differ(workload)?)))
        .flat_map(|(workload, may_differ)| {
            let mine = |cell: &&Cell<'_>| cell.workload.name == workload.name;
            let patterns = evidence.environment.patterns.get(&workload.name);
            let sends_bodies = sends_bodies(workload, patterns.map_or(&[][..], Vec::as_slice));
            let responses: Vec<TargetResponses<'_>> = cells
                .iter()
                .filter(mine)
                .filter_map(|cell| {
                    let target = evidence.environment.targets.get(&cell.target.name);
                    let expected = target.and_then(|one| one.responses.get(&workload.name));
                    TargetResponses::new(cell, sends_bodies, expected)
                })
                .collect();
            let baseline = evidence.plan.baseline();
            baseline.map_or_else(Vec::new, |baseline| {
                compared(workload, may_differ, &baseline.name, &responses)
            })
        })
        .collect()
}

fn compared(
    workload: &Workload,
    may_differ: MayDiffer,
    baseline: &str,
    responses: &[TargetResponses<'_>],
) -> Vec<Finding> {
    let Some(baseline) = responses.iter().find(|side| side.target == baseline) else {
        return Vec::new();
    };
    let others = responses
        .iter()
        .filter(|other| other.target != baseline.target);
    others
        .filter_map(|other| {
            let (severity, seen) = worst_difference(other, baseline, may_differ)?;
            let advice = match severity {
                Severity::Note => message!("compare-by-hand"),
                _ => message!("make-equal"),
            };
            let finding = RULE.finding(severity, Cause::Setup, seen, advice);
            Some(finding.on(&workload.name, other.target))
        })
        .collect()
}

/// The worst difference between the responses of a target and those of the baseline.
fn worst_difference(
    target: &TargetResponses<'_>,
    baseline: &TargetResponses<'_>,
    may_differ: MayDiffer,
) -> Option<Difference> {
    let is_content = !may_differ.body;
    let found = [
        target.types(baseline).filter(|_| !may_differ.headers),
        target.caches(baseline).filter(|_| !may_differ.headers),
        target.features(baseline).filter(|_| is_content),
        target.variation(baseline).filter(|_| is_content),
        target.contents(baseline, may_differ),
        target.sizes(baseline, may_differ),
        target.statuses(baseline),
    ];
    found
        .into_iter()
        .flatten()
        .max_by_key(|(severity, _)| *severity)
}

/// The permitted differences between targets; `None` if responses are not compared.
fn may_differ(workload: &Workload) -> Option<MayDiffer> {
    let patterns = workload.patterns();
    // Targets with different requests have different responses: compare hits instead.
    let is_by_target = patterns.is_some_and(|patterns| patterns.by_target.is_some());
    workload.facts().may_differ().filter(|_| !is_by_target)
}

/// Whether any request has or may have a body.
fn sends_bodies(work: &Workload, patterns: &[String]) -> bool {
    let without_body = |label: &String| label.starts_with("GET ") || label.starts_with("HEAD ");
    let drawn = work.patterns().is_some();
    work.facts().sends_body()
        || drawn && (patterns.is_empty() || !patterns.iter().all(without_body))
}

#[cfg(test)]
mod tests {
    use tenbin_record::{ExpectedResponse, Sameness};

    use super::*;
    use crate::testing::Run;

    fn with_bodies(a: u64, b: u64) -> Run {
        let mut run = Run::pair(8);
        run.each_of("a", |slice| slice.0.ops[0].counts.payload = a * 1_000);
        run.each_of("b", |slice| slice.0.ops[0].counts.payload = b * 1_000);
        run
    }

    #[test]
    fn different_body_sizes_are_invalid() {
        let run = with_bodies(1_024, 153);
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Invalid);
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        assert_eq!(
            findings[0].evidence,
            "a response body of b has 153 bytes on average, one of a has 1024: a difference of \
             85.1 %"
        );
        let trust: Vec<_> = run.assess().primary().map(|c| c.trust).collect();
        assert_eq!(trust, [tenbin_result::Trust::Invalid]);
    }

    #[test]
    fn bodies_that_differ_a_little_are_suspect() {
        let findings = with_bodies(12, 13).findings(&RULE);
        assert_eq!(findings[0].severity, Severity::Suspect);
        let findings = with_bodies(100_000, 97_000).findings(&RULE);
        assert_eq!(findings[0].severity, Severity::Suspect);
    }

    #[test]
    fn different_statuses_are_invalid() {
        let mut run = Run::pair(8);
        run.each_of("a", |slice| slice.status(200, 1_000));
        run.each_of("b", |slice| {
            slice.status(200, 900);
            slice.status(204, 100);
        });
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Invalid);
        assert_eq!(
            findings[0].evidence,
            "10 % of the responses of b have status 204, but 0 % of those of a"
        );
    }

    #[test]
    fn silent_when_they_are_alike_failed_or_are_judged_elsewhere() {
        assert_eq!(Run::pair(8).findings(&RULE), []);
        assert_eq!(with_bodies(10_000, 10_050).findings(&RULE), []);
        assert_eq!(with_bodies(0, 0).findings(&RULE), []);
        let mut failing = Run::pair(8);
        failing.each_of("a", |slice| slice.status(200, 1_000));
        failing.each_of("b", |slice| {
            slice.status(200, 1_000);
            slice.status(503, 500);
        });
        assert_eq!(failing.findings(&RULE), []);
        let s3 = with_bodies(1_024, 153).of_s3(tenbin_plan::S3Operation::List, 0);
        assert_eq!(s3.findings(&RULE), []);
        assert_eq!(posted(4_000, 300, 300).findings(&RULE), []);
    }

    #[test]
    fn each_is_compared_with_the_baseline_of_the_plan() {
        let mut run = Run::new(&["a", "b", "c"], &["get"], 8);
        run.each_of("a", |slice| slice.0.ops[0].counts.payload = 153_000);
        run.plan.comparing.baseline = 2;
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].target.as_deref(), Some("a"));
        assert!(findings[0].evidence.contains("one of c has 1024"));
        let trust = |challenger: &str| {
            let assessment = run.assess();
            let mut primary = assessment.primary();
            primary.find(|c| c.challenger == challenger).unwrap().trust
        };
        assert_eq!(trust("a"), tenbin_result::Trust::Invalid);
        assert_ne!(trust("b"), tenbin_result::Trust::Invalid);
    }

    /// A run with request bodies of `sent` bytes and responses of `a` and `b` bytes.
    fn posted(sent: u64, a: u64, b: u64) -> Run {
        let mut run = with_bodies(sent.max(a), sent.max(b));
        if let tenbin_plan::WorkloadKind::Http(work) = &mut run.plan.workloads[0].kind {
            work.body = vec![0; sent as usize];
        }
        run.each_of("a", |slice| slice.0.ops[0].answered = Some(a * 1_000));
        run.each_of("b", |slice| slice.0.ops[0].answered = Some(b * 1_000));
        run
    }

    #[test]
    fn answers_to_requests_with_a_body_are_compared_however_long_the_request_is() {
        for sent in [12, 400, 9_000] {
            let findings = posted(sent, 5_000, 300).findings(&RULE);
            assert_eq!(findings.len(), 1, "{sent}");
            assert_eq!(findings[0].severity, Severity::Invalid, "{sent}");
            assert_eq!(
                findings[0].evidence,
                "a response body of b has 300 bytes on average, one of a has 5000: a difference \
                 of 94 %"
            );
        }
    }

    /// A run in which `a` sends a page of 10 kB, and `b` sends the same page compressed to 1 kB.
    /// `change` modifies the expected response of `b`.
    fn compressed(change: impl FnOnce(&mut ExpectedResponse)) -> Run {
        let mut run = with_bodies(10_000, 1_000);
        let plain = ExpectedResponse {
            probed: 16,
            status: Some(200),
            content: Sameness::Same,
            decoded_mean: Some(10_000),
            decoded_crc64: Some("07".to_owned()),
            ..ExpectedResponse::default()
        };
        let mut other = ExpectedResponse {
            encoding: Some("gzip".to_owned()),
            ..plain.clone()
        };
        change(&mut other);
        for (target, expected) in [("a", plain), ("b", other)] {
            let target = run
                .environment
                .targets
                .entry(target.to_owned())
                .or_default();
            target.responses.insert("get".to_owned(), expected);
        }
        run
    }

    fn may_differ(mut run: Run, what: MayDiffer) -> Run {
        if let tenbin_plan::WorkloadKind::Http(work) = &mut run.plan.workloads[0].kind {
            work.may_differ = what;
        }
        run
    }

    #[test]
    fn compression_of_the_same_page_is_suspect_unless_sizes_or_headers_may_differ() {
        for what in [MayDiffer::SIZE, MayDiffer::HEADERS] {
            let findings = may_differ(compressed(|_| {}), what).findings(&RULE);
            assert_eq!(findings[0].severity, Severity::Note);
        }
        let findings = compressed(|_| {}).findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Suspect);
        assert_eq!(
            findings[0].evidence,
            "a response body of b has 1000 bytes on average, one of a has 10000: a difference of \
             90 %, by compression (gzip against none); the decoded bodies are equal (10000 \
             bytes)"
        );
    }

    #[test]
    fn compression_of_another_page_voids_the_comparison_whatever_size_may_be() {
        let other = |expected: &mut ExpectedResponse| expected.decoded_crc64 = Some("08".into());
        let findings = compressed(other).findings(&RULE);
        assert_eq!(findings[0].severity, Severity::Invalid);
        let findings = may_differ(compressed(other), MayDiffer::SIZE).findings(&RULE);
        assert_eq!(findings[0].severity, Severity::Suspect);
        let findings = may_differ(compressed(other), MayDiffer::BODY).findings(&RULE);
        assert_eq!(findings, []);
    }

    #[test]
    fn what_cannot_be_decoded_is_said_and_may_differ_if_the_plan_says_so() {
        let brotli = |expected: &mut ExpectedResponse| {
            expected.encoding = Some("br".to_owned());
            expected.decoded_mean = None;
            expected.decoded_crc64 = None;
        };
        let findings = compressed(brotli).findings(&RULE);
        assert_eq!(findings[0].severity, Severity::Invalid);
        let seen = &findings[0].evidence;
        let cause = "the contents could not be decoded and compared (br against none)";
        assert!(seen.ends_with(cause), "{seen}");
        let findings = may_differ(compressed(brotli), MayDiffer::SIZE).findings(&RULE);
        assert_eq!(findings[0].severity, Severity::Note);
    }

    #[test]
    fn pages_of_one_length_and_other_content_are_suspect_and_other_types_notes() {
        let mut run = compressed(|expected| {
            expected.encoding = None;
            expected.decoded_crc64 = Some("08".to_owned());
            expected.content_type = Some("text/html; charset=utf-8".to_owned());
        });
        run.each_of("b", |slice| slice.0.ops[0].counts.payload = 10_000_000);
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(
            (findings[0].severity, findings[0].evidence.as_str()),
            (
                Severity::Suspect,
                "the contents of b and a differ: other bytes, 10000 of each"
            )
        );
        let mut run = may_differ(run, MayDiffer::BODY);
        assert_eq!(run.findings(&RULE), []);
        let target = run.environment.targets.get_mut("a").unwrap();
        let expected = target.responses.get_mut("get").unwrap();
        expected.content_type = Some("text/plain".to_owned());
        let findings = run.findings(&RULE);
        assert_eq!(
            findings[0].evidence,
            "responses of b have the media type text/html, those of a have text/plain"
        );
        let what = MayDiffer::BODY.or(MayDiffer::HEADERS);
        assert_eq!(may_differ(run, what).findings(&RULE), []);
    }

    #[test]
    fn older_runs_without_response_sizes_get_a_note() {
        let mut run = posted(400, 20, 300);
        run.each(|slice| slice.0.ops[0].answered = None);
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Note);
        assert!(
            findings[0]
                .evidence
                .starts_with("the sizes of response bodies were not compared")
        );
    }
}
