//! A wire without I/O: every request is answered at once. It measures what
//! the engine itself costs.

use std::io;

use crate::clock::Clock;
use crate::conductor::{Answered, Conductor};
use crate::exchange::AnswerHead;
use crate::wire::{Order, Wire};

/// Answers between two looks at the clock's other duties.
const BATCH: usize = 1024;

/// Answers every request at once with status 200 and no body.
pub struct Null {
    clock: Clock,
    /// Connections whose request awaits its answer.
    asked: Vec<usize>,
    answering: Vec<usize>,
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
}

impl Wire for Null {
    fn now(&self) -> u64 {
        self.clock.now()
    }

    #[inline]
    fn obey(&mut self, slot: usize, order: Order, conductor: &mut Conductor<'_>) {
        match order {
            Order::Send => {
                conductor.writing(slot, self.clock.now());
                self.asked.push(slot);
            }
            Order::Reopen => self.down.push(slot),
            Order::Rest | Order::Close => {}
        }
    }

    fn turn(&mut self, wake: u64, conductor: &mut Conductor<'_>) -> io::Result<()> {
        while let Some(slot) = self.down.pop() {
            let order = conductor.connected(slot, self.clock.now(), 0);
            self.obey(slot, order, conductor);
        }
        let mut answers = 0;
        while answers < BATCH && !self.asked.is_empty() {
            std::mem::swap(&mut self.asked, &mut self.answering);
            while let Some(slot) = self.answering.pop() {
                answers += 1;
                conductor.head(
                    slot,
                    &AnswerHead {
                        status: 200,
                        length: Some(0),
                        bytes: &[],
                    },
                );
                let answer = Answered {
                    status: 200,
                    length: 0,
                    received: 0,
                    reusable: true,
                };
                let order = conductor.answered(slot, self.clock.now(), answer);
                self.obey(slot, order, conductor);
            }
        }
        if answers == 0 {
            let wait = wake.saturating_sub(self.clock.now());
            std::thread::sleep(std::time::Duration::from_nanos(wait.min(1_000_000)));
        }
        Ok(())
    }
}
