//! Targets in containers: commands such as `docker run`.

use std::path::Path;

use super::{Launch, Reach, Target};

/// Clients of container engines, and whether a daemon starts their containers: the server is then no
/// descendant of the client.
const CLIENTS: [(&str, bool); 3] = [("docker", true), ("nerdctl", true), ("podman", false)];
/// Programs that run the command given in their arguments.
const WRAPPERS: [&str; 3] = ["env", "nice", "sudo"];

impl Launch {
    /// The client with which the command runs a container, such as `docker`; `None` for other commands.
    pub fn container_client(&self) -> Option<&'static str> {
        self.client().map(|(name, _)| name)
    }

    fn client(&self) -> Option<(&'static str, bool)> {
        let is_set = |word: &&String| word.contains('=');
        let mut words = self.command.iter().skip_while(is_set);
        let first = words.next()?;
        let client = if WRAPPERS.contains(&file_name(first)?) {
            words.find_map(|word| client_named(word))?
        } else {
            client_named(first)?
        };
        words.any(|word| word == "run").then_some(client)
    }
}

/// The client that a word of a command names.
fn client_named(word: &str) -> Option<(&'static str, bool)> {
    let name = file_name(word)?;
    CLIENTS.into_iter().find(|(known, _)| *known == name)
}

fn file_name(word: &str) -> Option<&str> {
    Path::new(word).file_name()?.to_str()
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
        for line in [
            "sudo -u bob docker run app:1",
            "nice -n 10 docker run app:1",
            "/usr/bin/sudo docker run app:1",
        ] {
            assert_eq!(client(line), Some(("docker", true)), "{line}");
        }
        assert_eq!(client("docker ps"), None);
        assert_eq!(client("./server --with docker run"), None);
        assert_eq!(client("sudo"), None);
    }
}
