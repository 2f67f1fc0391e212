//! HTTP/2 over TCP and the like: several streams at once on each connection.
//!
//! The frames are h2's; sockets, time and the order of things are ours. h2 is
//! polled by hand, without a runtime: when an event has come for a connection or
//! a request is to be sent on it, its ready tell who can go on.

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
use crate::scheduler::Scheduler;
use crate::transport::{self, TcpFigures, describe};

/// How often in a row a connection may go on before others have their turn.
const TURNS_IN_A_ROW: usize = 32;

/// How far the streams of a connection went.
enum Went {
    /// None of them has ended.
    Nowhere,
    /// Some have ended.
    On,
    /// Some fell with the connection.
    Lost,
}

/// The connections of one generator thread on one route.
pub struct Http2 {
    clock: Clock,
    dialer: Dialer,
    reactor: Reactor,
    depth: usize,
    links: Vec<Link>,
    /// By slot.
    streams: Vec<Option<Stream>>,
    /// Connections that have something to go on with.
    listed: Vec<usize>,
    shared: Shared,
    /// One for each host: their requests differ in the name of it at least.
    memories: Vec<RequestMemory>,
    /// The head of the present answer.
    rendered: Vec<u8>,
}

impl Http2 {
    /// Connections on `route`, so many with so many streams at once each; none is
    /// open yet. With `precise`, waits end to the microsecond, as an open loop's
    /// schedule needs.
    ///
    /// # Errors
    /// When the system gives no poll or timer.
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

    /// What TCP says of the connections that have been closed.
    pub(crate) fn tcp_figures(&self) -> TcpFigures {
        self.dialer.tcp_figures()
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
        // Streams first: h2 has nothing to say to a connection that is gone.
        self.streams[connection * self.depth..][..self.depth].fill_with(|| None);
        self.links[connection].reset();
    }

    fn refuse(&mut self, connection: usize, text: &str, scheduler: &mut Scheduler<'_>) {
        self.close(connection);
        let order = scheduler.refused(connection, self.clock.now(), text);
        self.obey_for(connection, order, scheduler);
    }

    /// Carries out an order about the connection as a whole, or its first slot.
    fn obey_for(&mut self, connection: usize, order: Order, scheduler: &mut Scheduler<'_>) {
        self.execute(connection * self.depth, order, scheduler);
    }

    fn event(&mut self, happening: Happening, scheduler: &mut Scheduler<'_>) {
        let link = &mut self.links[happening.connection];
        if happening.readable || happening.closed {
            link.readable.news.set(true);
            link.heard_at = self.clock.now();
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

    /// Goes on with opening a connection.
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
                let greeting = link.greet(*transport, self.shared.clone());
                link.phase = Phase::Greeting(greeting, dialing, opened);
                self.dial(connection, scheduler);
            }
            Phase::Greeting(mut greeting, dialing, opened) => {
                match link.poll_greeting(&mut greeting) {
                    Poll::Pending => link.phase = Phase::Greeting(greeting, dialing, opened),
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
        self.obey_for(connection, order, scheduler);
    }

    /// A request is to be sent, as soon as the connection has room for it.
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

    /// Lets all connections that can go on do so.
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

    /// Sends what is waiting, and goes on with all streams that can go on; whether
    /// it has more to do at once.
    fn run(&mut self, connection: usize, scheduler: &mut Scheduler<'_>) -> bool {
        let age = self.links[connection].age;
        self.links[connection].begin_turn();
        for _ in 0..TURNS_IN_A_ROW {
            self.send_waiting(connection, scheduler);
            let link = &mut self.links[connection];
            let rang = link.ready.take_connection();
            let end = if rang { link.poll() } else { Poll::Pending };
            let went = self.go_on(connection, scheduler);
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
            match went {
                // The connection itself tells of its end.
                Went::Lost => link.ready.set_connection(),
                Went::On => {}
                Went::Nowhere if rang => {}
                Went::Nowhere if link.readable.is_cut_short() => return true,
                Went::Nowhere => return !link.waiting.is_empty() && link.has_room(),
            }
        }
        true
    }

    /// Opens streams for the requests that are waiting, as many as may be opened.
    fn send_waiting(&mut self, connection: usize, scheduler: &mut Scheduler<'_>) {
        let host = scheduler.host_of(connection);
        // A request that fails at once makes way for another: those come later.
        for _ in 0..self.links[connection].waiting.len() {
            let link = &mut self.links[connection];
            if !link.has_room() {
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
                    // The stream is not yet known to h2's wakers.
                    link.ready.set_stream(slot % self.depth);
                    link.ready.set_connection();
                    self.streams[slot] = Some(Stream::new(response, upload, has_body));
                }
                Err(_) => {
                    // The connection is about to end, and says so itself.
                    link.is_ending = true;
                    link.waiting.push_front(slot);
                    return;
                }
            }
        }
    }

    /// Polls the streams that were woken.
    fn go_on(&mut self, connection: usize, scheduler: &mut Scheduler<'_>) -> Went {
        let age = self.links[connection].age;
        let mut went = Went::Nowhere;
        let mut from = 0;
        while let Some(number) = self.links[connection].ready.take_stream(from) {
            from = number;
            let slot = connection * self.depth + number;
            let Some(stream) = &mut self.streams[slot] else {
                continue;
            };
            let link = &mut self.links[connection];
            let mut cx = Context::from_waker(&link.wakers[number]);
            let outcome = stream.go_on(slot, &self.clock, &mut self.rendered, scheduler, &mut cx);
            let now = match outcome {
                Outcome::Pending => continue,
                Outcome::Lost => {
                    went = Went::Lost;
                    continue;
                }
                _ => self.clock.now(),
            };
            self.streams[slot] = None;
            link.out -= 1;
            let order = match outcome {
                Outcome::Answered(answered) => scheduler.answered(slot, now, answered),
                Outcome::Failed(class, text) => scheduler.failed(slot, now, class, &text),
                _ => {
                    scheduler.returned(slot);
                    // After GOAWAY h2 takes no more requests.
                    self.links[connection].has_room();
                    Order::Rest
                }
            };
            self.execute(slot, order, scheduler);
            if self.links[connection].age != age {
                return went;
            }
            if let Went::Nowhere = went {
                went = Went::On;
            }
        }
        went
    }

    /// The connection has ended, one way or the other.
    fn ended(
        &mut self,
        connection: usize,
        end: &Result<(), h2::Error>,
        scheduler: &mut Scheduler<'_>,
    ) {
        if self.links[connection].out == 0 {
            return self.part(connection, scheduler);
        }
        self.give_back_waiting(connection, scheduler);
        let (class, text) = link::reason(end);
        self.close(connection);
        let order = scheduler.broken(connection, self.clock.now(), class, &text);
        self.obey_for(connection, order, scheduler);
    }

    /// The server takes no more requests on the connection, and none is out.
    fn part(&mut self, connection: usize, scheduler: &mut Scheduler<'_>) {
        let was_silent = self.links[connection].is_silent;
        self.give_back_waiting(connection, scheduler);
        self.close(connection);
        let now = self.clock.now();
        let order = if was_silent {
            scheduler.hung_up(connection, now)
        } else {
            scheduler.dropped(connection, now)
        };
        self.obey_for(connection, order, scheduler);
    }

    fn give_back_waiting(&mut self, connection: usize, scheduler: &mut Scheduler<'_>) {
        while let Some(slot) = self.links[connection].waiting.pop_front() {
            scheduler.returned(slot);
        }
    }

    /// Gives up one request; the connection lives. If nothing at all was heard on it
    /// for as long as an answer may take, it gets no more requests, and is opened
    /// anew when those that are out have come to an end.
    fn cancel(&mut self, slot: usize, scheduler: &mut Scheduler<'_>) {
        let (connection, now) = (slot / self.depth, self.clock.now());
        let link = &mut self.links[connection];
        link.waiting.retain(|&other| other != slot);
        // Without anyone who holds it, h2 resets the stream.
        if self.streams[slot].take().is_some() {
            link.out -= 1;
            link.ready.set_connection();
        }
        if now.saturating_sub(link.heard_at) >= scheduler.timeout() {
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
        Phase::Dialing(_, dialing) | Phase::Greeting(_, dialing, _) => Some((at, *dialing)),
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

    fn begin_at(&mut self, origin: u64) {
        self.clock.begin_at(origin);
        self.dialer.begin_at(origin);
        for link in &mut self.links {
            link.heard_at = link.heard_at.saturating_sub(origin);
            if let Phase::Dialing(_, dialing) | Phase::Greeting(_, dialing, _) = &mut link.phase {
                dialing.begin_at(origin);
            }
        }
    }
}
