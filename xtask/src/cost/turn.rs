//! One turn: runs a load generator, and measures its CPU time and memory.

use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use wait4::Wait4;

use super::load_threads::{self, LoadThreads};
use super::viewer;
use crate::shell;

/// Interval between two reads of the program's memory.
const LOOK: Duration = Duration::from_millis(20);

/// Interval between two reads at the start of a turn, because a short run can end within [`LOOK`].
const FIRST_LOOKS: Duration = Duration::from_millis(1);

/// Duration of the phase with [`FIRST_LOOKS`].
const AT_FIRST: Duration = Duration::from_millis(200);

/// The cost of one turn.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Spent {
    /// CPU seconds, user and system, including child processes.
    pub(crate) cpu_seconds: f64,
    /// The user part of `cpu_seconds`, of all threads.
    pub(crate) user_seconds: f64,
    /// Wall seconds of the work if the program reports them, otherwise of the entire turn.
    pub(crate) wall_seconds: f64,
    /// Number of correct responses.
    pub(crate) operations: u64,
    /// Peak resident memory, KiB.
    pub(crate) peak_kib: u64,
    /// The part of `cpu_seconds` of the load threads; `None` for programs without named load threads.
    pub(crate) load_threads: Option<LoadThreads>,
    /// The 99th percentile of the send lag, seconds; `None` in a closed loop.
    pub(crate) lag_p99: Option<f64>,
    /// CPU time ÷ wall time of the program in the measured window, without start and connection
    /// set-up; `None` if the program does not report it.
    pub(crate) share_in_window: Option<f64>,
}

impl Spent {
    /// The cost of this turn minus the cost of a shorter turn. Start, preparation and cleanup are
    /// the same in both turns and cancel out.
    pub(crate) fn beyond(self, shorter: Self) -> Result<Self> {
        if self.operations <= shorter.operations {
            bail!(
                "a longer turn did no more work ({} operations after {})",
                self.operations,
                shorter.operations
            );
        }
        Ok(Self {
            cpu_seconds: self.cpu_seconds - shorter.cpu_seconds,
            user_seconds: self.user_seconds - shorter.user_seconds,
            wall_seconds: self.wall_seconds - shorter.wall_seconds,
            operations: self.operations - shorter.operations,
            peak_kib: self.peak_kib,
            load_threads: self
                .load_threads
                .zip(shorter.load_threads)
                .map(|(long, short)| long.beyond(short)),
            lag_p99: self.lag_p99,
            share_in_window: self.share_in_window,
        })
    }
}

/// The figures that a load generator reports for a turn.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Said {
    /// Number of correct responses.
    pub(crate) operations: u64,
    /// Seconds of the work; `None` if the program does not report them exactly.
    pub(crate) seconds: Option<f64>,
    /// The 99th percentile of the send lag, seconds; `None` in a closed loop.
    pub(crate) lag_p99: Option<f64>,
    /// CPU time ÷ wall time of the program in the measured window, without start and connection
    /// set-up; `None` if the program does not report it.
    pub(crate) share_in_window: Option<f64>,
}

/// A prepared turn of a load generator.
pub(crate) struct Turn {
    pub(crate) command: Command,
    /// Exit status of a completed run with doubtful figures.
    pub(crate) doubtful: Option<i32>,
    /// Whether this process views the live page of the program. The cost of viewing is not counted.
    pub(crate) is_watched: bool,
    /// Parses the output of the program.
    pub(crate) read: fn(&str) -> Option<Said>,
}

/// Takes all turns at the same time.
pub(crate) fn take_at_once(turns: Vec<Turn>) -> Vec<Result<Spent>> {
    std::thread::scope(|scope| {
        let running: Vec<_> = turns
            .into_iter()
            .map(|turn| scope.spawn(move || turn.take()))
            .collect();
        running
            .into_iter()
            .map(|turn| turn.join().unwrap_or_else(|_| bail!("the turn panicked")))
            .collect()
    })
}

impl Turn {
    /// Runs the command to its end and parses its output. The exit status must be 0 or `doubtful`.
    fn take(mut self) -> Result<Spent> {
        let start = Instant::now();
        let shown = shell::show(&self.command);
        let mut child = self
            .command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("`{shown}` cannot be run"))?;
        let pid = child.id();
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let over = AtomicBool::new(false);
        let (used, printed, errors, peak_kib, load_threads) = std::thread::scope(|scope| {
            let watch = scope.spawn(|| peak_until(&over, pid));
            let threads = scope.spawn(|| load_threads::watch_until(&over, pid));
            let printed = scope.spawn(|| text_of(stdout));
            let errors = scope.spawn(|| match stderr {
                Some(stderr) if self.is_watched => {
                    viewer::view(stderr);
                    String::new()
                }
                stderr => text_of(stderr),
            });
            let used = child.wait4();
            over.store(true, Ordering::Relaxed);
            let text = |thread: std::thread::ScopedJoinHandle<'_, String>| {
                thread.join().unwrap_or_default()
            };
            let peak_kib = watch.join().unwrap_or(0);
            let load_threads = threads.join().unwrap_or_default();
            (used, text(printed), text(errors), peak_kib, load_threads)
        });
        let used = used.with_context(|| format!("cannot wait for `{shown}`"))?;
        let wall_seconds = start.elapsed().as_secs_f64();
        let is_doubtful = self.doubtful.is_some() && used.status.code() == self.doubtful;
        if !used.status.success() && !is_doubtful {
            bail!("`{shown}` failed ({}): {}", used.status, errors.trim());
        }
        let said = (self.read)(&printed)
            .filter(|said| said.operations > 0)
            .with_context(|| format!("`{shown}` did not say how much it did:\n{printed}"))?;
        Ok(Spent {
            cpu_seconds: (used.rusage.utime + used.rusage.stime).as_secs_f64(),
            user_seconds: used.rusage.utime.as_secs_f64(),
            wall_seconds: said.seconds.unwrap_or(wall_seconds),
            operations: said.operations,
            peak_kib,
            load_threads,
            lag_p99: said.lag_p99,
            share_in_window: said.share_in_window,
        })
    }
}

/// All that the program prints. Bytes that are no UTF-8 are replaced.
fn text_of(stream: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    // What was read before an error is used.
    let _ = stream.map(|mut stream| stream.read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The last `VmHWM` of the process, the kernel's high-water mark of resident memory. Only growth
/// after the last read is missed.
fn peak_until(over: &AtomicBool, pid: u32) -> u64 {
    let status = format!("/proc/{pid}/status");
    let start = Instant::now();
    let mut peak = 0;
    while !over.load(Ordering::Relaxed) {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        peak = peak.max(high_water(&text).unwrap_or(0));
        let first = start.elapsed() < AT_FIRST;
        std::thread::sleep(if first { FIRST_LOOKS } else { LOOK });
    }
    peak
}

fn high_water(status: &str) -> Option<u64> {
    let rest = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    rest.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spent(cpu_seconds: f64, operations: u64) -> Spent {
        Spent {
            cpu_seconds,
            operations,
            ..Spent::default()
        }
    }

    #[test]
    fn a_shorter_turn_takes_the_preparation_away() {
        let beyond = spent(3.5, 1100).beyond(spent(1.0, 100)).expect("more work");
        assert_eq!((beyond.cpu_seconds, beyond.operations), (2.5, 1000));
        assert!(spent(3.5, 100).beyond(spent(1.0, 100)).is_err());

        let with_threads = |user_seconds, operations| Spent {
            load_threads: Some(LoadThreads {
                user_seconds,
                system_seconds: 0.0,
            }),
            ..spent(3.5, operations)
        };
        let beyond = with_threads(2.0, 1100).beyond(with_threads(0.5, 100));
        let threads = beyond.expect("more work").load_threads;
        assert_eq!(threads.expect("load threads").user_seconds, 1.5);
    }

    #[test]
    fn the_high_water_mark_is_read_and_not_the_present_size() {
        let status = "Name:\tx\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\n";
        assert_eq!(high_water(status), Some(2048));
        assert_eq!(high_water("Name:\tx\n"), None);
    }
}
