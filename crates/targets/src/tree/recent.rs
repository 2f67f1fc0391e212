//! One reading of all processes for readers that come one after another.
//!
//! A slice reads the processes of each target and all other programs, before and after the load. A
//! reading opens a file for each process, which takes milliseconds of CPU time, and more than half
//! of the processes are threads of the kernel.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use procfs::process::Stat;

use super::{process_ids, stat};

/// Age up to which a reading is used again: half of the resolution of its CPU times.
const MOST_AGE: Duration = Duration::from_millis(5);
/// Age up to which the known kernel threads are left out without a look. In this time, no process
/// gets the id of a kernel thread that ended, unless all other ids are used meanwhile.
const KERNEL_AGE: Duration = Duration::from_secs(10);
/// Flag of kernel threads, `PF_KTHREAD` of Linux' `include/linux/sched.h`.
const KERNEL_THREAD: u32 = 0x0020_0000;

static LAST: Mutex<Option<Scan>> = Mutex::new(None);

/// A reading of all processes.
struct Scan {
    at: Instant,
    /// The newest process before the reading.
    newest: Option<String>,
    processes: Arc<[Stat]>,
    kernel_threads: HashSet<i32>,
    kernel_threads_at: Instant,
}

/// The `stat` of every process that can be read, without kernel threads. The reading is at most 5 ms
/// old, and no process has started since.
pub(crate) fn recent_processes() -> Arc<[Stat]> {
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    let newest = newest_process();
    let serves = |scan: &&Scan| is_recent(scan.newest.as_ref(), newest.as_ref(), scan.at.elapsed());
    if let Some(scan) = last.as_ref().filter(serves) {
        return Arc::clone(&scan.processes);
    }
    let scan = Scan::after(last.take(), newest);
    let processes = Arc::clone(&scan.processes);
    *last = Some(scan);
    processes
}

/// Whether a reading of this age, before which `then` was the newest process, can be used again while
/// `now` is the newest one.
fn is_recent(then: Option<&String>, now: Option<&String>, age: Duration) -> bool {
    now.is_some() && then == now && age <= MOST_AGE
}

impl Scan {
    /// A new reading, which leaves out the kernel threads that the reading `before` found.
    fn after(before: Option<Self>, newest: Option<String>) -> Self {
        let at = Instant::now();
        let known = before.filter(|before| before.kernel_threads_at.elapsed() <= KERNEL_AGE);
        let (mut kernel_threads, kernel_threads_at) = match known {
            Some(before) => (before.kernel_threads, before.kernel_threads_at),
            None => (HashSet::new(), at),
        };
        let mut processes = Vec::new();
        for pid in process_ids() {
            if kernel_threads.contains(&pid) {
                continue;
            }
            match stat(pid) {
                Some(process) if process.flags & KERNEL_THREAD != 0 => {
                    kernel_threads.insert(pid);
                }
                process => processes.extend(process),
            }
        }
        Self {
            at,
            newest,
            processes: processes.into(),
            kernel_threads,
            kernel_threads_at,
        }
    }
}

/// Id of the newest process or thread: the last field of `/proc/loadavg`.
pub(crate) fn newest_process() -> Option<String> {
    let load = std::fs::read_to_string("/proc/loadavg").ok()?;
    load.split_whitespace().next_back().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(processes: &[Stat], pid: u32) -> bool {
        processes.iter().any(|one| one.pid == pid.cast_signed())
    }

    #[test]
    fn a_process_that_has_just_started_is_found() {
        for _ in 0..20 {
            let before = recent_processes();
            let mut child = std::process::Command::new("sleep")
                .arg("60")
                .spawn()
                .unwrap();
            let after = recent_processes();
            child.kill().unwrap();
            child.wait().unwrap();
            assert!(!has(&before, child.id()) && has(&after, child.id()));
        }
    }

    #[test]
    fn kernel_threads_are_left_out_and_this_process_is_not() {
        for _ in 0..2 {
            let found = recent_processes();
            assert!(has(&found, std::process::id()));
            assert!(found.iter().all(|one| one.flags & KERNEL_THREAD == 0));
            // The next reading is a new one, which knows the kernel threads.
            std::thread::sleep(2 * MOST_AGE);
        }
    }

    #[test]
    fn a_reading_is_shared_for_a_moment_and_while_no_process_starts() {
        let (one, two) = ("1".to_owned(), "2".to_owned());
        let soon = MOST_AGE / 2;
        assert!(is_recent(Some(&one), Some(&one), soon));
        assert!(!is_recent(Some(&one), Some(&two), soon));
        assert!(!is_recent(Some(&one), Some(&one), 2 * MOST_AGE));
        // Without a newest process, nobody knows whether one has started.
        assert!(!is_recent(None, None, soon));
    }
}
