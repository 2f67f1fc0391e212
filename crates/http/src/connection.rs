//! Connections over TCP and Unix sockets, with or without TLS.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpSocket, UnixStream};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use url::Url;

use crate::Failure;

/// An address that a socket can connect to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// TCP over IPv4 or IPv6.
    Tcp(SocketAddr),
    /// A Unix socket.
    Unix(PathBuf),
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(f),
            Self::Unix(path) => write!(f, "socket {}", path.display()),
        }
    }
}

impl Address {
    /// Whether the address belongs to this machine.
    pub fn is_local(&self) -> bool {
        match self {
            Self::Tcp(address) => address.ip().is_loopback(),
            Self::Unix(_) => true,
        }
    }
}

/// An address and how to connect to it.
#[derive(Debug, Clone)]
pub struct Destination {
    /// The address.
    pub address: Address,
    /// Local address of the connection; chosen by the operating system if `None`.
    pub source: Option<IpAddr>,
    /// TLS configuration and the server's name; `None` without TLS.
    pub tls: Option<(Arc<ClientConfig>, ServerName<'static>)>,
}

/// An open connection.
pub trait Io: AsyncRead + AsyncWrite + Unpin + Send {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> Io for S {}

/// Opens a connection without TLS.
///
/// # Errors
/// If the operating system cannot open the connection.
pub async fn connect(address: &Address, source: Option<IpAddr>) -> io::Result<Box<dyn Io>> {
    let address = match address {
        Address::Tcp(address) => *address,
        Address::Unix(path) => return Ok(Box::new(UnixStream::connect(path).await?)),
    };
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4(),
        SocketAddr::V6(_) => TcpSocket::new_v6(),
    }?;
    if let Some(source) = source {
        socket.bind(SocketAddr::new(source, 0))?;
    }
    // With Nagle's algorithm, a request in two writes would wait for the peer's delayed ACK.
    socket.set_nodelay(true)?;
    Ok(Box::new(socket.connect(address).await?))
}

/// Performs the TLS handshake.
///
/// # Errors
/// If the handshake fails; the error contains the error of rustls.
pub async fn handshake(
    io: Box<dyn Io>,
    config: &Arc<ClientConfig>,
    name: &ServerName<'static>,
) -> io::Result<TlsStream<Box<dyn Io>>> {
    let connector = TlsConnector::from(Arc::clone(config));
    connector.connect(name.clone(), io).await
}

impl Destination {
    /// The server of an HTTP URL, at each address of its host. `tls`: the configuration for
    /// `https`.
    ///
    /// # Errors
    /// Why the host has no address, or is not valid in a certificate, in one clause.
    pub fn of_url(url: &Url, tls: Option<&Arc<ClientConfig>>) -> Result<Vec<Self>, String> {
        let host = url.host_str().unwrap_or_default();
        let name = host.trim_matches(['[', ']']).to_owned();
        let tls = match (url.scheme(), tls) {
            ("https", Some(config)) => {
                let name = ServerName::try_from(name)
                    .map_err(|_| format!("{host} is not valid in a certificate"))?;
                Some((Arc::clone(config), name))
            }
            _ => None,
        };
        let found = url.socket_addrs(|| None);
        let found = found.map_err(|error| format!("{host} cannot be resolved ({error})"))?;
        let addresses = found.into_iter().map(|address| Self {
            address: Address::Tcp(address),
            source: None,
            tls: tls.clone(),
        });
        Ok(addresses.collect())
    }

    pub(crate) async fn open(&self) -> Result<Box<dyn Io>, Failure> {
        let io = connect(&self.address, self.source).await;
        let io = io.map_err(Failure::Connect)?;
        let Some((config, name)) = &self.tls else {
            return Ok(io);
        };
        let io = handshake(io, config, name).await;
        Ok(Box::new(io.map_err(Failure::Tls)?))
    }
}
