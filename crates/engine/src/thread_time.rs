//! How long the calling thread ran on a core, and how long it waited for a core.

use std::fs::File;
use std::os::unix::fs::FileExt as _;

use nix::time::{ClockId, clock_gettime};

/// The file whose second field is the calling thread's waiting time, nanoseconds
/// (`Documentation/scheduler/sched-stats.rst` of Linux).
const SCHEDSTAT: &str = "/proc/thread-self/schedstat";

/// CPU time and waiting time of a thread since the start of the thread.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ThreadTime {
    /// CPU time, nanoseconds.
    pub(crate) cpu: u64,
    /// Time for which the thread was ready to run and waited for a core, nanoseconds; `None` if the
    /// kernel does not report waiting times.
    pub(crate) waited: Option<u64>,
}

impl ThreadTime {
    /// CPU time and waiting time since `before`.
    pub(crate) fn since(self, before: Self) -> Self {
        let waited = self.waited.zip(before.waited);
        Self {
            cpu: self.cpu.saturating_sub(before.cpu),
            waited: waited.map(|(now, before)| now.saturating_sub(before)),
        }
    }
}

/// Reads CPU time and waiting time of the thread that opened the meter, with one system call each.
#[derive(Debug)]
pub(crate) struct ThreadMeter {
    schedstat: Option<File>,
}

impl ThreadMeter {
    /// A meter for the calling thread, which must be the thread that reads it.
    pub(crate) fn open() -> Self {
        Self {
            schedstat: File::open(SCHEDSTAT).ok(),
        }
    }

    pub(crate) fn read(&self) -> ThreadTime {
        ThreadTime {
            cpu: thread_cpu(),
            waited: self.schedstat.as_ref().and_then(waited),
        }
    }
}

fn waited(schedstat: &File) -> Option<u64> {
    // Three numbers of at most 20 digits.
    let mut text = [0; 64];
    let length = schedstat.read_at(&mut text, 0).ok()?;
    waited_in(std::str::from_utf8(&text[..length]).ok()?)
}

/// The waiting time in the text of [`SCHEDSTAT`]. `None` if all three numbers are 0, which a kernel
/// without this statistic writes.
fn waited_in(schedstat: &str) -> Option<u64> {
    let mut fields = schedstat.split_whitespace();
    let mut next = || fields.next()?.parse::<u64>().ok();
    let (ran, waited, turns) = (next()?, next()?, next()?);
    (ran > 0 || waited > 0 || turns > 0).then_some(waited)
}

/// CPU time of the calling thread, nanoseconds.
fn thread_cpu() -> u64 {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID)
        .map(|time| time.tv_sec() as u64 * 1_000_000_000 + time.tv_nsec() as u64)
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn the_wait_is_the_second_field_and_three_zeros_are_unknown() {
        assert_eq!(waited_in("595447 4754897 4\n"), Some(4_754_897));
        assert_eq!(waited_in("595447 0 4\n"), Some(0));
        assert_eq!(waited_in("0 0 0\n"), None);
        assert_eq!(waited_in("595447"), None);
        assert_eq!(waited_in(""), None);
    }

    #[test]
    fn threads_that_share_the_cores_wait_for_them() {
        let cores = std::thread::available_parallelism().unwrap().get();
        let spin = || {
            let meter = ThreadMeter::open();
            let start = Instant::now();
            let before = meter.read();
            while start.elapsed() < Duration::from_millis(400) {}
            (meter.read().since(before), start.elapsed())
        };
        let threads: Vec<_> = (0..3 * cores).map(|_| std::thread::spawn(spin)).collect();
        for thread in threads {
            let (used, took) = thread.join().unwrap();
            let Some(waited) = used.waited else { return };
            let took = took.as_nanos() as u64;
            // A thread that always has work either runs or waits. The hypervisor can take the
            // remaining time.
            assert!(used.cpu + waited <= took, "{used:?} in {took}");
            assert!(waited > 0, "{used:?} in {took}");
        }
    }
}
