//! One run against the ground-truth server: both sides of the story.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::Deserializer;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::Row;
use crate::shell;

/// A request as the server logged it; nanoseconds since its start.
pub(crate) struct Served {
    pub(crate) received: u64,
    pub(crate) answered: u64,
}

/// What the server logged and what Tenbin recorded.
pub(crate) struct Observed {
    pub(crate) served: Vec<Served>,
    /// Response times, nanoseconds.
    pub(crate) response: Histogram<u64>,
    /// Service times, nanoseconds.
    pub(crate) service: Histogram<u64>,
    /// Send lag, nanoseconds.
    pub(crate) lag: Histogram<u64>,
    /// Operations that were due in the window and came to something: those with a
    /// response time, whenever they ended, and those that failed.
    pub(crate) operations: u64,
}

impl Observed {
    pub(crate) fn make(server: &[&str], load: &[&str]) -> Result<Self> {
        let directory = Scratch::new()?;
        let log = directory.0.join("log");
        let mut child = tenbin()?
            .args(["serve", "truth", "--listen", "127.0.0.1:0", "--log"])
            .arg(&log)
            .args(server)
            .stdout(Stdio::piped())
            .spawn()?;
        let ran = measure(&mut child, load, &directory.0);
        kill(Pid::from_raw(child.id() as i32), Signal::SIGTERM)?;
        let status = child.wait()?;
        ran?;
        ensure!(status.success(), "the server ended with {status}");
        Self::read(&log, &directory.0.join("out"))
    }

    fn read(log: &Path, out: &Path) -> Result<Self> {
        let run = std::fs::read_dir(out)?
            .next()
            .context("no run was kept")??;
        let result = std::fs::read_to_string(run.path().join("result.json"))?;
        let result: serde_json::Value = serde_json::from_str(&result)?;
        let failed = result["slices"][0]["failed"]
            .as_u64()
            .context("no count of failures")?;
        let hlog = std::fs::read_to_string(run.path().join("latency.hlog"))?;
        let response = histogram(&hlog, "response")?;
        Ok(Self {
            served: served(&std::fs::read_to_string(log)?)?,
            operations: response.len() + failed,
            response,
            service: histogram(&hlog, "service")?,
            lag: histogram(&hlog, "lag")?,
        })
    }

    /// Experiment 10, on every run.
    pub(crate) fn counts(&self) -> Row {
        let (served, recorded) = (self.served.len() as u64, self.operations);
        Row {
            asked: "as many requests recorded as the server logged",
            found: format!("{recorded} and {served}"),
            passed: served == recorded,
        }
    }
}

fn tenbin() -> Result<Command> {
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| shell::workspace_root().join("target"), PathBuf::from);
    Ok(Command::new(target.join("release/tenbin")))
}

fn measure(server: &mut Child, load: &[&str], directory: &Path) -> Result<()> {
    let output = server.stdout.take().context("the server has no output")?;
    let mut line = String::new();
    BufReader::new(output).read_line(&mut line)?;
    let url = line.trim().rsplit(' ').next().unwrap_or_default();
    let once = [
        "--rounds", "1", "--warmup", "0s", "--lead", "0s", "--gap", "0s",
    ];
    shell::output_of(
        tenbin()?
            .args(["http", "--target", url, "--seed", "1", "--out"])
            .arg(directory.join("out"))
            .args(once)
            .args(load),
    )?;
    Ok(())
}

/// The requests of the workload: all but the first, which asked whether it is up.
fn served(log: &str) -> Result<Vec<Served>> {
    let lines = log.lines().filter(|line| !line.starts_with('#')).skip(1);
    lines
        .map(|line| {
            let fields: Vec<&str> = line.split(' ').collect();
            let time =
                |at: usize| -> Result<u64> { Ok(fields.get(at).context("short line")?.parse()?) };
            Ok(Served {
                received: time(2)?,
                answered: time(4)?,
            })
        })
        .collect()
}

/// All stretches of one kind, added up.
fn histogram(hlog: &str, kind: &str) -> Result<Histogram<u64>> {
    let ending = format!("/{kind}");
    let mut all = Histogram::new_with_bounds(1, 3_600_000_000_000, 3)?;
    for line in hlog.lines() {
        let mut fields = line.split(',');
        if fields.next().is_some_and(|tag| tag.ends_with(&ending)) {
            let bytes = BASE64_STANDARD.decode(fields.next_back().context("no histogram")?)?;
            all.add(&Deserializer::new().deserialize::<u64, _>(&mut &bytes[..])?)?;
        }
    }
    Ok(all)
}

/// A directory of its own, removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Self> {
        let path = std::env::temp_dir().join(format!("tenbin-accuracy-{}", std::process::id()));
        std::fs::create_dir(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left over lies in the directory for such things.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
