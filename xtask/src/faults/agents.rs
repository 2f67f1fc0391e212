//! A run with two agents in which an agent, the coordinator, the hub or a network is lost.

use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::ExitStatus;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use super::Fault;
use super::network::Network;
use super::processes::{alive, check_nobody_left};
use super::trial::{Ended, Trial};
use crate::load_machines::{LoadMachines, Process};

/// Requests per second.
const RATE: u64 = 200;
/// Time of a slice outside its window, and its share of the start of the run, seconds.
const AROUND: f64 = 0.35;
/// Longest time from the fault to the end of the command: without agents, a coordinator waits 30 s.
const LIMIT: Duration = Duration::from_secs(45);
/// Longest time until the agents wait again: 3 s without a heartbeat, and reconnecting.
const FREE: Duration = Duration::from_secs(20);

/// What a run says when it measures a block again without the lost agent.
const AGAIN: &str = " is measured again with 1 agent";
/// Bytes in the packets that close the 8 connections of an agent.
const OF_CLOSING: u64 = 8 * 80;
/// Bytes in the packets of one more request on each of these connections.
const OF_LAST: u64 = 8 * 300;

impl Trial {
    /// What the run does when an agent is lost: in every second trial, it goes on.
    pub(super) fn on_loss(&self) -> &'static str {
        match self.number % 2 {
            0 => "stop",
            // The block is measured again at once.
            _ if self.fault.leaves_server_in_reach() => "continue",
            _ => "repeat",
        }
    }

    pub(super) fn run_with_agents(
        &self,
        tenbin: &Path,
        directory: &Path,
        ended: &mut Ended,
    ) -> Result<()> {
        let network = self
            .fault
            .needs_network()
            .then(|| Network::lay(self.number));
        let network = network.transpose()?;
        let hub = network.as_ref().map_or("127.0.0.1", |net| &net.hub);
        let mut machines = LoadMachines::start(tenbin, directory, &format!("{hub}:0"))?;
        let allow = ["--allow", "127.0.0.0/8,10.0.0.0/8"];
        machines.add_agent(&[], &allow)?;
        let inside = network.as_ref().map(Network::inside);
        machines.add_agent(inside.as_ref().map_or(&[], |words| &words[..]), &allow)?;
        let servers = network.as_ref().map_or("127.0.0.1", |net| &net.servers);
        let (mut server, url) = serve(tenbin, directory, servers)?;
        let words = self.words(tenbin, &url, machines.options());
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut run = Process::start(directory, "run", &words)?;
        // Before this text, Ctrl-C ends the process as it ends every other.
        run.await_text("waiting for")?;
        thread::sleep(self.moment);
        self.happen(&mut machines, &mut run, network.as_ref())?;
        let lost = Instant::now();
        if let (Fault::CableHealed, Some(network)) = (self.fault, &network) {
            thread::sleep(self.outage);
            network.set("up")?;
        }
        let mut silent_from = None;
        if let Some(network) = network
            .as_ref()
            .filter(|_| self.fault.leaves_server_in_reach())
            && run.await_text(AGAIN).is_ok()
        {
            silent_from = Some((network, network.sent_to_servers()?));
        }
        let status = run.wait(LIMIT)?;
        if let Some((network, before)) = silent_from {
            let sent = network.sent_to_servers()? - before;
            let most = match self.fault {
                Fault::AgentPaused => OF_CLOSING + OF_LAST,
                _ => OF_CLOSING,
            };
            ensure!(sent <= most, "the lost agent sent {sent} bytes");
        }
        ended.seconds = lost.elapsed().as_secs_f64();
        let status =
            status.with_context(|| format!("not ended after {LIMIT:?}: {}", run.said()))?;
        ended.how = format!("{status} after {:.1} s", ended.seconds);
        ended.slices = complete_slices(directory, RATE * slices(self.fault).1)?;
        self.check_code(status, ended.slices)
            .with_context(|| run.said())?;
        self.check_agents(&mut machines, network.as_ref())?;
        server.signal(Signal::SIGINT);
        server.wait(LIMIT)?.context("the server did not end")?;
        machines.end()?;
        check_nobody_left(directory)
    }

    /// The command line of the run.
    fn words(&self, tenbin: &Path, url: &str, agents: Vec<String>) -> Vec<String> {
        let (rounds, seconds) = slices(self.fault);
        let line = format!(
            "--rounds {rounds} --slice {seconds}s --warmup 0s --lead 200ms --gap 100ms \
             --rate {RATE}/s --connections 16 --on-agent-loss {} --agent-wait 5s",
            self.on_loss()
        );
        let mut words = vec![tenbin.display().to_string()];
        words.extend(["http", "--target", url].map(str::to_owned));
        words.extend(line.split(' ').map(str::to_owned));
        words.extend(agents);
        words
    }

    fn happen(
        &self,
        machines: &mut LoadMachines,
        run: &mut Process,
        network: Option<&Network>,
    ) -> Result<()> {
        match self.fault {
            Fault::AgentKilled => machines.agents[1].signal(Signal::SIGKILL),
            Fault::AgentStopped => machines.agents[1].signal(Signal::SIGSTOP),
            Fault::AgentPaused => {
                machines.agents[1].signal(Signal::SIGSTOP);
                machines.agents[1].signal_after(self.outage, Signal::SIGCONT);
            }
            Fault::CoordinatorKilled => run.signal(Signal::SIGKILL),
            Fault::CoordinatorInterrupted => run.signal(Signal::SIGINT),
            Fault::HubKilled => {
                let inside = machines.directory.join("tenbin-hub");
                let server = alive(&inside)
                    .into_iter()
                    .find(|(_, command)| command.contains("nats-server"));
                let (pid, _) = server.context("nats-server does not run")?;
                kill(Pid::from_raw(pid), Signal::SIGKILL)?;
            }
            Fault::CableCut | Fault::CableHealed => {
                network.context("there is no cable")?.set("down")?;
            }
            Fault::HubCut => network.context("there is no cable")?.set_hub("down")?,
            other => bail!("{} needs no agents", other.name()),
        }
        Ok(())
    }

    /// Fails unless docs/exit-codes.md and docs/agents.md state this exit code.
    fn check_code(&self, status: ExitStatus, slices: usize) -> Result<()> {
        let (rounds, _) = self::slices(self.fault);
        if self.on_loss() != "stop" && self.fault.loses_agent() && slices > 0 {
            let is_whole = slices == rounds && matches!(status.code(), Some(0 | 6));
            ensure!(is_whole, "{status} with {slices} slices");
        }
        let is_complete = slices == rounds && matches!(status.code(), Some(0 | 6));
        let is_right = match self.fault {
            Fault::CoordinatorKilled => status.signal() == Some(9),
            Fault::CoordinatorInterrupted => status.code() == Some(130),
            _ if slices == 0 => matches!(status.code(), Some(3 | 4)),
            _ => status.code() == Some(4),
        };
        ensure!(is_complete || is_right, "{status} with {slices} slices");
        Ok(())
    }

    /// Fails unless the agents that live wait for the next coordinator.
    fn check_agents(&self, machines: &mut LoadMachines, network: Option<&Network>) -> Result<()> {
        let expected = match self.fault {
            Fault::AgentKilled => 1,
            Fault::AgentStopped => {
                machines.agents[1].signal(Signal::SIGCONT);
                2
            }
            Fault::HubKilled => {
                machines.hub.wait(FREE)?.context("the hub did not end")?;
                machines.restart_hub()?;
                2
            }
            Fault::CableCut | Fault::HubCut => {
                network.context("there is no cable")?.set("up")?;
                2
            }
            _ => 2,
        };
        let begun = Instant::now();
        let mut found = machines.free()?;
        while found != expected {
            if begun.elapsed() > FREE {
                let said: Vec<String> = machines.agents.iter().map(Process::said).collect();
                bail!("{found} of {expected} agents are free: {}", said.join("\n"));
            }
            found = machines.free()?;
        }
        Ok(())
    }
}

/// Number of slices in a run, and the length of a slice, seconds. An agent that is lost, and can
/// reach the server, sends to the end of its slice or of its lease: only slices longer than the
/// lease show the difference.
pub(super) fn slices(fault: Fault) -> (usize, u64) {
    match fault {
        _ if fault.leaves_server_in_reach() => (2, 5),
        _ => (6, 1),
    }
}

/// Starts the built-in server on an address. Returns the server with its URL.
fn serve(tenbin: &Path, directory: &Path, address: &str) -> Result<(Process, String)> {
    let program = tenbin.display().to_string();
    let listen = format!("{address}:0");
    let words = [program.as_str(), "serve", "http", "--listen", &listen];
    let mut server = Process::start(directory, "server", &words)?;
    let said = server.await_text("listening on ")?;
    let url = said
        .split_whitespace()
        .find(|word| word.starts_with("http"));
    let url = url
        .context("the server did not say where it is")?
        .to_owned();
    Ok((server, url))
}

/// Length of a run from its start, about.
pub(super) fn length_of_run(fault: Fault) -> Duration {
    let (rounds, seconds) = slices(fault);
    Duration::from_secs_f64(rounds as f64 * (seconds as f64 + AROUND))
}

/// The number of complete slices in the record that are not void. Fails if one lacks requests or has too many.
fn complete_slices(directory: &Path, of_slice: u64) -> Result<usize> {
    let Ok(mut runs) = std::fs::read_dir(directory.join("runs")) else {
        return Ok(0);
    };
    let Some(run) = runs.next().transpose()? else {
        return Ok(0);
    };
    // A run that ended before its first slice has no file, and a killed run may lack a line's end.
    let lines = std::fs::read_to_string(run.path().join("intervals.jsonl")).unwrap_or_default();
    let (mut complete, mut index, mut requests) = (BTreeSet::new(), 0, 0);
    for line in lines
        .split_inclusive('\n')
        .filter(|line| line.ends_with('\n'))
    {
        let line: Value = serde_json::from_str(line)?;
        match line["kind"].as_str() {
            Some("begin") => {
                requests = 0;
                index = line["index"].as_u64().context("no index")?;
            }
            Some("void") => {
                let [first, next] = ["first", "next"].map(|key| line[key].as_u64());
                let void = first.context("no first")?..next.context("no next")?;
                complete.retain(|slice| !void.contains(slice));
            }
            Some("operation") => requests += due_in_window(&line)?,
            Some("end") if line["cut_short"] == false => {
                complete.insert(index);
                ensure!(requests == of_slice, "slice {index}: {requests} requests");
            }
            _ => {}
        }
    }
    Ok(complete.len())
}

/// Requests due in the window that ended, at any time, with a response or a failure.
fn due_in_window(line: &Value) -> Result<u64> {
    let errors = line["errors"].as_object().context("no errors")?;
    let failed: u64 = errors.values().filter_map(Value::as_u64).sum();
    Ok(line["service"]["count"].as_u64().unwrap_or(0) + failed)
}
