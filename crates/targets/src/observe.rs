//! What everything below a guard has used.
//!
//! The kernel moves the CPU time and the storage traffic of a process to its
//! parent's "children" account at the moment the parent collects it
//! (`wait_task_zombie` in Linux' `kernel/exit.c`). So the total is: what live
//! processes have used themselves, plus every live process' children account,
//! plus the guard's children account. Storage traffic has no account of its own
//! for children: `/proc/PID/io` holds both. Three things can go wrong:
//!
//! - A child is collected while we read: it would count twice, or not at all. We
//!   read parents before children, so twice cannot happen, and "not at all" shows
//!   as a process that vanished: then we read again.
//! - A parent ignores SIGCHLD: its children's accounts are thrown away. We keep
//!   what we last saw of them.
//! - Ended processes are counted in clock ticks, so that a total may seem to
//!   shrink by one: it never does for our callers.

use crate::usage::Usage;

/// Reads the totals of one tree.
#[derive(Debug)]
pub(crate) struct Observer {
    #[cfg(target_os = "linux")]
    linux: linux::Observer,
}

#[cfg(target_os = "linux")]
impl Observer {
    /// Observes everything below this guard. To be made before the guard's
    /// command has had time to do much.
    pub(crate) fn new(guard: i32) -> Self {
        Self {
            linux: linux::Observer::new(guard),
        }
    }

    /// Totals so far; `None` once the guard is gone.
    pub(crate) fn usage(&mut self) -> Option<Usage> {
        self.linux.usage()
    }
}

#[cfg(not(target_os = "linux"))]
impl Observer {
    pub(crate) fn new(_guard: i32) -> Self {
        Self {}
    }

    pub(crate) fn usage(&mut self) -> Option<Usage> {
        None
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::HashMap;
    use std::fs;

    use nix::time::clock_getcpuclockid;
    use nix::unistd::Pid;
    use procfs::FromRead;
    use procfs::process::{Io, Stat, StatM};

    use crate::tree;
    use crate::usage::Usage;

    /// Readings before we put up with one during which a process vanished.
    const ATTEMPTS: usize = 4;
    const SIGCHLD_BIT: u64 = 1 << (nix::sys::signal::Signal::SIGCHLD as u64 - 1);

    #[derive(Debug)]
    pub(super) struct Observer {
        guard: i32,
        guard_storage: Option<Storage>,
        /// Below the guard, parents first.
        members: Vec<i32>,
        newest_process: Option<String>,
        seen: HashMap<Identity, Account>,
        unaccounted: Spent,
        highest: Usage,
    }

    /// A process id may be used again; together with its start it is unique.
    type Identity = (i32, u64);

    #[derive(Debug, Clone, Copy)]
    struct Account {
        parent: i32,
        ignores_children: bool,
        spent: Spent,
        rss_bytes: u64,
    }

    #[derive(Debug, Clone, Copy, Default)]
    struct Spent {
        cpu_seconds: f64,
        storage: Option<Storage>,
    }

    #[derive(Debug, Clone, Copy, Default)]
    struct Storage {
        read: u64,
        written: u64,
    }

    struct Reading {
        accounts: HashMap<Identity, Account>,
        guard: Spent,
        complete: bool,
    }

    impl Observer {
        pub(super) fn new(guard: i32) -> Self {
            Self {
                guard,
                // The guard's own, from loading its program; never the target's.
                guard_storage: storage(guard),
                members: Vec::new(),
                newest_process: None,
                seen: HashMap::new(),
                unaccounted: Spent {
                    cpu_seconds: 0.0,
                    storage: Some(Storage::default()),
                },
                highest: Usage {
                    read_bytes: Some(0),
                    written_bytes: Some(0),
                    ..Usage::default()
                },
            }
        }

        pub(super) fn usage(&mut self) -> Option<Usage> {
            let mut reading = self.read()?;
            for _ in 1..ATTEMPTS {
                if reading.complete {
                    break;
                }
                reading = self.read()?;
            }
            self.keep_thrown_away(&reading);
            let usage = self.total(&reading);
            self.seen = reading.accounts;
            self.highest = usage;
            Some(usage)
        }

        fn read(&mut self) -> Option<Reading> {
            self.refresh_members();
            let stat = tree::stat(self.guard)?;
            let guard = Spent {
                cpu_seconds: children_seconds(&stat),
                storage: storage(self.guard)
                    .zip(self.guard_storage)
                    .map(|(now, start)| now.since(start)),
            };
            let accounts: HashMap<Identity, Account> = self
                .members
                .iter()
                .filter_map(|&pid| self.account(pid))
                .collect();
            let complete = accounts.len() == self.members.len();
            if !complete {
                self.newest_process = None;
            }
            Some(Reading {
                accounts,
                guard,
                complete,
            })
        }

        /// Looks through all processes, but only if one has been born anywhere
        /// since last time; who is below the guard stays below it for life.
        fn refresh_members(&mut self) {
            let newest = newest_process();
            if newest.is_some() && newest == self.newest_process {
                return;
            }
            self.members = tree::below(self.guard, &tree::all_processes())
                .iter()
                .map(|process| process.pid)
                .collect();
            self.newest_process = newest;
        }

        fn account(&self, pid: i32) -> Option<(Identity, Account)> {
            let stat = tree::stat(pid)?;
            let own = own_seconds(pid).unwrap_or_else(|| ticks(stat.utime + stat.stime));
            let identity = (pid, stat.starttime);
            let storage = storage(pid).or_else(|| {
                // A process on its way out may not tell any more.
                let last = self.seen.get(&identity)?;
                (stat.state == 'Z').then_some(last.spent.storage)?
            });
            let account = Account {
                parent: stat.ppid,
                ignores_children: stat.sigignore & SIGCHLD_BIT != 0,
                spent: Spent {
                    cpu_seconds: own + children_seconds(&stat),
                    storage,
                },
                rss_bytes: resident_pages(pid).unwrap_or(stat.rss) * procfs::page_size(),
            };
            Some((identity, account))
        }

        fn keep_thrown_away(&mut self, reading: &Reading) {
            let careless: Vec<i32> = self
                .seen
                .iter()
                .filter(|(_, account)| account.ignores_children)
                .map(|(identity, _)| identity.0)
                .collect();
            for (identity, account) in &self.seen {
                if careless.contains(&account.parent) && !reading.accounts.contains_key(identity) {
                    self.unaccounted = self.unaccounted.plus(account.spent);
                }
            }
        }

        fn total(&self, reading: &Reading) -> Usage {
            let spent = reading
                .accounts
                .values()
                .fold(reading.guard.plus(self.unaccounted), |sum, account| {
                    sum.plus(account.spent)
                });
            let never_less =
                |now: Option<u64>, before: Option<u64>| now.map(|now| now.max(before.unwrap_or(0)));
            Usage {
                cpu_seconds: spent.cpu_seconds.max(self.highest.cpu_seconds),
                rss_bytes: reading.accounts.values().map(|a| a.rss_bytes).sum(),
                read_bytes: never_less(
                    spent.storage.map(|storage| storage.read),
                    self.highest.read_bytes,
                ),
                written_bytes: never_less(
                    spent.storage.map(|storage| storage.written),
                    self.highest.written_bytes,
                ),
            }
        }
    }

    impl Spent {
        fn plus(self, other: Self) -> Self {
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
        fn since(self, start: Self) -> Self {
            Self {
                read: self.read.saturating_sub(start.read),
                written: self.written.saturating_sub(start.written),
            }
        }
    }

    /// The number of the newest process or thread of all, last word of
    /// `/proc/loadavg`.
    fn newest_process() -> Option<String> {
        let text = fs::read_to_string("/proc/loadavg").ok()?;
        Some(text.split_whitespace().last()?.to_owned())
    }

    fn own_seconds(pid: i32) -> Option<f64> {
        let time = clock_getcpuclockid(Pid::from_raw(pid)).ok()?.now().ok()?;
        Some(std::time::Duration::from(time).as_secs_f64())
    }

    fn children_seconds(stat: &Stat) -> f64 {
        ticks((stat.cutime + stat.cstime).max(0).unsigned_abs())
    }

    fn ticks(count: u64) -> f64 {
        count as f64 / procfs::ticks_per_second() as f64
    }

    /// Newer kernels add up exactly here what `stat` only estimates, by up to
    /// some MiB on machines with many cores (`task_statm`).
    fn resident_pages(pid: i32) -> Option<u64> {
        let memory = StatM::from_file(format!("/proc/{pid}/statm")).ok()?;
        Some(memory.resident)
    }

    fn storage(pid: i32) -> Option<Storage> {
        let io = Io::from_file(format!("/proc/{pid}/io")).ok()?;
        Some(Storage {
            read: io.read_bytes,
            written: io.write_bytes,
        })
    }
}
