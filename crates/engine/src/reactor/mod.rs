//! Waiting for sockets and for time: one poll a thread, edge-triggered.

mod timer;

use std::io;
use std::time::Duration;

use mio::{Events, Poll, Registry};

use self::timer::Timer;

/// Events taken from the system at once.
const EVENTS: usize = 1024;

/// What happened to a connection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Happening {
    /// The connection: the token of its socket.
    pub(crate) connection: usize,
    pub(crate) readable: bool,
    pub(crate) writable: bool,
    /// The server has closed its side, or the socket has failed.
    pub(crate) closed: bool,
}

/// The poll of one thread, and its timer if waits are to be precise.
pub(crate) struct Reactor {
    poll: Poll,
    events: Events,
    timer: Option<Timer>,
}

impl Reactor {
    /// With `precise`, waits end to the microsecond, as an open loop's schedule
    /// needs.
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

    /// Waits for events, at most so long.
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

    /// The events of the last wait, taken out so that they can be walked while
    /// connections change. They are to be given back.
    pub(crate) fn take_events(&mut self) -> Events {
        std::mem::replace(&mut self.events, Events::with_capacity(0))
    }

    pub(crate) fn give_back(&mut self, events: Events) {
        self.events = events;
    }
}

/// What happened to connections, of so many.
pub(crate) fn happenings(events: &Events, connections: usize) -> impl Iterator<Item = Happening> {
    events
        .iter()
        .map(|event| Happening {
            connection: event.token().0,
            readable: event.is_readable(),
            writable: event.is_writable(),
            closed: event.is_read_closed() || event.is_error(),
        })
        // The timer's token is none of theirs; arming it again clears it.
        .filter(move |happening| happening.connection < connections)
}
