//! What the generator's own machine has done so far: the counters of the kernel, read
//! before and after a slice. Differences of two [`Vitals`] are what a slice met.
//!
//! Linux tells most of it; other systems tell nothing. Whatever is missing (a file, a
//! line, a kernel too old) is `None`, which is "unknown" and never "fine".

mod disk;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
mod parse;
mod programs;
#[cfg(target_os = "linux")]
mod quota;
mod whereabouts;

use std::path::{Path, PathBuf};
use std::time::Duration;

pub use disk::DiskSpace;
#[cfg(target_os = "linux")]
pub(crate) use linux::{cpu, swapped_pages};
pub use programs::{Program, programs, programs_of};

/// Bytes of memory that programs could still take: what the kernel calls available, and no more
/// than this process' cgroup grants. `None` where the system does not tell.
pub fn available_memory() -> Option<u64> {
    #[cfg(target_os = "linux")]
    {
        use procfs::Current as _;
        let available = procfs::Meminfo::current().ok()?.mem_available?;
        Some(quota::memory_left().map_or(available, |left| left.min(available)))
    }
    #[cfg(not(target_os = "linux"))]
    None
}

/// What the machine has done since it was started, and how it is now.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Vitals {
    /// CPU time of all cores together.
    pub cpu: Option<CpuTime>,
    /// How long tasks have waited for what they needed.
    pub pressure: Pressure,
    /// What TCP has done, in this process' network namespace.
    pub tcp: Tcp,
    /// Pages that went to swap or came back.
    pub swapped_pages: Option<u64>,
    /// How often and how long the quota of this process' cgroup, or of one above it,
    /// has stopped it.
    pub throttled: Option<Throttled>,
    /// How fast the cores run now.
    pub frequency: Option<Frequency>,
    /// Name of the frequency governor of the first core.
    pub governor: Option<String>,
    /// Room on the filesystem of the watched directory.
    pub disk: Option<DiskSpace>,
    /// Network interfaces that are up, loopback left out, by name.
    pub links: Vec<Link>,
}

/// CPU time of all cores together, seconds since the machine was started. The kernel
/// counts in clock ticks, 10 ms as a rule, a core.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CpuTime {
    /// Cores that run programs.
    pub cores: u64,
    /// Spent on work: user, nice and system. What programs use is in here.
    pub busy: f64,
    /// Spent on interrupts, among them what the network needs; of no program.
    pub interrupts: f64,
    /// Nothing to do.
    pub idle: f64,
    /// Nothing to do but wait for storage.
    pub iowait: f64,
    /// Work to do, and taken by other machines on the same hardware.
    pub steal: f64,
}

impl CpuTime {
    /// All of it.
    pub fn all(&self) -> f64 {
        self.busy + self.interrupts + self.idle + self.iowait + self.steal
    }
}

/// Pressure stall totals, microseconds: time in which some, or all, tasks that had work
/// to do waited for what they needed (the kernel's `Documentation/accounting/psi.rst`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pressure {
    /// Some waited for a core.
    pub cpu_some: Option<u64>,
    /// Some waited for storage.
    pub io_some: Option<u64>,
    /// All waited for storage.
    pub io_full: Option<u64>,
    /// Some waited for memory.
    pub memory_some: Option<u64>,
    /// All waited for memory.
    pub memory_full: Option<u64>,
}

/// Counters of TCP.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tcp {
    /// Connections opened from this machine, to itself included.
    pub active_opens: Option<u64>,
    /// Segments sent, those sent again included.
    pub sent_segments: Option<u64>,
    /// Segments sent again.
    pub retransmitted_segments: Option<u64>,
    /// Connections turned away because a server's accept queue was full.
    pub listen_overflows: Option<u64>,
    /// Connections turned away for this or any other reason.
    pub listen_drops: Option<u64>,
    /// Sockets in TIME_WAIT now.
    pub time_wait: Option<u64>,
}

/// What a cgroup's CPU quota has done, added up over the group and those above it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Throttled {
    /// Periods in which the quota ran out.
    pub periods: u64,
    /// How long tasks were stopped, microseconds.
    pub micros: u64,
}

/// How fast cores run, MHz.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frequency {
    /// The fastest core now.
    pub fastest_mhz: f64,
    /// The most that any core can do.
    pub most_mhz: f64,
}

/// A network interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Its name, for example `eth0`.
    pub name: String,
    /// Bytes received.
    pub received: u64,
    /// Bytes sent.
    pub sent: u64,
    /// Its speed, bits a second, where the driver tells it.
    pub bits_per_second: Option<u64>,
}

/// Reads the vital signs of this machine.
#[derive(Debug, Clone)]
pub struct Monitor {
    directory: PathBuf,
    #[cfg(target_os = "linux")]
    quotas: Vec<quota::Source>,
}

impl Monitor {
    /// Watches this machine, and the room on the filesystem of `directory`.
    pub fn new(directory: &Path) -> Self {
        Self {
            directory: directory.to_owned(),
            #[cfg(target_os = "linux")]
            quotas: quota::sources(),
        }
    }

    /// How it stands now. Costs some small files of `/proc` and `/sys`, about a
    /// millisecond.
    pub fn look(&self) -> Vitals {
        Vitals {
            disk: DiskSpace::of(&self.directory).ok().flatten(),
            #[cfg(target_os = "linux")]
            throttled: quota::read(&self.quotas),
            ..of_kernel()
        }
    }
}

/// The counters of TCP alone.
pub fn tcp() -> Tcp {
    #[cfg(target_os = "linux")]
    return linux::tcp();
    #[cfg(not(target_os = "linux"))]
    Tcp::default()
}

#[cfg(target_os = "linux")]
fn of_kernel() -> Vitals {
    linux::read()
}

#[cfg(not(target_os = "linux"))]
fn of_kernel() -> Vitals {
    Vitals::default()
}

/// Sockets in TIME_WAIT now.
pub fn time_wait() -> Option<u64> {
    #[cfg(target_os = "linux")]
    return linux::time_wait();
    #[cfg(not(target_os = "linux"))]
    None
}

/// First and last port that connections of this machine come from.
pub(crate) fn local_ports() -> Option<(u16, u16)> {
    #[cfg(target_os = "linux")]
    return linux::local_ports();
    #[cfg(not(target_os = "linux"))]
    None
}

/// Ports that connections of this machine come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ports {
    /// How many there are.
    pub count: u64,
    /// How long one stays taken after its connection was closed from this side.
    pub held: Duration,
}

impl Ports {
    /// Those for connections to a target, which may be on this machine; `None` where
    /// the system does not tell.
    pub fn to(target_here: Option<bool>) -> Option<Self> {
        let (first, last) = local_ports()?;
        let reused = match time_wait_reuse() {
            Some(0) => false,
            Some(1) => true,
            // Loopback only, the default of Linux.
            _ => target_here == Some(true),
        };
        Some(Self {
            count: (u64::from(last) + 1).saturating_sub(first.into()),
            held: if reused { REUSED_AFTER } else { TIME_WAIT },
        })
    }
}

/// `TCP_TIMEWAIT_LEN` of Linux' `include/net/tcp.h`.
const TIME_WAIT: Duration = Duration::from_secs(60);
/// `net.ipv4.tcp_tw_reuse` lets a port be taken again after a second (`tcp(7)`,
/// `tcp_twsk_unique` in Linux' `net/ipv4/tcp_ipv4.c`).
const REUSED_AFTER: Duration = Duration::from_secs(1);

fn time_wait_reuse() -> Option<u64> {
    #[cfg(target_os = "linux")]
    return linux::time_wait_reuse();
    #[cfg(not(target_os = "linux"))]
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn this_machine_can_be_looked_at_and_its_counters_only_grow() {
        let monitor = Monitor::new(Path::new("."));
        let before = monitor.look();
        let after = monitor.look();
        let (cpu, later) = (before.cpu.unwrap(), after.cpu.unwrap());
        assert!(cpu.cores > 0 && cpu.busy > 0.0, "{cpu:?}");
        assert!(later.all() >= cpu.all(), "{cpu:?} {later:?}");
        assert!(after.tcp.sent_segments >= before.tcp.sent_segments);
        assert!(before.tcp.time_wait.is_some());
        assert!(before.disk.is_some_and(|disk| disk.size > 0));
        assert!(before.links.iter().all(|link| link.name != "lo"));
        assert!(Ports::to(None).is_some_and(|ports| ports.count > 1));
    }
}
