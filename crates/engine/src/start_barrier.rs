//! Synchronises the start of a slice: all threads open their connections first, and the slice
//! starts once every connection is open or has failed to open.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use crate::driver::Driver;
use crate::order::Order;
use crate::scheduler::Scheduler;

/// Interval at which a thread that is ready checks whether the other threads are ready,
/// nanoseconds.
const POLL_NANOS: u64 = 1_000_000;

const UNKNOWN: u64 = u64::MAX;

/// The barrier at which the threads of a slice wait for each other.
#[derive(Debug)]
pub(crate) struct StartBarrier {
    missing: AtomicUsize,
    /// Time at which the last thread arrived, nanoseconds on the threads' clock.
    origin: AtomicU64,
}

impl StartBarrier {
    pub(crate) fn for_threads(threads: usize) -> Self {
        Self {
            missing: AtomicUsize::new(threads),
            origin: AtomicU64::new(UNKNOWN),
        }
    }

    /// A guard that reports the arrival of one thread when it is dropped.
    pub(crate) fn arrival(&self) -> Arrival<'_> {
        Arrival {
            barrier: self,
            arrived_at: 0,
        }
    }

    /// Start of the slice, nanoseconds on the threads' clock; `None` until all threads have
    /// arrived.
    pub(crate) fn origin(&self) -> Option<u64> {
        let origin = self.origin.load(Ordering::Acquire);
        (origin != UNKNOWN).then_some(origin)
    }
}

/// A guard: its thread arrives when the guard is dropped, so that a failing thread does not block
/// the others.
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

/// Opens the connections of one thread, waits for the other threads, and then sets the time of
/// `driver` and `scheduler` to zero. Each attempt has the driver's timeout. Connections that failed
/// to open are retried, also after the start of the slice. Does nothing without an `arrival`.
///
/// # Errors
/// The errors of [`Driver::turn`].
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
