//! HTTP/1.1 over TCP: sockets, one poll a thread, edge-triggered.
//!
//! A socket is registered once. When an answer completes, the next request is
//! written at once; writability is waited for only after `WouldBlock`, and a
//! socket is read again only when the buffer was filled. A keep-alive request
//! thus costs one write, one read and a share of one wait.

pub mod answer;
mod chunked;
mod timer;

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use mio::{Events, Poll, Token};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;

use self::answer::{AnswerReader, HeadMemory, Listener, Progress};
use self::timer::Timer;
use crate::clock::Clock;
use crate::conductor::{Answered, Conductor};
use crate::error::ErrorClass;
use crate::exchange::{AnswerHead, BodyUse};
use crate::line::{Line, Opening, describe};
use crate::route::{Address, Route};
use crate::wire::{Order, Wire};

/// Bytes read at once, shared by all connections of a thread.
const READ_BUFFER: usize = 256 * 1024;
/// Events taken from the system at once.
const EVENTS: usize = 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Down,
    /// Since this time.
    Connecting(u64),
    Up,
}

struct Connection {
    line: Option<Line>,
    phase: Phase,
    reader: AnswerReader,
    /// Bytes of the present request already written.
    written: usize,
    /// Bytes of the present answer already read.
    received: u64,
}

/// How far a write went.
enum Wrote {
    All,
    Blocked,
    Failed(io::Error),
}

/// The connections of one generator thread to one address.
pub struct Http1 {
    clock: Clock,
    addresses: Vec<Address>,
    source: Option<IpAddr>,
    tls: Option<(Arc<ClientConfig>, ServerName<'static>)>,
    connect_timeout: u64,
    poll: Poll,
    events: Events,
    timer: Option<Timer>,
    connections: Vec<Connection>,
    buffer: Box<[u8]>,
    memory: HeadMemory,
    /// No connection attempt is overdue before this time.
    connect_deadline: u64,
}

impl Http1 {
    /// Connections to `address`, none of them open yet. With `precise`, waits
    /// end to the microsecond, as an open loop's schedule needs.
    ///
    /// # Errors
    /// When the system gives no poll or timer.
    pub fn new(
        clock: Clock,
        route: &Route,
        connections: usize,
        connect_timeout: Duration,
        precise: bool,
    ) -> io::Result<Self> {
        let poll = Poll::new()?;
        let timer = precise.then(|| Timer::new(&poll)).transpose()?;
        let connections = (0..connections)
            .map(|_| Connection {
                line: None,
                phase: Phase::Down,
                reader: AnswerReader::default(),
                written: 0,
                received: 0,
            })
            .collect();
        Ok(Self {
            clock,
            addresses: route
                .hosts
                .iter()
                .flat_map(|host| host.addresses.clone())
                .collect(),
            source: route.source,
            tls: route.tls.clone().zip(
                route
                    .hosts
                    .first()
                    .and_then(|host| host.server_name.clone()),
            ),
            connect_timeout: connect_timeout.as_nanos() as u64,
            poll,
            events: Events::with_capacity(EVENTS),
            timer,
            connections,
            buffer: vec![0; READ_BUFFER].into_boxed_slice(),
            memory: HeadMemory::default(),
            connect_deadline: u64::MAX,
        })
    }

    /// Connects anew. Closing the connection before it is part of the time that
    /// this takes: it keeps the slot from its next request just as well.
    fn connect(&mut self, slot: usize, conductor: &mut Conductor<'_>) {
        let now = self.clock.now();
        self.close(slot);
        let address = &self.addresses[slot % self.addresses.len()];
        let tls = self.tls.as_ref().map(|(config, name)| (config, name));
        let opened = Line::open(address, self.source, tls, self.poll.registry(), Token(slot));
        match opened {
            Ok(line) => {
                let connection = &mut self.connections[slot];
                connection.line = Some(line);
                connection.phase = Phase::Connecting(now);
                connection.reader.reset();
                let deadline = now.saturating_add(self.connect_timeout);
                self.connect_deadline = self.connect_deadline.min(deadline);
            }
            Err(error) => self.refuse(slot, &describe(&error), conductor),
        }
    }

    fn close(&mut self, slot: usize) {
        let connection = &mut self.connections[slot];
        connection.line = None;
        connection.phase = Phase::Down;
        connection.reader.reset();
    }

    fn refuse(&mut self, slot: usize, text: &str, conductor: &mut Conductor<'_>) {
        self.close(slot);
        let order = conductor.refused(slot, self.clock.now(), text);
        self.obey(slot, order, conductor);
    }

    #[inline]
    fn send(&mut self, slot: usize, conductor: &mut Conductor<'_>) {
        let connection = &mut self.connections[slot];
        connection.written = 0;
        connection.received = 0;
        conductor.writing(slot, self.clock.now());
        self.write(slot, conductor);
    }

    #[inline]
    fn write(&mut self, slot: usize, conductor: &mut Conductor<'_>) {
        let connection = &mut self.connections[slot];
        let Some(line) = &mut connection.line else {
            return;
        };
        let (head, payload) = conductor.request(slot);
        if let Wrote::Failed(error) = write_on(line, head, payload, &mut connection.written) {
            // The server may have answered before it stopped reading.
            self.read(slot, true, conductor);
            if self.connections[slot].phase == Phase::Up && conductor.busy(slot) {
                self.give_up(slot, ErrorClass::Reset, &error.to_string(), conductor);
            }
        }
    }

    fn event(
        &mut self,
        slot: usize,
        readable: bool,
        writable: bool,
        closed: bool,
        conductor: &mut Conductor<'_>,
    ) {
        match self.connections[slot].phase {
            Phase::Down => {}
            Phase::Connecting(since) => self.connecting(slot, since, conductor),
            Phase::Up => {
                if readable || closed {
                    self.read(slot, closed, conductor);
                }
                if writable && self.half_written(slot, conductor) {
                    self.write(slot, conductor);
                }
            }
        }
    }

    fn half_written(&self, slot: usize, conductor: &Conductor<'_>) -> bool {
        if self.connections[slot].phase != Phase::Up || !conductor.busy(slot) {
            return false;
        }
        let (head, payload) = conductor.request(slot);
        let connection = &self.connections[slot];
        connection.written < head.len() + payload.len()
            || connection.line.as_ref().is_some_and(Line::wants_write)
    }

    fn connecting(&mut self, slot: usize, since: u64, conductor: &mut Conductor<'_>) {
        let Some(line) = &mut self.connections[slot].line else {
            return;
        };
        match line.advance() {
            Ok(Opening::Connecting | Opening::Handshaking) => return,
            Ok(Opening::Ready) => {}
            Err(error) => return self.refuse(slot, &describe(&error), conductor),
        }
        self.connections[slot].phase = Phase::Up;
        let now = self.clock.now();
        let order = conductor.connected(slot, now, now - since);
        self.obey(slot, order, conductor);
    }

    #[inline]
    fn read(&mut self, slot: usize, closed: bool, conductor: &mut Conductor<'_>) {
        loop {
            let connection = &mut self.connections[slot];
            let Some(line) = &mut connection.line else {
                return;
            };
            let count = match line.read(&mut self.buffer) {
                Ok(0) => return self.ended(slot, conductor),
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return self.reset(slot, &error, conductor),
            };
            if !conductor.busy(slot) {
                // Nobody asked: some servers send 408 before they close.
                self.close(slot);
                let order = conductor.dropped(slot, self.clock.now());
                return self.obey(slot, order, conductor);
            }
            connection.received += count as u64;
            let mut ear = Ear { slot, conductor };
            let bodyless = ear.conductor.bodyless_answer(slot);
            let progress =
                connection
                    .reader
                    .feed(&self.buffer[..count], bodyless, &mut self.memory, &mut ear);
            match progress {
                Ok(Progress::Partial) => {}
                Ok(Progress::Complete(complete)) => {
                    let now = self.clock.now();
                    // Unread request bytes would be taken for the next request.
                    let whole = !self.half_written(slot, conductor);
                    let answer = Answered {
                        status: complete.status,
                        length: complete.length,
                        received: self.connections[slot].received,
                        reusable: complete.reusable && whole && !closed,
                    };
                    let order = conductor.answered(slot, now, answer);
                    self.obey(slot, order, conductor);
                    if order != Order::Send && order != Order::Rest {
                        return;
                    }
                }
                Err(malformed) => {
                    let text = malformed.to_string();
                    return self.give_up(slot, ErrorClass::Protocol, &text, conductor);
                }
            }
            // A short read has emptied the socket; news comes as an event.
            let Some(line) = &self.connections[slot].line else {
                return;
            };
            if line.emptied(count, READ_BUFFER) && !closed {
                return;
            }
        }
    }

    /// The server closed the connection.
    fn ended(&mut self, slot: usize, conductor: &mut Conductor<'_>) {
        let now = self.clock.now();
        let connection = &mut self.connections[slot];
        if !conductor.busy(slot) {
            self.close(slot);
            let order = conductor.dropped(slot, now);
            return self.obey(slot, order, conductor);
        }
        if let Some(complete) = connection.reader.close() {
            let answer = Answered {
                status: complete.status,
                length: complete.length,
                received: connection.received,
                reusable: false,
            };
            let order = conductor.answered(slot, now, answer);
            return self.obey(slot, order, conductor);
        }
        let text = if connection.received == 0 {
            "connection closed without an answer"
        } else {
            "connection closed inside the answer"
        };
        self.give_up(slot, ErrorClass::Reset, text, conductor);
    }

    fn reset(&mut self, slot: usize, error: &io::Error, conductor: &mut Conductor<'_>) {
        if conductor.busy(slot) {
            let text = describe(error);
            self.give_up(slot, ErrorClass::Reset, &text, conductor);
        } else {
            self.close(slot);
            let order = conductor.dropped(slot, self.clock.now());
            self.obey(slot, order, conductor);
        }
    }

    fn give_up(
        &mut self,
        slot: usize,
        class: ErrorClass,
        text: &str,
        conductor: &mut Conductor<'_>,
    ) {
        self.close(slot);
        let order = conductor.broken(slot, self.clock.now(), class, text);
        self.obey(slot, order, conductor);
    }

    fn refuse_overdue(&mut self, conductor: &mut Conductor<'_>) {
        let now = self.clock.now();
        if now < self.connect_deadline {
            return;
        }
        self.connect_deadline = u64::MAX;
        for slot in 0..self.connections.len() {
            if let Phase::Connecting(since) = self.connections[slot].phase {
                let deadline = since.saturating_add(self.connect_timeout);
                if deadline <= now {
                    self.refuse(slot, "no connection in time", conductor);
                } else {
                    self.connect_deadline = self.connect_deadline.min(deadline);
                }
            }
        }
    }

    fn wait(&mut self, wake: u64) -> io::Result<()> {
        let wait = Duration::from_nanos(wake.saturating_sub(self.clock.now()));
        let limit = match &mut self.timer {
            Some(timer) if !wait.is_zero() => timer.arm(wait)?,
            _ => Some(wait),
        };
        match self.poll.poll(&mut self.events, limit) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => Err(error),
            _ => Ok(()),
        }
    }
}

impl Wire for Http1 {
    #[inline]
    fn now(&self) -> u64 {
        self.clock.now()
    }

    #[inline]
    fn obey(&mut self, slot: usize, order: Order, conductor: &mut Conductor<'_>) {
        match order {
            Order::Send => self.send(slot, conductor),
            Order::Rest => {}
            Order::Reopen => self.connect(slot, conductor),
            Order::Close => self.close(slot),
        }
    }

    fn turn(&mut self, wake: u64, conductor: &mut Conductor<'_>) -> io::Result<()> {
        self.wait(wake.min(self.connect_deadline))?;
        // Taken out so that events can be walked while connections change.
        let events = std::mem::replace(&mut self.events, Events::with_capacity(0));
        for event in &events {
            let Token(slot) = event.token();
            if slot < self.connections.len() {
                self.event(
                    slot,
                    event.is_readable(),
                    event.is_writable(),
                    event.is_read_closed() || event.is_error(),
                    conductor,
                );
            } else if let Some(timer) = &mut self.timer {
                timer.rang();
            }
        }
        self.events = events;
        self.refuse_overdue(conductor);
        Ok(())
    }
}

/// Carries what the reader hears to the conductor.
struct Ear<'a, 'w> {
    slot: usize,
    conductor: &'a mut Conductor<'w>,
}

impl Listener for Ear<'_, '_> {
    #[inline]
    fn head(&mut self, head: &AnswerHead<'_>) -> BodyUse {
        self.conductor.head(self.slot, head)
    }

    #[inline]
    fn body(&mut self, offset: u64, part: &[u8]) {
        self.conductor.body(self.slot, offset, part);
    }
}

#[inline]
fn write_on(line: &mut Line, head: &[u8], payload: &[u8], written: &mut usize) -> Wrote {
    let total = head.len() + payload.len();
    while *written < total {
        let wrote = if payload.is_empty() {
            line.write(&head[*written..])
        } else if *written < head.len() {
            line.write_both(&head[*written..], payload)
        } else {
            line.write(&payload[*written - head.len()..])
        };
        match wrote {
            Ok(count) => *written += count,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Wrote::Blocked,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Wrote::Failed(error),
        }
    }
    match line.flush() {
        Ok(()) => Wrote::All,
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Wrote::Blocked,
        Err(error) => Wrote::Failed(error),
    }
}
