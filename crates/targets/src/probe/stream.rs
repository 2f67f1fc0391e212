//! One blocking connection: TCP or a Unix socket, with or without TLS.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use rustls::ClientConnection;
use socket2::{Domain, SockAddr, Socket, Type};

use super::{Address, Door, Patience, ProbeError, STEP, connect as knock};
use crate::tls;

/// A connection to a door, open for HTTP.
pub(super) struct Stream<'a> {
    door: &'a Door,
    socket: Socket,
    tls: Option<Box<ClientConnection>>,
    /// Whether anything has come from the other side.
    heard: bool,
}

impl<'a> Stream<'a> {
    /// Connects and, if the door wants it, shakes hands.
    pub(super) fn open(door: &'a Door, patience: &Patience<'_>) -> Result<Self, ProbeError> {
        let socket = knock(door, patience.limit)?;
        let mut stream = Self {
            door,
            socket,
            tls: None,
            heard: false,
        };
        let timeouts = stream
            .socket
            .set_read_timeout(Some(STEP))
            .and_then(|()| stream.socket.set_write_timeout(Some(patience.limit)));
        timeouts.map_err(|error| stream.broken(error))?;
        if let Some((config, name)) = &door.tls {
            let client = ClientConnection::new(config.clone(), name.clone());
            let client = client.map_err(|error| stream.refused(&error))?;
            stream.tls = Some(Box::new(client));
            stream.shake_hands(patience)?;
        }
        Ok(stream)
    }

    pub(super) fn address(&self) -> &Address {
        &self.door.address
    }

    /// What the two agreed on in the TLS handshake; `None` also without TLS.
    pub(super) fn alpn(&self) -> Option<&[u8]> {
        self.tls.as_ref()?.alpn_protocol()
    }

    pub(super) fn is_tls(&self) -> bool {
        self.tls.is_some()
    }

    fn shake_hands(&mut self, patience: &Patience<'_>) -> Result<(), ProbeError> {
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
                        reason: "it closes the connection in the TLS handshake; does it speak TLS?"
                            .to_owned(),
                    });
                }
                Err(error) => return Err(self.broken(error)),
            }
            patience.check(self.address())?;
        }
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), ProbeError> {
        let written = match &mut self.tls {
            None => self.socket.write_all(bytes),
            Some(tls) => rustls::Stream::new(tls.as_mut(), &mut self.socket).write_all(bytes),
        };
        written.map_err(|error| self.broken(error))
    }

    /// Reads what comes next behind what is in `into`; 0 at the end, which comes
    /// only behind something.
    pub(super) fn read(
        &mut self,
        into: &mut Vec<u8>,
        patience: &Patience<'_>,
    ) -> Result<usize, ProbeError> {
        let mut buffer = [0; 4096];
        loop {
            // Also of a server that never pauses: one that sends a byte now and then would be read
            // without end.
            patience.check(self.address())?;
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
                // Closed without the farewell of TLS.
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(0),
                Err(error) => return Err(self.broken(error)),
            }
            patience.check(self.address())?;
        }
    }

    fn closed(&self) -> ProbeError {
        ProbeError::Closed {
            address: self.address().clone(),
        }
    }

    /// An error of the socket, or of TLS in its clothes.
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
            reason: tls::explain(error, self.door.ca.as_deref()),
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
