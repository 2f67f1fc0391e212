//! The scheduler of one thread decides what is sent when, what counts, and when the slice ends.
//!
//! The scheduler owns no clock and no socket. Every event carries a time, so the same code runs on
//! real sockets and, in tests, in virtual time.
//!
//! This module handles requests. [`connections`] handles connection events, [`clockwork`]
//! time-driven events, and [`dispatch`] chooses the virtual user and the host of the next request.

mod clockwork;
mod connections;
mod dispatch;
mod listing;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use self::connections::Link;
pub use self::connections::Return;
use self::dispatch::Dispatch;
use self::listing::RequestEnd;
use crate::error::ErrorClass;
use crate::exchange::{
    BodyUse, Exchange, InFile, Judgement, Loss, Moment, Next, RequestOutcome, ResponseHead, Role,
    Workload,
};
use crate::order::Order;
use crate::pacer::Pacer;
use crate::request_list::{RequestCollector, RequestList};
use crate::request_log::RequestLogger;
use crate::sample::Sample;
use crate::spread::Life;
use crate::stages::{StageSums, StageTally};
use crate::stop::{Allowance, StopRule};
use crate::tally::{Ended, Tally, Times, Window};
use crate::think::Thinker;

/// Configuration of one thread's part of a slice. Times are nanoseconds since the slice's origin.
pub struct Schedule {
    /// Index of this thread, from 0.
    pub thread: usize,
    /// Whether the thread uses separate connections that do not belong to the load: see
    /// [`Workload::own_connections`].
    pub beside: bool,
    /// Number of this thread's connections to each host.
    pub connections: usize,
    /// Most requests in flight on a connection.
    pub depth: usize,
    /// Weight of each host: its relative share of the requests.
    pub weights: Vec<u32>,
    /// Whether connections are reused.
    pub keep_alive: bool,
    /// How often each connection is opened in the window; 0 and 1 mean once.
    pub reopens: u32,
    /// Start of the measured window.
    pub open: u64,
    /// End of the measured window.
    pub close: u64,
    /// How a slice that sends a fixed segment of a request sequence ends; `None` for other slices.
    pub rest: Option<Rest>,
    /// Timeout of an operation.
    pub timeout: u64,
    /// The schedule of an open loop.
    pub pacer: Option<Box<dyn Pacer>>,
    /// Think time between a user's requests; only in a closed loop.
    pub think: Option<Thinker>,
    /// Whether to read server stage times from response headers.
    pub stages: bool,
    /// Limits after which no more operations are issued.
    pub stop_rules: Vec<Box<dyn StopRule>>,
    /// The slice stops if this thread was suspended for longer, nanoseconds; [`u64::MAX`] for no
    /// limit.
    pub longest_pause: u64,
    /// Wall time of the origin, since 1970-01-01 UTC.
    pub origin_unix: Duration,
}

/// Value of `quiet_since` when no request is in flight.
const NONE_OUT: u64 = u64::MAX;

/// End of a slice that sends a fixed segment of a request sequence. The window closes in all
/// threads as soon as one thread has sent its share, so that the load stays constant in the window.
/// The other threads then send the rest of the segment unmeasured.
#[derive(Debug, Clone)]
pub struct Rest {
    /// Longest time for the rest of the segment, nanoseconds after the window closed.
    pub most: u64,
    /// Time at which the window closes, nanoseconds since the slice's origin; [`u64::MAX`] until
    /// known. Shared by all threads.
    pub edge: Arc<AtomicU64>,
}

/// A response, as the driver reports it.
#[derive(Debug, Clone, Copy)]
pub struct ResponseSummary {
    /// Status code.
    pub status: u16,
    /// Body bytes of the response.
    pub length: u64,
    /// Bytes read for the response, including heads; with HTTP/2, the body only.
    pub received: u64,
    /// Bytes of the request that were written before the response arrived; `None` if the whole
    /// request was written, and with HTTP/2.
    pub cut_at: Option<u64>,
    /// Whether the server allows the connection to be used again.
    pub reusable: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SlotState {
    /// The connection is not open.
    Off,
    /// No request.
    Idle,
    /// A request is in flight.
    Busy,
    /// The server has not processed the request, which will be sent again.
    Returned,
}

/// A place for at most one request in flight on a connection.
struct Slot {
    state: SlotState,
    /// Index of its connection.
    link: usize,
    exchange: Exchange,
    intended: u64,
    started: u64,
    /// Time of the first byte of the response; 0 before it has arrived.
    first_byte: u64,
    /// Whether the request is the first on its connection.
    opens_connection: bool,
    /// Whether the head of the response has arrived.
    has_head: bool,
    /// How often the request was written.
    writes: u32,
    /// Time since which the slot has been idle; `u64::MAX` if the slot has been idle since its
    /// connection was opened.
    rested: u64,
}

impl Slot {
    /// A slot of connection `link`, which is not open yet; connections go to the hosts in turn.
    fn unused(link: usize, hosts: usize) -> Self {
        Self {
            state: SlotState::Off,
            link,
            exchange: Exchange {
                host: link % hosts,
                ..Exchange::default()
            },
            intended: 0,
            started: 0,
            first_byte: 0,
            opens_connection: false,
            has_head: false,
            writes: 0,
            rested: u64::MAX,
        }
    }

    /// Time at which the request times out; `usual` is the timeout of the load.
    #[inline]
    fn deadline(&self, usual: u64) -> u64 {
        let timeout = match self.exchange.timeout {
            0 => usual,
            own => own,
        };
        self.intended.saturating_add(timeout)
    }
}

/// Decides what one thread sends when, and what counts; see the module documentation.
pub struct Scheduler<'w> {
    schedule: Schedule,
    workload: &'w mut dyn Workload,
    ship: &'w mut dyn FnMut(Sample),
    slots: Vec<Slot>,
    links: Vec<Link>,
    dispatch: Dispatch,
    tally: Tally,
    /// Figures of closed connections, if they were open in the window.
    lives: Vec<Life>,
    /// Times of server stages; `None` if not read.
    stages: Option<Box<StageTally>>,
    /// The slowest and the failed requests; `None` for connections that do not belong to the load.
    requests: Option<Box<RequestCollector>>,
    /// Logs all requests; `None` without a log.
    log: Option<Box<RequestLogger>>,
    /// Whether any operation is a transaction.
    has_transactions: bool,
    /// Whether the workload wants the outcome of each request.
    follows: bool,
    allowance: Allowance,
    closed_loop: bool,
    /// Intended start of the next operation; 0 in a closed loop.
    due: u64,
    window_open: bool,
    window_closed: bool,
    issued: u64,
    /// Operations issued after the window closed.
    unmeasured: u64,
    in_flight: usize,
    /// Last time at which a request ended while all virtual users had a request in flight.
    full_until: u64,
    up: usize,
    /// Whether connections are being opened before the slice: see [`crate::start_barrier`].
    opening: bool,
    /// Whether connections were opened before the start of the slice.
    opened_all: bool,
    /// Connections that were neither opened nor refused yet.
    untried: usize,
    /// Time since which no connection has been open; meaningful only while `up`, the number of open
    /// connections, is 0.
    none_up_since: u64,
    /// The error of the last refused connection; empty if none was refused.
    last_refusal: String,
    exhausted: bool,
    /// Whether the workload returned [`Next::Wait`] or [`Next::Rest`] and must be called again when
    /// a request has ended.
    waiting: bool,
    /// Time at which the workload is called again even if no request has ended, from
    /// [`Next::Rest`].
    rested: u64,
    stopped: bool,
    /// Time at which a stopped slice ends, even with requests in flight.
    drain_limit: u64,
    last_end: u64,
    /// Time at which the current wait for a response started: at the last response if requests
    /// stayed in flight, otherwise at the next request. A failure does not end the wait.
    /// `NONE_OUT` without a wait.
    quiet_since: u64,
    next_sample: u64,
    /// No request in flight times out before this time.
    next_deadline: u64,
    /// No refused connection is retried before this time.
    next_retry: u64,
    /// The current second of the wall clock, and the time at which the next second starts.
    second: (u64, u64),
}

impl<'w> Scheduler<'w> {
    /// A scheduler at the origin of its slice. `ship` receives a sample about once a second.
    pub fn new(
        mut schedule: Schedule,
        workload: &'w mut dyn Workload,
        ship: &'w mut dyn FnMut(Sample),
    ) -> Self {
        let window = Window {
            open: schedule.open,
            close: schedule.close,
        };
        let named = workload.operations().iter().enumerate();
        let operations: Vec<(&'static str, Role)> =
            named.map(|(op, name)| (*name, workload.role(op))).collect();
        let hosts = schedule.weights.len();
        let links = schedule.connections * hosts;
        let slots = (0..links * schedule.depth)
            .map(|slot| Slot::unused(slot / schedule.depth, hosts))
            .collect();
        let users = schedule.connections * schedule.depth;
        let stages = schedule.stages.then(|| {
            let names: Vec<_> = operations.iter().map(|(name, _)| *name).collect();
            Box::new(StageTally::new(&names, links * schedule.depth))
        });
        let requests = (!schedule.beside).then(|| {
            let slots = links * schedule.depth;
            let open_loop = schedule.pacer.is_some();
            Box::new(RequestCollector::new(slots, schedule.open, open_loop))
        });
        Self {
            tally: Tally::new(
                schedule.thread,
                &operations,
                window,
                schedule.pacer.is_some(),
                schedule.beside,
                hosts,
            ),
            lives: Vec::new(),
            stages,
            requests,
            log: None,
            follows: workload.follows(),
            has_transactions: operations
                .iter()
                .any(|(_, role)| matches!(role, Role::Transaction | Role::Effect)),
            allowance: Allowance::of_all(&schedule.stop_rules),
            closed_loop: schedule.pacer.is_none(),
            due: schedule.pacer.as_ref().map_or(0, |pacer| pacer.due()),
            next_sample: schedule.open.saturating_add(clockwork::SAMPLE_NANOS),
            window_open: schedule.open == 0,
            window_closed: false,
            dispatch: Dispatch::new(users, &schedule.weights, schedule.think.take()),
            slots,
            links: (0..links).map(|_| Link::default()).collect(),
            workload,
            ship,
            issued: 0,
            unmeasured: 0,
            in_flight: 0,
            full_until: 0,
            up: 0,
            opening: false,
            opened_all: false,
            untried: links,
            none_up_since: 0,
            last_refusal: String::new(),
            exhausted: false,
            waiting: false,
            rested: u64::MAX,
            stopped: false,
            drain_limit: u64::MAX,
            last_end: schedule.open,
            quiet_since: NONE_OUT,
            next_deadline: u64::MAX,
            next_retry: u64::MAX,
            second: (0, 0),
            schedule,
        }
    }

    /// Takes the times of server stages; `None` if not read. Called once, at the end.
    pub fn take_stages(&mut self) -> Option<StageSums> {
        self.stages.take().map(|stages| stages.into_sums())
    }

    /// Takes the slowest and the failed requests, with these names of the hosts. Called once, at the
    /// end.
    pub fn take_requests(&mut self, hosts: &[String]) -> RequestList {
        let requests = self.requests.take();
        requests.map_or_else(RequestList::default, |requests| {
            requests.into_list(self.workload.operations(), hosts)
        })
    }

    /// Takes the figures of all connections in the window; empty without keep-alive. Called once,
    /// at the end.
    pub fn take_lives(&mut self) -> Vec<Life> {
        for connection in 0..self.links.len() {
            if self.links[connection].state == connections::LinkState::Up {
                self.end_life(connection, self.last_end);
            }
        }
        std::mem::take(&mut self.lives)
    }

    /// Operations issued unmeasured after the window, to complete a segment.
    pub fn unmeasured(&self) -> u64 {
        self.unmeasured
    }

    /// Number of connections, numbered from 0.
    pub fn connections(&self) -> usize {
        self.links.len()
    }

    /// Most requests in flight on one connection. The slots of connection `c` begin at `c *
    /// depth()`.
    pub fn depth(&self) -> usize {
        self.schedule.depth
    }

    /// Timeout of an operation, nanoseconds.
    pub fn timeout(&self) -> u64 {
        self.schedule.timeout
    }

    /// Index of the connection's host.
    pub fn host_of(&self, connection: usize) -> usize {
        connection % self.schedule.weights.len()
    }

    /// The slice stops if this thread was suspended for longer, nanoseconds.
    pub fn longest_pause(&self) -> u64 {
        self.schedule.longest_pause
    }

    /// Stops the slice: closes the window and issues nothing more. Requests in flight get a short
    /// time to finish, so that their effects on the target are complete before the clean-up.
    pub fn stop(&mut self, now: u64) {
        if self.stopped {
            return;
        }
        self.stopped = true;
        self.drain_limit = now.saturating_add(clockwork::STOP_DRAIN_NANOS);
        self.cut_window(now);
    }

    /// Head and body of the request on `slot`.
    #[inline]
    pub fn request(&self, slot: usize) -> (&[u8], &[u8]) {
        let exchange = &self.slots[slot].exchange;
        (&exchange.head, self.workload.payload(exchange))
    }

    /// The position of the request body on `slot` in a file, if a file holds the body.
    pub fn payload_file(&self, slot: usize) -> Option<InFile<'_>> {
        self.workload.payload_file(&self.slots[slot].exchange)
    }

    /// Whether the response on `slot` cannot have a body.
    #[inline]
    pub fn bodyless_response(&self, slot: usize) -> bool {
        self.slots[slot].exchange.bodyless_response
    }

    /// Whether a request is in flight on `slot`.
    #[inline]
    pub fn busy(&self, slot: usize) -> bool {
        self.slots[slot].state == SlotState::Busy
    }

    /// The driver starts to write the request on `slot`.
    #[inline]
    pub fn writing(&mut self, slot: usize, now: u64) {
        let entry = &mut self.slots[slot];
        // A returned request is still the same operation and keeps its first start. Its intended
        // start, set by `prepare`, decides whether the operation belongs to the window.
        if entry.started == 0 {
            entry.started = now;
        }
        entry.writes += 1;
        let link = &mut self.links[entry.link];
        entry.opens_connection = link.carried == 0;
        self.tally.ledger.reused += u64::from(!entry.opens_connection);
        link.carried += 1;
    }

    /// The first byte of the response on `slot` has arrived, but not the last.
    #[inline]
    pub fn first_byte(&mut self, slot: usize, now: u64) {
        let entry = &mut self.slots[slot];
        if entry.first_byte == 0 {
            entry.first_byte = now;
        }
    }

    /// The head of the response on `slot` has arrived.
    #[inline]
    pub fn head(&mut self, slot: usize, head: &ResponseHead<'_>) -> BodyUse {
        if let Some(stages) = &mut self.stages {
            stages.read(slot, head.bytes);
        }
        if let Some(requests) = &mut self.requests {
            requests.head(slot, head.bytes);
        }
        let entry = &mut self.slots[slot];
        entry.has_head = true;
        self.workload.head(&mut entry.exchange, head)
    }

    /// A part of the response body on `slot` has arrived.
    #[inline]
    pub fn body(&mut self, slot: usize, offset: u64, part: &[u8]) {
        self.workload
            .body(&mut self.slots[slot].exchange, offset, part);
    }

    /// The response on `slot` is complete.
    #[inline]
    pub fn answered(&mut self, slot: usize, now: u64, answer: ResponseSummary) -> Order {
        let ended = self.ended(slot, now, &answer);
        let entry = &mut self.slots[slot];
        let exchange = &mut entry.exchange;
        if entry.opens_connection {
            let took = ended.first_byte.saturating_sub(entry.started);
            self.links[entry.link].first_byte_nanos = Some(took);
            self.tally.setup.first_byte.record(took);
        }
        let opens_connection = entry.opens_connection.then_some(entry.link);
        let judgement = self.workload.judge(exchange, answer.status, answer.length);
        let correct = matches!(judgement, Judgement::Correct);
        let counts = match judgement {
            Judgement::Correct => {
                let end = RequestEnd::answered(&ended, answer.status);
                self.list_if_slow(slot, end);
                self.log(slot, end, ended.payload, None);
                self.tally.correct(&ended)
            }
            Judgement::Failed(class, text) => {
                let counts = self.tally.answered_wrong(&ended, class, &text);
                if counts {
                    let end = RequestEnd::answered(&ended, answer.status);
                    self.list(slot, end, Some((class, &text)));
                    self.log(slot, end, 0, Some((class, &text)));
                }
                counts
            }
        };
        if correct {
            self.count_stages(slot, &ended);
        }
        if let (true, true, Some(link)) = (correct, counts, opens_connection) {
            let service = now.saturating_sub(ended.times.started);
            let opened = self.links[link].opened;
            self.tally.first_response(opened, service);
        }
        if self.follows {
            self.follow(slot, Some(answer.status), correct, now);
        }
        if counts {
            self.tally.status(ended.op, answer.status);
            if correct {
                let service = ended.times.ended.saturating_sub(ended.times.started);
                self.links[self.slots[slot].link].answered(service);
            }
        }
        if self.has_transactions {
            self.count_transactions(now);
        }
        self.tally.paused(self.quiet_since, now);
        self.end(now);
        self.quiet_since = if self.in_flight > 0 { now } else { NONE_OUT };
        let is_young = now < self.links[self.slots[slot].link].reopen_at;
        if answer.reusable && self.schedule.keep_alive && is_young {
            return self.free(slot, now);
        }
        self.part(slot, now, answer.reusable)
    }

    /// The request on `slot`, whose response is complete.
    #[inline]
    fn ended(&self, slot: usize, now: u64, answer: &ResponseSummary) -> Ended {
        let entry = &self.slots[slot];
        let exchange = &entry.exchange;
        let first_byte = match entry.first_byte {
            0 => now,
            before => before,
        };
        let head_length = exchange.head.len() as u64;
        let body_sent = match answer.cut_at {
            None => self.workload.payload(exchange).len() as u64,
            Some(bytes) => bytes.saturating_sub(head_length),
        };
        Ended {
            op: exchange.op,
            host: exchange.host,
            times: Times {
                intended: entry.intended,
                started: entry.started,
                ended: now,
            },
            first_byte,
            sent: head_length + body_sent,
            received: answer.received,
            payload: exchange.content.unwrap_or(body_sent.max(answer.length)),
            answered: answer.length,
        }
    }

    /// Counts the stages that the server names in a correct response, if the request was due inside
    /// the window.
    #[inline]
    fn count_stages(&mut self, slot: usize, ended: &Ended) {
        let Some(stages) = &mut self.stages else {
            return;
        };
        if !self.tally.is_due_inside(ended.times.intended) {
            return;
        }
        if let Some(nanos) = self.workload.server_time() {
            stages.add_total(slot, nanos);
        }
        let service = ended.times.ended.saturating_sub(ended.times.started);
        stages.count(slot, ended.op, service);
    }

    /// The slot of the next request that is due; `None` with a single host. With several hosts, a
    /// user's next request can need another slot than the previous request. Drivers therefore call
    /// this method after every [`Order::Rest`], so that no user waits for the next turn.
    #[inline]
    pub fn next_send(&mut self, now: u64) -> Option<usize> {
        if self.schedule.weights.len() == 1 || self.stopped || self.waiting {
            return None;
        }
        self.take_work(now)
    }

    /// Makes `slot`, whose request has ended, available. Returns the order for its next request, or
    /// [`Order::Rest`].
    #[inline]
    fn free(&mut self, slot: usize, now: u64) -> Order {
        let entry = &mut self.slots[slot];
        if self.links[entry.link].closing {
            entry.state = SlotState::Off;
            return Order::Rest;
        }
        entry.state = SlotState::Idle;
        if self.dispatch.is_direct() && !self.waiting && !self.stopped && self.work_is_due(now) {
            return self.prepare(slot, now);
        }
        self.slots[slot].rested = now;
        let host = self.slots[slot].exchange.host;
        self.dispatch.rest(slot, host);
        Order::Rest
    }

    /// Updates the state after a request has ended, with or without success.
    #[inline]
    fn end(&mut self, now: u64) {
        self.last_end = now;
        if self.in_flight == self.schedule.connections * self.schedule.depth {
            self.full_until = now;
        }
        self.in_flight -= 1;
        self.waiting = false;
        self.dispatch.begin_to_think(now);
    }

    /// Whether an operation may be issued now.
    #[inline]
    fn work_is_due(&self, now: u64) -> bool {
        let start = if self.closed_loop { now } else { self.due };
        !self.exhausted && self.due <= now && !self.over(start)
    }

    /// Whether the stop rules forbid an operation with this start.
    #[inline]
    fn over(&self, start: u64) -> bool {
        start >= self.allowance.until || self.issued >= self.allowance.operations
    }

    #[inline]
    fn prepare(&mut self, slot: usize, now: u64) -> Order {
        let moment = Moment {
            nanos: now,
            unix_seconds: self.unix_seconds(now),
        };
        let entry = &mut self.slots[slot];
        match self.workload.next(moment, &mut entry.exchange) {
            Next::Ready | Next::Same => {
                entry.state = SlotState::Busy;
                entry.started = 0;
                entry.first_byte = 0;
                entry.has_head = false;
                entry.writes = 0;
                entry.intended = now;
                if let Some(pacer) = &mut self.schedule.pacer {
                    entry.intended = self.due;
                    // From this time on, only this thread delayed the request.
                    let possible = self.due.max(entry.rested).max(self.full_until);
                    self.tally.sent_late(self.due, now.saturating_sub(possible));
                    pacer.take();
                    self.due = pacer.due();
                }
                // A request that cannot be written yet, for want of a stream or a connection, times
                // out like any other.
                let deadline = entry.deadline(self.schedule.timeout);
                self.next_deadline = self.next_deadline.min(deadline);
                self.issued += 1;
                let closed = self.window_closed || now >= self.schedule.close;
                self.unmeasured += u64::from(closed);
                self.in_flight += 1;
                // Keeps an earlier time: a failed request does not end the wait for a response.
                self.quiet_since = self.quiet_since.min(now);
                return Order::Send;
            }
            Next::Wait => (self.waiting, self.rested) = (true, u64::MAX),
            Next::Rest(until) => (self.waiting, self.rested) = (true, until),
            Next::Exhausted => self.exhausted = true,
        }
        let host = entry.exchange.host;
        self.dispatch.rest(slot, host);
        if self.exhausted && self.issued > 0 {
            self.close_for_all(now);
        }
        Order::Rest
    }

    /// Closes the window of all threads, because this thread has sent its share of a segment.
    fn close_for_all(&mut self, now: u64) {
        let Some(rest) = &self.schedule.rest else {
            return;
        };
        let edge = rest.edge.fetch_min(now, Ordering::Relaxed).min(now);
        self.cut_window(edge);
    }

    /// Seconds since 1970-01-01 UTC, computed once a second.
    #[inline]
    fn unix_seconds(&mut self, now: u64) -> u64 {
        if now >= self.second.1 {
            let unix = self.schedule.origin_unix + Duration::from_nanos(now);
            let left = 1_000_000_000 - u64::from(unix.subsec_nanos());
            self.second = (unix.as_secs(), now + left);
        }
        self.second.0
    }

    /// Counts the request on `slot` as failed without a complete response, and reports the failure
    /// to the workload.
    fn lose(&mut self, slot: usize, now: u64, class: ErrorClass, text: &str) {
        let entry = &mut self.slots[slot];
        entry.state = SlotState::Off;
        let times = Times {
            intended: entry.intended,
            // A request that was never written counts as started at its intended start.
            started: entry.started.max(entry.intended),
            ended: now,
        };
        let end = RequestEnd {
            op: entry.exchange.op,
            host: entry.exchange.host,
            times,
            first_byte: entry.first_byte,
            status: None,
        };
        let sent = entry.exchange.head.len() as u64;
        let counted = self.workload.loss(&entry.exchange, class);
        self.workload.lost(&mut entry.exchange, class);
        self.exhausted |= self.workload.gives_up();
        let (class, text) = match counted {
            Some(Loss::Failed(class, text)) => (class, text),
            _ => (class, text),
        };
        let is_expected = counted == Some(Loss::Expected);
        if is_expected {
            self.list_if_slow(slot, end);
            self.log(slot, end, 0, None);
            self.tally.correct(&Ended {
                op: end.op,
                host: end.host,
                times,
                first_byte: end.first_byte,
                sent,
                received: 0,
                payload: 0,
                answered: 0,
            });
        } else if self.tally.failed(end.op, end.host, times, class, text) {
            self.list(slot, end, Some((class, text)));
            self.log(slot, end, 0, Some((class, text)));
        }
        if self.follows {
            self.follow(slot, None, is_expected, now);
        }
        if class == ErrorClass::Timeout && self.window_closed {
            self.tally.censored(end.op, times);
        }
        if self.has_transactions {
            self.count_transactions(now);
        }
        // A failure is not a response: the pause continues.
        self.tally.paused(self.quiet_since, now);
        self.end(now);
    }

    /// Reports the outcome of the request on `slot` to the workload, if the request was due in the
    /// window.
    fn follow(&mut self, slot: usize, status: Option<u16>, correct: bool, now: u64) {
        let entry = &self.slots[slot];
        if !self.tally.is_due_inside(entry.intended) {
            return;
        }
        let start = if self.closed_loop {
            entry.started.max(entry.intended)
        } else {
            entry.intended
        };
        let outcome = RequestOutcome {
            status,
            correct,
            nanos: now.saturating_sub(start),
        };
        self.workload.completed(&entry.exchange, outcome);
    }

    /// Counts the transactions that the last request ended.
    fn count_transactions(&mut self, now: u64) {
        while let Some(transaction) = self.workload.transaction() {
            self.tally
                .transaction(&transaction, now, self.window_closed);
        }
    }
}
