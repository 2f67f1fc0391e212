//! A blocking connection over TCP or a Unix socket, with or without TLS.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use rustls::ClientConnection;
use socket2::{Domain, SockAddr, Socket, Type};

use super::{Address, CHECK_INTERVAL, Deadline, Endpoint, ProbeError, connect as knock};
use crate::tls;

/// An open connection to an endpoint.
pub(super) struct Stream<'a> {
    endpoint: &'a Endpoint,
    socket: Socket,
    tls: Option<Box<ClientConnection>>,
    /// Whether the server has sent at least one byte.
    heard: bool,
}

impl<'a> Stream<'a> {
    /// Connects to the endpoint; with TLS, also performs the handshake.
    pub(super) fn open(
        endpoint: &'a Endpoint,
        deadline: &Deadline<'_>,
    ) -> Result<Self, ProbeError> {
        let socket = knock(endpoint, deadline.limit)?;
        let mut stream = Self {
            endpoint,
            socket,
            tls: None,
            heard: false,
        };
        let timeouts = stream
            .socket
            .set_read_timeout(Some(CHECK_INTERVAL))
            .and_then(|()| stream.socket.set_write_timeout(Some(deadline.limit)));
        timeouts.map_err(|error| stream.broken(error))?;
        if let Some((config, name)) = &endpoint.tls {
            let client = ClientConnection::new(config.clone(), name.clone());
            let client = client.map_err(|error| stream.refused(&error))?;
            stream.tls = Some(Box::new(client));
            stream.handshake(deadline)?;
        }
        Ok(stream)
    }

    pub(super) fn address(&self) -> &Address {
        &self.endpoint.address
    }

    /// The protocol selected in the TLS handshake; `None` without TLS.
    pub(super) fn alpn(&self) -> Option<&[u8]> {
        self.tls.as_ref()?.alpn_protocol()
    }

    pub(super) fn is_tls(&self) -> bool {
        self.tls.is_some()
    }

    fn handshake(&mut self, deadline: &Deadline<'_>) -> Result<(), ProbeError> {
        loop {
            let Some(tls) = &mut self.tls else {
                return Ok(());
            };
            match tls.complete_io(&mut self.socket) {
                Ok(_) if !tls.is_handshaking() => return Ok(()),
                Ok(_) => {}
                Err(error) if is_pause(&error) => {}
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                    return Err(ProbeError::Tls {
                        address: self.address().clone(),
                        reason: "it closes the connection in the TLS handshake; check that it speaks TLS"
                            .to_owned(),
                    });
                }
                Err(error) => return Err(self.broken(error)),
            }
            deadline.check(self.address())?;
        }
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), ProbeError> {
        let written = match &mut self.tls {
            None => self.socket.write_all(bytes),
            Some(tls) => rustls::Stream::new(tls.as_mut(), &mut self.socket).write_all(bytes),
        };
        written.map_err(|error| self.broken(error))
    }

    /// Appends the next bytes to `into` and returns their number. Returns 0 at the end of the
    /// connection; the end is an error if no byte was received before.
    pub(super) fn read(
        &mut self,
        into: &mut Vec<u8>,
        deadline: &Deadline<'_>,
    ) -> Result<usize, ProbeError> {
        let mut buffer = [0; 4096];
        loop {
            // Checked even while bytes arrive; otherwise a server that sends single bytes could
            // delay the end forever.
            deadline.check(self.address())?;
            let read = match &mut self.tls {
                None => self.socket.read(&mut buffer),
                Some(tls) => rustls::Stream::new(tls.as_mut(), &mut self.socket).read(&mut buffer),
            };
            match read {
                Ok(0) if !self.heard => return Err(self.closed()),
                Ok(count) => {
                    self.heard = true;
                    into.extend_from_slice(&buffer[..count]);
                    return Ok(count);
                }
                Err(error) if is_pause(&error) => {}
                Err(error) if is_end(&error) && !self.heard => return Err(self.closed()),
                // The server closed the connection without TLS `close_notify`.
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(0),
                Err(error) => return Err(self.broken(error)),
            }
            deadline.check(self.address())?;
        }
    }

    fn closed(&self) -> ProbeError {
        ProbeError::Closed {
            address: self.address().clone(),
        }
    }

    /// Converts an I/O error, which can contain a TLS error.
    fn broken(&self, error: io::Error) -> ProbeError {
        let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
        match inner {
            Some(refusal) => self.refused(refusal),
            None => ProbeError::Broken {
                address: self.address().clone(),
                source: error,
            },
        }
    }

    fn refused(&self, error: &rustls::Error) -> ProbeError {
        ProbeError::Tls {
            address: self.address().clone(),
            reason: tls::explain(error, self.endpoint.ca.as_deref()),
        }
    }
}

fn is_pause(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted
    )
}

fn is_end(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::ConnectionReset | ErrorKind::UnexpectedEof
    )
}

pub(super) fn connect(
    address: &Address,
    source: Option<IpAddr>,
    limit: Duration,
) -> io::Result<Socket> {
    let (domain, to) = match address {
        Address::Tcp(address) => (Domain::for_address(*address), SockAddr::from(*address)),
        Address::Unix(path) => (Domain::UNIX, SockAddr::unix(path)?),
    };
    let socket = Socket::new(domain, Type::STREAM, None)?;
    if let (Some(source), Address::Tcp(_)) = (source, address) {
        socket.bind(&SockAddr::from(SocketAddr::new(source, 0)))?;
    }
    socket.connect_timeout(&to, limit)?;
    Ok(socket)
}
