//! One connection of HTTP/1.1: its transport, and how far its responses have come.

use super::answer::AnswerReader;
use super::outbox::Outbox;
use crate::dialing::Dialing;
use crate::transport::Transport;

/// With a body of at least so many bytes still to come, nobody wants to hear of every
/// packet.
const WORTH_WAITING_FOR: u64 = 128 * 1024;
/// Most bytes waited for at once: enough to make waking up cheap, little enough that
/// the server never waits for room.
const MOST_WAITED_FOR: u64 = 1024 * 1024;
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Down,
    Dialing(Dialing),
    Up,
}

pub(super) struct Connection {
    pub(super) transport: Option<Transport>,
    pub(super) phase: Phase,
    pub(super) reader: AnswerReader,
    /// Requests that are out, in the order of their answers.
    pub(super) outbox: Outbox,
    /// Bytes of the present answer already read.
    pub(super) received: u64,
    /// What is left of a read that ended before the socket was empty.
    pub(super) unread: Unread,
    /// It is on the list of those with bytes left to read.
    pub(super) is_listed: bool,
    /// News comes when so many bytes have come.
    waits_for: u32,
}

/// Bytes that may still lie in the socket although no event will announce them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unread {
    /// None: the last read emptied the socket.
    Nothing,
    /// Some.
    Bytes,
    /// Some, and the end of the stream.
    BytesAndEnd,
}

impl Connection {
    pub(super) fn new(depth: usize) -> Self {
        Self {
            transport: None,
            phase: Phase::Down,
            reader: AnswerReader::default(),
            outbox: Outbox::with_capacity(depth),
            received: 0,
            unread: Unread::Nothing,
            is_listed: false,
            waits_for: 1,
        }
    }

    /// Closes it, if it is open, and forgets what was out on it.
    pub(super) fn close(&mut self) {
        self.transport = None;
        self.phase = Phase::Down;
        self.reader.reset();
        self.outbox.clear();
        self.received = 0;
        self.unread = Unread::Nothing;
        self.waits_for = 1;
    }

    /// Lets news come when as much of the present body has come as is worth waking up
    /// for: 1 byte, unless it is large.
    #[inline]
    pub(super) fn tune_news(&mut self) {
        let wanted = match self.reader.outstanding() {
            Some(left) if left >= WORTH_WAITING_FOR => left.min(MOST_WAITED_FOR) as u32,
            // The tail of what was worth it: all of it at once.
            Some(left @ 1..) if self.waits_for > 1 => left as u32,
            _ => 1,
        };
        if wanted != self.waits_for
            && let Some(transport) = &self.transport
        {
            transport.wait_for(wanted);
            self.waits_for = wanted;
        }
    }
}

/// The connections that are being opened.
pub(super) fn attempts(connections: &[Connection]) -> impl Iterator<Item = (usize, Dialing)> {
    let dialing = |(at, entry): (usize, &Connection)| match entry.phase {
        Phase::Dialing(dialing) => Some((at, dialing)),
        Phase::Down | Phase::Up => None,
    };
    connections.iter().enumerate().filter_map(dialing)
}
