//! HTTP/2 over TCP, TLS or Unix sockets: several concurrent streams per connection.
//!
//! The h2 crate does the framing; this module does sockets, time and scheduling. No async runtime
//! is used: the driver polls h2 after a socket event or when a request is queued, and [`ready`]
//! records which streams can continue.

mod adapter;
mod heads;
mod link;
mod ready;
mod stream;

use std::io;
use std::task::{Context, Poll};
use std::time::Duration;

use self::adapter::Shared;
use self::heads::RequestMemory;
use self::link::{Link, Phase, Session};
use self::stream::{Outcome, Stream};
use crate::clock::Clock;
use crate::dialing::{Dialer, Dialing};
use crate::driver::Driver;
use crate::error::ErrorClass;
use crate::opened::Opened;
use crate::order::Order;
use crate::reactor::{Happening, Reactor, happenings};
use crate::route::Route;
use crate::scheduler::{Return, Scheduler};
use crate::transport::{self, TcpFigures, describe};

/// Most passes of sending, reading and polling over one connection before other connections are
/// served.
const TURNS_IN_A_ROW: usize = 32;

/// Result of polling the streams of a connection.
enum StreamsResult {
    /// No stream has ended.
    NoneEnded,
    /// At least one stream has ended.
    SomeEnded,
    /// The connection has ended and lost its streams.
    Lost,
}

/// The connections of one generator thread on one route.
pub struct Http2 {
    clock: Clock,
    dialer: Dialer,
    reactor: Reactor,
    depth: usize,
    links: Vec<Link>,
    /// The stream of each slot.
    streams: Vec<Option<Stream>>,
    /// Connections with work to do.
    listed: Vec<usize>,
    shared: Shared,
    /// Request caches, one per host, because requests to different hosts differ in the host name.
    memories: Vec<RequestMemory>,
    /// The head of the current response in HTTP/1.1 format.
    rendered: Vec<u8>,
}

impl Http2 {
    /// A driver for `connections` connections on `route`, not yet opened, with up to `depth`
    /// concurrent streams each. With `precise`, waits are accurate to the microsecond, for open
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
        let window = link::window(connections);
        Ok(Self {
            clock,
            dialer: Dialer::new(route, connect_timeout),
            reactor: Reactor::new(precise)?,
            depth,
            links: (0..connections).map(|_| Link::new(depth, window)).collect(),
            streams: (0..connections * depth).map(|_| None).collect(),
            listed: Vec::with_capacity(connections),
            shared: adapter::shared(),
            memories: route
                .hosts
                .iter()
                .map(|_| RequestMemory::new(route.tls.is_some()))
                .collect(),
            rendered: Vec::new(),
        })
    }

    fn connect(&mut self, connection: usize, scheduler: &mut Scheduler<'_>) {
        let now = self.clock.now();
        self.close(connection);
        let host = scheduler.host_of(connection);
        let registry = self.reactor.registry();
        match self.dialer.dial(connection, host, now, registry) {
            Ok((transport, dialing)) => {
                self.links[connection].phase = Phase::Dialing(Box::new(transport), dialing);
            }
            Err(error) => self.refuse(connection, &describe(&error), scheduler),
        }
    }

    fn close(&mut self, connection: usize) {
        // Drops the streams first: h2 must not write to a closed connection.
        self.streams[connection * self.depth..][..self.depth].fill_with(|| None);
        self.links[connection].reset();
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

    fn event(&mut self, happening: Happening, scheduler: &mut Scheduler<'_>) {
        let link = &mut self.links[happening.connection];
        if happening.readable || happening.closed {
            link.readable.has_data.set(true);
            link.received_at = self.clock.now();
        }
        if happening.closed {
            link.readable.closed.set(true);
        }
        if let Phase::Up(_) = link.phase {
            link.ready.set_connection();
            self.list(happening.connection);
        } else {
            self.dial(happening.connection, scheduler);
        }
    }

    /// Continues to open `connection`.
    fn dial(&mut self, connection: usize, scheduler: &mut Scheduler<'_>) {
        let link = &mut self.links[connection];
        match std::mem::replace(&mut link.phase, Phase::Down) {
            Phase::Dialing(mut transport, mut dialing) => {
                let opened = match dialing.advance(&mut transport, &self.clock) {
                    Ok(opened) => opened,
                    Err(error) => return self.refuse(connection, &describe(&error), scheduler),
                };
                let Some(opened) = opened else {
                    link.phase = Phase::Dialing(transport, dialing);
                    return;
                };
                if self.dialer.route().tls.is_some()
                    && transport.application_protocol() != Some(b"h2")
                {
                    return self.refuse(connection, transport::NO_HTTP2, scheduler);
                }
                let handshake = link.start_handshake(*transport, self.shared.clone());
                link.phase = Phase::Handshake(handshake, dialing, opened);
                self.dial(connection, scheduler);
            }
            Phase::Handshake(mut handshake, dialing, opened) => {
                match link.poll_handshake(&mut handshake) {
                    Poll::Pending => link.phase = Phase::Handshake(handshake, dialing, opened),
                    Poll::Ready(Ok(session)) => self.begin(connection, session, opened, scheduler),
                    Poll::Ready(Err(error)) => {
                        let (_, text) = link::reason(&Err(error));
                        self.refuse(connection, &text, scheduler);
                    }
                }
            }
            phase => link.phase = phase,
        }
    }

    fn begin(
        &mut self,
        connection: usize,
        session: Box<Session>,
        opened: Opened,
        scheduler: &mut Scheduler<'_>,
    ) {
        self.links[connection].phase = Phase::Up(session);
        self.links[connection].ready.set_connection();
        self.list(connection);
        let order = scheduler.connected(connection, self.clock.now(), opened);
        self.execute_on(connection, order, scheduler);
    }

    /// Queues the request of `slot`, which is sent as soon as its connection can open a stream.
    fn send(&mut self, slot: usize) {
        let connection = slot / self.depth;
        self.links[connection].waiting.push_back(slot);
        self.list(connection);
    }

    fn list(&mut self, connection: usize) {
        let link = &mut self.links[connection];
        if !link.is_listed {
            link.is_listed = true;
            self.listed.push(connection);
        }
    }

    /// Runs all connections with work to do.
    fn run_listed(&mut self, scheduler: &mut Scheduler<'_>) {
        let mut listed = std::mem::take(&mut self.listed);
        listed.retain(|&connection| {
            let again = self.run(connection, scheduler);
            self.links[connection].is_listed = again;
            again
        });
        listed.append(&mut self.listed);
        self.listed = listed;
    }

    /// Sends queued requests and polls all streams of `connection` that can continue. Returns
    /// whether the connection has more work that need not wait for an event.
    fn run(&mut self, connection: usize, scheduler: &mut Scheduler<'_>) -> bool {
        let age = self.links[connection].age;
        self.links[connection].begin_turn();
        for _ in 0..TURNS_IN_A_ROW {
            self.send_waiting(connection, scheduler);
            let link = &mut self.links[connection];
            let woken = link.ready.take_connection();
            let end = if woken { link.poll() } else { Poll::Pending };
            let result = self.poll_streams(connection, scheduler);
            let link = &mut self.links[connection];
            if link.age != age {
                return false;
            }
            if let Poll::Ready(end) = end {
                self.ended(connection, &end, scheduler);
                return false;
            }
            if link.is_ending && link.out == 0 {
                self.part(connection, scheduler);
                return false;
            }
            match result {
                // The connection's task reports the end of the connection.
                StreamsResult::Lost => link.ready.set_connection(),
                StreamsResult::SomeEnded => {}
                StreamsResult::NoneEnded if woken => {}
                StreamsResult::NoneEnded if link.readable.is_cut_short() => return true,
                StreamsResult::NoneEnded => {
                    return !link.waiting.is_empty() && link.can_open_stream();
                }
            }
        }
        true
    }

    /// Sends queued requests until the connection can open no more streams.
    fn send_waiting(&mut self, connection: usize, scheduler: &mut Scheduler<'_>) {
        let host = scheduler.host_of(connection);
        // A request that fails at once can queue another request; the next call sends that request.
        for _ in 0..self.links[connection].waiting.len() {
            let link = &mut self.links[connection];
            if !link.can_open_stream() {
                return;
            }
            let Some(slot) = link.waiting.pop_front() else {
                return;
            };
            let (head, payload) = scheduler.request(slot);
            let has_body = !payload.is_empty();
            let request = match self.memories[host].request(head) {
                Ok(request) => request,
                Err(error) => {
                    let now = self.clock.now();
                    let text = error.to_string();
                    let order = scheduler.failed(slot, now, ErrorClass::Protocol, &text);
                    self.execute(slot, order, scheduler);
                    continue;
                }
            };
            let Phase::Up(session) = &mut link.phase else {
                return;
            };
            match session.requests.send_request(request, !has_body) {
                Ok((response, upload)) => {
                    scheduler.writing(slot, self.clock.now());
                    link.out += 1;
                    // h2 has no waker for this stream yet, so the stream is polled once without a
                    // wake-up.
                    link.ready.set_stream(slot % self.depth);
                    link.ready.set_connection();
                    self.streams[slot] = Some(Stream::new(response, upload, has_body));
                }
                Err(_) => {
                    // The connection is about to end; the connection's task reports the end.
                    link.is_ending = true;
                    link.waiting.push_front(slot);
                    return;
                }
            }
        }
    }

    /// Polls the streams that were woken.
    fn poll_streams(&mut self, connection: usize, scheduler: &mut Scheduler<'_>) -> StreamsResult {
        let age = self.links[connection].age;
        let mut result = StreamsResult::NoneEnded;
        let mut from = 0;
        while let Some(number) = self.links[connection].ready.take_stream(from) {
            from = number;
            let slot = connection * self.depth + number;
            let Some(stream) = &mut self.streams[slot] else {
                continue;
            };
            let link = &mut self.links[connection];
            let mut cx = Context::from_waker(&link.wakers[number]);
            let outcome = stream.advance(slot, &self.clock, &mut self.rendered, scheduler, &mut cx);
            let now = match outcome {
                Outcome::Pending => continue,
                Outcome::Lost => {
                    result = StreamsResult::Lost;
                    continue;
                }
                _ => self.clock.now(),
            };
            self.streams[slot] = None;
            link.out -= 1;
            let order = match outcome {
                Outcome::ResponseSummary(answered) => {
                    link.has_response = true;
                    if link.streams_allowed < self.depth {
                        scheduler.allows_streams(link.streams_allowed);
                    }
                    scheduler.answered(slot, now, answered)
                }
                Outcome::Failed(class, text) => scheduler.failed(slot, now, class, &text),
                Outcome::Returned(cause) => {
                    scheduler.returned(slot, now, cause);
                    // Notices a GOAWAY, after which h2 accepts no more requests.
                    self.links[connection].can_open_stream();
                    Order::Rest
                }
                Outcome::Pending | Outcome::Lost => continue,
            };
            self.execute(slot, order, scheduler);
            if self.links[connection].age != age {
                return result;
            }
            if let StreamsResult::NoneEnded = result {
                result = StreamsResult::SomeEnded;
            }
        }
        result
    }

    /// Handles the end of a connection, with or without an error.
    fn ended(
        &mut self,
        connection: usize,
        end: &Result<(), h2::Error>,
        scheduler: &mut Scheduler<'_>,
    ) {
        if self.links[connection].out == 0 {
            return self.part(connection, scheduler);
        }
        self.return_waiting(connection, scheduler);
        let (class, text) = link::reason(end);
        self.close(connection);
        let order = scheduler.broken(connection, self.clock.now(), class, &text);
        self.execute_on(connection, order, scheduler);
    }

    /// Closes a connection without requests in flight that has ended, or whose server accepts no
    /// more requests or is silent.
    fn part(&mut self, connection: usize, scheduler: &mut Scheduler<'_>) {
        let was_silent = self.links[connection].is_silent;
        self.return_waiting(connection, scheduler);
        self.close(connection);
        let now = self.clock.now();
        let order = if was_silent {
            scheduler.hung_up(connection, now)
        } else {
            scheduler.dropped(connection, now)
        };
        self.execute_on(connection, order, scheduler);
    }

    fn return_waiting(&mut self, connection: usize, scheduler: &mut Scheduler<'_>) {
        let now = self.clock.now();
        while let Some(slot) = self.links[connection].waiting.pop_front() {
            scheduler.returned(slot, now, Return::Unsent);
        }
    }

    /// Cancels the request of `slot`; the connection stays open. If the server has sent nothing on
    /// the connection for nine tenths of a timeout, no more requests are sent, and the connection
    /// is reopened when its requests in flight have ended. A whole timeout would be too strict: the
    /// first requests are sent a moment before the server's settings arrive. One of them would keep
    /// the connection open, and the requests of the others would wait for it unsent.
    fn cancel(&mut self, slot: usize, scheduler: &mut Scheduler<'_>) {
        let (connection, now) = (slot / self.depth, self.clock.now());
        let link = &mut self.links[connection];
        link.waiting.retain(|&other| other != slot);
        // h2 resets a stream that is dropped.
        if self.streams[slot].take().is_some() {
            link.out -= 1;
            link.ready.set_connection();
        }
        if now.saturating_sub(link.received_at) >= scheduler.timeout() / 10 * 9 {
            link.is_ending = true;
            link.is_silent = true;
        }
        self.list(connection);
        let order = scheduler.vacated(slot, now);
        self.execute(slot, order, scheduler);
    }

    fn refuse_overdue(&mut self, scheduler: &mut Scheduler<'_>) {
        let now = self.clock.now();
        while let Some(connection) = self.dialer.overdue(now, attempts(&self.links)) {
            self.refuse(connection, "no connection in time", scheduler);
        }
    }
}

/// The connections that are being opened.
fn attempts(links: &[Link]) -> impl Iterator<Item = (usize, Dialing)> {
    let dialing = |(at, link): (usize, &Link)| match &link.phase {
        Phase::Dialing(_, dialing) | Phase::Handshake(_, dialing, _) => Some((at, *dialing)),
        Phase::Down | Phase::Up(_) => None,
    };
    links.iter().enumerate().filter_map(dialing)
}

impl Driver for Http2 {
    #[inline]
    fn now(&self) -> u64 {
        self.clock.now()
    }

    fn execute(&mut self, slot: usize, order: Order, scheduler: &mut Scheduler<'_>) {
        match order {
            Order::Send => self.send(slot),
            Order::Rest => {}
            Order::Reopen => self.connect(slot / self.depth, scheduler),
            Order::Close => self.close(slot / self.depth),
            Order::Cancel => self.cancel(slot, scheduler),
        }
    }

    fn turn(&mut self, wake: u64, scheduler: &mut Scheduler<'_>) -> io::Result<()> {
        self.run_listed(scheduler);
        let wake = if self.listed.is_empty() {
            wake.min(self.dialer.next_deadline())
        } else {
            0
        };
        let wait = wake.saturating_sub(self.clock.now());
        self.reactor.wait(Duration::from_nanos(wait))?;
        let events = self.reactor.take_events();
        for happening in happenings(&events, self.links.len()) {
            self.event(happening, scheduler);
        }
        self.reactor.give_back(events);
        self.run_listed(scheduler);
        self.refuse_overdue(scheduler);
        Ok(())
    }

    fn tcp_figures(&self) -> TcpFigures {
        self.dialer.tcp_figures()
    }

    fn begin_at(&mut self, origin: u64) {
        self.clock.begin_at(origin);
        self.dialer.begin_at(origin);
        for link in &mut self.links {
            link.received_at = link.received_at.saturating_sub(origin);
            if let Phase::Dialing(_, dialing) | Phase::Handshake(_, dialing, _) = &mut link.phase {
                dialing.begin_at(origin);
            }
        }
    }
}
