//! Sends a request several times without other load and reads the responses.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tenbin_engine::{
    BodyUse, ErrorClass, Exchange, Judgement, Moment, Next, RequestOutcome, ResponseHead, Role,
    Transaction, Workload,
};
use tenbin_plan::Sentence;

use super::Learned;
use super::content::{START, finished, fold};
use super::observed::{HeadNotes, MOST_BYTES, Observed};
use crate::delegate::delegate;
use crate::redirect::{is_redirect, location_of, redirected};

/// Number of connections that a probe opens, one after the other.
pub(crate) const CONNECTIONS: usize = 3;
/// Requests on each connection.
const REQUESTS: u64 = 43;
/// Time between two requests, so that the responses show what changes with time.
const APART_NANOS: u64 = 2_000_000;
/// Time after which a probe ends, once there are [`ENOUGH`] responses; each connection gets a part.
const LONGEST_PROBE: Duration = Duration::from_millis(300);
/// With fewer responses, a page that the server sends rarely may be missing, and nothing can be said
/// about rare differences under load.
const ENOUGH: usize = 64;
/// The same, once there are [`FEWEST`].
const LONGEST_WAIT: Duration = Duration::from_secs(2);
const FEWEST: usize = 3;
/// Requests on each connection, unless the time of the probe is over.
const EACH: u64 = 6;

/// Responses to a probe.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(super) learned: Learned,
    began: Option<Instant>,
    /// The text of a failure of the response, if the workload does not accept it.
    failed_check: Option<String>,
    /// Why the responses rule out the run, in one sentence.
    refused: Option<Sentence>,
}

impl Findings {
    /// Why the responses to the probe rule out the run, in one sentence: the server redirects.
    pub(crate) fn refused(&self) -> Option<&Sentence> {
        self.refused.as_ref()
    }

    /// Why the workload did not accept a response with a success status, if so.
    pub(crate) fn failed_check(&self) -> Option<&str> {
        self.failed_check.as_deref()
    }

    fn elapsed(&mut self) -> Duration {
        self.began.get_or_insert_with(Instant::now).elapsed()
    }

    /// Whether the probe has taken its time and needs no further connection.
    fn is_over(&mut self) -> bool {
        let elapsed = self.elapsed();
        self.learned.responses.len() >= FEWEST && elapsed >= self.longest()
    }

    /// The time for the whole probe.
    fn longest(&self) -> Duration {
        match self.learned.responses.len() {
            ..ENOUGH => LONGEST_WAIT,
            ENOUGH.. => LONGEST_PROBE,
        }
    }
}

/// Sends requests that `inner` prepares, and reads the responses with a success status.
pub(crate) struct Prober {
    inner: Box<dyn Workload>,
    success: Box<dyn Fn(u16) -> bool + Send>,
    findings: Arc<Mutex<Findings>>,
    sent: u64,
    /// Whether a request failed, so that no further requests are sent.
    is_over: bool,
    began: Option<Instant>,
    due: u64,
    sum: u64,
    /// Whether `inner` needs the body.
    is_shared: bool,
    body: Vec<u8>,
    notes: HeadNotes,
    location: Option<String>,
}

impl Prober {
    /// `success` returns whether a status is a success.
    pub(crate) fn new(
        inner: Box<dyn Workload>,
        success: impl Fn(u16) -> bool + Send + 'static,
        findings: Arc<Mutex<Findings>>,
    ) -> Self {
        Self {
            inner,
            success: Box::new(success),
            findings,
            sent: 0,
            is_over: false,
            began: None,
            due: 0,
            sum: START,
            is_shared: false,
            body: Vec::new(),
            notes: HeadNotes::default(),
            location: None,
        }
    }

    /// Whether no further request is sent.
    fn is_done(&mut self) -> bool {
        if self.is_over || self.sent >= REQUESTS {
            return true;
        }
        let elapsed = self.began.get_or_insert_with(Instant::now).elapsed();
        let mut findings = self.findings.lock().unwrap_or_else(PoisonError::into_inner);
        let longest = findings.longest() / CONNECTIONS as u32;
        findings.is_over() || self.sent >= EACH && elapsed >= longest
    }
}

#[deny(clippy::missing_trait_methods)]
impl Workload for Prober {
    delegate!(self.inner: own_connections payload payload_file loss unprepared);
    delegate!(self.inner: server_time slice_over);

    fn operations(&self) -> &[&'static str] {
        &["probe"]
    }

    fn role(&self, _op: usize) -> Role {
        Role::Request
    }

    fn transaction(&mut self) -> Option<Transaction> {
        None
    }

    fn next(&mut self, now: Moment, exchange: &mut Exchange) -> Next {
        if self.is_done() {
            return Next::Exhausted;
        }
        if now.nanos < self.due {
            return Next::Rest(self.due);
        }
        self.due = now.nanos + APART_NANOS;
        self.sent += 1;
        let next = self.inner.next(now, exchange);
        exchange.op = 0;
        next
    }

    fn head(&mut self, exchange: &mut Exchange, head: &ResponseHead<'_>) -> BodyUse {
        self.body.clear();
        self.sum = START;
        self.is_shared = self.inner.head(exchange, head) == BodyUse::Inspect;
        self.notes = HeadNotes::of(head);
        self.location = location_of(head);
        BodyUse::Inspect
    }

    fn body(&mut self, exchange: &mut Exchange, offset: u64, part: &[u8]) {
        self.sum = fold(self.sum, part);
        if self.is_shared {
            self.inner.body(exchange, offset, part);
        }
        let space = MOST_BYTES.saturating_sub(self.body.len());
        self.body.extend_from_slice(&part[..part.len().min(space)]);
    }

    fn judge(&mut self, exchange: &mut Exchange, status: u16, length: u64) -> Judgement {
        // An error is not a reference for the responses of the run.
        let judgement = self.inner.judge(exchange, status, length);
        if !(self.success)(status) {
            self.is_over = true;
            if is_redirect(status) {
                let mut findings = self.findings.lock().unwrap_or_else(PoisonError::into_inner);
                findings.refused = Some(redirected(status, self.location.as_deref()));
            }
            return Judgement::Failed(ErrorClass::Status, String::new());
        }
        let mut findings = self.findings.lock().unwrap_or_else(PoisonError::into_inner);
        if let Judgement::Failed(class, text) = judgement {
            self.is_over = true;
            findings.failed_check.get_or_insert_with(|| text.clone());
            return Judgement::Failed(class, text);
        }
        let nanos = findings.elapsed().as_nanos() as u64;
        let raw = (length, finished(self.sum));
        let notes = std::mem::take(&mut self.notes);
        let Learned { responses, names } = &mut findings.learned;
        responses.push(Observed::new(
            (status, raw, nanos),
            notes,
            &self.body,
            names,
        ));
        Judgement::Correct
    }

    /// A probe is part of no figures.
    fn follows(&self) -> bool {
        false
    }

    fn completed(&mut self, _exchange: &Exchange, _outcome: RequestOutcome) {}

    fn lost(&mut self, exchange: &mut Exchange, class: ErrorClass) {
        self.is_over = true;
        self.inner.lost(exchange, class);
    }

    fn gives_up(&self) -> bool {
        self.is_over
    }
}
