//! Resource use of the load generator's machine during a slice's window.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use tenbin_engine::TcpFigures;

use crate::slice::compact::fields;

/// Resource use of the load generator's machine during a slice's window. Values that the system
/// does not report are `None`, never 0. Outside Linux and in runs of older versions all values are
/// `None`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct MachineUse {
    /// Length of the observed time, seconds.
    pub seconds: f64,
    /// CPU time over all cores.
    pub cpu: Option<CpuUse>,
    /// CPU seconds of Tenbin's process (generator threads and the thread that writes the record), and of
    /// the run's agents and hub on this machine.
    pub own_cpu_seconds: Option<f64>,
    /// CPU seconds of programs other than Tenbin and the targets. Unknown if an unobserved target
    /// could run on this machine and no process is found for its port.
    pub others_cpu_seconds: Option<f64>,
    /// The busiest programs other than Tenbin and the targets, each with at least 1 % of a core, at
    /// most 16; `None` if programs were not observed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub programs: Option<Vec<ProgramUse>>,
    /// CPU time of the target's processes by program, the busiest first; `None` if the target is
    /// not observed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_programs: Option<Vec<ProgramUse>>,
    /// CPU time of other programs in the pause before the slice, when no target had load.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pause: Option<PauseUse>,
    /// CPU seconds of every other observed target, by name; these targets had no load.
    pub idle_targets: BTreeMap<String, f64>,
    /// Whether the slice's target runs on this machine.
    pub target_here: Option<bool>,
    /// Pressure stall information: time for which tasks waited for CPU, storage or memory.
    pub pressure: PressureUse,
    /// TCP statistics of the load generator's network namespace.
    pub tcp: TcpUse,
    /// Pages swapped in or out.
    pub swapped_pages: Option<u64>,
    /// Number of periods in which the load generator's CPU quota was exhausted.
    pub throttled_periods: Option<u64>,
    /// Time for which the CPU quota throttled the load generator, microseconds, summed over
    /// threads.
    pub throttled_us: Option<u64>,
    /// Core frequencies.
    pub frequency: Option<FrequencyUse>,
    /// Frequency governor of the first core.
    pub governor: Option<String>,
    /// Disk space for the run directory at the end of the window.
    pub disk: Option<DiskUse>,
    /// Network interfaces that were up, without loopback.
    pub links: Vec<LinkUse>,
    /// Local ports available for connections to the target.
    pub ports: Option<PortsUse>,
}

/// Resource use of a process, or of all processes with the same name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProgramUse {
    /// Process ID, of one of the processes if several are summed.
    pub pid: i32,
    /// Name in the process table. Chosen by the program: untrusted until escaped.
    pub name: String,
    /// CPU seconds, with the kernel's resolution of 10 ms.
    pub cpu_seconds: f64,
    /// Resident memory, bytes, at the end of the observed time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rss_bytes: Option<u64>,
    /// Number of processes summed; `None` for a single process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processes: Option<u64>,
}

/// CPU time of programs in the pause before a slice, when no target had load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PauseUse {
    /// Length of the pause, seconds.
    pub seconds: f64,
    /// Programs other than Tenbin and the targets that used CPU time in the pause.
    pub programs: Vec<ProgramUse>,
    /// CPU time of the targets by name, seconds, as far as their processes are observed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub targets: BTreeMap<String, f64>,
    /// Connections opened from this machine in the pause, including connections to this machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_opens: Option<u64>,
}

/// CPU time over all cores, seconds. The values add up to `cores` times the observed time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CpuUse {
    /// Number of online cores.
    pub cores: u64,
    /// Time running programs.
    pub busy: f64,
    /// Time handling interrupts, including network processing.
    pub interrupts: f64,
    /// Time idle.
    pub idle: f64,
    /// Time idle with outstanding storage I/O.
    pub iowait: f64,
    /// Time that the hypervisor gave to other virtual machines.
    pub steal: f64,
}

impl CpuUse {
    /// Total CPU time; `None` if the observed time is too short for the kernel's clock ticks.
    pub fn all(&self) -> Option<f64> {
        let all = self.busy + self.interrupts + self.idle + self.iowait + self.steal;
        (all > 0.0).then_some(all)
    }

    /// Share of idle time, including iowait, 0 to 1.
    pub fn idle_share(&self) -> Option<f64> {
        Some((self.idle + self.iowait) / self.all()?)
    }
}

/// Pressure stall information of the kernel: time for which tasks waited, microseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct PressureUse {
    /// Time for which at least one task waited for a core.
    pub cpu_some_us: Option<u64>,
    /// Time for which at least one task waited for storage.
    pub io_some_us: Option<u64>,
    /// Time for which all runnable tasks waited for storage.
    pub io_full_us: Option<u64>,
    /// Time for which at least one task waited for memory.
    pub memory_some_us: Option<u64>,
    /// Time for which all runnable tasks waited for memory.
    pub memory_full_us: Option<u64>,
}

/// TCP statistics of a network namespace. Counters cover the window, unless a field states
/// otherwise.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct TcpUse {
    /// Connections opened from this machine, including those of the load generator and connections
    /// to this machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_opens: Option<u64>,
    /// Segments sent, including retransmissions.
    pub sent_segments: Option<u64>,
    /// Segments retransmitted.
    pub retransmitted_segments: Option<u64>,
    /// Connections dropped because a server's accept queue was full. Counted from the start of the
    /// slice, because most connections are opened before the window.
    pub listen_overflows: Option<u64>,
    /// Connections dropped for any reason, counted from the start of the slice.
    pub listen_drops: Option<u64>,
    /// Sockets in TIME_WAIT when the window opened.
    pub time_wait_before: Option<u64>,
    /// Sockets in TIME_WAIT when the window closed.
    pub time_wait_after: Option<u64>,
}

/// Core frequencies, MHz.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FrequencyUse {
    /// Frequency of the fastest core at the start or the end of the window, whichever is higher.
    pub fastest_mhz: f64,
    /// Highest frequency that any core supports.
    pub most_mhz: f64,
}

/// Local ports for the load generator's connections.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PortsUse {
    /// Number of ports.
    pub count: u64,
    /// Time for which a port stays in use after the load generator closed the connection, seconds.
    pub held_seconds: f64,
}

/// Space on a filesystem, bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiskUse {
    /// Space available to Tenbin.
    pub available_bytes: u64,
    /// Size of the filesystem.
    pub size_bytes: u64,
}

/// Traffic of a network interface.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LinkUse {
    /// Name of the interface, for example `eth0`.
    pub name: String,
    /// Bytes received.
    pub received_bytes: u64,
    /// Bytes sent.
    pub sent_bytes: u64,
    /// Speed of the interface, bits per second, if its driver reports the speed.
    pub bits_per_second: Option<u64>,
}

/// TCP statistics of a slice's connections, including its settling time and drain.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WireUse {
    /// Number of connections whose statistics were read on closing: at most 10,000 per second and
    /// thread.
    pub connections: u64,
    /// Shortest round trip on any of these connections, nanoseconds: network time without the
    /// server, to the nearest host.
    pub min_rtt_ns: Option<u64>,
    /// Mean smoothed round trip at the end of these connections, nanoseconds, including network
    /// queues. Unknown without connections, and in runs of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_rtt_ns: Option<u64>,
    /// Segments that the load generator retransmitted.
    pub retransmits: u64,
    /// Unneeded retransmissions: the peer reported, by duplicate selective acknowledgements, that
    /// the segments had already arrived. Unknown if the kernel does not count them, and in runs of
    /// older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unneeded_retransmits: Option<u64>,
    /// Segments that the load generator sent, including retransmissions. Unknown if the kernel does
    /// not count them, and in runs of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent_segments: Option<u64>,
    /// Time in which data that the load generator sent was not yet acknowledged, nanoseconds,
    /// summed over connections. Unknown if the kernel does not count it, and in runs of older
    /// versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sending_ns: Option<u64>,
    /// Segments with data that the load generator received. Unknown if the kernel does not count
    /// them, and in runs of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub received_segments: Option<u64>,
    /// Of `received_segments`: segments that arrived before one sent earlier, because that one was
    /// lost or overtaken. Unknown if the kernel does not count them, and in runs of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub out_of_order_segments: Option<u64>,
}

impl WireUse {
    /// Sent segments that were lost: retransmitted, and not yet received by the peer. `None` if the
    /// kernel does not count unneeded retransmissions.
    pub fn lost_segments(&self) -> Option<u64> {
        Some(self.retransmits.saturating_sub(self.unneeded_retransmits?))
    }
}

impl From<TcpFigures> for WireUse {
    fn from(tcp: TcpFigures) -> Self {
        Self {
            connections: tcp.connections,
            min_rtt_ns: tcp.min_rtt,
            mean_rtt_ns: tcp.rtt_sum.and_then(|sum| sum.checked_div(tcp.connections)),
            retransmits: tcp.retransmits,
            unneeded_retransmits: tcp.unneeded,
            sent_segments: tcp.sent,
            sending_ns: tcp.sending_nanos,
            received_segments: tcp.received,
            out_of_order_segments: tcp.out_of_order,
        }
    }
}

fields! {
    MachineUse {
        seconds, cpu, own_cpu_seconds, others_cpu_seconds, programs, target_programs, pause,
        idle_targets, target_here, pressure, tcp, swapped_pages, throttled_periods,
        throttled_us, frequency, governor, disk, links, ports,
    }
    ProgramUse { pid, name, cpu_seconds, rss_bytes, processes }
    PauseUse { seconds, programs, targets, active_opens }
    CpuUse { cores, busy, interrupts, idle, iowait, steal }
    PressureUse { cpu_some_us, io_some_us, io_full_us, memory_some_us, memory_full_us }
    TcpUse {
        active_opens, sent_segments, retransmitted_segments, listen_overflows, listen_drops,
        time_wait_before, time_wait_after,
    }
    FrequencyUse { fastest_mhz, most_mhz }
    PortsUse { count, held_seconds }
    DiskUse { available_bytes, size_bytes }
    LinkUse { name, received_bytes, sent_bytes, bits_per_second }
    WireUse {
        connections, min_rtt_ns, mean_rtt_ns, retransmits, unneeded_retransmits, sent_segments,
        sending_ns, received_segments, out_of_order_segments,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_unknown_and_not_none_at_all() {
        let back: MachineUse = serde_json::from_str(r#"{"seconds":1.5}"#).unwrap();
        assert_eq!(
            back,
            MachineUse {
                seconds: 1.5,
                ..MachineUse::default()
            }
        );
        let text = serde_json::to_string(&back).unwrap();
        assert!(text.contains(r#""swapped_pages":null"#), "{text}");
        assert!(text.contains(r#""listen_overflows":null"#), "{text}");
    }

    #[test]
    fn waiting_for_storage_is_not_work() {
        let cpu = CpuUse {
            cores: 2,
            busy: 0.75,
            interrupts: 0.25,
            idle: 0.5,
            iowait: 0.25,
            steal: 0.25,
        };
        assert_eq!(cpu.idle_share(), Some(0.375));
        assert_eq!(CpuUse::default().idle_share(), None);
    }
}
