//! One connection as a stream of bytes: TCP or a Unix socket.
//!
//! A line knows nothing of HTTP. It never blocks: what cannot be done at once
//! answers `WouldBlock`, and news of it comes as an event.

use std::io::{self, IoSlice, Read, Write};
use std::net::{IpAddr, SocketAddr};
use std::os::fd::AsFd;

use mio::event::Source;
use mio::net::{TcpStream, UnixStream};
use mio::{Interest, Registry, Token};
use rustix::net::{AddressFamily, RecvFlags, SocketFlags, SocketType};

use crate::route::Address;

/// A connection that is open or being opened.
pub(crate) struct Line {
    socket: Socket,
}

enum Socket {
    Tcp(TcpStream),
    Unix(UnixStream),
}

/// How far the opening of a line has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opening {
    /// The other side has not accepted yet.
    Connecting,
    /// It is ready to carry requests.
    Ready,
}

impl Line {
    /// Begins to connect to `address`, from `source` if that is given.
    pub(crate) fn open(
        address: &Address,
        source: Option<IpAddr>,
        registry: &Registry,
        token: Token,
    ) -> io::Result<Self> {
        let mut socket = match (address, source) {
            (Address::Tcp(to), None) => Socket::Tcp(TcpStream::connect(*to)?),
            (Address::Tcp(to), Some(from)) => Socket::Tcp(connect_from(from, *to)?),
            (Address::Unix(path), _) => Socket::Unix(UnixStream::connect(path)?),
        };
        if let Socket::Tcp(stream) = &socket {
            // Small requests must not wait for the answer to earlier ones.
            stream.set_nodelay(true)?;
        }
        let source: &mut dyn Source = match &mut socket {
            Socket::Tcp(stream) => stream,
            Socket::Unix(stream) => stream,
        };
        source.register(registry, token, Interest::READABLE | Interest::WRITABLE)?;
        Ok(Self { socket })
    }

    /// Goes on opening it, on every event until it is ready.
    pub(crate) fn advance(&mut self) -> io::Result<Opening> {
        let (error, connected) = match &self.socket {
            Socket::Tcp(stream) => (stream.take_error()?, stream.peer_addr().map(drop)),
            Socket::Unix(stream) => (stream.take_error()?, stream.peer_addr().map(drop)),
        };
        if let Some(error) = error {
            return Err(error);
        }
        match connected {
            Ok(()) => Ok(Opening::Ready),
            Err(error) if error.kind() == io::ErrorKind::NotConnected => Ok(Opening::Connecting),
            Err(error) => Err(error),
        }
    }

    #[inline]
    pub(crate) fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match &mut self.socket {
            Socket::Tcp(stream) => stream.read(into),
            Socket::Unix(stream) => stream.read(into),
        }
    }

    /// Takes at most as many bytes as `scratch` holds from the line and drops them;
    /// `scratch` may or may not be written to. Where the kernel can, it drops them
    /// without a copy.
    pub(crate) fn discard(&mut self, scratch: &mut [u8]) -> io::Result<usize> {
        match &mut self.socket {
            // tcp(7): with MSG_TRUNC the received bytes are thrown away.
            #[cfg(target_os = "linux")]
            Socket::Tcp(stream) => {
                let (_, count) = rustix::net::recv(stream.as_fd(), scratch, RecvFlags::TRUNC)?;
                Ok(count)
            }
            _ => self.read(scratch),
        }
    }

    #[inline]
    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.socket {
            Socket::Tcp(stream) => stream.write(bytes),
            Socket::Unix(stream) => stream.write(bytes),
        }
    }

    pub(crate) fn write_vectored(&mut self, pieces: &[IoSlice<'_>]) -> io::Result<usize> {
        match &mut self.socket {
            Socket::Tcp(stream) => stream.write_vectored(pieces),
            Socket::Unix(stream) => stream.write_vectored(pieces),
        }
    }

    /// Whether a read of `count` bytes where `asked` were wanted has emptied the
    /// line, so that more will come as an event.
    #[inline]
    pub(crate) fn emptied(&self, count: usize, asked: usize) -> bool {
        count < asked
    }
}

fn connect_from(from: IpAddr, to: SocketAddr) -> io::Result<TcpStream> {
    let family = match to {
        SocketAddr::V4(_) => AddressFamily::INET,
        SocketAddr::V6(_) => AddressFamily::INET6,
    };
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let socket = rustix::net::socket_with(family, SocketType::STREAM, flags, None)?;
    // The port is chosen when connecting, so that one can serve several targets.
    #[cfg(target_os = "linux")]
    nix::sys::socket::setsockopt(
        &socket,
        nix::sys::socket::sockopt::IpBindAddressNoPort,
        &true,
    )?;
    rustix::net::bind(&socket, &SocketAddr::new(from, 0))?;
    match rustix::net::connect(&socket, &to) {
        Ok(()) | Err(rustix::io::Errno::INPROGRESS) => {
            Ok(TcpStream::from_std(std::net::TcpStream::from(socket)))
        }
        Err(error) => Err(error.into()),
    }
}
