//! How transactions of several requests count, and when their time starts and ends.

use super::*;
use crate::exchange::{Role, Transaction};

const WHOLE: usize = 0;
const NAMES: [&str; 4] = ["MULTIPART", "create", "part", "complete"];
const STEPS: u64 = 3;
const PART_BYTES: u64 = 1_000;

/// A transaction in progress: the number of its current sub-request, and whether that sub-request
/// is in flight.
#[derive(Debug, Clone, Copy)]
struct InProgress {
    started: u64,
    step: u64,
    out: bool,
}

/// A workload of transactions with three consecutive requests. A user continues an idle transaction
/// before starting a new transaction.
#[derive(Default)]
struct Multipart {
    transactions: Vec<Option<InProgress>>,
    done: Vec<Transaction>,
}

impl Multipart {
    fn end(&mut self, transaction: u64, outcome: Judgement) {
        let ended = self.transactions[transaction as usize].take().unwrap();
        self.done.push(Transaction {
            op: WHOLE,
            started: ended.started,
            payload: PART_BYTES,
            ended: None,
            outcome,
        });
    }
}

impl Workload for Multipart {
    fn operations(&self) -> &[&'static str] {
        &NAMES
    }

    fn role(&self, op: usize) -> Role {
        if op == WHOLE {
            Role::Transaction
        } else {
            Role::Step
        }
    }

    fn transaction(&mut self) -> Option<Transaction> {
        self.done.pop()
    }

    fn next(&mut self, now: Moment, exchange: &mut Exchange) -> Next {
        let resting = |transaction: &Option<InProgress>| {
            transaction.is_some_and(|transaction| !transaction.out)
        };
        let at = self
            .transactions
            .iter()
            .position(resting)
            .unwrap_or_else(|| {
                self.transactions.push(Some(InProgress {
                    started: now.nanos,
                    step: 0,
                    out: false,
                }));
                self.transactions.len() - 1
            });
        let transaction = self.transactions[at].as_mut().unwrap();
        transaction.out = true;
        exchange.op = 1 + transaction.step as usize;
        exchange.tag = at as u64;
        Next::Ready
    }

    fn judge(&mut self, exchange: &mut Exchange, status: u16, _length: u64) -> Judgement {
        if status != 200 {
            let why = Judgement::Failed(ErrorClass::Status, format!("status {status}"));
            self.end(exchange.tag, why.clone());
            return why;
        }
        let transaction = self.transactions[exchange.tag as usize].as_mut().unwrap();
        transaction.step += 1;
        transaction.out = false;
        if transaction.step == STEPS {
            self.end(exchange.tag, Judgement::Correct);
        }
        Judgement::Correct
    }

    fn lost(&mut self, exchange: &mut Exchange, class: ErrorClass) {
        self.end(exchange.tag, Judgement::Failed(class, String::new()));
    }
}

/// The figures of one operation in a slice.
struct Sum {
    ok: u64,
    payload: u64,
    bytes: u64,
    failed: u64,
    censored: u64,
    service: u64,
    response: u64,
    other_times: u64,
    mean: f64,
    longest: u64,
}

impl SliceResult {
    fn sum(&self, op: usize) -> Sum {
        let ops = || self.samples.iter().map(|sample| &sample.ops[op]);
        let mut service = ops().next().unwrap().times.service.clone();
        for other in ops().skip(1) {
            service.add(&*other.times.service).unwrap();
        }
        Sum {
            ok: ops().map(|op| op.counts.ok).sum(),
            payload: ops().map(|op| op.counts.payload).sum(),
            bytes: ops().map(|op| op.counts.sent + op.counts.received).sum(),
            failed: ops().map(OpSample::failed_count).sum(),
            censored: ops().map(|op| op.counts.censored).sum(),
            service: service.len(),
            response: ops().map(|op| op.times.response.len()).sum(),
            other_times: ops()
                .map(|op| op.times.lag.len() + op.times.first_byte.len())
                .sum(),
            mean: service.mean(),
            longest: service.max(),
        }
    }
}

/// Response times of 10, 30 and 20 ms in turn.
fn ten_thirty_twenty() -> impl FnMut(usize, u64) -> Fate {
    let mut step = 0;
    move |_, _| {
        step += 1;
        Fate::Answer([20, 10, 30][step % 3] * MILLIS, 200)
    }
}

#[test]
fn a_transaction_takes_as_long_as_its_requests_and_counts_once() {
    let mut play = Play::closed(1);
    play.window = 6 * SECOND + MILLIS;
    let played = play.on(&mut Multipart::default(), &mut ten_thirty_twenty());
    let whole = played.sum(WHOLE);
    assert_eq!((whole.ok, whole.service), (100, 100));
    assert_eq!(whole.payload, 100 * PART_BYTES);
    assert!(near(whole.mean as u64, 60 * MILLIS), "{}", whole.mean);
    assert!(near(whole.longest, 60 * MILLIS), "{}", whole.longest);
    // A transaction is not a request: no bytes, no time to first byte, no lag.
    assert_eq!((whole.bytes, whole.other_times, whole.response), (0, 0, 0));
    for (op, millis) in [(1, 10), (2, 30), (3, 20)] {
        let step = played.sum(op);
        assert_eq!(step.ok, 100, "{op}");
        assert!(
            near(step.longest, millis * MILLIS),
            "{op}: {}",
            step.longest
        );
        assert!(step.bytes > 0);
    }
    let roles: Vec<Role> = played.samples[0].ops.iter().map(|op| op.role).collect();
    assert_eq!(
        roles,
        [Role::Transaction, Role::Step, Role::Step, Role::Step]
    );
}

#[test]
fn little_s_law_holds_for_sub_requests_and_for_transactions() {
    let mut play = Play::closed(4);
    play.window = 20 * SECOND;
    let mut wait = 0;
    let played = play.on(&mut Multipart::default(), &mut |_, _| {
        wait = (wait + 7) % 23;
        Fate::Answer((wait + 1) * MILLIS, 200)
    });
    let out = |op| {
        let sum = played.sum(op);
        sum.ok as f64 / played.seconds * sum.mean / 1e9
    };
    let steps = out(1) + out(2) + out(3);
    assert!((steps / 4.0 - 1.0).abs() < 0.005, "{steps}");
    assert!((out(WHOLE) / 4.0 - 1.0).abs() < 0.01, "{}", out(WHOLE));
}

#[test]
fn a_transaction_that_started_before_the_window_is_throughput_and_not_timed() {
    let mut play = Play::closed(1);
    play.lead = 45 * MILLIS;
    play.window = 50 * MILLIS;
    let played = play.on(&mut Multipart::default(), &mut ten_thirty_twenty());
    let whole = played.sum(WHOLE);
    assert_eq!((whole.ok, whole.service), (1, 0));
    // In the drain, the next transaction receives a response, but one of its sub-requests is still
    // unsent.
    assert_eq!(whole.failed + whole.censored, 0);
    assert_eq!((played.sum(2).ok, played.sum(2).service), (0, 1));
}

#[test]
fn a_failed_sub_request_fails_its_transaction_once() {
    for fate in [Fate::Answer(MILLIS, 503), Fate::Reset(MILLIS)] {
        let mut sent = 0;
        let mut play = Play::closed(1);
        play.window = 50 * MILLIS + 1;
        let played = play.on(&mut Multipart::default(), &mut |_, _| {
            sent += 1;
            if sent == 2 {
                fate
            } else {
                Fate::Answer(MILLIS, 200)
            }
        });
        let whole = played.sum(WHOLE);
        assert_eq!(whole.failed, 1, "{fate:?}");
        assert_eq!(whole.service, whole.ok);
        assert_eq!((played.sum(1).failed, played.sum(2).failed), (0, 1));
    }
}

#[test]
fn a_transaction_without_its_last_response_is_censored() {
    let mut play = Play::closed(1);
    play.window = SECOND;
    let mut steps = ten_thirty_twenty();
    let played = play.on(&mut Multipart::default(), &mut |slot, now| match now {
        late if late > 900 * MILLIS => Fate::Silence,
        _ => steps(slot, now),
    });
    let whole = played.sum(WHOLE);
    assert_eq!((whole.failed, whole.censored), (1, 1));
    assert_eq!((1..4).map(|op| played.sum(op).censored).sum::<u64>(), 1);
}

#[test]
fn refused_connections_count_as_failed_requests_and_transactions() {
    let mut play = Play::closed(1);
    play.window = SECOND;
    let played = play.against(
        &mut Multipart::default(),
        &mut |_, _| Fate::Silence,
        &|_| false,
    );
    let whole = played.sum(WHOLE);
    assert!(whole.failed > 0);
    assert_eq!(played.sum(1).failed, whole.failed);
    assert_eq!(played.sum(2).failed + played.sum(3).failed, 0);
}

#[test]
fn transactions_belong_to_no_host_and_have_a_response_time_in_an_open_loop() {
    let mut play = Play::constant(100.0, 4);
    play.weights = vec![1, 1];
    play.window = 6 * SECOND;
    let played = play.on(&mut Multipart::default(), &mut |_, _| {
        Fate::Answer(5 * MILLIS, 200)
    });
    let whole = played.sum(WHOLE);
    assert_eq!((whole.ok, whole.response), (200, 200));
    // Three arrivals are 10 ms apart, and the last request takes 5 ms.
    assert!(near(whole.mean as u64, 25 * MILLIS), "{}", whole.mean);
    let hosts = played.samples.iter().flat_map(|sample| &sample.hosts);
    assert_eq!(hosts.map(|host| host.ok).sum::<u64>(), 600);
}
