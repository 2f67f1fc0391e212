//! Targets in containers: commands such as `docker run`.

use std::path::Path;

use super::{Launch, Reach, Target};

/// Clients of container engines, and whether a daemon starts their containers: the server is then no
/// descendant of the client.
const CLIENTS: [(&str, bool); 3] = [("docker", true), ("nerdctl", true), ("podman", false)];
/// Programs that start the program after them.
const BEFORE: [&str; 3] = ["env", "nice", "sudo"];

impl Launch {
    /// The client with which the command runs a container, such as `docker`; `None` for other commands.
    pub fn container_client(&self) -> Option<&'static str> {
        self.client().map(|(name, _)| name)
    }

    fn client(&self) -> Option<(&'static str, bool)> {
        let mut words = self.command.iter();
        let program = words.find(|word| {
            let is_option = word.starts_with('-') || word.contains('=');
            !is_option && !BEFORE.contains(&word.as_str())
        })?;
        let name = Path::new(program).file_name()?.to_str()?;
        let client = CLIENTS.into_iter().find(|(known, _)| *known == name)?;
        words.any(|word| word == "run").then_some(client)
    }
}

impl Target {
    /// The client of a container that a daemon starts, if the plan does not say how to observe the
    /// server: its use of CPU and memory is then unknown.
    pub fn unobserved_container(&self) -> Option<&'static str> {
        let Reach::Launched(launch) = &self.reach else {
            return None;
        };
        let (client, is_elsewhere) = launch.client()?;
        (is_elsewhere && self.observe.is_none()).then_some(client)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_container_is_told_by_the_command_of_its_client() {
        let client = |line: &str| {
            let launch = Launch {
                command: line.split(' ').map(str::to_owned).collect(),
                ..Launch::default()
            };
            launch.client()
        };
        assert_eq!(client("docker run --rm app:1"), Some(("docker", true)));
        assert_eq!(client("/usr/bin/podman run app:1"), Some(("podman", false)));
        assert_eq!(client("sudo -E docker run app:1"), Some(("docker", true)));
        assert_eq!(client("env A=b nerdctl run app"), Some(("nerdctl", true)));
        assert_eq!(client("docker ps"), None);
        assert_eq!(client("./server --with docker run"), None);
        assert_eq!(client("sudo"), None);
    }
}
