//! What carries requests: the seam between deciding and moving bytes.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::conductor::Conductor;
use crate::order::Order;

/// Longest wait before the stop flag is looked at again, nanoseconds.
const STOP_GLANCE_NANOS: u64 = 100_000_000;

/// Carries requests in numbered slots, so many to a connection, and tells the
/// conductor, by its `connected`, `answered`, `broken` and their like, what became
/// of them.
pub trait Wire {
    /// Nanoseconds since the slice's origin.
    fn now(&self) -> u64;

    /// Carries out an order for `slot`.
    fn obey(&mut self, slot: usize, order: Order, conductor: &mut Conductor<'_>);

    /// Waits for something to happen, at most until `wake`, and tells the
    /// conductor of all of it.
    ///
    /// # Errors
    /// When the system refuses to wait at all.
    fn turn(&mut self, wake: u64, conductor: &mut Conductor<'_>) -> io::Result<()>;

    /// The slice begins: from now on times are nanoseconds since `origin`.
    fn begin_at(&mut self, _origin: u64) {}
}

/// Runs one thread's part of a slice to its end, or until `stop` is set.
///
/// # Errors
/// Those of [`Wire::turn`].
pub(crate) fn run(
    wire: &mut impl Wire,
    conductor: &mut Conductor<'_>,
    stop: &AtomicBool,
) -> io::Result<()> {
    if !conductor.has_opened() {
        for connection in 0..conductor.connections() {
            wire.obey(connection * conductor.lanes(), Order::Reopen, conductor);
        }
    }
    loop {
        let now = wire.now();
        while let Some((slot, order)) = conductor.tick(now) {
            wire.obey(slot, order, conductor);
        }
        if conductor.finished(now) {
            break;
        }
        let wake = conductor.wake(now).min(now + STOP_GLANCE_NANOS);
        wire.turn(wake, conductor)?;
        if stop.load(Ordering::Relaxed) {
            conductor.stop(wire.now());
        }
    }
    for connection in 0..conductor.connections() {
        wire.obey(connection * conductor.lanes(), Order::Close, conductor);
    }
    conductor.finish(wire.now());
    Ok(())
}
