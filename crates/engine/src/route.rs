//! Where connections go, and how.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use rustls::ClientConfig;
use rustls::pki_types::ServerName;

/// What a connection with TLS needs: the settings, and whom the certificate must name.
pub(crate) type Tls<'a> = (&'a Arc<ClientConfig>, &'a ServerName<'static>);

/// The way to a target: one host or several that share the load.
#[derive(Debug, Clone)]
pub struct Route {
    /// At least one. Requests go to them in turn, by weight.
    pub hosts: Vec<Host>,
    /// What is spoken.
    pub protocol: Protocol,
    /// TLS, if it is to be spoken; its ALPN must offer what `protocol` says.
    pub tls: Option<Arc<ClientConfig>>,
    /// Address that connections come from; the system's choice without.
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

    /// What a connection to that host needs for TLS, if it is to be spoken.
    pub(crate) fn tls_to(&self, host: usize) -> Option<Tls<'_>> {
        Some((self.tls.as_ref()?, self.hosts[host].server_name.as_ref()?))
    }
}

/// One host under a target.
#[derive(Debug, Clone)]
pub struct Host {
    /// As it is shown, such as `db1:9000`. Unique within a route.
    pub name: String,
    /// At least one. Connections are dealt over them in turn.
    pub addresses: Vec<Address>,
    /// Its share of the requests, against the weights of the others. At least 1.
    pub weight: u32,
    /// Whom its certificate must name, and SNI; needed with TLS.
    pub server_name: Option<ServerName<'static>>,
}

/// Where a socket connects to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// TCP, IPv4 or IPv6.
    Tcp(SocketAddr),
    /// A Unix socket.
    Unix(PathBuf),
}

/// What is spoken on a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// HTTP/1.1, pipelined if the load says so.
    Http1,
    /// HTTP/2: negotiated by ALPN with TLS, by prior knowledge without.
    Http2,
}
