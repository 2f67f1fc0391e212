//! One plain HTTP request, over and over.

use std::sync::Arc;

use tenbin_engine::{AnswerHead, BodyUse, ErrorClass, Exchange, Judgement, Moment, Next, Workload};
use tenbin_plan::{self as plan, HttpWork};

use super::complaint::{Complaints, Secrets};
use super::head::{self, Parts, Success};
use crate::error::WorkloadError;
use crate::kind::Prepared;
use crate::site::Site;
use crate::text::{is_token, is_visible};

/// Makes the request ready for a target.
pub(super) fn prepare(
    work: &plan::Workload,
    http: &HttpWork,
    target: &Site,
    workers: usize,
) -> Result<Box<dyn Prepared>, WorkloadError> {
    let request = Request::new(&work.name, http, target, work.load.keep_alive)?;
    Ok(Box::new(PreparedHttp {
        request: Arc::new(request),
        secrets: Secrets::of(http),
        workers,
    }))
}

struct PreparedHttp {
    request: Arc<Request>,
    secrets: Secrets,
    workers: usize,
}

impl Prepared for PreparedHttp {
    fn slice(&mut self) -> Vec<Box<dyn Workload>> {
        (0..self.workers)
            .map(|_| {
                Box::new(Worker {
                    request: Arc::clone(&self.request),
                    complaints: Complaints::new(&self.secrets),
                }) as Box<dyn Workload>
            })
            .collect()
    }
}

/// The request and what is expected of its answer: the same for every thread.
struct Request {
    operations: [&'static str; 1],
    /// One for each host, which alone tells them apart.
    heads: Vec<Vec<u8>>,
    body: Vec<u8>,
    bodyless_answer: bool,
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
            bodyless_answer: work.method == "HEAD",
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

/// The operation's name: names are static, so that samples carry no text of their own.
fn operation(method: &str) -> &'static str {
    const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
    METHODS
        .into_iter()
        .find(|known| *known == method)
        .unwrap_or("HTTP")
}

struct Worker {
    request: Arc<Request>,
    complaints: Complaints,
}

impl Workload for Worker {
    fn operations(&self) -> &[&'static str] {
        &self.request.operations
    }

    fn next(&mut self, _now: Moment, exchange: &mut Exchange) -> Next {
        let head = &self.request.heads[exchange.host];
        if exchange.head == *head {
            return Next::Same;
        }
        exchange.head.clear();
        exchange.head.extend_from_slice(head);
        exchange.op = 0;
        exchange.bodyless_answer = self.request.bodyless_answer;
        Next::Ready
    }

    fn payload<'a>(&'a self, _exchange: &Exchange) -> &'a [u8] {
        &self.request.body
    }

    fn head(&mut self, exchange: &mut Exchange, head: &AnswerHead<'_>) -> BodyUse {
        self.complaints.head(&self.request.success, exchange, head)
    }

    fn body(&mut self, exchange: &mut Exchange, _offset: u64, part: &[u8]) {
        self.complaints.body(exchange, part);
    }

    fn judge(&mut self, exchange: &mut Exchange, status: u16, _length: u64) -> Judgement {
        if self.request.success.holds(status) {
            Judgement::Correct
        } else {
            self.complaints.failed(exchange)
        }
    }

    fn lost(&mut self, exchange: &mut Exchange, _class: ErrorClass) {
        self.complaints.release(exchange);
    }
}
