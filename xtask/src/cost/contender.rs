//! The load generators that are compared.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use nix::sys::resource::{UsageWho, getrusage};

use super::Work;
use crate::shell;

/// What one turn took.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spent {
    /// CPU seconds of the generator, user and system, its children included.
    pub(crate) cpu_seconds: f64,
    /// Correct answers.
    pub(crate) requests: u64,
}

impl Spent {
    /// CPU microseconds a request.
    pub(crate) fn micros_per_request(&self) -> f64 {
        self.cpu_seconds * 1e6 / self.requests as f64
    }
}

/// A load generator, and how to read its result.
pub(crate) struct Contender {
    pub(crate) name: &'static str,
    program: String,
    arguments: fn(&Work, &str, Duration) -> Vec<String>,
    requests: fn(&str) -> Option<u64>,
}

/// All contenders, ours first.
pub(crate) fn all(tenbin: &Path) -> Vec<Contender> {
    vec![
        Contender {
            name: "tenbin",
            program: tenbin.display().to_string(),
            arguments: tenbin_arguments,
            requests: tenbin_requests,
        },
        Contender {
            name: "wrk",
            program: "wrk".to_owned(),
            arguments: wrk_arguments,
            requests: wrk_requests,
        },
    ]
}

impl Contender {
    /// Does the work once, alone on the first core.
    pub(crate) fn turn(&self, work: &Work, url: &str, length: Duration) -> Result<Spent> {
        let before = cpu_of_children()?;
        let said = shell::output_of(&mut self.command(work, url, length))?;
        let cpu_seconds = cpu_of_children()? - before;
        let requests = (self.requests)(&said)
            .filter(|&count| count > 0)
            .with_context(|| format!("{} did not say how many requests it made", self.name))?;
        Ok(Spent {
            cpu_seconds,
            requests,
        })
    }

    /// Its command line, for the record.
    pub(crate) fn shown(&self, work: &Work, url: &str, length: Duration) -> String {
        let program = Path::new(&self.program)
            .file_name()
            .map_or_else(|| self.program.clone(), |name| name.display().to_string());
        format!(
            "{program} {}",
            (self.arguments)(work, url, length).join(" ")
        )
    }

    fn command(&self, work: &Work, url: &str, length: Duration) -> Command {
        let mut command = Command::new("taskset");
        command
            .args(["--cpu-list", "0", &self.program])
            .args((self.arguments)(work, url, length))
            .current_dir(std::env::temp_dir());
        command
    }
}

fn cpu_of_children() -> Result<f64> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).context("cannot read the CPU time")?;
    let seconds =
        |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    Ok(seconds(usage.user_time()) + seconds(usage.system_time()))
}

fn tenbin_arguments(work: &Work, url: &str, length: Duration) -> Vec<String> {
    let connections = work.connections.to_string();
    let target = format!("nginx={url}");
    let slice = format!("{}s", length.as_secs());
    let out = std::env::temp_dir().join("tenbin-cost");
    [
        "http",
        "--target",
        &target,
        "--connections",
        &connections,
        "--threads",
        "1",
        "--slice",
        &slice,
        "--rounds",
        "1",
        "--warmup",
        "0s",
        // Every request counts, as it does for the peers.
        "--lead",
        "0s",
        "--json",
        "--quiet",
        "--out",
        &out.display().to_string(),
    ]
    .map(str::to_owned)
    .to_vec()
}

fn tenbin_requests(said: &str) -> Option<u64> {
    let document: serde_json::Value = serde_json::from_str(said).ok()?;
    find(&document, "ok")
}

fn find(value: &serde_json::Value, key: &str) -> Option<u64> {
    match value {
        serde_json::Value::Object(map) => map
            .get(key)
            .and_then(serde_json::Value::as_u64)
            .or_else(|| map.values().find_map(|inner| find(inner, key))),
        serde_json::Value::Array(list) => list.iter().find_map(|inner| find(inner, key)),
        _ => None,
    }
}

fn wrk_arguments(work: &Work, url: &str, length: Duration) -> Vec<String> {
    let connections = work.connections.to_string();
    let duration = format!("{}s", length.as_secs());
    ["-t", "1", "-c", &connections, "-d", &duration, url]
        .map(str::to_owned)
        .to_vec()
}

fn wrk_requests(said: &str) -> Option<u64> {
    let line = said.lines().find(|line| line.contains(" requests in "))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Fails early when a peer is not installed.
pub(crate) fn check_installed(contenders: &[Contender]) -> Result<()> {
    for contender in contenders {
        if !contender.program.contains('/') && shell::find_program(&contender.program).is_none() {
            bail!("{} is missing; run `cargo xtask setup`", contender.name);
        }
    }
    Ok(())
}
