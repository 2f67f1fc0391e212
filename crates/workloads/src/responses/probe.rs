//! Sends a request several times before the run and reads the responses.

use std::sync::{Arc, Mutex, PoisonError};

use tenbin_engine::{
    BodyUse, ErrorClass, Exchange, Judgement, Moment, Next, ResponseHead, Workload,
};

use super::content::{START, finished, fold};
use super::expectation::ENOUGH;
use super::tally::{Kinds, Response};
use super::{Decoded, Expectation, ExpectedResponse};
use crate::redirect::{is_redirect, location_of, redirected};

/// Nanoseconds after which no further requests are sent, once [`FEWEST`] requests were sent.
const LONGEST_NANOS: u64 = 300_000_000;
const FEWEST: u64 = 3;
/// Longest body that is decoded, bytes.
const LARGEST_BODY: usize = 16 << 20;
/// Maximum number of characters kept of a header value.
const HEADER_CHARS: usize = 80;

/// Results of a probe.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    kinds: Kinds,
    sum_of_lengths: u64,
    content_type: Option<String>,
    encoding: Option<String>,
    decoded: Vec<Option<Decoded>>,
    /// The text of a failure of the response, if the workload does not accept it.
    failed_check: Option<String>,
    /// Why the responses rule out the run, in one sentence.
    refused: Option<String>,
}

impl Findings {
    /// Why the responses to the probe rule out the run, in one sentence: the server redirects.
    pub(crate) fn refused(&self) -> Option<&str> {
        self.refused.as_deref()
    }

    /// The expected response, derived from the responses to the probe.
    pub(crate) fn expectation(&self) -> Expectation {
        Expectation::of(&self.kinds)
    }

    /// Why the workload did not accept a response with a success status, if so.
    pub(crate) fn failed_check(&self) -> Option<&str> {
        self.failed_check.as_deref()
    }

    /// The expected response for reports and checks: `expectation` and the results of the probe.
    pub(crate) fn summary(&self, expectation: &Expectation) -> ExpectedResponse {
        let summary = expectation.summary();
        let probed = self.kinds.total;
        let decoded: Option<Vec<Decoded>> = self.decoded.iter().copied().collect();
        let decoded = decoded.filter(|all| !all.is_empty());
        let mean = |sum: u64| sum as f64 / probed as f64;
        let first_sum = |all: &Vec<Decoded>| {
            let first = all.first()?.sum;
            all.iter().all(|one| one.sum == first).then_some(first)
        };
        ExpectedResponse {
            probed,
            mean: (probed > 0).then(|| mean(self.sum_of_lengths)),
            kinds: self
                .kinds
                .kinds
                .iter()
                .filter(|kind| kind.count > 1)
                .count() as u64,
            content_type: self.content_type.clone(),
            encoding: self.encoding.clone(),
            decoded_mean: decoded
                .as_ref()
                .map(|all| mean(all.iter().map(|one| one.length).sum())),
            decoded_sum: decoded.as_ref().and_then(first_sum),
            ..summary
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
    begun: Option<u64>,
    second: u64,
    sum: u64,
    /// Whether `inner` needs the body.
    is_shared: bool,
    body: Vec<u8>,
    content_type: Option<String>,
    encoding: Option<String>,
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
            begun: None,
            second: 0,
            sum: START,
            is_shared: false,
            body: Vec::new(),
            content_type: None,
            encoding: None,
            location: None,
        }
    }
}

impl Workload for Prober {
    fn operations(&self) -> &[&'static str] {
        &["probe"]
    }

    fn next(&mut self, now: Moment, exchange: &mut Exchange) -> Next {
        let begun = *self.begun.get_or_insert(now.nanos);
        let is_late = self.sent >= FEWEST && now.nanos - begun > LONGEST_NANOS;
        if self.is_over || self.sent >= ENOUGH || is_late {
            return Next::Exhausted;
        }
        self.sent += 1;
        self.second = now.unix_seconds;
        let next = self.inner.next(now, exchange);
        exchange.op = 0;
        next
    }

    fn payload<'a>(&'a self, exchange: &Exchange) -> &'a [u8] {
        self.inner.payload(exchange)
    }

    fn head(&mut self, exchange: &mut Exchange, head: &ResponseHead<'_>) -> BodyUse {
        self.body.clear();
        self.sum = START;
        self.is_shared = self.inner.head(exchange, head) == BodyUse::Inspect;
        let text = |name| {
            let text = String::from_utf8_lossy(head.header(name)?).into_owned();
            Some(text.chars().take(HEADER_CHARS).collect())
        };
        self.content_type = text("content-type");
        self.encoding = text("content-encoding");
        self.location = location_of(head);
        BodyUse::Inspect
    }

    fn body(&mut self, exchange: &mut Exchange, offset: u64, part: &[u8]) {
        self.sum = fold(self.sum, part);
        if self.is_shared {
            self.inner.body(exchange, offset, part);
        }
        let space = (LARGEST_BODY + 1).saturating_sub(self.body.len());
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
        if let Judgement::Failed(class, text) = judgement {
            self.is_over = true;
            let mut findings = self.findings.lock().unwrap_or_else(PoisonError::into_inner);
            findings.failed_check.get_or_insert_with(|| text.clone());
            return Judgement::Failed(class, text);
        }
        let decoded = match self.body.len() > LARGEST_BODY {
            true => None,
            false => Decoded::of(&self.body, self.encoding.as_deref()),
        };
        let mut findings = self.findings.lock().unwrap_or_else(PoisonError::into_inner);
        findings.kinds.add(Response {
            status,
            length,
            sum: finished(self.sum),
            second: self.second,
        });
        findings.sum_of_lengths += length;
        findings.decoded.push(decoded);
        findings.content_type = self.content_type.take();
        findings.encoding = self.encoding.take();
        Judgement::Correct
    }

    fn lost(&mut self, exchange: &mut Exchange, class: ErrorClass) {
        self.is_over = true;
        self.inner.lost(exchange, class);
    }

    fn gives_up(&self) -> bool {
        self.is_over
    }
}
