//! The slots of a thread. Each holds at most one request in flight.

use crate::exchange::Exchange;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SlotState {
    /// The connection is not open.
    Off,
    /// No request.
    Idle,
    /// A request is in flight.
    Busy,
    /// The server has not processed the request, which will be sent again.
    Returned,
}

/// A place for at most one request in flight on a connection.
pub(super) struct Slot {
    pub(super) state: SlotState,
    /// Index of its connection.
    pub(super) link: usize,
    pub(super) exchange: Exchange,
    pub(super) intended: u64,
    pub(super) started: u64,
    /// Time of the first byte of the response; 0 before it has arrived.
    pub(super) first_byte: u64,
    /// Whether the request is the first on its connection.
    pub(super) opens_connection: bool,
    /// Whether the head of the response has arrived.
    pub(super) has_head: bool,
    /// How often the request was written.
    pub(super) writes: u32,
    /// Time since which the slot has been idle; `u64::MAX` if the slot has been idle since its
    /// connection was opened.
    pub(super) rested: u64,
}

impl Slot {
    /// A slot of connection `link`, which is not open yet; connections go to the hosts in turn.
    pub(super) fn unused(link: usize, hosts: usize) -> Self {
        Self {
            state: SlotState::Off,
            link,
            exchange: Exchange {
                host: link % hosts,
                ..Exchange::default()
            },
            intended: 0,
            started: 0,
            first_byte: 0,
            opens_connection: false,
            has_head: false,
            writes: 0,
            rested: u64::MAX,
        }
    }

    /// Time at which the request times out; `usual` is the timeout of the load.
    #[inline]
    pub(super) fn deadline(&self, usual: u64) -> u64 {
        let timeout = match self.exchange.timeout {
            0 => usual,
            own => own,
        };
        self.intended.saturating_add(timeout)
    }
}
