//! A hub and agents as processes of this machine, whose files are in one directory.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::setup;

/// Longest time until a process is ready, and until all have ended.
const SOON: Duration = Duration::from_secs(30);

/// A running hub and its agents, `agent-0` and so on; killed on drop.
pub(crate) struct LoadMachines {
    tenbin: PathBuf,
    pub(crate) directory: PathBuf,
    pub(crate) url: String,
    pub(crate) hub: Process,
    pub(crate) agents: Vec<Process>,
}

/// A running process with its output in a file; killed on drop.
pub(crate) struct Process {
    child: Child,
    said: PathBuf,
}

impl LoadMachines {
    /// Starts a hub at `listen`. `directory` is created.
    pub(crate) fn start(tenbin: &Path, directory: &Path, listen: &str) -> Result<Self> {
        std::fs::create_dir_all(directory)?;
        let (hub, url) = start_hub(tenbin, directory, listen)?;
        Ok(Self {
            tenbin: tenbin.to_owned(),
            directory: directory.to_owned(),
            url,
            hub,
            agents: Vec::new(),
        })
    }

    /// Starts a hub on a free port of this machine, and `count` agents.
    pub(crate) fn start_with(tenbin: &Path, directory: &Path, count: usize) -> Result<Self> {
        let mut machines = Self::start(tenbin, directory, "127.0.0.1:0")?;
        (0..count).try_for_each(|_| machines.add_agent(&[], &[]))?;
        Ok(machines)
    }

    /// Starts the hub again, at the same address with the same keys.
    pub(crate) fn restart_hub(&mut self) -> Result<()> {
        let listen = self.url.trim_start_matches("tls://").to_owned();
        (self.hub, self.url) = start_hub(&self.tenbin, &self.directory, &listen)?;
        Ok(())
    }

    /// Adds an agent and waits until it is connected. `inside` are words before the command line, such
    /// as those of `ip netns exec`.
    pub(crate) fn add_agent(&mut self, inside: &[&str], options: &[&str]) -> Result<()> {
        let name = format!("agent-{}", self.agents.len());
        let mut words: Vec<&str> = inside.to_vec();
        let tenbin = self.tenbin.display().to_string();
        words.extend([tenbin.as_str(), "agent", "--nats", self.url.as_str()]);
        words.extend(["--creds", "tenbin-hub/agent.creds", "--name", &name]);
        words.extend(options);
        let mut agent = Process::start(&self.directory, &name, &words)?;
        agent.await_text("waits for a coordinator")?;
        self.agents.push(agent);
        Ok(())
    }

    /// The options with which a run uses all agents.
    pub(crate) fn options(&self) -> Vec<String> {
        let count = self.agents.len().to_string();
        let creds = self.directory.join("tenbin-hub/coordinator.creds");
        let creds = creds.display().to_string();
        ["--agents", &count, "--nats", &self.url, "--creds", &creds]
            .map(str::to_owned)
            .to_vec()
    }

    /// Number of agents that wait for a coordinator.
    pub(crate) fn free(&self) -> Result<usize> {
        let listed = Command::new(&self.tenbin)
            .args(["agents", "--nats", &self.url])
            .args(["--creds", "tenbin-hub/coordinator.creds"])
            .current_dir(&self.directory)
            .output()?;
        let listed = String::from_utf8_lossy(&listed.stdout);
        Ok(listed.matches("  free  ").count())
    }

    /// Ends all processes as Ctrl-C does. Fails if one does not end.
    pub(crate) fn end(mut self) -> Result<()> {
        for process in self.agents.iter_mut().chain([&mut self.hub]) {
            process.signal(Signal::SIGINT);
            if process.wait(SOON)?.is_none() {
                bail!("{} did not end after Ctrl-C", process.said.display());
            }
        }
        Ok(())
    }
}

fn start_hub(tenbin: &Path, directory: &Path, listen: &str) -> Result<(Process, String)> {
    let tenbin = tenbin.display().to_string();
    let words = [tenbin.as_str(), "hub", "--listen", listen];
    let mut hub = Process::start(directory, "hub", &words)?;
    let said = hub.await_text("here: ")?;
    let line = said.lines().find_map(|line| line.strip_prefix("hub at "));
    let url = line.and_then(|line| line.split(';').next());
    let url = url.context("the hub did not say where it is")?.to_owned();
    Ok((hub, url))
}

impl Process {
    /// Starts a command line in the directory, with its output in a file called `name`.
    pub(crate) fn start(directory: &Path, name: &str, words: &[&str]) -> Result<Self> {
        let said = directory.join(format!("{name}.said"));
        let file = File::create(&said)?;
        let child = Command::new(words[0])
            .args(&words[1..])
            .current_dir(directory)
            .env("PATH", setup::path_with_servers()?)
            .env("NO_COLOR", "1")
            .stdin(Stdio::null())
            .stdout(file.try_clone()?)
            .stderr(file)
            .spawn()
            .with_context(|| format!("`{}` cannot be run", words.join(" ")))?;
        Ok(Self { child, said })
    }

    /// What the process has printed.
    pub(crate) fn said(&self) -> String {
        std::fs::read_to_string(&self.said).unwrap_or_default()
    }

    /// Waits until the process has printed the text, and returns everything that it has printed.
    pub(crate) fn await_text(&mut self, text: &str) -> Result<String> {
        let begun = Instant::now();
        while begun.elapsed() < SOON {
            let said = self.said();
            if said.contains(text) {
                return Ok(said);
            }
            if self.child.try_wait()?.is_some() {
                break;
            }
            thread::sleep(Duration::from_millis(10));
        }
        bail!("{} lacks {text:?}: {}", self.said.display(), self.said());
    }

    /// Sends a signal, unless the process has ended.
    pub(crate) fn signal(&mut self, signal: Signal) {
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = kill(Pid::from_raw(self.child.id() as i32), signal);
        }
    }

    /// Sends a signal after a time, also if the process has ended before.
    pub(crate) fn signal_after(&self, time: Duration, signal: Signal) {
        let process = Pid::from_raw(self.child.id() as i32);
        thread::spawn(move || {
            thread::sleep(time);
            let _ = kill(process, signal);
        });
    }

    /// The exit status, or `None` if the process does not end within `limit`.
    pub(crate) fn wait(&mut self, limit: Duration) -> Result<Option<ExitStatus>> {
        let begun = Instant::now();
        loop {
            let status = self.child.try_wait()?;
            if status.is_some() || begun.elapsed() > limit {
                return Ok(status);
            }
            thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.signal(Signal::SIGKILL);
        let _ = self.child.wait();
    }
}
