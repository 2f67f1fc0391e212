//! Judges responses to plain HTTP requests by status, and by comparison with earlier responses to
//! the same request.

use std::sync::{Arc, Mutex};

use tenbin_engine::{BodyUse, Exchange, Judgement, Moment, ResponseHead, Workload};
use tenbin_plan::{HttpWork, Sentence, sentence};

use super::checks::{Checker, Checks, Suspicion};
use super::error_message::{ErrorMessages, Secrets};
use super::head::Success;
use crate::prepared::Stage;
use crate::responses::{
    CONNECTIONS, Comparing, ExpectedResponse, Findings, Known, Monitor, Prober, Reference, Report,
    ResponseComparison, Rules, Unchecked,
};
use crate::shared::held;

/// The expected response of one target to one request, over the whole run.
pub(super) struct Expected {
    rules: Rules,
    secrets: Secrets,
    checks: Arc<Checks>,
    suspicion: Suspicion,
    comparing: Comparing,
    findings: Arc<Mutex<Findings>>,
    /// Whether the request may be sent outside the load.
    is_safe: bool,
    /// Number of connections that the probe of the unloaded server still has to open.
    probes_left: usize,
    /// Whether the probe after the run was sent.
    is_probed_after: bool,
    after: Arc<Mutex<Findings>>,
    reports: Vec<Arc<Mutex<Option<Report>>>>,
    /// Merged report of the workers of the last slice, for the coordinator.
    last: Option<Report>,
}

impl Expected {
    pub(super) fn new(work: &HttpWork, path: &str) -> Self {
        let may_differ = work.may_differ;
        let comparing = match work.method.as_str() {
            "HEAD" => Comparing::nothing(None),
            _ if may_differ.size && may_differ.body => {
                Comparing::nothing(Some(Unchecked::MayDiffer))
            }
            _ => Comparing::default(),
        };
        Self {
            rules: Rules {
                may_differ,
                every: work.verify,
                any_status: !work.expect.is_empty(),
            },
            secrets: Secrets::of(work),
            checks: Arc::new(Checks::of_request(work, path)),
            suspicion: Suspicion::default(),
            // RFC 9110, section 9.2.1: other methods can change data on the server.
            is_safe: matches!(work.method.as_str(), "GET" | "OPTIONS"),
            probes_left: if comparing.is_off() { 0 } else { CONNECTIONS },
            comparing,
            findings: Arc::default(),
            is_probed_after: false,
            after: Arc::default(),
            reports: Vec::new(),
            last: None,
        }
    }

    /// The next stage that sends the request to the unloaded server; `None` if the server was
    /// probed. Before the run (`is_before`), only requests that change nothing are sent; all others
    /// are sent at the start of the warm-up. `worker` prepares the request.
    pub(super) fn probe(
        &mut self,
        is_before: bool,
        worker: impl FnOnce() -> Box<dyn Workload>,
        success: impl Fn(u16) -> bool + Send + 'static,
    ) -> Option<Stage> {
        if is_before && !self.is_safe {
            return None;
        }
        if self.probes_left == 0 {
            let mut findings = held(&self.findings);
            self.comparing.learn(&mut findings);
            return None;
        }
        self.probes_left -= 1;
        Some(stage(worker(), success, &self.findings))
    }

    /// The stage that sends the request again after the run; `None` if that is done or the request
    /// must not be sent.
    pub(super) fn probe_after(
        &mut self,
        worker: impl FnOnce() -> Box<dyn Workload>,
        success: impl Fn(u16) -> bool + Send + 'static,
    ) -> Option<Stage> {
        if self.is_probed_after {
            self.is_probed_after = false;
            let findings = held(&self.after);
            self.comparing.add_after(&findings);
            return None;
        }
        if !self.is_safe || self.comparing.is_off() {
            return None;
        }
        self.is_probed_after = true;
        self.after = Arc::default();
        Some(stage(worker(), success, &self.after))
    }

    /// Why the responses to the probe rule out the run, in one sentence.
    pub(super) fn refused(&self) -> Option<Sentence> {
        let findings = held(&self.findings);
        findings.refused().cloned()
    }

    /// The judges of the workers of the next slice.
    pub(super) fn judges(&mut self, workers: usize) -> Vec<Judge> {
        self.reports = (0..workers).map(|_| Arc::default()).collect();
        let numbered = self.reports.iter().enumerate();
        let judge = |(number, report): (usize, &Arc<Mutex<Option<Report>>>)| Judge {
            error_messages: ErrorMessages::new(&self.secrets),
            checker: Checker::new(&self.checks, &self.suspicion),
            monitor: Monitor::new(self.comparing.known(), self.rules, number),
            report: Arc::clone(report),
        };
        numbered.map(judge).collect()
    }

    /// The judge of the worker that prepares the requests of a probe: it compares nothing.
    pub(super) fn judge_of_probe(&self) -> Judge {
        Judge {
            error_messages: ErrorMessages::new(&self.secrets),
            checker: Checker::new(&self.checks, &self.suspicion),
            monitor: Monitor::new(Known::Nothing, self.rules, 0),
            report: Arc::default(),
        }
    }

    /// Merges the reports of the workers; `None` if responses are not compared. Called after the
    /// workers were dropped.
    pub(super) fn slice_done(&mut self) -> Option<ResponseComparison> {
        let reports = std::mem::take(&mut self.reports);
        let reports = reports.iter().filter_map(|report| held(report).take());
        let report = reports.reduce(Report::and)?;
        self.last = Some(report.clone());
        self.learn_from(report)
    }

    /// The reference, for agents.
    pub(super) fn reference(&self) -> Option<Reference> {
        self.comparing.reference().cloned()
    }

    /// Takes over the reference of the coordinator.
    pub(super) fn expect(&mut self, reference: Reference) {
        self.comparing.set(reference);
    }

    /// The merged report of the workers of the last slice.
    pub(super) fn report(&mut self) -> Option<Report> {
        self.last.take()
    }

    /// Adds the merged report of a slice's workers; `None` if responses are not compared.
    pub(super) fn learn_from(&mut self, report: Report) -> Option<ResponseComparison> {
        self.comparing.add(report)
    }

    /// A sentence about a correct response that looks like an error, if there was one.
    pub(super) fn suspicion(&self) -> Option<String> {
        held(&self.suspicion).clone()
    }

    /// What is wrong with the response before the run, if the response was received.
    pub(super) fn doubt(&self) -> Option<Sentence> {
        let findings = held(&self.findings);
        let failed = findings.failed_check().map(|text| {
            sentence!(
                "counts-as-error",
                "the response before the run counts as an error: {response}",
                response = text
            )
        });
        let suspicion = || {
            let what = self.suspicion()?;
            Some(sentence!(
                "looks-like-error",
                "the response before the run looks like an error: {response}; if it is one, use \
                 --check to state what a correct response contains",
                response = what
            ))
        };
        failed.or_else(suspicion)
    }

    /// The expected response for reports and checks; `None` if there is nothing to compare.
    pub(super) fn summary(&self) -> Option<ExpectedResponse> {
        self.comparing.summary()
    }
}

fn stage(
    worker: Box<dyn Workload>,
    success: impl Fn(u16) -> bool + Send + 'static,
    findings: &Arc<Mutex<Findings>>,
) -> Stage {
    let prober = Prober::new(worker, success, Arc::clone(findings));
    Stage {
        what: sentence!(
            "reading-unloaded",
            "reading responses before the load, to compare those under load with them"
        ),
        total: None,
        connections: 1,
        workers: vec![Box::new(prober)],
        must_succeed: false,
        host: None,
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
    /// Sets the time at which the current request is prepared.
    #[inline]
    pub(super) fn at(&mut self, now: Moment) {
        self.monitor.at(now);
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

    /// The time of the whole request that the response judged last states, nanoseconds.
    pub(super) fn server_time(&mut self) -> Option<u64> {
        self.checker.server_time()
    }

    pub(super) fn release(&mut self, exchange: &mut Exchange) {
        self.error_messages.release(exchange);
    }
}

impl Drop for Judge {
    fn drop(&mut self) {
        let report = self.monitor.report();
        *held(&self.report) = Some(report);
    }
}
