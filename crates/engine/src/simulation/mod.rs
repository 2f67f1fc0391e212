//! A simulated target in virtual time, for exact tests of the scheduler.

mod closed;
mod connections;
mod following;
mod listing;
mod open;
mod segment;
mod slots;
mod transactions;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use tenbin_plan::{Load, Pace};

use crate::driver::Driver;
use crate::error::ErrorClass;
use crate::exchange::{Exchange, Judgement, Moment, Next, Workload};
use crate::opened::Opened;
use crate::order::Order;
use crate::request_list::RequestList;
use crate::sample::{Ledger, OpSample, Sample};
use crate::scheduler::{ResponseSummary, Rest, Return, Schedule, Scheduler};
use crate::think::Thinker;
use crate::{driver, pacer, stop};

const MILLIS: u64 = 1_000_000;
const SECOND: u64 = 1_000_000_000;

/// How the simulated server handles a request.
#[derive(Debug, Clone, Copy)]
enum Fate {
    /// Responds with this status after this time, nanoseconds.
    Answer(u64, u16),
    /// Responds after this time, nanoseconds, then closes the connection.
    AnswerAndClose(u64),
    /// Resets the connection after this time, nanoseconds.
    Reset(u64),
    /// Never responds.
    Silence,
    /// Does not process the request, and reports so after this time, nanoseconds.
    Return(u64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Connected,
    Refused,
    ResponseSummary { status: u16, reusable: bool },
    Reset,
    Returned,
}

/// A scheduled event. Simultaneous events happen in the order of their creation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct ScheduledEvent {
    time: u64,
    created: u64,
    slot: usize,
    generation: u64,
    event: Event,
}

/// A server whose behaviour is given by the functions `fate` and `accepts`.
struct Simulation<'s> {
    now: u64,
    events: BinaryHeap<Reverse<ScheduledEvent>>,
    created: u64,
    /// A generation number per slot. An increment, when the connection is closed or the response is
    /// given up, invalidates the slot's scheduled events.
    generation: Vec<u64>,
    depth: usize,
    /// How the server handles a request, by slot and time in nanoseconds.
    fate: &'s mut dyn FnMut(usize, u64) -> Fate,
    /// Whether a connection attempt succeeds, by time in nanoseconds.
    accepts: &'s dyn Fn(u64) -> bool,
    stop: &'s AtomicBool,
    stop_at: u64,
    /// Duration of a connection attempt, nanoseconds.
    connect_nanos: u64,
    /// Time from the end of a connection to the next attempt, nanoseconds.
    replace_nanos: u64,
    turns: u64,
}

impl Simulation<'_> {
    /// Invalidates the scheduled events of the connection of `slot`.
    fn lapse(&mut self, slot: usize) {
        let first = slot - slot % self.depth;
        for generation in &mut self.generation[first..first + self.depth] {
            *generation += 1;
        }
    }

    fn after(&mut self, wait: u64, slot: usize, event: Event) {
        self.created += 1;
        let generation = self.generation[slot];
        self.events.push(Reverse(ScheduledEvent {
            time: self.now + wait,
            created: self.created,
            slot,
            generation,
            event,
        }));
    }
}

impl Driver for Simulation<'_> {
    fn now(&self) -> u64 {
        self.now
    }

    fn execute(&mut self, slot: usize, order: Order, scheduler: &mut Scheduler<'_>) {
        match order {
            Order::Send => {
                scheduler.writing(slot, self.now);
                match (self.fate)(slot, self.now) {
                    Fate::Answer(wait, status) => {
                        let reusable = true;
                        self.after(wait, slot, Event::ResponseSummary { status, reusable });
                    }
                    Fate::AnswerAndClose(wait) => {
                        let (status, reusable) = (200, false);
                        self.after(wait, slot, Event::ResponseSummary { status, reusable });
                    }
                    Fate::Reset(wait) => self.after(wait, slot, Event::Reset),
                    Fate::Return(wait) => self.after(wait, slot, Event::Returned),
                    Fate::Silence => {}
                }
            }
            Order::Rest => {}
            Order::Reopen => {
                self.lapse(slot);
                let event = if (self.accepts)(self.now) {
                    Event::Connected
                } else {
                    Event::Refused
                };
                self.after(self.replace_nanos + self.connect_nanos, slot, event);
            }
            Order::Close => self.lapse(slot),
            Order::Cancel if self.depth > 1 => {
                self.generation[slot] += 1;
                let order = scheduler.vacated(slot, self.now);
                self.execute(slot, order, scheduler);
            }
            Order::Cancel => {
                self.lapse(slot);
                let order = scheduler.hung_up(slot, self.now);
                self.execute(slot, order, scheduler);
            }
        }
    }

    fn turn(&mut self, wake: u64, scheduler: &mut Scheduler<'_>) -> io::Result<()> {
        self.turns += 1;
        assert!(
            self.turns < 1_000_000,
            "the scheduler loops without progress at {} ns",
            self.now
        );
        let next = self.events.peek().map_or(u64::MAX, |event| event.0.time);
        let until = next.min(wake);
        assert!(until < u64::MAX, "no event is scheduled");
        if self.stop_at <= until {
            self.now = self.stop_at;
            self.stop_at = u64::MAX;
            self.stop.store(true, Ordering::Relaxed);
            return Ok(());
        }
        self.now = self.now.max(until);
        while let Some(&Reverse(event)) = self.events.peek() {
            if event.time > self.now {
                break;
            }
            self.events.pop();
            let slot = event.slot;
            if event.generation != self.generation[slot] {
                continue;
            }
            let order = match event.event {
                Event::Connected => {
                    let opened = Opened {
                        connect_nanos: self.connect_nanos,
                        tls_nanos: None,
                    };
                    scheduler.connected(slot / self.depth, self.now, opened)
                }
                Event::Refused => {
                    scheduler.refused(slot / self.depth, self.now, "connection refused")
                }
                Event::ResponseSummary { status, reusable } => {
                    let answer = ResponseSummary {
                        status,
                        length: 0,
                        received: 100,
                        cut_at: None,
                        reusable,
                    };
                    scheduler.answered(slot, self.now, answer)
                }
                Event::Reset => {
                    self.lapse(slot);
                    let connection = slot / self.depth;
                    scheduler.broken(connection, self.now, ErrorClass::Reset, "reset")
                }
                Event::Returned => {
                    scheduler.returned(slot, self.now, Return::Closed);
                    Order::Rest
                }
            };
            self.execute(slot, order, scheduler);
        }
        Ok(())
    }
}

/// A workload that sends `left` requests; status 200 is correct.
struct Simple {
    left: u64,
    /// Whether each request waits until the previous request has ended.
    one_at_a_time: bool,
    out: u64,
    lost: u64,
}

impl Simple {
    fn endless() -> Self {
        Self::exactly(u64::MAX)
    }

    fn exactly(left: u64) -> Self {
        Self {
            left,
            one_at_a_time: false,
            out: 0,
            lost: 0,
        }
    }
}

impl Workload for Simple {
    fn operations(&self) -> &[&'static str] {
        &["GET"]
    }

    fn next(&mut self, _now: Moment, _exchange: &mut Exchange) -> Next {
        if self.one_at_a_time && self.out > 0 {
            return Next::Wait;
        }
        if self.left == 0 {
            return Next::Exhausted;
        }
        self.left -= 1;
        self.out += 1;
        Next::Ready
    }

    fn judge(&mut self, _exchange: &mut Exchange, status: u16, _length: u64) -> Judgement {
        self.out -= 1;
        if status == 200 {
            Judgement::Correct
        } else {
            Judgement::Failed(ErrorClass::Status, format!("status {status}"))
        }
    }

    fn lost(&mut self, _exchange: &mut Exchange, _class: ErrorClass) {
        self.out -= 1;
        self.lost += 1;
    }
}

/// Parameters of a slice on the simulated server.
struct Play {
    load: Load,
    lead: u64,
    window: u64,
    rest: Option<u64>,
    stop_at: u64,
    connect_nanos: u64,
    replace_nanos: u64,
    depth: usize,
    weights: Vec<u32>,
}

impl Play {
    fn closed(connections: usize) -> Self {
        Self {
            load: Load {
                pace: Pace::Closed,
                connections,
                timeout: Duration::from_secs(2),
                keep_alive: true,
                reopen: None,
                depth: 1,
                requests: None,
                think: None,
            },
            lead: 0,
            window: SECOND,
            rest: None,
            stop_at: u64::MAX,
            connect_nanos: 0,
            replace_nanos: 0,
            depth: 1,
            weights: vec![1],
        }
    }

    fn constant(per_second: f64, connections: usize) -> Self {
        let mut play = Self::closed(connections);
        play.load.pace = Pace::Constant { per_second };
        play
    }

    fn on(
        &self,
        workload: &mut dyn Workload,
        fate: &mut dyn FnMut(usize, u64) -> Fate,
    ) -> SliceResult {
        self.against(workload, fate, &|_| true)
    }

    fn against(
        &self,
        workload: &mut dyn Workload,
        fate: &mut dyn FnMut(usize, u64) -> Fate,
        accepts: &dyn Fn(u64) -> bool,
    ) -> SliceResult {
        let close = self.window.saturating_add(self.lead);
        let part = pacer::Part {
            thread: 0,
            threads: 1,
            seed: 1,
            open: self.lead,
            close,
        };
        let schedule = Schedule {
            thread: 0,
            beside: false,
            connections: self.load.connections,
            depth: self.depth,
            weights: self.weights.clone(),
            think: self.load.think.map(|think| Thinker::new(&think, 1, 0)),
            keep_alive: self.load.keep_alive,
            reopens: self.load.reopen.unwrap_or(1),
            stages: false,
            open: self.lead,
            close,
            timeout: self.load.timeout.as_nanos() as u64,
            pacer: pacer::for_thread(&self.load, part),
            rest: self.rest.map(|most| Rest {
                most,
                edge: Arc::new(AtomicU64::new(u64::MAX)),
            }),
            stop_rules: stop::rules(
                close.saturating_add(self.rest.unwrap_or(0)),
                self.load.requests,
            ),
            longest_pause: u64::MAX,
            origin_unix: Duration::ZERO,
        };
        let stop = AtomicBool::new(false);
        let mut simulation = Simulation {
            now: 0,
            events: BinaryHeap::new(),
            created: 0,
            generation: vec![0; self.load.connections * self.depth * self.weights.len()],
            depth: self.depth,
            fate,
            accepts,
            stop: &stop,
            stop_at: self.stop_at,
            connect_nanos: self.connect_nanos,
            replace_nanos: self.replace_nanos,
            turns: 0,
        };
        let mut samples = Vec::new();
        let mut ship = |sample| samples.push(sample);
        let mut scheduler = Scheduler::new(schedule, workload, &mut ship);
        driver::run(&mut simulation, &mut scheduler, &stop).unwrap();
        let lives = scheduler.take_lives();
        let unmeasured = scheduler.unmeasured();
        let requests = scheduler.take_requests(&["one:80".to_owned()]);
        drop(scheduler);
        SliceResult {
            unmeasured,
            requests,
            ..SliceResult::new(samples, lives, simulation.turns)
        }
    }
}

/// All samples of a slice and their sums.
struct SliceResult {
    samples: Vec<Sample>,
    total: OpSample,
    ledger: Ledger,
    lives: Vec<crate::spread::Life>,
    seconds: f64,
    /// Operations issued after the window closed.
    unmeasured: u64,
    requests: RequestList,
    /// How often the scheduler was woken.
    turns: u64,
}

impl SliceResult {
    fn new(samples: Vec<Sample>, lives: Vec<crate::spread::Life>, turns: u64) -> Self {
        let mut total = OpSample::new("GET");
        let mut ledger = Ledger::default();
        let mut end = 0;
        for sample in &samples {
            total.add(&sample.ops[0]);
            ledger += sample.ledger;
            if !sample.drain {
                end = end.max(sample.end);
            }
        }
        Self {
            samples,
            total,
            ledger,
            lives,
            seconds: end as f64 / 1e9,
            unmeasured: 0,
            requests: RequestList::default(),
            turns,
        }
    }

    fn errors(&self, class: ErrorClass) -> u64 {
        self.total.errors_of(class)
    }
}

fn near(value: u64, expected: u64) -> bool {
    value.abs_diff(expected) * 1000 <= expected
}
