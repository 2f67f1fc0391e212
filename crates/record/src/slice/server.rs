//! Resource use of a target during a slice.

use serde::{Deserialize, Serialize};

use crate::slice::compact::{Fields, fields};

/// Resource use of a target between two samples, taken at the start and the end of a slice's
/// window. Unknown values are `None`, never 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ServerUse {
    /// CPU seconds.
    pub cpu_seconds: Option<f64>,
    /// Largest observed resident memory, bytes.
    pub rss_bytes: Option<u64>,
    /// Resident memory at the first sample, bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rss_start_bytes: Option<u64>,
    /// Resident memory at the last sample, bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rss_end_bytes: Option<u64>,
    /// Bytes read from storage.
    pub read_bytes: Option<u64>,
    /// Bytes written to storage.
    pub written_bytes: Option<u64>,
    /// Voluntary context switches: a thread had to wait. Excludes threads that ended between two
    /// samples.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub voluntary_switches: Option<u64>,
    /// Involuntary context switches: a thread that could have continued lost its core.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub involuntary_switches: Option<u64>,
    /// CPU seconds of the busiest process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub busiest_process_seconds: Option<f64>,
    /// CPU seconds of the busiest thread of any process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub busiest_thread_seconds: Option<f64>,
    /// Time for which threads were ready to run and waited for a core, seconds, summed over
    /// threads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waited_for_core_seconds: Option<f64>,
    /// Time between the two samples, seconds, by the observed machine's clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Time by the load generator's clock from the start of the window to the first sample,
    /// seconds. The figures do not include this time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missed_seconds: Option<f64>,
    /// Whether the values cover only the target's processes or the whole host.
    #[serde(skip_serializing_if = "UseScope::is_processes")]
    pub scope: UseScope,
    /// Figures of the target's control group, if the target has a separate control group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<GroupUse>,
}

/// What resource use covers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum UseScope {
    /// The target's processes.
    #[default]
    Processes,
    /// The whole host: the target and all other programs.
    Host,
}

impl UseScope {
    fn is_processes(&self) -> bool {
        *self == Self::Processes
    }
}

/// Resource use of a target's control group (cgroup v2) between two samples. Unlike resident
/// memory, the group's memory includes page cache that the kernel charges to the group.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct GroupUse {
    /// Whether the group contained only the target.
    pub alone: bool,
    /// CPU seconds.
    pub cpu_seconds: Option<f64>,
    /// Memory charged to the group at the last sample, bytes.
    pub memory_bytes: Option<u64>,
    /// Largest memory charged to the group since its creation, bytes.
    pub memory_peak_bytes: Option<u64>,
    /// Number of periods in which the group's CPU quota was exhausted; 0 without a quota.
    pub throttled_periods: Option<u64>,
    /// Time for which the quota throttled the group, microseconds, summed over CPUs.
    pub throttled_us: Option<u64>,
    /// Bytes read from block devices.
    pub read_bytes: Option<u64>,
    /// Bytes written to block devices.
    pub written_bytes: Option<u64>,
}

impl ServerUse {
    /// Merges two consecutive intervals: adds times and counts, and takes the larger peak memory.
    pub fn and(self, next: Self) -> Self {
        Self {
            cpu_seconds: both(self.cpu_seconds, next.cpu_seconds),
            rss_bytes: self.rss_bytes.max(next.rss_bytes),
            rss_start_bytes: self.rss_start_bytes,
            rss_end_bytes: next.rss_end_bytes,
            read_bytes: both(self.read_bytes, next.read_bytes),
            written_bytes: both(self.written_bytes, next.written_bytes),
            voluntary_switches: both(self.voluntary_switches, next.voluntary_switches),
            involuntary_switches: both(self.involuntary_switches, next.involuntary_switches),
            // Unknown, because the intervals can have different busiest processes.
            busiest_process_seconds: None,
            busiest_thread_seconds: None,
            waited_for_core_seconds: None,
            seconds: both(self.seconds, next.seconds),
            missed_seconds: self.missed_seconds,
            scope: next.scope,
            group: self.group.zip(next.group).map(|(one, next)| one.and(next)),
        }
    }
}

impl GroupUse {
    fn and(self, next: Self) -> Self {
        Self {
            alone: self.alone && next.alone,
            cpu_seconds: both(self.cpu_seconds, next.cpu_seconds),
            memory_bytes: next.memory_bytes,
            memory_peak_bytes: next.memory_peak_bytes,
            throttled_periods: both(self.throttled_periods, next.throttled_periods),
            throttled_us: both(self.throttled_us, next.throttled_us),
            read_bytes: both(self.read_bytes, next.read_bytes),
            written_bytes: both(self.written_bytes, next.written_bytes),
        }
    }
}

fields! {
    ServerUse {
        cpu_seconds, rss_bytes, rss_start_bytes, rss_end_bytes, read_bytes, written_bytes,
        voluntary_switches, involuntary_switches, busiest_process_seconds,
        busiest_thread_seconds, waited_for_core_seconds, seconds, missed_seconds, scope,
        group,
    }
    GroupUse {
        alone, cpu_seconds, memory_bytes, memory_peak_bytes, throttled_periods,
        throttled_us, read_bytes, written_bytes,
    }
}

impl Fields for UseScope {
    fn encode(&self, bytes: &mut Vec<u8>) {
        (*self == Self::Host).encode(bytes);
    }

    fn decode(bytes: &mut &[u8]) -> Self {
        if bool::decode(bytes) {
            Self::Host
        } else {
            Self::Processes
        }
    }
}

/// A sum is unknown if one of its parts is unknown.
fn both<T: std::ops::Add<Output = T>>(one: Option<T>, other: Option<T>) -> Option<T> {
    Some(one? + other?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_earlier_versions_stay_readable() {
        let line = r#"{"cpu_seconds":0.5,"rss_bytes":1000,"read_bytes":null,"written_bytes":3}"#;
        let back: ServerUse = serde_json::from_str(line).unwrap();
        assert_eq!((back.cpu_seconds, back.rss_bytes), (Some(0.5), Some(1000)));
        assert_eq!((back.rss_start_bytes, back.seconds), (None, None), "not 0");
        assert_eq!(back.scope, UseScope::Processes);
        assert_eq!(serde_json::to_string(&back).unwrap(), line);
    }

    #[test]
    fn a_sum_with_an_unknown_part_is_unknown_and_memory_is_no_sum() {
        let one = ServerUse {
            cpu_seconds: Some(1.0),
            rss_bytes: Some(10),
            rss_start_bytes: Some(5),
            rss_end_bytes: Some(10),
            read_bytes: Some(1),
            ..ServerUse::default()
        };
        let next = ServerUse {
            cpu_seconds: Some(0.5),
            rss_bytes: Some(8),
            rss_start_bytes: Some(10),
            rss_end_bytes: Some(7),
            ..ServerUse::default()
        };
        let sum = one.and(next);
        assert_eq!((sum.cpu_seconds, sum.read_bytes), (Some(1.5), None));
        let memory = [sum.rss_start_bytes, sum.rss_bytes, sum.rss_end_bytes];
        assert_eq!(memory, [Some(5), Some(10), Some(7)]);
    }
}
