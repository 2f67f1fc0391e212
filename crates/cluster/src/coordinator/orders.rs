//! Orders to the agents: what each must do.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use bytes::Bytes;
use tenbin_plan::sentence;

use super::{Coordinator, check};
use crate::error::ClusterError;
use crate::message::{Assignment, Happened, Introduction, Order, What};
use crate::parts;
use crate::subjects;

/// How long an order is valid.
pub(super) const ORDER_TIME: Duration = Duration::from_secs(10);
/// How long a part of a large order may take to reach its agent.
const PART_TIME: Duration = Duration::from_millis(50);
/// How long agents may take to prepare for a plan.
const PREPARE_TIME: Duration = Duration::from_secs(120);

impl Coordinator {
    /// Assigns every agent its part of a plan. The coordinator sets the numbers of the agents.
    ///
    /// # Errors
    /// When an agent refuses the plan or is lost, or when `stop` is set.
    pub fn prepare(
        &mut self,
        assignment: &Assignment,
        stop: &AtomicBool,
    ) -> Result<(), ClusterError> {
        self.assignment = Some(assignment.clone());
        self.assign(stop)
    }

    /// Assigns every agent its part of the plan, if there is a plan yet.
    pub(super) fn assign(&mut self, stop: &AtomicBool) -> Result<(), ClusterError> {
        let Some(assignment) = self.assignment.clone() else {
            return Ok(());
        };
        let order = |number, assignment| What::Prepare { number, assignment };
        self.order_and_wait(
            &assignment,
            order,
            PREPARE_TIME,
            stop,
            |number, _, what| matches!(what, Happened::Prepared { number: of } if of == number),
        )
    }

    /// Lets every agent check its machine and the targets of a plan, within `time`; a plan without
    /// text checks only the machines. `request` and the results have a form that the caller chose.
    /// `tell` receives the name of an agent and its results.
    ///
    /// # Errors
    /// When an agent is lost or needs longer, or when `stop` is set.
    pub fn examine(
        &mut self,
        assignment: &Assignment,
        request: &Bytes,
        time: Duration,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(&str, Bytes),
    ) -> Result<(), ClusterError> {
        let order = |number, assignment| What::Examine {
            number,
            assignment,
            request: request.clone(),
        };
        self.order_and_wait(
            assignment,
            order,
            time,
            stop,
            |number, agent, what| match what {
                Happened::Examined {
                    number: of,
                    results,
                } if of == number => {
                    tell(&agent.name, results);
                    true
                }
                _ => false,
            },
        )
    }

    /// Orders the same of every agent, each with its part of a plan, and waits for the responses.
    /// `is_done` gets the number of the order.
    fn order_and_wait(
        &mut self,
        assignment: &Assignment,
        order: impl Fn(u64, Assignment) -> What,
        time: Duration,
        stop: &AtomicBool,
        mut is_done: impl FnMut(u64, &Introduction, Happened) -> bool,
    ) -> Result<(), ClusterError> {
        let agents = self.members.len();
        self.number += 1;
        let number = self.number;
        let of_agent = |agent| {
            let assignment = Assignment {
                agent,
                agents,
                ..assignment.clone()
            };
            let as_part = |part| What::Part { number, part };
            parts::split(order(number, assignment), as_part)
        };
        let orders = (0..agents).map(of_agent).collect::<Result<_, _>>();
        self.order_in_parts(orders.map_err(ClusterError::Agents)?);
        let start = Instant::now();
        let mut has_done = vec![false; agents];
        while let Some(missing) = has_done.iter().position(|has_done| !has_done) {
            check(stop)?;
            if start.elapsed() > time {
                let what = sentence!(
                    "request-not-completed",
                    "did not complete the coordinator's request within {seconds} s",
                    seconds = time.as_secs()
                );
                return Err(self.members[missing].lost(what));
            }
            if let Some((agent, what, _)) = self.heard()? {
                has_done[agent] |= is_done(number, &self.members[agent].intro, what);
            }
        }
        Ok(())
    }

    pub(super) fn order(&self, agent: usize, what: What) {
        self.order_within(agent, what, ORDER_TIME);
    }

    /// Sends each agent the parts of its order, and returns how much longer than an order in one
    /// part they may take. The agents get their parts in turn, so that none waits for the others.
    pub(super) fn order_in_parts(&self, mut orders: Vec<Vec<What>>) -> Duration {
        let parts: usize = orders.iter().map(Vec::len).sum();
        let longer = PART_TIME * (parts - orders.len()) as u32;
        orders.iter_mut().for_each(|parts| parts.reverse());
        while orders.iter().any(|parts| !parts.is_empty()) {
            for (agent, parts) in orders.iter_mut().enumerate() {
                if let Some(what) = parts.pop() {
                    self.order_within(agent, what, ORDER_TIME + longer);
                }
            }
        }
        longer
    }

    pub(super) fn order_within(&self, agent: usize, what: What, time: Duration) {
        let member = &self.members[agent];
        let expiry = self.now(Instant::now() + time);
        // An agent whose clock is not known yet gets orders without an expiry: only probes.
        let expires = member.clock.map_or(u64::MAX, |clock| clock.at(expiry));
        let order = Order {
            run: self.run.clone(),
            expires,
            what,
        };
        let subject = subjects::orders(&member.intro.name);
        self.bus.outbox().send(&subject, &order);
    }
}
