//! The slowest correct and the failed requests of a slice, each with its times, as a list of
//! limited length.

use serde::{Deserialize, Serialize};

use crate::error::ErrorClass;
use crate::exchange::ResponseHead;
use crate::opened::Opened;
use crate::tally::Times;

/// Most correct requests in a [`RequestList`].
pub const MOST_SLOWEST: usize = 20;
/// Most failed requests in a [`RequestList`]: the first half and the last half of this number.
pub const MOST_FAILED: usize = 20;
/// Longest [`ListedRequest::request`], bytes.
pub const LONGEST_REQUEST: usize = 1_024;
/// Longest [`ListedRequest::text`] and [`ListedRequest::id`], bytes.
pub const LONGEST_TEXT: usize = 200;
/// Bytes of a response head in which the identifier of a request is looked for.
const LONGEST_HEAD: usize = 2_048;

/// Response headers with the server's identifier of a request; the first of them counts.
const REQUEST_IDS: [&str; 8] = [
    "x-amz-request-id", "x-request-id", "x-reqid", "x-ms-request-id", "x-amzn-requestid",
    "x-correlation-id", "x-trace-id", "traceparent",
];

/// The slowest correct and the failed requests of a slice.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestList {
    /// The slowest requests with a correct response that were due in the window, slowest first.
    pub slowest: Vec<ListedRequest>,
    /// The first and the last requests that failed, in the order of their ends.
    pub failed: Vec<ListedRequest>,
}

/// One request of a [`RequestList`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedRequest {
    /// Name of the operation.
    pub operation: String,
    /// Name of the host; empty without connections.
    pub host: String,
    /// Name of the agent that sent the request; `None` without agents.
    pub agent: Option<String>,
    /// Method, path and query as sent, cut to [`LONGEST_REQUEST`] bytes; can contain secrets. Empty
    /// if the request failed before the workload prepared it.
    pub request: String,
    /// Time at which the request was due, nanoseconds after the window opened; negative before.
    pub start_ns: i64,
    /// The latency that reports show: service time in a closed loop, response time in an open loop.
    pub ns: u64,
    /// Open loop: time from when the request was due until it was written.
    pub lag_ns: Option<u64>,
    /// Time to connect, if the request was the first on its connection; not part of `ns`.
    pub connect_ns: Option<u64>,
    /// As `connect_ns`, of the TLS handshake.
    pub tls_ns: Option<u64>,
    /// Time from the start of the write to the first byte of the response; `None` without a byte.
    pub first_byte_ns: Option<u64>,
    /// Time from the first to the last byte of the response; `None` without a complete response.
    pub body_ns: Option<u64>,
    /// Status of the response; `None` without a complete response.
    pub status: Option<u16>,
    /// Why the request failed; `None` if the response was correct.
    pub error: Option<ErrorClass>,
    /// The text of the failure, cut to [`LONGEST_TEXT`] bytes. Chosen by the server: hostile until
    /// escaped.
    pub text: String,
    /// How often the request was sent; 0 if the request was never sent.
    pub attempts: u32,
    /// The server's identifier of the request, from a response header: hostile until escaped.
    pub id: Option<String>,
}

impl RequestList {
    /// Adds the list of another thread, agent or slice, and limits the length again.
    pub fn add(&mut self, other: Self) {
        self.slowest.extend(other.slowest);
        self.slowest
            .sort_by_key(|request| std::cmp::Reverse(request.ns));
        self.slowest.truncate(MOST_SLOWEST);
        self.failed.extend(other.failed);
        self.failed.sort_by_key(ListedRequest::end_ns);
        if self.failed.len() > MOST_FAILED {
            let last = self.failed.len() - MOST_FAILED / 2;
            self.failed.drain(MOST_FAILED / 2..last);
        }
    }

    /// Notes that the agent of this name sent the requests.
    pub fn sent_by(&mut self, agent: &str) {
        for request in self.slowest.iter_mut().chain(&mut self.failed) {
            request.agent = Some(agent.to_owned());
        }
    }

    /// Whether the list has no request.
    pub fn is_empty(&self) -> bool {
        self.slowest.is_empty() && self.failed.is_empty()
    }
}

impl ListedRequest {
    fn end_ns(&self) -> i64 {
        let length = i64::try_from(self.ns).unwrap_or(i64::MAX);
        self.start_ns.saturating_add(length)
    }
}

/// A request that has ended, as the scheduler knows it.
#[derive(Clone, Copy)]
pub(crate) struct EndedRequest<'a> {
    /// Slot whose last response head belongs to the request; `None` without a response head.
    pub(crate) slot: Option<usize>,
    pub(crate) op: usize,
    pub(crate) host: usize,
    pub(crate) times: Times,
    /// 0 without a byte of the response.
    pub(crate) first_byte: u64,
    /// The connection's set-up, if the request was the first on its connection.
    pub(crate) opened: Option<Opened>,
    /// `None` without a complete response.
    pub(crate) status: Option<u16>,
    pub(crate) attempts: u32,
    /// Head of the request, as sent.
    pub(crate) head: &'a [u8],
}

/// Collects the requests of one thread. Memory is allocated for the first requests of each list and
/// used again for all later requests.
pub(crate) struct RequestCollector {
    /// When the window opens, nanoseconds since the origin.
    open: u64,
    open_loop: bool,
    /// A correct request enters `slowest` if its latency is above this value.
    threshold: u64,
    slowest: Vec<Entry>,
    first_failed: Vec<Entry>,
    last_failed: Vec<Entry>,
    /// Index of the oldest entry of `last_failed`, once the list is full.
    oldest: usize,
    /// Start of the last response head of each slot.
    heads: Vec<Vec<u8>>,
}

/// A kept request.
struct Entry {
    op: usize,
    host: usize,
    times: Times,
    /// The latency that reports show, nanoseconds.
    nanos: u64,
    first_byte: u64,
    opened: Option<Opened>,
    status: Option<u16>,
    error: Option<ErrorClass>,
    attempts: u32,
    request: Vec<u8>,
    text: Vec<u8>,
    id: Vec<u8>,
}

impl RequestCollector {
    /// A collector for requests on this number of slots, with a window that opens at `open`.
    pub(crate) fn new(slots: usize, open: u64, open_loop: bool) -> Self {
        Self {
            open,
            open_loop,
            threshold: 0,
            slowest: Vec::new(),
            first_failed: Vec::new(),
            last_failed: Vec::new(),
            oldest: 0,
            heads: vec![Vec::new(); slots],
        }
    }

    /// Keeps the start of a response head until the next response on the slot.
    #[inline]
    pub(crate) fn head(&mut self, slot: usize, head: &[u8]) {
        let kept = &mut self.heads[slot];
        kept.clear();
        kept.extend_from_slice(&head[..head.len().min(LONGEST_HEAD)]);
    }

    /// Whether a correct request with these times is slow enough for the list.
    #[inline]
    pub(crate) fn is_slow(&self, times: Times) -> bool {
        self.latency(times) > self.threshold
    }

    /// Keeps a correct request for which [`Self::is_slow`] holds; in a full list, instead of the
    /// fastest request.
    #[cold]
    pub(crate) fn slow(&mut self, ended: &EndedRequest<'_>) {
        let place = if self.slowest.len() < MOST_SLOWEST {
            self.slowest.push(Entry::empty(ended.times));
            self.slowest.len() - 1
        } else {
            fastest(&self.slowest)
        };
        let nanos = self.latency(ended.times);
        self.slowest[place].fill(ended, nanos, &self.heads);
        if self.slowest.len() == MOST_SLOWEST {
            self.threshold = self.slowest[fastest(&self.slowest)].nanos;
        }
    }

    /// Keeps a failed request; if it is not one of the first, instead of the oldest of the last.
    #[cold]
    pub(crate) fn failed(&mut self, ended: &EndedRequest<'_>, class: ErrorClass, text: &str) {
        let nanos = self.latency(ended.times);
        let each = MOST_FAILED / 2;
        let (list, place) = if self.first_failed.len() < each {
            (&mut self.first_failed, None)
        } else if self.last_failed.len() < each {
            (&mut self.last_failed, None)
        } else {
            let oldest = self.oldest;
            self.oldest = (oldest + 1) % each;
            (&mut self.last_failed, Some(oldest))
        };
        let place = place.unwrap_or_else(|| {
            list.push(Entry::empty(ended.times));
            list.len() - 1
        });
        let entry = &mut list[place];
        entry.fill(ended, nanos, &self.heads);
        entry.error = Some(class);
        replace(&mut entry.text, text.as_bytes(), LONGEST_TEXT);
    }

    /// Keeps a request of an operation to a host that failed before the workload prepared it.
    pub(crate) fn unprepared(
        &mut self,
        (op, host): (usize, usize),
        times: Times,
        class: ErrorClass,
        text: &str,
    ) {
        let ended = EndedRequest {
            slot: None,
            op,
            host,
            times,
            first_byte: 0,
            opened: None,
            status: None,
            attempts: 0,
            head: &[],
        };
        self.failed(&ended, class, text);
    }

    #[inline]
    fn latency(&self, times: Times) -> u64 {
        let start = if self.open_loop {
            times.intended
        } else {
            times.started
        };
        times.ended.saturating_sub(start)
    }

    /// The list, with the names of the operations and of the hosts.
    pub(crate) fn into_list(self, operations: &[&'static str], hosts: &[String]) -> RequestList {
        let (open, open_loop) = (self.open, self.open_loop);
        let named = |entry: Entry| {
            let operation = operations.get(entry.op).copied().unwrap_or_default();
            let host = hosts.get(entry.host).cloned();
            ListedRequest {
                operation: operation.to_owned(),
                host: host.unwrap_or_default(),
                ..entry.into_request(open, open_loop)
            }
        };
        let failed = self.first_failed.into_iter().chain(self.last_failed);
        let mut list = RequestList::default();
        list.add(RequestList {
            slowest: self.slowest.into_iter().map(named).collect(),
            failed: failed.map(named).collect(),
        });
        list
    }
}

impl Entry {
    fn empty(times: Times) -> Self {
        Self {
            op: 0,
            host: 0,
            times,
            nanos: 0,
            first_byte: 0,
            opened: None,
            status: None,
            error: None,
            attempts: 0,
            request: Vec::with_capacity(LONGEST_REQUEST),
            text: Vec::new(),
            id: Vec::with_capacity(LONGEST_TEXT),
        }
    }

    /// Replaces the request by another, without an error.
    fn fill(&mut self, ended: &EndedRequest<'_>, nanos: u64, heads: &[Vec<u8>]) {
        self.op = ended.op;
        self.host = ended.host;
        self.times = ended.times;
        self.nanos = nanos;
        self.first_byte = ended.first_byte;
        self.opened = ended.opened;
        self.status = ended.status;
        self.error = None;
        self.attempts = ended.attempts;
        replace(&mut self.request, request_of(ended.head), LONGEST_REQUEST);
        self.text.clear();
        let head = ended.slot.map_or(&[][..], |slot| heads[slot].as_slice());
        replace(&mut self.id, id_of(head).unwrap_or_default(), LONGEST_TEXT);
    }

    fn into_request(self, open: u64, open_loop: bool) -> ListedRequest {
        let Times {
            intended,
            started,
            ended,
        } = self.times;
        let start = if open_loop { intended } else { started };
        let has_byte = self.first_byte > 0;
        // A destination without connections opens them in no time.
        let opened = self.opened.filter(|opened| opened.connect_nanos > 0);
        ListedRequest {
            operation: String::new(),
            host: String::new(),
            agent: None,
            request: String::from_utf8_lossy(&self.request).into_owned(),
            start_ns: start as i64 - open as i64,
            ns: self.nanos,
            lag_ns: open_loop.then(|| started.saturating_sub(intended)),
            connect_ns: opened.map(|opened| opened.connect_nanos),
            tls_ns: opened.and_then(|opened| opened.tls_nanos),
            first_byte_ns: has_byte.then(|| self.first_byte.saturating_sub(started)),
            body_ns: (has_byte && self.status.is_some())
                .then(|| ended.saturating_sub(self.first_byte)),
            status: self.status,
            error: self.error,
            text: String::from_utf8_lossy(&self.text).into_owned(),
            attempts: self.attempts,
            id: (!self.id.is_empty()).then(|| String::from_utf8_lossy(&self.id).into_owned()),
        }
    }
}

/// Index of the fastest request of a list.
fn fastest(entries: &[Entry]) -> usize {
    let times = entries.iter().enumerate();
    let fastest = times.min_by_key(|(_, entry)| entry.nanos);
    fastest.map_or(0, |(place, _)| place)
}

/// Replaces bytes by at most `most` others, without a change of the capacity.
fn replace(bytes: &mut Vec<u8>, by: &[u8], most: usize) {
    bytes.clear();
    bytes.extend_from_slice(&by[..by.len().min(most)]);
}

/// Method, path and query in the head of a request.
pub(crate) fn request_of(head: &[u8]) -> &[u8] {
    let line = head.split(|&byte| byte == b'\r').next().unwrap_or_default();
    let protocol = line.windows(6).rposition(|bytes| bytes == b" HTTP/");
    &line[..protocol.unwrap_or(line.len())]
}

/// The server's identifier of a request in the head of its response.
fn id_of(head: &[u8]) -> Option<&[u8]> {
    let head = ResponseHead {
        status: 0,
        length: None,
        bytes: head,
    };
    let mut names = REQUEST_IDS.iter();
    names.find_map(|name| head.header(name).filter(|id| !id.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLIS: u64 = 1_000_000;

    fn times(start: u64, took: u64) -> Times {
        Times {
            intended: start,
            started: start,
            ended: start + took,
        }
    }

    fn ended(start: u64, took: u64) -> EndedRequest<'static> {
        EndedRequest {
            slot: Some(0),
            op: 0,
            host: 0,
            times: times(start, took),
            first_byte: start + took / 2,
            opened: None,
            status: Some(200),
            attempts: 1,
            head: b"GET /a?b=c HTTP/1.1\r\nHost: x\r\n\r\n",
        }
    }

    #[test]
    fn the_slowest_requests_are_kept_with_their_phases() {
        let mut collector = RequestCollector::new(1, 1_000 * MILLIS, false);
        collector.head(0, b"HTTP/1.1 200 OK\r\nX-Amz-Request-Id:  17A\r\n\r\n");
        let mut entered = 0;
        for at in 0..1_000 {
            let request = ended((1_000 + at) * MILLIS, (at * 7 % 1_000 + 1) * MILLIS);
            if collector.is_slow(request.times) {
                entered += 1;
                collector.slow(&request);
            }
        }
        assert!(entered < 200, "{entered}");
        let list = collector.into_list(&["GET"], &[]);
        let expected: Vec<u64> = (981..=1_000).rev().map(|ms| ms * MILLIS).collect();
        let found: Vec<u64> = list.slowest.iter().map(|request| request.ns).collect();
        assert_eq!(found, expected);
        let first = &list.slowest[0];
        assert_eq!(first.request, "GET /a?b=c");
        assert_eq!(first.operation, "GET");
        assert_eq!(first.id.as_deref(), Some("17A"));
        let phases = [first.first_byte_ns, first.body_ns];
        assert_eq!(phases, [Some(500 * MILLIS), Some(500 * MILLIS)]);
        assert_eq!((first.start_ns, first.lag_ns), (857 * MILLIS as i64, None));
    }

    #[test]
    fn the_first_and_the_last_failures_are_kept() {
        let mut collector = RequestCollector::new(1, 0, true);
        for at in 0..1_000 {
            let mut request = ended(at * MILLIS, MILLIS);
            request.status = Some(503);
            collector.failed(&request, ErrorClass::Status, &"x".repeat(at as usize));
        }
        let list = collector.into_list(&["GET"], &[]);
        let found: Vec<i64> = list.failed.iter().map(|it| it.start_ns).collect();
        let expected: Vec<i64> = (0..10).chain(990..1_000).map(|ms| ms * 1_000_000).collect();
        assert_eq!(found, expected);
        assert_eq!(list.failed[19].text.len(), LONGEST_TEXT);
        assert_eq!(list.failed[3].error, Some(ErrorClass::Status));
        assert_eq!(list.failed[3].lag_ns, Some(0));
    }

    #[test]
    fn lists_of_threads_are_merged() {
        let of = |from: u64| {
            let mut collector = RequestCollector::new(1, 0, false);
            for at in from..from + 15 {
                collector.slow(&ended(at * MILLIS, at * MILLIS));
                collector.failed(&ended(at * MILLIS, MILLIS), ErrorClass::Reset, "");
            }
            collector.into_list(&["GET"], &[])
        };
        let mut list = of(100);
        list.add(of(1));
        assert_eq!(list.slowest.len(), MOST_SLOWEST);
        assert_eq!(list.slowest[0].ns, 114 * MILLIS);
        assert_eq!(list.slowest[19].ns, 11 * MILLIS);
        let starts: Vec<i64> = list
            .failed
            .iter()
            .map(|it| it.start_ns / 1_000_000)
            .collect();
        let expected: Vec<i64> = (1..=10).chain(105..=114).collect();
        assert_eq!(starts, expected);
    }

    #[test]
    fn a_request_without_a_response_head_has_no_identifier() {
        let mut collector = RequestCollector::new(1, 0, false);
        collector.head(0, b"HTTP/1.1 200 OK\r\nx-request-id: old\r\n\r\n");
        let lost = EndedRequest {
            slot: None,
            status: None,
            first_byte: 0,
            ..ended(0, MILLIS)
        };
        collector.failed(&lost, ErrorClass::Timeout, "no response in time");
        let list = collector.into_list(&["GET"], &[]);
        let [failed] = list.failed.as_slice() else {
            panic!("one failure");
        };
        assert_eq!((failed.id.as_deref(), failed.status), (None, None));
        assert_eq!((failed.first_byte_ns, failed.body_ns), (None, None));
    }

    #[test]
    fn the_request_line_loses_only_its_protocol() {
        for (head, request) in [
            (&b"PUT /a HTTP/1.1\r\nA: b HTTP/1.1\r\n\r\n"[..], "PUT /a"),
            (b"GET chunks/7 0 5", "GET chunks/7 0 5"),
            (b"", ""),
        ] {
            assert_eq!(String::from_utf8_lossy(request_of(head)), request);
        }
    }
}
