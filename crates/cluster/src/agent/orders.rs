//! What an agent does with an order.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tenbin_plan::{Sentence, sentence};

use super::run::Run;
use super::worker::{Job, Ordered};
use super::{Agent, News};
use crate::message::{Happened, Order, What};
use crate::parts::Parts;

impl Agent {
    /// Reacts to an order: at once to a probe or a reservation, otherwise only in time and as part of
    /// the run that this agent works for.
    pub(super) fn obey(&mut self, order: Order, at: Instant) -> Result<(), Sentence> {
        if let What::Probe { sent } = order.what {
            let time = Happened::Time {
                sent,
                received: self.now(at),
                replied: self.now(Instant::now()),
            };
            self.send_for(&order.run, time);
            return Ok(());
        }
        let ends_work = matches!(order.what, What::Stop { .. } | What::End);
        if !ends_work && self.now(Instant::now()) > order.expires {
            let late = sentence!(
                "request-too-late",
                "the coordinator's request arrived after its deadline"
            );
            self.miss(&order, late);
            return Ok(());
        }
        if let What::Reserve { number } = order.what {
            let is_reserved = self.reserve(&order.run, number);
            let what = if is_reserved {
                Happened::Reserved
            } else {
                Happened::Busy
            };
            self.send_for(&order.run, what);
            return Ok(());
        }
        let is_own = |own: &Run| own.id == order.run;
        if !self.run.as_ref().is_some_and(is_own) {
            if !ends_work {
                let why = sentence!(
                    "agent-unassigned",
                    "agent \"{name}\" is no longer assigned to the run",
                    name = self.me.name
                );
                self.send_for(&order.run, Happened::Gone { why });
            }
            return Ok(());
        }
        match self.joined(order) {
            Some(order) => self.execute(order),
            None => Ok(()),
        }
    }

    /// Executes a complete order of the run that this agent works for.
    fn execute(&mut self, order: Order) -> Result<(), Sentence> {
        let Some(run) = self.run.as_mut() else {
            return Ok(());
        };
        match order.what {
            What::Prepare { number, assignment } => {
                run.take_order(number)?;
                let ordered = self.ordered(order.run, number);
                self.tell(News::Assigned);
                let _ = self.jobs.send(Job::Prepare(ordered, assignment));
            }
            What::Examine {
                number,
                assignment,
                request,
            } => {
                run.take_order(number)?;
                let ordered = self.ordered(order.run, number);
                self.tell(News::Examined);
                let _ = self.jobs.send(Job::Examine(ordered, assignment, request));
            }
            What::Slice(slice) => {
                let gate = run.take_slice(slice.slice)?;
                let ordered = self.ordered(order.run, slice.slice);
                let _ = self.jobs.send(Job::Slice(ordered, slice, gate));
            }
            What::Start { slice, at } => {
                let gate = run.gate(slice);
                let gate = gate.ok_or_else(|| {
                    sentence!("slice-not-ready", "slice {slice} is not ready", slice)
                })?;
                gate.start_at(self.origin + Duration::from_nanos(at));
            }
            What::Close { slice } => {
                if let Some(gate) = run.gate(slice) {
                    gate.close_window();
                }
            }
            What::Stop { slice } => {
                if run.last == Some(slice) {
                    self.halt.store(true, Ordering::Relaxed);
                }
            }
            What::End => self.leave(),
            What::Probe { .. } | What::Reserve { .. } | What::Part { .. } => {}
        }
        Ok(())
    }

    /// Works for this run from now on. Returns false if the agent works for another run, or still
    /// ends the work for one.
    pub(super) fn reserve(&mut self, run: &str, number: u64) -> bool {
        if let Some(own) = &mut self.run {
            own.reserved = number;
            return own.id == run;
        }
        if self.ending > 0 {
            return false;
        }
        self.run = Some(Run {
            id: run.to_owned(),
            leased: Instant::now(),
            slice: None,
            last: None,
            reserved: number,
        });
        true
    }

    /// Halts the job before, and names a new one.
    fn ordered(&mut self, run: String, number: u64) -> Ordered {
        self.halt.store(true, Ordering::Relaxed);
        self.halt = Arc::default();
        Ordered {
            run,
            number,
            halt: Arc::clone(&self.halt),
        }
    }

    /// The order, or the order that is complete with this part.
    fn joined(&mut self, order: Order) -> Option<Order> {
        let What::Part { part, .. } = &order.what else {
            return Some(order);
        };
        if self.parts.0 != order.run {
            self.parts = (order.run.clone(), Parts::default());
        }
        match self.parts.1.add(part) {
            Ok(whole) => whole.map(|what| Order { what, ..order }),
            Err(why) => {
                self.miss(&order, why);
                None
            }
        }
    }

    /// Reports an order that did not arrive in time or completely.
    fn miss(&mut self, order: &Order, why: Sentence) {
        let why = self.of_agent(why);
        self.warn(why.clone());
        let number = order.what.number();
        self.send_for(&order.run, Happened::Missed { number, why });
    }
}
