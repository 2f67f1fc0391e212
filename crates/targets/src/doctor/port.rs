//! Checks that the ports for new servers are free.

use std::net::{Ipv4Addr, TcpListener};

use tenbin_plan::sentence;

use super::process::{self, Owner};
use super::{Check, CheckConfig, Outcome};

pub(super) struct Port;

impl Check for Port {
    fn name(&self) -> &'static str {
        "port"
    }

    fn of_machine(&self, config: &CheckConfig) -> Vec<Outcome> {
        config.ports.iter().map(|&port| check_port(port)).collect()
    }
}

fn check_port(port: u16) -> Outcome {
    let listeners = process::listeners(port);
    if let Some(listener) = listeners.first() {
        let who = match &listener.owner {
            Owner::Seen(process) => sentence!("process", "{process}", process),
            Owner::Hidden { uid } => sentence!(
                "hidden-process",
                "a process of user id {uid}, which only that user and root can see,",
                uid
            ),
        };
        let others = match listeners.len() {
            1 => String::new(),
            2 => ", and on one more address".to_owned(),
            more => format!(", and on {} more addresses", more - 1),
        };
        let listens = sentence!(
            "port-taken",
            "{who} listens on {address}{others}",
            who,
            address = listener.address,
            others
        );
        return Outcome::failed(
            listens
                .with_part("who", [who])
                .with("more", listeners.len() - 1),
            sentence!(
                "stop-listener",
                "stop it, or start the server on another port"
            ),
        );
    }
    match TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
        Ok(_) => Outcome::ok(sentence!("port-free", "{port} is free", port)),
        Err(error) => Outcome::failed(
            sentence!(
                "cannot-listen",
                "cannot listen on {port}: {reason}",
                port,
                reason = error
            ),
            sentence!("another-port", "start the server on another port"),
        ),
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::doctor::State;

    #[test]
    fn a_listener_is_named_until_it_ends() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let found = check_port(port);
        assert_eq!(found.state, State::Failed);
        let own = format!("pid {}", std::process::id());
        assert!(found.evidence.text().contains(&own), "{found:?}");
        assert!(
            found.evidence.text().contains(&format!("127.0.0.1:{port}")),
            "{found:?}"
        );
        drop(listener);
        assert_eq!(check_port(port).state, State::Ok);
    }
}
