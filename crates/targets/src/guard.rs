//! `tenbin guard`: the parent process of a launched command. The guard stops the command and all
//! its descendants on request, or when Tenbin ends for any reason.
//!
//! The guard's standard input is one end of a socket pair. The guard reads orders from the socket
//! and writes reports to it, one per line. The only order is `stop`; the end of the stream has the
//! same meaning. As child subreaper, the guard becomes the parent of every orphan below it, so that
//! daemons cannot escape.
//!
//! Where possible, a guard puts the command into a PID namespace: see [`crate::isolation`].
//!
//! After stopping a target, Tenbin removes the target's data directory. If Tenbin has ended first,
//! by a second Ctrl-C or SIGKILL, the guard removes the directory.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, setsid};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGPIPE, SIGTERM};
use signal_hook::iterator::Signals;

use crate::data;
use crate::error::ExitStatus;
use crate::isolation::Role;
use crate::tree;

/// Longest wait for processes to end after SIGKILL. Only the kernel can delay their end, while it
/// waits for a device.
pub(crate) const KILL_WITHIN: Duration = Duration::from_secs(5);

/// Time between two checks of the process tree while the processes are being stopped.
const CHECK_INTERVAL: Duration = Duration::from_millis(20);

/// A guard's report about its command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Report {
    /// The guard's process id outside of its namespace. Sent only by a guard in a namespace.
    Guard(i32),
    /// The command runs with this process id. 0 in a namespace, whose ids are meaningless outside.
    Started(i32),
    /// The command could not be started.
    Failed(String),
    /// The command has ended; its descendants may still run.
    Ended(ExitStatus),
    /// The command and all its descendants have ended.
    Empty,
    /// Number of processes that survived SIGKILL.
    Left(usize),
}

impl Report {
    /// The report as a line of text.
    pub(crate) fn line(&self) -> String {
        match self {
            Self::Guard(pid) => format!("guard {pid}\n"),
            Self::Started(pid) => format!("started {pid}\n"),
            Self::Failed(reason) => format!("failed {}\n", reason.replace('\n', " ")),
            Self::Ended(ExitStatus::Code(code)) => format!("exited {code}\n"),
            Self::Ended(ExitStatus::Signal(signal)) => format!("killed {signal}\n"),
            Self::Ended(ExitStatus::Unknown) => "gone\n".into(),
            Self::Empty => "empty\n".into(),
            Self::Left(count) => format!("left {count}\n"),
        }
    }

    /// Parses a line; `None` if the line is not a report.
    pub(crate) fn parse(line: &str) -> Option<Self> {
        let line = line.trim_end();
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        Some(match word {
            "guard" => Self::Guard(rest.parse().ok()?),
            "started" => Self::Started(rest.parse().ok()?),
            "failed" => Self::Failed(rest.into()),
            "exited" => Self::Ended(ExitStatus::Code(rest.parse().ok()?)),
            "killed" => Self::Ended(ExitStatus::Signal(rest.parse().ok()?)),
            "gone" => Self::Ended(ExitStatus::Unknown),
            "empty" => Self::Empty,
            "left" => Self::Left(rest.parse().ok()?),
            _ => return None,
        })
    }
}

/// Main function of a guard process. `args` are the arguments after `tenbin guard`: `--grace 5s
/// --data DIRECTORY -- program argument…`. Returns when all processes of the command have ended.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let Ok(control) = io::stdin().as_fd().try_clone_to_owned().map(File::from) else {
        return ExitCode::FAILURE;
    };
    let (args, isolated) = match Role::of(args.into_iter().collect()) {
        Role::Done(code) => return code,
        Role::Guard { args, isolated } => (args, isolated),
    };
    if let Some(outside) = isolated {
        send_report(&control, &Report::Guard(outside));
    }
    match Order::parse(args).and_then(|order| guard(order, &control, isolated.is_some())) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(left) => {
            send_report(&control, &Report::Left(left));
            ExitCode::FAILURE
        }
        Err(reason) => {
            send_report(&control, &Report::Failed(reason));
            ExitCode::FAILURE
        }
    }
}

/// Settings of a guard: the command to run, and how to stop it.
#[derive(Debug, PartialEq, Eq)]
struct Order {
    grace: Duration,
    /// Data directory of the command, which the guard removes if Tenbin has ended.
    data: Option<PathBuf>,
    program: OsString,
    args: Vec<OsString>,
}

impl Order {
    fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Self, String> {
        let mut args = args.into_iter();
        let mut grace = Duration::from_secs(5);
        let mut data = None;
        while let Some(arg) = args.next() {
            match arg.to_str() {
                Some("--grace") => {
                    grace = args
                        .next()
                        .and_then(|text| parse_grace(text.to_str()?))
                        .ok_or("--grace requires a time such as 5s or 500ms")?;
                }
                Some("--data") => {
                    let path = args.next().map(PathBuf::from);
                    let path = path.filter(|path| path.is_absolute());
                    data = Some(path.ok_or("--data requires an absolute path")?);
                }
                Some("--") => break,
                _ => return Err(format!("unexpected argument {arg:?} before --")),
            }
        }
        Ok(Self {
            grace,
            data,
            program: args.next().ok_or("no program after --")?,
            args: args.collect(),
        })
    }
}

fn parse_grace(text: &str) -> Option<Duration> {
    let (digits, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit())?);
    let number: u64 = digits.parse().ok()?;
    match unit {
        "ms" => Some(Duration::from_millis(number)),
        "s" => Some(Duration::from_secs(number)),
        _ => None,
    }
}

/// Events of a guard.
enum Event {
    /// A child process has changed its state.
    Child,
    /// The processes must be stopped.
    Stop,
}

/// Runs the command until the order to stop; returns the number of processes that survive.
fn guard(order: Order, control: &File, isolated: bool) -> Result<usize, String> {
    detach()?;
    let (sender, events) = mpsc::channel();
    watch_signals(sender.clone()).map_err(|error| format!("cannot watch signals: {error}"))?;
    let orphaned =
        watch_control(control, sender).map_err(|error| format!("cannot watch orders: {error}"))?;

    let command = start(&order)?;
    let shown = if isolated { 0 } else { command.as_raw() };
    send_report(control, &Report::Started(shown));

    let mut charge = ProcessTree {
        command,
        events,
        control,
        empty: false,
    };
    charge.wait_for_stop();
    let left = charge.stop(order.grace);
    if left == 0
        && orphaned.load(Ordering::Acquire)
        && let Some(data) = &order.data
    {
        // `tenbin clean` removes files that cannot be removed here.
        let _ = data::remove(data);
        // Two levels up is the directory of a target with several nodes, or the directory of all
        // targets: remove this directory if empty.
        let above = data.ancestors().skip(2).take(1);
        above.for_each(|directory| drop(std::fs::remove_dir(directory)));
    }
    Ok(left)
}

/// Leaves the terminal's process group, and becomes the parent of every orphaned descendant.
fn detach() -> Result<(), String> {
    #[cfg(target_os = "linux")]
    nix::sys::prctl::set_child_subreaper(true)
        .map_err(|error| format!("cannot become child subreaper: {error}"))?;
    // Fails if the launcher has already made this process a group leader. A group leader is
    // protected from the terminal's signals too.
    let _ = setsid();
    Ok(())
}

fn watch_signals(events: Sender<Event>) -> io::Result<()> {
    let mut signals = Signals::new([SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGPIPE])?;
    thread::spawn(move || {
        for signal in signals.forever() {
            let event = match signal {
                SIGCHLD => Event::Child,
                // A closed terminal or pipe is no reason to stop: the control socket shows when
                // Tenbin ends. These signals are caught instead of ignored, because the command
                // would inherit "ignored".
                SIGHUP | SIGPIPE => continue,
                _ => Event::Stop,
            };
            if events.send(event).is_err() {
                return;
            }
        }
    });
    Ok(())
}

/// Sends [`Event::Stop`] on the order to stop and at the end of Tenbin. The end of Tenbin also sets
/// the returned flag, because Tenbin can be killed while its targets stop, before it has removed
/// their data.
fn watch_control(control: &File, events: Sender<Event>) -> io::Result<Arc<AtomicBool>> {
    let orders = BufReader::new(control.try_clone()?);
    let orphaned = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&orphaned);
    thread::spawn(move || {
        for order in orders.lines().map_while(Result::ok) {
            if order == "stop" {
                let _ = events.send(Event::Stop);
            }
        }
        flag.store(true, Ordering::Release);
        let _ = events.send(Event::Stop);
    });
    Ok(orphaned)
}

fn start(order: &Order) -> Result<Pid, String> {
    let child = Command::new(&order.program)
        .args(&order.args)
        .stdin(Stdio::null())
        // A separate process group, so that a script that kills its group does not kill its guard.
        .process_group(0)
        .spawn()
        .map_err(|error| format!("{}: {error}", order.program.display()))?;
    Ok(Pid::from_raw(child.id().cast_signed()))
}

/// Sends a report. Failure does not matter, because Tenbin may have ended.
fn send_report(mut control: &File, report: &Report) {
    let _ = control.write_all(report.line().as_bytes());
}

/// The command and all its descendants.
struct ProcessTree<'a> {
    command: Pid,
    events: Receiver<Event>,
    control: &'a File,
    empty: bool,
}

impl ProcessTree<'_> {
    fn wait_for_stop(&mut self) {
        // A guard without processes keeps running: its counters contain the use of the ended
        // processes, and Tenbin may still read the counters.
        while let Ok(Event::Child) = self.events.recv() {
            self.reap();
        }
    }

    fn stop(&mut self, grace: Duration) -> usize {
        self.reap();
        if self.empty {
            return 0;
        }
        self.signal_all(Signal::SIGTERM);
        if self.wait_until_empty(grace, None) {
            return 0;
        }
        if self.wait_until_empty(KILL_WITHIN, Some(Signal::SIGKILL)) {
            return 0;
        }
        tree::descendants(nix::unistd::getpid()).len().max(1)
    }

    /// Waits until all processes have ended, at most `limit`; sends `signal` at every check.
    fn wait_until_empty(&mut self, limit: Duration, signal: Option<Signal>) -> bool {
        let deadline = Instant::now() + limit;
        loop {
            if let Some(signal) = signal {
                self.signal_all(signal);
            }
            self.reap();
            if self.empty {
                return true;
            }
            if Instant::now() >= deadline {
                return false;
            }
            if let Err(RecvTimeoutError::Disconnected) = self.events.recv_timeout(CHECK_INTERVAL) {
                thread::sleep(CHECK_INTERVAL);
            }
        }
    }

    fn signal_all(&self, signal: Signal) {
        for process in tree::descendants(nix::unistd::getpid()) {
            // Fails if the process has ended or the signal is not permitted; the final count
            // includes survivors.
            let _ = kill(process, signal);
        }
        if cfg!(not(target_os = "linux")) {
            let _ = nix::sys::signal::killpg(self.command, signal);
        }
    }

    /// Collects ended processes. Every descendant is below a child of the subreaper, so "no
    /// children" (ECHILD) means that all processes have ended.
    fn reap(&mut self) {
        while !self.empty {
            match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
                Ok(WaitStatus::Exited(pid, code)) => self.ended(pid, ExitStatus::Code(code)),
                Ok(WaitStatus::Signaled(pid, signal, _)) => {
                    self.ended(pid, ExitStatus::Signal(signal as i32));
                }
                Err(Errno::ECHILD) => {
                    self.empty = true;
                    send_report(self.control, &Report::Empty);
                }
                Ok(WaitStatus::StillAlive) => return,
                Ok(_) | Err(Errno::EINTR) => {}
                Err(_) => return,
            }
        }
    }

    fn ended(&self, pid: Pid, status: ExitStatus) {
        if pid == self.command {
            send_report(self.control, &Report::Ended(status));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(args: &[&str]) -> Result<Order, String> {
        Order::parse(args.iter().map(OsString::from))
    }

    #[test]
    fn orders_are_read_up_to_the_program() {
        let read = order(&["--grace", "250ms", "--", "sleep", "--grace", "1"]).unwrap();
        assert_eq!(read.grace, Duration::from_millis(250));
        assert_eq!(read.program, "sleep");
        assert_eq!(read.args, ["--grace", "1"]);
        let with_data = order(&["--data", "/tmp/x", "--", "sleep"]).unwrap();
        assert_eq!(with_data.data, Some("/tmp/x".into()));
        assert!(order(&["--data", "x", "--", "sleep"]).is_err());
        assert!(order(&["--grace", "soon", "--", "sleep"]).is_err());
        assert!(order(&["--",]).is_err());
        assert!(order(&["sleep"]).is_err());
    }

    #[test]
    fn reports_are_read_back() {
        for report in [
            Report::Guard(11),
            Report::Started(12),
            Report::Failed("x: no such file".into()),
            Report::Ended(ExitStatus::Code(3)),
            Report::Ended(ExitStatus::Signal(9)),
            Report::Ended(ExitStatus::Unknown),
            Report::Empty,
            Report::Left(2),
        ] {
            assert_eq!(Report::parse(&report.line()), Some(report));
        }
        assert_eq!(Report::parse("hello\n"), None);
    }
}
