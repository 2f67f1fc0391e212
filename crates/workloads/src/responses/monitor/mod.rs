//! Compares the responses of one worker with the expected response.

mod budget;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tenbin_engine::{BodyUse, ErrorClass, Exchange, Judgement, Moment, ResponseHead};
use tenbin_plan::MayDiffer;

use self::budget::{ALARM_PART, BUDGET_PART, FIRST_NANOS, Part, nanos_of, one_in, shape_nanos};
use super::content::{START, finished, fold};
use super::observed::{HeadNotes, LastHead, MOST_BYTES, Observed};
use super::portrait::{Counted, Portrait, Recent};
use super::reference::{Difference, Likeness, Reference};
use super::{Learned, MOST_UNEXPECTED, ResponseComparison, UnexpectedResponses};
use crate::s3::messages::judging::Refusals;

/// Bytes kept of an unexpected response.
pub(crate) const KEPT_BYTES: usize = 256;
/// Characters shown of an unexpected response.
const SHOWN_CHARS: usize = 60;
/// Number of different bodies whose comparison is remembered.
const REMEMBERED: usize = 16;
/// Probability of a chance result below which strange responses are unexpected.
const CHANCE: f64 = 1e-4;
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

/// What is read of a response that is being received.
#[derive(Debug, Clone)]
enum Reading {
    /// The body, for its checksum.
    Content,
    /// The body, for its checksum and shape, and these notes about the head.
    Whole(HeadNotes),
}

/// The comparison of a body that occurred before.
struct Remembered {
    status: u16,
    raw: (u64, u64),
    likeness: Likeness,
    counted: Counted,
}

/// Compares the responses of one worker with the reference: status and length of every response,
/// and the shape of as many responses as [`BUDGET_PART`] allows. Of a page that varies, more
/// responses are read only to see whether their content is repeated. After the first unexpected
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
    /// Time spent on reading and on shapes, nanoseconds.
    spent: u64,
    /// The responses that are being read, by [`Exchange::note`].
    readings: Vec<Option<Reading>>,
    last_head: LastHead,
    remembered: Vec<Remembered>,
    forget: usize,
    recent: Recent,
    names: BTreeMap<u64, String>,
    portrait: Portrait,
    learned: Learned,
    /// Strange responses in this slice.
    strange: u64,
    seen: ResponseComparison,
    texts: Vec<String>,
}

impl Monitor {
    pub(crate) fn new(known: Known, rules: Rules, number: usize) -> Self {
        let known = if rules.may_differ.size && rules.may_differ.body {
            Known::Nothing
        } else {
            known
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
            readings: Vec::new(),
            last_head: LastHead::default(),
            remembered: Vec::new(),
            forget: 0,
            recent: Recent::default(),
            names: BTreeMap::new(),
            learned: Learned::default(),
            strange: 0,
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
        let part = match &self.known {
            Known::Nothing => None,
            Known::Unknown => Some(Part::Whole),
            Known::Reference(reference) => {
                let is_unlike = head
                    .length
                    .is_some_and(|length| !reference.is_usual_length(length));
                let (is_constant, longest) = (reference.constant.is_some(), reference.lengths.1);
                let length = head.length.unwrap_or(longest);
                match is_constant {
                    _ if is_unlike || self.rules.every => Some(Part::Whole),
                    _ if self.is_alarmed && self.has_time() => Some(Part::Whole),
                    true if self.is_alarmed => None,
                    true => self.draws(length, Part::Whole),
                    false if self.has_time() => Some(Part::Whole),
                    false => self.draws(length, Part::Content),
                }
            }
        };
        let Some(part) = part.filter(|_| !exchange.bodyless_response) else {
            return BodyUse::Discard;
        };
        let (kept, reading) = match part {
            Part::Content => (0, Reading::Content),
            Part::Whole => (MOST_BYTES, Reading::Whole(self.last_head.notes(head))),
        };
        bodies.catch_up_to(kept, exchange);
        exchange.sum = START;
        let place = exchange.note as usize;
        if self.readings.len() <= place {
            self.readings.resize(place + 1, None);
        }
        self.readings[place] = Some(reading);
        BodyUse::Inspect
    }

    /// Starts the checksum of a body that is read for another reason.
    #[inline]
    pub(crate) fn read_too(&mut self, exchange: &mut Exchange) {
        if let Some(reading) = self.readings.get_mut(exchange.note as usize) {
            *reading = None;
        }
        exchange.sum = START;
    }

    /// Whether to read this response. The choice is random, because a server's responses can
    /// alternate.
    #[inline]
    fn draws(&mut self, length: u64, part: Part) -> Option<Part> {
        self.until_read -= 1;
        if self.until_read > 0 {
            return None;
        }
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        let one_in = one_in(length, part);
        self.until_read = 1 + (self.random >> 33) as u32 % (2 * one_in - 1);
        Some(part)
    }

    /// Whether there is time left to read a response and to compare its shape.
    #[inline]
    fn has_time(&mut self) -> bool {
        let began = *self.began.get_or_insert(self.nanos);
        let elapsed = self.nanos.saturating_sub(began);
        let part = if self.is_alarmed {
            ALARM_PART
        } else {
            BUDGET_PART
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
        // Without a reading, the body was not read, or for another reason.
        let reading = if bodies.is_caught(exchange) {
            self.readings.get_mut(exchange.note as usize)
        } else {
            None
        };
        let notes = match reading.and_then(Option::take) {
            Some(Reading::Whole(notes)) => notes,
            other => {
                if let Some(Reading::Content) = other {
                    let sum = finished(exchange.sum);
                    self.portrait.add_content(sum, self.nanos, &mut self.recent);
                }
                bodies.release(exchange);
                return self.judge_unread(exchange.bodyless_response, status, length);
            }
        };
        self.spent += nanos_of(length, Part::Whole);
        let raw = (length, finished(exchange.sum));
        let difference = self.difference(bodies.caught(exchange), notes, status, raw);
        let judgement = match difference {
            None => Judgement::Correct,
            Some(difference) => {
                let example = shown(bodies.caught(exchange));
                let example = if is_public(&example) {
                    example
                } else {
                    String::new()
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
            return if self.rules.any_status {
                Judgement::Correct
            } else {
                self.unexpected(status, length, &Difference::Status, String::new())
            };
        }
        // The length was not announced. From now on, such bodies are read.
        self.is_alarmed = true;
        let difference = match length {
            _ if self.rules.may_differ.size => return Judgement::Correct,
            0 => Difference::Empty,
            _ if length < reference.least_length() => Difference::Short,
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
            Likeness::Strange(difference) => {
                self.strange += 1;
                if self.is_chance(&reference) {
                    self.portrait.strange += 1;
                    None
                } else {
                    Some(difference)
                }
            }
            Likeness::Other(difference) => Some(difference),
        }
    }

    /// Whether the strange responses of this slice can be a page that the unloaded server sends as
    /// often, but did not happen to send before the load: the probability that chance puts all of
    /// them under load (Fisher's exact test with none before the load).
    fn is_chance(&self, reference: &Reference) -> bool {
        let (strange, before) = (self.strange, reference.responses);
        let read = (self.portrait.responses + strange) as f64;
        let factors =
            (0..strange).map(|at| (read - at as f64) / (read + before as f64 - at as f64));
        factors.product::<f64>() > CHANCE
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
            if !likeness.is_other() {
                self.portrait.heads(&notes);
                let (recent, names) = (&mut self.recent, &self.names);
                self.portrait
                    .add(&likeness, &one.counted, nanos, recent, names);
            }
            return likeness;
        }
        self.spent += shape_nanos(body.len());
        let response = Observed::new((status, raw, nanos), notes, body, &mut self.names);
        let likeness = reference.compare(&response, &self.names);
        let counted = Counted::of(&response, reference);
        if !likeness.is_other() {
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
        likeness
    }

    fn remember(&mut self, one: Remembered) {
        if self.remembered.len() < REMEMBERED {
            self.remembered.push(one)
        } else {
            self.remembered[self.forget] = one
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
    let printable = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    printable.take(SHOWN_CHARS).collect()
}

#[cfg(test)]
mod tests;
