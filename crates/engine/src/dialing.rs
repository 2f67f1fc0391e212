//! Opening connections: the address, the progress and duration of each phase, and the timeout.

use std::io;
use std::rc::Rc;
use std::time::Duration;

use mio::{Registry, Token};

use crate::clock::Clock;
use crate::opened::Opened;
use crate::route::Route;
use crate::transport::{Opening, TcpFigures, TcpRecorder, Transport};

/// Opens the connections of one driver, each with a timeout.
pub(crate) struct Dialer {
    route: Route,
    /// Timeout of a connection attempt, nanoseconds.
    timeout: u64,
    /// No connection attempt times out before this time, nanoseconds since the clock's origin.
    next_deadline: u64,
    /// Collects the TCP figures of connections when they are closed.
    notes: Rc<TcpRecorder>,
}

impl Dialer {
    pub(crate) fn new(route: &Route, timeout: Duration) -> Self {
        Self {
            route: route.clone(),
            timeout: timeout.as_nanos() as u64,
            next_deadline: u64::MAX,
            notes: Rc::default(),
        }
    }

    /// TCP figures of the connections that have been closed.
    pub(crate) fn tcp_figures(&self) -> TcpFigures {
        self.notes.sum()
    }

    pub(crate) fn route(&self) -> &Route {
        &self.route
    }

    /// Starts to open `connection` to one of the addresses of `host`. The connect time counts from
    /// `now`, which the caller reads before closing the previous connection; the connect time thus
    /// includes the closing.
    pub(crate) fn dial(
        &mut self,
        connection: usize,
        host: usize,
        now: u64,
        registry: &Registry,
    ) -> io::Result<(Transport, Dialing)> {
        let addresses = &self.route.hosts[host].addresses;
        let address = &addresses[connection / self.route.hosts.len() % addresses.len()];
        let tls = self.route.tls_to(host);
        self.notes.tick(now);
        let (source, notes) = (self.route.source, &self.notes);
        let transport = Transport::open(address, source, tls, notes, registry, Token(connection))?;
        let dialing = Dialing::since(now);
        self.next_deadline = self.next_deadline.min(dialing.deadline(self.timeout));
        Ok((transport, dialing))
    }

    /// Moves the zero of time to `origin`: later times are nanoseconds since `origin`.
    pub(crate) fn begin_at(&mut self, origin: u64) {
        self.next_deadline = self.next_deadline.saturating_sub(origin);
        self.notes.begin_at(origin);
    }

    /// The latest time at which [`Self::overdue`] must be called again.
    pub(crate) fn next_deadline(&self) -> u64 {
        self.next_deadline
    }

    /// Index of a connection in `attempts` that has timed out. Callers repeat the call until the
    /// result is `None`.
    pub(crate) fn overdue(
        &mut self,
        now: u64,
        attempts: impl Iterator<Item = (usize, Dialing)>,
    ) -> Option<usize> {
        if now < self.next_deadline {
            return None;
        }
        let mut next = u64::MAX;
        for (connection, dialing) in attempts {
            let deadline = dialing.deadline(self.timeout);
            if deadline <= now {
                return Some(connection);
            }
            next = next.min(deadline);
        }
        self.next_deadline = next;
        None
    }
}

/// An attempt to open a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dialing {
    since: u64,
    /// Time at which the socket was connected; set only if a TLS handshake follows.
    accepted: Option<u64>,
}

impl Dialing {
    /// A connection attempt that started at `since`.
    fn since(since: u64) -> Self {
        Self {
            since,
            accepted: None,
        }
    }

    /// Moves the zero of time to `origin`: later times are nanoseconds since `origin`. The timeout
    /// of an attempt that started earlier counts from `origin`.
    pub(crate) fn begin_at(&mut self, origin: u64) {
        self.since = self.since.saturating_sub(origin);
        self.accepted = self.accepted.map(|at| at.saturating_sub(origin));
    }

    /// The time at which the attempt times out.
    fn deadline(&self, timeout: u64) -> u64 {
        self.since.saturating_add(timeout)
    }

    /// Continues the connection attempt after an event. Returns the duration of each phase once the
    /// transport is ready.
    pub(crate) fn advance(
        &mut self,
        transport: &mut Transport,
        clock: &Clock,
    ) -> io::Result<Option<Opened>> {
        let arrived = clock.now();
        match transport.advance()? {
            Opening::Connecting => Ok(None),
            Opening::Handshaking => {
                self.accepted.get_or_insert(arrived);
                Ok(None)
            }
            Opening::Ready => {
                let accepted = self.accepted.unwrap_or(arrived);
                let tls_nanos = self
                    .accepted
                    .map(|accepted| clock.now().saturating_sub(accepted));
                Ok(Some(Opened {
                    connect_nanos: accepted.saturating_sub(self.since),
                    tls_nanos,
                }))
            }
        }
    }
}
