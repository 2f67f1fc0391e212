//! Connection events: opened, refused, reset, closed, reopened.

use std::ops::Range;
use std::time::Duration;

use super::Scheduler;
use super::slot::SlotState;
use crate::error::ErrorClass;
use crate::opened::Opened;
use crate::order::Order;
use crate::spread::Life;
use crate::tally::{Standing, Times};

/// First and longest delay before reconnecting after a refused connection, nanoseconds.
const BACK_OFF_NANOS: (u64, u64) = (5_000_000, 500_000_000);

/// Why a request will be sent a second time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Return {
    /// The request was still waiting for its connection, and no byte of it was sent.
    Unsent,
    /// The server refused the stream with REFUSED_STREAM.
    RefusedStream,
    /// The server sent GOAWAY and does not process the stream.
    GoAway,
    /// The server announced in an earlier response that it closes the connection.
    Closed,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum LinkState {
    /// Closed, or being opened.
    #[default]
    Down,
    /// Refused; reconnects at this time.
    BackingOff(u64),
    /// Open.
    Up,
    /// Closed for the rest of the slice.
    Over,
}

/// A connection.
#[derive(Debug, Default)]
pub(super) struct Link {
    pub(super) state: LinkState,
    /// Requests sent since the connection was opened.
    pub(super) carried: u64,
    pub(super) opened: Opened,
    /// Time to first byte of the first response.
    pub(super) first_byte_nanos: Option<u64>,
    /// The server will send the pending responses and then close: no new request is sent.
    pub(super) closing: bool,
    refusals: u32,
    /// Whether an attempt to open the connection has succeeded or failed.
    tried: bool,
    /// Time at which the connection was opened.
    since: u64,
    /// Time at which the last connection on this link ended, until the next one is open or refused.
    ended: Option<u64>,
    /// Figures of the connection inside the window.
    life: Life,
    /// Time at which the connection is closed and reopened by plan, although still usable.
    pub(super) reopen_at: u64,
}

impl Link {
    /// Counts a correct response inside the window that took `service` nanoseconds.
    #[inline]
    pub(super) fn answered(&mut self, service: u64) {
        let seconds = service as f64 / 1e9;
        self.life.responses += 1;
        self.life.service += seconds;
        self.life.service_squared += seconds * seconds;
        self.life.longest = self.life.longest.max(seconds);
    }

    /// Counts a request that had no correct response inside the window and used the connection for
    /// `inside` nanoseconds of the window.
    pub(super) fn held(&mut self, inside: u64) {
        if inside == 0 {
            return;
        }
        let seconds = inside as f64 / 1e9;
        self.life.unfinished += 1;
        self.life.unfinished_time += seconds;
        self.life.unfinished_squared += seconds * seconds;
        self.life.longest = self.life.longest.max(seconds);
    }
}

/// Most [`Life`] records kept by a thread per slice.
const MOST_LIVES: usize = 65_536;

impl Scheduler<'_> {
    /// `connection` is open. The returned order is for the connection's first slot.
    pub fn connected(&mut self, connection: usize, now: u64, opened: Opened) -> Order {
        self.tally.opened(opened);
        let reopen_at = self.reopen_at(now);
        let link = &mut self.links[connection];
        if let Some(ended) = link.ended.take()
            && self.closed_loop
        {
            let between = now.saturating_sub(ended);
            self.tally
                .replaced(ended, between.saturating_sub(opened.nanos()));
        }
        link.state = LinkState::Up;
        link.carried = 0;
        link.opened = opened;
        link.first_byte_nanos = None;
        link.closing = false;
        link.refusals = 0;
        link.since = now;
        link.life = Life::default();
        link.reopen_at = reopen_at;
        self.up += 1;
        self.tried(connection);
        let slots = self.slots_of(connection);
        let first = slots.start;
        for slot in slots.skip(1) {
            self.resume(slot);
        }
        if self.slots[first].state == SlotState::Returned {
            self.slots[first].state = SlotState::Busy;
            return Order::Send;
        }
        if self.opening {
            self.resume(first);
            return Order::Rest;
        }
        self.free(first, now)
    }

    /// `connection` could not be opened, for the reason in `text`.
    pub fn refused(&mut self, connection: usize, now: u64, text: &str) -> Order {
        self.tally.ledger.refused += 1;
        text.clone_into(&mut self.last_refusal);
        self.tried(connection);
        if self.closed_loop && !self.opening && !self.over(now) {
            // In an open loop the arrival stays due, and fails at its timeout.
            let times = Times {
                intended: now,
                started: now,
                ended: now,
            };
            self.issued += 1;
            let host = self.host_of(connection);
            let class = ErrorClass::Connect;
            if self.tally.never_prepared(host, times, class, text)
                && let Some(requests) = &mut self.requests
            {
                requests.unprepared((self.tally.unprepared(), host), times, class, text);
            }
            self.workload.unprepared(ErrorClass::Connect);
            self.exhausted |= self.workload.gives_up();
        }
        let link = &mut self.links[connection];
        link.ended = None;
        let wait = BACK_OFF_NANOS.0 << link.refusals.min(10);
        let again = now + wait.min(BACK_OFF_NANOS.1);
        link.refusals += 1;
        link.state = LinkState::BackingOff(again);
        self.next_retry = self.next_retry.min(again);
        Order::Close
    }

    /// `connection` was reset, closed early or received malformed bytes, so all its requests in
    /// flight have failed. The returned order is for the connection's first slot.
    pub fn broken(&mut self, connection: usize, now: u64, class: ErrorClass, text: &str) -> Order {
        let ledger = &mut self.tally.ledger;
        match class {
            ErrorClass::Reset => ledger.reset += 1,
            _ => ledger.closed_by_client += 1,
        }
        self.lose_all(connection, now, class, text);
        self.down(connection, now);
        self.reopen(connection, now)
    }

    /// The driver closed `connection` to give up a response.
    pub fn hung_up(&mut self, connection: usize, now: u64) -> Order {
        self.tally.ledger.closed_by_client += 1;
        let text = "connection closed, because an earlier response on it did not arrive in time";
        self.lose_all(connection, now, ErrorClass::Timeout, text);
        self.down(connection, now);
        self.reopen(connection, now)
    }

    /// The server will close `connection` after the pending responses. The driver reports the end
    /// later with [`Self::dropped`] or [`Self::broken`].
    pub fn closing(&mut self, connection: usize) {
        self.links[connection].closing = true;
        self.retire(connection);
    }

    /// `connection` ended while no request was in flight. Counts as closed by the server.
    pub fn dropped(&mut self, connection: usize, now: u64) -> Order {
        self.tally.ledger.closed_by_server += 1;
        self.down(connection, now);
        self.reopen(connection, now)
    }

    /// The request on `slot` has failed; the connection stays open.
    pub fn failed(&mut self, slot: usize, now: u64, class: ErrorClass, text: &str) -> Order {
        self.lose(slot, now, class, text);
        self.free(slot, now)
    }

    /// The response on `slot` was given up; the connection stays open.
    pub fn vacated(&mut self, slot: usize, now: u64) -> Order {
        self.free(slot, now)
    }

    /// The server has not processed the request on `slot` and will not, or the request was never
    /// sent. The request is sent again once its connection is open, as the same operation with the
    /// original start.
    pub fn returned(&mut self, slot: usize, now: u64, cause: Return) {
        self.count_return(now, cause);
        let entry = &mut self.slots[slot];
        entry.state = SlotState::Returned;
        if self.links[entry.link].state == LinkState::Up {
            self.dispatch.send_again(slot);
        }
    }

    /// Counts a request that will be sent a second time, if the window is open.
    fn count_return(&mut self, now: u64, cause: Return) {
        if now < self.schedule.open || now >= self.schedule.close {
            return;
        }
        let ledger = &mut self.tally.ledger;
        match cause {
            Return::Unsent => {}
            Return::RefusedStream => ledger.resent_refused += 1,
            Return::GoAway => ledger.resent_goaway += 1,
            Return::Closed => ledger.resent_closed += 1,
        }
    }

    /// The server allows `streams` concurrent streams on a connection, fewer than planned.
    pub(crate) fn allows_streams(&mut self, streams: usize) {
        let allowed = &mut self.tally.ledger.streams_allowed;
        let streams = streams as u64;
        *allowed = Some(allowed.map_or(streams, |known| known.min(streams)));
    }

    /// The next slot whose returned request can be sent again, because the connection is open.
    pub(super) fn take_again(&mut self) -> Option<usize> {
        let slot = self.dispatch.take_again()?;
        self.slots[slot].state = SlotState::Busy;
        Some(slot)
    }

    /// Ends the connection of `slot` after a response. `by_client` says whether Tenbin closes the
    /// connection.
    pub(super) fn part(&mut self, slot: usize, now: u64, by_client: bool) -> Order {
        let ledger = &mut self.tally.ledger;
        if by_client {
            ledger.closed_by_client += 1;
        } else {
            ledger.closed_by_server += 1;
            if self.schedule.keep_alive {
                self.tally.closed_after(self.slots[slot].exchange.op, now);
            }
        }
        let connection = self.slots[slot].link;
        // RFC 9112 section 9.6: a server that announces the close processes no later request.
        self.slots[slot].state = SlotState::Off;
        for other in self.slots_of(connection) {
            if self.busy(other) {
                self.slots[other].state = SlotState::Returned;
                self.count_return(now, Return::Closed);
            }
        }
        self.down(connection, now);
        self.reopen(connection, now)
    }

    /// A refused connection whose back-off has ended.
    pub(super) fn take_retry(&mut self, now: u64) -> Option<usize> {
        let mut next = u64::MAX;
        for (connection, link) in self.links.iter_mut().enumerate() {
            if let LinkState::BackingOff(again) = link.state {
                if again <= now {
                    link.state = LinkState::Down;
                    return Some(connection);
                }
                next = next.min(again);
            }
        }
        self.next_retry = next;
        None
    }

    fn tried(&mut self, connection: usize) {
        let link = &mut self.links[connection];
        self.untried -= usize::from(!link.tried);
        link.tried = true;
    }

    /// From this call until [`Self::begin_at`], connections are opened and no requests are sent.
    pub(crate) fn begin_to_open(&mut self) {
        self.opening = true;
    }

    /// Whether every connection has been opened or refused at least once.
    pub(crate) fn has_tried_all(&self) -> bool {
        self.untried == 0
    }

    /// Whether connections were opened before the start of the slice.
    pub(crate) fn has_opened(&self) -> bool {
        self.opened_all
    }

    /// The first slot of a refused connection that must be reopened now, with the order. Callers
    /// repeat the call until the result is `None`.
    pub(crate) fn retry(&mut self, now: u64) -> Option<(usize, Order)> {
        if now < self.next_retry {
            return None;
        }
        let connection = self.take_retry(now)?;
        Some((self.slots_of(connection).start, Order::Reopen))
    }

    /// Starts the slice at `origin`: later times are nanoseconds since `origin`. `has_opened` says
    /// whether connections were opened before.
    pub(crate) fn begin_at(&mut self, origin: u64, has_opened: bool) {
        (self.opening, self.opened_all) = (false, has_opened);
        self.schedule.origin_unix += Duration::from_nanos(origin);
        self.next_retry = self.next_retry.saturating_sub(origin);
        self.none_up_since = self.none_up_since.saturating_sub(origin);
        let reopen_at = self.reopen_at(0);
        for link in &mut self.links {
            link.since = link.since.saturating_sub(origin);
            link.ended = link.ended.map(|ended| ended.saturating_sub(origin));
            link.reopen_at = reopen_at;
            if let LinkState::BackingOff(again) = &mut link.state {
                *again = again.saturating_sub(origin);
            }
        }
    }

    /// The open connections; called when the window opens.
    pub(super) fn standing(&self) -> impl Iterator<Item = Standing> {
        let up = self.links.iter().filter(|link| link.state == LinkState::Up);
        up.map(|link| Standing {
            opened: link.opened,
            first_byte_nanos: link.first_byte_nanos,
        })
    }

    pub(super) fn slots_of(&self, connection: usize) -> Range<usize> {
        let first = connection * self.schedule.depth;
        first..first + self.schedule.depth
    }

    fn resume(&mut self, slot: usize) {
        if self.slots[slot].state == SlotState::Returned {
            self.dispatch.send_again(slot);
        } else {
            self.slots[slot].state = SlotState::Idle;
            self.slots[slot].rested = u64::MAX;
            let host = self.slots[slot].exchange.host;
            self.dispatch.rest(slot, host);
        }
    }

    /// Gives up the request on `slot`, which was waiting to be sent again. The slot becomes
    /// available if its connection is open.
    pub(super) fn settle(&mut self, slot: usize) {
        let entry = &self.slots[slot];
        let (link, host) = (entry.link, entry.exchange.host);
        self.dispatch.forget(slot..slot + 1, host);
        if self.links[link].state == LinkState::Up {
            self.resume(slot);
        }
    }

    fn lose_all(&mut self, connection: usize, now: u64, class: ErrorClass, text: &str) {
        for slot in self.slots_of(connection) {
            if self.busy(slot) {
                self.lose(slot, now, class, text);
            }
        }
    }

    /// The time at which a connection opened at `now` must be reopened. All connections are
    /// reopened at the same times, which divide the window into equal parts.
    fn reopen_at(&self, now: u64) -> u64 {
        let window = self.schedule.close.saturating_sub(self.schedule.open);
        let reopens = u64::from(self.schedule.reopens);
        // At a depth above 1, reopening would interrupt other requests on the connection.
        if reopens < 2 || self.schedule.depth > 1 || self.schedule.close == u64::MAX {
            return u64::MAX;
        }
        let part = (window / reopens).max(1);
        let elapsed_parts = now.saturating_sub(self.schedule.open) / part;
        self.schedule.open + (elapsed_parts + 1) * part
    }

    /// Adds the figures of `connection` inside the window to `lives`, with keep-alive.
    pub(super) fn end_life(&mut self, connection: usize, now: u64) {
        if !self.schedule.keep_alive || self.lives.len() >= MOST_LIVES {
            return;
        }
        let link = &self.links[connection];
        let begin = link.since.max(self.schedule.open);
        let nanos = now.min(self.schedule.close).saturating_sub(begin);
        if nanos > 0 {
            self.lives.push(Life { nanos, ..link.life });
        }
    }

    fn down(&mut self, connection: usize, now: u64) {
        self.end_life(connection, now);
        self.retire(connection);
        self.links[connection].ended = Some(now);
        self.up -= 1;
        if self.up == 0 {
            self.none_up_since = now;
        }
    }

    /// Stops sending new requests on `connection`.
    fn retire(&mut self, connection: usize) {
        let slots = self.slots_of(connection);
        for entry in &mut self.slots[slots.clone()] {
            if entry.state == SlotState::Idle {
                entry.state = SlotState::Off;
            }
        }
        self.dispatch.forget(slots, self.host_of(connection));
    }

    fn reopen(&mut self, connection: usize, now: u64) -> Order {
        let more = if self.closed_loop {
            self.opening || !self.over(now)
        } else {
            self.next_arrival().is_some()
        };
        let has_returned = self
            .slots_of(connection)
            .any(|slot| self.slots[slot].state == SlotState::Returned);
        if self.stopped || (!has_returned && (self.exhausted || !more)) {
            self.links[connection].state = LinkState::Over;
            return Order::Close;
        }
        self.links[connection].state = LinkState::Down;
        Order::Reopen
    }
}
