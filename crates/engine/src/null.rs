//! A driver without I/O: every request is answered at once. It measures what
//! the engine itself costs.

use std::io;

use crate::clock::Clock;
use crate::driver::Driver;
use crate::exchange::AnswerHead;
use crate::opened::Opened;
use crate::order::Order;
use crate::scheduler::{Answered, Scheduler};

/// Answers between two looks at the clock's other duties.
const BATCH: usize = 1024;

/// Answers every request at once with status 200 and no body.
pub struct Null {
    clock: Clock,
    /// Slots whose request awaits its answer.
    asked: Vec<usize>,
    answering: Vec<usize>,
    /// Connections to be opened.
    down: Vec<usize>,
}

impl Null {
    /// A driver on `clock`.
    pub fn new(clock: Clock) -> Self {
        Self {
            clock,
            asked: Vec::new(),
            answering: Vec::new(),
            down: Vec::new(),
        }
    }

    #[inline]
    fn obey_at(&mut self, now: u64, slot: usize, order: Order, scheduler: &mut Scheduler<'_>) {
        match order {
            Order::Send => {
                scheduler.writing(slot, now);
                self.asked.push(slot);
            }
            Order::Reopen => self.down.push(slot / scheduler.depth()),
            Order::Rest | Order::Close | Order::Cancel => {}
        }
    }

    #[inline]
    fn answer(&mut self, slot: usize, scheduler: &mut Scheduler<'_>) {
        let head = AnswerHead {
            status: 200,
            length: Some(0),
            bytes: &[],
        };
        scheduler.head(slot, &head);
        let answer = Answered {
            status: 200,
            length: 0,
            received: 0,
            cut_at: None,
            reusable: true,
        };
        // Nothing lies between the end of one operation and the start of the next,
        // so that one stamp serves both.
        let now = self.clock.now();
        let order = scheduler.answered(slot, now, answer);
        self.obey_at(now, slot, order, scheduler);
    }
}

impl Driver for Null {
    fn now(&self) -> u64 {
        self.clock.now()
    }

    fn execute(&mut self, slot: usize, order: Order, scheduler: &mut Scheduler<'_>) {
        self.obey_at(self.clock.now(), slot, order, scheduler);
    }

    fn turn(&mut self, wake: u64, scheduler: &mut Scheduler<'_>) -> io::Result<()> {
        while let Some(connection) = self.down.pop() {
            let order = scheduler.connected(connection, self.clock.now(), Opened::default());
            self.execute(connection * scheduler.depth(), order, scheduler);
        }
        let mut answers = 0;
        while answers < BATCH && !self.asked.is_empty() {
            std::mem::swap(&mut self.asked, &mut self.answering);
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
