//! Compares the responses of one worker with the expected response.

use serde::{Deserialize, Serialize};
use tenbin_engine::{BodyUse, ErrorClass, Exchange, Judgement, ResponseHead};
use tenbin_plan::MayDiffer;

use super::content::{START, finished, fold};
use super::expectation::Expectation;
use super::tally::Response;
use super::{MOST_UNEXPECTED, ResponseComparison, UnexpectedResponses};
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
const READ_BYTE_PICOS: u64 = 100;
/// Cost of reading per byte beyond [`FIRST_BYTES`], picoseconds. Measured with bodies of 1 MiB: if
/// every body is read, reading costs 51 picoseconds per byte more than dropping the body. If only
/// one body in 575 is read, reading costs about 620 picoseconds per byte more, because the data of
/// the body evicts other data from the CPU cache.
const FURTHER_BYTE_PICOS: u64 = 650;
/// Number of bytes, from the start of a body, that cost [`READ_BYTE_PICOS`] each to read.
const FIRST_BYTES: u64 = 64 << 10;
/// Reading content may add at most 1 / `BUDGET_PART` (2 %) to the cost of requests.
const BUDGET_PART: u64 = 50;

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

/// Report of a monitor at the end of a slice.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Report {
    pub(crate) seen: ResponseComparison,
    pub(crate) expectation: Expectation,
}

impl Report {
    /// Whether this report, which may come from another machine, can be used in sums.
    pub(crate) fn is_possible(&self) -> bool {
        let seen = &self.seen;
        let kinds = seen.unexpected.iter().map(|kind| kind.count);
        let mut counts = kinds.chain([seen.compared, seen.read, seen.others]);
        counts.all(|count| count < 1 << 48) && self.expectation.is_possible()
    }

    /// Merges the reports of two workers for the same slice.
    pub(crate) fn and(mut self, other: Self) -> Self {
        self.expectation = self.expectation.and(other.expectation);
        self.seen = self.seen.and(other.seen);
        self
    }
}

/// Compares the responses of one worker with the expected response: the length of every response,
/// and the content of as many responses as [`BUDGET_PART`] allows. After the first unexpected
/// response, every response is read.
pub(crate) struct Monitor {
    expectation: Expectation,
    rules: Rules,
    /// Number of responses until the next response that is read.
    until_read: u32,
    random: u64,
    /// Whether a response was unexpected, so that every further response is read.
    is_alarmed: bool,
    second: u64,
    seen: ResponseComparison,
    texts: Vec<String>,
}

impl Monitor {
    pub(crate) fn new(expectation: Expectation, rules: Rules, number: usize) -> Self {
        Self {
            expectation: match rules.may_differ.size && rules.may_differ.body {
                true => Expectation::Nothing,
                false => expectation,
            },
            rules,
            until_read: 1,
            random: 0x9E37_79B9_7F4A_7C15 ^ (number as u64 + 1),
            is_alarmed: false,
            second: 0,
            seen: ResponseComparison {
                unexpected: Vec::with_capacity(MOST_UNEXPECTED),
                ..ResponseComparison::default()
            },
            texts: Vec::with_capacity(MOST_UNEXPECTED),
        }
    }

    /// Sets the time at which the current request is prepared, seconds since 1970-01-01 UTC.
    #[inline]
    pub(crate) fn at(&mut self, unix_seconds: u64) {
        self.second = unix_seconds;
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
        let is_read = match &self.expectation {
            Expectation::Nothing => false,
            Expectation::Unknown(_) => true,
            Expectation::Same(same) => {
                self.is_alarmed
                    || head.length.is_some_and(|length| length != same.like.length)
                    || (!self.rules.may_differ.body && self.draws(same.like.length))
            }
            Expectation::Varies(range) => {
                self.is_alarmed
                    || head
                        .length
                        .is_some_and(|length| !range.holds(head.status, length))
            }
        };
        if !is_read || exchange.bodyless_response {
            return BodyUse::Discard;
        }
        bodies.catch_up_to(KEPT_BYTES, exchange);
        exchange.sum = START;
        BodyUse::Inspect
    }

    /// Starts the checksum of a body that is read for another reason.
    #[inline]
    pub(crate) fn read_too(&self, exchange: &mut Exchange) {
        exchange.sum = START;
    }

    /// Whether to read this response. The choice is random, because a server's responses can
    /// alternate.
    #[inline]
    fn draws(&mut self, length: u64) -> bool {
        if self.rules.every {
            return true;
        }
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
        let was_read = bodies.is_caught(exchange);
        if let Expectation::Same(same) = &self.expectation
            && !was_read
            && (status, length) == (same.like.status, same.like.length)
        {
            self.seen.compared += 1;
            return Judgement::Correct;
        }
        let sum = was_read.then(|| finished(exchange.sum));
        let judgement = match self.is_expected(exchange.bodyless_response, (status, length), sum) {
            true => Judgement::Correct,
            false => {
                let example = shown(bodies.caught(exchange));
                let example = match is_public(&example) {
                    true => example,
                    false => String::new(),
                };
                self.unexpected(status, length, example)
            }
        };
        if was_read {
            bodies.release(exchange);
        }
        judgement
    }

    fn is_expected(&mut self, bodyless: bool, of: (u16, u64), sum: Option<u64>) -> bool {
        let (status, length) = of;
        if bodyless {
            return true;
        }
        let MayDiffer { size, body, .. } = self.rules.may_differ;
        let response = Response {
            status,
            length,
            sum: sum.unwrap_or_default(),
            second: self.second,
        };
        let second = self.second;
        match &mut self.expectation {
            Expectation::Nothing => return true,
            Expectation::Unknown(_) => {
                if sum.is_some() {
                    self.expectation.learn(response);
                }
                return true;
            }
            _ => self.seen.compared += 1,
        }
        self.seen.read += u64::from(sum.is_some());
        if self.rules.any_status && self.expectation.status() != Some(status) {
            return true;
        }
        match &mut self.expectation {
            Expectation::Nothing | Expectation::Unknown(_) => true,
            Expectation::Same(same) => {
                let is_same_status = status == same.like.status;
                match sum {
                    _ if !is_same_status => false,
                    Some(sum) if sum == same.like.sum && length == same.like.length => {
                        same.came(second);
                        true
                    }
                    _ if length != same.like.length => size || same.allows(response),
                    Some(_) => body || same.allows(response),
                    None => true,
                }
            }
            Expectation::Varies(range) => size || range.holds(status, length),
        }
    }

    #[cold]
    fn unexpected(&mut self, status: u16, length: u64, example: String) -> Judgement {
        self.is_alarmed = true;
        let mut known = self.seen.unexpected.iter_mut();
        let at = known.position(|kind| (kind.status, kind.length) == (status, length));
        let text = match at {
            Some(at) => {
                let kind = &mut self.seen.unexpected[at];
                kind.count += 1;
                if kind.example.is_empty() && !example.is_empty() {
                    self.texts[at] = text(length, &self.expectation, &example);
                    kind.example = example;
                }
                self.texts[at].clone()
            }
            None if self.seen.unexpected.len() < MOST_UNEXPECTED => {
                let text = text(length, &self.expectation, &example);
                self.texts.push(text.clone());
                self.seen.unexpected.push(UnexpectedResponses {
                    status,
                    length,
                    count: 1,
                    example,
                });
                text
            }
            None => {
                self.seen.others += 1;
                text(length, &self.expectation, "")
            }
        };
        Judgement::Failed(ErrorClass::Unexpected, text)
    }

    /// The report of the slice that has ended.
    pub(crate) fn report(&mut self) -> Report {
        Report {
            seen: std::mem::take(&mut self.seen),
            expectation: std::mem::replace(&mut self.expectation, Expectation::Nothing),
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

fn text(length: u64, expectation: &Expectation, example: &str) -> String {
    let than = match expectation {
        Expectation::Same(same) if same.like.length == length => {
            format!("response body of {length} bytes with other content than before")
        }
        Expectation::Same(same) => {
            let expected = same.like.length;
            format!("response body of {length} bytes, {expected} expected")
        }
        Expectation::Varies(range) => {
            let (low, high) = range.expected();
            format!("response body of {length} bytes, {low} to {high} expected")
        }
        Expectation::Nothing | Expectation::Unknown(_) => {
            format!("response body of {length} bytes")
        }
    };
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
    use super::super::tally::Kinds;
    use super::*;

    const LENGTH: usize = 10_000;

    /// A monitor that expects bodies of [`LENGTH`] times the letter `x`, learned from responses ten
    /// seconds apart.
    struct Checker {
        monitor: Monitor,
        bodies: Refusals,
        read: u64,
    }

    impl Checker {
        fn new(rules: Rules) -> Self {
            let mut kinds = Kinds::default();
            for second in [50, 60] {
                kinds.add(Response {
                    status: 200,
                    length: LENGTH as u64,
                    sum: finished(fold(START, &[b'x'; LENGTH])),
                    second,
                });
            }
            Self {
                monitor: Monitor::new(Expectation::of(&kinds), rules, 0),
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
            self.monitor.at(61);
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
    fn content_is_compared_in_a_sample_and_in_all_responses_once_one_was_different() {
        let mut checker = Checker::new(Rules::default());
        for _ in 0..20_000 {
            assert_eq!(checker.judge(&[b'x'; LENGTH], true), Judgement::Correct);
        }
        let one_in = 20_000 / checker.read;
        assert!((10..=20).contains(&one_in), "one in {one_in}");
        // One response is read by chance, and after that every response.
        let tries = (0..1_000).find(|_| failed(&checker.judge(&[b'y'; LENGTH], true)).is_some());
        assert!(tries.is_some());
        for _ in 0..100 {
            let judgement = checker.judge(&[b'y'; LENGTH], true);
            let text = failed(&judgement).unwrap_or_default();
            assert!(
                text.contains("with other content than before: yyy"),
                "{text}"
            );
            assert_eq!(checker.judge(&[b'x'; LENGTH], true), Judgement::Correct);
        }
        let seen = checker.monitor.report().seen;
        assert_eq!(seen.unexpected.len(), 1);
        assert_eq!(seen.unexpected[0].count, 101);
    }

    #[test]
    fn every_response_is_read_with_verify_and_none_where_the_body_may_differ() {
        let mut checker = Checker::new(Rules {
            every: true,
            ..Rules::default()
        });
        for _ in 0..100 {
            assert!(failed(&checker.judge(&[b'y'; LENGTH], false)).is_some());
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
        assert!(failed(&checker.judge(&[b'y'; LENGTH], true)).is_some());
    }

    #[test]
    fn another_status_is_another_kind_unless_the_plan_names_the_statuses() {
        for any_status in [false, true] {
            let mut checker = Checker::new(Rules {
                any_status,
                ..Rules::default()
            });
            for body in [&b""[..], &[b'x'; LENGTH]] {
                let judgement = checker.judge_with(204, body, true);
                assert_eq!(failed(&judgement).is_none(), any_status, "{judgement:?}");
            }
        }
    }

    #[test]
    fn every_other_length_is_detected_and_examples_contain_no_secret() {
        for announced in [true, false] {
            let mut checker = Checker::new(Rules::default());
            // The first response is always read.
            assert_eq!(checker.judge(&[b'x'; LENGTH], true), Judgement::Correct);
            let judgement = checker.judge(b"{\"error\":\"over\nloaded\"}", announced);
            let text = failed(&judgement).unwrap_or_default();
            assert!(
                text.starts_with("response body of 23 bytes, 10000 expected"),
                "{text}"
            );
            assert_eq!(text.ends_with(": {\"error\":\"over loaded\"}"), announced);
            for body in [&b""[..], b"token hush-hush", &[b'x'; LENGTH - 1]] {
                let judgement = checker.judge(body, announced);
                let text = failed(&judgement).unwrap_or_default().to_owned();
                assert!(text.starts_with("response body of "), "{text}");
                assert!(!text.contains("hush"), "{text}");
            }
        }
    }
}
