//! Runs the programs that install something. Their output goes to a log file, so that what a person
//! reads stays short.

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::shell;

/// Time between two lines that say that an installation still runs.
const SIGN_OF_LIFE: Duration = Duration::from_secs(30);
/// Time after which a command notices that it has to end.
const TICK: Duration = Duration::from_millis(200);
/// Number of lines of the log that an error quotes.
const QUOTED_LINES: usize = 20;

static STOPPED: AtomicBool = AtomicBool::new(false);

/// Runs a command and appends its output to the log. `purpose` is what the command does, such as
/// `building minio`.
///
/// # Errors
///
/// If the command cannot be run or fails; the error has the last lines of the log.
pub(crate) fn run(purpose: &str, command: &mut Command) -> Result<()> {
    run_into(&path(), purpose, command)
}

fn run_into(path: &Path, purpose: &str, command: &mut Command) -> Result<()> {
    println!("{purpose}");
    ensure!(!STOPPED.load(Ordering::Relaxed), "{purpose}: stopped");
    let (log, begin) = open(path)?;
    let shown = shell::show(command);
    let mut child = command
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log)
        .spawn()
        .with_context(|| format!("`{shown}` cannot be run"))?;
    let status = std::thread::scope(|scope| {
        let (ended, wait) = mpsc::channel::<()>();
        let id = child.id();
        scope.spawn(move || attend(id, purpose, &wait));
        let status = child.wait();
        drop(ended);
        status
    })?;
    if status.success() {
        return Ok(());
    }
    let text = std::fs::read(path).unwrap_or_default();
    let text = String::from_utf8_lossy(text.get(begin..).unwrap_or_default());
    let lines: Vec<&str> = text.lines().collect();
    let last = &lines[lines.len().saturating_sub(QUOTED_LINES)..];
    bail!(
        "`{shown}` failed ({status}); all its output is in {}, the last lines are:\n{}",
        path.display(),
        last.join("\n")
    )
}

/// Prints the progress and ends the process when [`stop`] was called, until `ended` is closed.
fn attend(process: u32, purpose: &str, ended: &mpsc::Receiver<()>) {
    let start = Instant::now();
    let mut told = Duration::ZERO;
    while ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
        if STOPPED.load(Ordering::Relaxed) {
            // An error means that the process has ended.
            let _ended = kill(Pid::from_raw(process.cast_signed()), Signal::SIGTERM);
        }
        if start.elapsed() - told >= SIGN_OF_LIFE {
            told = start.elapsed();
            println!("{purpose}: {} s", told.as_secs());
        }
    }
}

/// Ends the running commands of this process; later ones fail to start.
pub(super) fn stop() {
    STOPPED.store(true, Ordering::Relaxed);
}

/// The log: `setup.log` in cargo's target directory.
pub(super) fn path() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let target = target.unwrap_or_else(|| shell::workspace_root().join("target"));
    target.join("setup.log")
}

/// The log opened at its end, and where that is.
fn open(path: &Path) -> Result<(File, usize)> {
    if let Some(directory) = path.parent() {
        std::fs::create_dir_all(directory)
            .with_context(|| format!("cannot make the directory {}", directory.display()))?;
    }
    let log = OpenOptions::new().create(true).append(true).open(path);
    let log = log.with_context(|| format!("cannot write {}", path.display()))?;
    let begin = log.metadata()?.len();
    Ok((log, usize::try_from(begin)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::background::Background;

    /// One test, because the last part stops every command of the process.
    #[test]
    fn errors_have_the_last_lines_of_the_command_and_a_dropped_set_up_ends() {
        let directory = std::env::temp_dir().join(format!("tenbin-log-{}", std::process::id()));
        let log = directory.join("setup.log");
        let run = |purpose: &str, command: &mut Command| run_into(&log, purpose, command);
        run("testing", Command::new("echo").arg("of an earlier command")).expect("it succeeds");
        let script = "for i in $(seq 30); do echo line $i; done; echo broken >&2; exit 3";
        let error = run("testing", Command::new("sh").args(["-c", script])).expect_err("it fails");
        let text = format!("{error:#}");
        assert!(text.contains("exit status: 3"), "{text}");
        assert!(text.contains("setup.log"), "{text}");
        assert!(text.ends_with("line 29\nline 30\nbroken"), "{text}");
        assert!(!text.contains("line 11\n"), "{text}");
        assert!(!text.contains("of an earlier command"), "{text}");
        let start = Instant::now();
        let log = log.clone();
        drop(Background::start(move || {
            run_into(&log, "waiting", Command::new("sleep").arg("60"))
        }));
        assert!(start.elapsed() < Duration::from_secs(30));
        std::fs::remove_dir_all(directory).expect("the log can be deleted");
    }
}
