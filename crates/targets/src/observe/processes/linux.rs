//! Observes the processes on Linux.

use std::collections::{HashMap, HashSet};

use super::Root;
use super::counters::{
    Spent, Storage, Switches, children_seconds, own_seconds, resident_pages, storage, switches,
    thread_seconds, threads_of, ticks,
};
use crate::observe::find::{Identity, lives};
use crate::observe::group::Groups;
use crate::observe::now;
use crate::tree;
use crate::usage::{Detail, Usage};

/// Maximum number of attempts at a reading; the last attempt is accepted even if a process has
/// disappeared.
const ATTEMPTS: usize = 4;
const SIGCHLD_BIT: u64 = 1 << (nix::sys::signal::Signal::SIGCHLD as u64 - 1);

#[derive(Debug)]
pub(super) struct Observer {
    root: Root,
    guard_storage: Option<Storage>,
    /// Ids of all observed processes, parents first.
    pub(super) members: Vec<i32>,
    newest_process: Option<String>,
    seen: HashMap<Identity, Account>,
    unaccounted: Spent,
    highest: Usage,
    /// Context switches in the last reading, by process and thread.
    threads: HashMap<(i32, i32), Switches>,
    switches: Switches,
    /// CPU and waiting times in the last full reading.
    whole: Option<ByProcess>,
    groups: Option<Groups>,
}

#[derive(Debug, Clone, Copy)]
struct Account {
    parent: i32,
    ignores_children: bool,
    spent: Spent,
    rss_bytes: u64,
}

/// CPU and waiting times per process and thread, seconds.
#[derive(Debug, Default)]
struct ByProcess {
    processes: HashMap<Identity, f64>,
    /// CPU seconds of each thread, by process and thread.
    threads: HashMap<(i32, i32), f64>,
    /// Seconds for which each thread was runnable but waited for a core.
    waiting: HashMap<(i32, i32), f64>,
}

struct Reading {
    accounts: HashMap<Identity, Account>,
    guard: Spent,
    complete: bool,
}

impl Observer {
    pub(super) fn new(root: Root) -> Self {
        Self {
            // Storage traffic of the guard for loading its own program, which is never counted.
            guard_storage: match &root {
                Root::Guard(guard) => storage(*guard),
                Root::Processes(_) => None,
            },
            root,
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
            threads: HashMap::new(),
            switches: Switches::default(),
            whole: None,
            groups: Groups::find(),
        }
    }

    pub(super) fn count(&self) -> usize {
        self.seen.len()
    }

    pub(super) fn usage(&mut self, detail: Detail) -> Option<Usage> {
        let mut reading = self.read()?;
        for _ in 1..ATTEMPTS {
            if reading.complete {
                break;
            }
            reading = self.read()?;
        }
        self.keep_discarded(&reading);
        let usage = self.total(&reading);
        self.seen = reading.accounts;
        self.highest = usage;
        if detail == Detail::Brief {
            return Some(usage);
        }
        let switches = self.count_switches();
        let now = self.by_process();
        let before = self.whole.replace(now);
        let (busiest_process, busiest_thread, waited_for_core) = match (&before, &self.whole) {
            (Some(before), Some(now)) => (
                most_grown(&before.processes, &now.processes),
                most_grown(&before.threads, &now.threads),
                all_grown(&before.waiting, &now.waiting),
            ),
            _ => (None, None, None),
        };
        Some(Usage {
            busiest_process,
            busiest_thread,
            waited_for_core,
            voluntary_switches: switches.map(|switches| switches.voluntary),
            involuntary_switches: switches.map(|switches| switches.involuntary),
            group: self
                .groups
                .as_ref()
                .and_then(|groups| groups.of(&self.members)),
            ..usage
        })
    }

    fn read(&mut self) -> Option<Reading> {
        self.refresh_members();
        let guard = self.of_guard()?;
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

    /// CPU time and storage traffic of the guard's ended children; zero without a guard. `None`
    /// if the guard or all topmost processes have ended.
    fn of_guard(&self) -> Option<Spent> {
        match &self.root {
            Root::Guard(guard) => Some(Spent {
                cpu_seconds: children_seconds(&tree::stat(*guard)?),
                storage: storage(*guard)
                    .zip(self.guard_storage)
                    .map(|(now, start)| now.since(start)),
            }),
            Root::Processes(roots) => roots.iter().any(lives).then_some(Spent {
                cpu_seconds: 0.0,
                storage: Some(Storage::default()),
            }),
        }
    }

    /// Searches for observed processes, but only if a process was created since the last
    /// search. A descendant of the guard always remains a descendant. A descendant of another
    /// process remains a member even after its parent has ended.
    fn refresh_members(&mut self) {
        let newest = tree::newest_process();
        if newest.is_some() && newest == self.newest_process {
            return;
        }
        self.members = self.members_now();
        self.newest_process = newest;
    }

    fn members_now(&self) -> Vec<i32> {
        let all = tree::recent_processes();
        let below = |pid| {
            let found = tree::below(pid, &all);
            found.into_iter().map(|process| process.pid)
        };
        let roots = match &self.root {
            Root::Guard(guard) => return below(*guard).collect(),
            Root::Processes(roots) => roots.iter().filter(|root| lives(root)),
        };
        let mut members: Vec<i32> = Vec::new();
        for (root, _) in roots {
            members.push(*root);
            members.extend(below(*root));
        }
        let orphans = self.seen.keys().filter(|identity| lives(identity));
        let orphans: Vec<i32> = orphans.map(|(pid, _)| *pid).collect();
        members.extend(orphans);
        let mut known = HashSet::new();
        members.retain(|pid| known.insert(*pid));
        members
    }

    fn account(&self, pid: i32) -> Option<(Identity, Account)> {
        let stat = tree::stat(pid)?;
        let own = own_seconds(pid).unwrap_or_else(|| ticks(stat.utime + stat.stime));
        let identity = (pid, stat.starttime);
        let storage = storage(pid).or_else(|| {
            // The figures of an ending process can be missing: use the last values.
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

    fn keep_discarded(&mut self, reading: &Reading) {
        let careless: Vec<i32> = self
            .seen
            .iter()
            .filter(|(_, account)| account.ignores_children)
            .map(|(identity, _)| identity.0)
            .collect();
        let known: HashSet<i32> = self.seen.keys().map(|identity| identity.0).collect();
        for (identity, account) in &self.seen {
            let nobody_collects = match self.root {
                Root::Guard(_) => false,
                Root::Processes(_) => !known.contains(&account.parent),
            };
            let is_thrown_away = careless.contains(&account.parent) || nobody_collects;
            if is_thrown_away && !reading.accounts.contains_key(identity) {
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
        let highest = self.highest.cpu_seconds.unwrap_or(0.0);
        Usage {
            at: now(),
            cpu_seconds: Some(spent.cpu_seconds.max(highest)),
            rss_bytes: Some(reading.accounts.values().map(|a| a.rss_bytes).sum()),
            read_bytes: never_less(
                spent.storage.map(|storage| storage.read),
                self.highest.read_bytes,
            ),
            written_bytes: never_less(
                spent.storage.map(|storage| storage.written),
                self.highest.written_bytes,
            ),
            ..Usage::default()
        }
    }

    /// Reads the CPU and waiting times of each process and thread.
    fn by_process(&self) -> ByProcess {
        let processes = self.seen.keys();
        let processes = processes
            .filter_map(|identity| Some((*identity, own_seconds(identity.0)?)))
            .collect();
        let (mut threads, mut waiting) = (HashMap::new(), HashMap::new());
        for &pid in &self.members {
            for thread in threads_of(pid) {
                if let Some([ran, waited]) = thread_seconds(pid, thread) {
                    threads.insert((pid, thread), ran);
                    waiting.insert((pid, thread), waited);
                }
            }
        }
        ByProcess {
            processes,
            threads,
            waiting,
        }
    }

    /// Context switches of all threads since the start of observation; `None` if no thread is
    /// readable.
    fn count_switches(&mut self) -> Option<Switches> {
        let mut threads = HashMap::new();
        for &pid in &self.members {
            for thread in threads_of(pid) {
                if let Some(switches) = switches(pid, thread) {
                    threads.insert((pid, thread), switches);
                }
            }
        }
        for (thread, now) in &threads {
            let before = self.threads.get(thread).copied().unwrap_or_default();
            self.switches = self.switches.plus(now.since(before));
        }
        self.threads = threads;
        (!self.threads.is_empty()).then_some(self.switches)
    }
}

/// The largest increase among the keys that are in both readings; `None` without such keys.
fn most_grown<K: std::hash::Hash + Eq>(
    before: &HashMap<K, f64>,
    now: &HashMap<K, f64>,
) -> Option<f64> {
    let grown = now.iter().filter_map(|(key, now)| {
        let grown = now - before.get(key)?;
        (grown >= 0.0).then_some(grown)
    });
    grown.max_by(f64::total_cmp)
}

/// The sum of the increases of all keys that are in both readings; `None` without such keys.
fn all_grown<K: std::hash::Hash + Eq>(
    before: &HashMap<K, f64>,
    now: &HashMap<K, f64>,
) -> Option<f64> {
    let grown = now
        .iter()
        .filter_map(|(key, now)| Some(now - before.get(key)?));
    let grown: Vec<f64> = grown.filter(|grown| *grown >= 0.0).collect();
    (!grown.is_empty()).then(|| grown.iter().sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_running_process_is_observed_until_it_ends() {
        let mut child = std::process::Command::new("sh")
            .args(["-c", "while :; do :; done"])
            .spawn()
            .unwrap();
        let pid = child.id().cast_signed();
        let start = tree::stat(pid).unwrap().starttime;
        let mut observer = Observer::new(Root::Processes(vec![(pid, start)]));
        let first = observer.usage(Detail::Full).unwrap();
        let end = std::time::Instant::now() + std::time::Duration::from_secs(30);
        loop {
            let now = observer.usage(Detail::Brief).unwrap();
            if now.cpu_seconds > first.cpu_seconds && now.at > first.at {
                break;
            }
            assert!(std::time::Instant::now() < end, "it never gets a core");
        }
        assert!(first.rss_bytes > Some(0));
        assert!(first.voluntary_switches.is_some());
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(observer.usage(Detail::Full), None, "it has ended");
    }

    #[test]
    fn a_reused_process_id_is_another_process() {
        let own = std::process::id().cast_signed();
        let mut observer = Observer::new(Root::Processes(vec![(own, 1)]));
        assert_eq!(observer.usage(Detail::Full), None);
    }
}
