//! Drives one slice, an uninterrupted measurement of one workload on one target. All threads start
//! together and report samples while the slice runs.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, SystemTime};
use std::{io, thread};

use tenbin_plan::{Load, Sentence, sentence};
use thiserror::Error;

use self::relay::relay;
use self::worker::{Slice, sum_of};
use crate::clock::Clock;
use crate::exchange::Workload;
use crate::request_list::RequestList;
use crate::request_log::RequestLog;
use crate::route::Route;
use crate::sample::Sample;
use crate::spread::Spread;
use crate::stages::StageSums;
use crate::start_barrier::{StartBarrier, StartGate};
use crate::transport::TcpFigures;

mod relay;
mod schedule;
mod worker;

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

#[cfg(test)]
mod tests;
