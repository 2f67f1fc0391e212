//! The threads of a slice open their connections first: its time begins for all of them once every
//! connection is open, or could not be opened.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use crate::conductor::Conductor;
use crate::order::Order;
use crate::wire::Wire;

/// How often a thread that is ready looks whether the others are, nanoseconds.
const POLL_NANOS: u64 = 1_000_000;

const UNKNOWN: u64 = u64::MAX;

/// Where the threads of a slice wait for each other.
#[derive(Debug)]
pub(crate) struct StartBarrier {
    missing: AtomicUsize,
    /// When the last of them came, nanoseconds of their clock.
    origin: AtomicU64,
}

impl StartBarrier {
    pub(crate) fn for_threads(threads: usize) -> Self {
        Self {
            missing: AtomicUsize::new(threads),
            origin: AtomicU64::new(UNKNOWN),
        }
    }

    /// The arrival of one thread, still to come.
    pub(crate) fn arrival(&self) -> Arrival<'_> {
        Arrival {
            barrier: self,
            arrived_at: 0,
        }
    }

    /// The time at which the slice begins, nanoseconds of the threads' clock; `None` until all
    /// threads are there.
    pub(crate) fn origin(&self) -> Option<u64> {
        let origin = self.origin.load(Ordering::Acquire);
        (origin != UNKNOWN).then_some(origin)
    }
}

/// A thread arrives when this is dropped: one that fails must not keep the others
/// waiting.
pub(crate) struct Arrival<'g> {
    barrier: &'g StartBarrier,
    arrived_at: u64,
}

impl Drop for Arrival<'_> {
    fn drop(&mut self) {
        if self.barrier.missing.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.barrier
                .origin
                .store(self.arrived_at, Ordering::Release);
        }
    }
}

/// Opens the connections of one thread and waits for the other threads; then the time of `wire`
/// and `conductor` begins, at zero. Each attempt may take as long as the wire allows, and what
/// could not be opened by then is tried again in the time of the slice. Does nothing without a
/// `arrival`.
///
/// # Errors
/// Those of [`Wire::turn`].
pub(crate) fn open_connections(
    wire: &mut impl Wire,
    conductor: &mut Conductor<'_>,
    stop: &AtomicBool,
    arrival: Option<Arrival<'_>>,
) -> io::Result<()> {
    let Some(mut arrival) = arrival else {
        return Ok(());
    };
    let barrier = arrival.barrier;
    conductor.begin_to_open();
    for connection in 0..conductor.connections() {
        wire.obey(connection * conductor.lanes(), Order::Reopen, conductor);
    }
    while !conductor.has_tried_all() && !stop.load(Ordering::Relaxed) {
        turn(wire, conductor)?;
    }
    arrival.arrived_at = wire.now();
    drop(arrival);
    loop {
        if let Some(origin) = barrier.origin() {
            wire.begin_at(origin);
            conductor.begin_at(origin);
            return Ok(());
        }
        turn(wire, conductor)?;
    }
}

fn turn(wire: &mut impl Wire, conductor: &mut Conductor<'_>) -> io::Result<()> {
    let now = wire.now();
    while let Some((slot, order)) = conductor.retry(now) {
        wire.obey(slot, order, conductor);
    }
    wire.turn(now + POLL_NANOS, conductor)
}
