//! A log of every measured request. The load threads collect requests in batches and never wait for
//! the writer: a batch for which the writer has no space is dropped and counted.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};

use crate::error::ErrorClass;
use crate::request_list::{LONGEST_REQUEST, LONGEST_TEXT, request_of};
use crate::tally::Times;

/// Requests per batch.
const BATCH: usize = 1_024;

/// Where the load threads of a process log their requests.
#[derive(Debug, Clone)]
pub struct RequestLog {
    shared: Arc<Shared>,
    /// Number of the part of the log, which the caller chose.
    part: usize,
}

#[derive(Debug)]
struct Shared {
    sender: SyncSender<LogBatch>,
    /// Requests that can still be logged.
    space: AtomicU64,
    dropped: AtomicU64,
    over_limit: AtomicU64,
}

impl RequestLog {
    /// A log of at most `most` requests, and the receiver of its batches. At most `batches` batches
    /// wait for the receiver.
    pub fn new(most: u64, batches: usize) -> (Self, Receiver<LogBatch>) {
        let (sender, receiver) = sync_channel(batches);
        let shared = Shared {
            sender,
            space: AtomicU64::new(most),
            dropped: AtomicU64::new(0),
            over_limit: AtomicU64::new(0),
        };
        let log = Self {
            shared: Arc::new(shared),
            part: 0,
        };
        (log, receiver)
    }

    /// The log for requests of this part.
    #[must_use]
    pub fn of_part(&self, part: usize) -> Self {
        Self {
            part,
            ..self.clone()
        }
    }

    /// Requests that are not in the log because the writer was too slow or has ended.
    pub fn dropped(&self) -> u64 {
        self.shared.dropped.load(Ordering::Relaxed)
    }

    /// Requests that are not in the log because the log had reached its limit.
    pub fn over_limit(&self) -> u64 {
        self.shared.over_limit.load(Ordering::Relaxed)
    }

    /// Passes a batch to the writer; does not wait unless `waits`.
    fn send(&self, mut batch: LogBatch, waits: bool) {
        let rows = batch.rows.len() as u64;
        let taken = |space: u64| Some(space.saturating_sub(rows));
        let order = Ordering::Relaxed;
        let space = self.shared.space.fetch_update(order, order, taken);
        let fits = space.unwrap_or_default().min(rows);
        self.shared.over_limit.fetch_add(rows - fits, order);
        batch.rows.truncate(fits as usize);
        if batch.rows.is_empty() {
            return;
        }
        let is_sent = if waits {
            self.shared.sender.send(batch).is_ok()
        } else {
            match self.shared.sender.try_send(batch) {
                Ok(()) => true,
                Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => false,
            }
        };
        if !is_sent {
            self.shared.dropped.fetch_add(fits, order);
        }
    }
}

/// Requests of one load thread, in the order of their ends.
#[derive(Debug)]
pub struct LogBatch {
    /// Number of the part of the log: see [`RequestLog::of_part`].
    pub part: usize,
    /// Number of the load thread, from 0.
    pub thread: usize,
    /// Names of the operations.
    pub operations: Arc<[&'static str]>,
    /// Names of the hosts; empty without connections.
    pub hosts: Arc<[String]>,
    /// The requests.
    pub rows: Vec<LoggedRequest>,
    /// Methods with paths, and texts of failures.
    texts: Vec<u8>,
}

/// A request in a [`LogBatch`]. Times are nanoseconds since 1970-01-01 UTC.
#[derive(Debug, Clone, Copy)]
pub struct LoggedRequest {
    /// Index of the operation in [`LogBatch::operations`].
    pub op: usize,
    /// Index of the host in [`LogBatch::hosts`].
    pub host: usize,
    /// Slot of the thread that the request used: at most one request at a time.
    pub slot: usize,
    /// Time at which the request was written (closed loop) or due (open loop).
    pub start: u64,
    /// Time of the first byte of the response; `None` without a byte.
    pub first_byte: Option<u64>,
    /// Time of the last byte of the response, or of the failure.
    pub end: u64,
    /// Bytes of content; 0 for a failed request.
    pub bytes: u64,
    /// Class of the failure; `None` for a correct response.
    pub error: Option<ErrorClass>,
    /// Position of method and path, then of the failure text, in `texts`.
    texts: [(usize, usize); 2],
}

impl LogBatch {
    /// Method, path and query of a request; can contain secrets. Empty if the request failed before
    /// it was prepared.
    pub fn request(&self, row: &LoggedRequest) -> String {
        self.text(row.texts[0])
    }

    /// The text of the failure of a request: hostile until escaped.
    pub fn failure(&self, row: &LoggedRequest) -> String {
        self.text(row.texts[1])
    }

    fn text(&self, (from, to): (usize, usize)) -> String {
        let bytes = self.texts.get(from..to).unwrap_or_default();
        String::from_utf8_lossy(bytes).into_owned()
    }

    fn add(&mut self, text: &[u8], most: usize) -> (usize, usize) {
        let from = self.texts.len();
        self.texts.extend_from_slice(&text[..text.len().min(most)]);
        (from, self.texts.len())
    }
}

/// A request that has ended, for the log.
pub(crate) struct RequestEntry<'a> {
    pub(crate) op: usize,
    pub(crate) host: usize,
    pub(crate) slot: usize,
    pub(crate) times: Times,
    /// 0 without a byte of the response.
    pub(crate) first_byte: u64,
    pub(crate) bytes: u64,
    pub(crate) failure: Option<(ErrorClass, &'a str)>,
    pub(crate) head: &'a [u8],
}

/// Collects the requests of one load thread. The last batch is passed on when the logger is dropped.
pub(crate) struct RequestLogger {
    log: RequestLog,
    open_loop: bool,
    batch: LogBatch,
}

impl RequestLogger {
    pub(crate) fn new(
        log: &RequestLog,
        thread: usize,
        open_loop: bool,
        operations: &[&'static str],
        hosts: &[String],
    ) -> Self {
        let batch = LogBatch {
            part: log.part,
            thread,
            operations: operations.into(),
            hosts: hosts.into(),
            rows: Vec::with_capacity(BATCH),
            texts: Vec::new(),
        };
        Self {
            log: log.clone(),
            open_loop,
            batch,
        }
    }

    /// Adds a request. `origin` is the time to which the times of the request are relative,
    /// nanoseconds since 1970-01-01 UTC.
    pub(crate) fn add(&mut self, entry: &RequestEntry<'_>, origin: u64) {
        let times = entry.times;
        let start = if self.open_loop {
            times.intended
        } else {
            times.started
        };
        let request = self.batch.add(request_of(entry.head), LONGEST_REQUEST);
        let text = entry.failure.map_or("", |(_, text)| text);
        let text = self.batch.add(text.as_bytes(), LONGEST_TEXT);
        self.batch.rows.push(LoggedRequest {
            op: entry.op,
            host: entry.host,
            slot: entry.slot,
            start: origin + start,
            first_byte: (entry.first_byte > 0).then(|| origin + entry.first_byte),
            end: origin + times.ended,
            bytes: entry.bytes,
            error: entry.failure.map(|(class, _)| class),
            texts: [request, text],
        });
        if self.batch.rows.len() == BATCH {
            let full = self.take();
            self.log.send(full, false);
        }
    }

    fn take(&mut self) -> LogBatch {
        let next = LogBatch {
            part: self.batch.part,
            thread: self.batch.thread,
            operations: Arc::clone(&self.batch.operations),
            hosts: Arc::clone(&self.batch.hosts),
            rows: Vec::with_capacity(BATCH),
            texts: Vec::with_capacity(self.batch.texts.len()),
        };
        std::mem::replace(&mut self.batch, next)
    }
}

impl Drop for RequestLogger {
    fn drop(&mut self) {
        // The load has ended, so that waiting does not affect it.
        let last = self.take();
        self.log.send(last, true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(at: u64) -> RequestEntry<'static> {
        RequestEntry {
            op: 0,
            host: 0,
            slot: 3,
            times: Times {
                intended: at,
                started: at + 1,
                ended: at + 10,
            },
            first_byte: at + 5,
            bytes: 100,
            failure: (at % 2 == 1).then_some((ErrorClass::Status, "SlowDown")),
            head: b"GET /a?b HTTP/1.1\r\n\r\n",
        }
    }

    fn logged(log: &RequestLog, count: u64) {
        let mut logger = RequestLogger::new(&log.of_part(7), 2, false, &["GET"], &[]);
        for at in 0..count {
            logger.add(&entry(at), 1_000);
        }
    }

    #[test]
    fn every_request_reaches_the_writer() {
        let (log, receiver) = RequestLog::new(u64::MAX, 8);
        logged(&log, 1_500);
        drop(log);
        let batches: Vec<LogBatch> = receiver.iter().collect();
        let counts: Vec<usize> = batches.iter().map(|batch| batch.rows.len()).collect();
        assert_eq!(counts, [1_024, 476]);
        let batch = &batches[1];
        assert_eq!(
            (batch.part, batch.thread, batch.operations[0]),
            (7, 2, "GET")
        );
        let row = &batch.rows[1];
        assert_eq!(batch.request(row), "GET /a?b");
        assert_eq!(batch.failure(row), "SlowDown");
        assert_eq!((row.start, row.end), (1_000 + 1_026, 1_000 + 1_035));
        assert_eq!(batch.rows[0].error, None);
    }

    #[test]
    fn a_full_log_and_a_slow_writer_lose_requests_that_are_counted() {
        let (log, receiver) = RequestLog::new(1_500, 8);
        logged(&log, 2_000);
        assert_eq!((log.dropped(), log.over_limit()), (0, 500));
        assert_eq!(
            receiver.try_iter().map(|it| it.rows.len()).sum::<usize>(),
            1_500
        );
        let (log, receiver) = RequestLog::new(u64::MAX, 1);
        logged(&log, 1_024);
        let rest = std::thread::spawn({
            let log = log.clone();
            move || logged(&log, 3 * 1_024)
        });
        let mut received = 0;
        while !rest.is_finished() {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        received += receiver.try_iter().map(|it| it.rows.len()).sum::<usize>();
        assert_eq!(received as u64 + log.dropped(), 4 * 1_024);
        assert_eq!(log.dropped(), 3 * 1_024);
    }

    #[test]
    fn a_writer_that_has_ended_stops_no_load() {
        let (log, receiver) = RequestLog::new(u64::MAX, 1);
        drop(receiver);
        logged(&log, 2_000);
        assert_eq!(log.dropped(), 2_000);
    }
}
