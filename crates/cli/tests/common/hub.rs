//! A hub and agents in processes of their own.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use nix::sys::signal::Signal;

use super::{Outcome, Running, Scratch, Server, Tenbin, path_of, wait_until};

/// Longest time to start on a busy machine.
const SOON: Duration = Duration::from_secs(30);

/// A running hub with its files in `tenbin-hub` of the scratch directory.
pub(crate) struct Hub {
    pub(crate) running: Running,
    pub(crate) url: String,
    pub(crate) directory: PathBuf,
}

impl Hub {
    pub(crate) fn start(scratch: &Scratch, arguments: &[&str]) -> Self {
        path_of(Server::Nats);
        let all = ["hub", "--listen", "127.0.0.1:0"].iter().chain(arguments);
        let mut running = Tenbin::new(scratch, all).start();
        let mut url = None;
        wait_until(SOON, || {
            url = url_in(&running.so_far());
            url.is_some() || !running.is_running()
        });
        let url = url.unwrap_or_else(|| panic!("it does not come up: {}", running.so_far()));
        Self {
            running,
            url,
            directory: scratch.path().join("tenbin-hub"),
        }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        let address = self.url.strip_prefix("tls://").expect("the scheme");
        address.parse().expect("an address")
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// Starts an agent that waits for a coordinator. `inside` are words that precede its command
    /// line.
    pub(crate) fn start_agent(
        &self,
        scratch: &Scratch,
        name: &str,
        inside: &[&str],
        options: &[&str],
        variables: &[(&str, &str)],
    ) -> Running {
        let creds = self.file("agent.creds").display().to_string();
        let fixed = [
            "agent", "--nats", &self.url, "--creds", &creds, "--name", name,
        ];
        let all = fixed.iter().chain(options);
        let mut agent = Tenbin::new(scratch, all).inside(inside);
        for (name, value) in variables {
            agent = agent.env(name, value);
        }
        let agent = agent.start();
        let waits = wait_until(SOON, || agent.so_far().contains("waits for a coordinator"));
        assert!(waits, "{}", agent.so_far());
        agent
    }

    /// Ends the hub as Ctrl-C does.
    pub(crate) fn interrupt(self) -> Outcome {
        self.running.signal(Signal::SIGINT);
        self.running.wait(SOON)
    }
}

fn url_in(said: &str) -> Option<String> {
    let place = said
        .lines()
        .find_map(|line| line.strip_prefix("hub at "))
        .filter(|_| said.contains("--agents 2"))?;
    Some(place.split_once("; keys in ")?.0.to_owned())
}

/// A hub and agents, named `agent-0` and so on.
pub(crate) struct Agents {
    pub(crate) hub: Hub,
    pub(crate) agents: Vec<Running>,
}

impl Agents {
    /// Starts a hub and `count` agents with these options, which wait for a coordinator.
    pub(crate) fn start(scratch: &Scratch, count: usize, options: &[&str]) -> Self {
        Self::start_with(scratch, count, options, &[])
    }

    /// As [`Agents::start`], with these environment variables.
    pub(crate) fn start_with(
        scratch: &Scratch,
        count: usize,
        options: &[&str],
        variables: &[(&str, &str)],
    ) -> Self {
        Self::start_each(scratch, &vec![&[][..]; count], options, variables)
    }

    /// Starts a hub and one agent for each list of words, which precede the agent's command line.
    pub(crate) fn start_inside(scratch: &Scratch, inside: &[&[&str]], options: &[&str]) -> Self {
        Self::start_each(scratch, inside, options, &[])
    }

    fn start_each(
        scratch: &Scratch,
        inside: &[&[&str]],
        options: &[&str],
        variables: &[(&str, &str)],
    ) -> Self {
        let hub = Hub::start(scratch, &[]);
        let numbered = inside.iter().enumerate();
        let agents = numbered.map(|(number, words)| {
            hub.start_agent(
                scratch,
                &format!("agent-{number}"),
                words,
                options,
                variables,
            )
        });
        Self {
            agents: agents.collect(),
            hub,
        }
    }

    /// The options with which a run uses `count` agents.
    pub(crate) fn options(&self, count: u32) -> Vec<String> {
        let creds = self.hub.file("coordinator.creds").display().to_string();
        let count = count.to_string();
        let url = self.hub.url.clone();
        let words = ["--agents".to_owned(), count, "--nats".to_owned(), url];
        words
            .into_iter()
            .chain(["--creds".to_owned(), creds])
            .collect()
    }
}
