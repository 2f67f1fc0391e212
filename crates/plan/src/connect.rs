//! How connections get to a target.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use url::Url;

use crate::names::Named;

/// How connections get to a target, beyond its URL.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Connect {
    /// All hosts of a target that has several, the first that of its URL; empty
    /// for a target with one. Same scheme and path, no two at the same place.
    pub hosts: Vec<Host>,
    /// What is spoken.
    pub http: HttpVersion,
    /// How TLS is spoken, if the URL says `https`.
    pub tls: Tls,
    /// The Unix socket to connect to instead of the URL's host and port. For a
    /// launched target it may hold placeholders.
    pub unix: Option<PathBuf>,
    /// Addresses of names, instead of name resolution by the system.
    pub resolve: Vec<Pin>,
    /// Which addresses of a name are used; those of the family that the system
    /// names first when not set.
    pub ip_version: Option<IpVersion>,
    /// Address that connections come from; the system's choice when not set.
    pub source: Option<IpAddr>,
}

/// One of several hosts of a target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    /// Its base URL.
    pub url: Url,
    /// Its share of the requests against the weights of the others, 1 to 1000.
    pub weight: u32,
}

/// Prints as in a plan: `http://db1:9000/ weight 3`.
impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.weight {
            1 => write!(f, "{}", self.url),
            weight => write!(f, "{} weight {weight}", self.url),
        }
    }
}

/// What is spoken to a target.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum HttpVersion {
    /// HTTP/1.1.
    #[default]
    Http1,
    /// HTTP/2: agreed on in the TLS handshake (ALPN), or known beforehand.
    Http2,
}

/// How TLS is spoken. Files are named, never read into a plan.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tls {
    /// PEM file of the authorities to trust, in place of the system's.
    pub ca: Option<PathBuf>,
    /// The certificate to show to the server.
    pub client: Option<ClientCertificate>,
    /// Accept any certificate.
    pub insecure: bool,
    /// Name to send (SNI) and to expect in the certificate, in place of the
    /// URL's host.
    pub server_name: Option<String>,
    /// Resume earlier sessions. Without it every handshake is a full one.
    pub resume: bool,
    /// The only version to offer; 1.3 and 1.2 when not set.
    pub version: Option<TlsVersion>,
}

/// A certificate to show to a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientCertificate {
    /// PEM file with the certificate and those above it.
    pub cert: PathBuf,
    /// PEM file with its private key; may be the same.
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
    /// Whether `address` is of this version.
    pub fn has(self, address: IpAddr) -> bool {
        match self {
            Self::V4 => address.is_ipv4(),
            Self::V6 => address.is_ipv6(),
        }
    }
}

/// Addresses to use for one name and port: `db:9000:10.0.0.1,[fd00::1]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pin {
    /// The name, in lower case.
    pub host: String,
    /// The port.
    pub port: u16,
    /// At least one, no two alike.
    pub addresses: Vec<IpAddr>,
}

impl Pin {
    /// The addresses with the port.
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

impl Named for IpVersion {
    const NAMES: &'static [(&'static str, Self)] = &[("4", Self::V4), ("6", Self::V6)];
}
