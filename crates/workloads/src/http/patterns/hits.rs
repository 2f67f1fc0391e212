//! Counts the search hits of patterns on each host before the run, and of a sample of these
//! patterns again after load.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tenbin_engine::{
    BodyUse, ErrorClass, Exchange, Judgement, Moment, Next, ResponseHead, Workload,
};
use tenbin_plan::patterns::{MOST_ASKED_BY_DEFAULT, MOST_ASKED_FOR_HITS, is_of_search_server};
use tenbin_plan::rng::{Rng, name_number};
use tenbin_plan::{CacheCounters, HitSource, PatternSet, Patterns, Sentence, sentence};

use super::requests::Requests;
use crate::prepared::Stage;
use crate::samples::{HostHits, PatternHits};
use crate::shared::held;
use crate::text::grouped;

/// Longest response whose number of hits is read, bytes.
const LARGEST_RESPONSE: usize = 64 << 20;
/// Maximum number of patterns whose hits are counted again on each host after load. If the hits of
/// one pattern in a hundred changed, the sample almost certainly contains a changed pattern.
const MOST_ASKED_AGAIN: usize = 1_000;

/// As [`MOST_ASKED_AGAIN`], if hits are counted by default: enough to notice lost data.
const MOST_ASKED_AGAIN_BY_DEFAULT: usize = 100;
/// Number of responses after which counting by default stops if no response had a number of hits:
/// the server is not a known search server.
const ENOUGH_UNREADABLE: usize = 5;

/// The requests that count search hits on every host, outside the measured slices.
pub(super) struct HitCounting {
    /// Where each pattern's response reports its hits; `None` if the hits are not counted.
    sources: Arc<[Option<HitSource>]>,
    /// Whether hits are counted by default: the plan does not say where responses report hits, so
    /// the path of each pattern determines the place.
    by_default: bool,
    /// Number of patterns that are not searches of a known kind.
    unknown: usize,
    /// Whether the server is known to be a search server, by the path of a pattern or by the source
    /// of its cache counters.
    is_search_server: bool,
    hosts: Vec<HostCounting>,
    /// Index of the next host for [`HitCounting::before_run`].
    begun: usize,
    /// Index of the next host for [`HitCounting::count_again`].
    begun_again: usize,
}

/// The requests that count hits on one host.
struct HostCounting {
    patterns: Vec<u32>,
    before: Responses,
    again: Vec<u32>,
    after: Responses,
}

/// Hits in the order in which responses arrived.
type Responses = Arc<Mutex<Vec<PatternHits>>>;

impl HitCounting {
    /// `None` if the plan counts no hits.
    pub(super) fn new(
        patterns: &Patterns,
        book: &Requests,
        set: &PatternSet,
        seed: u64,
    ) -> Option<Self> {
        let source = &patterns.hits;
        if *source == HitSource::Off {
            return None;
        }
        let by_default = *source == HitSource::Auto;
        let counters = patterns.cache_counters.as_ref();
        let is_search_server = counters.is_some_and(CacheCounters::is_of_search_server)
            || set
                .patterns()
                .iter()
                .any(|pattern| is_of_search_server(&pattern.path));
        let each = set.patterns().iter();
        let sources: Arc<[Option<HitSource>]> =
            each.map(|pattern| source.of(&pattern.path)).collect();
        let searches = |all: &mut dyn Iterator<Item = u32>| -> Vec<u32> {
            let known = all.filter(|&at| sources[at as usize].is_some());
            let first: Vec<u32> = known.take(MOST_ASKED_FOR_HITS).collect();
            if !by_default {
                first
            } else {
                sample(&first, seed, MOST_ASKED_BY_DEFAULT, "asked for hits")
            }
        };
        let again = if by_default {
            MOST_ASKED_AGAIN_BY_DEFAULT
        } else {
            MOST_ASKED_AGAIN
        };
        let counting = |host: usize| {
            let patterns = match book.hosts_of() {
                None => searches(&mut (0..set.len() as u32)),
                Some(lists) => searches(&mut lists[host].iter().copied()),
            };
            HostCounting {
                again: sample(&patterns, seed, again, "asked again"),
                patterns,
                before: Arc::default(),
                after: Arc::default(),
            }
        };
        Some(Self {
            hosts: (0..book.hosts()).map(counting).collect(),
            unknown: sources.iter().filter(|source| source.is_none()).count(),
            is_search_server,
            sources,
            by_default,
            begun: 0,
            begun_again: 0,
        })
    }

    /// Notes about patterns whose hits are not counted or not reported, with the reason; one
    /// sentence each.
    pub(super) fn notes(&self) -> Vec<Sentence> {
        let all = self.sources.len();
        if !self.by_default {
            let asked = all.min(MOST_ASKED_FOR_HITS);
            let sentence = || {
                sentence!(
                    "first-hits",
                    "the hits of the first {patterns} patterns are compared",
                    patterns = grouped(asked as u64)
                )
            };
            return (all > asked).then(sentence).into_iter().collect();
        }
        if !self.is_search_server {
            return Vec::new();
        }
        if self.unknown == all {
            return vec![sentence!(
                "no-known-search",
                "searches without a hit are not counted, because no pattern is known as a search \
                 of Groonga, Droonga (/d/select) or OpenSearch (/_search): use hits (--hits) to \
                 specify where responses contain the number of hits"
            )];
        }
        let mut notes = Vec::new();
        if self.unknown > 0 {
            notes.push(sentence!(
                "unknown-searches",
                "the hits of {unknown} of {all} patterns are not counted, because they are not known \
                 as searches: use hits (--hits) to specify where responses contain the number of hits",
                unknown = grouped(self.unknown as u64),
                all = grouped(all as u64)
            ));
        }
        if self.begun > 0 && self.reporting().next().is_none() {
            notes.push(sentence!(
                "responses-without-hits",
                "searches without a hit are not counted, because the responses to the first \
                 patterns hold no number of hits: use hits (--hits) to specify where responses \
                 contain the number of hits"
            ));
        }
        notes
    }

    /// The hosts that were queried, with their hits. If hits are counted by default, only the hosts
    /// that reported a number: other hosts are not search servers.
    fn reporting(&self) -> impl Iterator<Item = (usize, &HostCounting)> {
        let begun = self.hosts.iter().enumerate().take(self.begun);
        begun.filter(|(_, counting)| {
            let responses = held(&counting.before);
            !self.by_default || responses.iter().any(|response| response.hits.is_some())
        })
    }

    /// The stage that counts the hits on the next host before the run, with the host and its
    /// patterns; `None` after the last host.
    pub(super) fn before_run(&mut self, book: &Arc<Requests>) -> Option<(usize, &[u32], Stage)> {
        let is_counted = |counting: &&HostCounting| !counting.patterns.is_empty();
        let left = self.hosts.iter().skip(self.begun);
        let Some(skipped) = left.clone().position(|counting| is_counted(&counting)) else {
            self.begun += left.count();
            return None;
        };
        let host = self.begun + skipped;
        let counting = &self.hosts[host];
        self.begun = host + 1;
        let stage = self.stage(book, host, &counting.patterns, &counting.before, "");
        Some((host, &self.hosts[host].patterns, stage))
    }

    /// The stage that counts the hits on the next host after load; `None` after the last host.
    pub(super) fn count_again(&mut self, book: &Arc<Requests>) -> Option<Stage> {
        let reporting: Vec<usize> = self.reporting().map(|(host, _)| host).collect();
        let next = reporting.iter().find(|&&host| host >= self.begun_again);
        let Some(&host) = next else {
            self.begun_again = 0;
            return None;
        };
        let counting = &self.hosts[host];
        self.begun_again = host + 1;
        Some(self.stage(book, host, &counting.again, &counting.after, " again"))
    }

    fn stage(
        &self,
        book: &Arc<Requests>,
        host: usize,
        patterns: &[u32],
        responses: &Responses,
        again: &str,
    ) -> Stage {
        let count = patterns.len() as u64;
        let place = match self.hosts.len() {
            1 => String::new(),
            all => format!(" at host {} of {all}", host + 1),
        };
        Stage {
            what: sentence!(
                "counting-hits",
                "counting the hits of {patterns} patterns{again}{place}",
                patterns = grouped(count),
                again,
                place
            )
            .with("is_again", !again.is_empty())
            .with("host", host + 1)
            .with("hosts", self.hosts.len()),
            total: Some(count),
            connections: 1,
            workers: vec![Box::new(HitCounter {
                book: Arc::clone(book),
                sources: Arc::clone(&self.sources),
                gives_up: self.by_default,
                host,
                patterns: patterns.to_vec(),
                next: 0,
                responses: Arc::clone(responses),
                body: Vec::new(),
                too_long: false,
            })],
            must_succeed: false,
            host: Some(host),
        }
    }

    /// The search hits that each host has reported so far.
    pub(super) fn hits_by_host(&self) -> Vec<HostHits> {
        self.reporting()
            .map(|(host, counting)| {
                let before = all_of(&counting.patterns, &held(&counting.before));
                let after = most_telling(&before, &held(&counting.after));
                HostHits {
                    host,
                    before,
                    after: (!after.is_empty()).then_some(after),
                }
            })
            .collect()
    }

    /// Number of patterns up to and including the last pattern whose hits are counted on any host.
    pub(super) fn reach(&self) -> usize {
        let asked = self.hosts.iter().flat_map(|counting| &counting.patterns);
        asked.max().map_or(0, |&last| last as usize + 1)
    }
}

/// The hits of each of `patterns`. For a pattern without a response, `hits` and `bytes` are `None`.
fn all_of(patterns: &[u32], responses: &[PatternHits]) -> Vec<PatternHits> {
    let known = responses
        .iter()
        .map(|response| (response.pattern, *response));
    let known: HashMap<u32, PatternHits> = known.collect();
    let response = |&pattern: &u32| {
        known.get(&pattern).copied().unwrap_or(PatternHits {
            pattern,
            hits: None,
            bytes: None,
        })
    };
    patterns.iter().map(response).collect()
}

/// Selects one count per pattern from the counts in `after`: the first count that differs from the
/// count of the pattern in `before` or, if no count differs, the last count.
fn most_telling(before: &[PatternHits], after: &[PatternHits]) -> Vec<PatternHits> {
    let hits = before.iter().map(|one| (one.pattern, one.hits));
    let hits: HashMap<u32, Option<u64>> = hits.collect();
    let changed = |one: &PatternHits| hits.get(&one.pattern).is_some_and(|was| *was != one.hits);
    let mut told: Vec<PatternHits> = Vec::new();
    let mut places: HashMap<u32, usize> = HashMap::new();
    for response in after {
        match places.get(&response.pattern) {
            None => {
                places.insert(response.pattern, told.len());
                told.push(*response);
            }
            Some(&at) if !changed(&told[at]) => told[at] = *response,
            Some(_) => {}
        }
    }
    told
}

/// A random sample of at most `most` patterns, equal on every target. Samples for different
/// purposes are independent.
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

/// Sends patterns one after the other to one host, unmeasured, and reads the hits.
struct HitCounter {
    book: Arc<Requests>,
    sources: Arc<[Option<HitSource>]>,
    /// Whether the worker ends when the first responses contain no number of hits.
    gives_up: bool,
    host: usize,
    patterns: Vec<u32>,
    next: usize,
    responses: Responses,
    body: Vec<u8>,
    too_long: bool,
}

impl Workload for HitCounter {
    fn operations(&self) -> &[&'static str] {
        &["ask"]
    }

    fn next(&mut self, _now: Moment, exchange: &mut Exchange) -> Next {
        if self.gives_up && self.finds_no_hits() {
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

    fn head(&mut self, _exchange: &mut Exchange, _head: &ResponseHead<'_>) -> BodyUse {
        self.body.clear();
        self.too_long = false;
        BodyUse::Inspect
    }

    fn body(&mut self, _exchange: &mut Exchange, _offset: u64, part: &[u8]) {
        if self.body.len() + part.len() > LARGEST_RESPONSE {
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
        held(&self.responses).push(PatternHits {
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

impl HitCounter {
    /// Whether enough responses have come, and none of them has a number of hits.
    fn finds_no_hits(&self) -> bool {
        let responses = held(&self.responses);
        responses.len() >= ENOUGH_UNREADABLE && responses.iter().all(|one| one.hits.is_none())
    }
}

/// The number of hits in a response.
fn hits(source: &HitSource, body: &[u8]) -> Option<u64> {
    let response: Value = serde_json::from_slice(body).ok()?;
    match source {
        HitSource::Groonga => of_groonga(&response),
        HitSource::OpenSearch => of_opensearch(&response),
        HitSource::Pointer(pointer) => response.pointer(pointer)?.as_u64(),
        HitSource::Auto | HitSource::Off => None,
    }
}

/// The number of hits in a response of Groonga. Command versions 1 and 2:
/// `[[0, start, elapsed], [[[hits], columns, …], …]]`. Command version 3:
/// `{"header": {"return_code": 0, …}, "body": {"n_hits": hits, …}}`.
fn of_groonga(response: &Value) -> Option<u64> {
    if let Some(header) = response.get("header") {
        let worked = header.get("return_code")?.as_i64()? == 0;
        return response
            .pointer("/body/n_hits")?
            .as_u64()
            .filter(|_| worked);
    }
    let worked = response.pointer("/0/0")?.as_i64()? == 0;
    response.pointer("/1/0/0/0")?.as_u64().filter(|_| worked)
}

/// The `hits.total` of OpenSearch; `None` if the number is only a lower bound ("relation": "gte",
/// the default for large numbers without "track_total_hits": true), the search timed out or shards
/// failed.
fn of_opensearch(response: &Value) -> Option<u64> {
    let timed_out = response.get("timed_out").and_then(Value::as_bool);
    let failed = response.pointer("/_shards/failed").and_then(Value::as_u64);
    if timed_out == Some(true) || failed.is_some_and(|failed| failed > 0) {
        return None;
    }
    let total = response.pointer("/hits/total")?;
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
    fn hits_of_groonga_are_read_in_every_command_version() {
        let source = HitSource::Groonga;
        for (response, expected) in [
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
            assert_eq!(hits(&source, response.as_bytes()), expected, "{response}");
        }
    }

    #[test]
    fn hits_of_other_servers_are_read() {
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
