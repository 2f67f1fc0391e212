//! Waits for sockets and for time: one edge-triggered poll per thread.

mod timer;

use std::io;
use std::time::Duration;

use mio::{Events, Poll, Registry};

use self::timer::Timer;

/// Events returned by one wait.
const EVENTS: usize = 1024;

/// An event of a connection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Happening {
    /// The connection: the token of its socket.
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
    /// With `precise`, waits end to the microsecond, as the schedule of an open loop needs.
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

    /// The events of the last wait, moved out so that the caller can iterate over them while
    /// connections change. The caller returns them with [`Self::give_back`].
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
        // The timer's event is not one of a connection; arming the timer again clears it.
        .filter(move |happening| happening.connection < connections)
}
