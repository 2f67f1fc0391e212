//! The addresses of this machine.

use std::net::IpAddr;

use nix::ifaddrs::getifaddrs;

/// Addresses of all network interfaces, loopback included.
pub(crate) fn addresses() -> impl Iterator<Item = IpAddr> {
    let interfaces = getifaddrs().into_iter().flatten();
    interfaces.filter_map(|interface| {
        let address = interface.address?;
        let v4 = address.as_sockaddr_in().map(|it| IpAddr::V4(it.ip()));
        v4.or_else(|| address.as_sockaddr_in6().map(|it| IpAddr::V6(it.ip())))
    })
}

/// Addresses at which other machines can reach this one. Empty without a network.
pub fn reachable_addresses() -> Vec<IpAddr> {
    let is_local = |address: &IpAddr| match address {
        IpAddr::V4(address) => address.is_loopback() || address.is_link_local(),
        IpAddr::V6(address) => address.is_loopback() || address.is_unicast_link_local(),
    };
    addresses().filter(|address| !is_local(address)).collect()
}
