//! Targets that send different responses to the same requests.

use std::collections::BTreeMap;

use tenbin_plan::{MayDiffer, Workload};
use tenbin_record::{ExpectedResponse, Frequencies, Sameness};
use tenbin_result::{Cause, Finding, Message, Severity, Value, message};

use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::words::tame;

/// Difference of two body sizes, as a share of the larger size, below which there is no finding.
const SAME: f64 = 0.01;

/// The same for pages of which the lengths vary and the difference is not chance.
const SAME_VARYING: f64 = 0.005;

/// Number of standard errors of a difference of mean lengths that can be chance.
const BY_CHANCE: f64 = 5.0;

/// Difference in the share of a header of caches or proxies above which there is a finding.
const MARKS: f64 = 0.2;

/// Fewest responses before the load.
const FEWEST: u64 = 16;

/// Number of features from which the list of a target is incomplete.
const MOST_FEATURES: usize = 128;

/// Difference of two body sizes, as a share of the larger size, above which the targets did
/// different work.
const OTHER: f64 = 0.05;

/// Difference of two body sizes that does not affect the transfer time, bytes.
const NO_TIME: f64 = 64.0;

/// Difference in the share of a status above which there is a finding.
const STATUSES: f64 = 0.01;

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

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    let workloads = evidence.plan.workloads.iter();
    workloads
        .filter_map(|workload| Some((workload, may_differ(workload)?)))
        .flat_map(|(workload, may_differ)| {
            let mine = |cell: &&Cell<'_>| cell.workload.name == workload.name;
            let patterns = evidence.environment.patterns.get(&workload.name);
            let sends_bodies = sends_bodies(workload, patterns.map_or(&[][..], Vec::as_slice));
            let answers: Vec<Answers<'_>> = cells
                .iter()
                .filter(mine)
                .filter_map(|cell| {
                    let target = evidence.environment.targets.get(&cell.target.name);
                    let expected = target.and_then(|one| one.responses.get(&workload.name));
                    Answers::of(cell, sends_bodies, expected)
                })
                .collect();
            let baseline = evidence.plan.baseline();
            baseline.map_or_else(Vec::new, |baseline| {
                compared(workload, may_differ, &baseline.name, &answers)
            })
        })
        .collect()
}

fn compared(
    workload: &Workload,
    may_differ: MayDiffer,
    baseline: &str,
    answers: &[Answers<'_>],
) -> Vec<Finding> {
    let Some(baseline) = answers.iter().find(|side| side.target == baseline) else {
        return Vec::new();
    };
    let others = answers
        .iter()
        .filter(|other| other.target != baseline.target);
    others
        .filter_map(|other| {
            let (severity, seen) = other.against(baseline, may_differ)?;
            let advice = match severity {
                Severity::Note => message!("compare-by-hand"),
                _ => message!("make-equal"),
            };
            let finding = RULE.finding(severity, Cause::Setup, seen, advice);
            Some(finding.on(&workload.name, other.target))
        })
        .collect()
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

/// A number of responses of a stage.
type Count = fn(&Frequencies) -> u64;

type Seen = (Severity, Message);

/// Statistics of a target's responses over all slices of a workload.
struct Answers<'a> {
    target: &'a str,
    /// Mean body size of a correct response, bytes. Unknown for runs of older versions in which
    /// requests also have bodies.
    body: Option<f64>,
    /// Number of correct responses.
    responses: u64,
    /// Share of each status among the responses with a status below 400.
    statuses: BTreeMap<u16, f64>,
    /// The responses before the run; unknown in runs of older versions.
    expected: Option<&'a ExpectedResponse>,
}

impl<'a> Answers<'a> {
    fn of(
        cell: &Cell<'a>,
        sends_bodies: bool,
        expected: Option<&'a ExpectedResponse>,
    ) -> Option<Self> {
        let requests = || cell.slices.iter().flat_map(|slice| slice.requests());
        let ok: u64 = requests().map(|op| op.counts.ok).sum();
        let bytes = requests()
            .filter(|op| op.counts.ok > 0)
            .map(|op| op.answered.or((!sends_bodies).then_some(op.counts.payload)))
            .sum::<Option<u64>>();
        let mut statuses: BTreeMap<u16, f64> = BTreeMap::new();
        for (status, count) in requests().flat_map(|op| &op.statuses) {
            *statuses.entry(*status).or_default() += *count as f64;
        }
        // The rule `errors` reports failures.
        statuses.retain(|status, _| *status < 400);
        let all: f64 = statuses.values().sum();
        statuses.values_mut().for_each(|share| *share /= all);
        (ok > 0).then(|| Self {
            target: &cell.target.name,
            body: bytes.map(|bytes| bytes as f64 / ok as f64),
            responses: ok,
            statuses,
            expected,
        })
    }

    fn against(&self, baseline: &Self, may_differ: MayDiffer) -> Option<Seen> {
        let is_content = !may_differ.body;
        let found = [
            self.types(baseline).filter(|_| !may_differ.headers),
            self.caches(baseline).filter(|_| !may_differ.headers),
            self.features(baseline).filter(|_| is_content),
            self.variation(baseline).filter(|_| is_content),
            self.contents(baseline, may_differ),
            self.bodies(baseline, may_differ),
            self.statuses(baseline),
        ];
        found
            .into_iter()
            .flatten()
            .max_by_key(|(severity, _)| *severity)
    }

    /// Compares headers that caches and proxies add.
    fn caches(&self, baseline: &Self) -> Option<Seen> {
        let marks: [(&str, Count); 3] = [
            ("hit", |one| one.hit),
            ("age", |one| one.age),
            ("via", |one| one.via),
        ];
        marks.into_iter().find_map(|(mark, of)| {
            let (mine, other) = (self.share(of)?, baseline.share(of)?);
            ((mine - other).abs() > MARKS).then(|| {
                let seen = message!(
                    "marks-differ",
                    share = Value::Share(mine),
                    target = self.target,
                    mark = Value::word(mark),
                    baseline_share = Value::Share(other),
                    baseline = baseline.target
                );
                (Severity::Suspect, seen)
            })
        })
    }

    /// Share of the responses before and under load that `of` counts.
    fn share(&self, of: impl Fn(&Frequencies) -> u64) -> Option<f64> {
        let stages = [
            self.expected?.before.as_ref()?,
            self.expected?.load.as_ref()?,
        ];
        let all: u64 = stages.iter().map(|stage| stage.responses).sum();
        let hits: u64 = stages.iter().map(|stage| of(stage)).sum();
        (all > 0).then(|| hits as f64 / all as f64)
    }

    /// Compares the parts of documents: paths of JSON with types, and tags.
    fn features(&self, baseline: &Self) -> Option<Seen> {
        let missing = |has: &Self, lacks: &Self| {
            let (one, other) = (has.expected?, lacks.expected?);
            let (all, rest) = (one.before.as_ref()?, other.before.as_ref()?);
            if all.responses < FEWEST || rest.responses < FEWEST {
                return None;
            }
            let parts = one.features.iter().zip(&all.features);
            let mut parts = parts.filter(|(name, count)| {
                let is_constant_value = name.contains(": = ") || name.starts_with('"');
                !is_constant_value && **count == all.responses
            });
            let missing = parts.find(|(name, _)| {
                let at = other.features.iter().position(|known| known == *name);
                let known = at.and_then(|at| rest.features.get(at));
                known.is_none_or(|count| *count * 2 < rest.responses)
                    && other.features.len() < MOST_FEATURES
            });
            missing.map(|(name, _)| {
                let seen = message!(
                    "feature-missing",
                    target = has.target,
                    feature = tame(name),
                    other = lacks.target
                );
                (Severity::Suspect, seen)
            })
        };
        missing(self, baseline).or_else(|| missing(baseline, self))
    }

    /// Compares whether the content varies.
    fn variation(&self, baseline: &Self) -> Option<Seen> {
        let is_new_each_time = |side: &Self| {
            let before = side.expected?.before.as_ref()?;
            let is_known = before.responses >= FEWEST && before.compared > 0;
            is_known.then(|| (side.content(), before.repeated * 2 < before.compared))
        };
        let (mine, other) = (is_new_each_time(self)?, is_new_each_time(baseline)?);
        let (constant, varying) = match (mine, other) {
            ((Sameness::Same, _), (Sameness::Varies, true)) => (self, baseline),
            ((Sameness::Varies, true), (Sameness::Same, _)) => (baseline, self),
            _ => return None,
        };
        let seen = message!(
            "only-one-varies",
            constant = constant.target,
            varying = varying.target
        );
        Some((Severity::Suspect, seen))
    }

    fn content(&self) -> Sameness {
        self.expected
            .map(|expected| expected.content)
            .unwrap_or_default()
    }

    /// Whether the content was the same throughout the run.
    fn is_always_the_same(&self) -> bool {
        let stages = self
            .expected
            .map(|one| [&one.before, &one.load, &one.after]);
        self.content() == Sameness::Same
            && stages.is_some_and(|stages| {
                let known = || stages.iter().copied().flatten();
                known().count() > 0 && known().all(|stage| stage.same == stage.responses)
            })
    }

    /// Whether a difference of mean lengths can be chance: both pages have bodies of different
    /// lengths.
    fn is_chance(&self, baseline: &Self, difference: f64) -> bool {
        let variance = |side: &Self| {
            let load = side.expected?.load.as_ref()?;
            let lengths: Vec<f64> = load.lengths.iter().map(|&one| one as f64).collect();
            if lengths.len() < FEWEST as usize {
                return None;
            }
            let sd = tenbin_stats::standard_deviation(&lengths)?;
            Some(sd * sd / side.responses.max(1) as f64)
        };
        let variances = variance(self).zip(variance(baseline));
        variances.is_some_and(|(one, other)| difference.abs() < BY_CHANCE * (one + other).sqrt())
    }

    fn bodies(&self, baseline: &Self, may_differ: MayDiffer) -> Option<Seen> {
        if may_differ.body {
            return None;
        }
        let (Some(mine), Some(other)) = (self.body, baseline.body) else {
            return Some((Severity::Note, message!("sizes-unknown")));
        };
        if self.is_chance(baseline, mine - other) {
            return None;
        }
        let both_vary =
            self.content() == Sameness::Varies && baseline.content() == Sameness::Varies;
        let least = if both_vary { SAME_VARYING } else { SAME };
        let (severity, share) = apart((mine, other), least)?;
        let (severity, remark) = self.remark_on_sizes(baseline, may_differ, severity);
        let seen = message!(
            "sizes-differ",
            target = self.target,
            bytes = Value::whole(mine),
            baseline = baseline.target,
            baseline_bytes = Value::whole(other),
            share = Value::Share(share),
            remark
        );
        Some((severity, seen))
    }

    /// The severity of a difference between body sizes, and a remark on its reason.
    fn remark_on_sizes(
        &self,
        baseline: &Self,
        may_differ: MayDiffer,
        severity: Severity,
    ) -> (Severity, Option<Message>) {
        match (self.encoded(baseline), self.decoded(baseline)) {
            (Some(encodings), Some(Decoded::Alike(how))) => {
                let remark = message!("by-compression", encodings, decoded = how);
                let is_permitted = may_differ.size || may_differ.headers;
                let severity = if is_permitted {
                    Severity::Note
                } else {
                    Severity::Suspect
                };
                (severity, Some(remark))
            }
            // `contents` judges the content.
            (_, Some(_)) if may_differ.size => (Severity::Note, Some(message!("permitted"))),
            (encodings, None) if may_differ.size => {
                let encodings = encodings.map(|encodings| message!("in-brackets", encodings));
                let remark = message!("permitted-not-compared", encodings);
                (Severity::Note, Some(remark))
            }
            (Some(encodings), None) => (severity, Some(message!("not-decoded", encodings))),
            _ => (severity, None),
        }
    }

    /// Compares the decoded content of bodies.
    fn contents(&self, baseline: &Self, may_differ: MayDiffer) -> Option<Seen> {
        let Some(Decoded::Apart(how)) = self.decoded(baseline).filter(|_| !may_differ.body) else {
            return None;
        };
        // A page that shows the time differs too.
        let is_constant = self.is_always_the_same() && baseline.is_always_the_same();
        let has_same_words = || {
            let words = |side: &Self| side.expected?.words_crc64.clone();
            words(self)
                .zip(words(baseline))
                .is_some_and(|(one, two)| one == two)
        };
        let severity = if !is_constant && has_same_words() {
            Severity::Note
        } else {
            Severity::Suspect
        };
        let seen = message!(
            "contents-differ",
            target = self.target,
            baseline = baseline.target,
            how
        );
        Some((severity, seen))
    }

    /// Compares media types.
    fn types(&self, baseline: &Self) -> Option<Seen> {
        let kind = |side: &Self| {
            let name = side.expected?.content_type.as_deref()?;
            let name = name.split(';').next().unwrap_or(name);
            Some(name.trim().to_ascii_lowercase())
        };
        let (mine, other) = (kind(self)?, kind(baseline)?);
        (mine != other).then(|| {
            let seen = message!(
                "types-differ",
                target = self.target,
                media_type = tame(&mine),
                baseline = baseline.target,
                baseline_type = tame(&other)
            );
            (Severity::Note, seen)
        })
    }

    /// A clause on the content encodings; `None` if no body has an encoding.
    fn encoded(&self, baseline: &Self) -> Option<Message> {
        let encoding = |side: &Self| {
            let name = side.expected?.encoding.as_deref()?;
            (!name.eq_ignore_ascii_case("identity")).then(|| name.to_owned())
        };
        let (mine, other) = (encoding(self), encoding(baseline));
        if mine.is_none() && other.is_none() {
            return None;
        }
        let named = |name: Option<String>| {
            let name = name.map(|name| tame(&name).into());
            name.unwrap_or_else(|| Value::word("none"))
        };
        Some(message!(
            "encodings",
            encoding = named(mine),
            baseline_encoding = named(other)
        ))
    }

    /// The result of comparing the decoded bodies; `None` if unknown.
    fn decoded(&self, baseline: &Self) -> Option<Decoded> {
        let (mine, other) = (self.expected?, baseline.expected?);
        let (a, b) = (mine.decoded_mean?, other.decoded_mean?);
        let is_same = |side: &ExpectedResponse| side.content == Sameness::Same;
        if is_same(mine)
            && is_same(other)
            && let (Some(one), Some(two)) = (&mine.decoded_crc64, &other.decoded_crc64)
        {
            return Some(match one == two {
                true => Decoded::Alike(message!("decoded-equal", bytes = Value::Plain(a))),
                false if a == b => Decoded::Apart(message!("other-bytes", bytes = Value::Plain(a))),
                false => Decoded::Apart(other_lengths(a, b)),
            });
        }
        // Pages that vary between responses have no fixed content: compare sizes.
        let far = apart((a as f64, b as f64), SAME);
        let far = far.filter(|_| !self.is_chance(baseline, a as f64 - b as f64));
        Some(match far {
            None => Decoded::Alike(message!(
                "decoded-alike",
                bytes = Value::Plain(a),
                baseline_bytes = Value::Plain(b)
            )),
            Some(_) => Decoded::Apart(other_lengths(a, b)),
        })
    }

    fn statuses(&self, baseline: &Self) -> Option<Seen> {
        if self.statuses.is_empty() || baseline.statuses.is_empty() {
            return None;
        }
        let known = self.statuses.keys().chain(baseline.statuses.keys());
        let (status, mine, other) = known
            .map(|status| {
                let share = |answers: &Self| *answers.statuses.get(status).unwrap_or(&0.0);
                (*status, share(self), share(baseline))
            })
            .max_by(|a, b| (a.1 - a.2).abs().total_cmp(&(b.1 - b.2).abs()))?;
        ((mine - other).abs() > STATUSES).then(|| {
            let seen = message!(
                "statuses-differ",
                share = Value::Share(mine),
                target = self.target,
                status = Value::Plain(status.into()),
                baseline_share = Value::Share(other),
                baseline = baseline.target
            );
            (Severity::Invalid, seen)
        })
    }
}

/// The result of comparing decoded bodies.
enum Decoded {
    Alike(Message),
    Apart(Message),
}

fn other_lengths(bytes: u64, baseline_bytes: u64) -> Message {
    message!(
        "other-lengths",
        bytes = Value::Plain(bytes),
        baseline_bytes = Value::Plain(baseline_bytes)
    )
}

/// The severity of a difference between two sizes, and the difference as a share of the larger
/// size; `None` for a small difference.
fn apart((mine, other): (f64, f64), least: f64) -> Option<(Severity, f64)> {
    let difference = (mine - other).abs();
    let share = difference / mine.max(other);
    if share > OTHER && difference > NO_TIME {
        Some((Severity::Invalid, share))
    } else if share > least {
        Some((Severity::Suspect, share))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
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
