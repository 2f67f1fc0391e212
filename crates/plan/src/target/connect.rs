//! Connection settings of a target: hosts, protocol versions and addresses.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use url::Url;

use crate::keys::names::Named;
use crate::keys::scalar::Scalar;
use crate::{Sentence, sentence};

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

/// Reads the local source address of connections.
pub(super) fn source(scalar: &Scalar) -> Result<IpAddr, Sentence> {
    let text = scalar.text()?;
    let address = ip(text).ok_or_else(|| {
        sentence!(
            "no-own-address",
            "{text:?} is not an address of this machine; write for example \"127.0.0.2\"",
            text
        )
    })?;
    if address.is_unspecified() || address.is_multicast() {
        return Err(sentence!(
            "no-source-address",
            "connections cannot come from {address}",
            address
        ));
    }
    Ok(address)
}

/// Reads an IP address; IPv6 with or without brackets.
pub(crate) fn ip(text: &str) -> Option<IpAddr> {
    let bare = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'));
    match bare {
        Some(bare) => bare.parse::<Ipv6Addr>().ok().map(IpAddr::from),
        None => text.parse().ok(),
    }
}
