//! The addresses of a target's hosts.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use rustls::ClientConfig;
use rustls::pki_types::ServerName;

/// What a TLS connection needs: the settings, and the name that the certificate must have.
pub(crate) type Tls<'a> = (&'a Arc<ClientConfig>, &'a ServerName<'static>);

/// One host of a target.
#[derive(Debug, Clone)]
pub struct Host {
    /// Name as displayed, such as `db1:9000`. Unique within a route.
    pub name: String,
    /// At least one. Connections are distributed over them in turn.
    pub addresses: Vec<Address>,
    /// Share of the requests, relative to the weights of the other hosts. At least 1.
    pub weight: u32,
    /// The name that its certificate must have, and SNI; required with TLS.
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
