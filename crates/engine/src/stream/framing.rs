//! How the bytes of a connection are divided into responses.

use std::fmt;

use crate::exchange::{BodyUse, ResponseHead};

/// Divides the bytes of one connection into consecutive responses. Requests need no framing:
/// [`crate::Exchange::head`] and the payload are sent as they are.
///
/// Responses arrive in the order of the requests. `ResponseReader` is the framing of HTTP/1.1.
pub trait Framing: Default {
    /// State that all connections of a thread share, for example a cache of the last parsed head.
    type Shared: Default;
    /// The error for bytes that are not a response.
    type Malformed: fmt::Display;

    /// Consumes the next bytes of the connection, up to the end of the response. With `bodyless`,
    /// the response cannot have a body, as after HEAD.
    ///
    /// # Errors
    /// When the bytes are not a response of this protocol.
    fn feed(
        &mut self,
        bytes: &[u8],
        bodyless: bool,
        shared: &mut Self::Shared,
        listener: &mut impl Listener,
    ) -> Result<Progress, Self::Malformed>;

    /// Handles a connection closed by the server. Returns `None` if the response is incomplete.
    fn close(&mut self) -> Option<Complete> {
        None
    }

    /// Number of remaining bytes of a body that is not inspected, if known. The caller can drop
    /// these bytes unread and call [`Self::skip`].
    fn droppable(&self) -> Option<u64> {
        None
    }

    /// Number of remaining bytes of the body, if known.
    fn outstanding(&self) -> Option<u64> {
        None
    }

    /// Reports that the caller dropped the next `count` bytes of the connection, at most as many
    /// as [`Self::droppable`] returned.
    fn skip(&mut self, count: u64) -> Progress {
        let _ = count;
        Progress::Partial
    }

    /// Drops an incomplete response, because the connection was closed.
    fn reset(&mut self);
}

/// Receives the parts of a response.
pub trait Listener {
    /// Status line and headers are complete.
    fn head(&mut self, head: &ResponseHead<'_>) -> BodyUse;
    /// A part of a body that the workload inspects, `offset` bytes after the start of the body.
    fn body(&mut self, offset: u64, part: &[u8]);
}

/// A complete response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Complete {
    /// Status code.
    pub status: u16,
    /// Body bytes, without framing.
    pub length: u64,
    /// Whether another request can be sent on the connection.
    pub reusable: bool,
    /// How many of the bytes passed to [`Framing::feed`] belong to this response; the remaining
    /// bytes belong to the next response.
    pub consumed: usize,
}

/// The state of a response after a call of [`Framing::feed`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// Part of the response is missing.
    Partial,
    /// The response is complete.
    Complete(Complete),
}
