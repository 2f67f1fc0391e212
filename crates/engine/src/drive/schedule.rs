//! The schedule of each thread: its share of the connections, requests and arrivals of a slice.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use tenbin_plan::{Load, Pace};

use super::{Destination, Drive};
use crate::clock::Clock;
use crate::scheduler::{Rest, Schedule};
use crate::think::Thinker;
use crate::{pacer, stop};

/// The schedule of the thread with the number `thread` of `threads` threads that share the load.
pub(super) fn schedule(
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
/// ([`crate::Workload::own_connections`]).
pub(super) fn schedule_of_own_connections(
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
