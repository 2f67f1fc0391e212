//! One load thread of a slice: its driver, its scheduler and its result.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::mpsc;
use std::time::Duration;

use super::schedule::{schedule, schedule_of_own_connections};
use super::{Destination, Drive, EngineError};
use crate::clock::Clock;
use crate::driver;
use crate::exchange::Workload;
use crate::files::Files;
use crate::null::Null;
use crate::request_list::RequestList;
use crate::route::Share;
use crate::sample::Sample;
use crate::scheduler::{Schedule, Scheduler};
use crate::spread::Life;
use crate::stages::StageSums;
use crate::start_barrier::{self, StartBarrier};
use crate::transport::TcpFigures;

/// Largest connect timeout. A load with a shorter timeout uses that timeout for connecting too.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// What the threads of one slice share.
#[derive(Clone, Copy)]
pub(super) struct Slice<'a> {
    pub(super) drive: &'a Drive,
    pub(super) clock: &'a Clock,
    /// Number of threads that send load, on all machines.
    pub(super) total: usize,
    pub(super) edge: &'a Arc<AtomicU64>,
    pub(super) barrier: &'a Option<StartBarrier>,
    pub(super) stop: &'a AtomicBool,
}

impl Slice<'_> {
    /// Runs the thread of one worker, which uses `own` separate connections, if any.
    pub(super) fn run(
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

/// Results of one thread that are not in samples.
pub(super) struct ThreadResult {
    pub(super) tcp: TcpFigures,
    pub(super) lives: Vec<Life>,
    pub(super) stages: Option<StageSums>,
    pub(super) requests: RequestList,
    pub(super) unmeasured: u64,
}

/// The figures of all threads, summed. Separate connections, listed in `own`, are part of no
/// connection figure.
pub(super) fn sum_of(
    results: Vec<ThreadResult>,
    own: &[Option<usize>],
    reads_stages: bool,
) -> ThreadResult {
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

/// Sends the requests of one thread until its slice ends.
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
