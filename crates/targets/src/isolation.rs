//! A PID namespace (`pid_namespaces(7)`) for the command that a guard starts.
//!
//! The kernel kills every process of a namespace when the first process of the namespace ends.
//! Here, the first process is an inner guard, which is killed when the outer guard ends
//! (`PR_SET_PDEATHSIG`). So no process of a target survives, even if all processes of Tenbin are
//! killed in any order.
//!
//! A command in a namespace has two guards. Tenbin starts the outer guard, which only waits. The
//! inner guard is the first process of the namespace and does the work of a guard. Creating a
//! namespace requires the privileges of root, or of a user in a user namespace
//! (`user_namespaces(7)`) where the kernel allows user namespaces. Without these privileges, and on
//! other systems, there is only one guard.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};

use nix::errno::Errno;
use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};
use nix::sys::prctl;
use nix::sys::signal::{Signal, kill};
use nix::unistd::{Gid, Pid, Uid};
use rustix::thread::{
    CapabilitySet, capabilities, clear_ambient_capability_set, configure_capability_in_ambient_set,
    set_capabilities,
};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGPIPE, SIGTERM};
use signal_hook::iterator::Signals;

/// First argument of an inner guard, which runs inside the namespace.
const INSIDE: &str = "--inside";
/// Argument that starts a process only to test whether a namespace can be created.
const TRIAL: &str = "--trial";
/// Programs that change the user, which is not possible in a user namespace.
const CHANGE_USER: [&str; 6] = ["sudo", "doas", "su", "pkexec", "runuser", "setpriv"];

/// The role of a guard process.
pub(crate) enum Role {
    /// The process does not start the command itself and must exit with this code: its inner guard
    /// has ended, the process was only a trial, or a guard could not be started.
    Done(ExitCode),
    /// The process must guard the command in its arguments.
    Guard {
        /// The arguments without `--inside`.
        args: Vec<OsString>,
        /// Process id outside of the namespace; `None` without a namespace.
        isolated: Option<i32>,
    },
}

impl Role {
    /// Determines the role of this process, and does the work required before guarding.
    pub(crate) fn of(args: Vec<OsString>) -> Self {
        let is = |at: usize, word: &str| args.get(at).is_some_and(|arg| arg == word);
        match (is(0, TRIAL), is(0, INSIDE)) {
            (true, _) => Self::Done(trial()),
            (_, true) => match begin() {
                Ok(_) if is(1, TRIAL) => Self::Done(ExitCode::SUCCESS),
                Ok(outside) => Self::Guard {
                    args: args[1..].to_vec(),
                    isolated: Some(outside),
                },
                Err(_) => Self::Done(ExitCode::FAILURE),
            },
            _ => match isolate(&args) {
                Some(code) => Self::Done(code),
                None => Self::Guard {
                    args,
                    isolated: None,
                },
            },
        }
    }
}

/// Starts an inner guard and waits until the inner guard ends; `None` if no namespace can be
/// created.
fn isolate(args: &[OsString]) -> Option<ExitCode> {
    let by_user = !Uid::effective().is_root();
    if by_user && args.iter().any(|word| changes_user(word)) {
        return None;
    }
    // A separate process runs the test, because creating a namespace cannot be undone.
    let mut trial = guard(&[TRIAL.into()]);
    let trial = trial.stdin(Stdio::null()).stdout(Stdio::null());
    if !trial.stderr(Stdio::null()).status().ok()?.success() {
        return None;
    }
    // A new session, so that the terminal sends no signals to this process.
    let _ = nix::unistd::setsid();
    let mut signals = Signals::new([SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGPIPE]).ok()?;
    enter().ok()?;
    let inner = guard(&[&[INSIDE.into()], args].concat()).spawn();
    let Ok(inner) = inner else {
        return Some(ExitCode::FAILURE);
    };
    Some(wait_for(inner, &mut signals))
}

/// Waits for the inner guard and forwards signals that request its end. After [`enter`], this
/// process cannot start threads.
fn wait_for(mut inner: Child, signals: &mut Signals) -> ExitCode {
    let pid = Pid::from_raw(inner.id().cast_signed());
    for signal in signals.forever() {
        match signal {
            SIGCHLD => {
                if let Ok(Some(status)) = inner.try_wait() {
                    return if status.success() {
                        ExitCode::SUCCESS
                    } else {
                        ExitCode::FAILURE
                    };
                }
            }
            SIGTERM | SIGINT => drop(kill(pid, Signal::SIGTERM)),
            _ => {}
        }
    }
    ExitCode::FAILURE
}

/// Tests whether a namespace can be created and `/proc` can show the processes in it.
fn trial() -> ExitCode {
    let works = enter().is_ok()
        && guard(&[INSIDE.into(), TRIAL.into()])
            .status()
            .is_ok_and(|status| status.success());
    if works {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Creates a namespace; the next process that this process starts is the first in the namespace.
fn enter() -> nix::Result<()> {
    let namespaces = CloneFlags::CLONE_NEWPID | CloneFlags::CLONE_NEWNS;
    let (user, group) = (Uid::effective(), Gid::effective());
    match unshare(namespaces) {
        // Root needs no user namespace. Servers started by root change their user, which needs real
        // privileges.
        Err(Errno::EPERM) if !user.is_root() => {
            unshare(namespaces | CloneFlags::CLONE_NEWUSER)?;
            let write = |file: &str, text: String| {
                fs::write(Path::new("/proc/self").join(file), text).map_err(|_| Errno::EPERM)
            };
            write("setgroups", "deny".to_owned())?;
            write("uid_map", format!("{user} {user} 1"))?;
            write("gid_map", format!("{group} {group} 1"))?;
            keep_privilege().map_err(|_| Errno::EPERM)
        }
        other => other,
    }
}

/// Allows the next started program to mount `/proc`. By default, a process that is not root loses
/// its capabilities when it starts a program, even in a user namespace (`capabilities(7)`).
fn keep_privilege() -> rustix::io::Result<()> {
    let mut sets = capabilities(None)?;
    sets.inheritable |= CapabilitySet::SYS_ADMIN;
    set_capabilities(None, sets)?;
    configure_capability_in_ambient_set(CapabilitySet::SYS_ADMIN, true)
}

/// Sets up the current process, the first of a namespace, to die with its parent, and mounts a
/// `/proc` with the processes of the namespace. Returns the id of this process outside of the
/// namespace.
fn begin() -> Result<i32, Errno> {
    prctl::set_pdeathsig(Signal::SIGKILL)?;
    let outside = fs::read_link("/proc/self").map_err(|_| Errno::ENOENT)?;
    let outside = outside.to_str().and_then(|number| number.parse().ok());
    let nothing = None::<&str>;
    // Only the mount of `/proc` is private; mounts made by the command remain visible outside.
    mount(nothing, "/proc", nothing, MsFlags::MS_PRIVATE, nothing)?;
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
    mount(Some("proc"), "/proc", Some("proc"), flags, nothing)?;
    // The command must not inherit the privileges.
    clear_ambient_capability_set().map_err(|_| Errno::EPERM)?;
    outside.ok_or(Errno::ENOENT)
}

/// Returns a command that starts this program as a guard.
fn guard(args: &[OsString]) -> Command {
    let program = std::env::current_exe().unwrap_or_else(|_| "/proc/self/exe".into());
    let mut command = Command::new(program);
    command.arg("guard").args(args);
    command
}

fn changes_user(word: &OsStr) -> bool {
    let name = Path::new(word).file_name();
    name.is_some_and(|name| CHANGE_USER.iter().any(|one| name == *one))
}
