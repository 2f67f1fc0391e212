//! Synchronises the start of a slice: all threads open their connections first, and the slice
//! starts once every connection is open or has failed to open. If other load machines measure the
//! same slice, the slice then waits for the time that a [`StartGate`] is given.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use crate::driver::Driver;
use crate::order::Order;
use crate::scheduler::Scheduler;

/// Interval at which a thread that is ready checks whether the other threads are ready,
/// nanoseconds.
const POLL_NANOS: u64 = 1_000_000;

/// Largest time between two readings of clocks that count as simultaneous, nanoseconds.
const READINGS_APART: u64 = 100_000;

const UNKNOWN: u64 = u64::MAX;

/// Delays the start of a slice: the threads get ready, and start at a time that is set from
/// outside, so that several load machines can start together. Also closes the window from outside,
/// when another load machine has sent its share of a segment ([`crate::Drive::rest`]), and stops
/// the slice if a thread was suspended for long.
#[derive(Debug)]
pub struct StartGate {
    is_ready: AtomicBool,
    start: OnceLock<Instant>,
    longest_pause: Duration,
    /// When the window closed early, nanoseconds since the start of the slice.
    edge: Arc<AtomicU64>,
    /// How much later than planned the slice started, because its threads did not know the start in
    /// time, nanoseconds.
    slice_late: AtomicU64,
    /// How much later than the slice the last thread started, nanoseconds.
    thread_late: AtomicU64,
}

impl StartGate {
    /// A gate whose slice stops when a thread was suspended for longer than `longest_pause`, for
    /// example by SIGSTOP: the other load machines may have continued without this one. At least
    /// 150 ms; threads that run wait up to 100 ms for events. A thread notices its suspension after
    /// at most one more request per connection.
    pub fn new(longest_pause: Duration) -> Self {
        Self {
            is_ready: AtomicBool::new(false),
            start: OnceLock::new(),
            longest_pause,
            edge: Arc::new(AtomicU64::new(UNKNOWN)),
            slice_late: AtomicU64::new(0),
            thread_late: AtomicU64::new(0),
        }
    }

    /// Whether every thread is ready to start.
    pub fn is_ready(&self) -> bool {
        self.is_ready.load(Ordering::Acquire)
    }

    /// Sets the start of the slice; a time in the past means at once. Later calls change nothing.
    pub fn start_at(&self, start: Instant) {
        let _ = self.start.set(start);
    }

    /// How much later than planned this machine measured, nanoseconds: the delay of the slice, and
    /// the part of the window in which a thread did not run yet. The window opens `lead` nanoseconds
    /// after the start.
    pub fn late(&self, lead: u64) -> u64 {
        let thread = self.thread_late.load(Ordering::Relaxed);
        self.slice_late.load(Ordering::Relaxed) + thread.saturating_sub(lead)
    }

    /// Closes the window now, if the slice has started and sends a segment of a sequence; the
    /// threads then send the rest of the segment unmeasured.
    pub fn close_window(&self) {
        if let Some(start) = self.start.get() {
            let at = start.elapsed().as_nanos() as u64;
            self.edge.fetch_min(at, Ordering::Relaxed);
        }
    }

    /// Longest suspension of a thread, nanoseconds.
    pub(crate) fn longest_pause(&self) -> u64 {
        u64::try_from(self.longest_pause.as_nanos()).unwrap_or(u64::MAX)
    }

    /// When the window closed early, nanoseconds since the start of the slice, shared by the
    /// threads of the slice; `u64::MAX` until then.
    pub(crate) fn edge(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.edge)
    }
}

/// The barrier at which the threads of a slice wait for each other.
#[derive(Debug)]
pub(crate) struct StartBarrier {
    missing: AtomicUsize,
    /// Whether connections are opened before the start.
    opens_first: bool,
    /// Start of the slice, nanoseconds on the threads' clock: the time at which the last thread
    /// arrived, or the time of the gate.
    origin: AtomicU64,
    gate: Option<Arc<StartGate>>,
}

impl StartBarrier {
    pub(crate) fn new(threads: usize, opens_first: bool, gate: Option<Arc<StartGate>>) -> Self {
        Self {
            missing: AtomicUsize::new(threads),
            opens_first,
            origin: AtomicU64::new(UNKNOWN),
            gate,
        }
    }

    /// A guard that reports the arrival of one thread when it is dropped.
    pub(crate) fn arrival(&self) -> Arrival<'_> {
        Arrival {
            barrier: self,
            arrived_at: 0,
        }
    }

    /// Start of the slice, nanoseconds on the threads' clock; `None` until all threads have arrived
    /// and the gate, if any, knows the start.
    pub(crate) fn origin(&self) -> Option<u64> {
        let origin = self.origin.load(Ordering::Acquire);
        (origin != UNKNOWN).then_some(origin)
    }

    /// Sets the origin to the start that the gate was given, if any. `driver` has the threads'
    /// clock.
    fn take_start_of_gate(&self, driver: &impl Driver) {
        let gate = self.gate.as_ref();
        let Some((gate, start)) = gate.and_then(|gate| Some((gate, gate.start.get()?))) else {
            return;
        };
        let (now, present) = (driver.now(), Instant::now());
        // A thread that is suspended between two readings would start at a wrong time.
        if driver.now().saturating_sub(now) > READINGS_APART {
            return;
        }
        let wait = start.saturating_duration_since(present);
        if self.set_origin(now + wait.as_nanos() as u64) {
            let late = present.saturating_duration_since(*start);
            gate.slice_late
                .store(late.as_nanos() as u64, Ordering::Relaxed);
        }
    }

    /// Sets the origin, unless it is known. Returns whether it was unknown.
    fn set_origin(&self, at: u64) -> bool {
        let (success, failure) = (Ordering::AcqRel, Ordering::Acquire);
        let set = self.origin.compare_exchange(UNKNOWN, at, success, failure);
        set.is_ok()
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
            match &self.barrier.gate {
                Some(gate) => gate.is_ready.store(true, Ordering::Release),
                None => {
                    self.barrier.set_origin(self.arrived_at);
                }
            }
        }
    }
}

/// Opens the connections of one thread, if connections are opened before the start, waits for the
/// other threads and for the gate, and then sets the time of `driver` and `scheduler` to zero. Each
/// attempt has the driver's timeout. Connections that failed to open are retried, also after the
/// start of the slice. Does nothing without an `arrival`.
///
/// # Errors
/// The errors of [`Driver::turn`].
pub(crate) fn await_start(
    driver: &mut impl Driver,
    scheduler: &mut Scheduler<'_>,
    stop: &AtomicBool,
    arrival: Option<Arrival<'_>>,
) -> io::Result<()> {
    let Some(mut arrival) = arrival else {
        return Ok(());
    };
    let barrier = arrival.barrier;
    if barrier.opens_first {
        scheduler.begin_to_open();
        for connection in 0..scheduler.connections() {
            driver.execute(connection * scheduler.depth(), Order::Reopen, scheduler);
        }
        while !scheduler.has_tried_all() && !stop.load(Ordering::Relaxed) {
            turn(driver, scheduler, POLL_NANOS)?;
        }
    }
    arrival.arrived_at = driver.now();
    drop(arrival);
    loop {
        let now = driver.now();
        if stop.load(Ordering::Relaxed) {
            barrier.set_origin(now);
        }
        let mut wait = POLL_NANOS;
        match barrier.origin() {
            None => barrier.take_start_of_gate(driver),
            Some(origin) if now >= origin || stop.load(Ordering::Relaxed) => {
                if let Some(gate) = &barrier.gate {
                    let late = now.saturating_sub(origin);
                    gate.thread_late.fetch_max(late, Ordering::Relaxed);
                }
                driver.begin_at(origin.min(now));
                scheduler.begin_at(origin.min(now), barrier.opens_first);
                return Ok(());
            }
            // A wait would end too late: the kernel rounds waits up to a millisecond.
            Some(origin) if origin - now < 2 * POLL_NANOS => wait = 0,
            Some(_) => {}
        }
        turn(driver, scheduler, wait)?;
    }
}

fn turn(driver: &mut impl Driver, scheduler: &mut Scheduler<'_>, wait: u64) -> io::Result<()> {
    let now = driver.now();
    while let Some((slot, order)) = scheduler.retry(now) {
        driver.execute(slot, order, scheduler);
    }
    driver.turn(now + wait, scheduler)
}
