//! A wire without I/O: every request is answered at once. It measures what
//! the engine itself costs.

use std::io;

use crate::clock::Clock;
use crate::conductor::{Answered, Conductor, Opened};
use crate::exchange::AnswerHead;
use crate::order::Order;
use crate::wire::Wire;

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
    /// A wire on `clock`.
    pub fn new(clock: Clock) -> Self {
        Self {
            clock,
            asked: Vec::new(),
            answering: Vec::new(),
            down: Vec::new(),
        }
    }

    #[inline]
    fn obey_at(&mut self, now: u64, slot: usize, order: Order, conductor: &mut Conductor<'_>) {
        match order {
            Order::Send => {
                conductor.writing(slot, now);
                self.asked.push(slot);
            }
            Order::Reopen => self.down.push(slot / conductor.lanes()),
            Order::Rest | Order::Close | Order::Cancel => {}
        }
    }

    #[inline]
    fn answer(&mut self, slot: usize, conductor: &mut Conductor<'_>) {
        let head = AnswerHead {
            status: 200,
            length: Some(0),
            bytes: &[],
        };
        conductor.head(slot, &head);
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
        let order = conductor.answered(slot, now, answer);
        self.obey_at(now, slot, order, conductor);
    }
}

impl Wire for Null {
    fn now(&self) -> u64 {
        self.clock.now()
    }

    fn obey(&mut self, slot: usize, order: Order, conductor: &mut Conductor<'_>) {
        self.obey_at(self.clock.now(), slot, order, conductor);
    }

    fn turn(&mut self, wake: u64, conductor: &mut Conductor<'_>) -> io::Result<()> {
        while let Some(connection) = self.down.pop() {
            let order = conductor.connected(connection, self.clock.now(), Opened::default());
            self.obey(connection * conductor.lanes(), order, conductor);
        }
        let mut answers = 0;
        while answers < BATCH && !self.asked.is_empty() {
            std::mem::swap(&mut self.asked, &mut self.answering);
            while let Some(slot) = self.answering.pop() {
                answers += 1;
                self.answer(slot, conductor);
            }
        }
        if answers == 0 {
            let wait = wake.saturating_sub(self.clock.now());
            std::thread::sleep(std::time::Duration::from_nanos(wait.min(1_000_000)));
        }
        Ok(())
    }
}
