//! A run without agents whose terminal, standard error or target is lost.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use nix::mount::{MsFlags, mount, umount};
use nix::sys::signal::Signal;
use serde_json::Value;

use super::Fault;
use super::processes::check_nobody_left;
use super::trial::{Ended, Trial};
use crate::load_machines::Process;

/// Length of a run from the start of the program, about.
pub(super) const LENGTH_OF_RUN: Duration = Duration::from_secs(6);
/// Rounds of a run, each with a slice of both targets.
const ROUNDS: usize = 6;
/// Slices of a complete run.
pub(super) const SLICES: usize = 2 * ROUNDS;
/// Longest time from the fault to the end of the command: outages take up to 5 s.
const LIMIT: Duration = Duration::from_secs(60);
/// Objects that a run uploads and has to remove.
const OBJECTS: &str = "50";
/// Key of the built-in object store, which gives access to nothing.
const KEY: &str = "tenbin-faults-key";
/// What a run says when a target has an outage.
const OUTAGE: &str = "waiting up to 60 s for an answer";

impl Trial {
    pub(super) fn run_single(
        &self,
        tenbin: &Path,
        directory: &Path,
        ended: &mut Ended,
    ) -> Result<()> {
        std::fs::create_dir_all(directory)?;
        match self.fault {
            Fault::TerminalGone => self.lose_terminal(tenbin, directory, ended)?,
            Fault::ErrorsFull | Fault::ErrorsUnread => {
                self.lose_errors(tenbin, directory, ended)?
            }
            _ => self.lose_target(tenbin, directory, ended)?,
        }
        check_nobody_left(directory)
    }

    /// Kills the program that holds the terminal. In every second trial a shell passes the hang-up
    /// on, in the others the kernel sends it to the run itself.
    fn lose_terminal(&self, tenbin: &Path, directory: &Path, ended: &mut Ended) -> Result<()> {
        let program = tenbin.display().to_string();
        let disk = directory.join("disk");
        let serve = [&program, "serve", "s3", "--listen", "127.0.0.1:0"];
        let keys = ["--access-key", KEY, "--secret-key", KEY];
        let disk_words = ["--durable", "disk"];
        let words = [&serve[..], &disk_words, &keys].concat();
        let (mut server, address) = serve_at(directory, "server", &words)?;
        let run = format!(
            "'{program}' s3 get --target a=http://{address} --target b=http://{address} \
             --size 1KiB --objects {OBJECTS} {}",
            usual()
        );
        let command = match self.number % 2 {
            0 => format!("bash --norc -ic \"{run}\""),
            _ => format!("exec {run}"),
        };
        let mut terminal = Command::new("script")
            .args(["--quiet", "--command", &command, "/dev/null"])
            .current_dir(directory)
            .env("TENBIN_ACCESS_KEY", KEY)
            .env("TENBIN_SECRET_KEY", KEY)
            .env("TERM", "xterm")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .context("script, of util-linux, cannot be run")?;
        thread::sleep(self.moment);
        terminal.kill()?;
        let lost = Instant::now();
        terminal.wait()?;
        while runs_of(directory)? > 0 {
            ensure!(
                lost.elapsed() < LIMIT,
                "the run has not ended after {LIMIT:?}"
            );
            thread::sleep(Duration::from_millis(20));
        }
        ended.seconds = lost.elapsed().as_secs_f64();
        ended.how = format!("ended after {:.1} s", ended.seconds);
        ended.slices = self.check_kept(directory)?;
        let left = files_in(&disk.join("buckets"), "objects")?;
        ensure!(left == 0, "{left} objects are left on the server");
        end(&mut server)
    }

    /// Fills the disk of standard error, or ends the program that reads it.
    fn lose_errors(&self, tenbin: &Path, directory: &Path, ended: &mut Ended) -> Result<()> {
        let program = tenbin.display().to_string();
        let (mut server, address) = serve_at(directory, "server", &truth(&program, "127.0.0.1:0"))?;
        let small = (self.fault == Fault::ErrorsFull).then(|| SmallDisk::mount(directory));
        let small = small.transpose()?;
        let mut command = Command::new(tenbin);
        command
            .args(arguments(&address, &address))
            .current_dir(directory)
            .stdin(Stdio::null())
            .stdout(File::create(directory.join("run.said"))?)
            .stderr(match &small {
                Some(disk) => File::create(disk.0.join("errors"))?.into(),
                None => Stdio::piped(),
            });
        let mut run = command.spawn()?;
        thread::sleep(self.moment);
        match &small {
            Some(disk) => disk.fill()?,
            None => drop(run.stderr.take()),
        }
        let lost = Instant::now();
        let status = loop {
            if let Some(status) = run.try_wait()? {
                break status;
            }
            if lost.elapsed() > LIMIT {
                run.kill()?;
                bail!("not ended after {LIMIT:?}");
            }
            thread::sleep(Duration::from_millis(20));
        };
        ended.seconds = lost.elapsed().as_secs_f64();
        ended.how = format!("{status} after {:.1} s", ended.seconds);
        ended.slices = self.check_kept(directory)?;
        ensure!(
            ended.slices == SLICES && is_measured(status),
            "{status} with {} slices",
            ended.slices
        );
        end(&mut server)
    }

    /// Kills a target and starts it again, or suspends it for a time.
    fn lose_target(&self, tenbin: &Path, directory: &Path, ended: &mut Ended) -> Result<()> {
        let program = tenbin.display().to_string();
        let (mut steady, address) = serve_at(directory, "steady", &truth(&program, "127.0.0.1:0"))?;
        let (mut other, lost_address) =
            serve_at(directory, "other", &truth(&program, "127.0.0.1:0"))?;
        let mut words = vec![program.clone()];
        words.extend(arguments(&address, &lost_address));
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut run = Process::start(directory, "run", &words)?;
        thread::sleep(self.moment);
        let lost = Instant::now();
        if self.fault == Fault::TargetKilled {
            other.signal(Signal::SIGKILL);
            other.wait(LIMIT)?;
            thread::sleep(self.outage);
            other = serve_at(directory, "again", &truth(&program, &lost_address))?.0;
        } else {
            other.signal(Signal::SIGSTOP);
            thread::sleep(self.outage);
            other.signal(Signal::SIGCONT);
        }
        let status = run.wait(LIMIT)?;
        let status =
            status.with_context(|| format!("not ended after {LIMIT:?}: {}", run.said()))?;
        ended.seconds = lost.elapsed().as_secs_f64();
        ended.how = format!("{status} after {:.1} s", ended.seconds);
        ended.slices = self.check_kept(directory)?;
        let said = run.said();
        if ended.slices < SLICES {
            // Before its first correct response, a target without an answer is a mistake and not an
            // outage.
            let is_refused = ended.slices == 0 && status.code() == Some(3);
            ensure!(is_refused, "{status} with {} slices: {said}", ended.slices);
        } else {
            ensure!(is_measured(status), "{status}: {said}");
            let result = result(directory)?.context("no result.json")?;
            let is_named = names_rule(&result, "outage");
            let is_noticed = said.contains(OUTAGE);
            ensure!(
                is_named == is_noticed,
                "finding: {is_named}, in the run: {is_noticed}: {said}"
            );
        }
        end(&mut other)?;
        end(&mut steady)
    }

    /// Number of slices in the result. Fails if the run has a complete slice and no result, or a
    /// slice without a correct response of which the result says nothing.
    fn check_kept(&self, directory: &Path) -> Result<usize> {
        let Some(result) = result(directory)? else {
            let lines =
                run_of(directory)?.map(|run| std::fs::read_to_string(run.join("intervals.jsonl")));
            let lines = lines.and_then(Result::ok).unwrap_or_default();
            ensure!(
                !lines.contains("\"kind\":\"end\""),
                "a slice without a result"
            );
            return Ok(0);
        };
        let slices = result["slices"].as_array().context("no slices")?;
        let whole = || slices.iter().filter(|slice| slice["cut_short"] == false);
        // A pause that fills a slice and is shorter than a timeout leaves the slice without an
        // operation; the result says so.
        let has_empty = whole().any(|slice| slice["ok"] == 0);
        ensure!(
            !has_empty || names_rule(&result, "short_slices"),
            "a slice without a correct response"
        );
        Ok(whole().count())
    }
}

fn usual() -> String {
    format!(
        "--rounds {ROUNDS} --slice 300ms --gap 20ms --warmup 200ms --connections 4 --timeout 500ms"
    )
}

fn arguments(one: &str, two: &str) -> Vec<String> {
    let mut words: Vec<String> = ["http", "--target", &format!("steady=http://{one}/")]
        .map(str::to_owned)
        .to_vec();
    words.extend(["--target".to_owned(), format!("other=http://{two}/")]);
    words.extend(usual().split(' ').map(str::to_owned));
    words
}

fn truth<'a>(program: &'a str, listen: &'a str) -> [&'a str; 5] {
    [program, "serve", "truth", "--listen", listen]
}

/// Starts a server, and returns its address.
fn serve_at(directory: &Path, name: &str, words: &[&str]) -> Result<(Process, String)> {
    let mut server = Process::start(directory, name, words)?;
    let said = server.await_text("listening on ")?;
    let mut words = said
        .split_whitespace()
        .filter_map(|word| word.strip_prefix("http://"));
    let address = words.next().context("the server did not say where it is")?;
    let address = address.trim_end_matches(['/', ',', ';', '.']).to_owned();
    Ok((server, address))
}

fn end(server: &mut Process) -> Result<()> {
    server.signal(Signal::SIGINT);
    server.wait(LIMIT)?.context("a server did not end")?;
    Ok(())
}

/// Whether the exit code is that of a complete run, whatever its verdict.
fn is_measured(status: ExitStatus) -> bool {
    matches!(status.code(), Some(0 | 6))
}

/// The run directory, if there is one.
fn run_of(directory: &Path) -> Result<Option<PathBuf>> {
    let Ok(mut runs) = std::fs::read_dir(directory.join("runs")) else {
        return Ok(None);
    };
    Ok(runs.next().transpose()?.map(|run| run.path()))
}

fn result(directory: &Path) -> Result<Option<Value>> {
    let Some(run) = run_of(directory)? else {
        return Ok(None);
    };
    match std::fs::read(run.join("result.json")) {
        Ok(text) => Ok(Some(serde_json::from_slice(&text)?)),
        Err(_) => Ok(None),
    }
}

fn names_rule(result: &Value, rule: &str) -> bool {
    let findings = result["findings"].as_array();
    findings.is_some_and(|all| all.iter().any(|finding| finding["rule"] == rule))
}

/// Number of load generators that run in the directory.
fn runs_of(directory: &Path) -> Result<usize> {
    let alive = super::processes::alive(directory);
    let runs = alive
        .iter()
        .filter(|(_, command)| command.contains(" s3 get "));
    Ok(runs.count())
}

/// Number of files below all directories of this name.
fn files_in(directory: &Path, name: &str) -> Result<usize> {
    let Ok(entries) = std::fs::read_dir(directory) else {
        return Ok(0);
    };
    let mut count = 0;
    for entry in entries {
        let path = entry?.path();
        let is_named = path.components().any(|part| part.as_os_str() == name);
        count += if path.is_dir() {
            files_in(&path, name)?
        } else {
            usize::from(is_named)
        };
    }
    Ok(count)
}

/// A file system of 64 KiB; unmounted on drop.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(directory: &Path) -> Result<Self> {
        let at = directory.join("small");
        std::fs::create_dir_all(&at)?;
        mount(
            Some("tmpfs"),
            &at,
            Some("tmpfs"),
            MsFlags::empty(),
            Some("size=64k"),
        )?;
        Ok(Self(at))
    }

    /// Writes until the disk is full.
    fn fill(&self) -> Result<()> {
        let full = std::fs::write(self.0.join("rest"), vec![0; 1 << 20]);
        ensure!(full.is_err(), "the small disk took a megabyte");
        Ok(())
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = umount(&self.0);
    }
}
