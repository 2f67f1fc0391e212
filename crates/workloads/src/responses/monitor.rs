//! Compares the responses of one worker with the expected response.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use tenbin_engine::{BodyUse, ErrorClass, Exchange, Judgement, Moment, ResponseHead};
use tenbin_plan::MayDiffer;

use super::content::{START, finished, fold};
use super::observed::{HeadNotes, MOST_BYTES, Observed};
use super::portrait::{Counted, Portrait, Recent};
use super::reference::{Difference, Likeness, Reference};
use super::{Learned, MOST_UNEXPECTED, ResponseComparison, UnexpectedResponses};
use crate::s3::messages::refusal::Refusals;

/// Bytes kept of an unexpected response.
pub(crate) const KEPT_BYTES: usize = 256;
/// Characters shown of an unexpected response.
const SHOWN_CHARS: usize = 60;
/// Minimum cost of a small request for the load generator, picoseconds.
const REQUEST_PICOS: u64 = 5_000_000;
/// Cost per byte of a body that the kernel drops unread, picoseconds (measured with 1 MiB from
/// nginx over loopback: 29.6).
const BYTE_PICOS: u64 = 30;
/// Fixed cost of reading a body and computing its checksum, picoseconds.
const READ_PICOS: u64 = 60_000;
/// Cost of reading per byte, picoseconds, while body and socket buffer fit into the CPU cache. The
/// cost is set to about twice the measured value: reading a body of 64 KiB cost 43 picoseconds per
/// byte more than dropping the body.
const READ_BYTE_PICOS: u64 = 150;
/// Cost of reading per byte beyond [`FIRST_BYTES`], picoseconds. Measured with bodies of 1 MiB: if
/// every body is read, reading costs 51 picoseconds per byte more than dropping the body. If only
/// one body in 575 is read, reading costs about 620 picoseconds per byte more, because the data of
/// the body evicts other data from the CPU cache.
const FURTHER_BYTE_PICOS: u64 = 650;
/// Number of bytes, from the start of a body, that cost [`READ_BYTE_PICOS`] each to read.
const FIRST_BYTES: u64 = 64 << 10;
/// Reading content may add at most 1 / `BUDGET_PART` (2 %) to the cost of requests.
const BUDGET_PART: u64 = 50;
/// Time for comparing shapes at the start of a slice, nanoseconds: a slice of a slow server, too,
/// gets some comparisons. After that, 1 / [`BUDGET_PART`] of the elapsed time.
const FIRST_NANOS: u64 = 5_000_000;
/// After an unexpected response, comparing shapes may take 1 / `ALARM_PART` of the elapsed time.
const ALARM_PART: u64 = 4;
/// Number of different bodies whose comparison is remembered.
const REMEMBERED: usize = 16;
/// Number of responses from which a worker learns the expected response under load.
const ENOUGH: usize = 16;

/// Rules of the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Rules {
    /// What may differ between responses.
    pub(crate) may_differ: MayDiffer,
    /// Whether the content of every response is read instead of a sample.
    pub(crate) every: bool,
    /// Whether every success status is expected, because the plan names the success statuses.
    /// Otherwise, a status that differs from the expected response is unexpected.
    pub(crate) any_status: bool,
}

/// What a monitor compares responses with.
#[derive(Debug, Clone)]
pub(crate) enum Known {
    /// Nothing is compared.
    Nothing,
    /// The expected response is not known: the worker learns it from its first responses.
    Unknown,
    /// The reference.
    Reference(Arc<Reference>),
}

/// Report of a monitor at the end of a slice.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Report {
    pub(crate) seen: ResponseComparison,
    /// Frequencies in the responses that were compared with the reference.
    pub(super) portrait: Portrait,
    /// Responses from which the reference can be learned, if there is none.
    pub(super) learned: Learned,
}

impl Report {
    /// A report that only counts unexpected responses.
    pub(crate) fn of(seen: ResponseComparison) -> Self {
        Self {
            seen,
            ..Self::default()
        }
    }

    /// Whether this report, which may come from another machine, can be used in sums.
    pub(crate) fn is_possible(&self) -> bool {
        let seen = &self.seen;
        let kinds = seen.unexpected.iter().map(|kind| kind.count);
        let mut counts = kinds.chain([seen.compared, seen.read, seen.others]);
        counts.all(|count| count < 1 << 48) && self.portrait.is_possible()
    }

    /// Merges the reports of two workers for the same slice.
    pub(crate) fn and(mut self, other: Self) -> Self {
        self.seen = self.seen.and(other.seen);
        self.portrait = self.portrait.and(other.portrait);
        self.learned.add(other.learned);
        self
    }
}

/// The comparison of a body that occurred before.
struct Remembered {
    status: u16,
    raw: (u64, u64),
    likeness: Likeness,
    counted: Counted,
}

/// Compares the responses of one worker with the reference: status and length of every response,
/// and the content of as many responses as [`BUDGET_PART`] allows. After the first unexpected
/// response, more responses are read.
pub(crate) struct Monitor {
    known: Known,
    rules: Rules,
    /// Number of responses until the next response that is read.
    until_read: u32,
    random: u64,
    /// Whether a response was unexpected, so that more responses are read.
    is_alarmed: bool,
    /// When the current request was prepared, nanoseconds since the origin of the slice.
    nanos: u64,
    /// The first such time.
    began: Option<u64>,
    /// Time spent on shapes, nanoseconds.
    spent: u64,
    /// Heads of the responses that are being read, by [`Exchange::note`].
    heads: Vec<Option<HeadNotes>>,
    remembered: Vec<Remembered>,
    forget: usize,
    recent: Recent,
    names: BTreeMap<u64, String>,
    portrait: Portrait,
    learned: Learned,
    seen: ResponseComparison,
    texts: Vec<String>,
}

impl Monitor {
    pub(crate) fn new(known: Known, rules: Rules, number: usize) -> Self {
        let known = match rules.may_differ.size && rules.may_differ.body {
            true => Known::Nothing,
            false => known,
        };
        Self {
            portrait: match &known {
                Known::Reference(reference) => Portrait::new(reference),
                Known::Nothing | Known::Unknown => Portrait::default(),
            },
            known,
            rules,
            until_read: 1,
            random: 0x9E37_79B9_7F4A_7C15 ^ (number as u64 + 1),
            is_alarmed: false,
            nanos: 0,
            began: None,
            spent: 0,
            heads: Vec::new(),
            remembered: Vec::new(),
            forget: 0,
            recent: Recent::default(),
            names: BTreeMap::new(),
            learned: Learned::default(),
            seen: ResponseComparison {
                unexpected: Vec::with_capacity(MOST_UNEXPECTED),
                ..ResponseComparison::default()
            },
            texts: Vec::with_capacity(MOST_UNEXPECTED),
        }
    }

    /// Sets the time at which the current request is prepared.
    #[inline]
    pub(crate) fn at(&mut self, now: Moment) {
        self.nanos = now.nanos;
    }

    /// Decides whether the body is read. Must be called for the head of every response with a
    /// success status.
    #[inline]
    pub(crate) fn head(
        &mut self,
        bodies: &mut Refusals,
        exchange: &mut Exchange,
        head: &ResponseHead<'_>,
    ) -> BodyUse {
        let is_read = match &self.known {
            Known::Nothing => false,
            Known::Unknown => true,
            Known::Reference(reference) => {
                let is_usual = |length| reference.is_usual_length(length);
                let is_unlike = head.length.is_some_and(|length| !is_usual(length));
                match reference.constant.is_some() {
                    _ if is_unlike => true,
                    _ if self.rules.every => true,
                    _ if self.is_alarmed => self.has_time(),
                    true => self.draws(head.length.unwrap_or(reference.lengths.1)),
                    false => self.has_time(),
                }
            }
        };
        if !is_read || exchange.bodyless_response {
            return BodyUse::Discard;
        }
        bodies.catch_up_to(MOST_BYTES, exchange);
        exchange.sum = START;
        let place = exchange.note as usize;
        if self.heads.len() <= place {
            self.heads.resize(place + 1, None);
        }
        self.heads[place] = Some(HeadNotes::of(head));
        BodyUse::Inspect
    }

    /// Starts the checksum of a body that is read for another reason.
    #[inline]
    pub(crate) fn read_too(&mut self, exchange: &mut Exchange) {
        if let Some(notes) = self.heads.get_mut(exchange.note as usize) {
            *notes = None;
        }
        exchange.sum = START;
    }

    /// Whether to read this response. The choice is random, because a server's responses can
    /// alternate.
    #[inline]
    fn draws(&mut self, length: u64) -> bool {
        self.until_read -= 1;
        if self.until_read > 0 {
            return false;
        }
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        let one_in = one_in(length);
        self.until_read = 1 + (self.random >> 33) as u32 % (2 * one_in - 1);
        true
    }

    /// Whether there is time left to compare the shape of a response.
    #[inline]
    fn has_time(&mut self) -> bool {
        let began = *self.began.get_or_insert(self.nanos);
        let elapsed = self.nanos.saturating_sub(began);
        let part = match self.is_alarmed {
            true => ALARM_PART,
            false => BUDGET_PART,
        };
        self.spent <= FIRST_NANOS + elapsed / part
    }

    /// Adds a part of a body to the checksum.
    #[inline]
    pub(crate) fn body(&mut self, exchange: &mut Exchange, part: &[u8]) {
        exchange.sum = fold(exchange.sum, part);
    }

    /// The judgement of a complete response with a success status. `is_public` decides whether a
    /// text may be shown.
    #[inline]
    pub(crate) fn judge(
        &mut self,
        bodies: &mut Refusals,
        exchange: &mut Exchange,
        (status, length): (u16, u64),
        is_public: impl Fn(&str) -> bool,
    ) -> Judgement {
        let place = exchange.note as usize;
        let notes = match bodies.is_caught(exchange) {
            true => self.heads.get_mut(place).and_then(Option::take),
            false => None,
        };
        // Without notes, the body was not read, or for another reason.
        let Some(notes) = notes else {
            bodies.release(exchange);
            return self.judge_unread(exchange.bodyless_response, status, length);
        };
        let raw = (length, finished(exchange.sum));
        let difference = self.difference(bodies.caught(exchange), notes, status, raw);
        let judgement = match difference {
            None => Judgement::Correct,
            Some(difference) => {
                let example = shown(bodies.caught(exchange));
                let example = match is_public(&example) {
                    true => example,
                    false => String::new(),
                };
                self.unexpected(status, length, &difference, example)
            }
        };
        bodies.release(exchange);
        judgement
    }

    #[inline]
    fn judge_unread(&mut self, bodyless: bool, status: u16, length: u64) -> Judgement {
        let Known::Reference(reference) = &self.known else {
            return Judgement::Correct;
        };
        if bodyless {
            return Judgement::Correct;
        }
        self.seen.compared += 1;
        let has_status = reference.has_status(status);
        if has_status && reference.is_usual_length(length) {
            return Judgement::Correct;
        }
        if !has_status {
            return match self.rules.any_status {
                true => Judgement::Correct,
                false => self.unexpected(status, length, &Difference::Status, String::new()),
            };
        }
        // The length was not announced. From now on, such bodies are read.
        self.is_alarmed = true;
        let shortest = reference.lengths.0;
        let difference = match length {
            _ if self.rules.may_differ.size => return Judgement::Correct,
            0 => Difference::Empty,
            _ if length.saturating_mul(2) < shortest => Difference::Short,
            _ => return Judgement::Correct,
        };
        self.unexpected(status, length, &difference, String::new())
    }

    /// How a response that was read differs from the reference; `None` if it is as expected.
    fn difference(
        &mut self,
        body: &[u8],
        notes: HeadNotes,
        status: u16,
        raw: (u64, u64),
    ) -> Option<Difference> {
        let reference = match &self.known {
            Known::Nothing => return None,
            Known::Unknown => {
                self.learn((status, raw), notes, body);
                return None;
            }
            Known::Reference(reference) => Arc::clone(reference),
        };
        self.seen.compared += 1;
        self.seen.read += 1;
        if self.rules.any_status && !reference.has_status(status) {
            return None;
        }
        let is_other_size = raw.0 < reference.lengths.0 || raw.0 > reference.lengths.1;
        if self.rules.may_differ.size && is_other_size && reference.has_status(status) {
            return None;
        }
        let likeness = self.likeness(&reference, (status, raw), notes, body);
        match likeness {
            Likeness::Same | Likeness::Alike | Likeness::Changed => None,
            Likeness::Other(difference) => Some(difference),
        }
    }

    /// Compares a response with the reference, and counts it.
    fn likeness(
        &mut self,
        reference: &Reference,
        (status, raw): (u16, (u64, u64)),
        notes: HeadNotes,
        body: &[u8],
    ) -> Likeness {
        let nanos = self.nanos;
        if reference.is_constant(status, raw) {
            self.portrait.heads(&notes);
            self.portrait.add_constant(nanos, &mut self.recent);
            return Likeness::Same;
        }
        let known = |one: &&Remembered| one.status == status && one.raw == raw;
        if let Some(one) = self.remembered.iter().find(known) {
            let likeness = one.likeness.clone();
            if !matches!(likeness, Likeness::Other(_)) {
                self.portrait.heads(&notes);
                let (recent, names) = (&mut self.recent, &self.names);
                self.portrait
                    .add(&likeness, &one.counted, nanos, recent, names);
            }
            return likeness;
        }
        let began = Instant::now();
        let response = Observed::new((status, raw, nanos), notes, body, &mut self.names);
        let likeness = reference.compare(&response);
        let counted = Counted::of(&response, reference);
        if !matches!(likeness, Likeness::Other(_)) {
            self.portrait.heads(&response.notes);
            let (recent, names) = (&mut self.recent, &self.names);
            self.portrait.add(&likeness, &counted, nanos, recent, names);
        }
        self.remember(Remembered {
            status,
            raw,
            likeness: likeness.clone(),
            counted,
        });
        self.spent += began.elapsed().as_nanos() as u64;
        likeness
    }

    fn remember(&mut self, one: Remembered) {
        match self.remembered.len() < REMEMBERED {
            true => self.remembered.push(one),
            false => self.remembered[self.forget] = one,
        }
        self.forget = (self.forget + 1) % REMEMBERED;
    }

    /// Adds a response to those from which the reference is learned.
    fn learn(&mut self, (status, raw): (u16, (u64, u64)), notes: HeadNotes, body: &[u8]) {
        let of = (status, raw, self.nanos);
        let names = &mut self.learned.names;
        let response = Observed::new(of, notes, body, names);
        self.learned.responses.push(response);
        if self.learned.responses.len() >= ENOUGH
            && let Some(reference) = self.learned.reference(false)
        {
            self.portrait = Portrait::default();
            self.known = Known::Reference(Arc::new(reference));
        }
    }

    #[cold]
    fn unexpected(
        &mut self,
        status: u16,
        length: u64,
        difference: &Difference,
        example: String,
    ) -> Judgement {
        self.is_alarmed = true;
        let mut known = self.seen.unexpected.iter_mut();
        let at = known.position(|kind| (kind.status, kind.length) == (status, length));
        let text = match at {
            Some(at) => {
                let kind = &mut self.seen.unexpected[at];
                kind.count += 1;
                if kind.example.is_empty() && !example.is_empty() {
                    self.texts[at] = text(length, difference, &example);
                    kind.example = example;
                }
                self.texts[at].clone()
            }
            None if self.seen.unexpected.len() < MOST_UNEXPECTED => {
                let text = text(length, difference, &example);
                self.texts.push(text.clone());
                self.seen.unexpected.push(UnexpectedResponses {
                    status,
                    length,
                    count: 1,
                    difference: difference.to_string(),
                    example,
                });
                text
            }
            None => {
                self.seen.others += 1;
                text(length, difference, "")
            }
        };
        Judgement::Failed(ErrorClass::Unexpected, text)
    }

    /// The report of the slice that has ended.
    pub(crate) fn report(&mut self) -> Report {
        Report {
            seen: std::mem::take(&mut self.seen),
            portrait: std::mem::take(&mut self.portrait),
            learned: std::mem::take(&mut self.learned),
        }
    }
}

/// The smallest `n`, up to 1000, for which reading one in `n` bodies of `length` bytes adds at most
/// 1 / [`BUDGET_PART`] to the cost of requests.
fn one_in(length: u64) -> u32 {
    let first = length.min(FIRST_BYTES);
    let further = (length - first).saturating_mul(FURTHER_BYTE_PICOS);
    let cost = (READ_PICOS + first * READ_BYTE_PICOS).saturating_add(further);
    let request = REQUEST_PICOS.saturating_add(length.saturating_mul(BYTE_PICOS));
    let one_in = cost.div_ceil((request / BUDGET_PART).max(1));
    u32::try_from(one_in).unwrap_or(u32::MAX).clamp(1, 1_000)
}

fn text(length: u64, difference: &Difference, example: &str) -> String {
    let than = format!("response body of {length} bytes, not of the expected kind: {difference}");
    match example {
        "" => than,
        example => format!("{than}: {example}"),
    }
}

/// The first characters of a body as printable text.
pub(crate) fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let printable = text.chars().map(|c| match c.is_control() {
        true => ' ',
        false => c,
    });
    printable.take(SHOWN_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LENGTH: usize = 10_000;

    /// A monitor that expects a page of [`LENGTH`] bytes, which 16 responses have shown.
    struct Checker {
        monitor: Monitor,
        bodies: Refusals,
        read: u64,
    }

    /// A page of [`LENGTH`] bytes.
    fn page() -> Vec<u8> {
        let mut page = b"the page that is expected here ".repeat(400);
        page.truncate(LENGTH);
        page
    }

    fn other_page() -> Vec<u8> {
        let mut page = b"something quite different instead ".repeat(400);
        page.truncate(LENGTH);
        page
    }

    impl Checker {
        fn new(rules: Rules) -> Self {
            Self::after(rules, &vec![page(); 16])
        }

        fn after(rules: Rules, bodies: &[Vec<u8>]) -> Self {
            let mut learned = Learned::default();
            for (at, body) in bodies.iter().enumerate() {
                let raw = (body.len() as u64, finished(fold(START, body)));
                let of = (200, raw, at as u64 * 2_000_000);
                let one = Observed::new(of, HeadNotes::default(), body, &mut learned.names);
                learned.responses.push(one);
            }
            let reference = learned.reference(true).expect("a reference");
            Self {
                monitor: Monitor::new(Known::Reference(Arc::new(reference)), rules, 0),
                bodies: Refusals::keeping(4_096),
                read: 0,
            }
        }

        fn judge(&mut self, body: &[u8], announced: bool) -> Judgement {
            self.judge_with(200, body, announced)
        }

        /// Judges a response with this body, received in two parts.
        fn judge_with(&mut self, status: u16, body: &[u8], announced: bool) -> Judgement {
            let mut exchange = Exchange::default();
            let head = ResponseHead {
                status,
                length: announced.then_some(body.len() as u64),
                bytes: b"",
            };
            self.monitor.at(Moment {
                nanos: self.monitor.nanos + 5_000_000,
                unix_seconds: 0,
            });
            let is_read = self.monitor.head(&mut self.bodies, &mut exchange, &head);
            if is_read == BodyUse::Inspect {
                self.read += 1;
                for part in [&body[..body.len() / 3], &body[body.len() / 3..]] {
                    self.bodies.body(&exchange, part);
                    self.monitor.body(&mut exchange, part);
                }
            }
            let is_public = |text: &str| !text.contains("hush");
            let response = (status, body.len() as u64);
            self.monitor
                .judge(&mut self.bodies, &mut exchange, response, is_public)
        }
    }

    fn failed(judgement: &Judgement) -> Option<&str> {
        match judgement {
            Judgement::Failed(ErrorClass::Unexpected, text) => Some(text),
            Judgement::Failed(..) => Some("another class"),
            Judgement::Correct => None,
        }
    }

    #[test]
    fn content_is_compared_in_a_sample_and_more_often_once_one_was_different() {
        let mut checker = Checker::new(Rules::default());
        for _ in 0..20_000 {
            assert_eq!(checker.judge(&page(), true), Judgement::Correct);
        }
        let one_in = 20_000 / checker.read;
        assert!((10..=30).contains(&one_in), "one in {one_in}");
        // One response is read by chance, and after that as many as a quarter of the time allows.
        let tries = (0..1_000).find(|_| failed(&checker.judge(&other_page(), true)).is_some());
        assert!(tries.is_some());
        let mut found = 1;
        for _ in 0..200 {
            let judgement = checker.judge(&other_page(), true);
            if let Some(text) = failed(&judgement) {
                assert!(text.contains("other words: something quite"), "{text}");
                found += 1;
            }
            assert_eq!(checker.judge(&page(), true), Judgement::Correct);
        }
        assert!(found > 10, "{found}");
        let report = checker.monitor.report();
        assert_eq!(report.seen.unexpected.len(), 1);
        assert_eq!(report.seen.unexpected[0].count, found);
        assert_eq!(report.portrait.changed, 0);
        assert!(report.portrait.same > 100);
    }

    #[test]
    fn every_response_is_read_with_verify_and_none_where_the_body_may_differ() {
        let mut checker = Checker::new(Rules {
            every: true,
            ..Rules::default()
        });
        for _ in 0..100 {
            assert!(failed(&checker.judge(&other_page(), false)).is_some());
        }
        let mut checker = Checker::new(Rules {
            may_differ: MayDiffer::BODY,
            every: true,
            ..Rules::default()
        });
        assert_eq!(checker.judge(b"", true), Judgement::Correct);
        assert_eq!(checker.read, 0);
        let mut checker = Checker::new(Rules {
            may_differ: MayDiffer::SIZE,
            every: true,
            ..Rules::default()
        });
        assert_eq!(checker.judge(b"xx", true), Judgement::Correct);
        assert!(failed(&checker.judge(&other_page(), true)).is_some());
    }

    #[test]
    fn another_status_is_another_kind_unless_the_plan_names_the_statuses() {
        for any_status in [false, true] {
            let mut checker = Checker::new(Rules {
                any_status,
                ..Rules::default()
            });
            for body in [Vec::new(), page()] {
                let judgement = checker.judge_with(204, &body, true);
                assert_eq!(failed(&judgement).is_none(), any_status, "{judgement:?}");
            }
        }
    }

    #[test]
    fn an_error_message_is_detected_and_examples_contain_no_secret() {
        for announced in [true, false] {
            let mut checker = Checker::new(Rules::default());
            // The first response is always read.
            assert_eq!(checker.judge(&page(), true), Judgement::Correct);
            let judgement = checker.judge(b"{\"error\":\"over\nloaded\"}", announced);
            let text = failed(&judgement).unwrap_or_default();
            assert!(
                text.starts_with("response body of 23 bytes, not of the expected kind: "),
                "{text}"
            );
            for body in [&b""[..], b"token hush-hush"] {
                let judgement = checker.judge(body, announced);
                let text = failed(&judgement).unwrap_or_default().to_owned();
                assert!(text.starts_with("response body of "), "{text}");
                assert!(!text.contains("hush"), "{text}");
            }
        }
    }

    /// Of 100 responses with this body, the number that are unexpected.
    fn unexpected_after(reference: &[String], body: &str) -> usize {
        let bodies: Vec<Vec<u8>> = reference
            .iter()
            .map(|one| one.clone().into_bytes())
            .collect();
        let mut checker = Checker::after(Rules::default(), &bodies);
        let judged = (0..100).map(|_| checker.judge(body.as_bytes(), true));
        judged.filter(|one| failed(one).is_some()).count()
    }

    #[test]
    fn a_page_of_another_shape_is_unexpected_however_long_it_is() {
        let json = |at: u32| format!(r#"{{"id":{at},"name":"user {at}","at":"12:00:{at}"}}"#);
        let users: Vec<String> = (0..32).map(json).collect();
        let html = |at: u32| {
            let item = format!("<li><a href=x>item {at}</a></li>").repeat(20);
            format!(
                "<html><head><title>Shop</title></head><body><h1>All our items</h1><ul>{item}</ul>\
                 <p>page made for you at {at}</p></body></html>"
            )
        };
        let pages: Vec<String> = (0..32).map(html).collect();
        let error = format!(
            "<html><head><title>Sorry</title></head><body><h1>Too many requests</h1>{}</body></html>",
            "<p>please come back later</p>".repeat(20)
        );
        for (reference, body) in [
            (&users, r#"{"error":"rate limit exceeded","retry":1}"#),
            (&users, "[]"),
            (&users, "{}"),
            (&users, r#"{"id":5,"name":"user 5","at":"#),
            (&users, "<html><body>busy</body></html>"),
            (&pages, error.as_str()),
            (&pages, &pages[0][..400]),
            (&pages, ""),
        ] {
            assert!(unexpected_after(reference, body) > 90, "{body}");
        }
        for (reference, body) in [(&users, json(99)), (&pages, html(99))] {
            assert_eq!(unexpected_after(reference, &body), 0, "{body}");
        }
    }

    #[test]
    fn a_constant_page_may_show_other_numbers_and_change_a_little() {
        let page = |at: &str| {
            format!(
                "<html><body><h1>News of the day</h1><p>It is {at} now, good day to all of you</p></body></html>"
            )
        };
        let reference = vec![page("12:00"); 32];
        for other in ["12:01", "1:00", "Friday"] {
            assert_eq!(unexpected_after(&reference, &page(other)), 0, "{other}");
        }
        let other = "<html><body><h1>Site under heavy load</h1><p>please try again some minutes later</p></body></html>";
        assert!(unexpected_after(&reference, other) > 50);
    }

    #[test]
    fn a_frozen_page_repeats_its_content() {
        let body = |at: u32| format!(r#"{{"token":"t{at}","user":"u{at}"}}"#);
        let bodies: Vec<Vec<u8>> = (0..64).map(|at| body(at).into_bytes()).collect();
        for (is_frozen, least, most) in [(true, 90, 100), (false, 0, 0)] {
            let mut checker = Checker::after(Rules::default(), &bodies);
            for at in 0..500 {
                let body = body(if is_frozen { 7 } else { 100 + at });
                assert_eq!(checker.judge(body.as_bytes(), true), Judgement::Correct);
            }
            let Portrait {
                compared, repeated, ..
            } = checker.monitor.report().portrait;
            assert!(compared > 50, "{compared}");
            let share = repeated * 100 / compared;
            assert!((least..=most).contains(&share), "{share}");
        }
    }
}
