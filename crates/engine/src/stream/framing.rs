//! How the bytes of a connection are divided into responses.

use std::fmt;

use crate::exchange::{BodyUse, ResponseHead};

/// Divides the bytes of one connection into consecutive responses. Requests need no framing:
/// [`crate::Exchange::head`] and the payload are sent as they are.
///
/// Responses arrive in the order of the requests. `ResponseReader` is the framing of HTTP/1.1.
pub trait Framing: Default {
    /// What all connections of a thread share, for example the head that was parsed last.
    type Shared: Default;
    /// Why bytes are not a response.
    type Malformed: fmt::Display;

    /// Takes the next bytes of the connection, up to the end of the response. `bodyless` means
    /// that the response cannot have a body, as after HEAD.
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

    /// The server closed the connection; `None` if that leaves the response incomplete.
    fn close(&mut self) -> Option<Complete> {
        None
    }

    /// Remaining bytes of a body that is not inspected, if their number is known. The caller may
    /// drop them unread: see [`Self::skip`].
    fn droppable(&self) -> Option<u64> {
        None
    }

    /// Remaining bytes of the body, if their number is known.
    fn outstanding(&self) -> Option<u64> {
        None
    }

    /// Reports that the caller dropped the next `count` bytes of the connection, at most as many
    /// as [`Self::droppable`] returned.
    fn skip(&mut self, count: u64) -> Progress {
        let _ = count;
        Progress::Partial
    }

    /// Drops a response that is incomplete: the connection was closed.
    fn reset(&mut self);
}

/// Receives the parts of a response.
pub trait Listener {
    /// Status line and headers are complete.
    fn head(&mut self, head: &ResponseHead<'_>) -> BodyUse;
    /// A part of the body that is to be inspected.
    fn body(&mut self, offset: u64, part: &[u8]);
}

/// A complete response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Complete {
    /// Status code.
    pub status: u16,
    /// Body bytes, without the bytes that delimit them.
    pub length: u64,
    /// Whether the connection may carry another request.
    pub reusable: bool,
    /// How many of the bytes passed to [`Framing::feed`] belong to this response. The bytes
    /// after them belong to the next one.
    pub consumed: usize,
}

/// The state of a response after more bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// Part of the response is missing.
    Partial,
    /// The response is complete.
    Complete(Complete),
}
