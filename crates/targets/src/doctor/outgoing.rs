//! Checks that there are enough local ports for connections.

use tenbin_plan::sentence;

use super::{Check, CheckConfig, Outcome};
use crate::counters;

/// The range of local ports, and the number of connections in TIME_WAIT.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Ports {
    lowest: u64,
    highest: u64,
    /// Connections in TIME_WAIT, each of which keeps its port for a minute.
    waiting: u64,
}

pub(super) struct Outgoing;

impl Check for Outgoing {
    fn name(&self) -> &'static str {
        "outgoing ports"
    }

    fn of_machine(&self, config: &CheckConfig) -> Vec<Outcome> {
        vec![match read() {
            Some(ports) => judge(ports, config.connections),
            None => Outcome::unknown(sentence!("range-unreadable", "their range is not readable")),
        }]
    }
}

fn judge(ports: Ports, connections: u64) -> Outcome {
    let Ports {
        lowest,
        highest,
        waiting,
    } = ports;
    let all = (highest + 1).saturating_sub(lowest);
    let evidence = sentence!(
        "outgoing-ports",
        "{ports} ports ({lowest} to {highest}), {waiting} connections in TIME_WAIT, for \
         {connections} connections",
        ports = all,
        lowest,
        highest,
        waiting,
        connections
    );
    if connections >= all {
        let advice = sentence!(
            "ports-too-few",
            "use fewer connections, several addresses of the server, or a wider \
             net.ipv4.ip_local_port_range"
        );
        Outcome::failed(evidence, advice)
    } else if connections + waiting > all / 2 {
        let advice = sentence!(
            "ports-short",
            "wait a minute for TIME_WAIT to pass, keep connections alive, or widen \
             net.ipv4.ip_local_port_range"
        );
        Outcome::warning(evidence, advice)
    } else {
        Outcome::ok(evidence)
    }
}

fn read() -> Option<Ports> {
    let (lowest, highest) = counters::local_ports()?;
    Some(Ports {
        lowest: lowest.into(),
        highest: highest.into(),
        waiting: counters::time_wait()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::State;

    #[test]
    fn too_few_ports_and_busy_ports_are_distinguished() {
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
}
