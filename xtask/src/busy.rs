//! Programs that keep the cores of this machine partly busy, to measure beside them.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::Signal;
use nix::time::ClockId;
use nix::unistd::getppid;

/// In each of these every program uses its share.
const PERIOD: Duration = Duration::from_millis(50);

/// One program for each core. They end with this value, and with this process however it ends.
#[derive(Debug)]
pub(crate) struct Busy {
    programs: Vec<Child>,
    percent: u32,
}

impl Busy {
    /// Starts them; each uses this share of its core, 1 to 100 %.
    ///
    /// # Errors
    /// The share is another, or a program does not start.
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

    /// What was busy, in words.
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
            // One that has ended already cannot be killed: nothing is left to do.
            let _ = program.kill();
            let _ = program.wait();
        }
    }
}

/// Uses this share of a core until the process that started it ends.
///
/// # Errors
/// The share is no percentage.
pub(crate) fn busy_loop(percent: &str) -> Result<()> {
    let percent = share(percent)?;
    let parent = getppid();
    set_pdeathsig(Signal::SIGKILL)?;
    ensure!(getppid() == parent, "whoever started this has ended");
    let work = PERIOD * percent / 100;
    loop {
        let begun = Instant::now();
        let before = cpu_time()?;
        // Of CPU time: beside others the share of the core stays the same.
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
