//! A network namespace that two cables connect with this machine: one for the servers, and one for
//! the hub.

use std::process::Command;

use anyhow::{Context, Result};

use crate::shell;

/// A network namespace with two cables; removed on drop.
pub(super) struct Network {
    name: String,
    /// Address of this machine on the cable for servers.
    pub(super) servers: String,
    /// Address of this machine on the cable for the hub.
    pub(super) hub: String,
}

/// The cables, by the names of their ends in the namespace.
const SERVERS: &str = "servers";
const HUB: &str = "hub";

impl Network {
    /// `number` distinguishes the networks of this process.
    pub(super) fn lay(number: usize) -> Result<Self> {
        // Names of interfaces have at most 15 characters.
        let name = format!("tb{:x}-{number}", std::process::id() & 0xfffff);
        let (upper, lower) = (number / 256, number % 256);
        let address = |cable: usize, end| format!("10.{}.{lower}.{end}", 213 + 10 * cable + upper);
        let network = Self {
            name: name.clone(),
            servers: address(0, 1),
            hub: address(1, 1),
        };
        ip(&["netns", "add", &name])?;
        for (number, cable) in [SERVERS, HUB].into_iter().enumerate() {
            let [here, there] = [1, 2].map(|end| format!("{}/24", address(number, end)));
            let own = network.end_here(cable);
            ip(&[
                "link", "add", &own, "type", "veth", "peer", "name", cable, "netns", &name,
            ])?;
            ip(&["address", "add", &here, "dev", &own])?;
            ip(&["link", "set", &own, "up"])?;
            ip(&["-n", &name, "address", "add", &there, "dev", cable])?;
            ip(&["-n", &name, "link", "set", cable, "up"])?;
        }
        Ok(network)
    }

    /// The end of a cable on this machine.
    fn end_here(&self, cable: &str) -> String {
        let letter = cable.get(..1).unwrap_or_default();
        format!("{}{letter}", self.name)
    }

    /// Words before a command line that runs in the namespace.
    pub(super) fn inside(&self) -> [&str; 4] {
        ["ip", "netns", "exec", &self.name]
    }

    /// Cuts or heals both cables.
    pub(super) fn set(&self, state: &str) -> Result<()> {
        ip(&["-n", &self.name, "link", "set", SERVERS, state])?;
        self.set_hub(state)
    }

    /// Cuts or heals the cable for the hub.
    pub(super) fn set_hub(&self, state: &str) -> Result<()> {
        ip(&["-n", &self.name, "link", "set", HUB, state])
    }

    /// Bytes that the namespace has sent to servers of this machine.
    pub(super) fn sent_to_servers(&self) -> Result<u64> {
        let end = self.end_here(SERVERS);
        let file = format!("/sys/class/net/{end}/statistics/rx_bytes");
        let bytes = std::fs::read_to_string(&file).with_context(|| file)?;
        Ok(bytes.trim().parse()?)
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        // The interfaces go with the namespace.
        let _ = ip(&["netns", "delete", &self.name]);
    }
}

fn ip(words: &[&str]) -> Result<()> {
    shell::output_of(Command::new("ip").args(words)).map(|_| ())
}
