//! One turn: runs a load generator alone on its cores, and measures its CPU time and memory.

use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use nix::sys::resource::{UsageWho, getrusage};

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
    /// Wall seconds of the work if the program reports them, otherwise of the entire turn.
    pub(crate) wall_seconds: f64,
    /// Number of correct responses.
    pub(crate) operations: u64,
    /// Peak resident memory, KiB.
    pub(crate) peak_kib: u64,
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
            wall_seconds: self.wall_seconds - shorter.wall_seconds,
            operations: self.operations - shorter.operations,
            peak_kib: self.peak_kib,
        })
    }
}

/// The figures that a load generator reports for a turn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Said {
    /// Number of correct responses.
    pub(crate) operations: u64,
    /// Seconds of the work; `None` if the program does not report them exactly.
    pub(crate) seconds: Option<f64>,
}

/// Runs the command to its end and parses its output with `read`. The exit status must be 0 or
/// `doubtful`.
///
/// With `is_watched`, this process views the live page of the command; the cost of viewing is not
/// counted.
pub(crate) fn take(
    command: &mut Command,
    doubtful: Option<i32>,
    is_watched: bool,
    read: impl FnOnce(&str) -> Option<Said>,
) -> Result<Spent> {
    let before = cpu_of_children()?;
    let start = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("`{}` cannot be run", shell::show(command)))?;
    let pid = child.id();
    let stderr = match is_watched {
        true => child.stderr.take(),
        false => None,
    };
    let over = AtomicBool::new(false);
    let (output, peak_kib) = std::thread::scope(|scope| {
        let watch = scope.spawn(|| peak_until(&over, pid));
        stderr.map(|stderr| scope.spawn(|| viewer::view(stderr)));
        let output = child.wait_with_output();
        over.store(true, Ordering::Relaxed);
        (output, watch.join().unwrap_or(0))
    });
    let output = output?;
    let wall_seconds = start.elapsed().as_secs_f64();
    let cpu_seconds = cpu_of_children()? - before;
    let fine = output.status.success() || doubtful.is_some() && output.status.code() == doubtful;
    if !fine {
        bail!(
            "`{}` failed ({}): {}",
            shell::show(command),
            output.status,
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    let printed = String::from_utf8_lossy(&output.stdout);
    let said = read(&printed)
        .filter(|said| said.operations > 0)
        .with_context(|| {
            let shown = shell::show(command);
            format!("`{shown}` did not say how much it did:\n{printed}")
        })?;
    Ok(Spent {
        cpu_seconds,
        wall_seconds: said.seconds.unwrap_or(wall_seconds),
        operations: said.operations,
        peak_kib,
    })
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

fn cpu_of_children() -> Result<f64> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).context("cannot read the CPU time")?;
    let seconds =
        |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    Ok(seconds(usage.user_time()) + seconds(usage.system_time()))
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
    }

    #[test]
    fn the_high_water_mark_is_read_and_not_the_present_size() {
        let status = "Name:\tx\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\n";
        assert_eq!(high_water(status), Some(2048));
        assert_eq!(high_water("Name:\tx\n"), None);
    }
}
