//! A connection as a stream of bytes: TCP or a Unix socket, with or without TLS.
//!
//! A transport knows nothing of HTTP and never blocks: an operation that cannot be done at once
//! returns `WouldBlock`, and an event reports when the operation can continue.

mod socket;
mod tcp_info;
mod tls;
mod trouble;

use std::io::{self, IoSlice};
use std::net::IpAddr;
use std::os::fd::BorrowedFd;
use std::rc::Rc;

use mio::{Registry, Token};

use self::socket::Socket;
pub use self::tcp_info::TcpFigures;
pub(crate) use self::tcp_info::TcpRecorder;
use self::tls::Session;
pub(crate) use self::trouble::{NO_HTTP2, describe};
use crate::address::{Address, Tls};

/// A connection that is open or being opened.
pub(crate) struct Transport {
    socket: Socket,
    session: Option<Box<Session>>,
    opening: Opening,
    notes: Rc<TcpRecorder>,
}

/// Progress of opening a transport.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opening {
    /// The TCP or Unix connection is not established yet.
    Connecting,
    /// The socket is connected; the TLS handshake is in progress.
    Handshaking,
    /// Ready to carry requests.
    Ready,
}

impl Transport {
    /// Starts to connect to `address`, from `source` if given, with TLS if `tls` is given. When
    /// the transport is closed, its TCP figures are added to `notes`.
    pub(crate) fn open(
        address: &Address,
        source: Option<IpAddr>,
        tls: Option<Tls<'_>>,
        notes: &Rc<TcpRecorder>,
        registry: &Registry,
        token: Token,
    ) -> io::Result<Self> {
        let session = tls
            .map(|(config, name)| Session::new(config, name).map(Box::new))
            .transpose()?;
        Ok(Self {
            socket: Socket::connect(address, source, registry, token)?,
            session,
            opening: Opening::Connecting,
            notes: notes.clone(),
        })
    }

    /// Continues to open the transport; called for every event until the result is `Ready`. With
    /// TLS, the first call after the socket is connected returns `Handshaking`.
    pub(crate) fn advance(&mut self) -> io::Result<Opening> {
        let done = match (self.opening, &mut self.session) {
            (Opening::Connecting, session) => {
                if !self.socket.connected()? {
                    return Ok(Opening::Connecting);
                }
                match session {
                    None => true,
                    Some(session) => {
                        session.start_handshake(&mut self.socket)?;
                        false
                    }
                }
            }
            (_, Some(session)) => session.advance_handshake(&mut self.socket)?,
            (_, None) => true,
        };
        self.opening = if done {
            Opening::Ready
        } else {
            Opening::Handshaking
        };
        Ok(self.opening)
    }

    /// Reads available bytes. `Ok(0)` is an orderly end of the stream. With TLS, an end without
    /// close_notify is `UnexpectedEof`.
    #[inline]
    pub(crate) fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match &mut self.session {
            None => self.socket.read(into),
            Some(session) => session.read(&mut self.socket, into),
        }
    }

    /// Reads and drops at most `scratch.len()` bytes. Overwrites `scratch`, except where the kernel
    /// can drop the bytes without a copy.
    pub(crate) fn discard(&mut self, scratch: &mut [u8]) -> io::Result<usize> {
        match &mut self.session {
            None => self.socket.discard(scratch),
            Some(session) => session.discard(&mut self.socket, scratch.len()),
        }
    }

    /// Delays readability events until at least `bytes` bytes can be read or the stream has ended.
    /// A hint: has no effect with TLS and on systems without support.
    pub(crate) fn wait_for(&self, bytes: u32) {
        if self.session.is_none() {
            // An error of the socket is returned by the next read.
            let _ = self.socket.wait_for(bytes);
        }
    }

    /// Accepts some of `bytes` and returns their number. With TLS, accepted bytes can still be
    /// unsent: see [`Self::wants_write`].
    #[inline]
    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.session {
            None => self.socket.write(bytes),
            Some(session) => session.write(&mut self.socket, &[IoSlice::new(bytes)]),
        }
    }

    /// Like [`Self::write`], for several consecutive buffers.
    pub(crate) fn write_vectored(&mut self, pieces: &[IoSlice<'_>]) -> io::Result<usize> {
        match &mut self.session {
            None => self.socket.write_vectored(pieces),
            Some(session) => session.write(&mut self.socket, pieces),
        }
    }

    /// Whether [`Self::send_file`] works on this transport: not with TLS.
    #[inline]
    pub(crate) fn sends_files(&self) -> bool {
        cfg!(target_os = "linux") && self.session.is_none()
    }

    /// Like [`Self::write`], for data that is immediately followed by more data.
    pub(crate) fn write_and_more(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.session {
            None => self.socket.write_and_more(bytes),
            Some(_) => self.write(bytes),
        }
    }

    /// Sends up to `count` bytes of `file` from `offset` without a copy. Call only if
    /// [`Self::sends_files`] is true.
    pub(crate) fn send_file(
        &mut self,
        file: BorrowedFd<'_>,
        offset: u64,
        count: usize,
    ) -> io::Result<usize> {
        self.socket.send_file(file, offset, count)
    }

    /// Whether accepted bytes are still unsent: [`Self::flush`] must then be called when the socket
    /// is writable.
    #[inline]
    pub(crate) fn wants_write(&self) -> bool {
        self.session
            .as_ref()
            .is_some_and(|session| session.wants_write())
    }

    /// Sends accepted bytes that are still unsent; `WouldBlock` if some remain unsent.
    #[inline]
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        match &mut self.session {
            None => Ok(()),
            Some(session) => session.flush(&mut self.socket),
        }
    }

    /// Whether a read of `count` bytes into a buffer of `asked` bytes has emptied the transport.
    /// New bytes then raise an event.
    #[inline]
    pub(crate) fn emptied(&self, count: usize, asked: usize) -> bool {
        match &self.session {
            None => count < asked,
            Some(session) => session.emptied(),
        }
    }

    /// The protocol chosen by ALPN, once the transport is ready.
    pub(crate) fn application_protocol(&self) -> Option<&[u8]> {
        self.session.as_ref()?.application_protocol()
    }
}

impl Drop for Transport {
    fn drop(&mut self) {
        if self.opening != Opening::Connecting
            && let Some(socket) = self.socket.tcp()
        {
            self.notes.ask(socket);
        }
        if let (Opening::Ready, Some(session)) = (self.opening, &mut self.session) {
            session.send_close_notify(&mut self.socket);
        }
    }
}
