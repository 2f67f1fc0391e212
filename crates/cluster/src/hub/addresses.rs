//! The addresses and names of a hub.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, UdpSocket};

use tenbin_plan::sentence;

use crate::error::ClusterError;
use crate::interfaces;

/// Where a hub listens, and what load machines may call it.
#[derive(Debug)]
pub(super) struct Addresses {
    /// Address and port to listen on; the port is never 0.
    pub(super) listen: SocketAddr,
    /// An address on which this machine can connect.
    pub(super) local: SocketAddr,
    /// URL for load machines.
    pub(super) url: String,
    /// Names and IP addresses for which the server's certificate is valid.
    pub(super) in_certificate: Vec<String>,
}

impl Addresses {
    pub(super) fn new(listen: SocketAddr, names: &[String]) -> Result<Self, ClusterError> {
        if let Some(name) = names.iter().find(|name| !is_host(name)) {
            return Err(ClusterError::Hub(sentence!(
                "no-hub-name",
                "hub name \"{name}\" is neither a host name nor an IP address",
                name
            )));
        }
        let listen = with_port(listen)?;
        let port = listen.port();
        let is_wildcard = listen.ip().is_unspecified();
        let here = if is_wildcard {
            addresses_of_this_machine(listen.ip())
        } else {
            vec![listen.ip()]
        };
        let local = match listen.ip() {
            IpAddr::V4(address) if address.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(address) if address.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
            address => address,
        };
        let outward = if is_wildcard {
            address_of_default_route(listen.ip())
                .or_else(|| here.iter().copied().find(|address| !address.is_loopback()))
                .unwrap_or(local)
        } else {
            listen.ip()
        };
        let host = names
            .first()
            .map_or_else(|| bracketed(outward), |name| in_url(name));
        Ok(Self {
            listen,
            local: SocketAddr::new(local, port),
            url: format!("tls://{host}:{port}"),
            in_certificate: in_certificate(names, &here),
        })
    }
}

/// The address with a free port instead of port 0. Fails if the address cannot be listened on.
fn with_port(listen: SocketAddr) -> Result<SocketAddr, ClusterError> {
    TcpListener::bind(listen)
        .and_then(|listener| listener.local_addr())
        .map_err(|error| {
            ClusterError::Hub(sentence!(
                "hub-cannot-listen",
                "cannot listen on {listen}: {error}",
                listen,
                error
            ))
        })
}

fn in_certificate(names: &[String], addresses: &[IpAddr]) -> Vec<String> {
    let usual = ["localhost".to_owned(), Ipv4Addr::LOCALHOST.to_string()];
    let mut all = Vec::new();
    let addresses = addresses.iter().map(IpAddr::to_string);
    for name in names.iter().cloned().chain(addresses).chain(usual) {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

/// Addresses of the interfaces that a wildcard address covers. `::` covers IPv4 as well.
fn addresses_of_this_machine(wildcard: IpAddr) -> Vec<IpAddr> {
    interfaces::addresses()
        .filter(|address| wildcard.is_ipv6() || address.is_ipv4())
        .collect()
}

/// The local address of outgoing connections to other networks. Sends nothing.
fn address_of_default_route(wildcard: IpAddr) -> Option<IpAddr> {
    let far: [(IpAddr, SocketAddr); 2] = [
        (
            Ipv4Addr::UNSPECIFIED.into(),
            (Ipv4Addr::new(192, 0, 2, 1), 9).into(),
        ),
        (
            Ipv6Addr::UNSPECIFIED.into(),
            (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1), 9).into(),
        ),
    ];
    far.into_iter()
        .filter(|(any, _)| wildcard.is_ipv6() || any.is_ipv4())
        .find_map(|(any, far)| {
            let socket = UdpSocket::bind((any, 0)).ok()?;
            socket.connect(far).ok()?;
            Some(socket.local_addr().ok()?.ip())
        })
}

fn is_host(name: &str) -> bool {
    let is_label = |label: &str| {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        !label.is_empty() && label.bytes().all(is_plain) && !label.starts_with('-')
    };
    name.parse::<IpAddr>().is_ok() || name.split('.').all(is_label)
}

fn in_url(name: &str) -> String {
    name.parse().map_or_else(|_| name.to_owned(), bracketed)
}

fn bracketed(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(listen: &str, names: &[&str]) -> Addresses {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        Addresses::new(listen.parse().unwrap(), &names).unwrap()
    }

    #[test]
    fn a_specific_address_is_in_the_url_and_the_certificate() {
        let addresses = of("127.0.0.2:0", &[]);
        assert_ne!(addresses.listen.port(), 0);
        assert_eq!(addresses.local, addresses.listen);
        assert_eq!(addresses.url, format!("tls://{}", addresses.listen));
        assert_eq!(
            addresses.in_certificate,
            ["127.0.0.2", "localhost", "127.0.0.1"]
        );
    }

    #[test]
    fn a_wildcard_address_stands_for_the_addresses_of_the_machine() {
        let addresses = of("0.0.0.0:0", &[]);
        assert!(addresses.local.ip().is_loopback());
        assert!(!addresses.url.contains("0.0.0.0"), "{}", addresses.url);
        let host = addresses.url.strip_prefix("tls://").unwrap();
        let (host, _) = host.rsplit_once(':').unwrap();
        assert!(addresses.in_certificate.iter().any(|name| name == host));
    }

    #[test]
    fn the_first_name_is_in_the_url() {
        let addresses = of("127.0.0.1:0", &["2001:db8::7", "hub.test"]);
        assert!(addresses.url.starts_with("tls://[2001:db8::7]:"));
        assert_eq!(
            addresses.in_certificate,
            ["2001:db8::7", "hub.test", "127.0.0.1", "localhost"]
        );
    }

    #[test]
    fn a_name_that_is_no_host_is_refused() {
        for name in ["", "a b", "tls://x", "x:4222", "x..y", "*.x", "-x"] {
            assert!(!is_host(name), "{name}");
        }
        for name in ["x", "load-1.example.org", "10.0.0.1", "::1", "a_b"] {
            assert!(is_host(name), "{name}");
        }
    }

    #[test]
    fn an_address_in_use_is_refused() {
        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        let error = Addresses::new(taken.local_addr().unwrap(), &[]).unwrap_err();
        assert!(
            error.to_string().starts_with("cannot listen on 127.0.0.1:"),
            "{error}"
        );
    }
}
