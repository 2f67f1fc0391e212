//! Chooses a port for a target.

use std::collections::HashSet;
use std::io;
use std::net::{IpAddr, TcpListener};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rand::RngExt;
use tenbin_plan::Launch;

use crate::error::TargetError;
use crate::probe::{self, Endpoint};
use crate::route::ResolvedRoute;

/// Lowest port that is chosen; well-known services use lower ports.
const LOWEST: u16 = 10_000;
/// Linux's default for the first port of the range for outgoing connections.
const USUAL_EPHEMERAL: u16 = 32_768;
const TRIES: usize = 100;

/// Chooses a port that is free on each of these local addresses and was not chosen before.
///
/// Prefers ports outside the range for outgoing connections. Inside this range, a connection of the
/// load generator can take the port before the target does. Even without a listener, a readiness
/// check whose own local port is the target's port connects to itself (TCP simultaneous open).
pub(super) fn free(addresses: &[IpAddr]) -> io::Result<u16> {
    static RETURNED: Mutex<Option<HashSet<u16>>> = Mutex::new(None);
    let mut given = RETURNED.lock().unwrap_or_else(PoisonError::into_inner);
    let given = given.get_or_insert_default();

    let quiet = LOWEST..lowest_ephemeral().max(LOWEST + 1000);
    let mut random = rand::rng();
    let port = (0..TRIES)
        .map(|_| random.random_range::<u16, Range<u16>>(quiet.clone()))
        .filter(|port| !given.contains(port))
        .find(|&port| are_free(addresses, port).is_ok());
    let port = match (port, addresses) {
        (Some(port), _) => port,
        (None, [only]) => TcpListener::bind((*only, 0))?.local_addr()?.port(),
        // Binds a port that is unlikely to be in use, to report the reason for the failure.
        (None, _) => {
            let port = random.random_range(quiet);
            are_free(addresses, port)?;
            port
        }
    };
    given.insert(port);
    Ok(port)
}

/// Binds all addresses at once, so that an address listed twice counts as not free.
fn are_free(addresses: &[IpAddr], port: u16) -> io::Result<()> {
    let bound = addresses
        .iter()
        .map(|address| TcpListener::bind((*address, port)));
    bound.collect::<io::Result<Vec<_>>>().map(drop)
}

fn lowest_ephemeral() -> u16 {
    std::fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range")
        .ok()
        .and_then(|range| range.split_whitespace().next()?.parse().ok())
        .unwrap_or(USUAL_EPHEMERAL)
}

/// Fails if a server already listens on the target's address, because that server would be measured
/// instead of the target.
pub(super) fn refuse_occupied(target: &str, route: &ResolvedRoute) -> Result<(), TargetError> {
    let accepts = |endpoint: &Endpoint| probe::connect(endpoint, Duration::from_secs(1)).is_ok();
    let mut ours = route
        .endpoints()
        .map(|(_, endpoint)| endpoint)
        .filter(|endpoint| endpoint.address.is_local());
    match ours.find(accepts) {
        None => Ok(()),
        Some(Endpoint { address, .. }) => Err(TargetError::Occupied {
            target: target.to_owned(),
            address,
        }),
    }
}

/// Whether the launch failed because another process took the chosen port. A launch on another port
/// can then succeed.
pub(super) fn lost_race(error: &TargetError, launch: &Launch) -> bool {
    let chosen = launch.url.contains("{port}");
    chosen
        && match error {
            TargetError::Occupied { .. } => true,
            TargetError::EndedEarly { tail, .. } => tail.0.iter().any(|line| {
                let line = line.to_ascii_lowercase();
                line.contains("address already in use")
                    || line.contains("address in use")
                    || line.contains("eaddrinuse")
                    || line.contains("port is already allocated")
            }),
            _ => false,
        }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    #[test]
    fn ports_are_free_and_never_returned_twice() {
        let here = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let ports: Vec<u16> = (0..20).map(|_| free(&[here]).unwrap()).collect();
        assert_eq!(ports.iter().collect::<HashSet<_>>().len(), 20);
        for port in ports {
            TcpListener::bind((here, port)).unwrap();
        }
    }

    #[test]
    fn a_port_that_is_taken_on_one_address_is_not_free() {
        let [one, two] = [1, 2].map(|last| IpAddr::V4(Ipv4Addr::new(127, 0, 0, last)));
        let taken = TcpListener::bind((two, 0)).unwrap();
        let port = taken.local_addr().unwrap().port();
        let error = are_free(&[one, two], port).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AddrInUse);
        let elsewhere = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
        let error = free(&[one, elsewhere]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AddrNotAvailable);
    }
}
