//! One connection as a stream of bytes: TCP or a Unix socket, with TLS or without.
//!
//! A transport knows nothing of HTTP. It never blocks: what cannot be done at once
//! answers `WouldBlock`, and news of it comes as an event.

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
pub(crate) use self::tcp_info::TcpNotes;
use self::tls::Session;
pub(crate) use self::trouble::{NO_HTTP2, describe};
use crate::route::{Address, Tls};

/// A connection that is open or being opened.
pub(crate) struct Transport {
    socket: Socket,
    session: Option<Box<Session>>,
    opening: Opening,
    notes: Rc<TcpNotes>,
}

/// How far the opening of a transport has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opening {
    /// The other side has not accepted yet.
    Connecting,
    /// It has accepted; the two are agreeing on TLS.
    Handshaking,
    /// It is ready to carry requests.
    Ready,
}

impl Transport {
    /// Begins to connect to `address`, from `source` if that is given, and with
    /// TLS if `tls` is. What TCP says of it goes into `notes` when it is closed.
    pub(crate) fn open(
        address: &Address,
        source: Option<IpAddr>,
        tls: Option<Tls<'_>>,
        notes: &Rc<TcpNotes>,
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

    /// Goes on opening it, on every event until it is ready. With TLS it says
    /// `Handshaking` at least once, and first when the other side has accepted.
    pub(crate) fn advance(&mut self) -> io::Result<Opening> {
        let done = match (self.opening, &mut self.session) {
            (Opening::Connecting, session) => {
                if !self.socket.connected()? {
                    return Ok(Opening::Connecting);
                }
                match session {
                    None => true,
                    Some(session) => {
                        session.greet(&mut self.socket)?;
                        false
                    }
                }
            }
            (_, Some(session)) => session.shake_hands(&mut self.socket)?,
            (_, None) => true,
        };
        self.opening = if done {
            Opening::Ready
        } else {
            Opening::Handshaking
        };
        Ok(self.opening)
    }

    /// Reads what has come. `Ok(0)` is the end in good order. With TLS, an end
    /// that was not announced is `UnexpectedEof`.
    #[inline]
    pub(crate) fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match &mut self.session {
            None => self.socket.read(into),
            Some(session) => session.read(&mut self.socket, into),
        }
    }

    /// Takes at most as many bytes as `scratch` holds from the transport and drops them;
    /// `scratch` may or may not be written to. Where the kernel can, it drops them
    /// without a copy.
    pub(crate) fn discard(&mut self, scratch: &mut [u8]) -> io::Result<usize> {
        match &mut self.session {
            None => self.socket.discard(scratch),
            Some(session) => session.discard(&mut self.socket, scratch.len()),
        }
    }

    /// Asks for news only when so many bytes can be read, or the end has come. Only a
    /// wish: with TLS, and where the system cannot, news comes as ever.
    pub(crate) fn wait_for(&self, bytes: u32) {
        if self.session.is_none() {
            // What fails here shows when the transport is read.
            let _ = self.socket.wait_for(bytes);
        }
    }

    /// Takes some of `bytes`. With TLS they may still be waiting for room in the
    /// socket: see [`Self::wants_write`].
    #[inline]
    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.session {
            None => self.socket.write(bytes),
            Some(session) => session.write(&mut self.socket, &[IoSlice::new(bytes)]),
        }
    }

    /// Like [`Self::write`], of several pieces in a row.
    pub(crate) fn write_vectored(&mut self, pieces: &[IoSlice<'_>]) -> io::Result<usize> {
        match &mut self.session {
            None => self.socket.write_vectored(pieces),
            Some(session) => session.write(&mut self.socket, pieces),
        }
    }

    /// Whether [`Self::send_file`] works here: not through TLS.
    #[inline]
    pub(crate) fn sends_files(&self) -> bool {
        cfg!(target_os = "linux") && self.session.is_none()
    }

    /// Like [`Self::write`], of a beginning whose rest follows at once.
    pub(crate) fn write_and_more(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.session {
            None => self.socket.write_and_more(bytes),
            Some(_) => self.write(bytes),
        }
    }

    /// Sends `count` bytes of `file` from `offset` on, as far as they go, without
    /// copying them. Only where the transport [sends files](Self::sends_files).
    pub(crate) fn send_file(
        &mut self,
        file: BorrowedFd<'_>,
        offset: u64,
        count: usize,
    ) -> io::Result<usize> {
        self.socket.send_file(file, offset, count)
    }

    /// Whether bytes that were taken have not gone out: [`Self::flush`] must be
    /// called when the socket is writable again.
    #[inline]
    pub(crate) fn wants_write(&self) -> bool {
        self.session
            .as_ref()
            .is_some_and(|session| session.wants_write())
    }

    /// Sends out what was taken; `WouldBlock` when not all of it went.
    #[inline]
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        match &mut self.session {
            None => Ok(()),
            Some(session) => session.flush(&mut self.socket),
        }
    }

    /// Whether a read of `count` bytes where `asked` were wanted has emptied the
    /// transport, so that more will come as an event.
    #[inline]
    pub(crate) fn emptied(&self, count: usize, asked: usize) -> bool {
        match &self.session {
            None => count < asked,
            Some(session) => session.emptied(),
        }
    }

    /// What ALPN has chosen, once the transport is ready.
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
            session.say_goodbye(&mut self.socket);
        }
    }
}
