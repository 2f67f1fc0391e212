//! Finds the processes of a test, and starts processes that must not outlive a test.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;

/// A process that was alive a moment ago.
#[derive(Debug)]
pub(crate) struct Process {
    /// Process ID.
    pub(crate) pid: u32,
    /// Command line, words separated by spaces.
    pub(crate) command: String,
}

impl Process {
    /// Kills the process with SIGKILL.
    pub(crate) fn kill(&self) {
        let _ = kill(as_pid(self.pid), Signal::SIGKILL);
    }
}

/// All other processes that have `mark=directory` in their environment, have a file in the
/// directory open, use the directory as working directory, or name the directory in their command
/// line.
pub(super) fn of_scratch(mark: &str, directory: &Path) -> Vec<Process> {
    let marked = [mark.as_bytes(), b"=", directory.as_os_str().as_bytes()].concat();
    let this = std::env::current_exe().expect("the path of this test");
    let processes = std::fs::read_dir("/proc").expect("the list of processes in /proc");
    processes
        .filter_map(|entry| {
            let pid: u32 = entry.ok()?.file_name().to_str()?.parse().ok()?;
            if pid == std::process::id() {
                return None;
            }
            let own = Path::new("/proc").join(pid.to_string());
            // A child that another thread has forked and that has not called exec yet still has all
            // open files of this process.
            if std::fs::read_link(own.join("exe")).is_ok_and(|exe| exe == this) {
                return None;
            }
            let command = std::fs::read(own.join("cmdline")).unwrap_or_default();
            let belongs = carries(&own, &marked)
                || contains(&command, directory.as_os_str().as_bytes())
                || holds_file_in(&own, directory);
            let command = String::from_utf8_lossy(&command).replace('\0', " ");
            belongs.then_some(Process { pid, command })
        })
        .collect()
}

fn carries(process: &Path, marked: &[u8]) -> bool {
    std::fs::read(process.join("environ"))
        .is_ok_and(|environment| environment.split(|&b| b == 0).any(|entry| entry == marked))
}

fn holds_file_in(process: &Path, directory: &Path) -> bool {
    let leads_in = |link: &Path| {
        std::fs::read_link(link).is_ok_and(|leads_to| leads_to.starts_with(directory))
    };
    leads_in(&process.join("cwd"))
        || std::fs::read_dir(process.join("fd"))
            .is_ok_and(|files| files.flatten().any(|file| leads_in(&file.path())))
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

/// A command that starts a new process group and is killed when the thread that started it ends for
/// any reason.
pub(crate) fn tied(program: impl AsRef<OsStr>) -> Command {
    // The system call for this needs unsafe code between fork and exec; setpriv (util-linux) makes
    // the call and then executes the program.
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", "--"]).arg(program);
    command.process_group(0);
    command
}

/// Sends a signal to a process.
pub(super) fn signal(pid: u32, signal: Signal) {
    kill(as_pid(pid), signal).unwrap_or_else(|error| panic!("cannot signal {pid}: {error}"));
}

/// Kills all remaining processes of a process group.
pub(super) fn kill_group(leader: u32) {
    let _ = killpg(as_pid(leader), Signal::SIGKILL);
}

fn as_pid(pid: u32) -> Pid {
    Pid::from_raw(i32::try_from(pid).expect("a process number"))
}

/// Polls `is_so` until it returns true; returns false after `limit`.
pub(crate) fn wait_until(limit: Duration, mut is_so: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    loop {
        if is_so() {
            return true;
        }
        if start.elapsed() > limit {
            return false;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}
