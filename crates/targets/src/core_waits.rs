//! Measures each wait of a thread for a CPU core, in the target and in the load generator.
//!
//! A runnable thread without a core sends and processes no requests. The kernel adds each such wait
//! to the second field of the thread's `schedstat` when the thread gets a core
//! (`Documentation/scheduler/sched-stats.rst`). A sum over a second does not distinguish one wait
//! of 50 ms from fifty waits of 1 ms, so the field is sampled every few milliseconds. Steal time is
//! sampled likewise: while the hypervisor runs another guest on a core, the thread on that core
//! appears to be running.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::os::unix::fs::FileExt as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Shortest sampling period.
const SHORTEST_PERIOD: Duration = Duration::from_millis(2);
/// Longest sampling period.
const LONGEST_PERIOD: Duration = Duration::from_millis(50);
/// Lower bound of the sampling period, as a multiple of the duration of one sample, so that
/// sampling uses at most 2 % of a core.
const MIN_PERIOD_FACTOR: u32 = 50;
/// Time between two searches for new threads.
const THREAD_SEARCH_PERIOD: Duration = Duration::from_millis(250);
/// Maximum number of threads that are sampled.
const MAX_THREADS: u64 = 1_024;
/// Sampling period of steal time, which the kernel counts in clock ticks of 10 ms.
const STEAL_PERIOD: Duration = Duration::from_millis(20);

/// A background thread that samples how long other threads wait for a core. Dropping the value
/// stops the sampling.
#[derive(Debug)]
pub struct CoreWaits {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    is_over: AtomicBool,
    /// Total of the waits since the last call of [`CoreWaits::take`], nanoseconds.
    waited: AtomicU64,
    /// Number of waits since the last call of [`CoreWaits::take`].
    count: AtomicU64,
}

impl CoreWaits {
    /// Samples the threads of `processes`, and all threads that the current process starts from now
    /// on, which are the load generator's. A wait counts if a thread has waited at least `shortest`
    /// between two samples. `descriptors`: number of spare file descriptors; each sampled thread
    /// needs a descriptor. `None` if `processes` have too many threads to sample all of them.
    pub fn watch(processes: Vec<i32>, shortest: Duration, descriptors: u64) -> Option<Self> {
        let mut threads = Threads {
            most: descriptors.min(MAX_THREADS) as usize,
            files: HashMap::new(),
            others: HashSet::new(),
        };
        threads.add_new(&processes);
        if threads.files.len() == threads.most {
            return None;
        }
        let own = std::process::id().cast_signed();
        threads.others = threads_of(own).collect();
        let mut processes = processes;
        processes.push(own);
        let shared = Arc::new(Shared::default());
        let theirs = Arc::clone(&shared);
        let thread = thread::Builder::new()
            .name("core waits".to_owned())
            .spawn(move || watch(&theirs, threads, &processes, shortest))
            .ok()?;
        Some(Self {
            shared,
            thread: Some(thread),
        })
    }

    /// Number of waits since the last call, and their total duration, nanoseconds. Steal time is a
    /// wait too. If several threads waited in the same sampling period, the number includes each of
    /// these waits, but the duration includes only the longest wait.
    pub fn take(&self) -> (u64, u64) {
        let take = |sum: &AtomicU64| sum.swap(0, Ordering::Relaxed);
        (take(&self.shared.count), take(&self.shared.waited))
    }
}

impl Drop for CoreWaits {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn watch(shared: &Shared, mut threads: Threads, processes: &[i32], shortest: Duration) {
    let least = u64::try_from(shortest.as_nanos()).unwrap_or(u64::MAX);
    threads.others.insert((
        processes[processes.len() - 1],
        nix::unistd::gettid().as_raw(),
    ));
    let mut steal = Steal::begin();
    let mut sought = Instant::now();
    while !shared.is_over.load(Ordering::Relaxed) {
        let started = Instant::now();
        if sought.elapsed() >= THREAD_SEARCH_PERIOD {
            threads.add_new(processes);
            sought = started;
        }
        let stolen = steal.as_mut().map_or(0, Steal::sample);
        let (count, longest) = threads.sample(least);
        let waited = longest.max(stolen);
        if waited >= least {
            shared.waited.fetch_add(waited, Ordering::Relaxed);
            shared.count.fetch_add(count.max(1), Ordering::Relaxed);
        }
        let pause = shortest.clamp(SHORTEST_PERIOD, LONGEST_PERIOD);
        thread::sleep(pause.max(started.elapsed() * MIN_PERIOD_FACTOR));
    }
}

/// The `schedstat` file of every sampled thread with its last value, by process and thread id.
#[derive(Debug)]
struct Threads {
    /// Maximum number of sampled threads.
    most: usize,
    files: HashMap<(i32, i32), (File, u64)>,
    /// Threads that are not sampled.
    others: HashSet<(i32, i32)>,
}

impl Threads {
    /// Starts sampling threads that have started since the last call.
    fn add_new(&mut self, processes: &[i32]) {
        for &process in processes {
            for key in threads_of(process) {
                let is_known = self.files.contains_key(&key) || self.others.contains(&key);
                if is_known || self.files.len() >= self.most {
                    continue;
                }
                let file = File::open(format!("/proc/{process}/task/{}/schedstat", key.1));
                let known = file.ok().and_then(|file| {
                    let waited = waited(&file)?;
                    Some((file, waited))
                });
                if let Some(known) = known {
                    self.files.insert(key, known);
                }
            }
        }
    }

    /// Number of threads that have waited at least `least` nanoseconds since the last sample, and
    /// the longest wait of a thread, nanoseconds.
    fn sample(&mut self, least: u64) -> (u64, u64) {
        let (mut count, mut longest) = (0, 0);
        self.files.retain(|_, (file, before)| {
            let Some(now) = waited(file) else {
                return false;
            };
            let waited = now.saturating_sub(*before);
            longest = longest.max(waited);
            count += u64::from(waited >= least);
            *before = now;
            true
        });
        (count, longest)
    }
}

/// Pairs of process id and thread id for the threads of a process.
fn threads_of(process: i32) -> impl Iterator<Item = (i32, i32)> {
    let entries = fs::read_dir(format!("/proc/{process}/task"));
    let names = entries.into_iter().flatten().flatten();
    names.filter_map(move |entry| Some((process, entry.file_name().to_str()?.parse().ok()?)))
}

/// Time that a thread has waited for a core, nanoseconds; `None` if the thread has ended.
fn waited(schedstat: &File) -> Option<u64> {
    // Space for three numbers of at most 20 digits each.
    let mut text = [0; 64];
    let length = schedstat.read_at(&mut text, 0).ok()?;
    let text = std::str::from_utf8(&text[..length]).ok()?;
    text.split_whitespace().nth(1)?.parse().ok()
}

/// Steal time of each core, clock ticks.
#[derive(Debug)]
struct Steal {
    cores: Vec<u64>,
    sampled: Instant,
}

impl Steal {
    /// Starts sampling steal time; `None` if no core has had steal time since boot.
    fn begin() -> Option<Self> {
        let cores = steal_per_core(&fs::read_to_string("/proc/stat").ok()?);
        cores.iter().any(|ticks| *ticks > 0).then(|| Self {
            cores,
            sampled: Instant::now(),
        })
    }

    /// Steal time of the most affected core since the last sample, nanoseconds. Returns 0 if less
    /// than half of the elapsed time was stolen: short interruptions must not count as a long wait.
    fn sample(&mut self) -> u64 {
        let passed = self.sampled.elapsed();
        if passed < STEAL_PERIOD {
            return 0;
        }
        self.sampled = Instant::now();
        let Ok(text) = fs::read_to_string("/proc/stat") else {
            return 0;
        };
        let now = steal_per_core(&text);
        let grown = now.iter().zip(&self.cores);
        let grown = grown.map(|(now, before)| now.saturating_sub(*before));
        let ticks = grown.max().unwrap_or(0);
        self.cores = now;
        let stolen = Duration::from_secs(ticks) / (procfs::ticks_per_second() as u32).max(1);
        if stolen >= STEAL_PERIOD && stolen >= passed / 2 {
            u64::try_from(stolen.as_nanos()).unwrap_or(u64::MAX)
        } else {
            0
        }
    }
}

/// Steal time of each core, clock ticks, from the text of `/proc/stat`.
fn steal_per_core(stat: &str) -> Vec<u64> {
    let cores = stat.lines().skip(1);
    let cores = cores.map_while(|line| line.strip_prefix("cpu"));
    // The fields are user, nice, system, idle, iowait, irq, softirq and steal.
    let steal = cores.filter_map(|line| line.split_whitespace().nth(8)?.parse().ok());
    steal.collect()
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command};

    use super::*;

    #[test]
    fn steal_is_that_of_each_core() {
        let text = "cpu  10 1 5 100 4 2 1 30 7 0\ncpu0 5 0 2 50 2 1 0 10 4 0\n\
                    cpu1 5 1 3 50 2 1 1 20 3 0\nintr 9\n";
        assert_eq!(steal_per_core(text), [10, 20]);
    }

    #[test]
    fn a_process_that_shares_its_core_waits_for_it_and_one_that_sleeps_does_not() {
        let begin = |script: &str| -> Child {
            let mut shell = Command::new("sh");
            shell.args(["-c", script]).spawn().unwrap()
        };
        let cores = thread::available_parallelism().unwrap().get();
        let busy = "while :; do :; done";
        let mut children: Vec<Child> = (0..3 * cores).map(|_| begin(busy)).collect();
        children.push(begin("exec sleep 60"));
        let watch = |child: Option<&Child>| {
            let pid = child.unwrap().id().cast_signed();
            CoreWaits::watch(vec![pid], Duration::from_millis(2), 8).unwrap()
        };
        let (of_busy, of_idle) = (watch(children.first()), watch(children.last()));
        // The sleeping process has already waited once, when it started.
        thread::sleep(Duration::from_millis(100));
        of_idle.take();
        let end = Instant::now() + Duration::from_secs(30);
        let mut waited = 0;
        while waited < 20_000_000 && Instant::now() < end {
            thread::sleep(Duration::from_millis(20));
            waited += of_busy.take().1;
        }
        let (count, idle) = of_idle.take();
        for child in &mut children {
            child.kill().unwrap();
            child.wait().unwrap();
        }
        assert!(waited >= 20_000_000, "{waited} ns");
        assert!(idle < waited, "{count} waits, {idle} ns");
        let own = vec![std::process::id().cast_signed()];
        let without = CoreWaits::watch(own, Duration::from_millis(2), 1);
        assert!(without.is_none(), "no spare descriptor");
    }
}
