//! A workload that repeats one plain HTTP request.

use std::sync::Arc;

use tenbin_engine::{
    BodyUse, ErrorClass, Exchange, Judgement, Moment, Next, ResponseHead, Workload,
};
use tenbin_plan::{self as plan, HttpWork, Sentence};

use super::head::{self, Parts, Success};
use super::of_workload;
use super::responses::{Expected, Judge};
use crate::error::WorkloadError;
use crate::prepared::{
    AgentSide, IMPOSSIBLE, NoSequence, Observation, Prepared, SetUp, Stage, StoresNothing,
};
use crate::remote::{SliceReport, SliceState};
use crate::responses::{ExpectedResponse, Report, ResponseComparison};
use crate::site::Site;
use crate::text::{is_token, is_visible};

/// Prepares the request for a target.
pub(super) fn prepare(
    work: &plan::Workload,
    http: &HttpWork,
    target: &Site,
    workers: usize,
) -> Result<Box<dyn Prepared>, WorkloadError> {
    let request = Request::new(&work.name, http, target, work.load.keep_alive)?;
    let path = path(&work.name, http, target)?;
    Ok(Box::new(PreparedHttp {
        work: work.name.clone(),
        request: Arc::new(request),
        expected: Expected::new(http, &path),
        seen: None,
        workers,
    }))
}

struct PreparedHttp {
    work: String,
    request: Arc<Request>,
    expected: Expected,
    /// Comparison of the last slice's responses.
    seen: Option<ResponseComparison>,
    workers: usize,
}

impl PreparedHttp {
    fn workers(&mut self, count: usize) -> Vec<Box<dyn Workload>> {
        let judges = self.expected.judges(count).into_iter();
        judges
            .map(|judge| {
                Box::new(Worker {
                    request: Arc::clone(&self.request),
                    judge,
                }) as Box<dyn Workload>
            })
            .collect()
    }
}

impl PreparedHttp {
    /// The worker that prepares the requests of a probe.
    fn sender(&self) -> Box<dyn Workload> {
        Box::new(Worker {
            request: Arc::clone(&self.request),
            judge: self.expected.judge_of_probe(),
        })
    }
}

impl Prepared for PreparedHttp {
    fn slice(&mut self) -> Vec<Box<dyn Workload>> {
        self.workers(self.workers)
    }

    /// Merges the reports, which workers write when they are dropped.
    fn slice_done(&mut self, workers: Vec<Box<dyn Workload>>) {
        drop(workers);
        self.seen = self.expected.slice_done();
    }
}

impl SetUp for PreparedHttp {
    fn check(&mut self) -> Option<Stage> {
        None
    }

    /// Sends the request several times to learn the expected response.
    fn before_run(&mut self) -> Option<Stage> {
        let sender = self.sender();
        let request = Arc::clone(&self.request);
        self.expected
            .probe(true, || sender, move |status| request.success.holds(status))
    }

    fn refused(&self) -> Option<Sentence> {
        self.expected.refused()
    }

    fn before_warm_up(&mut self) -> Option<Stage> {
        let sender = self.sender();
        let request = Arc::clone(&self.request);
        self.expected.probe(
            false,
            || sender,
            move |status| request.success.holds(status),
        )
    }

    /// A response before the run that fails a check or looks like an error.
    fn notes(&self) -> Vec<Sentence> {
        let doubt = self.expected.doubt().into_iter();
        doubt.map(|what| of_workload(&self.work, what)).collect()
    }
}

impl NoSequence for PreparedHttp {}

impl Observation for PreparedHttp {
    fn response_comparison(&mut self) -> Option<ResponseComparison> {
        self.seen.take()
    }

    fn expected_response(&self) -> Option<ExpectedResponse> {
        self.expected.summary()
    }

    fn suspicious_response(&self) -> Option<String> {
        self.expected.suspicion()
    }

    /// Sends the request again to compare the responses of the unloaded server.
    fn count_again(&mut self) -> Option<Stage> {
        let sender = self.sender();
        let request = Arc::clone(&self.request);
        self.expected
            .probe_after(|| sender, move |status| request.success.holds(status))
    }
}

impl AgentSide for PreparedHttp {
    fn state_for_agents(&mut self) -> SliceState {
        SliceState {
            reference: self.expected.reference(),
            ..SliceState::default()
        }
    }

    fn add_reports(&mut self, reports: Vec<SliceReport>) -> Result<(), String> {
        if !reports.iter().all(|report| report.is_possible(None)) {
            return Err(IMPOSSIBLE.to_owned());
        }
        let reports = reports.into_iter().filter_map(|report| report.responses);
        let all = reports.reduce(Report::and);
        self.seen = all.and_then(|all| self.expected.learn_from(all));
        Ok(())
    }

    fn is_continuable(&self) -> bool {
        true
    }

    fn set_state(&mut self, state: SliceState) -> Result<(), String> {
        if let Some(reference) = state.reference {
            self.expected.expect(reference);
        }
        Ok(())
    }

    fn report(&mut self) -> SliceReport {
        SliceReport {
            responses: self.expected.report(),
            ..SliceReport::default()
        }
    }
}

impl StoresNothing for PreparedHttp {}

/// The request and its success statuses, shared by all threads.
struct Request {
    operations: [&'static str; 1],
    /// One head per host; heads differ only in the `Host` header.
    heads: Vec<Vec<u8>>,
    body: Vec<u8>,
    bodyless_response: bool,
    success: Success,
}

impl Request {
    fn new(
        workload: &str,
        work: &HttpWork,
        target: &Site,
        keep_alive: bool,
    ) -> Result<Self, WorkloadError> {
        if !is_token(&work.method) {
            return Err(WorkloadError::Method {
                workload: workload.to_owned(),
                method: work.method.clone(),
            });
        }
        let path = path(workload, work, target)?;
        head::check_headers(workload, &work.headers)?;
        head::check_hosts(work, target)?;
        let hosts = target.host_headers().iter();
        let parts = Parts {
            method: &work.method,
            path: &path,
            own: &[],
            shared: &work.headers,
            body: work.body.len(),
            keep_alive,
        };
        Ok(Self {
            operations: [operation(&work.method)],
            heads: hosts.map(|host| parts.head(host)).collect(),
            body: work.body.clone(),
            bodyless_response: work.method == "HEAD",
            success: Success::new(&work.expect),
        })
    }
}

fn path(workload: &str, work: &HttpWork, target: &Site) -> Result<String, WorkloadError> {
    let path = match (&work.path, target.url.query()) {
        (Some(path), _) => path.clone(),
        (None, Some(query)) => format!("{}?{query}", target.url.path()),
        (None, None) => target.url.path().to_owned(),
    };
    if path.starts_with('/') && is_visible(&path) && !path.contains('#') {
        return Ok(path);
    }
    Err(WorkloadError::Path {
        workload: workload.to_owned(),
        path,
    })
}

/// Name of the operation: a common method, or `HTTP`. Static, so that samples carry no allocated
/// text.
fn operation(method: &str) -> &'static str {
    const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
    METHODS
        .into_iter()
        .find(|known| *known == method)
        .unwrap_or("HTTP")
}

struct Worker {
    request: Arc<Request>,
    judge: Judge,
}

impl Workload for Worker {
    fn operations(&self) -> &[&'static str] {
        &self.request.operations
    }

    fn next(&mut self, now: Moment, exchange: &mut Exchange) -> Next {
        self.judge.at(now);
        let head = &self.request.heads[exchange.host];
        if exchange.head == *head {
            return Next::Same;
        }
        exchange.head.clear();
        exchange.head.extend_from_slice(head);
        exchange.op = 0;
        exchange.bodyless_response = self.request.bodyless_response;
        Next::Ready
    }

    fn payload<'a>(&'a self, _exchange: &Exchange) -> &'a [u8] {
        &self.request.body
    }

    fn head(&mut self, exchange: &mut Exchange, head: &ResponseHead<'_>) -> BodyUse {
        self.judge.head(&self.request.success, exchange, head)
    }

    fn body(&mut self, exchange: &mut Exchange, _offset: u64, part: &[u8]) {
        self.judge.body(exchange, part);
    }

    fn judge(&mut self, exchange: &mut Exchange, status: u16, length: u64) -> Judgement {
        self.judge
            .judge(&self.request.success, exchange, status, length)
    }

    fn server_time(&mut self) -> Option<u64> {
        self.judge.server_time()
    }

    fn lost(&mut self, exchange: &mut Exchange, _class: ErrorClass) {
        self.judge.release(exchange);
    }
}
