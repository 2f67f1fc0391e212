//! What the generator's machine did while a slice's window was open.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the generator's machine did between the opening and the closing of a slice's
/// window. What the system does not tell is `None`, never 0; all of it outside Linux,
/// and in runs of versions that did not look.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MachineUse {
    /// Length of the stretch all this is about, seconds.
    pub seconds: f64,
    /// CPU time of all cores together.
    pub cpu: Option<CpuUse>,
    /// CPU seconds of Tenbin's whole process: the generator threads and the one that
    /// keeps the record.
    pub own_cpu_seconds: Option<f64>,
    /// CPU seconds of whoever is neither Tenbin nor a target of the run. Unknown when a
    /// target that is not observed may run on this machine, and the process that listens on its
    /// port is not seen.
    pub others_cpu_seconds: Option<f64>,
    /// The busiest of these programs, as far as each used at least 1 % of a core; `None`
    /// where nobody looked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub programs: Option<Vec<ProgramUse>>,
    /// What the processes of the slice's target used, by program, the busiest first; `None`
    /// where they are not observed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_programs: Option<Vec<ProgramUse>>,
    /// What programs used in the pause before the slice, in which no target had load.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pause: Option<PauseUse>,
    /// CPU seconds of every other observed target, which had no load, by name.
    pub idle_targets: BTreeMap<String, f64>,
    /// Whether the slice's target runs on this machine.
    pub target_here: Option<bool>,
    /// How long tasks waited for what they needed.
    pub pressure: PressureUse,
    /// What TCP did, in the network namespace of the generator.
    pub tcp: TcpUse,
    /// Pages that went to swap or came back.
    pub swapped_pages: Option<u64>,
    /// Periods in which a CPU quota on the generator ran out.
    pub throttled_periods: Option<u64>,
    /// How long such a quota stopped it, microseconds, added up over its threads.
    pub throttled_us: Option<u64>,
    /// How fast cores ran.
    pub frequency: Option<FrequencyUse>,
    /// Frequency governor of the first core.
    pub governor: Option<String>,
    /// Room for the run directory when the window closed.
    pub disk: Option<DiskUse>,
    /// Network interfaces that were up, loopback left out.
    pub links: Vec<LinkUse>,
    /// Ports that connections to the target can come from.
    pub ports: Option<PortsUse>,
}

/// What a process, or all processes of one name, used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProgramUse {
    /// Its number.
    pub pid: i32,
    /// What the system calls it. Chosen by the program: hostile until escaped.
    pub name: String,
    /// CPU seconds, counted in clock ticks (10 ms).
    pub cpu_seconds: f64,
    /// Resident memory when the window closed, bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rss_bytes: Option<u64>,
    /// Processes that these figures add up; `None` for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processes: Option<u64>,
}

/// What programs used in the pause before a slice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PauseUse {
    /// Length of the pause, seconds.
    pub seconds: f64,
    /// Every program that used any CPU time.
    pub programs: Vec<ProgramUse>,
    /// Connections opened from this machine, to itself included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_opens: Option<u64>,
}

/// CPU time of all cores together, seconds. They add up to `cores` times the stretch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CpuUse {
    /// Cores that run programs.
    pub cores: u64,
    /// Spent on work by programs.
    pub busy: f64,
    /// Spent on interrupts, among them what the network needs.
    pub interrupts: f64,
    /// Nothing to do.
    pub idle: f64,
    /// Nothing to do but wait for storage.
    pub iowait: f64,
    /// Work to do, and taken by other machines on the same hardware.
    pub steal: f64,
}

impl CpuUse {
    /// All of it; `None` for a stretch too short for the kernel's clock ticks.
    pub fn all(&self) -> Option<f64> {
        let all = self.busy + self.interrupts + self.idle + self.iowait + self.steal;
        (all > 0.0).then_some(all)
    }

    /// The share of all of it with nothing to do, waiting for storage included, 0 to 1.
    pub fn idle_share(&self) -> Option<f64> {
        Some((self.idle + self.iowait) / self.all()?)
    }
}

/// Pressure stall time, microseconds: some, or all, tasks with work to do waited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PressureUse {
    /// Some waited for a core.
    pub cpu_some_us: Option<u64>,
    /// Some waited for storage.
    pub io_some_us: Option<u64>,
    /// All waited for storage.
    pub io_full_us: Option<u64>,
    /// Some waited for memory.
    pub memory_some_us: Option<u64>,
    /// All waited for memory.
    pub memory_full_us: Option<u64>,
}

/// What TCP did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TcpUse {
    /// Connections opened from this machine, to itself included, those of the generator among
    /// them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_opens: Option<u64>,
    /// Segments sent, those sent again included.
    pub sent_segments: Option<u64>,
    /// Segments sent again.
    pub retransmitted_segments: Option<u64>,
    /// Connections turned away because a server's accept queue was full, from the
    /// begin of the slice on: most are opened before its window.
    pub listen_overflows: Option<u64>,
    /// Connections turned away for this or any other reason, from the begin of the slice
    /// on.
    pub listen_drops: Option<u64>,
    /// Sockets in TIME_WAIT when the window opened.
    pub time_wait_before: Option<u64>,
    /// Sockets in TIME_WAIT when it closed.
    pub time_wait_after: Option<u64>,
}

/// How fast cores ran, MHz, at the beginning or the end, whichever was faster.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FrequencyUse {
    /// The fastest core.
    pub fastest_mhz: f64,
    /// The most that any core can do.
    pub most_mhz: f64,
}

/// Ports of the generator.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PortsUse {
    /// How many there are.
    pub count: u64,
    /// How long one stays taken after its connection was closed from this side, seconds.
    pub held_seconds: f64,
}

/// Room on a filesystem, bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiskUse {
    /// What Tenbin could still fill.
    pub available_bytes: u64,
    /// What the filesystem has.
    pub size_bytes: u64,
}

/// What went over a network interface.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LinkUse {
    /// Its name, for example `eth0`.
    pub name: String,
    /// Bytes received.
    pub received_bytes: u64,
    /// Bytes sent.
    pub sent_bytes: u64,
    /// Its speed, bits a second, where its driver tells it.
    pub bits_per_second: Option<u64>,
}

/// What the kernel says of a slice's TCP connections, those of its lead and its drain
/// included.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WireUse {
    /// Connections asked, each when it was closed. Where very many are closed in a
    /// second, not all of them.
    pub connections: u64,
    /// Shortest round trip that TCP saw on any of them, nanoseconds: the network
    /// without the server, to the nearest of several hosts.
    pub min_rtt_ns: Option<u64>,
    /// Segments that the generator sent again.
    pub retransmits: u64,
    /// Of those: segments that the peer had received already, as it reported (duplicate selective
    /// acknowledgements). Unknown where the kernel does not say, and in runs of versions that did
    /// not ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unneeded_retransmits: Option<u64>,
    /// Segments that the generator sent, those sent again included. Unknown as before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent_segments: Option<u64>,
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
