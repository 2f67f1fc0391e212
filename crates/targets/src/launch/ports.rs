//! A port for a target.

use std::collections::HashSet;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rand::RngExt;
use tenbin_plan::Launch;

use crate::error::TargetError;
use crate::probe::{self, Door};
use crate::way::Way;

/// Below these, ports belong to well-known services.
const LOWEST: u16 = 10_000;
/// Where Linux starts to choose local ports of outgoing connections by default.
const USUAL_EPHEMERAL: u16 = 32_768;
const TRIES: usize = 100;

/// A port of 127.0.0.1 that is free now and was not given out before.
///
/// Not from the range of outgoing connections if it can be helped: there, a
/// connection of the load generator may take the port before the target does, and
/// a readiness check that connects to its own local port succeeds with nobody
/// listening (TCP simultaneous open).
pub(super) fn free() -> io::Result<u16> {
    static GIVEN: Mutex<Option<HashSet<u16>>> = Mutex::new(None);
    let mut given = GIVEN.lock().unwrap_or_else(PoisonError::into_inner);
    let given = given.get_or_insert_default();

    let quiet = LOWEST..lowest_ephemeral().max(LOWEST + 1000);
    let mut random = rand::rng();
    let port = (0..TRIES)
        .map(|_| random.random_range::<u16, Range<u16>>(quiet.clone()))
        .filter(|port| !given.contains(port))
        .find(|&port| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok());
    let port = match port {
        Some(port) => port,
        None => TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?
            .local_addr()?
            .port(),
    };
    given.insert(port);
    Ok(port)
}

fn lowest_ephemeral() -> u16 {
    std::fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range")
        .ok()
        .and_then(|range| range.split_whitespace().next()?.parse().ok())
        .unwrap_or(USUAL_EPHEMERAL)
}

/// A server that is there already would pass for the one that we launch, and be
/// measured in its place.
pub(super) fn refuse_occupied(target: &str, way: &Way) -> Result<(), TargetError> {
    let accepts = |door: &Door| probe::connect(door, Duration::from_secs(1)).is_ok();
    let mut ours = way
        .doors()
        .map(|(_, door)| door)
        .filter(|door| door.address.is_of_this_machine());
    match ours.find(accepts) {
        None => Ok(()),
        Some(Door { address, .. }) => Err(TargetError::Occupied {
            target: target.to_owned(),
            address,
        }),
    }
}

/// Whether the launch failed because somebody else got the port that was free a
/// moment ago, so that another one may help.
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
            }),
            _ => false,
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_free_and_never_given_twice() {
        let ports: Vec<u16> = (0..20).map(|_| free().unwrap()).collect();
        assert_eq!(ports.iter().collect::<HashSet<_>>().len(), 20);
        for port in ports {
            TcpListener::bind((Ipv4Addr::LOCALHOST, port)).unwrap();
        }
    }
}
