//! The addresses of a target and its connection settings.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use rustls::ClientConfig;
use rustls::pki_types::ServerName;

/// What a TLS connection needs: the settings, and the name that the certificate must have.
pub(crate) type Tls<'a> = (&'a Arc<ClientConfig>, &'a ServerName<'static>);

/// Connection settings of a target: one host or several that share the load.
#[derive(Debug, Clone)]
pub struct Route {
    /// At least one. Requests are distributed over them by weight.
    pub hosts: Vec<Host>,
    /// The HTTP version.
    pub protocol: Protocol,
    /// TLS settings, if TLS is used; its ALPN must offer the version in `protocol`.
    pub tls: Option<Arc<ClientConfig>>,
    /// Source address of connections; chosen by the system if `None`.
    pub source: Option<IpAddr>,
}

impl Route {
    /// HTTP/1.1 in clear text to one address.
    pub fn plain(address: SocketAddr) -> Self {
        Self {
            hosts: vec![Host {
                name: address.to_string(),
                addresses: vec![Address::Tcp(address)],
                weight: 1,
                server_name: None,
            }],
            protocol: Protocol::Http1,
            tls: None,
            source: None,
        }
    }

    /// TLS settings of a connection to this host, if TLS is used.
    pub(crate) fn tls_to(&self, host: usize) -> Option<Tls<'_>> {
        Some((self.tls.as_ref()?, self.hosts[host].server_name.as_ref()?))
    }
}

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

/// HTTP version of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// HTTP/1.1, pipelined if the load requires it.
    Http1,
    /// HTTP/2: negotiated by ALPN with TLS, by prior knowledge without.
    Http2,
}
