//! The addresses of a target's hosts.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use rustls::ClientConfig;
use rustls::pki_types::ServerName;

/// The TLS settings of a connection, and the name that the server's certificate must have.
pub(crate) type Tls<'a> = (&'a Arc<ClientConfig>, &'a ServerName<'static>);

/// One host of a target.
#[derive(Debug, Clone)]
pub struct Host {
    /// Name as displayed, such as `db1:9000`. Unique among the hosts of a target.
    pub name: String,
    /// At least one address. Connections use the addresses in turn.
    pub addresses: Vec<Address>,
    /// Share of the requests, relative to the weights of the other hosts. At least 1.
    pub weight: u32,
    /// The name sent as SNI, which the server's certificate must contain. Required with TLS.
    pub server_name: Option<ServerName<'static>>,
}

/// The address that a socket connects to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// TCP, IPv4 or IPv6.
    Tcp(SocketAddr),
    /// A Unix socket.
    Unix(PathBuf),
}
