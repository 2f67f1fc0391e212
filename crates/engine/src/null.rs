//! A driver without I/O that completes every request at once, to measure the cost of the engine.

use std::io;

use crate::clock::Clock;
use crate::driver::Driver;
use crate::exchange::ResponseHead;
use crate::opened::Opened;
use crate::order::Order;
use crate::scheduler::{ResponseSummary, Scheduler};

/// Responses between two checks of timers and the stop flag.
const BATCH: usize = 1024;

/// Completes every request at once with status 200 and no body.
pub struct Null {
    clock: Clock,
    /// Slots with a request in flight.
    pending: Vec<usize>,
    answering: Vec<usize>,
    /// Connections to open.
    to_open: Vec<usize>,
}

impl Null {
    /// A driver that reads the time from `clock`.
    pub fn new(clock: Clock) -> Self {
        Self {
            clock,
            pending: Vec::new(),
            answering: Vec::new(),
            to_open: Vec::new(),
        }
    }

    #[inline]
    fn execute_at(&mut self, now: u64, slot: usize, order: Order, scheduler: &mut Scheduler<'_>) {
        match order {
            Order::Send => {
                scheduler.writing(slot, now);
                self.pending.push(slot);
            }
            Order::Reopen => self.to_open.push(slot / scheduler.depth()),
            Order::Rest | Order::Close | Order::Cancel => {}
        }
    }

    #[inline]
    fn answer(&mut self, slot: usize, scheduler: &mut Scheduler<'_>) {
        let head = ResponseHead {
            status: 200,
            length: Some(0),
            bytes: &[],
        };
        scheduler.head(slot, &head);
        let answer = ResponseSummary {
            status: 200,
            length: 0,
            received: 0,
            cut_at: None,
            reusable: true,
        };
        // The next operation starts when the previous operation ends, so both share a timestamp.
        let now = self.clock.now();
        let order = scheduler.answered(slot, now, answer);
        self.execute_at(now, slot, order, scheduler);
    }
}

impl Driver for Null {
    fn now(&self) -> u64 {
        self.clock.now()
    }

    fn begin_at(&mut self, origin: u64) {
        self.clock.begin_at(origin);
    }

    fn execute(&mut self, slot: usize, order: Order, scheduler: &mut Scheduler<'_>) {
        self.execute_at(self.clock.now(), slot, order, scheduler);
    }

    fn turn(&mut self, wake: u64, scheduler: &mut Scheduler<'_>) -> io::Result<()> {
        while let Some(connection) = self.to_open.pop() {
            let order = scheduler.connected(connection, self.clock.now(), Opened::default());
            self.execute(connection * scheduler.depth(), order, scheduler);
        }
        let mut answers = 0;
        while answers < BATCH && !self.pending.is_empty() {
            std::mem::swap(&mut self.pending, &mut self.answering);
            while let Some(slot) = self.answering.pop() {
                answers += 1;
                self.answer(slot, scheduler);
            }
        }
        if answers == 0 {
            let wait = wake.saturating_sub(self.clock.now());
            std::thread::sleep(std::time::Duration::from_nanos(wait.min(1_000_000)));
        }
        Ok(())
    }
}
