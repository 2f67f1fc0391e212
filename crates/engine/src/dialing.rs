//! A connection being opened: how far it has come, and how long each part took.

use std::io;

use crate::clock::Clock;
use crate::conductor::Opened;
use crate::line::{Line, Opening};

/// An attempt to open a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dialing {
    since: u64,
    /// When the socket was open, if TLS goes on after that.
    accepted: Option<u64>,
}

impl Dialing {
    /// Begun at that time.
    pub(crate) fn since(since: u64) -> Self {
        Self {
            since,
            accepted: None,
        }
    }

    /// When it is overdue, given how long it may take.
    pub(crate) fn deadline(&self, timeout: u64) -> u64 {
        self.since.saturating_add(timeout)
    }

    /// Goes on, on an event; what it took, once the line is ready.
    pub(crate) fn advance(&mut self, line: &mut Line, clock: &Clock) -> io::Result<Option<Opened>> {
        let arrived = clock.now();
        match line.advance()? {
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
