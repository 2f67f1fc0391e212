use std::time::Instant;

use tenbin_plan::Pace;

use super::*;
use crate::exchange::{Exchange, Judgement, Moment, Next};

/// Sends this number of requests; every response counts as correct.
struct Exactly(u64);

impl Workload for Exactly {
    fn operations(&self) -> &[&'static str] {
        &["GET"]
    }

    fn next(&mut self, _now: Moment, _exchange: &mut Exchange) -> Next {
        if self.0 == 0 {
            return Next::Exhausted;
        }
        self.0 -= 1;
        Next::Ready
    }

    fn judge(&mut self, _exchange: &mut Exchange, _status: u16, _length: u64) -> Judgement {
        Judgement::Correct
    }
}

#[test]
fn the_window_closes_when_the_last_thread_is_through() {
    let plan = Drive {
        rest: None,
        destination: Destination::Null,
        load: Load {
            pace: Pace::Closed,
            connections: 2,
            think: None,
            depth: 1,
            timeout: Duration::from_secs(5),
            keep_alive: true,
            reopen: None,
            requests: None,
        },
        lead: Duration::ZERO,
        window: None,
        stages: false,
        part: Part::default(),
        seed: 1,
    };
    let workers: Vec<Box<dyn Workload>> = vec![Box::new(Exactly(1)), Box::new(Exactly(1_000_000))];
    let (mut ok, mut ok_at_close) = (0, None);
    let mut listen = |event| match event {
        SliceEvent::Opened => {}
        SliceEvent::Sample(sample) => ok += sample.ops[0].counts.ok,
        SliceEvent::Closed => {
            assert_eq!(ok_at_close, None, "closed twice");
            ok_at_close = Some(ok);
        }
    };
    drive(&plan, workers, &AtomicBool::new(false), &mut listen).unwrap();
    // The caller measures the target's resource use up to the `Closed` event.
    assert_eq!(ok_at_close, Some(1_000_001));
}

#[test]
fn the_window_of_a_segment_closes_with_the_first_thread_that_has_sent_its_share() {
    let plan = Drive {
        destination: Destination::Null,
        load: Load::closed(2),
        lead: Duration::ZERO,
        window: Some(Duration::from_secs(60)),
        rest: Some(Duration::from_secs(60)),
        stages: false,
        part: Part::default(),
        seed: 1,
    };
    let workers: Vec<Box<dyn Workload>> =
        vec![Box::new(Exactly(1_000)), Box::new(Exactly(3_000_000))];
    let (mut ok, mut ok_at_close) = (0, None);
    let mut listen = |event| match event {
        SliceEvent::Opened => {}
        SliceEvent::Sample(sample) => ok += sample.ops[0].counts.ok,
        SliceEvent::Closed => ok_at_close = Some(ok),
    };
    let done = drive(&plan, workers, &AtomicBool::new(false), &mut listen).unwrap();
    let at_close = ok_at_close.expect("the window closed");
    assert!((1_000..2_000_000).contains(&at_close), "{at_close}");
    assert_eq!(ok, at_close, "the rest is not counted");
    assert!(done.unmeasured > 1_000_000, "{}", done.unmeasured);
}

/// Sends without end, and is suspended once for 200 ms.
struct Suspended(bool);

impl Workload for Suspended {
    fn operations(&self) -> &[&'static str] {
        &["GET"]
    }

    fn next(&mut self, _now: Moment, _exchange: &mut Exchange) -> Next {
        if !std::mem::replace(&mut self.0, true) {
            thread::sleep(Duration::from_millis(200));
        }
        Next::Ready
    }

    fn judge(&mut self, _exchange: &mut Exchange, _status: u16, _length: u64) -> Judgement {
        Judgement::Correct
    }
}

#[test]
fn a_slice_with_a_gate_stops_after_a_long_pause() {
    let pause = |longest: Duration| {
        let plan = Drive {
            destination: Destination::Null,
            load: Load::closed(1),
            lead: Duration::ZERO,
            window: Some(Duration::from_secs(1)),
            rest: None,
            stages: false,
            seed: 1,
            part: Part {
                gate: Some(Arc::new(StartGate::new(longest))),
                ..Part::default()
            },
        };
        plan.part.gate.as_ref().unwrap().start_at(Instant::now());
        let workers: Vec<Box<dyn Workload>> = vec![Box::new(Suspended(false))];
        let stop = AtomicBool::new(false);
        let done = drive(&plan, workers, &stop, &mut |_| {}).unwrap();
        (done.cut_short, done.seconds)
    };
    let (cut_short, seconds) = pause(Duration::from_millis(150));
    assert!(cut_short && seconds < 1.0, "{seconds}");
    assert!(!pause(Duration::from_secs(60)).0);
}

/// Drives the threads of `process` out of two processes with two threads each.
fn drive_part(process: usize, gate: Option<Arc<StartGate>>) -> (u64, Vec<usize>, Instant) {
    let plan = Drive {
        destination: Destination::Null,
        load: Load {
            requests: Some(1_001),
            ..Load::closed(7)
        },
        lead: Duration::ZERO,
        window: None,
        rest: None,
        stages: false,
        seed: 1,
        part: Part {
            process,
            of: Some((4, 2)),
            gate,
            log: None,
        },
    };
    let workers: Vec<Box<dyn Workload>> =
        vec![Box::new(Exactly(u64::MAX)), Box::new(Exactly(u64::MAX))];
    let (mut ok, mut threads, mut opened) = (0, Vec::new(), None);
    let mut listen = |event| match event {
        SliceEvent::Opened => opened = Some(Instant::now()),
        SliceEvent::Sample(sample) => {
            ok += sample.ops[0].counts.ok;
            threads.push(sample.thread);
        }
        SliceEvent::Closed => {}
    };
    drive(&plan, workers, &AtomicBool::new(false), &mut listen).unwrap();
    threads.sort_unstable();
    threads.dedup();
    (ok, threads, opened.expect("the window opened"))
}

#[test]
fn processes_share_the_requests_of_a_slice() {
    let (first, of_first, _) = drive_part(0, None);
    let (second, of_second, _) = drive_part(1, None);
    // Threads 0 and 2 have 2 connections each, thread 1 has 2 and thread 3 has 1.
    assert_eq!((first, second), (1_001 * 4 / 7, 1_001 * 3 / 7));
    assert_eq!((of_first, of_second), (vec![0, 2], vec![1, 3]));
}

#[test]
fn a_slice_with_a_gate_starts_at_the_time_of_the_gate() {
    let gate = Arc::new(StartGate::new(Duration::MAX));
    let own = gate.clone();
    let driven = thread::spawn(move || drive_part(0, Some(own)));
    while !gate.is_ready() {
        thread::sleep(Duration::from_millis(1));
    }
    assert!(!driven.is_finished());
    let start = Instant::now() + Duration::from_millis(50);
    gate.start_at(start);
    let (ok, _, opened) = driven.join().unwrap();
    assert_eq!(ok, 1_001 * 4 / 7);
    assert!(opened >= start);
}

#[test]
fn a_gate_knows_how_late_its_slice_and_its_threads_started() {
    let gate = Arc::new(StartGate::new(Duration::MAX));
    gate.start_at(Instant::now());
    thread::sleep(Duration::from_millis(50));
    drive_part(0, Some(Arc::clone(&gate)));
    let of_slice = gate.late(u64::MAX);
    assert!(of_slice >= 50_000_000, "{of_slice}");
    assert!(gate.late(0) >= of_slice);
}
