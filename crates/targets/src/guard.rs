//! `tenbin guard`: owns everything a launched command starts, and ends it all
//! when told to, or when Tenbin itself is gone for whatever reason.
//!
//! The guard's standard input is one end of a socket pair. What it reads there
//! are orders (`stop`; the end of the stream means the same), what it writes
//! there are reports, one a line. As child subreaper it inherits every
//! orphan below it, so that no descendant can slip away by becoming a daemon.
//!
//! Where it can, a guard puts the command into a process namespace: see [`crate::isolation`].
//!
//! Tenbin removes the data directory of a target after it has stopped it. Where Tenbin
//! itself has ended first, by a second Ctrl-C or SIGKILL, the guard does.

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

/// How long processes may take to disappear after SIGKILL: only the kernel
/// itself, waiting for a device, can delay that.
pub(crate) const KILL_WITHIN: Duration = Duration::from_secs(5);

/// How often the tree is looked at while it is being stopped.
const PATROL: Duration = Duration::from_millis(20);

/// What the guard says about its command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Report {
    /// Its process number as Tenbin sees it, if it guards in a namespace.
    Guard(i32),
    /// It runs, as this process; 0 in a namespace, whose numbers mean nothing outside.
    Started(i32),
    /// It could not be started.
    Failed(String),
    /// It ended; processes it started may live on.
    Ended(ExitStatus),
    /// Nothing that it started is left.
    Empty,
    /// So many processes did not even end when killed.
    Left(usize),
}

impl Report {
    /// The line that says it.
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

    /// What a line says, if it is one of ours.
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

/// The whole life of a guard process. `args` is what follows `tenbin guard`:
/// `--grace 5s --data DIRECTORY -- program argument…`. Returns when nothing of the command is left.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let Ok(control) = io::stdin().as_fd().try_clone_to_owned().map(File::from) else {
        return ExitCode::FAILURE;
    };
    let (args, isolated) = match Role::of(args.into_iter().collect()) {
        Role::Done(code) => return code,
        Role::Guard { args, isolated } => (args, isolated),
    };
    if let Some(outside) = isolated {
        tell(&control, &Report::Guard(outside));
    }
    match Order::parse(args).and_then(|order| guard(order, &control, isolated.is_some())) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(left) => {
            tell(&control, &Report::Left(left));
            ExitCode::FAILURE
        }
        Err(reason) => {
            tell(&control, &Report::Failed(reason));
            ExitCode::FAILURE
        }
    }
}

/// What the guard was asked to run.
#[derive(Debug, PartialEq, Eq)]
struct Order {
    grace: Duration,
    /// What the command writes to, and nobody needs once Tenbin is gone.
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
                        .ok_or("--grace wants a time such as 5s or 500ms")?;
                }
                Some("--data") => {
                    let path = args.next().map(PathBuf::from);
                    let path = path.filter(|path| path.is_absolute());
                    data = Some(path.ok_or("--data wants an absolute path")?);
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

/// What can happen to a guard.
enum Event {
    /// A child changed.
    Child,
    /// Time to end it all.
    Stop,
}

/// Runs the command until it is time to stop; returns how many processes are left.
fn guard(order: Order, control: &File, isolated: bool) -> Result<usize, String> {
    detach()?;
    let (sender, events) = mpsc::channel();
    watch_signals(sender.clone()).map_err(|error| format!("cannot watch signals: {error}"))?;
    let orphaned =
        watch_control(control, sender).map_err(|error| format!("cannot watch orders: {error}"))?;

    let command = start(&order)?;
    let shown = if isolated { 0 } else { command.as_raw() };
    tell(control, &Report::Started(shown));

    let mut charge = Charge {
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
        // What cannot be removed is there for `tenbin clean`.
        let _ = data::remove(data);
        // Above the data of one node are those of the others, unless it was the last.
        let above = data.ancestors().skip(2).take(1);
        above.for_each(|directory| drop(std::fs::remove_dir(directory)));
    }
    Ok(left)
}

/// Away from the terminal's signals, and parent of every orphan below.
fn detach() -> Result<(), String> {
    #[cfg(target_os = "linux")]
    nix::sys::prctl::set_child_subreaper(true)
        .map_err(|error| format!("cannot become child subreaper: {error}"))?;
    // Fails when the launcher has already made this a group leader, which keeps
    // the terminal's signals away just as well.
    let _ = setsid();
    Ok(())
}

fn watch_signals(events: Sender<Event>) -> io::Result<()> {
    let mut signals = Signals::new([SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGPIPE])?;
    thread::spawn(move || {
        for signal in signals.forever() {
            let event = match signal {
                SIGCHLD => Event::Child,
                // A closing terminal is no reason to stop, nor is a report that
                // nobody reads: the end of Tenbin shows on the control socket.
                // Caught rather than ignored, because the command would inherit
                // "ignored".
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

/// Waits for the order to stop, and beyond it for the end of Tenbin, which sets the flag: a
/// Tenbin that is killed while it waits for its targets to stop does not remove their data.
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
        // Its own group: a script that kills its group must not kill its guard.
        .process_group(0)
        .spawn()
        .map_err(|error| format!("{}: {error}", order.program.display()))?;
    Ok(Pid::from_raw(child.id().cast_signed()))
}

/// Nobody may be listening any more; the work goes on all the same.
fn tell(mut control: &File, report: &Report) {
    let _ = control.write_all(report.line().as_bytes());
}

/// The command and everything below it.
struct Charge<'a> {
    command: Pid,
    events: Receiver<Event>,
    control: &'a File,
    empty: bool,
}

impl Charge<'_> {
    fn wait_for_stop(&mut self) {
        // A guard whose tree is empty stays: its own accounts hold what the tree
        // has used, and Tenbin may still ask.
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

    /// Waits until nothing is left, sending `signal` at every look.
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
            if let Err(RecvTimeoutError::Disconnected) = self.events.recv_timeout(PATROL) {
                thread::sleep(PATROL);
            }
        }
    }

    fn signal_all(&self, signal: Signal) {
        for process in tree::descendants(nix::unistd::getpid()) {
            // Gone already, or not ours to signal: the count at the end tells.
            let _ = kill(process, signal);
        }
        if cfg!(not(target_os = "linux")) {
            let _ = nix::sys::signal::killpg(self.command, signal);
        }
    }

    /// Collects what has ended. Every descendant hangs below a child of the
    /// subreaper, so "no children" (ECHILD) is exactly "nothing left".
    fn reap(&mut self) {
        while !self.empty {
            match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
                Ok(WaitStatus::Exited(pid, code)) => self.ended(pid, ExitStatus::Code(code)),
                Ok(WaitStatus::Signaled(pid, signal, _)) => {
                    self.ended(pid, ExitStatus::Signal(signal as i32));
                }
                Err(Errno::ECHILD) => {
                    self.empty = true;
                    tell(self.control, &Report::Empty);
                }
                Ok(WaitStatus::StillAlive) => return,
                Ok(_) | Err(Errno::EINTR) => {}
                Err(_) => return,
            }
        }
    }

    fn ended(&self, pid: Pid, status: ExitStatus) {
        if pid == self.command {
            tell(self.control, &Report::Ended(status));
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
    fn reports_survive_the_wire() {
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
