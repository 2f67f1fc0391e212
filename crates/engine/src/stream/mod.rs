//! The driver for every protocol whose responses arrive in the order of the requests, over TCP, TLS
//! or Unix sockets, with one edge-triggered poll per thread. [`Framing`] finds the ends of the
//! responses.
//!
//! Each socket is registered with the poll once. When a response is complete, the driver writes the
//! next request at once. The driver waits for writability only after `WouldBlock`, and reads a
//! socket again only if a read filled the buffer. A keep-alive request thus costs one write and one
//! read; one wait serves several requests.
//!
//! At a depth above 1, requests are pipelined, and one write sends all requests that are ready.

mod connection;
pub(crate) mod framing;
mod outbox;

use std::io;
use std::time::Duration;

use self::connection::{Connection, Phase, Unread, attempts};
pub use self::framing::{Complete, Framing, Listener, Progress};
use self::outbox::Wrote;
use crate::clock::Clock;
use crate::dialing::{Dialer, Dialing};
use crate::driver::Driver;
use crate::error::ErrorClass;
use crate::exchange::{BodyUse, ResponseHead};
use crate::order::Order;
use crate::reactor::{Happening, Reactor, happenings};
use crate::route::Route;
use crate::scheduler::{ResponseSummary, Scheduler};
use crate::transport::{TcpFigures, Transport, describe};

/// Size of the read buffer, shared by all connections of a thread.
const READ_BUFFER: usize = 256 * 1024;
/// Bodies that are not inspected are dropped unread if at least this number of bytes remains.
const WORTH_DROPPING: u64 = 64 * 1024;
/// Most bytes dropped per call, and size of the buffer for them, which exists from the first large
/// body on: an allocator that reuses memory would clear 4 MiB at the start of every slice.
const DROP_BUFFER: usize = 4 * 1024 * 1024;
/// Most consecutive reads of one connection before timers, the stop flag and other connections are
/// served, so that a server that never pauses does not block the thread.
const READS_A_TURN: usize = 8;

/// Failure text of a request if unexpected bytes follow its response.
const EXCESS: &str = "more bytes than the response announced";

/// Whether a connection can be read further.
enum AfterRead {
    /// The connection is open, and the bytes read have been processed.
    ReadOn,
    /// The connection was closed or is being reopened.
    Stop,
}

/// The connections of one generator thread on one route.
pub struct StreamDriver<F: Framing> {
    clock: Clock,
    dialer: Dialer,
    reactor: Reactor,
    connections: Vec<Connection<F>>,
    depth: usize,
    buffer: Box<[u8]>,
    drop_buffer: Vec<u8>,
    shared: F::Shared,
    /// Connections at a depth above 1 with requests to write.
    unwritten: Vec<usize>,
    /// Connections whose last read ended before the socket was empty.
    unread: Vec<usize>,
}

impl<F: Framing> StreamDriver<F> {
    /// A driver for `connections` connections on `route`, not yet opened, with up to `depth`
    /// requests in flight each. With `precise`, waits are accurate to the microsecond, for open
    /// loops and think times.
    ///
    /// # Errors
    /// When the system cannot create a poll instance or a timer.
    pub fn new(
        clock: Clock,
        route: &Route,
        connections: usize,
        depth: usize,
        connect_timeout: Duration,
        precise: bool,
    ) -> io::Result<Self> {
        let connections = (0..connections).map(|_| Connection::new(depth)).collect();
        Ok(Self {
            clock,
            dialer: Dialer::new(route, connect_timeout),
            reactor: Reactor::new(precise)?,
            connections,
            depth,
            buffer: vec![0; READ_BUFFER].into_boxed_slice(),
            drop_buffer: Vec::new(),
            shared: F::Shared::default(),
            unwritten: Vec::new(),
            unread: Vec::new(),
        })
    }

    #[inline]
    fn connection_of(&self, slot: usize) -> usize {
        if self.depth == 1 {
            slot
        } else {
            slot / self.depth
        }
    }

    /// Closes the old connection and opens a new one. The connect time includes the closing, which
    /// also delays the next request.
    fn connect(&mut self, connection: usize, scheduler: &mut Scheduler<'_>) {
        let now = self.clock.now();
        self.close(connection);
        let host = scheduler.host_of(connection);
        let registry = self.reactor.registry();
        match self.dialer.dial(connection, host, now, registry) {
            Ok((transport, dialing)) => {
                let entry = &mut self.connections[connection];
                entry.transport = Some(transport);
                entry.phase = Phase::Dialing(dialing);
            }
            Err(error) => self.refuse(connection, &describe(&error), scheduler),
        }
    }

    fn close(&mut self, connection: usize) {
        self.connections[connection].close();
    }

    fn refuse(&mut self, connection: usize, text: &str, scheduler: &mut Scheduler<'_>) {
        self.close(connection);
        let order = scheduler.refused(connection, self.clock.now(), text);
        self.execute_on(connection, order, scheduler);
    }

    /// Executes an order that concerns a whole connection and is addressed to its first slot.
    fn execute_on(&mut self, connection: usize, order: Order, scheduler: &mut Scheduler<'_>) {
        self.execute(connection * self.depth, order, scheduler);
    }

    #[inline]
    fn send(&mut self, slot: usize, scheduler: &mut Scheduler<'_>) {
        let connection = self.connection_of(slot);
        let outbox = &mut self.connections[connection].outbox;
        if self.depth == 1 {
            outbox.push(slot);
            return self.write(connection, scheduler);
        }
        // Requests that follow before the next wait go out in the same write.
        if outbox.is_written() {
            self.unwritten.push(connection);
        }
        outbox.push(slot);
    }

    /// Writes pending requests of `connection` until all are written or the socket is full.
    #[inline]
    fn write(&mut self, connection: usize, scheduler: &mut Scheduler<'_>) {
        let entry = &mut self.connections[connection];
        let Some(transport) = &mut entry.transport else {
            return;
        };
        if let Wrote::Failed(error) = entry.outbox.write(transport, &self.clock, scheduler) {
            // The server may have responded before it stopped reading.
            self.read(connection, true, scheduler);
            let entry = &self.connections[connection];
            if entry.phase == Phase::Up && !entry.outbox.is_empty() {
                self.give_up(connection, ErrorClass::Reset, &error.to_string(), scheduler);
            }
        }
    }

    fn write_all(&mut self, scheduler: &mut Scheduler<'_>) {
        while let Some(connection) = self.unwritten.pop() {
            self.write(connection, scheduler);
        }
    }

    fn event(&mut self, happening: Happening, scheduler: &mut Scheduler<'_>) {
        let Happening {
            connection,
            readable,
            writable,
            closed,
        } = happening;
        match self.connections[connection].phase {
            Phase::Down => {}
            Phase::Dialing(dialing) => self.dial(connection, dialing, scheduler),
            Phase::Up => {
                if closed && self.depth > 1 {
                    scheduler.closing(connection);
                }
                if readable || closed {
                    self.read(connection, closed, scheduler);
                }
                let entry = &self.connections[connection];
                let is_behind = !entry.outbox.is_written()
                    || entry.transport.as_ref().is_some_and(Transport::wants_write);
                if writable && entry.phase == Phase::Up && is_behind {
                    self.write(connection, scheduler);
                }
            }
        }
    }

    fn dial(&mut self, connection: usize, mut dialing: Dialing, scheduler: &mut Scheduler<'_>) {
        let entry = &mut self.connections[connection];
        let Some(transport) = &mut entry.transport else {
            return;
        };
        let opened = match dialing.advance(transport, &self.clock) {
            Ok(opened) => opened,
            Err(error) => return self.refuse(connection, &describe(&error), scheduler),
        };
        let Some(opened) = opened else {
            entry.phase = Phase::Dialing(dialing);
            return;
        };
        entry.phase = Phase::Up;
        let order = scheduler.connected(connection, self.clock.now(), opened);
        self.execute_on(connection, order, scheduler);
    }

    /// Reads until the socket is empty, at most [`READS_A_TURN`] times; the next turn reads the
    /// rest.
    #[inline]
    fn read(&mut self, connection: usize, closed: bool, scheduler: &mut Scheduler<'_>) {
        self.connections[connection].unread = Unread::Nothing;
        for _ in 0..READS_A_TURN {
            let entry = &mut self.connections[connection];
            let Some(transport) = &mut entry.transport else {
                return;
            };
            let droppable = entry.reader.droppable();
            let droppable = droppable.filter(|&left| left >= WORTH_DROPPING);
            let (asked, took) = match droppable {
                None => (READ_BUFFER, transport.read(&mut self.buffer)),
                Some(left) => {
                    let asked = left.min(DROP_BUFFER as u64) as usize;
                    self.drop_buffer.resize(DROP_BUFFER, 0);
                    (asked, transport.discard(&mut self.drop_buffer[..asked]))
                }
            };
            let count = match took {
                Ok(0) => return self.ended(connection, scheduler),
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    return entry.tune_low_water();
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return self.reset(connection, &error, scheduler),
            };
            // A short read means that the socket is empty and that new bytes raise an event.
            let emptied = transport.emptied(count, asked);
            let then = if droppable.is_none() {
                self.take_bytes(connection, count, closed, scheduler)
            } else {
                self.take_dropped(connection, count, closed, scheduler)
            };
            if matches!(then, AfterRead::Stop) {
                return;
            }
            if emptied && !closed {
                return self.connections[connection].tune_low_water();
            }
        }
        let entry = &mut self.connections[connection];
        entry.unread = if closed {
            Unread::BytesAndEnd
        } else {
            Unread::Bytes
        };
        if !std::mem::replace(&mut entry.is_listed, true) {
            self.unread.push(connection);
        }
    }

    /// Continues reading the sockets that the last turn did not empty.
    fn read_on(&mut self, scheduler: &mut Scheduler<'_>) {
        let listed = self.unread.len();
        for at in 0..listed {
            let connection = self.unread[at];
            let entry = &mut self.connections[connection];
            entry.is_listed = false;
            match entry.unread {
                Unread::Nothing => {}
                Unread::Bytes => self.read(connection, false, scheduler),
                Unread::BytesAndEnd => self.read(connection, true, scheduler),
            }
        }
        self.unread.drain(..listed);
    }

    /// Counts `count` bytes of the current response that were dropped unread.
    fn take_dropped(
        &mut self,
        connection: usize,
        count: usize,
        closed: bool,
        scheduler: &mut Scheduler<'_>,
    ) -> AfterRead {
        let entry = &mut self.connections[connection];
        entry.received += count as u64;
        match entry.reader.skip(count as u64) {
            Progress::Partial => AfterRead::ReadOn,
            Progress::Complete(complete) => self.complete(connection, complete, closed, scheduler),
        }
    }

    /// Processes `count` bytes in the buffer: a part of a response, or several responses.
    #[inline]
    fn take_bytes(
        &mut self,
        connection: usize,
        count: usize,
        closed: bool,
        scheduler: &mut Scheduler<'_>,
    ) -> AfterRead {
        let mut from = 0;
        while from < count {
            let entry = &mut self.connections[connection];
            let Some(slot) = entry.outbox.first() else {
                // Bytes without a request in flight: some servers send status 408 before they
                // close.
                self.close_unused(connection, scheduler);
                return AfterRead::Stop;
            };
            let bodyless = scheduler.bodyless_response(slot);
            let mut listener = SlotListener { slot, scheduler };
            let bytes = &self.buffer[from..count];
            let progress = entry
                .reader
                .feed(bytes, bodyless, &mut self.shared, &mut listener);
            match progress {
                Ok(Progress::Partial) => {
                    if entry.received == 0 {
                        scheduler.first_byte(slot, self.clock.now());
                    }
                    entry.received += (count - from) as u64;
                    return AfterRead::ReadOn;
                }
                Ok(Progress::Complete(complete)) => {
                    entry.received += complete.consumed as u64;
                    from += complete.consumed;
                    if from < count && entry.outbox.len() == 1 {
                        self.give_up(connection, ErrorClass::Protocol, EXCESS, scheduler);
                        return AfterRead::Stop;
                    }
                    if let AfterRead::Stop = self.complete(connection, complete, closed, scheduler)
                    {
                        return AfterRead::Stop;
                    }
                }
                Err(malformed) => {
                    let text = malformed.to_string();
                    self.give_up(connection, ErrorClass::Protocol, &text, scheduler);
                    return AfterRead::Stop;
                }
            }
        }
        AfterRead::ReadOn
    }

    /// Closes a connection that has no request in flight and cannot be used again.
    fn close_unused(&mut self, connection: usize, scheduler: &mut Scheduler<'_>) {
        self.close(connection);
        let order = scheduler.dropped(connection, self.clock.now());
        self.execute_on(connection, order, scheduler);
    }

    /// Reports the complete response of the first request in flight.
    #[inline]
    fn complete(
        &mut self,
        connection: usize,
        complete: Complete,
        closed: bool,
        scheduler: &mut Scheduler<'_>,
    ) -> AfterRead {
        let now = self.clock.now();
        let entry = &mut self.connections[connection];
        // After a partly written request, the connection cannot be reused: the server would parse
        // the next request as the rest of this request.
        let cut_at = entry.outbox.first_is_cut_at();
        let Some(slot) = entry.outbox.pop() else {
            return AfterRead::Stop;
        };
        let response = ResponseSummary {
            status: complete.status,
            length: complete.length,
            received: std::mem::take(&mut entry.received),
            cut_at,
            // After the end of the stream, the buffer can still hold responses to later requests.
            reusable: complete.reusable && cut_at.is_none() && !(closed && entry.outbox.is_empty()),
        };
        let order = scheduler.answered(slot, now, response);
        self.execute(slot, order, scheduler);
        match order {
            Order::Send => AfterRead::ReadOn,
            Order::Rest => {
                if let Some(other) = scheduler.next_send(now) {
                    self.execute(other, Order::Send, scheduler);
                }
                AfterRead::ReadOn
            }
            Order::Reopen | Order::Close | Order::Cancel => AfterRead::Stop,
        }
    }

    /// Handles a connection closed by the server.
    fn ended(&mut self, connection: usize, scheduler: &mut Scheduler<'_>) {
        let now = self.clock.now();
        let entry = &mut self.connections[connection];
        let Some(slot) = entry.outbox.first() else {
            return self.close_unused(connection, scheduler);
        };
        if let Some(complete) = entry.reader.close() {
            let response = ResponseSummary {
                status: complete.status,
                length: complete.length,
                received: entry.received,
                cut_at: entry.outbox.first_is_cut_at(),
                reusable: false,
            };
            let order = scheduler.answered(slot, now, response);
            return self.execute(slot, order, scheduler);
        }
        let text = if entry.received == 0 {
            "connection closed without a response"
        } else {
            "connection closed inside the response"
        };
        self.give_up(connection, ErrorClass::Reset, text, scheduler);
    }

    fn reset(&mut self, connection: usize, error: &io::Error, scheduler: &mut Scheduler<'_>) {
        if self.connections[connection].outbox.is_empty() {
            self.close_unused(connection, scheduler);
        } else {
            let text = describe(error);
            self.give_up(connection, ErrorClass::Reset, &text, scheduler);
        }
    }

    fn give_up(
        &mut self,
        connection: usize,
        class: ErrorClass,
        text: &str,
        scheduler: &mut Scheduler<'_>,
    ) {
        self.close(connection);
        let order = scheduler.broken(connection, self.clock.now(), class, text);
        self.execute_on(connection, order, scheduler);
    }

    fn cancel(&mut self, connection: usize, scheduler: &mut Scheduler<'_>) {
        self.close(connection);
        let order = scheduler.hung_up(connection, self.clock.now());
        self.execute_on(connection, order, scheduler);
    }

    fn refuse_overdue(&mut self, scheduler: &mut Scheduler<'_>) {
        let now = self.clock.now();
        while let Some(connection) = self.dialer.overdue(now, attempts(&self.connections)) {
            self.refuse(connection, "no connection in time", scheduler);
        }
    }
}

impl<F: Framing> Driver for StreamDriver<F> {
    #[inline]
    fn now(&self) -> u64 {
        self.clock.now()
    }

    #[inline]
    fn execute(&mut self, slot: usize, order: Order, scheduler: &mut Scheduler<'_>) {
        match order {
            Order::Send => self.send(slot, scheduler),
            Order::Rest => {}
            Order::Reopen => self.connect(self.connection_of(slot), scheduler),
            Order::Close => self.close(self.connection_of(slot)),
            Order::Cancel => self.cancel(self.connection_of(slot), scheduler),
        }
    }

    fn turn(&mut self, wake: u64, scheduler: &mut Scheduler<'_>) -> io::Result<()> {
        self.write_all(scheduler);
        let wake = if self.unread.is_empty() {
            wake.min(self.dialer.next_deadline())
        } else {
            0
        };
        let wait = wake.saturating_sub(self.clock.now());
        self.reactor.wait(Duration::from_nanos(wait))?;
        self.read_on(scheduler);
        let events = self.reactor.take_events();
        for happening in happenings(&events, self.connections.len()) {
            self.event(happening, scheduler);
        }
        self.reactor.give_back(events);
        self.write_all(scheduler);
        self.refuse_overdue(scheduler);
        Ok(())
    }

    fn tcp_figures(&self) -> TcpFigures {
        self.dialer.tcp_figures()
    }

    fn begin_at(&mut self, origin: u64) {
        self.clock.begin_at(origin);
        self.dialer.begin_at(origin);
        for connection in &mut self.connections {
            if let Phase::Dialing(dialing) = &mut connection.phase {
                dialing.begin_at(origin);
            }
        }
    }
}

/// Passes the parts of a response to the scheduler.
struct SlotListener<'a, 'w> {
    slot: usize,
    scheduler: &'a mut Scheduler<'w>,
}

impl Listener for SlotListener<'_, '_> {
    #[inline]
    fn head(&mut self, head: &ResponseHead<'_>) -> BodyUse {
        self.scheduler.head(self.slot, head)
    }

    #[inline]
    fn body(&mut self, offset: u64, part: &[u8]) {
        self.scheduler.body(self.slot, offset, part);
    }
}
