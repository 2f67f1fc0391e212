//! A process namespace for what a guard starts (`pid_namespaces(7)`).
//!
//! The kernel kills every process of such a namespace when its first process ends, and the first
//! process here is a guard that dies with the guard that started it (`PR_SET_PDEATHSIG`). So no
//! order of killing, not even all of Tenbin's processes at once, leaves a process of a target.
//!
//! Two guards then belong to a command. The outer one has Tenbin's process number and nothing to
//! do but wait. The inner one is the first process of the namespace, and does a guard's work. A
//! namespace needs privileges: those of root, or those that an unprivileged user has in a user
//! namespace of his own (`user_namespaces(7)`), where a kernel allows any. Without them there is
//! one guard, as on other systems.

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

/// Comes before the arguments of an inner guard.
const INSIDE: &str = "--inside";
/// In place of a guard's arguments: whether a namespace can be had.
const TRIAL: &str = "--trial";
/// Programs that change the user: in a user namespace they cannot.
const CHANGE_USER: [&str; 6] = ["sudo", "doas", "su", "pkexec", "runuser", "setpriv"];

/// What a guard process is.
pub(crate) enum Role {
    /// It has done what it was started for.
    Done(ExitCode),
    /// It guards the command that its arguments name.
    Guard {
        /// Those without what is for this module.
        args: Vec<OsString>,
        /// Its process number outside of its namespace, if it has one.
        isolated: Option<i32>,
    },
}

impl Role {
    /// Finds out what this process is to do, and does what comes before guarding.
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

/// Runs an inner guard until it ends; `None` if no namespace can be had.
fn isolate(args: &[OsString]) -> Option<ExitCode> {
    let by_user = !Uid::effective().is_root();
    if by_user && args.iter().any(|word| changes_user(word)) {
        return None;
    }
    // To be tried in another process: what has been done here could not be undone.
    let mut trial = guard(&[TRIAL.into()]);
    let trial = trial.stdin(Stdio::null()).stdout(Stdio::null());
    if !trial.stderr(Stdio::null()).status().ok()?.success() {
        return None;
    }
    // Away from the terminal's signals.
    let _ = nix::unistd::setsid();
    let mut signals = Signals::new([SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGPIPE]).ok()?;
    enter().ok()?;
    let inner = guard(&[&[INSIDE.into()], args].concat()).spawn();
    let Ok(inner) = inner else {
        return Some(ExitCode::FAILURE);
    };
    Some(wait_for(inner, &mut signals))
}

/// Passes on what asks for the end. No thread can be started after [`enter`].
fn wait_for(mut inner: Child, signals: &mut Signals) -> ExitCode {
    let pid = Pid::from_raw(inner.id().cast_signed());
    for signal in signals.forever() {
        match signal {
            SIGCHLD => {
                if let Ok(Some(status)) = inner.try_wait() {
                    return match status.success() {
                        true => ExitCode::SUCCESS,
                        false => ExitCode::FAILURE,
                    };
                }
            }
            SIGTERM | SIGINT => drop(kill(pid, Signal::SIGTERM)),
            _ => {}
        }
    }
    ExitCode::FAILURE
}

/// Whether a namespace can be had, with processes of its own in `/proc`.
fn trial() -> ExitCode {
    let works = enter().is_ok()
        && guard(&[INSIDE.into(), TRIAL.into()])
            .status()
            .is_ok_and(|status| status.success());
    match works {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

/// Makes the next process that this one starts the first of a namespace.
fn enter() -> nix::Result<()> {
    let namespaces = CloneFlags::CLONE_NEWPID | CloneFlags::CLONE_NEWNS;
    let (user, group) = (Uid::effective(), Gid::effective());
    match unshare(namespaces) {
        // Of a user namespace root would have nothing: servers that it starts change their user.
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

/// Lets the next program that is started mount `/proc`: whoever is not root loses its privileges,
/// also those in its user namespace, when it starts a program (`capabilities(7)`).
fn keep_privilege() -> rustix::io::Result<()> {
    let mut sets = capabilities(None)?;
    sets.inheritable |= CapabilitySet::SYS_ADMIN;
    set_capabilities(None, sets)?;
    configure_capability_in_ambient_set(CapabilitySet::SYS_ADMIN, true)
}

/// What the first process of a namespace begins with: it dies with its parent, and `/proc` shows
/// the processes of the namespace. Returns its number outside.
fn begin() -> Result<i32, Errno> {
    prctl::set_pdeathsig(Signal::SIGKILL)?;
    let outside = fs::read_link("/proc/self").map_err(|_| Errno::ENOENT)?;
    let outside = outside.to_str().and_then(|number| number.parse().ok());
    let nothing = None::<&str>;
    // Only this mount: others that the command makes are seen outside as ever.
    mount(nothing, "/proc", nothing, MsFlags::MS_PRIVATE, nothing)?;
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
    mount(Some("proc"), "/proc", Some("proc"), flags, nothing)?;
    // None of it is for the command.
    clear_ambient_capability_set().map_err(|_| Errno::EPERM)?;
    outside.ok_or(Errno::ENOENT)
}

/// This program as a guard.
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
