//! A network namespace that a cable connects with this machine.

use std::process::Command;

use anyhow::Result;

use crate::shell;

/// A network namespace with one cable; removed on drop.
pub(super) struct Network {
    name: String,
    /// Address of this machine on the cable.
    pub(super) here: String,
}

impl Network {
    /// `number` distinguishes the networks of this process.
    pub(super) fn lay(number: usize) -> Result<Self> {
        // Names of interfaces have at most 15 characters.
        let name = format!("tb{:x}-{number}", std::process::id() & 0xfffff);
        let (upper, lower) = (number / 256, number % 256);
        let network = Self {
            name: name.clone(),
            here: format!("10.{}.{lower}.1", 213 + upper),
        };
        let here = format!("{}/24", network.here);
        let there = format!("10.{}.{lower}.2/24", 213 + upper);
        let own = format!("{name}h");
        ip(&["netns", "add", &name])?;
        ip(&[
            "link", "add", &own, "type", "veth", "peer", "name", "cable", "netns", &name,
        ])?;
        ip(&["address", "add", &here, "dev", &own])?;
        ip(&["link", "set", &own, "up"])?;
        ip(&["-n", &name, "address", "add", &there, "dev", "cable"])?;
        ip(&["-n", &name, "link", "set", "cable", "up"])?;
        Ok(network)
    }

    /// Words before a command line that runs in the namespace.
    pub(super) fn inside(&self) -> [&str; 4] {
        ["ip", "netns", "exec", &self.name]
    }

    /// Cuts or heals the cable.
    pub(super) fn set(&self, state: &str) -> Result<()> {
        ip(&["-n", &self.name, "link", "set", "cable", state])
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
