//! What must hold for an S3 workload whatever XML the server answers with.
//!
//! An input is one line that says where the responses come, then their bodies, separated by
//! a line `%%`. The characters of the line are numbers: `!` is 1, `"` is 2, and so on in the
//! order of ASCII.
//!
//! | character | says |
//! |---|---|
//! | first | the operation, by its place in `S3Operation::all()` |
//! | second | a bit mask: 1 versions, 2 other form of listing, 4 data that is there already |
//! | third | how many requests are answered well before the bodies of the input come |
//! | fourth | the status, by its place in `STATUSES` |
//! | fifth | how many responses come from the input before all is well again; 0 is all |
//!
//! The bodies are sent in turn, again from the first after the last. A body that begins with
//! `^` has header lines up to its first line end, separated by `|`.

use std::collections::VecDeque;

use tenbin_engine::{
    BodyUse, ErrorClass, Exchange, Judgement, Moment, Next, ResponseHead, Workload,
};
use tenbin_plan::{
    Credentials, DataSet, ListForm, Load, S3Operation, S3Work, Workload as Planned, WorkloadKind,
};
use tenbin_workloads::{Prepared, Site, Stage, prepare};
use url::Url;

const STATUSES: [u16; 14] = [
    200, 204, 206, 301, 307, 400, 403, 404, 409, 412, 429, 500, 501, 503,
];
const BUCKET: &str = "fuzzed";
/// What all keys of the run begin with.
const OWN: &str = "tenbin-0000000000000001/";
/// Requests that one stage may send: a listing that never ends must end by a bound.
const MOST_REQUESTS: usize = 60_000;
/// Requests of the measured workers, which end by time elsewhere.
const MEASURED: usize = 60;
/// Stages that one step of a run may have.
const MOST_STAGES: usize = 64;

/// Panics when a request is not one line of a method and a path with whole header lines
/// behind it, when anything that is not the run's own is deleted, or when it does not end.
pub(crate) fn check(input: &[u8]) {
    let mut server = Server::of(input);
    let work = server.work();
    let keys = Credentials::literal("AKIDEXAMPLE", "secret");
    let url = Url::parse("http://store:9000").expect("a URL");
    let site = Site::new(url, Some(keys), "us-east-1");
    let Ok(mut prepared) = prepare(&work, &site, 1, 1) else {
        return;
    };
    let prepared = prepared.as_mut();
    if let Some(mut stage) = prepared.check()
        && !server.drive_stage(&mut stage)
    {
        // The run ends here; what it made is tidied.
        return server.tidy(prepared);
    }
    if !server.drive_all(|| prepared.before_run()) {
        return server.tidy(prepared);
    }
    let _ = (prepared.notes(), prepared.found(), prepared.kept());
    let laid_out = match prepared.before_slice() {
        Some(mut stage) => server.drive_stage(&mut stage),
        None => true,
    };
    if laid_out {
        let mut workers = prepared.slice();
        for worker in &mut workers {
            server.drive(worker.as_mut(), 4, MEASURED);
        }
        prepared.slice_done(workers);
        let _ = (prepared.failed(), prepared.spent());
    }
    server.tidy(prepared);
}

/// A server whose responses come from the input.
struct Server<'a> {
    operation: S3Operation,
    versions: bool,
    other_form: bool,
    existing: bool,
    /// Requests that are still answered well.
    well: usize,
    status: u16,
    /// Responses of the input that are still to come.
    hostile: usize,
    bodies: Vec<&'a [u8]>,
    next: usize,
    /// The workload asked for the bucket to be made.
    made: bool,
    deleted: bool,
}

impl<'a> Server<'a> {
    fn of(input: &'a [u8]) -> Self {
        let end = input.iter().position(|&byte| byte == b'\n');
        let (line, rest) = match end {
            Some(end) => (&input[..end], &input[end + 1..]),
            None => (input, &input[..0]),
        };
        let number = |at: usize| line.get(at).map_or(0, |&byte| byte.saturating_sub(b' '));
        let operations: Vec<S3Operation> = S3Operation::all().collect();
        let mask = number(1);
        Self {
            operation: operations[usize::from(number(0)) % operations.len()],
            versions: mask & 1 > 0,
            other_form: mask & 2 > 0,
            existing: mask & 4 > 0,
            well: number(2).into(),
            status: STATUSES[usize::from(number(3)) % STATUSES.len()],
            hostile: match number(4) {
                0 => usize::MAX,
                number => number.into(),
            },
            bodies: parts_of(rest),
            next: 0,
            made: false,
            deleted: false,
        }
    }

    fn work(&self) -> Planned {
        let mut work = S3Work {
            bucket: BUCKET.to_owned(),
            part_size: 1000,
            parts_at_once: 2,
            batch: 3,
            entries: 2,
            ..S3Work::new(self.operation, 2500, 4)
        };
        work.versions = if self.versions { 2 } else { 0 };
        work.list = match (self.versions, self.other_form) {
            (true, _) => ListForm::Versions,
            (false, true) => ListForm::V1,
            (false, false) => ListForm::V2,
        };
        // A plan that would change such data is refused before it comes to this.
        use S3Operation::{Copy, Get, GetTags, List, Stat};
        if self.existing && matches!(self.operation, Get | Stat | List | Copy | GetTags) {
            work.data = DataSet::Existing;
            work.verify = false;
        }
        Planned {
            name: "work".to_owned(),
            kind: WorkloadKind::S3(work),
            load: Load::closed(4),
            stages: false,
        }
    }

    fn tidy(&mut self, prepared: &mut dyn Prepared) {
        self.drive_all(|| prepared.after_run());
        let _ = (prepared.left_behind(), prepared.leftovers());
        let _ = (prepared.removed(), prepared.buckets_made());
    }

    /// Drives the stages that there are; whether the run goes on.
    fn drive_all(&mut self, mut next: impl FnMut() -> Option<Stage>) -> bool {
        for _ in 0..MOST_STAGES {
            let Some(mut stage) = next() else { return true };
            if !self.drive_stage(&mut stage) {
                return false;
            }
        }
        panic!("stages without end");
    }

    fn drive_stage(&mut self, stage: &mut Stage) -> bool {
        let share = stage.connections / stage.workers.len().max(1);
        let mut failed = false;
        for worker in &mut stage.workers {
            let sent = self.drive(worker.as_mut(), share.clamp(1, 4), MOST_REQUESTS);
            assert!(sent.requests < MOST_REQUESTS, "{}: no end", stage.what);
            failed |= sent.failed;
        }
        !(failed && stage.must_succeed)
    }

    /// Drives a worker until it is exhausted or has sent `most` requests.
    fn drive(&mut self, worker: &mut dyn Workload, connections: usize, most: usize) -> Sent {
        let mut idle: Vec<Exchange> = (0..connections).map(|_| Exchange::default()).collect();
        let mut out = VecDeque::new();
        let mut now = Moment {
            nanos: 0,
            unix_seconds: 1_440_938_160,
        };
        let mut sent = Sent::default();
        let mut exhausted = false;
        loop {
            while !exhausted
                && sent.requests < most
                && let Some(mut exchange) = idle.pop()
            {
                match worker.next(now, &mut exchange) {
                    Next::Ready | Next::Same => {
                        let response = self.answer(&exchange, worker.payload(&exchange));
                        out.push_back((exchange, response));
                        sent.requests += 1;
                    }
                    Next::Rest(until) if out.is_empty() => {
                        now.nanos = until.max(now.nanos + 1);
                        // A rest is no request, but must not go on without end either.
                        sent.requests += 1;
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
                return sent;
            };
            let judged = give(worker, &mut exchange, &response);
            sent.failed |= judged != Judgement::Correct;
            idle.push(exchange);
        }
    }

    fn answer(&mut self, exchange: &Exchange, body: &[u8]) -> Response {
        let request = Request::read(&exchange.head);
        self.check_request(&request, body);
        if self.well > 0 || self.hostile == 0 || self.bodies.is_empty() {
            self.well = self.well.saturating_sub(1);
            return self.well_answered(&request);
        }
        self.hostile -= 1;
        let part = self.bodies[self.next % self.bodies.len()];
        self.next += 1;
        let (headers, body) = match part.strip_prefix(b"^") {
            Some(part) => match part.iter().position(|&byte| byte == b'\n') {
                Some(end) => (&part[..end], &part[end + 1..]),
                None => (part, &part[..0]),
            },
            None => (&part[..0], part),
        };
        // The engine hands over no header with control characters.
        let harmless = |&byte: &u8| match byte {
            b'|' => '\n',
            0x20..=0x7e => char::from(byte),
            _ => '?',
        };
        Response {
            status: self.status,
            headers: headers.iter().map(harmless).collect(),
            body: body.to_vec(),
        }
    }

    /// What must hold for each request.
    fn check_request(&mut self, request: &Request, body: &[u8]) {
        let bucket = format!("/{BUCKET}");
        let key = match request.path.strip_prefix(bucket.as_bytes()) {
            Some(key) => key,
            None => panic!("outside of the bucket: {request:?}"),
        };
        let key = decoded(key.strip_prefix(b"/").unwrap_or(key));
        let is_own = |key: &[u8]| key.starts_with(OWN.as_bytes());
        match request.method.as_str() {
            "PUT" if key.is_empty() && request.query.is_empty() => self.made = true,
            "DELETE" if key.is_empty() => {
                assert!(self.made, "deletes a bucket of somebody: {request:?}");
                assert!(request.query.is_empty(), "{request:?}");
            }
            "PUT" | "DELETE" if !key.is_empty() => {
                assert!(is_own(&key), "changes an object of somebody: {request:?}");
                self.deleted |= request.method == "DELETE";
            }
            "POST" if key.is_empty() && request.has("delete") => {
                self.deleted = true;
                for key in keys_in(body) {
                    assert!(
                        is_own(key.as_bytes()),
                        "deletes an object of somebody: {key:?}"
                    );
                }
            }
            _ => {}
        }
    }

    /// What a server without faults says, as far as a workload looks at it.
    fn well_answered(&self, request: &Request) -> Response {
        let is_bucket = request.path.len() <= BUCKET.len() + 2;
        let document = match request.method.as_str() {
            "GET" if request.has("versioning") => "<VersioningConfiguration><Status>Enabled\
                 </Status></VersioningConfiguration>"
                .to_owned(),
            "GET" if request.has("object-lock") => "<ObjectLockConfiguration><ObjectLockEnabled>\
                 Enabled</ObjectLockEnabled></ObjectLockConfiguration>"
                .to_owned(),
            "GET" if request.has("uploads") => "<ListMultipartUploadsResult><IsTruncated>false\
                 </IsTruncated></ListMultipartUploadsResult>"
                .to_owned(),
            "GET" if request.has("tagging") => "<Tagging><TagSet></TagSet></Tagging>".to_owned(),
            "GET" if is_bucket && request.has("versions") => format!(
                "<ListVersionsResult><IsTruncated>false</IsTruncated>{}</ListVersionsResult>",
                self.listed("Version", "<VersionId>v</VersionId>")
            ),
            "GET" if is_bucket => format!(
                "<ListBucketResult><IsTruncated>false</IsTruncated>{}</ListBucketResult>",
                self.listed("Contents", "")
            ),
            "POST" if request.has("uploads") => "<InitiateMultipartUploadResult><UploadId>u1\
                 </UploadId></InitiateMultipartUploadResult>"
                .to_owned(),
            "POST" if request.has("uploadId") => "<CompleteMultipartUploadResult><ETag>e</ETag>\
                 </CompleteMultipartUploadResult>"
                .to_owned(),
            "POST" if request.has("delete") => "<DeleteResult></DeleteResult>".to_owned(),
            "PUT" if request.head.contains("x-amz-copy-source") => {
                "<CopyObjectResult><ETag>e</ETag></CopyObjectResult>".to_owned()
            }
            _ => String::new(),
        };
        Response {
            status: match request.method.as_str() {
                "DELETE" => 204,
                _ => 200,
            },
            headers: "ETag: \"e\"\nx-amz-version-id: v".to_owned(),
            body: document.into_bytes(),
        }
    }

    /// The entries of a listing: two objects of the run until something was deleted, then
    /// none.
    fn listed(&self, element: &str, more: &str) -> String {
        if self.deleted {
            return String::new();
        }
        (0..2)
            .map(|object| {
                format!(
                    "<{element}><Key>{OWN}work/{object:08}</Key>{more}<Size>2500</Size></{element}>"
                )
            })
            .collect()
    }
}

/// What came of a worker.
#[derive(Default)]
struct Sent {
    requests: usize,
    failed: bool,
}

struct Response {
    status: u16,
    headers: String,
    body: Vec<u8>,
}

fn give(worker: &mut dyn Workload, exchange: &mut Exchange, response: &Response) -> Judgement {
    let length = Some(response.body.len() as u64);
    let body = if exchange.bodyless_response {
        &[][..]
    } else {
        &response.body
    };
    let headers = response.headers.trim().replace('\n', "\r\n");
    let bytes = format!("HTTP/1.1 {} x\r\n{headers}\r\n\r\n", response.status);
    let head = ResponseHead {
        status: response.status,
        length,
        bytes: bytes.as_bytes(),
    };
    if worker.head(exchange, &head) == BodyUse::Inspect {
        let mut offset = 0;
        for part in body.chunks(997) {
            worker.body(exchange, offset, part);
            offset += part.len() as u64;
        }
    }
    let judged = worker.judge(exchange, response.status, body.len() as u64);
    while worker.transaction().is_some() {}
    if let Judgement::Failed(class, _) = &judged {
        assert_ne!(*class, ErrorClass::Timeout, "nothing was late");
    }
    judged
}

/// A request as a server reads it.
#[derive(Debug)]
struct Request {
    method: String,
    path: Vec<u8>,
    query: Vec<String>,
    head: String,
}

impl Request {
    fn read(head: &[u8]) -> Self {
        let text = std::str::from_utf8(head).expect("a head in ASCII");
        let lines = text.strip_suffix("\r\n\r\n").expect("a head that ends");
        assert!(!lines.contains("\r\n\r\n"), "two requests in one: {text:?}");
        for line in lines.split("\r\n") {
            let is_control = |byte: u8| byte < b' ' || byte == 0x7f;
            assert!(
                !line.bytes().any(is_control),
                "a control character: {line:?}"
            );
        }
        let start = lines.split("\r\n").next().unwrap_or_default();
        let words: Vec<&str> = start.split(' ').collect();
        let &[method, target, "HTTP/1.1"] = words.as_slice() else {
            panic!("no request line: {start:?}");
        };
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        Self {
            method: method.to_owned(),
            path: path.as_bytes().to_vec(),
            query: query
                .split('&')
                .filter(|pair| !pair.is_empty())
                .map(str::to_owned)
                .collect(),
            head: lines.to_ascii_lowercase(),
        }
    }

    fn has(&self, name: &str) -> bool {
        let names = self.query.iter().map(|pair| pair.split('=').next());
        names.flatten().any(|known| known == name)
    }
}

/// The bodies of an input.
fn parts_of(bytes: &[u8]) -> Vec<&[u8]> {
    const BETWEEN: &[u8] = b"\n%%\n";
    let mut parts = Vec::new();
    let mut rest = bytes;
    while let Some(at) = rest.windows(BETWEEN.len()).position(|four| four == BETWEEN) {
        parts.push(&rest[..at]);
        rest = &rest[at + BETWEEN.len()..];
    }
    if !rest.is_empty() {
        parts.push(rest);
    }
    parts
}

/// `%41` as `A`.
fn decoded(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&first, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        match code.and_then(|two| u8::from_str_radix(two, 16).ok()) {
            Some(byte) if first == b'%' => {
                out.push(byte);
                rest = &after[2..];
            }
            _ => {
                out.push(first);
                rest = after;
            }
        }
    }
    out
}

/// The keys that a request to delete names.
fn keys_in(body: &[u8]) -> Vec<String> {
    let text = std::str::from_utf8(body).expect("XML in UTF-8");
    let named = text.split("<Key>").skip(1);
    named
        .map(|rest| {
            let (key, _) = rest.split_once("</Key>").expect("an element that ends");
            let key = quick_xml::escape::unescape(key).expect("entities that are known");
            key.into_owned()
        })
        .collect()
}
