//! Time-driven events: the window, samples, timeouts and the end of the slice.

use std::sync::atomic::Ordering;

use tenbin_plan::LEAST_QUEUE;

use super::slot::SlotState;
use super::{Schedule, Scheduler};
use crate::error::ErrorClass;
use crate::order::Order;
use crate::tally::Times;

/// Longest wait for responses after the slice was stopped, nanoseconds.
pub(super) const STOP_DRAIN_NANOS: u64 = 1_000_000_000;

/// Length of a sample's period, nanoseconds.
pub(super) const SAMPLE_NANOS: u64 = 1_000_000_000;

/// The time from which no request of the queue is sent any more: after the window closes, the queue
/// has as much time as its requests took to become due, but at most one timeout.
///
/// A target that can serve the rate empties the queue in this time, even after a pause. Requests
/// that are still in the queue show that the target cannot keep up, and sending them would only make
/// the slice longer. These requests are counted ([`crate::Counter::Unsent`]) and rank above all others
/// in the response times, because the queue of an overloaded target only grows: of two requests, the
/// one that was due later waits longer. A percentile that lies among them is unknown, and every other
/// percentile is the same as if all requests had been sent.
pub(super) fn queue_limit(schedule: &Schedule) -> u64 {
    if schedule.pacer.is_none() {
        return u64::MAX;
    }
    let least = LEAST_QUEUE.as_nanos() as u64;
    let time = schedule.close.max(least).min(schedule.timeout);
    schedule.close.saturating_add(time)
}

impl Scheduler<'_> {
    /// The next order that is due, with its slot. Callers repeat the call until the result is
    /// `None`.
    pub fn tick(&mut self, now: u64) -> Option<(usize, Order)> {
        self.turn_window(now);
        if self.stopped {
            return None;
        }
        if now >= self.next_deadline
            && let Some(late) = self.take_overdue(now)
        {
            return Some((late, Order::Cancel));
        }
        if let Some(again) = self.retry(now) {
            return Some(again);
        }
        if let Some(slot) = self.take_again() {
            return Some((slot, Order::Send));
        }
        self.expire_queue(now);
        if now >= self.queue_limit {
            self.drop_queue();
        }
        if self.waiting && now < self.rested {
            return None;
        }
        self.waiting = false;
        self.take_work(now).map(|slot| (slot, Order::Send))
    }

    /// The slot for the next operation, if an operation is due and a virtual user is free.
    pub(super) fn take_work(&mut self, now: u64) -> Option<usize> {
        if !self.work_is_due(now) {
            return None;
        }
        let slot = self.dispatch.take(self.in_flight, now)?;
        (self.prepare(slot, now) == Order::Send).then_some(slot)
    }

    /// The latest time at which [`Self::tick`] must be called again.
    pub fn wake(&self, now: u64) -> u64 {
        if self.stopped {
            return self.drain_limit.max(now);
        }
        let mut wake = self.next_deadline.min(self.next_retry);
        if !self.window_open {
            wake = wake.min(self.schedule.open);
        } else if !self.window_closed {
            wake = wake.min(self.next_sample).min(self.schedule.close);
        }
        if let Some(due) = self.next_arrival() {
            // Without a free user, an arrival cannot be sent; it can only time out.
            let act = if self.waiting || !self.dispatch.is_ready(self.in_flight) {
                due.saturating_add(self.schedule.timeout)
            } else {
                due
            };
            wake = wake.min(act).min(self.queue_limit);
        }
        if self.waiting && !self.over(self.rested) {
            wake = wake.min(self.rested);
        }
        if let Some(thought) = self.dispatch.next_thought()
            && !self.waiting
            && !self.exhausted
            && !self.over(thought)
        {
            wake = wake.min(thought);
        }
        wake.max(now)
    }

    /// Whether this thread has finished the slice.
    pub fn finished(&self, now: u64) -> bool {
        if self.stopped {
            return self.in_flight == 0 || now >= self.drain_limit;
        }
        if self.in_flight > 0 {
            return false;
        }
        // The schedule may end before the window closes, but the slice does not end before the
        // window opens.
        self.exhausted
            || self.issued >= self.allowance.operations
            || (self.due == u64::MAX && now >= self.schedule.open)
            || (now >= self.allowance.until && self.next_arrival().is_none())
    }

    /// Sends the last sample. Requests still in flight are reported to the workload as lost.
    pub fn finish(&mut self, now: u64) {
        self.cut_window(self.last_end);
        for slot in 0..self.slots.len() {
            let entry = &mut self.slots[slot];
            if matches!(entry.state, SlotState::Busy | SlotState::Returned) {
                self.workload.lost(&mut entry.exchange, ErrorClass::Timeout);
            }
        }
        if self.in_flight > 0 {
            self.tally.paused(self.quiet_since, now);
        }
        if self.schedule.rest.is_some() {
            // Drops connection events after the window, where the rest of the segment was sent
            // unmeasured.
            self.tally.forget_connections();
        }
        let drained = self.tally.ship(now.max(self.tally.since()), 0, true);
        (self.ship)(drained);
        self.workload.slice_over();
    }

    /// Open loop: the time at which the next operation is due, unless the schedule has ended.
    #[inline]
    pub(super) fn next_arrival(&self) -> Option<u64> {
        (!self.closed_loop && !self.over(self.due)).then_some(self.due)
    }

    /// Counts timed-out requests as failed, slot by slot. Stops after a request that was in flight
    /// and returns its slot for [`Order::Cancel`]. Does not stop after a request that was waiting
    /// to be sent again, because there is nothing to cancel. After a scan of all slots, the next
    /// scan waits for the earliest deadline.
    fn take_overdue(&mut self, now: u64) -> Option<usize> {
        let timeout = self.schedule.timeout;
        let mut next = u64::MAX;
        for slot in 0..self.slots.len() {
            let entry = &self.slots[slot];
            let is_busy = entry.state == SlotState::Busy;
            if !is_busy && entry.state != SlotState::Returned {
                continue;
            }
            let deadline = entry.deadline(timeout);
            if deadline > now {
                next = next.min(deadline);
                continue;
            }
            self.lose(slot, now, ErrorClass::Timeout, "no response in time");
            if is_busy {
                return Some(slot);
            }
            self.settle(slot);
        }
        self.next_deadline = next;
        None
    }

    /// Open loop: fails arrivals that waited a whole timeout for a free connection; at the end of
    /// the time for the queue, also arrivals that waited while the target accepted no connection.
    fn expire_queue(&mut self, now: u64) {
        let timeout = self.schedule.timeout;
        let is_down = self.up == 0 && self.none_up_since <= self.schedule.close;
        let is_over = is_down && now >= self.queue_limit;
        while let Some(due) = self.next_arrival() {
            if due.saturating_add(timeout) > now && !is_over {
                return;
            }
            if let Some(pacer) = &mut self.schedule.pacer {
                pacer.take();
                self.due = pacer.due();
            }
            self.issued += 1;
            // If all connections were lost only after the arrival was due, the arrival waited for a
            // busy connection at first: a timeout, not a connect error.
            let (class, text) = if self.up == 0 && self.none_up_since <= due {
                let why = match self.last_refusal.as_str() {
                    "" => "no connection in time",
                    why => why,
                };
                (ErrorClass::Connect, why)
            } else {
                (ErrorClass::Timeout, "waited too long for a free connection")
            };
            let times = Times {
                intended: due,
                started: due,
                ended: now,
            };
            // The arrival has no host yet, so the failure counts for the first host.
            if self.tally.never_prepared(0, times, class, text)
                && let Some(requests) = &mut self.requests
            {
                requests.unprepared((self.tally.unprepared(), 0), times, class, text);
            }
            self.workload.unprepared(class);
            self.exhausted |= self.workload.gives_up();
            if self.window_closed {
                self.tally.never_prepared_censored(times);
            }
        }
    }

    /// Open loop: counts the rest of the queue as unsent, and ends the schedule.
    fn drop_queue(&mut self) {
        if self.next_arrival().is_none() {
            return;
        }
        let Some(pacer) = &self.schedule.pacer else {
            return;
        };
        let left = self.allowance.operations.saturating_sub(self.issued);
        let due_before = |time| pacer.due_before(time).min(left);
        // The queue is in the order of the due times: requests of the settling time come first.
        let in_window = due_before(self.schedule.close) - due_before(self.schedule.open);
        self.tally.never_sent(in_window);
        self.due = u64::MAX;
    }

    /// Opens and closes the window and ships samples when they are due.
    fn turn_window(&mut self, now: u64) {
        if !self.window_open {
            if now < self.schedule.open {
                return;
            }
            self.window_open = true;
            self.tally.open_window();
            let standing: Vec<_> = self.standing().collect();
            for connection in standing {
                self.tally.stands(connection);
            }
        }
        if self.window_closed {
            return;
        }
        if let Some(rest) = &self.schedule.rest {
            let edge = rest.edge.load(Ordering::Relaxed);
            if now >= edge {
                self.cut_window(edge);
                return;
            }
        }
        if now >= self.schedule.close {
            self.close_window(self.schedule.close);
        } else if now >= self.next_sample {
            let backlog = self.backlog(now);
            let sample = self.tally.ship(now, backlog, false);
            (self.ship)(sample);
            self.next_sample = now + SAMPLE_NANOS;
        }
    }

    /// Closes the window early, if it is open.
    pub(super) fn cut_window(&mut self, at: u64) {
        if !self.window_closed {
            self.close_window(at.clamp(self.schedule.open, self.schedule.close));
        }
    }

    fn close_window(&mut self, at: u64) {
        self.window_closed = true;
        self.tally.close_window(at);
        let backlog = self.backlog(at);
        // Another thread can close the window at a time for which this thread has already sent a
        // sample.
        let sample = self.tally.ship(at.max(self.tally.since()), backlog, false);
        (self.ship)(sample);
        if let Some(rest) = &self.schedule.rest {
            let until = at.saturating_add(rest.most);
            self.allowance.until = self.allowance.until.min(until);
        }
    }

    fn backlog(&self, now: u64) -> u64 {
        let until = now.min(self.schedule.close);
        let Some(pacer) = &self.schedule.pacer else {
            return 0;
        };
        let left = self.allowance.operations.saturating_sub(self.issued);
        pacer.due_before(until).min(left)
    }
}
