//! The scheduler of one thread decides what is sent when, what counts, and when the slice ends.
//!
//! The scheduler owns no clock and no socket. Every event carries a time, so the same code runs on
//! real sockets and, in tests, in virtual time.
//!
//! [`requests`] handles requests, [`connections`] connection events, and [`clockwork`] time-driven
//! events. [`dispatch`] chooses the virtual user and the host of the next request.

mod clockwork;
mod connections;
mod dispatch;
mod listing;
mod requests;
mod schedule;
mod slot;

use std::sync::atomic::Ordering;
use std::time::Duration;

use self::connections::Link;
pub use self::connections::Return;
use self::dispatch::Dispatch;
pub use self::requests::ResponseSummary;
pub use self::schedule::{Rest, Schedule};
use self::slot::Slot;
use crate::exchange::{Role, Workload};
use crate::request_list::{RequestCollector, RequestList};
use crate::request_log::RequestLogger;
use crate::sample::Sample;
use crate::spread::Life;
use crate::stages::{StageSums, StageTally};
use crate::stop::Allowance;
use crate::tally::{Tally, Window};

/// Value of `quiet_since` when no request is in flight.
const NONE_OUT: u64 = u64::MAX;

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
    /// Whether the workload returned [`crate::Next::Wait`] or [`crate::Next::Rest`] and must be called
    /// again when a request has ended.
    waiting: bool,
    /// Time at which the workload is called again even if no request has ended, from
    /// [`crate::Next::Rest`].
    rested: u64,
    stopped: bool,
    /// Time at which a stopped slice ends, even with requests in flight.
    drain_limit: u64,
    /// Time from which no request of the queue is sent any more; [`u64::MAX`] in a closed loop and
    /// without an end of the window.
    queue_limit: u64,
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
            queue_limit: clockwork::queue_limit(&schedule),
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

    /// The slot of the next request that is due; `None` with a single host. With several hosts, a
    /// user's next request can need another slot than the previous request. Drivers therefore call
    /// this method after every [`crate::order::Order::Rest`], so that no user waits for the next turn.
    #[inline]
    pub fn next_send(&mut self, now: u64) -> Option<usize> {
        if self.schedule.weights.len() == 1 || self.stopped || self.waiting {
            return None;
        }
        self.take_work(now)
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
}
