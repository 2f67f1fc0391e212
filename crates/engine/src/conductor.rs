//! One thread's decisions: what is sent when, what counts, when it ends.
//!
//! The conductor owns no clock and no socket. Every event comes with its time,
//! so the same code runs on real sockets and, in tests, in virtual time.

use std::collections::VecDeque;
use std::time::Duration;

use crate::error::ErrorClass;
use crate::exchange::{AnswerHead, BodyUse, Exchange, Judgement, Moment, Next, Workload};
use crate::pacer::Pacer;
use crate::sample::{Ledger, Sample};
use crate::stop::StopRule;
use crate::tally::{Tally, Times, Window};
use crate::wire::Order;

/// Length of the stretch one sample covers.
const SAMPLE_NANOS: u64 = 1_000_000_000;
/// First and longest wait before connecting again after a refusal.
const BACK_OFF_NANOS: (u64, u64) = (5_000_000, 500_000_000);

/// How one thread is to conduct its part of a slice. Times are nanoseconds
/// since the slice's origin.
pub struct Score {
    /// This thread, from 0.
    pub thread: usize,
    /// Its connections.
    pub connections: usize,
    /// Reuse connections.
    pub keep_alive: bool,
    /// Start of the measured window.
    pub open: u64,
    /// End of the measured window.
    pub close: u64,
    /// How long an operation may take.
    pub timeout: u64,
    /// The schedule of an open loop.
    pub pacer: Option<Box<dyn Pacer>>,
    /// When to issue no more.
    pub stop_rules: Vec<Box<dyn StopRule>>,
    /// Wall time of the origin, since 1970-01-01 UTC.
    pub origin_unix: Duration,
}

/// What became of a connection's request.
#[derive(Debug, Clone, Copy)]
pub struct Answered {
    /// Status code.
    pub status: u16,
    /// Body bytes.
    pub length: u64,
    /// Bytes read for it, heads included.
    pub received: u64,
    /// Whether the server lets the connection be used again.
    pub reusable: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Not open, or being opened.
    Down,
    /// Waiting until this time to connect again.
    BackingOff(u64),
    /// Open, with nothing to do.
    Idle,
    /// A request is out.
    Busy,
    /// Not to be opened again.
    Over,
}

struct Slot {
    state: State,
    exchange: Exchange,
    intended: u64,
    started: u64,
    /// Requests carried by the present connection.
    carried: u64,
    /// Nanoseconds that making the present connection took.
    connect_nanos: u64,
    refusals: u32,
}

/// One thread's decisions. See the module's text.
pub struct Conductor<'w> {
    score: Score,
    workload: &'w mut dyn Workload,
    ship: &'w mut dyn FnMut(Sample),
    slots: Vec<Slot>,
    /// Open connections with nothing to do, longest rested first.
    idle: VecDeque<usize>,
    tally: Tally,
    window_open: bool,
    window_closed: bool,
    issued: u64,
    in_flight: usize,
    up: usize,
    /// Since when no connection has been open; of meaning while `up` is 0.
    none_up_since: u64,
    exhausted: bool,
    /// The workload said [`Next::Wait`]; ask again after the next judgement.
    waiting: bool,
    stopped: bool,
    last_end: u64,
    next_sample: u64,
    /// No request out is overdue before this time.
    next_deadline: u64,
    /// No refused connection is due again before this time.
    next_retry: u64,
}

impl<'w> Conductor<'w> {
    /// A conductor at the origin of its slice. `ship` takes a sample about once
    /// a second.
    pub fn new(
        score: Score,
        workload: &'w mut dyn Workload,
        ship: &'w mut dyn FnMut(Sample),
    ) -> Self {
        let window = Window {
            open: score.open,
            close: score.close,
        };
        let names = workload.operations().to_vec();
        let slots = (0..score.connections)
            .map(|_| Slot {
                state: State::Down,
                exchange: Exchange::default(),
                intended: 0,
                started: 0,
                carried: 0,
                connect_nanos: 0,
                refusals: 0,
            })
            .collect();
        Self {
            tally: Tally::new(score.thread, &names, window, score.pacer.is_some()),
            next_sample: score.open.saturating_add(SAMPLE_NANOS),
            window_open: score.open == 0,
            window_closed: false,
            idle: VecDeque::with_capacity(score.connections),
            slots,
            workload,
            ship,
            issued: 0,
            in_flight: 0,
            up: 0,
            none_up_since: 0,
            exhausted: false,
            waiting: false,
            stopped: false,
            last_end: score.open,
            next_deadline: u64::MAX,
            next_retry: u64::MAX,
            score,
        }
    }

    /// Number of connections, numbered from 0.
    pub fn connections(&self) -> usize {
        self.slots.len()
    }

    /// Issue nothing more and wait for nothing: the slice is cut short.
    pub fn stop(&mut self) {
        self.stopped = true;
    }

    /// The request to write on `slot` and its body.
    #[inline]
    pub fn request(&self, slot: usize) -> (&[u8], &[u8]) {
        let exchange = &self.slots[slot].exchange;
        (&exchange.head, self.workload.payload(exchange))
    }

    /// Whether the answer on `slot` cannot have a body.
    #[inline]
    pub fn bodyless_answer(&self, slot: usize) -> bool {
        self.slots[slot].exchange.bodyless_answer
    }

    /// Whether a request is out on `slot`.
    #[inline]
    pub fn busy(&self, slot: usize) -> bool {
        self.slots[slot].state == State::Busy
    }

    /// The write of the request on `slot` begins now.
    #[inline]
    pub fn writing(&mut self, slot: usize, now: u64) {
        let closed_loop = self.score.pacer.is_none();
        let entry = &mut self.slots[slot];
        entry.started = now;
        if closed_loop {
            entry.intended = now;
        }
        let deadline = entry.intended.saturating_add(self.score.timeout);
        self.next_deadline = self.next_deadline.min(deadline);
        if entry.carried > 0 {
            self.tally.ledger.reused += 1;
        }
        entry.carried += 1;
    }

    /// `slot` is connected, after `took` nanoseconds.
    pub fn connected(&mut self, slot: usize, now: u64, took: u64) -> Order {
        self.tally.ledger.opened += 1;
        self.tally.ledger.connect_nanos += took;
        let entry = &mut self.slots[slot];
        entry.carried = 0;
        entry.connect_nanos = took;
        entry.refusals = 0;
        self.up += 1;
        self.free(slot, now)
    }

    /// `slot` could not be connected.
    pub fn refused(&mut self, slot: usize, now: u64, text: &str) -> Order {
        self.tally.ledger.refused += 1;
        if self.score.pacer.is_none() && !self.over(now) {
            // In an open loop the arrival stays due, and fails at its timeout.
            let times = Times {
                intended: now,
                started: now,
                ended: now,
            };
            self.issued += 1;
            self.tally.failed(0, times, ErrorClass::Connect, text);
        }
        let entry = &mut self.slots[slot];
        let wait = BACK_OFF_NANOS.0 << entry.refusals.min(10);
        let again = now + wait.min(BACK_OFF_NANOS.1);
        entry.refusals += 1;
        entry.state = State::BackingOff(again);
        self.next_retry = self.next_retry.min(again);
        Order::Close
    }

    /// The head of the answer on `slot` has come.
    #[inline]
    pub fn head(&mut self, slot: usize, head: &AnswerHead<'_>) -> BodyUse {
        self.workload.head(&mut self.slots[slot].exchange, head)
    }

    /// A part of the body of the answer on `slot`.
    #[inline]
    pub fn body(&mut self, slot: usize, offset: u64, part: &[u8]) {
        self.workload
            .body(&mut self.slots[slot].exchange, offset, part);
    }

    /// The answer on `slot` is complete.
    #[inline]
    pub fn answered(&mut self, slot: usize, now: u64, answer: Answered) -> Order {
        let entry = &mut self.slots[slot];
        let exchange = &mut entry.exchange;
        let times = Times {
            intended: entry.intended,
            started: entry.started,
            ended: now,
        };
        let op = exchange.op;
        let body_sent = self.workload.payload(exchange).len() as u64;
        let sent = exchange.head.len() as u64 + body_sent;
        self.tally.traffic(op, sent, answer.received, now);
        let counts = match self.workload.judge(exchange, answer.status, answer.length) {
            Judgement::Correct => self.tally.correct(op, times, body_sent.max(answer.length)),
            Judgement::Failed(class, text) => self.tally.failed(op, times, class, &text),
        };
        if counts {
            self.tally.status(op, answer.status);
        }
        self.last_end = now;
        self.in_flight -= 1;
        self.waiting = false;
        if answer.reusable && self.score.keep_alive {
            return self.free(slot, now);
        }
        let ledger = &mut self.tally.ledger;
        if answer.reusable {
            ledger.closed_by_client += 1;
        } else {
            ledger.closed_by_server += 1;
        }
        self.down(now);
        self.reopen(slot, now)
    }

    /// The request on `slot` came to nothing: reset, closed early, or garbage.
    pub fn broken(&mut self, slot: usize, now: u64, class: ErrorClass, text: &str) -> Order {
        let ledger = &mut self.tally.ledger;
        match class {
            ErrorClass::Reset => ledger.reset += 1,
            _ => ledger.closed_by_client += 1,
        }
        self.lose(slot, now, class, text);
        self.down(now);
        self.reopen(slot, now)
    }

    /// The server closed `slot` in good order while nothing was out on it.
    pub fn dropped(&mut self, slot: usize, now: u64) -> Order {
        self.tally.ledger.closed_by_server += 1;
        self.idle.retain(|&other| other != slot);
        self.down(now);
        self.reopen(slot, now)
    }

    /// What time alone brings about: asked again until it says `None`.
    pub fn tick(&mut self, now: u64) -> Option<(usize, Order)> {
        self.turn_window(now);
        if self.stopped {
            return None;
        }
        if now >= self.next_deadline
            && let Some(late) = self.take_overdue(now)
        {
            return Some(late);
        }
        if now >= self.next_retry
            && let Some(slot) = self.take_retry(now)
        {
            return Some((slot, Order::Reopen));
        }
        self.expire_queue(now);
        if self.waiting {
            return None;
        }
        while self.work_is_due(now) {
            let slot = self.idle.pop_front()?;
            match self.prepare(slot, now) {
                Order::Rest => {
                    if self.waiting || self.exhausted {
                        return None;
                    }
                }
                order => return Some((slot, order)),
            }
        }
        None
    }

    /// When [`Self::tick`] must be asked again at the latest.
    pub fn wake(&self, now: u64) -> u64 {
        let mut wake = self.next_deadline.min(self.next_retry);
        if !self.window_open {
            wake = wake.min(self.score.open);
        } else if !self.window_closed {
            wake = wake.min(self.next_sample).min(self.score.close);
        }
        if let Some(due) = self.next_arrival() {
            // With nothing idle, an arrival can only expire.
            let act = if self.idle.is_empty() {
                due.saturating_add(self.score.timeout)
            } else {
                due
            };
            wake = wake.min(act);
        }
        wake.max(now)
    }

    /// Whether the slice is over for this thread.
    pub fn finished(&self, now: u64) -> bool {
        if self.stopped {
            return true;
        }
        if self.in_flight > 0 {
            return false;
        }
        self.exhausted || self.count_reached(now) || (now >= self.score.close && !self.backlogged())
    }

    /// Ships the last sample. Requests still out are censored.
    pub fn finish(&mut self, now: u64) {
        if !self.window_closed {
            let end = if self.stopped { now } else { self.last_end };
            self.close_window(end.clamp(self.score.open, self.score.close));
        }
        for slot in 0..self.slots.len() {
            if self.busy(slot) {
                let entry = &mut self.slots[slot];
                self.workload.lost(&mut entry.exchange, ErrorClass::Timeout);
            }
        }
        let drained = self.tally.ship(now.max(self.tally.since()), 0, true);
        (self.ship)(drained);
    }

    fn free(&mut self, slot: usize, now: u64) -> Order {
        self.slots[slot].state = State::Idle;
        if self.waiting || self.stopped || !self.work_is_due(now) {
            self.idle.push_back(slot);
            return Order::Rest;
        }
        self.prepare(slot, now)
    }

    /// Whether an operation may be issued now.
    #[inline]
    fn work_is_due(&self, now: u64) -> bool {
        if self.exhausted {
            return false;
        }
        match &self.score.pacer {
            None => !self.over(now),
            Some(pacer) => pacer.due() <= now && !self.over(pacer.due()),
        }
    }

    #[inline]
    fn over(&self, start: u64) -> bool {
        self.score
            .stop_rules
            .iter()
            .any(|rule| rule.over(start, self.issued))
    }

    fn count_reached(&self, now: u64) -> bool {
        let start = match &self.score.pacer {
            None => now.min(self.score.close.saturating_sub(1)),
            Some(_) => 0,
        };
        self.over(start)
    }

    /// Whether arrivals due inside the window are still to be sent.
    fn backlogged(&self) -> bool {
        self.next_arrival().is_some()
    }

    /// Open loop: when the next operation is due, if there is to be another.
    #[inline]
    fn next_arrival(&self) -> Option<u64> {
        let due = self.score.pacer.as_ref()?.due();
        (!self.over(due)).then_some(due)
    }

    fn down(&mut self, now: u64) {
        self.up -= 1;
        if self.up == 0 {
            self.none_up_since = now;
        }
    }

    #[inline]
    fn prepare(&mut self, slot: usize, now: u64) -> Order {
        let moment = Moment {
            nanos: now,
            unix_seconds: (self.score.origin_unix + Duration::from_nanos(now)).as_secs(),
        };
        let entry = &mut self.slots[slot];
        match self.workload.next(moment, &mut entry.exchange) {
            Next::Ready | Next::Same => {
                entry.state = State::Busy;
                entry.started = now;
                entry.intended = now;
                if let Some(pacer) = &mut self.score.pacer {
                    entry.intended = pacer.due();
                    pacer.take();
                }
                self.issued += 1;
                self.in_flight += 1;
                return Order::Send;
            }
            Next::Wait => self.waiting = true,
            Next::Exhausted => self.exhausted = true,
        }
        self.idle.push_back(slot);
        Order::Rest
    }

    fn reopen(&mut self, slot: usize, now: u64) -> Order {
        let more = match &self.score.pacer {
            None => !self.over(now),
            Some(_) => self.backlogged(),
        };
        if self.stopped || self.exhausted || !more {
            self.slots[slot].state = State::Over;
            return Order::Close;
        }
        self.slots[slot].state = State::Down;
        Order::Reopen
    }

    fn lose(&mut self, slot: usize, now: u64, class: ErrorClass, text: &str) {
        let entry = &mut self.slots[slot];
        let times = Times {
            intended: entry.intended,
            started: entry.started,
            ended: now,
        };
        let op = entry.exchange.op;
        self.workload.lost(&mut entry.exchange, class);
        self.tally.failed(op, times, class, text);
        if class == ErrorClass::Timeout && self.window_closed {
            self.tally.censored(op, times);
        }
        self.last_end = now;
        self.in_flight -= 1;
        self.waiting = false;
    }

    /// Finds a request that is out for too long. One look at all connections
    /// per timeout is enough: requests sent later are overdue later.
    fn take_overdue(&mut self, now: u64) -> Option<(usize, Order)> {
        let timeout = self.score.timeout;
        let mut next = u64::MAX;
        for slot in 0..self.slots.len() {
            if !self.busy(slot) {
                continue;
            }
            let deadline = self.slots[slot].intended.saturating_add(timeout);
            if deadline <= now {
                let order = self.broken(slot, now, ErrorClass::Timeout, "no answer in time");
                return Some((slot, order));
            }
            next = next.min(deadline);
        }
        self.next_deadline = next;
        None
    }

    fn take_retry(&mut self, now: u64) -> Option<usize> {
        let mut next = u64::MAX;
        for slot in 0..self.slots.len() {
            if let State::BackingOff(again) = self.slots[slot].state {
                if again <= now {
                    self.slots[slot].state = State::Down;
                    return Some(slot);
                }
                next = next.min(again);
            }
        }
        self.next_retry = next;
        None
    }

    /// Open loop: arrivals that found no connection within the timeout failed.
    fn expire_queue(&mut self, now: u64) {
        let timeout = self.score.timeout;
        while let Some(due) = self.next_arrival() {
            if due.saturating_add(timeout) > now {
                return;
            }
            if let Some(pacer) = &mut self.score.pacer {
                pacer.take();
            }
            self.issued += 1;
            // Connections given up on just now were there while it waited.
            let (class, text) = if self.up == 0 && self.none_up_since <= due {
                (ErrorClass::Connect, "no connection in time")
            } else {
                (ErrorClass::Timeout, "waited too long for a free connection")
            };
            let times = Times {
                intended: due,
                started: due,
                ended: now,
            };
            self.tally.failed(0, times, class, text);
            if self.window_closed {
                self.tally.censored(0, times);
            }
        }
    }

    /// Opens and closes the window and ships samples as time goes by.
    fn turn_window(&mut self, now: u64) {
        if !self.window_open {
            if now < self.score.open {
                return;
            }
            self.window_open = true;
            let standing = self.standing();
            self.tally.open_window(standing);
        }
        if self.window_closed {
            return;
        }
        if now >= self.score.close {
            self.close_window(self.score.close);
        } else if now >= self.next_sample {
            let backlog = self.backlog(now);
            let sample = self.tally.ship(now, backlog, false);
            (self.ship)(sample);
            self.next_sample = now + SAMPLE_NANOS;
        }
    }

    fn close_window(&mut self, at: u64) {
        self.window_closed = true;
        self.tally.close_window(at);
        let backlog = self.backlog(at);
        let sample = self.tally.ship(at, backlog, false);
        (self.ship)(sample);
    }

    /// The connections that the lead leaves to the window.
    fn standing(&self) -> Ledger {
        let up = self
            .slots
            .iter()
            .filter(|slot| matches!(slot.state, State::Idle | State::Busy));
        up.fold(Ledger::default(), |sum, slot| Ledger {
            opened: sum.opened + 1,
            connect_nanos: sum.connect_nanos + slot.connect_nanos,
            ..sum
        })
    }

    fn backlog(&self, now: u64) -> u64 {
        let until = now.min(self.score.close);
        let Some(pacer) = &self.score.pacer else {
            return 0;
        };
        let rules = self.score.stop_rules.iter();
        let left = rules.map(|rule| rule.left(self.issued)).min();
        pacer.due_before(until).min(left.unwrap_or(u64::MAX))
    }
}
