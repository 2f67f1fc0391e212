//! Reads counters of processes and threads below `/proc`.

use std::fs;

use nix::time::clock_getcpuclockid;
use nix::unistd::Pid;
use procfs::FromRead;
use procfs::process::{Io, Stat, StatM};

/// CPU time and storage traffic.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Spent {
    pub(super) cpu_seconds: f64,
    pub(super) storage: Option<Storage>,
}

/// Bytes read from and written to storage.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Storage {
    pub(super) read: u64,
    pub(super) written: u64,
}

/// Context switches.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Switches {
    pub(super) voluntary: u64,
    pub(super) involuntary: u64,
}

impl Spent {
    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            cpu_seconds: self.cpu_seconds + other.cpu_seconds,
            storage: self.storage.zip(other.storage).map(|(a, b)| Storage {
                read: a.read + b.read,
                written: a.written + b.written,
            }),
        }
    }
}

impl Storage {
    pub(super) fn since(self, start: Self) -> Self {
        Self {
            read: self.read.saturating_sub(start.read),
            written: self.written.saturating_sub(start.written),
        }
    }
}

impl Switches {
    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            voluntary: self.voluntary + other.voluntary,
            involuntary: self.involuntary + other.involuntary,
        }
    }

    /// Increase since `before`. Smaller counters belong to a new thread that reuses the id, so the
    /// increase then counts from 0.
    pub(super) fn since(self, before: Self) -> Self {
        let is_same = self.voluntary >= before.voluntary && self.involuntary >= before.involuntary;
        let before = if is_same { before } else { Self::default() };
        Self {
            voluntary: self.voluntary - before.voluntary,
            involuntary: self.involuntary - before.involuntary,
        }
    }
}

/// CPU time of a process without its ended children, seconds.
pub(super) fn own_seconds(pid: i32) -> Option<f64> {
    let time = clock_getcpuclockid(Pid::from_raw(pid)).ok()?.now().ok()?;
    Some(std::time::Duration::from(time).as_secs_f64())
}

/// CPU time of the ended children that the process has collected, seconds.
pub(super) fn children_seconds(stat: &Stat) -> f64 {
    ticks((stat.cutime + stat.cstime).max(0).unsigned_abs())
}

/// Clock ticks in seconds.
pub(super) fn ticks(count: u64) -> f64 {
    count as f64 / procfs::ticks_per_second() as f64
}

/// Resident memory, pages. Recent kernels give the exact sum in `statm`; the estimate in `stat`
/// is wrong by up to some MiB on machines with many cores (`task_statm`).
pub(super) fn resident_pages(pid: i32) -> Option<u64> {
    let memory = StatM::from_file(format!("/proc/{pid}/statm")).ok()?;
    Some(memory.resident)
}

/// Storage traffic of a process and its ended children; `None` if unreadable.
pub(super) fn storage(pid: i32) -> Option<Storage> {
    let io = Io::from_file(format!("/proc/{pid}/io")).ok()?;
    Some(Storage {
        read: io.read_bytes,
        written: io.write_bytes,
    })
}

/// Ids of the threads of a process; empty if the process has ended.
pub(super) fn threads_of(pid: i32) -> Vec<i32> {
    let Ok(entries) = fs::read_dir(format!("/proc/{pid}/task")) else {
        return Vec::new();
    };
    let names = entries.flatten().map(|entry| entry.file_name());
    names
        .filter_map(|name| name.to_str()?.parse().ok())
        .collect()
}

/// Seconds for which a thread ran, and seconds for which the thread was runnable but waited for
/// a core: the first two fields of its `schedstat`.
pub(super) fn thread_seconds(pid: i32, thread: i32) -> Option<[f64; 2]> {
    let text = fs::read_to_string(format!("/proc/{pid}/task/{thread}/schedstat")).ok()?;
    let mut words = text.split_whitespace();
    let mut next = || -> Option<f64> {
        let nanos: u64 = words.next()?.parse().ok()?;
        Some(nanos as f64 / 1e9)
    };
    Some([next()?, next()?])
}

/// Context switches of a thread so far.
pub(super) fn switches(pid: i32, thread: i32) -> Option<Switches> {
    let text = fs::read_to_string(format!("/proc/{pid}/task/{thread}/status")).ok()?;
    switches_in(&text)
}

fn switches_in(status: &str) -> Option<Switches> {
    let field = |name: &str| -> Option<u64> {
        let mut lines = status.lines();
        lines.find_map(|line| line.strip_prefix(name)?.trim().parse().ok())
    };
    Some(Switches {
        voluntary: field("voluntary_ctxt_switches:")?,
        involuntary: field("nonvoluntary_ctxt_switches:")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn voluntary_and_involuntary_switches_are_distinguished() {
        let text = "Name:\tx\nvoluntary_ctxt_switches:\t12\nnonvoluntary_ctxt_switches:\t3\n";
        let found = switches_in(text).unwrap();
        assert_eq!((found.voluntary, found.involuntary), (12, 3));
        assert!(
            switches_in("voluntary_ctxt_switches:\t12\n").is_none(),
            "not 0"
        );
    }

    #[test]
    fn a_reused_thread_id_counts_from_0() {
        let of = |voluntary, involuntary| Switches {
            voluntary,
            involuntary,
        };
        let grown = of(15, 4).since(of(12, 3));
        assert_eq!((grown.voluntary, grown.involuntary), (3, 1));
        let restarted = of(5, 4).since(of(12, 3));
        assert_eq!((restarted.voluntary, restarted.involuntary), (5, 4));
    }
}
