//! Checks of responses with a success status: the conditions of the plan, and errors that the body
//! reports in a known format.

mod decode;
mod evaluate;
mod json;
mod known;
mod suspicion;
mod took;

use std::sync::{Arc, Mutex};

use tenbin_engine::{BodyUse, ErrorClass, Exchange, Judgement, ResponseHead};
use tenbin_plan::{self as plan, Condition, HttpWork, PatternSet};

use self::decode::{Encoding, decoded};
use self::known::KnownErrors;
use super::error_message::Secrets;
use crate::responses::{KEPT_BYTES, shown};
use crate::s3::messages::judging::Refusals;
use crate::shared::held;

/// Longest body that is checked, bytes, as transferred and decoded.
const LARGEST_CHECKED: usize = 16 << 20;
/// Bytes of the first response that are searched for signs of an error.
const SEARCHED_BYTES: usize = 16 << 10;

/// A sentence about a correct response that looks like an error, shared by all workers of a target.
pub(super) type Suspicion = Arc<Mutex<Option<String>>>;

/// The checks of all requests of a workload, shared by all threads.
pub(super) struct Checks {
    conditions: Vec<plan::Check>,
    /// Indices of the conditions of each operation ([`Exchange::op`]).
    of_operation: Vec<Vec<usize>>,
    /// The format in which a response reports errors, by request ([`Exchange::tag`]).
    known: Vec<Option<KnownErrors>>,
    /// Whether a response that meets the conditions can still be an unnoticed error: no condition
    /// examines the body.
    is_suspicious: bool,
}

impl Checks {
    /// The checks of a workload with a single request.
    pub(super) fn of_request(work: &HttpWork, path: &str) -> Self {
        let known = || KnownErrors::of(&work.method, path, &work.body);
        Self {
            conditions: work.checks.clone(),
            of_operation: vec![(0..work.checks.len()).collect()],
            known: vec![work.body_errors.then(known).flatten()],
            is_suspicious: is_suspicious(work, &work.checks),
        }
    }

    /// The checks of a workload with patterns.
    pub(super) fn of_patterns(work: &HttpWork, set: &PatternSet) -> Self {
        let mut conditions = work.checks.clone();
        let shared: Vec<usize> = (0..conditions.len()).collect();
        let mut of_operation = Vec::with_capacity(set.groups().len());
        for group in set.groups() {
            let own = conditions.len()..conditions.len() + group.checks.len();
            conditions.extend(group.checks.iter().cloned());
            of_operation.push(shared.iter().copied().chain(own).collect());
        }
        let known = set.patterns().iter().map(|pattern| {
            let known = || KnownErrors::of(&pattern.method, &pattern.path, &pattern.body);
            work.body_errors.then(known).flatten()
        });
        Self {
            known: known.collect(),
            is_suspicious: is_suspicious(work, &conditions),
            conditions,
            of_operation,
        }
    }

    fn of(&self, exchange: &Exchange) -> impl Iterator<Item = (usize, &plan::Check)> {
        let indices = self.of_operation.get(exchange.op);
        let indices = indices.map_or(&[][..], Vec::as_slice);
        indices.iter().map(|&at| (at, &self.conditions[at]))
    }

    fn known(&self, exchange: &Exchange) -> Option<KnownErrors> {
        let at = match self.known.len() {
            1 => 0,
            _ => usize::try_from(exchange.tag).unwrap_or(usize::MAX),
        };
        self.known.get(at).copied().flatten()
    }
}

fn is_suspicious(work: &HttpWork, conditions: &[plan::Check]) -> bool {
    work.body_errors && !conditions.iter().any(plan::Check::needs_body)
}

/// What the head of a response in flight says, kept until its body has arrived.
#[derive(Debug, Clone, Copy, Default)]
struct Noted {
    /// Index of a condition that the head does not meet.
    failed: Option<usize>,
    encoding: Encoding,
    /// Whether the body is examined, instead of only quoted.
    is_checked: bool,
}

/// Checks the responses of one worker.
pub(super) struct Checker {
    checks: Arc<Checks>,
    /// By buffer of the body ([`Refusals::slot`]).
    noted: Vec<Noted>,
    /// The text of the first failure of each condition; of errors in a known format, last.
    texts: Vec<Option<String>>,
    decoded: Vec<u8>,
    suspicion: Suspicion,
    /// The time of the whole request that the response judged last states, nanoseconds.
    server_time: Option<u64>,
    /// Whether a response of this worker is still to be searched for signs of an error.
    is_curious: bool,
}

impl Checker {
    pub(super) fn new(checks: &Arc<Checks>, suspicion: &Suspicion) -> Self {
        Self {
            noted: Vec::new(),
            texts: vec![None; checks.conditions.len() + 1],
            decoded: Vec::new(),
            server_time: None,
            is_curious: checks.is_suspicious,
            suspicion: Arc::clone(suspicion),
            checks: Arc::clone(checks),
        }
    }

    /// Tests the head of a response with a success status, and decides whether its body is needed.
    /// The body of the exchange may already be caught for another use.
    #[inline]
    pub(super) fn head(
        &mut self,
        bodies: &mut Refusals,
        exchange: &mut Exchange,
        head: &ResponseHead<'_>,
    ) -> BodyUse {
        let has_body = !exchange.bodyless_response;
        let mut failed = None;
        let mut needs_body = has_body && self.checks.known(exchange).is_some();
        for (at, check) in self.checks.of(exchange) {
            let passes = match &check.condition {
                Condition::Body(_) | Condition::Json { .. } => {
                    needs_body = true;
                    continue;
                }
                Condition::Length(test) => match (head.length, has_body) {
                    (Some(length), true) => test.holds(length as f64),
                    _ => continue,
                },
                Condition::Status(test) => test.holds(f64::from(head.status)),
                Condition::Header { name, test } => evaluate::text(test, head.header(name)),
            };
            if !passes && failed.is_none() {
                failed = Some(at);
            }
        }
        if failed.is_none() && !needs_body && !self.is_curious {
            if bodies.is_caught(exchange) {
                self.note(bodies.slot(exchange), Noted::default());
            }
            return BodyUse::Discard;
        }
        let is_checked = needs_body && failed.is_none();
        let most = match (is_checked, self.is_curious) {
            (true, _) => LARGEST_CHECKED,
            (false, true) => SEARCHED_BYTES,
            (false, false) => KEPT_BYTES,
        };
        bodies.catch_at_least(most, exchange);
        let noted = Noted {
            failed,
            encoding: Encoding::of(head),
            is_checked,
        };
        self.note(bodies.slot(exchange), noted);
        if has_body {
            BodyUse::Inspect
        } else {
            BodyUse::Discard
        }
    }

    fn note(&mut self, slot: usize, noted: Noted) {
        if self.noted.len() <= slot {
            self.noted.resize(slot + 1, Noted::default());
        }
        self.noted[slot] = noted;
    }

    /// The time of the whole request that the response judged last states, nanoseconds.
    pub(super) fn server_time(&mut self) -> Option<u64> {
        self.server_time.take()
    }

    /// The failure of a complete response with a success status; `None` if the response passes.
    #[inline]
    pub(super) fn judge(
        &mut self,
        bodies: &Refusals,
        exchange: &Exchange,
        (status, length): (u16, u64),
        secrets: &Secrets,
    ) -> Option<Judgement> {
        self.server_time = None;
        let mut failed = self.checks.of(exchange).find_map(|(at, check)| {
            let Condition::Length(test) = &check.condition else {
                return None;
            };
            (!test.holds(length as f64)).then_some(at)
        });
        if !bodies.is_caught(exchange) {
            return failed.map(|at| self.failed(at, (status, length), "", secrets));
        }
        // Only for bodies that are read: the reference count is shared between threads.
        let checks = Arc::clone(&self.checks);
        let noted = self.noted.get(bodies.slot(exchange)).copied();
        let noted = noted.unwrap_or_default();
        let body = bodies.caught(exchange);
        let is_whole = body.len() as u64 == length && length <= LARGEST_CHECKED as u64;
        let plain = match (noted.is_checked || self.is_curious, noted.encoding) {
            (true, Encoding::None) => Some(body),
            (true, encoding) if is_whole => {
                decoded(body, encoding, &mut self.decoded, LARGEST_CHECKED)
                    .then_some(self.decoded.as_slice())
            }
            _ => None,
        };
        failed = noted.failed.or(failed);
        let mut error = None;
        if failed.is_none() && noted.is_checked {
            failed = checks
                .of(exchange)
                .find(|(_, check)| !evaluate::body(&check.condition, plain.filter(|_| is_whole)))
                .map(|(at, _)| at);
            let known = checks.known(exchange).filter(|_| failed.is_none());
            error = known.and_then(|known| Some((known, known.find(plain?)?)));
            self.server_time = known.and_then(|known| known.server_time(plain?));
        }
        if let Some(at) = failed {
            let example = shown(plain.unwrap_or(body));
            return Some(self.failed(at, (status, length), &example, secrets));
        }
        if let Some((known, message)) = error {
            return Some(self.reported(known, &message, secrets));
        }
        if std::mem::take(&mut self.is_curious)
            && let Some(sign) = plain.and_then(suspicion::of)
        {
            let example = plain.map(shown).filter(|text| secrets.are_not_in(text));
            let example = example.map_or_else(String::new, |text| format!(": {text}"));
            let mut known = held(&self.suspicion);
            known.get_or_insert_with(|| format!("status {status}, but {sign}{example}"));
        }
        None
    }

    /// The judgement of a response that does not meet a condition.
    #[cold]
    fn failed(
        &mut self,
        at: usize,
        (status, length): (u16, u64),
        example: &str,
        secrets: &Secrets,
    ) -> Judgement {
        let check = &self.checks.conditions[at];
        let text = self.texts[at].get_or_insert_with(|| {
            let check = check.to_string();
            let check = if secrets.are_not_in(&check) {
                check
            } else {
                "(a check with a secret)".to_owned()
            };
            let example = if example.is_empty() || !secrets.are_not_in(example) {
                String::new()
            } else {
                format!(": {example}")
            };
            format!("check {check}; got status {status} and {length} bytes{example}")
        });
        Judgement::Failed(ErrorClass::Check, text.clone())
    }

    /// The judgement of a response that reports an error in a known format.
    #[cold]
    fn reported(&mut self, known: KnownErrors, message: &str, secrets: &Secrets) -> Judgement {
        let text = self.texts.last_mut().map(|text| {
            text.get_or_insert_with(|| {
                let message = if secrets.are_not_in(message) {
                    message
                } else {
                    "an error whose text contains a secret"
                };
                format!(
                    "check no error in a response of {}; got {message}",
                    known.name()
                )
            })
            .clone()
        });
        Judgement::Failed(ErrorClass::Check, text.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests;
