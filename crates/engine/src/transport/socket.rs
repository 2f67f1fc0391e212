//! The socket of a transport.

use std::io::{self, IoSlice, Write};
use std::net::{IpAddr, SocketAddr};
use std::os::fd::{AsFd, BorrowedFd};

use mio::event::Source;
use mio::net::{TcpStream, UnixStream};
use mio::{Interest, Registry, Token};
#[cfg(target_os = "linux")]
use nix::{libc, setsockopt_impl, sockopt_impl};
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType};

use crate::address::Address;

#[cfg(target_os = "linux")]
sockopt_impl!(
    /// Socket option SO_RCVLOWAT: the number of bytes from which a socket counts as readable.
    LowWater,
    SetOnly,
    libc::SOL_SOCKET,
    libc::SO_RCVLOWAT,
    u32
);

pub(super) enum Socket {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Socket {
    /// Starts to connect.
    pub(super) fn connect(
        address: &Address,
        source: Option<IpAddr>,
        registry: &Registry,
        token: Token,
    ) -> io::Result<Self> {
        let mut socket = match (address, source) {
            (Address::Tcp(to), None) => Self::Tcp(TcpStream::connect(*to)?),
            (Address::Tcp(to), Some(from)) => Self::Tcp(connect_from(from, *to)?),
            (Address::Unix(path), _) => Self::Unix(UnixStream::connect(path)?),
        };
        if let Self::Tcp(stream) = &socket {
            // Small requests must not wait for acknowledgements of earlier requests.
            stream.set_nodelay(true)?;
        }
        let source: &mut dyn Source = match &mut socket {
            Self::Tcp(stream) => stream,
            Self::Unix(stream) => stream,
        };
        source.register(registry, token, Interest::READABLE | Interest::WRITABLE)?;
        Ok(socket)
    }

    /// Whether the socket is connected.
    pub(super) fn connected(&self) -> io::Result<bool> {
        let (error, connected) = match self {
            Self::Tcp(stream) => (stream.take_error()?, stream.peer_addr().map(drop)),
            Self::Unix(stream) => (stream.take_error()?, stream.peer_addr().map(drop)),
        };
        if let Some(error) = error {
            return Err(error);
        }
        match connected {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotConnected => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Like the calls of the standard library, without the C library's checks for a cancelled
    /// thread: they cost 2 % of a small request as soon as a program has two threads.
    #[inline]
    pub(super) fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let (count, _) = rustix::net::recv(self.as_fd(), into, RecvFlags::empty())?;
        Ok(count)
    }

    pub(super) fn discard(&mut self, scratch: &mut [u8]) -> io::Result<usize> {
        match self {
            // tcp(7): with MSG_TRUNC the received bytes are discarded.
            #[cfg(target_os = "linux")]
            Self::Tcp(stream) => {
                let (_, count) = rustix::net::recv(stream.as_fd(), scratch, RecvFlags::TRUNC)?;
                Ok(count)
            }
            _ => self.read(scratch),
        }
    }

    /// Delays readability events until `bytes` bytes can be read. The kernel enlarges the receive
    /// buffer if needed and always reports the end of the stream (tcp(7), socket(7): SO_RCVLOWAT).
    pub(super) fn wait_for(&self, bytes: u32) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        nix::sys::socket::setsockopt(&self.as_fd(), LowWater, &bytes)?;
        #[cfg(not(target_os = "linux"))]
        let _ = bytes;
        Ok(())
    }

    /// See [`Self::read`].
    #[inline]
    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(rustix::net::send(self.as_fd(), bytes, SendFlags::NOSIGNAL)?)
    }

    pub(super) fn write_vectored(&mut self, pieces: &[IoSlice<'_>]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.write_vectored(pieces),
            Self::Unix(stream) => stream.write_vectored(pieces),
        }
    }

    pub(super) fn write_and_more(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let flags = SendFlags::MORE | SendFlags::NOSIGNAL;
        Ok(rustix::net::send(self.as_fd(), bytes, flags)?)
    }

    #[cfg(target_os = "linux")]
    pub(super) fn send_file(
        &mut self,
        file: BorrowedFd<'_>,
        mut offset: u64,
        count: usize,
    ) -> io::Result<usize> {
        let to = self.as_fd();
        Ok(rustix::fs::sendfile(to, file, Some(&mut offset), count)?)
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn send_file(
        &mut self,
        _file: BorrowedFd<'_>,
        _offset: u64,
        _count: usize,
    ) -> io::Result<usize> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// The socket, if it is a TCP socket.
    pub(super) fn tcp(&self) -> Option<BorrowedFd<'_>> {
        match self {
            Self::Tcp(stream) => Some(stream.as_fd()),
            Self::Unix(_) => None,
        }
    }

    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Tcp(stream) => stream.as_fd(),
            Self::Unix(stream) => stream.as_fd(),
        }
    }
}

fn connect_from(from: IpAddr, to: SocketAddr) -> io::Result<TcpStream> {
    let family = match to {
        SocketAddr::V4(_) => AddressFamily::INET,
        SocketAddr::V6(_) => AddressFamily::INET6,
    };
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let socket = rustix::net::socket_with(family, SocketType::STREAM, flags, None)?;
    // The kernel chooses the port when connecting, so that one port can be used for several
    // targets.
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
