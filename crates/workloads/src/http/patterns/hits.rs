//! Asks hosts for the number of hits of patterns: every pattern before the run, and a
//! sample of them again once there has been load.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tenbin_engine::{AnswerHead, BodyUse, ErrorClass, Exchange, Judgement, Moment, Next, Workload};
use tenbin_plan::patterns::{MOST_ASKED_BY_DEFAULT, MOST_ASKED_FOR_HITS};
use tenbin_plan::rng::{Rng, name_number};
use tenbin_plan::{HitSource, PatternSet};

use super::book::Book;
use crate::kind::Stage;
use crate::single::{HostAsked, PatternAsked};
use crate::text::grouped;

/// Of an answer that is longer, the number of hits is not known.
const LARGEST_ANSWER: usize = 64 << 20;
/// Patterns that each host is asked again once there has been load: one in a hundred that
/// finds something else is among them all but surely.
const MOST_ASKED_AGAIN: usize = 1_000;

/// The same for patterns that are asked by default: enough to see data that are gone.
const MOST_ASKED_AGAIN_BY_DEFAULT: usize = 100;
/// Responses without a number of hits after which a server that is asked by default is taken
/// for another kind of server, and left in peace.
const ENOUGH_UNREADABLE: usize = 5;

/// What is asked of every host apart from the measuring.
pub(super) struct Inquiry {
    /// How each pattern reports its hits; `None` for one that is not asked.
    sources: Arc<[Option<HitSource>]>,
    /// The plan does not say how hits are reported: the paths do.
    by_default: bool,
    /// Patterns that are no search of a known kind.
    unknown: usize,
    hosts: Vec<Asking>,
    /// Hosts whose stage before the run has been handed out.
    begun: usize,
    /// The same for the stages that ask again.
    begun_again: usize,
}

/// What is asked of one host.
struct Asking {
    patterns: Vec<u32>,
    before: Answers,
    again: Vec<u32>,
    after: Answers,
}

/// In the order in which they came.
type Answers = Arc<Mutex<Vec<PatternAsked>>>;

impl Inquiry {
    /// What is to be asked; `None` if the plan asks for no hits.
    pub(super) fn new(
        source: &HitSource,
        book: &Book,
        set: &PatternSet,
        seed: u64,
    ) -> Option<Self> {
        if *source == HitSource::Off {
            return None;
        }
        let by_default = *source == HitSource::Auto;
        let each = set.patterns().iter();
        let sources: Arc<[Option<HitSource>]> =
            each.map(|pattern| source.of(&pattern.path)).collect();
        let searches = |all: &mut dyn Iterator<Item = u32>| -> Vec<u32> {
            let known = all.filter(|&at| sources[at as usize].is_some());
            let first: Vec<u32> = known.take(MOST_ASKED_FOR_HITS).collect();
            match by_default {
                false => first,
                true => sample(&first, seed, MOST_ASKED_BY_DEFAULT, "asked for hits"),
            }
        };
        let again = match by_default {
            true => MOST_ASKED_AGAIN_BY_DEFAULT,
            false => MOST_ASKED_AGAIN,
        };
        let asking = |host: usize| {
            let patterns = match book.hosts_of() {
                None => searches(&mut (0..set.len() as u32)),
                Some(lists) => searches(&mut lists[host].iter().copied()),
            };
            Asking {
                again: sample(&patterns, seed, again, "asked again"),
                patterns,
                before: Arc::default(),
                after: Arc::default(),
            }
        };
        Some(Self {
            hosts: (0..book.hosts()).map(asking).collect(),
            unknown: sources.iter().filter(|source| source.is_none()).count(),
            sources,
            by_default,
            begun: 0,
            begun_again: 0,
        })
    }

    /// What is not asked for its hits, or did not report any, and why; a sentence each.
    pub(super) fn notes(&self) -> Vec<String> {
        let all = self.sources.len();
        if !self.by_default {
            let asked = all.min(MOST_ASKED_FOR_HITS);
            let sentence = || {
                let asked = grouped(asked as u64);
                format!("the hits of the first {asked} patterns are compared")
            };
            return (all > asked).then(sentence).into_iter().collect();
        }
        const HOW: &str = "name where responses have their number of hits with hits (--hits)";
        if self.unknown == all {
            return vec![format!(
                "searches without a hit are not counted, because no pattern is known as a search \
                 of Groonga, Droonga (/d/select) or OpenSearch (/_search): {HOW}"
            )];
        }
        let mut notes = Vec::new();
        if self.unknown > 0 {
            notes.push(format!(
                "the hits of {} of {} patterns are not counted, because they are not known as \
                 searches: {HOW}",
                grouped(self.unknown as u64),
                grouped(all as u64)
            ));
        }
        if self.begun > 0 && self.told().next().is_none() {
            notes.push(format!(
                "searches without a hit are not counted, because the responses to the first \
                 patterns hold no number of hits: {HOW}"
            ));
        }
        notes
    }

    /// The hosts that have been asked, with what they reported. By default only those that
    /// reported a number at all: others are servers of another kind.
    fn told(&self) -> impl Iterator<Item = (usize, &Asking)> {
        let begun = self.hosts.iter().enumerate().take(self.begun);
        begun.filter(|(_, asking)| {
            let answers = held(&asking.before);
            !self.by_default || answers.iter().any(|answer| answer.hits.is_some())
        })
    }

    /// The stage that asks the next host before the run, and what it asks.
    pub(super) fn before_run(&mut self, book: &Arc<Book>) -> Option<(usize, &[u32], Stage)> {
        let is_asked = |asking: &&Asking| !asking.patterns.is_empty();
        let left = self.hosts.iter().skip(self.begun);
        let Some(skipped) = left.clone().position(|asking| is_asked(&asking)) else {
            self.begun += left.count();
            return None;
        };
        let host = self.begun + skipped;
        let asking = &self.hosts[host];
        self.begun = host + 1;
        let stage = self.stage(book, host, &asking.patterns, &asking.before, "");
        Some((host, &self.hosts[host].patterns, stage))
    }

    /// The stage that asks the next host again.
    pub(super) fn ask_again(&mut self, book: &Arc<Book>) -> Option<Stage> {
        let told: Vec<usize> = self.told().map(|(host, _)| host).collect();
        let next = told.iter().find(|&&host| host >= self.begun_again);
        let Some(&host) = next else {
            self.begun_again = 0;
            return None;
        };
        let asking = &self.hosts[host];
        self.begun_again = host + 1;
        Some(self.stage(book, host, &asking.again, &asking.after, "again "))
    }

    fn stage(
        &self,
        book: &Arc<Book>,
        host: usize,
        patterns: &[u32],
        answers: &Answers,
        again: &str,
    ) -> Stage {
        let count = patterns.len() as u64;
        let place = match self.hosts.len() {
            1 => String::new(),
            all => format!(" at host {} of {all}", host + 1),
        };
        Stage {
            what: format!(
                "asking {} patterns {again}for their hits{place}",
                grouped(count)
            ),
            total: Some(count),
            connections: 1,
            workers: vec![Box::new(Asker {
                book: Arc::clone(book),
                sources: Arc::clone(&self.sources),
                gives_up: self.by_default,
                host,
                patterns: patterns.to_vec(),
                next: 0,
                answers: Arc::clone(answers),
                body: Vec::new(),
                too_long: false,
            })],
            must_succeed: false,
            host: Some(host),
        }
    }

    /// What came of it so far.
    pub(super) fn asked(&self) -> Vec<HostAsked> {
        self.told()
            .map(|(host, asking)| {
                let before = all_of(&asking.patterns, &held(&asking.before));
                let after = most_telling(&before, &held(&asking.after));
                HostAsked {
                    host,
                    before,
                    after: (!after.is_empty()).then_some(after),
                }
            })
            .collect()
    }

    /// How many patterns, from the first, were asked anywhere.
    pub(super) fn reach(&self) -> usize {
        let asked = self.hosts.iter().flat_map(|asking| &asking.patterns);
        asked.max().map_or(0, |&last| last as usize + 1)
    }
}

/// Those without an answer too.
fn all_of(patterns: &[u32], answers: &[PatternAsked]) -> Vec<PatternAsked> {
    let known = answers.iter().map(|answer| (answer.pattern, *answer));
    let known: HashMap<u32, PatternAsked> = known.collect();
    let answer = |&pattern: &u32| {
        known.get(&pattern).copied().unwrap_or(PatternAsked {
            pattern,
            hits: None,
            bytes: None,
        })
    };
    patterns.iter().map(answer).collect()
}

/// Of several answers to a pattern the one that is not as it was before, if there is any.
fn most_telling(before: &[PatternAsked], after: &[PatternAsked]) -> Vec<PatternAsked> {
    let hits = before.iter().map(|one| (one.pattern, one.hits));
    let hits: HashMap<u32, Option<u64>> = hits.collect();
    let changed = |one: &PatternAsked| hits.get(&one.pattern).is_some_and(|was| *was != one.hits);
    let mut told: Vec<PatternAsked> = Vec::new();
    let mut places: HashMap<u32, usize> = HashMap::new();
    for answer in after {
        match places.get(&answer.pattern) {
            None => {
                places.insert(answer.pattern, told.len());
                told.push(*answer);
            }
            Some(&at) if !changed(&told[at]) => told[at] = *answer,
            Some(_) => {}
        }
    }
    told
}

/// At most `most` of them, the same on every target. `purpose` tells draws apart.
fn sample(patterns: &[u32], seed: u64, most: usize, purpose: &str) -> Vec<u32> {
    let mut rng = Rng::new(seed, &[name_number(purpose)]);
    let mut left: Vec<u32> = patterns.to_vec();
    let wanted = left.len().min(most);
    for at in 0..wanted {
        let other = at + rng.below((left.len() - at) as u64) as usize;
        left.swap(at, other);
    }
    left.truncate(wanted);
    left.sort_unstable();
    left
}

fn held(answers: &Answers) -> MutexGuard<'_, Vec<PatternAsked>> {
    answers.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Asks one host one pattern after the other, unmeasured.
struct Asker {
    book: Arc<Book>,
    sources: Arc<[Option<HitSource>]>,
    /// Ends when the first responses hold no number of hits.
    gives_up: bool,
    host: usize,
    patterns: Vec<u32>,
    next: usize,
    answers: Answers,
    body: Vec<u8>,
    too_long: bool,
}

impl Workload for Asker {
    fn operations(&self) -> &[&'static str] {
        &["ask"]
    }

    fn next(&mut self, _now: Moment, exchange: &mut Exchange) -> Next {
        if self.gives_up && self.is_of_another_kind() {
            return Next::Exhausted;
        }
        let Some(&pattern) = self.patterns.get(self.next) else {
            return Next::Exhausted;
        };
        self.book.write_to(self.host, pattern, exchange);
        exchange.op = 0;
        self.next += 1;
        Next::Ready
    }

    fn payload<'a>(&'a self, exchange: &Exchange) -> &'a [u8] {
        self.book.body(exchange)
    }

    fn head(&mut self, _exchange: &mut Exchange, _head: &AnswerHead<'_>) -> BodyUse {
        self.body.clear();
        self.too_long = false;
        BodyUse::Inspect
    }

    fn body(&mut self, _exchange: &mut Exchange, _offset: u64, part: &[u8]) {
        if self.body.len() + part.len() > LARGEST_ANSWER {
            self.too_long = true;
        } else {
            self.body.extend_from_slice(part);
        }
    }

    fn judge(&mut self, exchange: &mut Exchange, status: u16, length: u64) -> Judgement {
        let correct = self.book.success.holds(status);
        let fits = correct && !self.too_long;
        let source = self.sources[exchange.tag as usize].as_ref();
        let found = source.and_then(|source| hits(source, &self.body));
        let found = found.filter(|_| fits);
        held(&self.answers).push(PatternAsked {
            pattern: exchange.tag as u32,
            hits: found,
            bytes: correct.then_some(length),
        });
        match found {
            Some(_) => Judgement::Correct,
            None => Judgement::Failed(
                ErrorClass::Wrong,
                format!("status {status} and no number of hits"),
            ),
        }
    }
}

impl Asker {
    fn is_of_another_kind(&self) -> bool {
        let answers = held(&self.answers);
        answers.len() >= ENOUGH_UNREADABLE && answers.iter().all(|one| one.hits.is_none())
    }
}

/// The number of hits that a response reports.
fn hits(source: &HitSource, body: &[u8]) -> Option<u64> {
    let answer: Value = serde_json::from_slice(body).ok()?;
    match source {
        HitSource::Groonga => of_groonga(&answer),
        HitSource::OpenSearch => of_opensearch(&answer),
        HitSource::Pointer(pointer) => answer.pointer(pointer)?.as_u64(),
        HitSource::Auto | HitSource::Off => None,
    }
}

/// Command versions 1 and 2: `[[0, start, elapsed], [[[hits], columns, …], …]]`;
/// command version 3: `{"header": {"return_code": 0, …}, "body": {"n_hits": hits, …}}`.
fn of_groonga(answer: &Value) -> Option<u64> {
    if let Some(header) = answer.get("header") {
        let worked = header.get("return_code")?.as_i64()? == 0;
        return answer.pointer("/body/n_hits")?.as_u64().filter(|_| worked);
    }
    let worked = answer.pointer("/0/0")?.as_i64()? == 0;
    answer.pointer("/1/0/0/0")?.as_u64().filter(|_| worked)
}

/// `hits.total`, unless it is only a bound ("relation": "gte", which all large numbers are
/// where the request does not say "track_total_hits": true), or shards are missing in it.
fn of_opensearch(answer: &Value) -> Option<u64> {
    let timed_out = answer.get("timed_out").and_then(Value::as_bool);
    let failed = answer.pointer("/_shards/failed").and_then(Value::as_u64);
    if timed_out == Some(true) || failed.is_some_and(|failed| failed > 0) {
        return None;
    }
    let total = answer.pointer("/hits/total")?;
    let exact = total
        .get("relation")
        .is_none_or(|relation| relation == "eq");
    let value = total.as_u64().or_else(|| total.get("value")?.as_u64());
    value.filter(|_| exact)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groonga_tells_its_hits_in_every_command_version() {
        let source = HitSource::Groonga;
        for (answer, expected) in [
            (
                r#"[[0,1795174616.66,6.05e-05],[[[5000],[["title","ShortText"]],["a"],["b"]]]]"#,
                Some(5000),
            ),
            (
                r#"{"header":{"return_code":0,"start_time":1.5},"body":{"n_hits":12,"records":[]}}"#,
                Some(12),
            ),
            (
                r#"[[-22,1795174616.678681,4.67e-05,"invalid name",[["execute","f.cpp",49]]]]"#,
                None,
            ),
            (
                r#"{"header":{"return_code":-22},"body":{"n_hits":12}}"#,
                None,
            ),
            ("<html>", None),
            ("[]", None),
            ("{}", None),
            ("", None),
        ] {
            assert_eq!(hits(&source, answer.as_bytes()), expected, "{answer}");
        }
    }

    #[test]
    fn others_tell_them_elsewhere() {
        let new = br#"{"hits":{"total":{"value":7,"relation":"eq"},"hits":[]}}"#;
        let old = br#"{"hits":{"total":8,"hits":[]}}"#;
        assert_eq!(hits(&HitSource::OpenSearch, new), Some(7));
        assert_eq!(hits(&HitSource::OpenSearch, old), Some(8));
        for part in [
            r#"{"hits":{"total":{"value":10000,"relation":"gte"}}}"#,
            r#"{"timed_out":true,"hits":{"total":{"value":7,"relation":"eq"}}}"#,
            r#"{"_shards":{"total":3,"failed":1},"hits":{"total":{"value":7,"relation":"eq"}}}"#,
        ] {
            assert_eq!(
                hits(&HitSource::OpenSearch, part.as_bytes()),
                None,
                "{part}"
            );
        }
        let pointer = HitSource::Pointer("/response/numFound".to_owned());
        assert_eq!(hits(&pointer, br#"{"response":{"numFound":9}}"#), Some(9));
        assert_eq!(hits(&pointer, br#"{"response":{"numFound":-1}}"#), None);
        assert_eq!(hits(&pointer, new), None);
    }
}
