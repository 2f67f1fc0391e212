//! Adapts a transport to the async I/O traits that h2 uses. An operation that would block returns
//! `Pending` until the next event.

use std::cell::{Cell, RefCell};
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::transport::Transport;

/// Bytes per read.
const READ_AT_ONCE: usize = 64 * 1024;

/// Most bytes read from one connection in a turn. Between turns, timers, the stop flag and other
/// connections are served.
const BYTES_A_TURN: usize = 1024 * 1024;

/// State of a socket, as reported by events since the last read.
#[derive(Debug, Default)]
pub(super) struct Readable {
    /// The socket may be readable.
    pub(super) has_data: Cell<bool>,
    /// The end of the stream has been reported, so a short read does not mean that the socket is
    /// empty.
    pub(super) closed: Cell<bool>,
    /// Bytes that h2 can still read in this turn. Without a limit, h2 reads and buffers all
    /// available bytes before it returns.
    allowance: Cell<usize>,
}

impl Readable {
    /// Starts a turn, in which [`BYTES_A_TURN`] bytes can be read.
    pub(super) fn begin_turn(&self) {
        self.allowance.set(BYTES_A_TURN);
    }

    /// Whether the turn used up its allowance and the socket may hold more bytes.
    pub(super) fn is_cut_short(&self) -> bool {
        self.allowance.get() == 0 && self.has_data.get()
    }
}

/// A read buffer, shared by all connections of a thread.
pub(super) type Shared = Rc<RefCell<Box<[u8]>>>;

pub(super) fn shared() -> Shared {
    Rc::new(RefCell::new(vec![0; READ_AT_ONCE].into_boxed_slice()))
}

pub(super) struct Adapter {
    transport: Transport,
    readable: Rc<Readable>,
    shared: Shared,
    /// Bytes read from the transport that did not fit into h2's buffer; h2 has taken the first
    /// `taken` of these bytes.
    spare: Vec<u8>,
    taken: usize,
}

impl Adapter {
    pub(super) fn new(transport: Transport, readable: Rc<Readable>, shared: Shared) -> Self {
        Self {
            transport,
            readable,
            shared,
            spare: Vec::new(),
            taken: 0,
        }
    }
}

impl AsyncRead for Adapter {
    fn poll_read(
        self: Pin<&mut Self>,
        _cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.taken < this.spare.len() {
            let spare = &this.spare[this.taken..];
            let fits = spare.len().min(into.remaining());
            into.put_slice(&spare[..fits]);
            this.taken += fits;
            return Poll::Ready(Ok(()));
        }
        if !this.readable.has_data.get() || this.readable.allowance.get() == 0 {
            return Poll::Pending;
        }
        let mut shared = this.shared.borrow_mut();
        let count = loop {
            match this.transport.read(&mut shared) {
                Ok(count) => break count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    this.readable.has_data.set(false);
                    return Poll::Pending;
                }
                Err(error) => return Poll::Ready(Err(error)),
            }
        };
        if count > 0 && this.transport.emptied(count, shared.len()) && !this.readable.closed.get() {
            this.readable.has_data.set(false);
        }
        let allowance = &this.readable.allowance;
        allowance.set(allowance.get().saturating_sub(count));
        let fits = count.min(into.remaining());
        into.put_slice(&shared[..fits]);
        this.spare.clear();
        this.spare.extend_from_slice(&shared[fits..count]);
        this.taken = 0;
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Adapter {
    fn poll_write(
        self: Pin<&mut Self>,
        _cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        or_pending(self.get_mut().transport.write(bytes))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        _cx: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        or_pending(self.get_mut().transport.write_vectored(pieces))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        or_pending(self.get_mut().transport.flush())
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        // Dropping the transport closes the socket.
        self.poll_flush(cx)
    }
}

fn or_pending<T>(outcome: io::Result<T>) -> Poll<io::Result<T>> {
    match outcome {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Poll::Pending,
        outcome => Poll::Ready(outcome),
    }
}
