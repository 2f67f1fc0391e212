//! Judges responses to plain HTTP requests by status, and by comparison with earlier responses to
//! the same request.

use std::sync::{Arc, Mutex, PoisonError};

use tenbin_engine::{BodyUse, Exchange, Judgement, ResponseHead, Workload};
use tenbin_plan::HttpWork;

use super::checks::{Checker, Checks, Suspicion};
use super::error_message::{ErrorMessages, Secrets};
use super::head::Success;
use crate::kind::Stage;
use crate::responses::{
    Expectation, ExpectedResponse, Findings, Monitor, Prober, Report, ResponseComparison, Rules,
};

/// The expected response of one target to one request, over the whole run.
pub(super) struct Expected {
    rules: Rules,
    secrets: Secrets,
    checks: Arc<Checks>,
    suspicion: Suspicion,
    expectation: Expectation,
    findings: Arc<Mutex<Findings>>,
    /// Whether the probe before the run must still be sent.
    is_to_be_probed: bool,
    reports: Vec<Arc<Mutex<Option<Report>>>>,
    /// Merged report of the workers of the last slice, for the coordinator.
    last: Option<Report>,
}

impl Expected {
    pub(super) fn new(work: &HttpWork, path: &str) -> Self {
        let may_differ = work.may_differ;
        let is_off = work.method == "HEAD" || (may_differ.size && may_differ.body);
        Self {
            rules: Rules {
                may_differ,
                every: work.verify,
                any_status: !work.expect.is_empty(),
            },
            secrets: Secrets::of(work),
            checks: Arc::new(Checks::of_request(work, path)),
            suspicion: Suspicion::default(),
            expectation: match is_off {
                true => Expectation::Nothing,
                false => Expectation::unknown(),
            },
            findings: Arc::default(),
            // RFC 9110, section 9.2.1: other methods can change data on the server.
            is_to_be_probed: !is_off && matches!(work.method.as_str(), "GET" | "OPTIONS"),
            reports: Vec::new(),
            last: None,
        }
    }

    /// The stage that sends the request before the run, or `None` if the request must not be sent
    /// or an earlier call returned the stage. `worker` prepares the request.
    pub(super) fn probe(
        &mut self,
        worker: impl FnOnce() -> Box<dyn Workload>,
        success: impl Fn(u16) -> bool + Send + 'static,
    ) -> Option<Stage> {
        if !std::mem::take(&mut self.is_to_be_probed) {
            self.learn();
            return None;
        }
        let prober = Prober::new(worker(), success, Arc::clone(&self.findings));
        Some(Stage {
            what: "sending the request before the run".to_owned(),
            total: None,
            connections: 1,
            workers: vec![Box::new(prober)],
            must_succeed: false,
            host: None,
        })
    }

    /// Why the responses to the probe rule out the run, in one sentence.
    pub(super) fn refused(&self) -> Option<String> {
        let findings = self.findings.lock().unwrap_or_else(PoisonError::into_inner);
        findings.refused().map(str::to_owned)
    }

    /// Sets the expectation from the results of the probe.
    fn learn(&mut self) {
        if matches!(self.expectation, Expectation::Unknown(_)) {
            let findings = self.findings.lock().unwrap_or_else(PoisonError::into_inner);
            self.expectation = findings.expectation();
        }
    }

    /// The judges of the workers of the next slice.
    pub(super) fn judges(&mut self, workers: usize) -> Vec<Judge> {
        self.reports = (0..workers).map(|_| Arc::default()).collect();
        let numbered = self.reports.iter().enumerate();
        let judge = |(number, report): (usize, &Arc<Mutex<Option<Report>>>)| Judge {
            error_messages: ErrorMessages::new(&self.secrets),
            checker: Checker::new(&self.checks, &self.suspicion),
            monitor: Monitor::new(self.expectation.for_worker(), self.rules, number),
            report: Arc::clone(report),
        };
        numbered.map(judge).collect()
    }

    /// Merges the reports of the workers; `None` if responses are not compared. Called after the
    /// workers were dropped.
    pub(super) fn slice_done(&mut self) -> Option<ResponseComparison> {
        let reports = std::mem::take(&mut self.reports);
        let reports = reports.iter().filter_map(|report| {
            let mut report = report.lock().unwrap_or_else(PoisonError::into_inner);
            report.take()
        });
        let report = reports.reduce(Report::and)?;
        self.last = Some(report.clone());
        self.learn_from(report)
    }

    /// The expected response, for agents.
    pub(super) fn expectation(&self) -> Expectation {
        self.expectation.clone()
    }

    /// Takes over the expected response of the coordinator.
    pub(super) fn expect(&mut self, expectation: Expectation) {
        self.expectation = expectation;
    }

    /// The merged report of the workers of the last slice.
    pub(super) fn report(&mut self) -> Option<Report> {
        self.last.take()
    }

    /// Adds the merged report of a slice's workers; `None` if responses are not compared.
    pub(super) fn learn_from(&mut self, report: Report) -> Option<ResponseComparison> {
        let Report { seen, expectation } = report;
        let before = std::mem::replace(&mut self.expectation, Expectation::Nothing);
        self.expectation = before.after(expectation);
        (self.expectation != Expectation::Nothing).then_some(seen)
    }

    /// A sentence about a correct response that looks like an error, if there was one.
    pub(super) fn suspicion(&self) -> Option<String> {
        let suspicion = self.suspicion.lock();
        suspicion.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What is wrong with the response before the run, if the response was received.
    pub(super) fn doubt(&self) -> Option<String> {
        let findings = self.findings.lock().unwrap_or_else(PoisonError::into_inner);
        let failed = findings
            .failed_check()
            .map(|text| format!("the response before the run counts as an error: {text}"));
        let suspicion = || {
            let what = self.suspicion()?;
            Some(format!(
                "the response before the run looks like an error: {what}; if it is one, use --check \
                 to state what a correct response contains"
            ))
        };
        failed.or_else(suspicion)
    }

    /// The expected response for reports and checks; `None` if responses are not compared.
    pub(super) fn summary(&self) -> Option<ExpectedResponse> {
        let findings = self.findings.lock().unwrap_or_else(PoisonError::into_inner);
        match self.expectation {
            Expectation::Nothing => None,
            _ => Some(findings.summary(&self.expectation)),
        }
    }
}

/// Judges the responses of one worker; writes its report when dropped.
pub(super) struct Judge {
    error_messages: ErrorMessages,
    checker: Checker,
    monitor: Monitor,
    report: Arc<Mutex<Option<Report>>>,
}

impl Judge {
    /// Sets the time at which the current request is prepared, seconds since 1970-01-01 UTC.
    #[inline]
    pub(super) fn at(&mut self, unix_seconds: u64) {
        self.monitor.at(unix_seconds);
    }

    #[inline]
    pub(super) fn head(
        &mut self,
        success: &Success,
        exchange: &mut Exchange,
        head: &ResponseHead<'_>,
    ) -> BodyUse {
        if success.holds(head.status) {
            let bodies = &mut self.error_messages.bodies;
            let compared = self.monitor.head(bodies, exchange, head);
            let checked = self.checker.head(bodies, exchange, head);
            return match (compared, checked) {
                (BodyUse::Discard, BodyUse::Discard) => BodyUse::Discard,
                (BodyUse::Inspect, _) => BodyUse::Inspect,
                (BodyUse::Discard, BodyUse::Inspect) => {
                    self.monitor.read_too(exchange);
                    BodyUse::Inspect
                }
            };
        }
        self.error_messages.head(success, exchange, head)
    }

    #[inline]
    pub(super) fn body(&mut self, exchange: &mut Exchange, part: &[u8]) {
        self.error_messages.body(exchange, part);
        self.monitor.body(exchange, part);
    }

    #[inline]
    pub(super) fn judge(
        &mut self,
        success: &Success,
        exchange: &mut Exchange,
        status: u16,
        length: u64,
    ) -> Judgement {
        if !success.holds(status) {
            return self.error_messages.failed(exchange);
        }
        let ErrorMessages { bodies, secrets } = &mut self.error_messages;
        let checked = self
            .checker
            .judge(bodies, exchange, (status, length), secrets);
        if let Some(failed) = checked {
            bodies.release(exchange);
            return failed;
        }
        let is_public = |text: &str| secrets.are_not_in(text);
        let response = (status, length);
        self.monitor.judge(bodies, exchange, response, is_public)
    }

    pub(super) fn release(&mut self, exchange: &mut Exchange) {
        self.error_messages.release(exchange);
    }
}

impl Drop for Judge {
    fn drop(&mut self) {
        let report = self.monitor.report();
        *self.report.lock().unwrap_or_else(PoisonError::into_inner) = Some(report);
    }
}
