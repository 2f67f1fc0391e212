//! The trait of what sends requests and receives responses for the scheduler.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::order::Order;
use crate::scheduler::Scheduler;

/// Longest wait before the stop flag is looked at again, nanoseconds.
const STOP_POLL_NANOS: u64 = 100_000_000;

/// Carries requests in numbered slots, so many to a connection, and tells the
/// scheduler, by its `connected`, `answered`, `broken` and their like, what became
/// of them.
pub trait Driver {
    /// Nanoseconds since the slice's origin.
    fn now(&self) -> u64;

    /// Carries out an order for `slot`.
    fn execute(&mut self, slot: usize, order: Order, scheduler: &mut Scheduler<'_>);

    /// Waits for something to happen, at most until `wake`, and tells the
    /// scheduler of all of it.
    ///
    /// # Errors
    /// When the system refuses to wait at all.
    fn turn(&mut self, wake: u64, scheduler: &mut Scheduler<'_>) -> io::Result<()>;

    /// The slice begins: from now on times are nanoseconds since `origin`.
    fn begin_at(&mut self, _origin: u64) {}
}

/// Runs one thread's part of a slice to its end, or until `stop` is set.
///
/// # Errors
/// Those of [`Driver::turn`].
pub(crate) fn run(
    driver: &mut impl Driver,
    scheduler: &mut Scheduler<'_>,
    stop: &AtomicBool,
) -> io::Result<()> {
    if !scheduler.has_opened() {
        for connection in 0..scheduler.connections() {
            driver.execute(connection * scheduler.depth(), Order::Reopen, scheduler);
        }
    }
    loop {
        let now = driver.now();
        while let Some((slot, order)) = scheduler.tick(now) {
            driver.execute(slot, order, scheduler);
        }
        if scheduler.finished(now) {
            break;
        }
        let wake = scheduler.wake(now).min(now + STOP_POLL_NANOS);
        driver.turn(wake, scheduler)?;
        if stop.load(Ordering::Relaxed) {
            scheduler.stop(driver.now());
        }
    }
    for connection in 0..scheduler.connections() {
        driver.execute(connection * scheduler.depth(), Order::Close, scheduler);
    }
    scheduler.finish(driver.now());
    Ok(())
}
