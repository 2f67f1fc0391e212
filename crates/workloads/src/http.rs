//! One plain HTTP request, over and over.

use std::ops::Range;
use std::sync::Arc;

use tenbin_engine::{ErrorClass, Exchange, Judgement, Moment, Next, Workload};
use tenbin_plan::{self as plan, HttpWork, WorkloadKind};

use crate::error::WorkloadError;
use crate::kind::{Kind, Prepared};
use crate::site::Site;
use crate::text::{is_token, is_visible, push_decimal};

/// The kind `http`.
#[derive(Debug, Clone, Copy)]
pub struct Http;

impl Kind for Http {
    fn name(&self) -> &'static str {
        "http"
    }

    fn summary(&self) -> &'static str {
        "one plain HTTP request, over and over"
    }

    fn takes(&self, work: &WorkloadKind) -> bool {
        matches!(work, WorkloadKind::Http(_))
    }

    fn prepare(
        &self,
        work: &plan::Workload,
        target: &Site,
        _seed: u64,
        threads: usize,
    ) -> Result<Box<dyn Prepared>, WorkloadError> {
        let WorkloadKind::Http(http) = &work.kind else {
            return Err(WorkloadError::NoKind {
                workload: work.name.clone(),
            });
        };
        Ok(Box::new(PreparedHttp {
            request: Arc::new(Request::new(
                &work.name,
                http,
                target,
                work.load.keep_alive,
            )?),
            workers: threads.min(work.load.connections).max(1),
        }))
    }
}

struct PreparedHttp {
    request: Arc<Request>,
    workers: usize,
}

impl Prepared for PreparedHttp {
    fn slice(&mut self) -> Vec<Box<dyn Workload>> {
        (0..self.workers)
            .map(|_| {
                Box::new(Worker {
                    request: Arc::clone(&self.request),
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
    /// Statuses that count as success; any 2xx when empty.
    expect: Vec<u16>,
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
        check_headers(workload, &work.headers)?;
        check_hosts(work, target)?;
        let hosts = target.host_headers().iter();
        Ok(Self {
            operations: [operation(&work.method)],
            heads: hosts
                .map(|host| head(work, &path, host, keep_alive))
                .collect(),
            body: work.body.clone(),
            bodyless_answer: work.method == "HEAD",
            expect: work.expect.clone(),
        })
    }

    fn expects(&self, status: u16) -> bool {
        const SUCCESS: Range<u16> = 200..300;
        if self.expect.is_empty() {
            SUCCESS.contains(&status)
        } else {
            self.expect.contains(&status)
        }
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

fn check_headers(workload: &str, headers: &[(String, String)]) -> Result<(), WorkloadError> {
    for (name, value) in headers {
        let problem = if !is_token(name) {
            "is not a header name"
        } else if value.bytes().any(|b| b.is_ascii_control() && b != b'\t') {
            "has a value with control characters"
        } else if name.eq_ignore_ascii_case("content-length")
            || name.eq_ignore_ascii_case("transfer-encoding")
        {
            "is set from the body; leave it out"
        } else {
            continue;
        };
        return Err(WorkloadError::Header {
            workload: workload.to_owned(),
            name: name.clone(),
            problem,
        });
    }
    Ok(())
}

fn check_hosts(work: &HttpWork, target: &Site) -> Result<(), WorkloadError> {
    let mut hosts = target.host_headers().iter();
    if gives(work, "host") || hosts.all(|host| is_visible(host)) {
        return Ok(());
    }
    Err(WorkloadError::Site {
        url: target.shown(),
        what: "host",
    })
}

/// Whether the user gives headers of that name.
fn gives(work: &HttpWork, name: &str) -> bool {
    let mut own = work.headers.iter();
    own.any(|(own, _)| own.eq_ignore_ascii_case(name))
}

fn head(work: &HttpWork, path: &str, host: &str, keep_alive: bool) -> Vec<u8> {
    let mut head = Vec::with_capacity(256);
    head.extend_from_slice(work.method.as_bytes());
    head.push(b' ');
    head.extend_from_slice(path.as_bytes());
    head.extend_from_slice(b" HTTP/1.1\r\n");
    for (name, value) in defaults(host, keep_alive) {
        if !gives(work, name) {
            push_header(&mut head, name, value.as_bytes());
        }
    }
    for (name, value) in &work.headers {
        push_header(&mut head, name, value.as_bytes());
    }
    if !work.body.is_empty() || expects_a_body(&work.method) {
        head.extend_from_slice(b"Content-Length: ");
        push_decimal(&mut head, work.body.len() as u64);
        head.extend_from_slice(b"\r\n");
    }
    head.extend_from_slice(b"\r\n");
    head
}

/// Headers that are sent unless the user gives others of that name.
fn defaults(host: &str, keep_alive: bool) -> Vec<(&'static str, &str)> {
    let mut headers = vec![("Host", host), ("User-Agent", crate::USER_AGENT)];
    if !keep_alive {
        headers.push(("Connection", "close"));
    }
    headers
}

fn push_header(head: &mut Vec<u8>, name: &str, value: &[u8]) {
    head.extend_from_slice(name.as_bytes());
    head.extend_from_slice(b": ");
    head.extend_from_slice(value);
    head.extend_from_slice(b"\r\n");
}

/// Methods whose requests say so when they have no body (RFC 9110, section 8.6).
fn expects_a_body(method: &str) -> bool {
    matches!(method, "POST" | "PUT" | "PATCH")
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

    fn judge(&mut self, _exchange: &mut Exchange, status: u16, _length: u64) -> Judgement {
        if self.request.expects(status) {
            Judgement::Correct
        } else {
            Judgement::Failed(ErrorClass::Status, String::new())
        }
    }
}
