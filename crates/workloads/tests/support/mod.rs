//! Drives workloads without an engine, against a server that is a function.

#![allow(dead_code, reason = "each test binary uses its own part of it")]

use std::collections::VecDeque;
use std::time::Duration;

use tenbin_engine::{
    BodyUse, ErrorClass, Exchange, Judgement, Moment, Next, ResponseHead, Workload,
};
use tenbin_plan::{
    self as plan, Credentials, HttpWork, Load, Pace, S3Operation, S3Work, WorkloadKind,
};
use tenbin_workloads::{Site, Stage};
use url::Url;

pub(crate) const NOW: Moment = Moment {
    nanos: 0,
    unix_seconds: 1_440_938_160,
};

/// A request as a server sees it.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
    /// Index of the host that received the request.
    pub(crate) to: usize,
}

impl Request {
    pub(crate) fn read(exchange: &Exchange, body: &[u8]) -> Self {
        let head = String::from_utf8(exchange.head.clone()).unwrap();
        let mut start = head.split(' ');
        Self {
            method: start.next().unwrap().into(),
            path: start.next().unwrap().into(),
            body: body.to_vec(),
            head,
            to: exchange.host,
        }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (own, value) = line.split_once(':')?;
            own.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

/// The response to a request, or its loss.
#[derive(Debug, Clone)]
pub(crate) enum Response {
    Whole(u16, Vec<u8>),
    /// A response with these header lines.
    Headed(u16, String, Vec<u8>),
    /// No response.
    Lost,
}

pub(crate) fn response(status: u16, body: impl Into<Vec<u8>>) -> Response {
    Response::Whole(status, body.into())
}

/// Judgements in the order of the responses; `Err` for a lost request.
pub(crate) type Judged = Vec<Result<Judgement, ErrorClass>>;

/// Drives one worker on `connections` connections until the worker is exhausted or has sent `most`
/// requests. Responses come in the order of the requests, as late as the connections allow, with
/// bodies in pieces of `piece` bytes.
pub(crate) fn drive(
    worker: &mut dyn Workload,
    connections: usize,
    most: usize,
    piece: usize,
    server: &mut dyn FnMut(&Request) -> Response,
) -> Judged {
    drive_hosts(worker, &vec![0; connections], most, piece, server)
}

/// As [`drive`], on one connection to each of `hosts`.
pub(crate) fn drive_hosts(
    worker: &mut dyn Workload,
    hosts: &[usize],
    most: usize,
    piece: usize,
    server: &mut dyn FnMut(&Request) -> Response,
) -> Judged {
    let exchange = |&host| Exchange {
        host,
        ..Exchange::default()
    };
    let mut idle: Vec<Exchange> = hosts.iter().map(exchange).collect();
    let mut out: VecDeque<(Exchange, Response)> = VecDeque::new();
    let mut judged = Vec::new();
    let mut exhausted = false;
    let mut sent = 0;
    let mut now = NOW;
    loop {
        while !exhausted
            && sent < most
            && let Some(mut exchange) = idle.pop()
        {
            match worker.next(now, &mut exchange) {
                Next::Ready | Next::Same => {
                    let request = Request::read(&exchange, worker.payload(&exchange));
                    out.push_back((exchange, server(&request)));
                    sent += 1;
                }
                Next::Rest(until) if out.is_empty() => {
                    now.nanos = until;
                    idle.push(exchange);
                }
                Next::Wait | Next::Rest(_) => {
                    assert!(!out.is_empty(), "waits for nothing");
                    idle.push(exchange);
                    break;
                }
                Next::Exhausted => exhausted = true,
            }
        }
        let Some((mut exchange, response)) = out.pop_front() else {
            return judged;
        };
        judged.push(give(worker, &mut exchange, response, piece));
        idle.push(exchange);
    }
}

/// Passes a response to the worker of an exchange.
pub(crate) fn give(
    worker: &mut dyn Workload,
    exchange: &mut Exchange,
    response: Response,
    piece: usize,
) -> Result<Judgement, ErrorClass> {
    let (status, headers, mut body) = match response {
        Response::Whole(status, body) => (status, String::new(), body),
        Response::Headed(status, headers, body) => (status, headers, body),
        Response::Lost => {
            worker.lost(exchange, ErrorClass::Reset);
            return Err(ErrorClass::Reset);
        }
    };
    // The head states the length of the body that a response to HEAD omits.
    let length = Some(body.len() as u64);
    if exchange.bodyless_response {
        body.clear();
    }
    let bytes = format!("HTTP/1.1 {status} x\r\n{}\r\n\r\n", headers.trim_end());
    let head = ResponseHead {
        status,
        length,
        bytes: bytes.as_bytes(),
    };
    if worker.head(exchange, &head) == BodyUse::Inspect {
        let mut offset = 0;
        for part in body.chunks(piece) {
            worker.body(exchange, offset, part);
            offset += part.len() as u64;
        }
    }
    Ok(worker.judge(exchange, status, body.len() as u64))
}

/// Drives every worker of a stage, one after the other.
pub(crate) fn drive_stage(
    stage: &mut Stage,
    server: &mut dyn FnMut(&Request) -> Response,
) -> Judged {
    let share = stage.connections / stage.workers.len();
    assert!(share > 0, "a worker without a connection");
    stage
        .workers
        .iter_mut()
        .flat_map(|worker| drive(worker.as_mut(), share, usize::MAX, 7, server))
        .collect()
}

pub(crate) fn all_correct(judged: &Judged) -> bool {
    judged.iter().all(|one| *one == Ok(Judgement::Correct))
}

pub(crate) fn site(url: &str) -> Site {
    let credentials =
        Credentials::literal("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY");
    Site::new(Url::parse(url).unwrap(), Some(credentials), "us-east-1")
}

pub(crate) fn load(connections: usize) -> Load {
    Load {
        pace: Pace::Closed,
        connections,
        think: None,
        depth: 1,
        timeout: Duration::from_secs(1),
        keep_alive: true,
        reopen: None,
        requests: None,
    }
}

pub(crate) fn s3_work(operation: S3Operation, size: u64, objects: u64) -> plan::Workload {
    plan::Workload {
        name: "work".into(),
        kind: WorkloadKind::S3(S3Work {
            bucket: "box".to_owned(),
            ..S3Work::new(operation, size, objects)
        }),
        load: load(4),
        stages: false,
    }
}

/// A workload that draws requests from a file with this text, with these keys in the plan.
pub(crate) fn drawn(text: &str, keys: &str) -> plan::Workload {
    let plan = format!(
        "[[target]]\nurl = \"http://h:1\"\n[[workload]]\nname = \"work\"\nkind = \"http\"\n\
         patterns = \"p\"\n{keys}\n"
    );
    let text = text.as_bytes().to_vec();
    let mut context = plan::Context::of_this_process().unwrap();
    context.open = Box::new(move |_| Ok(Box::new(std::io::Cursor::new(text.clone()))));
    let draft = plan::Draft::from_toml(&plan, std::path::Path::new("plan.toml")).unwrap();
    draft.resolve(&mut context).unwrap().workloads.remove(0)
}

pub(crate) fn http_work(method: &str) -> HttpWork {
    HttpWork::plain(method)
}
