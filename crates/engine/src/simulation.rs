//! A simulated target in virtual time, and the conductor's exact tests on it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tenbin_plan::{Load, Pace};

use crate::conductor::{Answered, Conductor, Opened, Score};
use crate::error::ErrorClass;
use crate::exchange::{Exchange, Judgement, Moment, Next, Workload};
use crate::order::Order;
use crate::sample::{Ledger, OpSample, Sample};
use crate::wire::Wire;
use crate::{pacer, stop, wire};

const MILLIS: u64 = 1_000_000;
const SECOND: u64 = 1_000_000_000;

/// What the simulated server does with a request.
#[derive(Debug, Clone, Copy)]
enum Fate {
    /// Answers with this status after so many nanoseconds.
    Answer(u64, u16),
    /// Answers, then closes.
    AnswerAndClose(u64),
    /// Resets the connection after so many nanoseconds.
    Reset(u64),
    /// Never answers.
    Silence,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Connected,
    Refused,
    Answered { status: u16, reusable: bool },
    Reset,
}

/// An event to come. The order of creation decides between simultaneous ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Coming {
    time: u64,
    created: u64,
    slot: usize,
    generation: u64,
    event: Event,
}

/// A server given by two functions of time.
struct Simulation<'s> {
    now: u64,
    events: BinaryHeap<Reverse<Coming>>,
    created: u64,
    /// Counted up whenever a connection is closed, so that its events lapse.
    generation: Vec<u64>,
    /// The fate of a request on a connection at a time.
    fate: &'s mut dyn FnMut(usize, u64) -> Fate,
    /// Whether a connection attempt at a time succeeds.
    accepts: &'s dyn Fn(u64) -> bool,
    stop: &'s AtomicBool,
    stop_at: u64,
    /// How long it takes to connect.
    connect_nanos: u64,
    turns: u64,
}

impl Simulation<'_> {
    fn after(&mut self, wait: u64, slot: usize, event: Event) {
        self.created += 1;
        let generation = self.generation[slot];
        self.events.push(Reverse(Coming {
            time: self.now + wait,
            created: self.created,
            slot,
            generation,
            event,
        }));
    }
}

impl Wire for Simulation<'_> {
    fn now(&self) -> u64 {
        self.now
    }

    fn obey(&mut self, slot: usize, order: Order, conductor: &mut Conductor<'_>) {
        match order {
            Order::Send => {
                conductor.writing(slot, self.now);
                match (self.fate)(slot, self.now) {
                    Fate::Answer(wait, status) => {
                        let reusable = true;
                        self.after(wait, slot, Event::Answered { status, reusable });
                    }
                    Fate::AnswerAndClose(wait) => {
                        let (status, reusable) = (200, false);
                        self.after(wait, slot, Event::Answered { status, reusable });
                    }
                    Fate::Reset(wait) => self.after(wait, slot, Event::Reset),
                    Fate::Silence => {}
                }
            }
            Order::Rest => {}
            Order::Reopen => {
                self.generation[slot] += 1;
                let event = if (self.accepts)(self.now) {
                    Event::Connected
                } else {
                    Event::Refused
                };
                self.after(self.connect_nanos, slot, event);
            }
            Order::Close => self.generation[slot] += 1,
            Order::Cancel => {
                self.generation[slot] += 1;
                let order = conductor.hung_up(slot, self.now);
                self.obey(slot, order, conductor);
            }
        }
    }

    fn turn(&mut self, wake: u64, conductor: &mut Conductor<'_>) -> io::Result<()> {
        self.turns += 1;
        assert!(self.turns < 1_000_000, "it spins at {} ns", self.now);
        let next = self.events.peek().map_or(u64::MAX, |coming| coming.0.time);
        let until = next.min(wake);
        assert!(until < u64::MAX, "nothing would ever happen again");
        if self.stop_at <= until {
            self.now = self.stop_at;
            self.stop.store(true, Ordering::Relaxed);
            return Ok(());
        }
        self.now = self.now.max(until);
        while let Some(&Reverse(coming)) = self.events.peek() {
            if coming.time > self.now {
                break;
            }
            self.events.pop();
            let slot = coming.slot;
            if coming.generation != self.generation[slot] {
                continue;
            }
            let order = match coming.event {
                Event::Connected => {
                    let opened = Opened {
                        connect_nanos: self.connect_nanos,
                        tls_nanos: None,
                    };
                    conductor.connected(slot, self.now, opened)
                }
                Event::Refused => conductor.refused(slot, self.now, "connection refused"),
                Event::Answered { status, reusable } => {
                    let answer = Answered {
                        status,
                        length: 0,
                        received: 100,
                        reusable,
                    };
                    conductor.answered(slot, self.now, answer)
                }
                Event::Reset => conductor.broken(slot, self.now, ErrorClass::Reset, "reset"),
            };
            self.obey(slot, order, conductor);
        }
        Ok(())
    }
}

/// Sends requests until `left` is used up; 200 is correct.
struct Simple {
    left: u64,
    /// Wait with the second request until the first is judged.
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

/// A slice on the simulated server.
struct Play {
    load: Load,
    lead: u64,
    window: u64,
    stop_at: u64,
    connect_nanos: u64,
}

impl Play {
    fn closed(connections: usize) -> Self {
        Self {
            load: Load {
                pace: Pace::Closed,
                connections,
                timeout: Duration::from_secs(2),
                keep_alive: true,
                requests: None,
            },
            lead: 0,
            window: SECOND,
            stop_at: u64::MAX,
            connect_nanos: 0,
        }
    }

    fn constant(per_second: f64, connections: usize) -> Self {
        let mut play = Self::closed(connections);
        play.load.pace = Pace::Constant { per_second };
        play
    }

    fn on(&self, workload: &mut Simple, fate: &mut dyn FnMut(usize, u64) -> Fate) -> Played {
        self.against(workload, fate, &|_| true)
    }

    fn against(
        &self,
        workload: &mut Simple,
        fate: &mut dyn FnMut(usize, u64) -> Fate,
        accepts: &dyn Fn(u64) -> bool,
    ) -> Played {
        let close = self.window.saturating_add(self.lead);
        let part = pacer::Part {
            thread: 0,
            threads: 1,
            seed: 1,
            open: self.lead,
            close,
        };
        let score = Score {
            thread: 0,
            connections: self.load.connections,
            lanes: 1,
            weights: vec![1],
            think: None,
            keep_alive: self.load.keep_alive,
            open: self.lead,
            close,
            timeout: self.load.timeout.as_nanos() as u64,
            pacer: pacer::for_thread(&self.load, part),
            stop_rules: stop::rules(close, self.load.requests),
            origin_unix: Duration::ZERO,
        };
        let stop = AtomicBool::new(false);
        let mut simulation = Simulation {
            now: 0,
            events: BinaryHeap::new(),
            created: 0,
            generation: vec![0; self.load.connections],
            fate,
            accepts,
            stop: &stop,
            stop_at: self.stop_at,
            connect_nanos: self.connect_nanos,
            turns: 0,
        };
        let mut samples = Vec::new();
        let mut ship = |sample| samples.push(sample);
        let mut conductor = Conductor::new(score, workload, &mut ship);
        wire::run(&mut simulation, &mut conductor, &stop).unwrap();
        drop(conductor);
        Played::new(samples, simulation.turns)
    }
}

/// All samples of a slice, added up.
struct Played {
    samples: Vec<Sample>,
    total: OpSample,
    ledger: Ledger,
    seconds: f64,
    /// How often the conductor was woken.
    turns: u64,
}

impl Played {
    fn new(samples: Vec<Sample>, turns: u64) -> Self {
        let mut total = OpSample::new("GET");
        let mut ledger = Ledger::default();
        let mut end = 0;
        for sample in &samples {
            let op = &sample.ops[0];
            total.ok += op.ok;
            total.censored += op.censored;
            for (sum, count) in total.errors.iter_mut().zip(op.errors) {
                *sum += count;
            }
            for (text, count) in &op.failures {
                *total.failures.entry(text.clone()).or_default() += count;
            }
            for (status, count) in &op.statuses {
                *total.statuses.entry(*status).or_default() += count;
            }
            total.service.add(&op.service).unwrap();
            total.response.add(&op.response).unwrap();
            total.lag.add(&op.lag).unwrap();
            total.failed.add(&op.failed).unwrap();
            ledger += sample.ledger;
            if !sample.drain {
                end = end.max(sample.end);
            }
        }
        Self {
            samples,
            total,
            ledger,
            seconds: end as f64 / 1e9,
            turns,
        }
    }

    fn errors(&self, class: ErrorClass) -> u64 {
        self.total.errors[class as usize]
    }
}

fn near(value: u64, expected: u64) -> bool {
    value.abs_diff(expected) * 1000 <= expected
}

#[test]
fn a_closed_loop_sends_as_soon_as_it_is_answered() {
    let mut play = Play::closed(1);
    play.lead = 100 * MILLIS;
    let played = play.on(&mut Simple::endless(), &mut |_, _| {
        Fate::Answer(10 * MILLIS, 200)
    });
    assert_eq!(played.total.ok, 100);
    assert_eq!(played.seconds, 1.0);
    assert!(near(
        played.total.service.value_at_quantile(0.5),
        10 * MILLIS
    ));
    assert_eq!(played.total.response.len(), 0);
    assert_eq!(played.ledger.opened, 1);
}

#[test]
fn what_is_answered_before_the_window_does_not_count() {
    let mut play = Play::closed(4);
    play.lead = SECOND / 2;
    play.window = SECOND;
    // Fast in the lead, slow in the window.
    let played = play.on(&mut Simple::endless(), &mut |_, now| {
        Fate::Answer(
            if now < SECOND / 2 {
                MILLIS
            } else {
                100 * MILLIS
            },
            200,
        )
    });
    assert!(played.total.service.max() >= 100 * MILLIS);
    assert!(near(
        played.total.service.value_at_quantile(0.5),
        100 * MILLIS
    ));
    assert!((40..=44).contains(&played.total.ok), "{}", played.total.ok);
}

#[test]
fn little_s_law_holds_on_a_closed_loop() {
    let mut play = Play::closed(8);
    play.window = 20 * SECOND;
    let mut wait = 0;
    let played = play.on(&mut Simple::endless(), &mut |_, _| {
        wait = (wait + 7) % 23;
        Fate::Answer((wait + 1) * MILLIS, 200)
    });
    let rate = played.total.ok as f64 / played.seconds;
    let mean = played.total.service.mean() / 1e9;
    assert!((rate * mean / 8.0 - 1.0).abs() < 0.002, "{}", rate * mean);
}

#[test]
fn an_open_loop_keeps_its_schedule_and_times_from_it() {
    let play = Play::constant(1000.0, 4);
    let played = play.on(&mut Simple::endless(), &mut |_, _| {
        Fate::Answer(MILLIS, 200)
    });
    assert_eq!(played.total.service.len(), 1000);
    assert_eq!(played.total.response.len(), 1000);
    assert!(near(played.total.response.value_at_quantile(1.0), MILLIS));
    assert_eq!(played.total.lag.max(), 1);
}

#[test]
fn a_stall_shows_in_full_in_an_open_loop() {
    let mut play = Play::constant(100.0, 1);
    play.window = 30 * SECOND;
    play.load.timeout = Duration::from_secs(60);
    // Nothing is answered from 10 s to 25 s.
    let played = play.on(&mut Simple::endless(), &mut |_, now| {
        let stalled = (10 * SECOND..25 * SECOND).contains(&now);
        Fate::Answer(if stalled { 25 * SECOND - now } else { 1 }, 200)
    });
    let response = &played.total.response;
    assert_eq!(response.len(), 3000);
    // Half of all arrivals met the stall and waited 7.5 s on average.
    let mean = response.mean() / 1e9;
    assert!((mean - 3.75).abs() < 0.05, "{mean}");
    assert!(response.value_at_quantile(0.99) > 14_500 * MILLIS);
    // The service time of all but one is short: the lag has it.
    assert!(played.total.service.value_at_quantile(0.99) < MILLIS);
    assert!(played.total.lag.value_at_quantile(0.99) > 14_500 * MILLIS);
}

#[test]
fn a_stall_that_covers_the_end_is_counted() {
    let mut play = Play::constant(100.0, 3);
    play.window = 10 * SECOND;
    play.load.timeout = Duration::from_secs(4);
    let played = play.on(&mut Simple::endless(), &mut |_, now| {
        if now < 8 * SECOND {
            Fate::Answer(MILLIS, 200)
        } else {
            Fate::Silence
        }
    });
    assert_eq!(played.total.service.len(), 800);
    assert_eq!(played.errors(ErrorClass::Timeout), 200);
    // Due 8.00 … 9.99 s, all unanswered when the window closed.
    assert_eq!(played.total.censored, 200);
    assert!(near(played.total.failed.max(), 4 * SECOND));
}

#[test]
fn an_overloaded_server_shows_its_capacity_and_the_backlog() {
    let mut play = Play::constant(2000.0, 1);
    play.window = 5 * SECOND;
    play.load.timeout = Duration::from_secs(60);
    let played = play.on(&mut Simple::endless(), &mut |_, _| {
        Fate::Answer(MILLIS, 200)
    });
    assert!((4990..=5001).contains(&played.total.ok));
    let last = played.samples.iter().rfind(|sample| !sample.drain).unwrap();
    assert!((4990..=5010).contains(&last.backlog), "{}", last.backlog);
}

#[test]
fn a_count_is_kept_exactly() {
    let mut play = Play::closed(7);
    play.window = 1000 * SECOND;
    play.load.requests = Some(1000);
    let played = play.on(&mut Simple::endless(), &mut |_, _| {
        Fate::Answer(7 * MILLIS, 200)
    });
    assert_eq!(played.total.ok, 1000);
    assert!((played.seconds - 1.001).abs() < 0.001, "{}", played.seconds);
}

#[test]
fn an_exhausted_workload_ends_the_slice_when_all_answers_are_in() {
    let mut play = Play::closed(4);
    play.window = u64::MAX;
    let played = play.on(&mut Simple::exactly(10), &mut |_, _| {
        Fate::Answer(50 * MILLIS, 200)
    });
    assert_eq!(played.total.ok, 10);
    assert!((played.seconds - 0.15).abs() < 0.001);
}

#[test]
fn a_workload_may_wait_for_its_own_answers() {
    let mut play = Play::closed(4);
    play.window = u64::MAX;
    let mut workload = Simple::exactly(10);
    workload.one_at_a_time = true;
    let played = play.on(&mut workload, &mut |_, _| Fate::Answer(50 * MILLIS, 200));
    assert_eq!(played.total.ok, 10);
    assert!((played.seconds - 0.5).abs() < 0.001, "{}", played.seconds);
}

#[test]
fn errors_are_never_throughput() {
    let play = Play::closed(1);
    let mut sent = 0;
    let played = play.on(&mut Simple::endless(), &mut |_, _| {
        sent += 1;
        Fate::Answer(10 * MILLIS, if sent % 2 == 0 { 503 } else { 200 })
    });
    assert_eq!(played.total.ok, 50);
    assert_eq!(played.errors(ErrorClass::Status), 50);
    assert_eq!(played.total.statuses[&503], 50);
    assert_eq!(played.total.failures["status 503"], 50);
    assert_eq!(played.total.service.len(), 50);
}

#[test]
fn an_unanswered_request_times_out_to_the_nanosecond() {
    let mut play = Play::closed(1);
    play.window = 5 * SECOND;
    play.load.timeout = Duration::from_millis(1234);
    let mut workload = Simple::endless();
    let played = play.on(&mut workload, &mut |_, now| {
        if now == 0 {
            Fate::Silence
        } else {
            Fate::Answer(SECOND, 200)
        }
    });
    assert_eq!(played.errors(ErrorClass::Timeout), 1);
    assert_eq!(workload.lost, 1);
    assert!(near(played.total.failed.max(), 1234 * MILLIS));
    assert_eq!(played.total.censored, 0);
    assert_eq!(played.ledger.opened, 2);
    assert_eq!(played.ledger.closed_by_client, 1);
    assert_eq!(played.total.ok, 3);
}

#[test]
fn without_keep_alive_the_client_closes() {
    let mut play = Play::closed(2);
    play.load.keep_alive = false;
    let played = play.on(&mut Simple::endless(), &mut |_, _| {
        Fate::Answer(10 * MILLIS, 200)
    });
    assert_eq!(played.total.ok, 198);
    assert_eq!(played.ledger.opened, 200);
    assert_eq!(played.ledger.reused, 0);
    assert_eq!(played.ledger.closed_by_client, 200);
    assert_eq!(played.ledger.closed_by_server, 0);
}

#[test]
fn a_server_that_closes_is_named_in_the_ledger() {
    let played = Play::closed(1).on(&mut Simple::endless(), &mut |_, _| {
        Fate::AnswerAndClose(10 * MILLIS)
    });
    assert_eq!(played.ledger.closed_by_server, 100);
    assert_eq!(played.ledger.closed_by_client, 0);
}

#[test]
fn resets_are_counted_apart_and_the_loop_goes_on() {
    let played = Play::closed(1).on(&mut Simple::endless(), &mut |_, now| {
        if now < 100 * MILLIS {
            Fate::Reset(10 * MILLIS)
        } else {
            Fate::Answer(10 * MILLIS, 200)
        }
    });
    assert_eq!(played.errors(ErrorClass::Reset), 10);
    assert_eq!(played.ledger.reset, 10);
    assert_eq!(played.total.service.len(), 90);
}

#[test]
fn a_refusing_server_is_asked_ever_less_often_and_never_forgotten() {
    let mut play = Play::closed(1);
    play.window = 10 * SECOND;
    let played = play.against(
        &mut Simple::endless(),
        &mut |_, _| Fate::Answer(10 * MILLIS, 200),
        &|now| now > 5 * SECOND,
    );
    let refused = played.errors(ErrorClass::Connect);
    assert!((12..=24).contains(&refused), "{refused}");
    assert_eq!(played.ledger.refused, refused);
    assert!(played.total.ok > 400, "{}", played.total.ok);
}

#[test]
fn arrivals_that_find_no_connection_fail_at_their_timeout() {
    let mut play = Play::constant(10.0, 1);
    play.window = 10 * SECOND;
    let played = play.against(
        &mut Simple::endless(),
        &mut |_, _| Fate::Answer(MILLIS, 200),
        &|_| false,
    );
    assert_eq!(played.errors(ErrorClass::Connect), 100);
    assert_eq!(played.total.ok, 0);
}

#[test]
fn stopping_keeps_what_there_is() {
    let mut play = Play::closed(1);
    play.window = 100 * SECOND;
    play.stop_at = 1_505 * MILLIS;
    let played = play.on(&mut Simple::endless(), &mut |_, _| {
        Fate::Answer(10 * MILLIS, 200)
    });
    assert_eq!(played.total.ok, 150);
    assert!((played.seconds - 1.505).abs() < 0.001);
    assert_eq!(played.total.censored, 0);
}

#[test]
fn samples_come_about_once_a_second_and_follow_each_other() {
    let mut play = Play::closed(1);
    play.window = 5 * SECOND;
    let played = play.on(&mut Simple::endless(), &mut |_, _| {
        Fate::Answer(10 * MILLIS, 200)
    });
    let measured: Vec<_> = played.samples.iter().filter(|s| !s.drain).collect();
    assert_eq!(measured.len(), 5);
    for pair in measured.windows(2) {
        assert_eq!(pair[0].end, pair[1].start);
    }
}

#[test]
fn connections_take_turns_in_an_open_loop() {
    let mut used = vec![0; 4];
    Play::constant(100.0, 4).on(&mut Simple::endless(), &mut |slot, _| {
        used[slot] += 1;
        Fate::Answer(MILLIS, 200)
    });
    assert_eq!(used, [25, 25, 25, 25]);
}

#[test]
fn connections_used_up_in_the_lead_are_not_in_the_ledger() {
    let mut play = Play::closed(2);
    play.load.keep_alive = false;
    play.lead = SECOND;
    play.connect_nanos = MILLIS;
    let played = play.on(&mut Simple::endless(), &mut |_, _| {
        Fate::Answer(9 * MILLIS, 200)
    });
    // One that stands when the window opens, and one after each of 100 answers.
    assert!(
        (198..=202).contains(&played.ledger.opened),
        "{:?}",
        played.ledger
    );
    assert_eq!(
        played.ledger.connect_nanos,
        played.ledger.opened * MILLIS,
        "connect times are of the connections counted"
    );
}

#[test]
fn a_count_ends_an_open_loop_however_late_the_answers_are() {
    let mut play = Play::constant(1_000.0, 10);
    play.window = 10 * SECOND;
    play.load.requests = Some(10);
    let played = play.on(&mut Simple::endless(), &mut |_, now| {
        if now < 5 * MILLIS {
            Fate::Silence
        } else {
            Fate::Answer(2_100 * MILLIS - now, 200)
        }
    });
    assert_eq!(played.errors(ErrorClass::Timeout), 10);
    assert_eq!(played.total.failed.len(), 10, "no more than were asked for");
    let backlog = played.samples.iter().map(|sample| sample.backlog).max();
    assert_eq!(backlog, Some(0));
    assert!(played.turns < 200, "woken {} times", played.turns);
}

#[test]
fn arrivals_that_wait_for_a_mute_server_are_no_connect_errors() {
    let mut play = Play::constant(1_000.0, 4);
    play.window = 5 * SECOND;
    play.connect_nanos = 5 * MILLIS;
    play.load.timeout = Duration::from_millis(500);
    let played = play.on(&mut Simple::endless(), &mut |_, _| Fate::Silence);
    assert_eq!(played.errors(ErrorClass::Timeout), 5_000);
    assert_eq!(played.errors(ErrorClass::Connect), 0);
}
