//! One connection: its transport, and the state of its responses.

use super::framing::Framing;
use super::outbox::Outbox;
use crate::dialing::Dialing;
use crate::transport::Transport;

/// Bodies with at least this number of remaining bytes raise the socket's low-water mark, so that
/// not every packet wakes the thread.
const LOW_WATER_FROM: u64 = 128 * 1024;
/// Largest low-water mark, bytes: large enough that wake-ups are rare, small enough that the
/// receive buffer never fills.
const LARGEST_LOW_WATER: u64 = 1024 * 1024;
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Down,
    Dialing(Dialing),
    Up,
}

pub(super) struct Connection<F> {
    pub(super) transport: Option<Transport>,
    pub(super) phase: Phase,
    pub(super) reader: F,
    /// Requests in flight, in the order of their responses.
    pub(super) outbox: Outbox,
    /// Bytes of the current response already read.
    pub(super) received: u64,
    /// Whether the last read may have left bytes in the socket.
    pub(super) unread: Unread,
    /// Whether the connection is in the list of connections with bytes left to read.
    pub(super) is_listed: bool,
    /// The low-water mark: the socket becomes readable when this number of bytes has arrived.
    low_water: u32,
}

/// Whether the socket may hold bytes for which no further event comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unread {
    /// No bytes: the last read emptied the socket.
    Nothing,
    /// Bytes; the stream has not ended.
    Bytes,
    /// Bytes and the end of the stream.
    BytesAndEnd,
}

impl<F: Framing> Connection<F> {
    pub(super) fn new(depth: usize) -> Self {
        Self {
            transport: None,
            phase: Phase::Down,
            reader: F::default(),
            outbox: Outbox::with_capacity(depth),
            received: 0,
            unread: Unread::Nothing,
            is_listed: false,
            low_water: 1,
        }
    }

    /// Closes the connection, if it is open, and clears its requests in flight.
    pub(super) fn close(&mut self) {
        self.transport = None;
        self.phase = Phase::Down;
        self.reader.reset();
        self.outbox.clear();
        self.received = 0;
        self.unread = Unread::Nothing;
        self.low_water = 1;
    }

    /// Sets the low-water mark for the rest of the current body: 1 byte, or more for a large body.
    #[inline]
    pub(super) fn tune_low_water(&mut self) {
        let wanted = match self.reader.outstanding() {
            Some(left) if left >= LOW_WATER_FROM => left.min(LARGEST_LOW_WATER) as u32,
            // The last part of a large body is read in one go.
            Some(left @ 1..) if self.low_water > 1 => left as u32,
            _ => 1,
        };
        if wanted != self.low_water
            && let Some(transport) = &self.transport
        {
            transport.wait_for(wanted);
            self.low_water = wanted;
        }
    }
}

/// The connections that are being opened.
pub(super) fn attempts<F>(connections: &[Connection<F>]) -> impl Iterator<Item = (usize, Dialing)> {
    let dialing = |(at, entry): (usize, &Connection<F>)| match entry.phase {
        Phase::Dialing(dialing) => Some((at, dialing)),
        Phase::Down | Phase::Up => None,
    };
    connections.iter().enumerate().filter_map(dialing)
}
