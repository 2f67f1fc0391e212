//! Kernel counters of the load generator's machine, read before and after a slice. The difference
//! of two [`MachineCounters`] covers the slice.
//!
//! Most counters exist on Linux only. A missing counter (no file, no line, an old kernel) is
//! `None`, which means unknown, never "fine".

mod disk;
#[cfg(target_os = "linux")]
mod linux;
mod location;
#[cfg(target_os = "linux")]
mod parse;
mod programs;
#[cfg(target_os = "linux")]
mod quota;

use std::path::{Path, PathBuf};
use std::time::Duration;

pub use disk::DiskSpace;
#[cfg(target_os = "linux")]
pub(crate) use linux::{cpu, swapped_pages};
pub use programs::{Program, boot_id, programs, programs_of};

/// Memory that programs can still allocate, bytes: the kernel's value of available memory, limited
/// by the cgroup of this process. `None` if unknown.
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

/// CPU time that the control groups of a process allow. A larger quota is greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CpuQuota {
    /// The smallest quota of a group and its parents, thousandths of a core.
    Millicores(u64),
    /// No group has a quota.
    Unlimited,
}

/// The CPU quota of this process; `None` if unknown.
pub fn own_cpu_quota() -> Option<CpuQuota> {
    cpu_quota(i32::try_from(std::process::id()).ok()?)
}

/// The CPU quota of a local process; `None` if unknown.
pub(crate) fn cpu_quota(pid: i32) -> Option<CpuQuota> {
    #[cfg(target_os = "linux")]
    {
        quota::of(&Path::new("/proc").join(pid.to_string()))
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = pid;
        None
    }
}

/// Counters since boot and the current state of the machine.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MachineCounters {
    /// CPU time of all cores.
    pub cpu: Option<CpuTime>,
    /// Time that tasks have waited for resources.
    pub pressure: Pressure,
    /// TCP counters of this process's network namespace.
    pub tcp: Tcp,
    /// Pages swapped in or out since boot.
    pub swapped_pages: Option<u64>,
    /// Throttling by the CPU quotas of this process's cgroup and its parents.
    pub throttled: Option<Throttled>,
    /// Current frequency of the cores.
    pub frequency: Option<Frequency>,
    /// Frequency governor of the first core.
    pub governor: Option<String>,
    /// Space on the filesystem of the directory that was passed to [`MachineMonitor::new`].
    pub disk: Option<DiskSpace>,
    /// Network interfaces that are up, without loopback, sorted by name.
    pub links: Vec<Link>,
}

/// CPU time since boot, seconds, summed over all cores. The kernel counts each core in clock ticks
/// of usually 10 ms.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CpuTime {
    /// Number of online cores.
    pub cores: u64,
    /// User, nice and system time, which includes the CPU time of all programs.
    pub busy: f64,
    /// Time in interrupts, including network interrupts; not part of any program's CPU time.
    pub interrupts: f64,
    /// Idle time.
    pub idle: f64,
    /// Idle time while a task waited for storage.
    pub iowait: f64,
    /// Steal time: a task was ready, but the hypervisor ran other guests.
    pub steal: f64,
}

impl CpuTime {
    /// Sum of all fields except `cores`, seconds.
    pub fn all(&self) -> f64 {
        self.busy + self.interrupts + self.idle + self.iowait + self.steal
    }
}

/// Pressure stall totals since boot, microseconds: time in which at least one task, or all tasks,
/// waited for a resource (the kernel's `Documentation/accounting/psi.rst`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pressure {
    /// Time in which some tasks waited for a core.
    pub cpu_some: Option<u64>,
    /// Time in which some tasks waited for storage.
    pub io_some: Option<u64>,
    /// Time in which all tasks waited for storage.
    pub io_full: Option<u64>,
    /// Time in which some tasks waited for memory.
    pub memory_some: Option<u64>,
    /// Time in which all tasks waited for memory.
    pub memory_full: Option<u64>,
}

/// TCP counters of a network namespace since boot.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tcp {
    /// Connections opened by this machine, including connections to itself.
    pub active_opens: Option<u64>,
    /// Segments sent, including retransmissions.
    pub sent_segments: Option<u64>,
    /// Segments retransmitted.
    pub retransmitted_segments: Option<u64>,
    /// Connections dropped because a server's accept queue was full.
    pub listen_overflows: Option<u64>,
    /// Incoming connections dropped for any reason, including full accept queues.
    pub listen_drops: Option<u64>,
    /// Sockets in TIME_WAIT now.
    pub time_wait: Option<u64>,
}

/// Throttling by CPU quotas, summed over a cgroup and its parents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Throttled {
    /// Number of quota periods in which a quota was exhausted.
    pub periods: u64,
    /// Time for which tasks were throttled, microseconds.
    pub micros: u64,
}

/// Frequency of the cores, MHz.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frequency {
    /// Current frequency of the fastest core.
    pub fastest_mhz: f64,
    /// Highest frequency that any core supports.
    pub most_mhz: f64,
}

/// A network interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Name, for example `eth0`.
    pub name: String,
    /// Bytes received since boot.
    pub received: u64,
    /// Bytes sent since boot.
    pub sent: u64,
    /// Speed, bits per second; `None` if the driver does not report it.
    pub bits_per_second: Option<u64>,
}

/// Reads the counters of this machine.
#[derive(Debug, Clone)]
pub struct MachineMonitor {
    directory: PathBuf,
    #[cfg(target_os = "linux")]
    quotas: Vec<quota::Source>,
}

impl MachineMonitor {
    /// Creates a monitor of this machine and of the filesystem that holds `directory`.
    pub fn new(directory: &Path) -> Self {
        Self {
            directory: directory.to_owned(),
            #[cfg(target_os = "linux")]
            quotas: quota::sources(),
        }
    }

    /// Reads all counters, which takes about a millisecond.
    pub fn read(&self) -> MachineCounters {
        MachineCounters {
            disk: DiskSpace::of(&self.directory).ok().flatten(),
            #[cfg(target_os = "linux")]
            throttled: quota::read(&self.quotas),
            ..of_kernel()
        }
    }
}

/// TCP counters of this process's network namespace.
pub fn tcp() -> Tcp {
    #[cfg(target_os = "linux")]
    return linux::tcp();
    #[cfg(not(target_os = "linux"))]
    Tcp::default()
}

#[cfg(target_os = "linux")]
fn of_kernel() -> MachineCounters {
    linux::read()
}

#[cfg(not(target_os = "linux"))]
fn of_kernel() -> MachineCounters {
    MachineCounters::default()
}

/// Number of sockets in TIME_WAIT now.
pub fn time_wait() -> Option<u64> {
    #[cfg(target_os = "linux")]
    return linux::time_wait();
    #[cfg(not(target_os = "linux"))]
    None
}

/// First and last local port for outgoing connections; `None` if unknown.
pub(crate) fn local_ports() -> Option<(u16, u16)> {
    #[cfg(target_os = "linux")]
    return linux::local_ports();
    #[cfg(not(target_os = "linux"))]
    None
}

/// Local ports that outgoing connections can use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ports {
    /// Number of ports.
    pub count: u64,
    /// How long a port stays in use after the load generator has closed its connection.
    pub held: Duration,
}

impl Ports {
    /// Local ports for connections to a target. `target_here`: whether the target is on this
    /// machine. `None` if the port range is unknown.
    pub fn to(target_here: Option<bool>) -> Option<Self> {
        let (first, last) = local_ports()?;
        let reused = match time_wait_reuse() {
            Some(0) => false,
            Some(1) => true,
            // 2, the default of `tcp_tw_reuse`, allows reuse for loopback only.
            _ => target_here == Some(true),
        };
        Some(Self {
            count: (u64::from(last) + 1).saturating_sub(first.into()),
            held: if reused { REUSED_AFTER } else { TIME_WAIT },
        })
    }
}

/// How long Linux keeps a socket in TIME_WAIT: `TCP_TIMEWAIT_LEN` of `include/net/tcp.h`.
const TIME_WAIT: Duration = Duration::from_secs(60);
/// Time after which `net.ipv4.tcp_tw_reuse` allows reusing a port (`tcp(7)`, `tcp_twsk_unique` in
/// Linux' `net/ipv4/tcp_ipv4.c`).
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
    fn the_counters_of_this_machine_only_grow() {
        let monitor = MachineMonitor::new(Path::new("."));
        let before = monitor.read();
        let after = monitor.read();
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
