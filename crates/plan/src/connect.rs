//! Connection settings of a target: hosts, protocol versions, TLS and addresses.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use url::Url;

use crate::names::Named;

/// Connection settings of a target, in addition to its URL.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Connect {
    /// All hosts of a target with several hosts, starting with the host of its URL; empty for a
    /// target with one host. All hosts have the same scheme and path, and no host is listed twice.
    pub hosts: Vec<Host>,
    /// HTTP version.
    pub http: HttpVersion,
    /// TLS settings, used if the URL has the scheme `https`.
    pub tls: Tls,
    /// Unix socket to connect to instead of the URL's host and port. The path can contain
    /// placeholders if Tenbin launches the target.
    pub unix: Option<PathBuf>,
    /// Fixed addresses of host names, instead of name resolution by the system.
    pub resolve: Vec<Pin>,
    /// IP version of the addresses to use; `None`: the version of the first resolved address.
    pub ip_version: Option<IpVersion>,
    /// Local source address of connections; `None`: the system's choice.
    pub source: Option<IpAddr>,
    /// What happens to hosts that do not respond before the run, if others do.
    pub dead_hosts: DeadHosts,
}

/// What happens to hosts that do not respond before the run, if other hosts of the target do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum DeadHosts {
    /// Their share of the requests is sent to them; its failures are counted.
    #[default]
    Count,
    /// They are left out; the other hosts get all requests.
    LeaveOut,
    /// The run does not start.
    Refuse,
}

/// One of several hosts of a target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    /// Base URL.
    pub url: Url,
    /// Share of the requests, relative to the weights of the other hosts, 1 to 1000.
    pub weight: u32,
}

/// Writes plan-file syntax: `http://db1:9000/ weight 3`.
impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.weight {
            1 => write!(f, "{}", self.url),
            weight => write!(f, "{} weight {weight}", self.url),
        }
    }
}

/// HTTP version of the requests to a target.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum HttpVersion {
    /// HTTP/1.1.
    #[default]
    Http1,
    /// HTTP/2: negotiated in the TLS handshake (ALPN) for `https`, used with prior knowledge for
    /// `http`.
    Http2,
}

/// TLS settings. A plan contains the names of certificate files, never their content.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tls {
    /// PEM file of the authorities to trust, instead of the system's.
    pub ca: Option<PathBuf>,
    /// The client certificate.
    pub client: Option<ClientCertificate>,
    /// Accept any certificate.
    pub insecure: bool,
    /// Server name for SNI and for certificate verification, instead of the URL's host.
    pub server_name: Option<String>,
    /// Resume earlier TLS sessions. If false, every handshake is a full handshake.
    pub resume: bool,
    /// The only TLS version to offer; `None`: 1.3 and 1.2.
    pub version: Option<TlsVersion>,
}

/// A client certificate with its private key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientCertificate {
    /// PEM file with the certificate and its intermediate certificates.
    pub cert: PathBuf,
    /// PEM file with the private key; can be the same file as `cert`.
    pub key: PathBuf,
}

/// A version of TLS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TlsVersion {
    /// TLS 1.2.
    Tls12,
    /// TLS 1.3.
    Tls13,
}

/// A version of the Internet protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IpVersion {
    /// IPv4.
    V4,
    /// IPv6.
    V6,
}

impl IpVersion {
    /// Whether `address` has this IP version.
    pub fn has(self, address: IpAddr) -> bool {
        match self {
            Self::V4 => address.is_ipv4(),
            Self::V6 => address.is_ipv6(),
        }
    }
}

/// The addresses of one host name, for connections to one port: `db:9000:10.0.0.1,[fd00::1]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pin {
    /// The name, in lower case.
    pub host: String,
    /// The port.
    pub port: u16,
    /// The addresses: at least one, without duplicates.
    pub addresses: Vec<IpAddr>,
}

impl Pin {
    /// The addresses, each with the port.
    pub fn sockets(&self) -> impl Iterator<Item = SocketAddr> {
        self.addresses
            .iter()
            .map(|&address| SocketAddr::new(address, self.port))
    }
}

impl fmt::Display for Pin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:", self.host, self.port)?;
        for (index, address) in self.addresses.iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            match address {
                IpAddr::V4(address) => write!(f, "{comma}{address}")?,
                IpAddr::V6(address) => write!(f, "{comma}[{address}]")?,
            }
        }
        Ok(())
    }
}

impl Named for HttpVersion {
    const NAMES: &'static [(&'static str, Self)] = &[("1.1", Self::Http1), ("2", Self::Http2)];
}

impl Named for TlsVersion {
    const NAMES: &'static [(&'static str, Self)] = &[("1.2", Self::Tls12), ("1.3", Self::Tls13)];
}

impl Named for DeadHosts {
    const NAMES: &'static [(&'static str, Self)] = &[
        ("count", Self::Count),
        ("leave-out", Self::LeaveOut),
        ("refuse", Self::Refuse),
    ];
}

impl Named for IpVersion {
    const NAMES: &'static [(&'static str, Self)] = &[("4", Self::V4), ("6", Self::V6)];
}
