//! Are there enough local ports for connections?

use std::fs;

use super::{Check, Found, Visit};

/// What the system has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Ports {
    lowest: u64,
    highest: u64,
    /// Connections in TIME_WAIT, which keep their port for a minute.
    waiting: u64,
}

pub(super) struct Outgoing;

impl Check for Outgoing {
    fn name(&self) -> &'static str {
        "outgoing ports"
    }

    fn of_machine(&self, visit: &Visit) -> Vec<Found> {
        vec![match read() {
            Some(ports) => judge(ports, visit.connections),
            None => Found::unknown("this system does not tell their range"),
        }]
    }
}

fn judge(ports: Ports, connections: u64) -> Found {
    let Ports {
        lowest,
        highest,
        waiting,
    } = ports;
    let all = (highest + 1).saturating_sub(lowest);
    let evidence = format!(
        "{all} ports ({lowest} to {highest}), {waiting} connections in TIME_WAIT, for \
         {connections} connections"
    );
    if connections >= all {
        let advice = "use fewer connections, several addresses of the server, or a wider \
                      net.ipv4.ip_local_port_range";
        Found::failed(evidence, advice)
    } else if connections + waiting > all / 2 {
        let advice = "wait a minute for TIME_WAIT to pass, keep connections alive, or widen \
                      net.ipv4.ip_local_port_range";
        Found::warning(evidence, advice)
    } else {
        Found::ok(evidence)
    }
}

fn read() -> Option<Ports> {
    let range = fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").ok()?;
    let mut range = range.split_whitespace().map(str::parse);
    let (lowest, highest) = (range.next()?.ok()?, range.next()?.ok()?);
    let sockets = fs::read_to_string("/proc/net/sockstat").ok()?;
    Some(Ports {
        lowest,
        highest,
        waiting: time_wait(&sockets)?,
    })
}

/// From the line `TCP: inuse 5 orphan 0 tw 12 …`.
fn time_wait(sockets: &str) -> Option<u64> {
    let line = sockets.lines().find(|line| line.starts_with("TCP:"))?;
    let mut words = line.split_whitespace();
    words.find(|&word| word == "tw")?;
    words.next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::State;

    #[test]
    fn too_few_ports_are_told_from_busy_ones() {
        let ports = |waiting| Ports {
            lowest: 32768,
            highest: 60999,
            waiting,
        };
        assert_eq!(judge(ports(0), 16).state, State::Ok);
        assert_eq!(judge(ports(14_000), 16).state, State::Ok);
        assert_eq!(judge(ports(14_200), 16).state, State::Warning);
        assert_eq!(judge(ports(0), 28_231).state, State::Warning);
        assert_eq!(judge(ports(0), 28_232).state, State::Failed);
    }

    #[test]
    fn time_wait_is_read_from_its_line() {
        let text = "sockets: used 9\nTCP: inuse 5 orphan 0 tw 12 alloc 7 mem 1\nUDP: inuse 1\n";
        assert_eq!(time_wait(text), Some(12));
        assert_eq!(time_wait("UDP: inuse 1 tw 3"), None);
    }
}
