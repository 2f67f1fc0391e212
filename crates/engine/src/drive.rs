//! Drives one slice, an uninterrupted measurement of one workload on one target. All threads start
//! together and report samples while the slice runs.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, SystemTime};
use std::{io, thread};

use tenbin_plan::{Load, Pace, Sentence, sentence};
use thiserror::Error;

use crate::clock::Clock;
use crate::exchange::Workload;
use crate::files::Files;
use crate::null::Null;
use crate::request_list::RequestList;
use crate::request_log::RequestLog;
use crate::route::{Route, Share};
use crate::sample::Sample;
use crate::scheduler::{Rest, Schedule, Scheduler};
use crate::spread::{Life, Spread};
use crate::stages::StageSums;
use crate::start_barrier::{self, StartBarrier, StartGate};
use crate::think::Thinker;
use crate::transport::TcpFigures;
use crate::{driver, pacer, stop};

/// Largest connect timeout. A load with a shorter timeout uses that timeout for connecting too.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Interval between checks whether every connection is open or has failed to open.
const BARRIER_POLL: Duration = Duration::from_millis(1);

/// Where requests go.
#[derive(Debug, Clone)]
pub enum Destination {
    /// Connections on this route.
    Route(Route),
    /// Nowhere: every request completes at once.
    Null,
    /// Files below a directory.
    Files {
        /// The directory; created if it is missing.
        directory: PathBuf,
        /// Sync files to disk before a write counts as successful.
        sync: bool,
    },
}

impl Destination {
    /// Names of the hosts; empty without connections.
    fn host_names(&self) -> Vec<String> {
        match self {
            Self::Route(route) => route.hosts.iter().map(|host| host.name.clone()).collect(),
            Self::Null | Self::Files { .. } => Vec::new(),
        }
    }
}

/// Configuration of one slice.
#[derive(Debug, Clone)]
pub struct Drive {
    /// The destination of requests.
    pub destination: Destination,
    /// How operations are issued.
    pub load: Load,
    /// Seed of random arrivals and think times.
    pub seed: u64,
    /// Unmeasured settling time before the window. With keep-alive, starts when every connection is
    /// open or has failed to open; without, starts at once.
    pub lead: Duration,
    /// Length of the measured window. If `None`, the window ends when the workload has no more
    /// requests or the load's request count is reached.
    pub window: Option<Duration>,
    /// Longest time for the unmeasured rest of a segment, after the window. Set if the slice sends
    /// a fixed segment of a request sequence. The window then closes as soon as one thread has sent
    /// its share of the segment, and the other threads send the rest of their shares unmeasured.
    /// Used only with a closed loop and a window length.
    pub rest: Option<Duration>,
    /// Whether to read server stage times from response headers, such as `Server-Timing`.
    pub stages: bool,
    /// The share of this process in the slice.
    pub part: Part,
}

/// The share of one process in a slice. The generator threads of all processes are numbered from 0
/// without gaps; the numbers divide connections, requests and arrivals, so that the processes
/// together send what one process with all threads would.
#[derive(Debug, Clone, Default)]
pub struct Part {
    /// Number of this process, from 0.
    pub process: usize,
    /// Total number of threads with a share of the load, and number of processes; `None` if this
    /// process runs all threads.
    pub of: Option<(usize, usize)>,
    /// When to start; `None` as soon as all threads are ready.
    pub gate: Option<Arc<StartGate>>,
    /// Where this process logs its requests; `None` for no log.
    pub log: Option<RequestLog>,
}

impl Part {
    /// Number among all threads of the thread that has the number `index` in this process.
    fn thread(&self, index: usize) -> usize {
        match self.of {
            None => index,
            Some((_, processes)) => self.process + index * processes,
        }
    }

    /// Number in this process of the thread that has the number `thread` among all threads.
    fn index(&self, thread: usize) -> usize {
        match self.of {
            None => thread,
            Some((_, processes)) => thread / processes,
        }
    }

    /// Whether the thread with the number `thread` among all threads belongs to this process.
    pub fn has(&self, thread: usize) -> bool {
        self.of
            .is_none_or(|(_, processes)| thread % processes == self.process)
    }
}

impl Drive {
    /// Whether all connections are opened before the settling time. False without a settling time,
    /// because the window then includes connection set-up. False without keep-alive, because each
    /// request then opens a connection. False for a destination without connections.
    fn opens_first(&self) -> bool {
        let has_connections = matches!(self.destination, Destination::Route(_));
        has_connections && self.load.keep_alive && !self.lead.is_zero()
    }
}

/// A message about a running slice.
#[derive(Debug)]
pub enum SliceEvent {
    /// The measured window has opened.
    Opened,
    /// A sample of one thread.
    Sample(Box<Sample>),
    /// The measured window has closed; requests in flight are being drained.
    Closed,
}

/// Result of a finished slice.
pub struct Finished {
    /// The workload's instances, one per thread, in their final state.
    pub workers: Vec<Box<dyn Workload>>,
    /// Wall time at which the measured window opened.
    pub opened: SystemTime,
    /// Actual length of the measured window, seconds: shorter than planned if the request count was
    /// reached, the workload had no more requests or `stop` was set.
    pub seconds: f64,
    /// Operations issued unmeasured after the window, to complete the slice's segment of a request
    /// sequence.
    pub unmeasured: u64,
    /// The slice was ended by `stop`.
    pub cut_short: bool,
    /// Kernel statistics of the TCP connections; `None` without TCP and outside Linux.
    pub tcp: Option<TcpFigures>,
    /// Server stage times from response headers; `None` if [`Drive::stages`] is false.
    pub stages: Option<StageSums>,
    /// How evenly the server served the connections; `None` without keep-alive, and if fewer than
    /// two connections can be compared ([`Spread::of`]).
    pub spread: Option<Spread>,
    /// The slowest and the failed requests.
    pub requests: RequestList,
}

/// Why a slice could not be driven.
#[derive(Debug, Error)]
#[error("{}", self.sentence())]
pub enum EngineError {
    /// The operating system could not create a thread, a poll instance or a timer.
    System {
        /// The thread, from 0.
        thread: usize,
        /// The system's error.
        source: io::Error,
    },
    /// The generator thread with this index panicked: a bug in Tenbin.
    Panic(usize),
}

impl EngineError {
    /// The error with its arguments.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::System { thread, source } => sentence!(
                "thread-cannot-work",
                "generator thread {thread} cannot work: {source}",
                thread,
                source = Sentence::from(source)
            ),
            Self::Panic(text) => sentence!(
                "thread-panicked",
                "generator thread {text} panicked; this is a bug in tenbin",
                text
            ),
        }
    }
}

/// Drives one slice with one thread per instance in `workers`, and returns when all threads are
/// done. Instances with separate connections ([`Workload::own_connections`]) must come last;
/// without a window length, the window ends when all other instances are done. Passes every event
/// to `listen` on the calling thread. Setting `stop` closes the window within about 0.1 s; requests
/// in flight then have 1 s to finish.
///
/// # Errors
/// When the system refuses a resource that the engine needs, or a thread panics. Failed operations
/// are not errors: samples count them.
pub fn drive(
    drive: &Drive,
    workers: Vec<Box<dyn Workload>>,
    stop: &AtomicBool,
    listen: &mut dyn FnMut(SliceEvent),
) -> Result<Finished, EngineError> {
    let clock = &Clock::start();
    let own: Vec<Option<usize>> = workers
        .iter()
        .map(|worker| worker.own_connections())
        .collect();
    let threads = own.iter().filter(|own| own.is_none()).count();
    let total = drive.part.of.map_or(threads, |(total, _)| total);
    let (sender, samples) = mpsc::channel();
    let gate = &drive.part.gate;
    let edge = match gate {
        Some(gate) => gate.edge(),
        None => Arc::new(AtomicU64::new(u64::MAX)),
    };
    let edge = &edge;
    let barrier = &(drive.opens_first() || gate.is_some())
        .then(|| StartBarrier::new(workers.len(), drive.opens_first(), gate.clone()));
    let slice = Slice {
        drive,
        clock,
        total,
        edge,
        barrier,
        stop,
    };
    let mut longest = 0;
    let outcomes = thread::scope(|scope| {
        let indexed = workers.into_iter().zip(&own).enumerate();
        let handles: Vec<_> = indexed
            .map(|(index, (worker, &own))| {
                let sender = sender.clone();
                thread::Builder::new()
                    .name(format!("load-{index}"))
                    .spawn_scoped(scope, move || slice.run(index, worker, own, &sender))
                    .expect("the system starts a load thread")
            })
            .collect();
        drop(sender);
        longest = relay(&samples, clock, drive, threads, (edge, barrier), listen);
        let joined = handles.into_iter().enumerate();
        joined
            .map(|(index, handle)| handle.join().unwrap_or(Err(EngineError::Panic(index))))
            .collect::<Vec<_>>()
    });
    let began = barrier.as_ref().and_then(StartBarrier::origin).unwrap_or(0);
    let began = Duration::from_nanos(began);
    let opened = SystemTime::UNIX_EPOCH + clock.origin_unix() + began + drive.lead;
    let outcomes: Result<Vec<_>, _> = outcomes.into_iter().collect();
    let (workers, results): (Vec<_>, Vec<_>) = outcomes?.into_iter().unzip();
    let sum = sum_of(results, &own, drive.stages);
    Ok(Finished {
        workers,
        tcp: (sum.tcp.connections > 0).then_some(sum.tcp),
        stages: sum.stages,
        spread: Spread::of(&sum.lives),
        requests: sum.requests,
        opened,
        seconds: longest as f64 / 1e9,
        unmeasured: sum.unmeasured,
        cut_short: stop.load(Ordering::Relaxed),
    })
}

/// What the threads of one slice share.
#[derive(Clone, Copy)]
struct Slice<'a> {
    drive: &'a Drive,
    clock: &'a Clock,
    /// Number of threads that send load, on all machines.
    total: usize,
    edge: &'a Arc<AtomicU64>,
    barrier: &'a Option<StartBarrier>,
    stop: &'a AtomicBool,
}

impl Slice<'_> {
    /// Runs the thread of one worker, which uses `own` separate connections, if any.
    fn run(
        self,
        index: usize,
        mut worker: Box<dyn Workload>,
        own: Option<usize>,
        sender: &mpsc::Sender<Sample>,
    ) -> Result<(Box<dyn Workload>, ThreadResult), EngineError> {
        let Self {
            drive, clock, edge, ..
        } = self;
        let thread = drive.part.thread(index);
        let schedule = match own {
            None => schedule(drive, clock, thread, self.total, edge),
            Some(connections) => {
                schedule_of_own_connections(drive, clock, thread, connections, edge)
            }
        };
        let mut ship = |mut sample: Sample| {
            if own.is_some() {
                sample.forget_connections();
            }
            // Cannot fail: the receiver outlives the threads.
            let _ = sender.send(sample);
        };
        let result = run_thread(
            drive,
            clock,
            schedule,
            self.barrier,
            worker.as_mut(),
            &mut ship,
            self.stop,
        );
        match result {
            Ok(result) => Ok((worker, result)),
            Err(source) => Err(EngineError::System {
                thread: index,
                source,
            }),
        }
    }
}

/// The figures of all threads, summed. Separate connections, listed in `own`, are part of no
/// connection figure.
fn sum_of(results: Vec<ThreadResult>, own: &[Option<usize>], reads_stages: bool) -> ThreadResult {
    let mut sum = ThreadResult {
        tcp: TcpFigures::default(),
        lives: Vec::new(),
        stages: reads_stages.then(StageSums::default),
        requests: RequestList::default(),
        unmeasured: 0,
    };
    for (part, own) in results.into_iter().zip(own) {
        sum.unmeasured += part.unmeasured;
        sum.requests.add(part.requests);
        if own.is_none() {
            sum.tcp = sum.tcp.and(part.tcp);
            sum.lives.extend(part.lives);
        }
        if let (Some(stages), Some(part)) = (&mut sum.stages, part.stages) {
            stages.add(part);
        }
    }
    sum
}

/// Passes samples and window events to `listen` until the last thread is done. Returns the length
/// of the measured window, nanoseconds.
fn relay(
    samples: &mpsc::Receiver<Sample>,
    clock: &Clock,
    drive: &Drive,
    threads: usize,
    (edge, barrier): (&AtomicU64, &Option<StartBarrier>),
    listen: &mut dyn FnMut(SliceEvent),
) -> u64 {
    let open = drive.lead.as_nanos() as u64;
    let planned = drive
        .window
        .map_or(u64::MAX, |window| window.as_nanos() as u64);
    let (mut opened, mut closed, mut longest) = (false, false, 0);
    // When a slice ends by request count, each thread ends at a different time.
    let mut through = vec![false; threads];
    loop {
        let next = if opened {
            samples.recv().ok()
        } else {
            let origin = barrier.as_ref().map_or(Some(0), StartBarrier::origin);
            let wait = origin.map_or(BARRIER_POLL, |origin| {
                Duration::from_nanos((origin + open).saturating_sub(clock.now()))
            });
            match samples.recv_timeout(wait) {
                Ok(sample) => Some(sample),
                Err(mpsc::RecvTimeoutError::Disconnected) => None,
                Err(mpsc::RecvTimeoutError::Timeout) if origin.is_none() => continue,
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    opened = true;
                    listen(SliceEvent::Opened);
                    continue;
                }
            }
        };
        let Some(sample) = next else {
            return longest;
        };
        if !opened {
            opened = true;
            listen(SliceEvent::Opened);
        }
        if let Some(through) = through.get_mut(drive.part.index(sample.thread)) {
            if !sample.drain {
                longest = longest.max(sample.end);
            }
            let edge = edge.load(Ordering::Relaxed).saturating_sub(open);
            *through |= sample.drain || sample.end >= planned.min(edge);
        }
        listen(SliceEvent::Sample(Box::new(sample)));
        if !closed && through.iter().all(|&through| through) {
            closed = true;
            listen(SliceEvent::Closed);
        }
    }
}

fn schedule(
    drive: &Drive,
    clock: &Clock,
    thread: usize,
    threads: usize,
    edge: &Arc<AtomicU64>,
) -> Schedule {
    let open = drive.lead.as_nanos() as u64;
    let close = drive
        .window
        .map_or(u64::MAX, |window| open + window.as_nanos() as u64);
    let load = &drive.load;
    let connections_of = |thread| stop::share(load.connections as u64, thread, threads);
    let requests = load.requests.map(|total| match load.pace {
        Pace::Closed | Pace::Search(_) => {
            let first = (0..thread).map(connections_of).sum();
            let last = first + connections_of(thread);
            stop::share_by_connections(total, first, last, load.connections as u64)
        }
        // In an open loop, the threads share arrivals equally, so they share the request count
        // equally.
        _ => stop::share(total, thread, threads),
    });
    let rest = drive.rest.map(|most| Rest {
        most: most.as_nanos() as u64,
        edge: Arc::clone(edge),
    });
    let until = close.saturating_add(rest.as_ref().map_or(0, |rest| rest.most));
    let gate = drive.part.gate.as_ref();
    let part = pacer::Part {
        thread,
        threads,
        seed: drive.seed,
        open,
        close,
    };
    Schedule {
        thread,
        beside: false,
        connections: connections_of(thread) as usize,
        depth: load.depth,
        weights: match &drive.destination {
            Destination::Route(route) => route.hosts.iter().map(|host| host.weight).collect(),
            Destination::Null | Destination::Files { .. } => vec![1],
        },
        think: load
            .think
            .as_ref()
            .map(|think| Thinker::new(think, drive.seed, thread)),
        keep_alive: load.keep_alive,
        reopens: match &drive.destination {
            Destination::Route(route) if route.protocol.can_reopen() => load.reopen.unwrap_or(1),
            _ => 1,
        },
        stages: drive.stages,
        open,
        close,
        timeout: load.timeout.as_nanos() as u64,
        pacer: pacer::for_thread(load, part),
        stop_rules: stop::rules(until, requests),
        rest,
        longest_pause: gate.map_or(u64::MAX, |gate| gate.longest_pause()),
        origin_unix: clock.origin_unix(),
    }
}

/// The schedule of a thread whose connections do not belong to the load
/// ([`Workload::own_connections`]).
fn schedule_of_own_connections(
    drive: &Drive,
    clock: &Clock,
    thread: usize,
    connections: usize,
    edge: &Arc<AtomicU64>,
) -> Schedule {
    let load = Load {
        pace: Pace::Closed,
        connections,
        think: None,
        depth: 1,
        requests: None,
        ..drive.load.clone()
    };
    let beside = Drive {
        load,
        rest: None,
        stages: false,
        ..drive.clone()
    };
    Schedule {
        thread,
        beside: true,
        ..schedule(&beside, clock, 0, 1, edge)
    }
}

/// Results of one thread that are not in samples.
struct ThreadResult {
    tcp: TcpFigures,
    lives: Vec<Life>,
    stages: Option<StageSums>,
    requests: RequestList,
    unmeasured: u64,
}

fn run_thread(
    drive: &Drive,
    clock: &Clock,
    schedule: Schedule,
    barrier: &Option<StartBarrier>,
    worker: &mut dyn Workload,
    ship: &mut dyn FnMut(Sample),
    stop: &AtomicBool,
) -> io::Result<ThreadResult> {
    let arrival = barrier.as_ref().map(StartBarrier::arrival);
    let depth = schedule.depth;
    let connections = schedule.connections * schedule.weights.len();
    // Without the precise timer, a think time of 10 ms would take 11 ms.
    let precise = schedule.pacer.is_some() || schedule.think.is_some();
    let hosts = drive.destination.host_names();
    let mut scheduler = Scheduler::new(schedule, worker, ship);
    if let Some(log) = &drive.part.log {
        scheduler.log_to(log, &hosts);
    }
    let tcp = match &drive.destination {
        Destination::Route(route) => route.protocol.send(Share {
            clock: clock.clone(),
            route,
            connections,
            depth,
            connect_timeout: drive.load.timeout.min(CONNECT_TIMEOUT),
            precise,
            scheduler: &mut scheduler,
            arrival,
            stop,
        })?,
        Destination::Files { directory, sync } => {
            let mut driver = Files::new(clock.clone(), directory, *sync)?;
            start_barrier::await_start(&mut driver, &mut scheduler, stop, arrival)?;
            driver::run(&mut driver, &mut scheduler, stop)?;
            TcpFigures::default()
        }
        Destination::Null => {
            let mut driver = Null::new(clock.clone());
            start_barrier::await_start(&mut driver, &mut scheduler, stop, arrival)?;
            driver::run(&mut driver, &mut scheduler, stop)?;
            TcpFigures::default()
        }
    };
    Ok(ThreadResult {
        unmeasured: scheduler.unmeasured(),
        requests: scheduler.take_requests(&hosts),
        tcp,
        lives: scheduler.take_lives(),
        stages: scheduler.take_stages(),
    })
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

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
        let workers: Vec<Box<dyn Workload>> =
            vec![Box::new(Exactly(1)), Box::new(Exactly(1_000_000))];
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
}
