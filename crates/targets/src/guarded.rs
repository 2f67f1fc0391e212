//! Tenbin's side of a guard (the parent process of a launched command): starts the guard, reads its
//! reports, and orders it to stop the command.

use std::io::{self, BufRead, BufReader, Write};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tenbin_plan::{Sentence, sentence};

use crate::error::{Exit, ExitStatus};
use crate::guard::{KILL_WITHIN, Report};
use crate::helper_time;

/// A command that runs under a guard.
#[derive(Debug)]
pub(crate) struct Guarded {
    guard: Child,
    orders: UnixStream,
    reports: Arc<Reports>,
    launched: Instant,
    grace: Duration,
    ended: bool,
}

/// The reports received from a guard so far.
#[derive(Debug, Default)]
struct Reports {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default, Clone)]
struct State {
    /// Process id of the inner guard (first process of the PID namespace), if there is a namespace.
    guard: Option<i32>,
    started: Option<i32>,
    failed: Option<String>,
    exit: Option<(ExitStatus, Instant)>,
    empty: Option<Instant>,
    left: Option<usize>,
    guard_gone: Option<Instant>,
}

impl Reports {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn record(&self, report: Option<Report>) {
        let now = Instant::now();
        let mut state = self.lock();
        match report {
            Some(Report::Guard(pid)) => state.guard = Some(pid),
            Some(Report::Started(pid)) => state.started = Some(pid),
            Some(Report::Failed(reason)) => state.failed = Some(reason),
            Some(Report::Ended(status)) => state.exit = Some((status, now)),
            Some(Report::Empty) => state.empty = Some(now),
            Some(Report::Left(count)) => state.left = Some(count),
            None => state.guard_gone = Some(now),
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Waits until `done` returns true or the time limit has passed; returns the result of `done`.
    fn wait(&self, limit: Duration, done: impl Fn(&State) -> bool) -> bool {
        let (state, _) = self
            .changed
            .wait_timeout_while(self.lock(), limit, |state| !done(state))
            .unwrap_or_else(PoisonError::into_inner);
        done(&state)
    }
}

impl Guarded {
    /// Starts the guard. `command` is the complete command line of the guard; this function sets
    /// the standard input.
    pub(crate) fn spawn(mut command: Command, grace: Duration) -> io::Result<Self> {
        let (ours, theirs) = UnixStream::pair()?;
        let guard = command
            .stdin(OwnedFd::from(theirs))
            // Set here, before the guard leaves the process group, so that Ctrl-C never reaches the
            // guard.
            .process_group(0)
            .spawn()?;
        // Closes this process's copies of the guard's end of the socket and of the output pipe.
        drop(command);

        let reports = Arc::new(Reports::default());
        let lines = BufReader::new(ours.try_clone()?);
        let listener = Arc::clone(&reports);
        thread::spawn(move || {
            lines
                .lines()
                .map_while(Result::ok)
                .filter_map(|line| Report::parse(&line))
                .for_each(|report| listener.record(Some(report)));
            listener.record(None);
        });
        Ok(Self {
            guard,
            orders: ours,
            reports,
            launched: Instant::now(),
            grace,
            ended: false,
        })
    }

    /// Process id of the guard at the root of the process tree. Valid after the start of the
    /// command.
    pub(crate) fn guard_pid(&self) -> i32 {
        let inner = self.reports.lock().guard;
        inner.unwrap_or_else(|| self.guard.id().cast_signed())
    }

    /// Waits until the command runs. Fails if the command or its guard does not start.
    pub(crate) fn wait_started(&self, limit: Duration) -> Result<(), Sentence> {
        self.reports.wait(limit, |state| {
            state.started.is_some() || state.failed.is_some() || state.guard_gone.is_some()
        });
        helper_time::started_after(self.launched.elapsed());
        let state = self.reports.lock();
        match (&state.failed, state.started) {
            (Some(reason), _) => Err(Sentence::verbatim(reason)),
            (None, Some(_)) => Ok(()),
            (None, None) if state.guard_gone.is_some() => Err(sentence!(
                "guard-ended",
                "its guard process ended before the command was started"
            )),
            (None, None) => Err(sentence!(
                "guard-late",
                "its guard process did not start within {limit} s; the machine is too busy, \
                    or {variable} is too short",
                limit = format!("{:.0}", limit.as_secs_f64()),
                variable = helper_time::VARIABLE
            )),
        }
    }

    /// Sleeps for `time`, or until the command has ended.
    pub(crate) fn sleep(&self, time: Duration) {
        self.reports.wait(time, |state| state.dead().is_some());
    }

    /// Fails if the command has ended. A command that has moved to the background (exit status 0,
    /// descendants alive) counts as running.
    pub(crate) fn alive(&self) -> Result<(), Exit> {
        match self.reports.lock().dead() {
            None => Ok(()),
            Some((status, when)) => Err(Exit {
                status,
                after: when.duration_since(self.launched),
            }),
        }
    }

    /// Sends the order to stop without waiting.
    pub(crate) fn request_stop(&self) {
        let _ = (&self.orders).write_all(b"stop\n");
    }

    /// Stops all processes. The error says how many processes survived or that the guard failed.
    pub(crate) fn stop(&mut self) -> Result<(), Sentence> {
        if self.ended {
            return Ok(());
        }
        self.ended = true;
        let orphaned = self.reports.lock().guard_gone.is_some();
        self.request_stop();
        let limit = self.grace + KILL_WITHIN + Duration::from_secs(1);
        let in_time = self.reports.wait(limit, |state| state.guard_gone.is_some());
        if !in_time {
            let _ = self.guard.kill();
        }
        let _ = self.guard.wait();
        let _ = self.orders.shutdown(Shutdown::Both);

        let state = self.reports.lock().clone();
        if state.empty.is_some() || state.started.is_none() {
            return Ok(());
        }
        if let Some(count) = state.left {
            return Err(sentence!(
                "survive-kill",
                "{count} of its processes survive SIGKILL",
                count
            ));
        }
        // The guard was killed, so processes of the command's process group may be alive. In a
        // namespace, the kernel has killed all processes.
        if let Some(command) = state.started.filter(|command| *command > 0) {
            let _ = killpg(Pid::from_raw(command), Signal::SIGKILL);
        }
        Err(if orphaned {
            sentence!(
                "guard-killed",
                "its guard process was killed; look for processes it has left behind"
            )
        } else {
            sentence!(
                "guard-unfinished",
                "its guard process did not finish; look for processes it has left behind"
            )
        })
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        let _ = self.stop();
    }
}

impl State {
    fn dead(&self) -> Option<(ExitStatus, Instant)> {
        let gone = self.empty.or(self.guard_gone);
        match (self.exit, gone) {
            (Some((ExitStatus::Code(0), _)), None) => None,
            (Some(exit), _) => Some(exit),
            (None, Some(when)) => Some((ExitStatus::Unknown, when)),
            (None, None) => None,
        }
    }
}
