//! Runs the ground-truth server, and Tenbin as the load generator.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::sides::{Log, Recorded};
use crate::shell;

/// Options of `tenbin http` for a single slice without settling time and without requests that
/// record reference responses: all requests in the log except the first then belong to the slice.
pub(crate) const ONE_SLICE: &[&str] = &[
    "--seed", "1", "--rounds", "1", "--warmup", "0s", "--lead", "0s", "--gap", "0s",
    "--may-differ", "body",
];

/// A temporary directory with a copy of the program, so that a build during the experiments does
/// not change the program. Removed on drop.
pub(crate) struct Bench {
    directory: PathBuf,
    /// Directory of the programs that were built.
    pub(crate) programs: PathBuf,
}

impl Bench {
    pub(crate) fn new(programs: PathBuf) -> Result<Self> {
        let name = format!("tenbin-accuracy-{}", std::process::id());
        let directory = std::env::temp_dir().join(name);
        std::fs::create_dir(&directory)?;
        let bench = Self {
            directory,
            programs,
        };
        let program = bench.programs.join("tenbin");
        std::fs::copy(&program, bench.directory.join("tenbin"))
            .with_context(|| format!("cannot copy {}", program.display()))?;
        Ok(bench)
    }

    fn tenbin(&self) -> Command {
        Command::new(self.directory.join("tenbin"))
    }

    /// Starts the ground-truth server with these options.
    pub(crate) fn serve(&self, options: &[&str]) -> Result<Truth> {
        let log = self.directory.join("log");
        let mut child = self
            .tenbin()
            .args(["serve", "truth", "--listen", "127.0.0.1:0", "--log"])
            .arg(&log)
            .args(options)
            .stdout(Stdio::piped())
            .spawn()?;
        let output = child.stdout.take().context("the server has no output")?;
        let mut truth = Truth {
            child,
            log,
            url: String::new(),
        };
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        line.trim()
            .rsplit(' ')
            .next()
            .context("the server did not say where it is")?
            .clone_into(&mut truth.url);
        Ok(truth)
    }

    /// Measures one slice on the server.
    pub(crate) fn load(
        &self,
        truth: &Truth,
        options: &[&str],
        stop: Option<&Stop>,
    ) -> Result<Recorded> {
        let out = self.directory.join("out");
        if out.exists() {
            std::fs::remove_dir_all(&out)?;
        }
        let mut command = self.tenbin();
        command
            .args(["http", "--target", &truth.url, "--out"])
            .arg(&out)
            .args(ONE_SLICE)
            .args(options);
        let log = std::fs::File::create(self.directory.join("said"))?;
        let mut child = command
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .context("tenbin cannot be started")?;
        if let Some(stop) = stop {
            stop.happen(truth.child.id(), child.id())?;
        }
        let status = child.wait()?;
        // Experiments with many failures end with a nonzero exit code.
        ensure!(
            status.code().is_some() && out.exists(),
            "tenbin ended with {status}: {}",
            std::fs::read_to_string(self.directory.join("said"))?
        );
        Recorded::read(&out)
    }

    /// Runs `tenbin http` on the server with these options, and returns the result document.
    pub(crate) fn result(&self, truth: &Truth, options: &[&str]) -> Result<serde_json::Value> {
        self.measured(&["--target", &truth.url], options)
    }

    /// As [`Bench::result`], for a comparison of two servers, `first` and `second`.
    pub(crate) fn compared(
        &self,
        first: &Truth,
        second: &Truth,
        options: &[&str],
    ) -> Result<serde_json::Value> {
        let targets = [("first", first), ("second", second)];
        let [first, second] = targets.map(|(name, truth)| format!("{name}={}", truth.url));
        let targets = [
            "--target", &first, "--target", &second, "--baseline", "first",
        ];
        self.measured(&targets, options)
    }

    /// Runs a plan, and returns the result document.
    pub(crate) fn planned(&self, plan: &str) -> Result<serde_json::Value> {
        let file = self.directory.join("plan.toml");
        std::fs::write(&file, plan)?;
        self.document(self.tenbin().arg("run").arg(file), "out-of-its-own")
    }

    /// Runs a plan, and keeps the run in the directory `runs`.
    pub(crate) fn kept(&self, plan: &str) -> Result<()> {
        let file = self.directory.join("plan.toml");
        std::fs::write(&file, plan)?;
        self.document(self.tenbin().arg("run").arg(file), "runs")?;
        Ok(())
    }

    /// What a command prints that works on kept runs.
    pub(crate) fn text(&self, arguments: &[&str]) -> Result<String> {
        let mut command = self.tenbin();
        command.current_dir(&self.directory).env("LC_ALL", "C");
        shell::output_of(command.args(arguments))
    }

    /// Runs `tenbin gate http` with these options, and returns the result document.
    pub(crate) fn gate(&self, options: &[&str]) -> Result<serde_json::Value> {
        let mut command = self.tenbin();
        command.args(["gate", "http"]).args(options);
        self.document(&mut command, "out-of-its-own")
    }

    fn measured(&self, targets: &[&str], options: &[&str]) -> Result<serde_json::Value> {
        let mut command = self.tenbin();
        command.arg("http").args(targets).args(options);
        self.document(&mut command, "out-of-its-own")
    }

    /// The result document of a command line. The run is kept in the directory `out`.
    fn document(&self, command: &mut Command, out: &str) -> Result<serde_json::Value> {
        let said = command
            .args(["--json", "--quiet", "--out"])
            .arg(self.directory.join(out))
            .output()
            .context("tenbin cannot be started")?;
        serde_json::from_slice(&said.stdout).with_context(|| {
            let stderr = String::from_utf8_lossy(&said.stderr);
            format!("tenbin ended with {} and no result: {stderr}", said.status)
        })
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        // Leftovers stay in the system's directory for temporary files.
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

/// A running ground-truth server; killed on drop.
pub(crate) struct Truth {
    child: Child,
    log: PathBuf,
    pub(crate) url: String,
}

impl Truth {
    /// Stops the server with SIGTERM and reads its log.
    pub(crate) fn stop(mut self) -> Result<Log> {
        kill(pid(self.child.id()), Signal::SIGTERM)?;
        let status = self.child.wait()?;
        ensure!(status.success(), "the server ended with {status}");
        Log::read(&self.log)
    }
}

impl Drop for Truth {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// The process to stop.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Who {
    Server,
    Generator,
}

/// A stop (SIGSTOP) of a process for a limited time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stop {
    pub(crate) who: Who,
    /// Time of the stop after the start of the load generator.
    pub(crate) from: Duration,
    pub(crate) length: Duration,
}

impl Stop {
    fn happen(self, server: u32, generator: u32) -> Result<()> {
        let stopped = pid(match self.who {
            Who::Server => server,
            Who::Generator => generator,
        });
        thread::sleep(self.from);
        kill(stopped, Signal::SIGSTOP)?;
        thread::sleep(self.length);
        kill(stopped, Signal::SIGCONT)?;
        Ok(())
    }
}

fn pid(number: u32) -> Pid {
    Pid::from_raw(number as i32)
}

/// Directory of cargo's release builds.
pub(crate) fn built() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| shell::workspace_root().join("target"), PathBuf::from)
        .join("release")
}
