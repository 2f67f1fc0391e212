//! Counts the operations of one thread; a [`Sample`] ships the counts about once a second.

use std::collections::BTreeMap;

use crate::error::ErrorClass;
use crate::exchange::{Judgement, Role, Transaction};
use crate::failure;
use crate::histogram::SlotCounts;
use crate::opened::Opened;
use crate::operation::{HostFigures, Operation, Setup};
use crate::sample::{
    HostSample, LATE_BUCKETS, LATE_FROM_LOG2, Ledger, OpSample, Pause, SHORTEST_PAUSE_NANOS, Sample,
};
use crate::thread_time::{ThreadMeter, ThreadTime};

/// Most distinct failure texts in a sample; further texts count under [`OTHER_FAILURES`].
const MOST_FAILURE_TEXTS: usize = 32;
/// Failure text that stands for all texts beyond [`MOST_FAILURE_TEXTS`].
const OTHER_FAILURES: &str = "other failures";

/// Times of an operation, nanoseconds since the origin.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Times {
    pub(crate) intended: u64,
    pub(crate) started: u64,
    pub(crate) ended: u64,
}

/// An operation with a complete response.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ended {
    pub(crate) op: usize,
    pub(crate) host: usize,
    pub(crate) times: Times,
    pub(crate) first_byte: u64,
    /// Bytes written, including the head; `received` is bytes read.
    pub(crate) sent: u64,
    pub(crate) received: u64,
    /// Body bytes of the request or the response, whichever is longer.
    pub(crate) payload: u64,
    /// Body bytes of the response.
    pub(crate) answered: u64,
}

/// A connection that is open when the window opens.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Standing {
    pub(crate) opened: Opened,
    pub(crate) first_byte_nanos: Option<u64>,
}

/// The measured window, nanoseconds since the origin.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Window {
    pub(crate) open: u64,
    pub(crate) close: u64,
}

impl Window {
    #[inline]
    fn holds(&self, time: u64) -> bool {
        self.open <= time && time < self.close
    }

    /// How much of the time from `start` to `end` was inside the window, nanoseconds.
    fn overlap(&self, start: u64, end: u64) -> u64 {
        end.min(self.close).saturating_sub(start.max(self.open))
    }

    /// Whether any part of `times` was inside the window.
    #[inline]
    fn met(&self, times: Times) -> bool {
        times.ended >= self.open && times.intended < self.close
    }
}

/// One operation's counts since the last sample.
struct OpTally {
    figures: Operation<SlotCounts>,
    /// The last status, and the number of consecutive responses with this status: avoids a map
    /// lookup on the hot path.
    run_of_status: (u16, u64),
    /// The first failure text of each shape. The key is the shape; the text is the key in
    /// `figures.failures`.
    shapes: BTreeMap<String, String>,
}

impl OpTally {
    fn new(name: &'static str, role: Role) -> Self {
        let mut figures = Operation::of(name, role);
        figures.answered = Some(0);
        Self {
            figures,
            run_of_status: (0, 0),
            shapes: BTreeMap::new(),
        }
    }

    #[inline]
    fn status(&mut self, status: u16) {
        if self.run_of_status.0 == status {
            self.run_of_status.1 += 1;
        } else {
            self.flush_status();
            self.run_of_status = (status, 1);
        }
    }

    fn flush_status(&mut self) {
        let (status, count) = std::mem::take(&mut self.run_of_status);
        if count > 0 {
            *self.figures.statuses.entry(status).or_default() += count;
        }
    }

    #[inline]
    fn failed(&mut self, times: Times, class: ErrorClass, text: &str) {
        *self.figures.errors.entry(class).or_default() += 1;
        let waited = times.ended.saturating_sub(times.intended);
        self.figures.times.failed.record(waited);
        if !text.is_empty() {
            self.failure(text);
        }
    }

    fn failure(&mut self, text: &str) {
        if let Some(count) = self.figures.failures.get_mut(text) {
            *count += 1;
            return;
        }
        let shape = failure::shape(text);
        let has_space = self.shapes.len() < MOST_FAILURE_TEXTS;
        let heading = match self.shapes.get(&shape) {
            Some(first) => first.as_str(),
            None if has_space => text,
            None => OTHER_FAILURES,
        };
        *self.figures.failures.entry(heading.to_owned()).or_default() += 1;
        if heading == text {
            self.shapes.insert(shape, text.to_owned());
        }
    }

    fn take(&mut self) -> OpSample {
        self.flush_status();
        self.shapes.clear();
        self.figures.take_with(SlotCounts::take)
    }
}

/// Takes one host's counts.
fn take_host(host: &mut HostFigures<SlotCounts>) -> HostSample {
    let service = host.service.take();
    std::mem::take(host).with_service(service)
}

/// Indices of the operations for which a request counts as failed if it failed before the workload
/// prepared it: one operation or, with transactions, a sub-request and the transaction.
struct Unprepared {
    request: usize,
    transaction: Option<usize>,
}

impl Unprepared {
    fn among(operations: &[(&'static str, Role)], beside: bool) -> Self {
        let first = |wanted| operations.iter().position(|(_, role)| *role == wanted);
        let request = if beside {
            first(Role::Poll)
        } else {
            first(Role::Request)
        };
        match request {
            Some(request) => Self {
                request,
                transaction: None,
            },
            None => Self {
                request: first(Role::Step).unwrap_or_default(),
                transaction: first(Role::Transaction),
            },
        }
    }
}

/// One thread's counts since the last sample.
pub(crate) struct Tally {
    window: Window,
    open_loop: bool,
    ops: Vec<OpTally>,
    nameless: Unprepared,
    /// Counts of each host; empty with a single host.
    hosts: Vec<HostFigures<SlotCounts>>,
    pub(crate) ledger: Ledger,
    pub(crate) setup: Setup<SlotCounts>,
    since: u64,
    meter: ThreadMeter,
    time_since: ThreadTime,
    thread: usize,
    /// Length of the longest pause since the last sample, nanoseconds; [`SHORTEST_PAUSE_NANOS`] − 1
    /// before the first pause. `pause_end` is the end of the longest pause.
    longest_pause: u64,
    pause_end: u64,
    /// See [`Sample::late`].
    late: [u64; LATE_BUCKETS],
}

impl Tally {
    pub(crate) fn new(
        thread: usize,
        operations: &[(&'static str, Role)],
        window: Window,
        open_loop: bool,
        beside: bool,
        hosts: usize,
    ) -> Self {
        let several = if hosts > 1 { hosts } else { 0 };
        let meter = ThreadMeter::open();
        Self {
            window,
            open_loop,
            ops: operations
                .iter()
                .map(|(name, role)| OpTally::new(name, *role))
                .collect(),
            nameless: Unprepared::among(operations, beside),
            hosts: (0..several).map(|_| HostFigures::default()).collect(),
            ledger: Ledger::default(),
            setup: Setup::default(),
            since: window.open,
            time_since: meter.read(),
            meter,
            thread,
            longest_pause: SHORTEST_PAUSE_NANOS - 1,
            pause_end: 0,
            late: [0; LATE_BUCKETS],
        }
    }

    /// Counts a request that was due at `due`. `late` is the time, in nanoseconds, from when the
    /// request was due and a connection was free until the request was sent.
    #[inline]
    pub(crate) fn sent_late(&mut self, due: u64, late: u64) {
        if late >= 1 << LATE_FROM_LOG2 && self.window.holds(due) {
            let bucket = (late.ilog2() - LATE_FROM_LOG2) as usize;
            self.late[bucket.min(LATE_BUCKETS - 1)] += 1;
        }
    }

    /// Records a pause: no response arrived from `start` to `end`, although requests were in
    /// flight.
    #[inline]
    pub(crate) fn paused(&mut self, start: u64, end: u64) {
        let start = start.max(self.window.open);
        let length = end.saturating_sub(start);
        // After the window no requests are sent, so time between responses is not a pause.
        if length > self.longest_pause && start < self.window.close {
            self.longest_pause = length;
            self.pause_end = end;
        }
    }

    fn take_pause(&mut self) -> Option<Pause> {
        let length = std::mem::replace(&mut self.longest_pause, SHORTEST_PAUSE_NANOS - 1);
        let end = self.pause_end.saturating_sub(self.window.open);
        (length >= SHORTEST_PAUSE_NANOS).then(|| Pause {
            start: end.saturating_sub(length),
            end,
        })
    }

    /// Moves the end of the window to `at`, because a slice can end early.
    pub(crate) fn close_window(&mut self, at: u64) {
        self.window.close = self.window.close.min(at.max(self.window.open));
    }

    /// Opens the window: clears connection events of the settling time. Operations are not cleared,
    /// because each operation is assigned to the window by its times.
    pub(crate) fn open_window(&mut self) {
        self.forget_connections();
        self.take_pause();
        self.since = self.window.open;
        self.time_since = self.meter.read();
    }

    /// Clears the connection events and pauses since the last sample.
    pub(crate) fn forget_connections(&mut self) {
        self.ledger = Ledger::default();
        self.setup.as_mut().map(SlotCounts::clear);
        self.take_pause();
    }

    /// Counts a connection that is open when the window opens and so carries requests of the
    /// window.
    pub(crate) fn stands(&mut self, connection: Standing) {
        self.opened(connection.opened);
        self.ledger.already_open += 1;
        if let Some(nanos) = connection.first_byte_nanos {
            self.setup.first_byte.record(nanos);
        }
    }

    /// Counts an opened connection.
    pub(crate) fn opened(&mut self, opened: Opened) {
        self.ledger.opened += 1;
        self.ledger.connect_nanos += opened.nanos();
        self.setup.connect.record(opened.connect_nanos);
        if let Some(nanos) = opened.tls_nanos {
            self.setup.tls.record(nanos);
        }
    }

    /// Records a correct first response on a connection: the service time, and the service time
    /// plus connection set-up.
    pub(crate) fn first_response(&mut self, opened: Opened, service: u64) {
        self.setup.response.record(service);
        self.setup.total.record(opened.nanos() + service);
    }

    /// Counts the time in which a connection that ended at `ended` was neither in use nor being
    /// replaced, nanoseconds: the load generator recorded the response, or waited for a core.
    pub(crate) fn replaced(&mut self, ended: u64, idle: u64) {
        if self.window.holds(ended) {
            self.ledger.turnaround_nanos += idle;
        }
    }

    /// Counts the status of a response; called if the operation was counted as a success or a
    /// failure.
    #[inline]
    pub(crate) fn status(&mut self, op: usize, status: u16) {
        self.ops[op].status(status);
    }

    /// Counts a correct response. Returns whether the response counts as throughput.
    #[inline]
    pub(crate) fn correct(&mut self, ended: &Ended) -> bool {
        let figures = &mut self.ops[ended.op].figures;
        let times = ended.times;
        let in_window = self.window.holds(times.ended);
        if in_window {
            figures.counts.ok += 1;
            figures.counts.sent += ended.sent;
            figures.counts.received += ended.received;
            figures.counts.payload += ended.payload;
            if let Some(answered) = &mut figures.answered {
                *answered += ended.answered;
            }
        }
        let service = times.ended.saturating_sub(times.started);
        let due_in_window = self.window.holds(times.intended);
        if due_in_window {
            let to_first_byte = ended.first_byte.saturating_sub(times.started);
            figures.times.service.record(service);
            figures.times.first_byte.record(to_first_byte);
            if self.open_loop {
                let response = times.ended.saturating_sub(times.intended);
                let lag = times.started.saturating_sub(times.intended);
                figures.times.response.record(response);
                figures.times.lag.record(lag);
            } else {
                self.ledger.turnaround_nanos += times.started.saturating_sub(times.intended);
            }
        }
        if !(in_window && due_in_window) {
            self.straddled(ended.op, (times.started, times.ended), due_in_window);
        }
        if let Some(host) = self.hosts.get_mut(ended.host) {
            host.ok += u64::from(in_window);
            if due_in_window {
                host.service.record(service);
            }
        }
        in_window
    }

    /// How much of the time from `start` to `end` was inside the window, nanoseconds.
    pub(crate) fn inside(&self, start: u64, end: u64) -> u64 {
        self.window.overlap(start, end)
    }

    /// Records the time in flight of a request that was in flight when the window opened or closed:
    /// the time inside the window if no histogram contains the request, and the time outside the
    /// window if a histogram does. With this correction, Little's law can be checked exactly.
    fn straddled(&mut self, op: usize, (start, end): (u64, u64), is_recorded: bool) {
        if !self.ops[op].figures.role.is_request() {
            return;
        }
        let inside = self.window.overlap(start, end);
        if is_recorded {
            self.ledger.outside_nanos += end.saturating_sub(start) - inside
        } else {
            self.ledger.unrecorded_nanos += inside
        }
    }

    /// Counts an incorrect response. Returns whether the failure counts.
    pub(crate) fn answered_wrong(&mut self, ended: &Ended, class: ErrorClass, text: &str) -> bool {
        if self.window.holds(ended.times.ended) {
            let figures = &mut self.ops[ended.op].figures;
            figures.counts.sent += ended.sent;
            figures.counts.received += ended.received;
        }
        self.failed(ended.op, ended.host, ended.times, class, text)
    }

    /// Counts a failure, unless the operation ended before the window opened or was due after the
    /// window closed. Returns whether the failure was counted.
    pub(crate) fn failed(
        &mut self,
        op: usize,
        host: usize,
        times: Times,
        class: ErrorClass,
        text: &str,
    ) -> bool {
        if !self.window.met(times) {
            return false;
        }
        self.ops[op].failed(times, class, text);
        self.straddled(op, (times.intended, times.ended), true);
        if let Some(host) = self.hosts.get_mut(host) {
            *host.errors.entry(class).or_default() += 1;
        }
        true
    }

    /// Counts the failure of a request that the workload never prepared. Returns whether the
    /// failure counts.
    pub(crate) fn never_prepared(
        &mut self,
        host: usize,
        times: Times,
        class: ErrorClass,
        text: &str,
    ) -> bool {
        let counts = self.failed(self.nameless.request, host, times, class, text);
        if let Some(op) = self.nameless.transaction.filter(|_| counts) {
            self.ops[op].failed(times, class, text);
        }
        counts
    }

    /// Index of the operation for which an unprepared request counts.
    pub(crate) fn unprepared(&self) -> usize {
        self.nameless.request
    }

    /// Adds an unprepared request that timed out after the window closed to the censored requests.
    pub(crate) fn never_prepared_censored(&mut self, times: Times) {
        self.censored(self.nameless.request, times);
        if let Some(op) = self.nameless.transaction {
            self.censored(op, times);
        }
    }

    /// Counts requests of the window that were never sent.
    pub(crate) fn never_sent(&mut self, count: u64) {
        self.ops[self.nameless.request].figures.counts.unsent += count;
        if let Some(op) = self.nameless.transaction {
            self.ops[op].figures.counts.unsent += count;
        }
    }

    /// Counts a transaction that has ended. Bytes sent and received and the figures of hosts stay
    /// unchanged, because they already include the transaction's requests.
    pub(crate) fn transaction(&mut self, transaction: &Transaction, now: u64, drained: bool) {
        let ended = transaction.ended.unwrap_or(now);
        let times = Times {
            intended: transaction.started,
            started: transaction.started,
            ended,
        };
        let open_loop = self.open_loop;
        let tally = &mut self.ops[transaction.op];
        let figures = &mut tally.figures;
        match &transaction.outcome {
            Judgement::Correct => {
                if self.window.holds(ended) {
                    figures.counts.ok += 1;
                    figures.counts.payload += transaction.payload;
                }
                if self.window.holds(transaction.started) {
                    let took = ended.saturating_sub(transaction.started);
                    figures.times.service.record(took);
                    if open_loop {
                        figures.times.response.record(took);
                    }
                }
            }
            Judgement::Failed(class, text) => {
                if self.window.met(times) {
                    tally.failed(times, *class, text);
                }
                if drained && *class == ErrorClass::Timeout {
                    self.censored(transaction.op, times);
                }
            }
        }
    }

    pub(crate) fn censored(&mut self, op: usize, times: Times) {
        if self.window.holds(times.intended) {
            self.ops[op].figures.counts.censored += 1;
        }
    }

    /// Counts a response after which the server closed a connection that was to stay open.
    pub(crate) fn closed_after(&mut self, op: usize, now: u64) {
        self.ops[op].figures.counts.closed_after += u64::from(self.window.holds(now));
    }

    /// Whether this intended start is inside the window.
    #[inline]
    pub(crate) fn is_due_inside(&self, intended: u64) -> bool {
        self.window.holds(intended)
    }

    /// Start of the current sample's period, nanoseconds since the origin.
    pub(crate) fn since(&self) -> u64 {
        self.since
    }

    /// Returns the counts since the last sample and clears them. The sample's period ends at `end`.
    pub(crate) fn ship(&mut self, end: u64, backlog: u64, drain: bool) -> Sample {
        let time = self.meter.read();
        let used = time.since(self.time_since);
        let sample = Sample {
            thread: self.thread,
            start: self.since.saturating_sub(self.window.open),
            end: end.saturating_sub(self.window.open),
            ops: self.ops.iter_mut().map(OpTally::take).collect(),
            ledger: std::mem::take(&mut self.ledger),
            setup: self.setup.as_mut().map(SlotCounts::take),
            hosts: self.hosts.iter_mut().map(take_host).collect(),
            cpu: used.cpu,
            waited: used.waited,
            backlog,
            drain,
            pause: self.take_pause(),
            late: std::mem::take(&mut self.late),
        };
        self.since = end;
        self.time_since = time;
        sample
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three requests take 30 ms each, 2 ms after their connection was free: the first is in flight
    /// when the window opens, the third when the window closes. The time in flight inside the window follows from the histogram,
    /// `unrecorded_nanos` and `outside_nanos`.
    #[test]
    fn time_in_flight_inside_the_window_can_be_computed() {
        let ms = 1_000_000;
        let window = Window {
            open: 100 * ms,
            close: 200 * ms,
        };
        let mut tally = Tally::new(0, &[("GET", Role::Request)], window, false, false, 1);
        for start in [80 * ms, 120 * ms, 185 * ms] {
            let times = Times {
                intended: start - 2 * ms,
                started: start,
                ended: start + 30 * ms,
            };
            tally.correct(&Ended {
                op: 0,
                host: 0,
                times,
                first_byte: times.ended,
                sent: 1,
                received: 1,
                payload: 1,
                answered: 1,
            });
        }
        let sample = tally.ship(200 * ms, 0, false);
        let ledger = sample.ledger;
        assert_eq!(ledger.unrecorded_nanos, 10 * ms);
        assert_eq!(ledger.outside_nanos, 15 * ms);
        assert_eq!(ledger.turnaround_nanos, 2 * 2 * ms);
        let recorded = sample.ops[0].times.service.len() * 30 * ms;
        let inside = recorded + ledger.unrecorded_nanos - ledger.outside_nanos;
        assert_eq!(inside, (10 + 30 + 15) * ms);
    }

    #[test]
    fn late_requests_of_the_window_are_counted_by_lateness() {
        let window = Window {
            open: 1_000,
            close: 2_000,
        };
        let mut tally = Tally::new(0, &[("GET", Role::Request)], window, true, false, 1);
        for late in [0, 65_535, 65_536, 5_000_000, u64::MAX] {
            tally.sent_late(1_500, late);
        }
        tally.sent_late(2_000, 5_000_000);
        let late = tally.ship(3_000, 0, true).late;
        // 5 ms is in the bucket from 2^22 ns.
        assert_eq!((late[0], late[6], late[LATE_BUCKETS - 1]), (1, 1, 1));
        assert_eq!(late.iter().sum::<u64>(), 3);
    }
}
