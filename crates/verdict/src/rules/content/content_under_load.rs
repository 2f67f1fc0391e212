//! Targets whose responses under load differ from those of the unloaded server in frequencies that
//! no single response shows.

use tenbin_record::{ExpectedResponse, Frequencies, NewFeature, Sameness};
use tenbin_result::{Cause, Finding, Message, Severity, Value, message};
use tenbin_stats::{equal_proportions_p, independent_spacing, rank_sum_p};

use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::words::tame;

/// Level of the tests. Each run has many tests, and responses are not independent.
const LEVEL: f64 = 1e-6;
/// Level of the tests of responses of another kind, and of features that name an error.
const CHANCE: f64 = 1e-4;
/// Smallest difference of two shares of a feature.
const SHARE: f64 = 0.2;
/// Smallest difference of two shares of repeated contents.
const REPEATED: f64 = 0.05;
/// Smallest relative difference of two mean lengths.
const LENGTH: f64 = 0.05;
/// Share of bodies under load that must be shorter than all others.
const NEARLY_ALL: f64 = 0.95;
/// Share of responses with the most frequent length, above which lengths do not vary.
const ONE_LENGTH: f64 = 0.8;
/// Fewest responses of a stage.
const FEWEST: u64 = 8;
/// Level above which the load and the time after it agree.
const AGREES: f64 = 1e-3;
/// Share of changed responses of a constant page, above which it counts as changed.
const CHANGED: f64 = 0.01;
/// Share of responses with the former content after a change, above which the contents come and go.
const BACK: f64 = 0.05;
/// The same for a feature that names an error.
const ERROR_SHARE: f64 = 0.02;
/// Name of a feature: a string in JSON contains a whole HTML page, often the error page of a proxy.
const MARKUP_IN_JSON: &str = "html in a string";
/// Words of features that name an error.
const ERRORS: [&str; 15] = [
    MARKUP_IN_JSON, "/ok: false", "/success: false", "error", "overload", "unavailable", "throttl",
    "exceed", "fail", "denied", "busy", "timeout", "degraded", "partial", "stale",
];

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "content_under_load",
    summary: Texts {
        english: "under load, a target's responses differ from those of the unloaded server",
        japanese: "負荷時の応答が、無負荷時と異なる",
    },
    severities: &[Severity::Note, Severity::Suspect, Severity::Invalid],
    explanation: pages!("content_under_load"),
    messages: Messages {
        english: r#"
            other-kind =
                { $share } of the responses of { $target } under load are of another kind than the page,
                and { $idle_others } of { $idle_responses } without load
            repeated =
                { $share } of the responses of { $target } under load repeat { $what ->
                    [words] the words of an earlier one (numbers and tokens apart)
                   *[content] the content of an earlier one
                }, but { $idle_share } before the load: a page that varied is sent from a cache
            feature-lost =
                { $idle_share } of the responses of { $target } before the load have the feature
                { $feature }, but { $share } of those under load: a part of the response is missing or
                different
            feature-gained =
                { $share } of the responses of { $target } under load have the feature { $feature },
                which those before the load did not have
            shorter =
                a response body of { $target } has { $bytes } bytes on average under load, but
                { $idle_bytes } before the load
            one-length =
                { $share } of the response bodies of { $target } under load have one length, but at
                most { $idle_share } before the load
            changed-in-turns =
                before the load, all responses of { $target } had the same content; under load,
                { $share } have other content of the same shape, in turns with the first one
            changed-under-load =
                before and after the run, all responses of { $target } had the same content; under
                load, { $share } have other content of the same shape
            changed-once =
                the content of the responses of { $target } changed once during the run: { $share }
                have other content of the same shape than before the load
            changes-with-time =
                the content of the responses of { $target } changes with time; the shape stays the
                same
            from-cache =
                { $share } of the responses of { $target } under load { $mark ->
                    [age] have an Age, which caches add,
                   *[hit] report that they come from a cache,
                } but { $idle_share } before the load
            declare-changes =
                if the page is meant to change during the run, nothing is wrong: --may-differ body
                states that
            compare-by-hand =
                send the request by hand, idle and under load, and compare the responses: under
                load, the target does less or other work; if the difference is meant, --may-differ
                body turns the comparison off
        "#,
        japanese: r#"
            other-kind =
                負荷時、{ $target } の応答の { $share } がこのページとは別の種類。
                無負荷時は { $idle_responses } 件中 { $idle_others } 件
            repeated =
                負荷時、{ $target } の応答の { $share } が{ $what ->
                    [words] 、数値とトークンを除いて以前の応答と同じ
                   *[content] 以前の応答と同じ内容
                }。負荷前は { $idle_share }。変化していたページがキャッシュから返されている
            feature-lost =
                { $target } の応答のうち { $feature } を含むものは、負荷前は { $idle_share }、
                負荷時は { $share }。応答の一部が欠けているか、異なる
            feature-gained =
                負荷時、{ $target } の応答の { $share } が { $feature } を含む。負荷前の応答にはなかった
            shorter =
                { $target } の応答ボディは負荷時に平均 { $bytes } バイト、負荷前は { $idle_bytes } バイト
            one-length =
                負荷時、{ $target } の応答ボディの { $share } が同じ長さ。負荷前は最大でも { $idle_share }
            changed-in-turns =
                負荷前、{ $target } の応答はすべて同じ内容だった。
                負荷時は { $share } が構造の同じ別の内容で、元の内容と入り混じる
            changed-under-load =
                実行前と実行後、{ $target } の応答はすべて同じ内容だった。
                負荷時は { $share } が構造の同じ別の内容
            changed-once =
                { $target } の応答の内容が実行中に一度変わった。
                { $share } が負荷前とは異なる内容(構造は同じ)
            changes-with-time =
                { $target } の応答の内容は時間とともに変わる。構造は変わらない
            from-cache =
                負荷時、{ $target } の応答の { $share } { $mark ->
                    [age] にキャッシュが付ける Age がある
                   *[hit] がキャッシュからの応答
                }。負荷前は { $idle_share }
            declare-changes =
                実行中に変わって当然のページなら問題ない。--may-differ body を付けるとその旨を示す
            compare-by-hand =
                無負荷時と負荷時に手でリクエストを送り、応答を比べる。
                負荷時、ターゲットの処理が減っているか、異なっている。
                意図した違いなら --may-differ body で比較しない
        "#,
    },
    tier: Tier::Work,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    let found = cells.iter().filter_map(|cell| {
        let target = evidence.environment.targets.get(&cell.target.name)?;
        let expected = target.responses.get(&cell.workload.name)?;
        let (severity, seen) = judged(&cell.target.name, expected)?;
        let advice = match severity {
            Severity::Note => message!("declare-changes"),
            _ => message!("compare-by-hand"),
        };
        let finding = RULE.finding(severity, Cause::Server, seen, advice);
        Some(finding.on(&cell.workload.name, &cell.target.name))
    });
    found.collect()
}

/// A number of responses of a stage.
type Count = fn(&Frequencies) -> u64;
/// A number of responses of a stage, and of how many.
type Share = fn(&Frequencies) -> (u64, u64);

type Seen = (Severity, Message);

fn judged(target: &str, expected: &ExpectedResponse) -> Option<Seen> {
    let (before, load) = (expected.before.as_ref()?, expected.load.as_ref()?);
    if before.responses < FEWEST || load.responses + load.other == 0 {
        return None;
    }
    let stages = Stages {
        target,
        expected,
        before,
        load,
        after: expected
            .after
            .as_ref()
            .filter(|one| one.responses + one.other >= FEWEST),
    };
    let found = match expected.content {
        Sameness::Same => [
            stages.constant(),
            stages.features(),
            stages.caches(),
            None,
            None,
        ],
        Sameness::Varies | Sameness::Unknown if load.responses + load.other >= FEWEST => [
            stages.others(),
            stages.repeats(),
            stages.features(),
            stages.lengths(),
            stages.caches(),
        ],
        Sameness::Varies | Sameness::Unknown => return None,
    };
    let found = found.into_iter().flatten();
    // Of equally severe findings, the first.
    found.reduce(|first, other| if other.0 > first.0 { other } else { first })
}

struct Stages<'a> {
    target: &'a str,
    expected: &'a ExpectedResponse,
    before: &'a Frequencies,
    load: &'a Frequencies,
    after: Option<&'a Frequencies>,
}

impl Stages<'_> {
    /// Responses of another kind, each of which can be a rare page of the server.
    fn others(&self) -> Option<Seen> {
        let of = |one: &Frequencies| (one.other, one.responses + one.other);
        let after = self.after.map_or((0, 0), of);
        let before = of(self.before);
        let idle = (before.0 + after.0, before.1 + after.1);
        let loaded = of(self.load);
        let is_chance = equal_proportions_p(idle, loaded).is_none_or(|p| p > CHANCE);
        if is_chance || ratio(loaded) <= ratio(idle) {
            return None;
        }
        let seen = message!(
            "other-kind",
            share = share(loaded),
            target = self.target,
            idle_others = Value::Plain(idle.0),
            idle_responses = Value::Plain(idle.1)
        );
        let severity = Severity::Suspect.raised_if(ratio(loaded) > SHARE);
        Some((severity, seen))
    }

    /// A page that varied and stops varying.
    fn repeats(&self) -> Option<Seen> {
        let (before, load) = (self.before, self.load);
        let counts: [(&str, Share); 2] = [
            ("content", |one| (one.repeated, one.compared)),
            ("words", |one| (one.repeated_words, one.compared_words)),
        ];
        counts.into_iter().find_map(|(what, of)| {
            let (idle, loaded) = (of(before), of(load));
            is_more(idle, loaded, REPEATED, LEVEL).then(|| {
                let seen = message!(
                    "repeated",
                    share = share(loaded),
                    target = self.target,
                    what = Value::word(what),
                    idle_share = share(idle)
                );
                (Severity::Invalid, seen)
            })
        })
    }

    /// Features that became rarer or more frequent.
    fn features(&self) -> Option<Seen> {
        let (before, load) = (self.before, self.load);
        let names = self.expected.features.iter().enumerate();
        let lost = names.filter_map(|(at, name)| {
            let idle = (*before.features.get(at)?, before.responses);
            let loaded = (*load.features.get(at)?, load.responses);
            if !is_more(loaded, idle, SHARE, LEVEL) || is_empty_list(name) {
                return None;
            }
            let after = self.after.and_then(|after| {
                let rest = after.responses + after.other;
                Some((*after.features.get(at)?, rest))
            });
            let lasts = after.is_some_and(|after| {
                let is_rarer = agrees(loaded, after) || ratio(after) < ratio(loaded);
                is_rarer && !agrees(idle, after)
            });
            // What the server no longer sends when it is idle is no effect of the load, unless a
            // part is missing.
            (!lasts || is_part(name)).then(|| (ratio(idle) - ratio(loaded), name, idle, loaded))
        });
        let worst = lost.max_by(|one, other| one.0.total_cmp(&other.0));
        let lost = worst.map(|(_, name, idle, loaded)| {
            let seen = message!(
                "feature-lost",
                idle_share = share(idle),
                target = self.target,
                feature = tame(name),
                share = share(loaded)
            );
            (Severity::Suspect, seen)
        });
        lost.or_else(|| self.gained())
    }

    fn gained(&self) -> Option<Seen> {
        let (before, load) = (self.before, self.load);
        let count_of = |stage: &Frequencies, name: &str| {
            let mut new = stage.new.iter();
            new.find(|one| one.name == name)
                .map_or(0, |one| one.responses)
        };
        let gained = load.new.iter().find(|NewFeature { name, responses }| {
            let loaded = (*responses, load.responses);
            let lower = name.to_ascii_lowercase();
            let names_error = ERRORS.iter().any(|word| lower.contains(word));
            let idle = (count_of(before, name), before.responses);
            let is_gained = if names_error {
                is_more(idle, loaded, ERROR_SHARE, CHANCE)
            } else {
                is_more(idle, loaded, SHARE, LEVEL)
            };
            if !is_gained {
                return false;
            }
            let after = self
                .after
                .map(|after| (count_of(after, name), after.responses));
            // Lists grow, and pages change with time: what stays after the load is not due to it.
            names_error
                || after.is_some_and(|after| !agrees(loaded, after) && ratio(after) < ratio(loaded))
        })?;
        let seen = message!(
            "feature-gained",
            share = share((gained.responses, load.responses)),
            target = self.target,
            feature = tame(&gained.name)
        );
        Some((Severity::Suspect, seen))
    }

    /// Bodies that became shorter, or that no longer vary in length.
    fn lengths(&self) -> Option<Seen> {
        let mean = |one: &Frequencies| one.bytes as f64 / one.bodies.max(1) as f64;
        let (before, load) = (self.before, self.load);
        let (idle, loaded) = (mean(before), mean(load));
        // Of a list that grows and shrinks slowly, neighbours in the sample are no independent
        // observations.
        let every = independent_spacing(&before.lengths);
        let floats = |lengths: &[u64]| -> Vec<f64> {
            lengths
                .iter()
                .step_by(every)
                .map(|&one| one as f64)
                .collect()
        };
        // A page that is the same for some time has few independent responses.
        let is_new_each_time = before.repeated * 2 < before.compared;
        if !is_new_each_time {
            return None;
        }
        let is_beyond_chance =
            rank_sum_p(&floats(&before.lengths), &floats(&load.lengths)).is_some_and(|p| p < LEVEL);
        let is_shorter = loaded < idle * (1.0 - LENGTH) && is_beyond_chance;
        if is_shorter || self.is_short_only_under_load(idle, loaded) {
            let seen = message!(
                "shorter",
                target = self.target,
                bytes = Value::whole(loaded),
                idle_bytes = Value::whole(idle)
            );
            return Some((Severity::Suspect, seen));
        }
        let of_one = |one: &Frequencies| {
            let mut lengths = one.lengths.clone();
            lengths.sort_unstable();
            let runs = lengths.chunk_by(|one, other| one == other);
            let longest = runs.map(<[u64]>::len).max().unwrap_or(0);
            (longest as u64, lengths.len() as u64)
        };
        let (idle, loaded) = (of_one(before), of_one(load));
        (ratio(loaded) > ONE_LENGTH && is_more(idle, loaded, SHARE, LEVEL) && ratio(idle) < 0.5)
            .then(|| {
                let seen = message!(
                    "one-length",
                    share = share(loaded),
                    target = self.target,
                    idle_share = share(idle)
                );
                (Severity::Suspect, seen)
            })
    }

    /// Whether nearly all bodies under load are shorter than all bodies before and after it. Lengths
    /// that drift have few independent observations, but a drift does not end with the load.
    fn is_short_only_under_load(&self, idle: f64, loaded: f64) -> bool {
        let shortest = |one: &Frequencies| one.lengths.iter().min().copied();
        let Some(after) = self.after.and_then(shortest) else {
            return false;
        };
        let idle_shortest = shortest(self.before).unwrap_or(0).min(after);
        let lengths = &self.load.lengths;
        let shorter = lengths.iter().filter(|&&one| one < idle_shortest).count() as u64;
        let share = ratio((shorter, lengths.len() as u64));
        loaded < idle * (1.0 - SHARE) && share > NEARLY_ALL
    }

    /// A constant page that changed.
    fn constant(&self) -> Option<Seen> {
        let load = self.load;
        let all = load.same + load.changed;
        let changed = (load.changed, all);
        if load.changed == 0 || ratio(changed) < CHANGED {
            return None;
        }
        let after_change = load.same_after_change + load.changed_after_change;
        let back = (load.same_after_change, after_change);
        let (target, share) = (self.target, share(changed));
        if load.changed_after_change > 2 && load.same_after_change > 2 && ratio(back) > BACK {
            let seen = message!("changed-in-turns", target, share);
            return Some((Severity::Invalid, seen));
        }
        let is_back = self
            .after
            .is_some_and(|after| after.same * 10 > 9 * (after.responses + after.other));
        if is_back {
            let seen = message!("changed-under-load", target, share);
            return Some((Severity::Invalid, seen));
        }
        Some(match load.changed_contents {
            0 | 1 => {
                let seen = message!("changed-once", target, share);
                (Severity::Suspect, seen)
            }
            _ => {
                let seen = message!("changes-with-time", target);
                (Severity::Note, seen)
            }
        })
    }

    /// Responses from a cache under load only.
    fn caches(&self) -> Option<Seen> {
        let (before, load) = (self.before, self.load);
        let marks: [(&str, Count); 2] = [("hit", |one| one.hit), ("age", |one| one.age)];
        marks.into_iter().find_map(|(mark, of)| {
            let idle = (of(before), before.responses);
            let loaded = (of(load), load.responses);
            is_more(idle, loaded, SHARE, LEVEL).then(|| {
                let seen = message!(
                    "from-cache",
                    share = share(loaded),
                    target = self.target,
                    mark = Value::word(mark),
                    idle_share = share(idle)
                );
                (Severity::Suspect, seen)
            })
        })
    }
}

/// Whether the feature is an empty list, which a growing list loses.
fn is_empty_list(name: &str) -> bool {
    name.ends_with(": empty array") || name.ends_with(": {}")
}

/// Whether the feature is a part of a document: an object, a filled list, or a tag.
fn is_part(name: &str) -> bool {
    name.ends_with(": array") || name.ends_with(": object") || name.starts_with('<')
}

fn ratio((hits, all): (u64, u64)) -> f64 {
    hits as f64 / all.max(1) as f64
}

fn share(of: (u64, u64)) -> Value {
    Value::Share(ratio(of))
}

/// Whether the second share is larger than the first by more than `least`, beyond chance at `level`.
fn is_more(one: (u64, u64), other: (u64, u64), least: f64, level: f64) -> bool {
    one.1 >= FEWEST
        && other.1 >= FEWEST
        && ratio(other) - ratio(one) > least
        && equal_proportions_p(one, other).is_some_and(|p| p < level)
}

/// Whether two shares can be the same.
fn agrees(one: (u64, u64), other: (u64, u64)) -> bool {
    equal_proportions_p(one, other).is_none_or(|p| p > AGREES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    fn stage(responses: u64) -> Frequencies {
        Frequencies {
            responses,
            features: vec![responses, responses],
            compared: responses - 1,
            compared_words: responses - 1,
            bodies: responses,
            bytes: responses * 1_000,
            lengths: (0..responses.min(128))
                .map(|at| 950 + at * 7 % 100)
                .collect(),
            ..Frequencies::default()
        }
    }

    fn varying() -> ExpectedResponse {
        ExpectedResponse {
            probed: 64,
            status: Some(200),
            content: Sameness::Varies,
            features: vec!["/list: array".to_owned(), "/at: = \"noon\"".to_owned()],
            before: Some(stage(64)),
            load: Some(stage(1_000)),
            after: Some(stage(40)),
            ..ExpectedResponse::default()
        }
    }

    fn found(change: impl FnOnce(&mut ExpectedResponse)) -> Option<(Severity, String)> {
        let mut run = Run::single(8);
        let mut expected = varying();
        change(&mut expected);
        let target = run.environment.targets.entry("a".to_owned()).or_default();
        target.responses.insert("get".to_owned(), expected);
        let findings = run.findings(&RULE);
        assert!(findings.len() < 2, "{findings:?}");
        findings
            .into_iter()
            .next()
            .map(|one| (one.severity, one.evidence))
    }

    fn load(expected: &mut ExpectedResponse) -> &mut Frequencies {
        expected.load.as_mut().unwrap()
    }

    fn after(expected: &mut ExpectedResponse) -> &mut Frequencies {
        expected.after.as_mut().unwrap()
    }

    #[test]
    fn the_same_before_and_under_load_is_no_finding() {
        assert_eq!(found(|_| {}), None);
        assert_eq!(found(|expected| expected.load = None), None);
        // Few responses prove nothing.
        assert_eq!(
            found(|expected| {
                expected.load = Some(Frequencies {
                    features: vec![0, 0],
                    ..stage(7)
                });
            }),
            None
        );
    }

    #[test]
    fn a_page_that_stops_varying_is_invalid() {
        let (severity, seen) = found(|expected| load(expected).repeated = 990).unwrap();
        assert_eq!(severity, Severity::Invalid);
        assert!(
            seen.starts_with("99.1 % of the responses of a under load repeat"),
            "{seen}"
        );
        assert!(found(|expected| load(expected).repeated_words = 300).is_some());
        assert_eq!(found(|expected| load(expected).repeated = 30), None);
    }

    #[test]
    fn a_part_that_is_missing_is_suspect_also_if_it_stays_away() {
        let lost = |expected: &mut ExpectedResponse| load(expected).features[0] = 300;
        let (severity, seen) = found(lost).unwrap();
        assert_eq!(severity, Severity::Suspect);
        assert!(
            seen.contains("the feature /list: array, but 30 %"),
            "{seen}"
        );
        let stays = |expected: &mut ExpectedResponse| {
            lost(expected);
            after(expected).features[0] = 12;
        };
        assert!(found(stays).is_some());
        assert_eq!(found(|expected| load(expected).features[0] = 900), None);
    }

    #[test]
    fn a_value_that_changes_with_time_is_no_finding() {
        let other = |expected: &mut ExpectedResponse| load(expected).features[1] = 0;
        assert!(found(other).is_some());
        let stays = |expected: &mut ExpectedResponse| {
            other(expected);
            after(expected).features[1] = 0;
        };
        assert_eq!(found(stays), None);
        let fades = |expected: &mut ExpectedResponse| {
            load(expected).features[1] = 400;
            after(expected).features[1] = 0;
        };
        assert_eq!(found(fades), None, "an old line of a log");
        let new = |name: &'static str, loaded, later| {
            move |expected: &mut ExpectedResponse| {
                let new = |responses| {
                    vec![NewFeature {
                        name: name.to_owned(),
                        responses,
                    }]
                };
                load(expected).new = new(loaded);
                after(expected).new = new(later);
            }
        };
        let evening = "/at: = \"evening\"";
        assert_eq!(found(new(evening, 900, 40)), None);
        assert_eq!(found(new(evening, 600, 40)), None, "a new line of a log");
        assert!(found(new(evening, 900, 0)).is_some());
        assert_eq!(found(new(evening, 100, 0)), None);
        assert!(found(new("/degraded: true", 900, 40)).is_some());
        assert!(found(new("/body: HTML in a string", 200, 0)).is_some());
    }

    #[test]
    fn shorter_bodies_and_bodies_of_one_length_are_suspect() {
        let shorter = |expected: &mut ExpectedResponse| {
            let load = load(expected);
            load.lengths.iter_mut().for_each(|length| *length -= 80);
            load.bytes -= 80 * load.bodies;
        };
        assert_eq!(found(shorter).map(|one| one.0), Some(Severity::Suspect));
        let drift = |expected: &mut ExpectedResponse| {
            let before = expected.before.as_mut().unwrap();
            before.lengths = (0..64).map(|at| 900 + at * 2).collect();
            let load = load(expected);
            load.lengths = (0..128).map(|at| 600 + at).collect();
            load.bytes = load.bodies * 660;
        };
        let comes_back = |expected: &mut ExpectedResponse| {
            drift(expected);
            after(expected).lengths.fill(1_000);
        };
        let stays = |expected: &mut ExpectedResponse| {
            drift(expected);
            after(expected).lengths.fill(500);
        };
        assert!(found(comes_back).is_some());
        assert_eq!(found(stays), None, "lengths that drift");
        let longer = |expected: &mut ExpectedResponse| {
            let load = load(expected);
            load.lengths.iter_mut().for_each(|length| *length += 80);
            load.bytes += 80 * load.bodies;
        };
        assert_eq!(found(longer), None, "a list that grows");
        let one = |expected: &mut ExpectedResponse| load(expected).lengths.fill(1_000);
        assert!(found(one).is_some());
    }

    #[test]
    fn a_constant_page_may_change_with_time_but_not_with_the_load() {
        let constant = |changed: u64, contents: u64, back: u64, after_same: u64| {
            move |expected: &mut ExpectedResponse| {
                expected.content = Sameness::Same;
                let load = load(expected);
                load.same = 1_000 - changed;
                load.changed = changed;
                load.changed_contents = contents;
                load.changed_after_change = changed / 2;
                load.same_after_change = back;
                after(expected).same = after_same;
            }
        };
        let severity = |change| found(change).map(|one| one.0);
        assert_eq!(severity(constant(0, 0, 0, 40)), None);
        assert_eq!(severity(constant(400, 1, 300, 40)), Some(Severity::Invalid));
        assert_eq!(severity(constant(990, 1, 0, 40)), Some(Severity::Invalid));
        assert_eq!(severity(constant(990, 1, 0, 0)), Some(Severity::Suspect));
        assert_eq!(severity(constant(990, 8, 0, 0)), Some(Severity::Note));
    }

    #[test]
    fn a_cache_under_load_only_is_suspect() {
        let (severity, seen) = found(|expected| load(expected).hit = 900).unwrap();
        assert_eq!(severity, Severity::Suspect);
        assert!(seen.contains("come from a cache"), "{seen}");
        let both = |expected: &mut ExpectedResponse| {
            load(expected).hit = 900;
            expected.before.as_mut().unwrap().hit = 60;
        };
        assert_eq!(found(both), None);
    }
}
