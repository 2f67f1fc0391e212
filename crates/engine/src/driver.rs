//! The driver trait: a driver sends requests and receives responses for the scheduler.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::order::Order;
use crate::scheduler::Scheduler;
use crate::transport::TcpFigures;

/// Longest wait before the stop flag is read again, nanoseconds.
const STOP_POLL_NANOS: u64 = 100_000_000;

/// Sends requests and receives responses. Every connection has the same number of slots; a slot
/// holds at most one request in flight. Reports every event to the scheduler with
/// [`Scheduler::connected`], [`Scheduler::answered`], [`Scheduler::broken`] and similar calls.
pub trait Driver {
    /// Nanoseconds since the slice's origin.
    fn now(&self) -> u64;

    /// Executes the scheduler's order for `slot`.
    fn execute(&mut self, slot: usize, order: Order, scheduler: &mut Scheduler<'_>);

    /// Waits for events until `wake` at the latest, and reports all events to the scheduler.
    ///
    /// # Errors
    /// When the system call that waits fails.
    fn turn(&mut self, wake: u64, scheduler: &mut Scheduler<'_>) -> io::Result<()>;

    /// Starts the slice at `origin`: later times are nanoseconds since `origin`.
    fn begin_at(&mut self, _origin: u64) {}

    /// Kernel statistics of the closed TCP connections; all 0 or `None` for a driver without TCP.
    fn tcp_figures(&self) -> TcpFigures {
        TcpFigures::default()
    }
}

/// Runs one thread's part of a slice to its end, or until `stop` is set. Sets `stop` itself after
/// the thread was suspended for longer than [`Scheduler::longest_pause`].
///
/// # Errors
/// The errors of [`Driver::turn`].
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
    // The start of the slice, so that a thread that starts late counts as suspended.
    let mut before = 0;
    loop {
        let now = driver.now();
        if now.saturating_sub(before) > scheduler.longest_pause() {
            stop.store(true, Ordering::Relaxed);
        }
        before = now;
        if stop.load(Ordering::Relaxed) {
            scheduler.stop(now);
        }
        while let Some((slot, order)) = scheduler.tick(now) {
            driver.execute(slot, order, scheduler);
        }
        if scheduler.finished(now) {
            break;
        }
        let wake = scheduler.wake(now).min(now + STOP_POLL_NANOS);
        driver.turn(wake, scheduler)?;
    }
    for connection in 0..scheduler.connections() {
        driver.execute(connection * scheduler.depth(), Order::Close, scheduler);
    }
    scheduler.finish(driver.now());
    Ok(())
}
