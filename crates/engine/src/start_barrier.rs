//! The threads of a slice open their connections first: its time begins for all of them once every
//! connection is open, or could not be opened.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use crate::driver::Driver;
use crate::order::Order;
use crate::scheduler::Scheduler;

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

/// Opens the connections of one thread and waits for the other threads; then the time of `driver`
/// and `scheduler` begins, at zero. Each attempt may take as long as the driver allows, and what
/// could not be opened by then is tried again in the time of the slice. Does nothing without a
/// `arrival`.
///
/// # Errors
/// Those of [`Driver::turn`].
pub(crate) fn open_connections(
    driver: &mut impl Driver,
    scheduler: &mut Scheduler<'_>,
    stop: &AtomicBool,
    arrival: Option<Arrival<'_>>,
) -> io::Result<()> {
    let Some(mut arrival) = arrival else {
        return Ok(());
    };
    let barrier = arrival.barrier;
    scheduler.begin_to_open();
    for connection in 0..scheduler.connections() {
        driver.execute(connection * scheduler.depth(), Order::Reopen, scheduler);
    }
    while !scheduler.has_tried_all() && !stop.load(Ordering::Relaxed) {
        turn(driver, scheduler)?;
    }
    arrival.arrived_at = driver.now();
    drop(arrival);
    loop {
        if let Some(origin) = barrier.origin() {
            driver.begin_at(origin);
            scheduler.begin_at(origin);
            return Ok(());
        }
        turn(driver, scheduler)?;
    }
}

fn turn(driver: &mut impl Driver, scheduler: &mut Scheduler<'_>) -> io::Result<()> {
    let now = driver.now();
    while let Some((slot, order)) = scheduler.retry(now) {
        driver.execute(slot, order, scheduler);
    }
    driver.turn(now + POLL_NANOS, scheduler)
}
