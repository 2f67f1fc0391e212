//! Waits for socket events and timeouts with one edge-triggered poll per thread.

mod timer;

use std::io;
use std::time::Duration;

use mio::{Events, Poll, Registry};

use self::timer::Timer;

/// Most events returned by one wait.
const EVENTS: usize = 1024;

/// An event of a connection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Happening {
    /// Index of the connection, which is the token of its socket.
    pub(crate) connection: usize,
    pub(crate) readable: bool,
    pub(crate) writable: bool,
    /// The server has closed its side, or the socket has failed.
    pub(crate) closed: bool,
}

/// The poll of one thread, and its timer if waits must be precise.
pub(crate) struct Reactor {
    poll: Poll,
    events: Events,
    timer: Option<Timer>,
}

impl Reactor {
    /// A reactor. With `precise`, waits are accurate to the microsecond, for open loops and think
    /// times.
    pub(crate) fn new(precise: bool) -> io::Result<Self> {
        let poll = Poll::new()?;
        let timer = precise.then(|| Timer::new(&poll)).transpose()?;
        Ok(Self {
            poll,
            events: Events::with_capacity(EVENTS),
            timer,
        })
    }

    pub(crate) fn registry(&self) -> &Registry {
        self.poll.registry()
    }

    /// Waits for events, at most for `wait`.
    pub(crate) fn wait(&mut self, wait: Duration) -> io::Result<()> {
        let limit = match &mut self.timer {
            Some(timer) if !wait.is_zero() => timer.arm(wait)?,
            _ => Some(wait),
        };
        match self.poll.poll(&mut self.events, limit) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => Err(error),
            _ => Ok(()),
        }
    }

    /// Moves out the events of the last wait, so that the caller can change connections while
    /// iterating. The caller must return the events with [`Self::give_back`].
    pub(crate) fn take_events(&mut self) -> Events {
        std::mem::replace(&mut self.events, Events::with_capacity(0))
    }

    pub(crate) fn give_back(&mut self, events: Events) {
        self.events = events;
    }
}

/// The events of connections with an index below `connections`.
pub(crate) fn happenings(events: &Events, connections: usize) -> impl Iterator<Item = Happening> {
    events
        .iter()
        .map(|event| Happening {
            connection: event.token().0,
            readable: event.is_readable(),
            writable: event.is_writable(),
            closed: event.is_read_closed() || event.is_error(),
        })
        // Excludes the timer's event, which setting the timer again clears.
        .filter(move |happening| happening.connection < connections)
}
