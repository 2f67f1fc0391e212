//! Programs that use part of every core, for measurements on a busy machine.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::Signal;
use nix::time::ClockId;
use nix::unistd::getppid;

/// Interval in which every program uses its share of the CPU time once.
const PERIOD: Duration = Duration::from_millis(50);

/// One busy program per core. The programs end when this value is dropped or when this process ends
/// for any reason.
#[derive(Debug)]
pub(crate) struct Busy {
    programs: Vec<Child>,
    percent: u32,
}

impl Busy {
    /// Starts one program per core; each program uses `percent` of its core, 1 to 100 %.
    ///
    /// # Errors
    /// If the percentage is out of range, or a program cannot be started.
    pub(crate) fn start(percent: &str) -> Result<Self> {
        let percent = share(percent)?;
        let cores = std::thread::available_parallelism()?.get();
        let mut busy = Self {
            programs: Vec::new(),
            percent,
        };
        let this = std::env::current_exe()?;
        for core in 0..cores {
            let program = Command::new("taskset")
                .args(["-c", &core.to_string()])
                .arg(&this)
                .args(["busy-loop", &percent.to_string()])
                .stdin(Stdio::null())
                .spawn()
                .context("the program that keeps a core busy does not start")?;
            busy.programs.push(program);
        }
        Ok(busy)
    }

    /// Percentage of each core that is used.
    pub(crate) fn percent(&self) -> u32 {
        self.percent
    }

    /// Description of the load for reports.
    pub(crate) fn words(&self) -> String {
        format!(
            "while {} other programs took {} % of a core each",
            self.programs.len(),
            self.percent
        )
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        for program in &mut self.programs {
            // Killing fails only if the program has already ended.
            let _ = program.kill();
            let _ = program.wait();
        }
    }
}

/// Uses this percentage of a core until the parent process ends.
///
/// # Errors
/// If the percentage is invalid.
pub(crate) fn busy_loop(percent: &str) -> Result<()> {
    let percent = share(percent)?;
    let parent = getppid();
    set_pdeathsig(Signal::SIGKILL)?;
    ensure!(getppid() == parent, "whoever started this has ended");
    let work = PERIOD * percent / 100;
    loop {
        let begun = Instant::now();
        let before = cpu_time()?;
        // Counts CPU time, not wall time, so that other programs do not change the share.
        while cpu_time()? < before + work {}
        std::thread::sleep(PERIOD.saturating_sub(begun.elapsed()));
    }
}

fn cpu_time() -> Result<Duration> {
    Ok(ClockId::CLOCK_PROCESS_CPUTIME_ID.now()?.into())
}

fn share(percent: &str) -> Result<u32> {
    let share = percent
        .parse()
        .ok()
        .filter(|share| (1..=100).contains(share));
    share.with_context(|| format!("`{percent}` is no share of a core: 1 to 100 (percent)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_a_percentage() {
        assert_eq!(share("40").expect("a share"), 40);
        for wrong in ["", "0", "101", "40%"] {
            assert!(share(wrong).is_err(), "{wrong}");
        }
    }
}
