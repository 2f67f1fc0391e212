//! CPU time of the load threads of a running program, by the names that Tenbin gives them.
//!
//! A thread ends before its program, so the threads are read again and again and the last values
//! count. What a thread does after the last reading is missed: at most [`LOOK`] of a turn. The
//! difference of two turns misses the same in both on average.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Interval between two readings.
const LOOK: Duration = Duration::from_millis(50);

/// Beginning of the names of load threads.
const NAME: &str = "load-";

/// Unit of times in `/proc`, seconds: the same on every architecture that Tenbin runs on.
const TICK: f64 = 0.01;

/// CPU seconds of all load threads of a program.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct LoadThreads {
    pub(crate) user_seconds: f64,
    pub(crate) system_seconds: f64,
}

impl LoadThreads {
    /// The CPU time without the CPU time of a shorter turn.
    pub(crate) fn beyond(self, shorter: Self) -> Self {
        Self {
            user_seconds: self.user_seconds - shorter.user_seconds,
            system_seconds: self.system_seconds - shorter.system_seconds,
        }
    }

    pub(crate) fn cpu_seconds(self) -> f64 {
        self.user_seconds + self.system_seconds
    }
}

/// Reads the threads of the process until `over`. `None` for a program without load threads, such
/// as every program that is not Tenbin.
pub(super) fn watch_until(over: &AtomicBool, pid: u32) -> Option<LoadThreads> {
    let directory = format!("/proc/{pid}/task");
    let mut ticks: HashMap<String, (u64, u64)> = HashMap::new();
    while !over.load(Ordering::Relaxed) {
        // The process may have ended.
        read(Path::new(&directory), &mut ticks);
        std::thread::sleep(LOOK);
    }
    let sum = |part: fn(&(u64, u64)) -> u64| ticks.values().map(part).sum::<u64>() as f64 * TICK;
    (!ticks.is_empty()).then(|| LoadThreads {
        user_seconds: sum(|thread| thread.0),
        system_seconds: sum(|thread| thread.1),
    })
}

/// Keeps the ticks, in user mode and in the kernel, of every load thread that runs.
fn read(directory: &Path, ticks: &mut HashMap<String, (u64, u64)>) {
    for thread in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        // A thread can end between the two calls.
        let stat = std::fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
        if let Some((name, used)) = name_and_ticks(&stat)
            && name.starts_with(NAME)
        {
            let id = thread.file_name().to_string_lossy().into_owned();
            ticks.insert(id, used);
        }
    }
}

/// The name of a thread, and its ticks in user mode and in the kernel (`proc_pid_stat(5)`).
fn name_and_ticks(stat: &str) -> Option<(&str, (u64, u64))> {
    let (_, rest) = stat.split_once('(')?;
    // A name can contain parentheses and spaces.
    let (name, rest) = rest.rsplit_once(')')?;
    let mut fields = rest.split_whitespace().skip(11);
    let user = fields.next()?.parse().ok()?;
    let system = fields.next()?.parse().ok()?;
    Some((name, (user, system)))
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn times_of_a_thread_are_read_after_its_name() {
        let stat = "7 (a) b) R 1 7 7 0 -1 64 0 0 0 0 12 34 0 0 20 0 1 0 5 0 0";
        assert_eq!(name_and_ticks(stat), Some(("a) b", (12, 34))));
        assert_eq!(name_and_ticks("7 (load-0"), None);
    }

    #[test]
    fn only_load_threads_count() {
        let over = AtomicBool::new(false);
        let mut seen = 0;
        let read_now = || {
            let mut ticks = HashMap::new();
            read(Path::new("/proc/self/task"), &mut ticks);
            ticks
        };
        std::thread::scope(|scope| {
            for name in ["load-0", "load-1", "other"] {
                let thread = std::thread::Builder::new().name(name.to_owned());
                let wait = || {
                    while !over.load(Ordering::Relaxed) {
                        std::thread::sleep(Duration::from_millis(1));
                    }
                };
                thread.spawn_scoped(scope, wait).expect("a thread");
            }
            let start = Instant::now();
            // A thread gives itself its name when it starts to run.
            while read_now().len() < 2 && start.elapsed() < Duration::from_secs(60) {
                std::thread::sleep(Duration::from_millis(1));
            }
            seen = read_now().len();
            // Before any assertion: the scope waits for its threads.
            over.store(true, Ordering::Relaxed);
        });
        assert_eq!(seen, 2);
    }
}
