//! Determines whether a target runs on the load generator's machine.

use std::net::IpAddr;

use nix::ifaddrs::{InterfaceAddress, getifaddrs};
use nix::sys::socket::SockaddrStorage;
use tenbin_http::Address;

use crate::running::Running;

impl Running {
    /// Whether the target runs on this machine; `None` if unknown. For example, an address behind a
    /// bridge can belong to a local container or to another machine.
    pub fn is_here(&self) -> Option<bool> {
        if self.launched() || self.is_observed_here() {
            return Some(true);
        }
        let own: Vec<Own> = getifaddrs().ok()?.filter_map(|it| Own::of(&it)).collect();
        let addresses = self.route.hosts.iter().flat_map(|host| &host.addresses);
        let mut verdicts = addresses.map(|address| match address {
            Address::Unix(_) => Some(true),
            Address::Tcp(address) => is_here(address.ip().to_canonical(), &own),
        });
        let first = verdicts.next()?;
        // If only some hosts run here, the answer for the target is unknown.
        verdicts.all(|other| other == first).then_some(first)?
    }
}

/// An address of this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Own {
    address: IpAddr,
    mask: Option<IpAddr>,
    /// Whether the interface can lead to a container on this machine.
    is_inward: bool,
}

impl Own {
    fn of(interface: &InterfaceAddress) -> Option<Self> {
        Some(Self {
            address: ip_of(interface.address.as_ref()?)?,
            mask: interface.netmask.as_ref().and_then(ip_of),
            is_inward: is_inward(&interface.interface_name),
        })
    }

    fn reaches(&self, other: IpAddr) -> bool {
        match (self.address, self.mask, other) {
            (IpAddr::V4(own), Some(IpAddr::V4(mask)), IpAddr::V4(other)) => {
                own.to_bits() & mask.to_bits() == other.to_bits() & mask.to_bits()
            }
            (IpAddr::V6(own), Some(IpAddr::V6(mask)), IpAddr::V6(other)) => {
                own.to_bits() & mask.to_bits() == other.to_bits() & mask.to_bits()
            }
            _ => false,
        }
    }
}

fn is_here(address: IpAddr, own: &[Own]) -> Option<bool> {
    if address.is_loopback() || own.iter().any(|own| own.address == address) {
        return Some(true);
    }
    let perhaps = own.iter().any(|own| own.is_inward && own.reaches(address));
    (!perhaps).then_some(false)
}

/// Whether an interface is a bridge or one end of a virtual pair. For an end of a pair and for a
/// VLAN, `iflink` is another interface; only a VLAN also has a file `lower_…` (the kernel's
/// `Documentation/ABI/testing/sysfs-class-net`).
fn is_inward(name: &str) -> bool {
    let place = std::path::Path::new("/sys/class/net").join(name);
    let number = |file: &str| std::fs::read_to_string(place.join(file)).ok();
    let lower = std::fs::read_dir(&place).is_ok_and(|entries| {
        let mut names = entries.flatten().map(|entry| entry.file_name());
        names.any(|name| name.to_string_lossy().starts_with("lower_"))
    });
    place.join("bridge").is_dir() || (number("iflink") != number("ifindex") && !lower)
}

fn ip_of(address: &SockaddrStorage) -> Option<IpAddr> {
    let four = address.as_sockaddr_in().map(|four| IpAddr::V4(four.ip()));
    four.or_else(|| address.as_sockaddr_in6().map(|six| IpAddr::V6(six.ip())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(address: &str, mask: &str, is_inward: bool) -> Own {
        Own {
            address: address.parse().unwrap(),
            mask: Some(mask.parse().unwrap()),
            is_inward,
        }
    }

    #[test]
    fn own_addresses_are_local_and_those_behind_a_bridge_unknown() {
        let own = [
            own("192.0.2.7", "255.255.255.0", false),
            own("172.17.0.1", "255.255.0.0", true),
            own("2001:db8::7", "ffff:ffff::", false),
        ];
        for (address, expected) in [
            ("127.0.0.9", Some(true)),
            ("::1", Some(true)),
            ("192.0.2.7", Some(true)),
            ("2001:db8::7", Some(true)),
            ("192.0.2.8", Some(false)),
            ("198.51.100.1", Some(false)),
            ("2001:db8::8", Some(false)),
            ("172.17.0.1", Some(true)),
            ("172.17.0.2", None),
        ] {
            assert_eq!(
                is_here(address.parse().unwrap(), &own),
                expected,
                "{address}"
            );
        }
    }

    #[test]
    fn loopback_is_local() {
        assert!(!is_inward("lo"));
        let own: Vec<Own> = getifaddrs()
            .unwrap()
            .filter_map(|it| Own::of(&it))
            .collect();
        assert_eq!(is_here("127.0.0.1".parse().unwrap(), &own), Some(true));
        assert_eq!(is_here("203.0.113.1".parse().unwrap(), &own), Some(false));
    }
}
