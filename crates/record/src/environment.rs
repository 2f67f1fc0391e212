//! The machine and the versions a run was taken with.

use std::collections::BTreeMap;
use std::fs;
use std::time::Instant;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::responses::ExpectedResponse;

/// The machine and the versions a run was taken with. What is not known is
/// `None`, never 0.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Environment {
    /// Name of the machine.
    pub hostname: Option<String>,
    /// Operating system and architecture, for example `linux x86_64`.
    pub platform: Option<String>,
    /// Kernel release.
    pub kernel: Option<String>,
    /// CPU model, as the CPU names itself.
    pub cpu_model: Option<String>,
    /// Logical cores that this process may use.
    pub cores: Option<u64>,
    /// Main memory, bytes.
    pub memory_bytes: Option<u64>,
    /// Frequency governor of the first core.
    pub governor: Option<String>,
    /// Open files this process may have.
    pub nofile_limit: Option<u64>,
    /// Version of Tenbin.
    pub tenbin_version: Option<String>,
    /// Compiler that built Tenbin.
    pub rustc_version: Option<String>,
    /// What the kernel tells the time by.
    pub clock_source: Option<String>,
    /// Cost of one reading of the monotonic clock, nanoseconds.
    pub clock_call_ns: Option<f64>,
    /// What is known of every target, by its name.
    pub targets: BTreeMap<String, TargetEnvironment>,
    /// The patterns that requests are drawn from, method and path each, by workload; of
    /// very many only those that were asked for their hits.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub patterns: BTreeMap<String, Vec<String>>,
}

/// What is known of a target. Its own words: hostile until escaped.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TargetEnvironment {
    /// Its version, as the plan says it.
    pub version: Option<String>,
    /// Of a launched target: its program and the arguments of its command that are files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub program: Vec<ProgramFile>,
    /// The `Server` header of its answers.
    pub server_header: Option<String>,
    /// Its hosts and where they are.
    pub hosts: Vec<HostEnvironment>,
    /// Its certificate was not checked.
    pub insecure: bool,
    /// Hits that one of its hosts found for the first patterns of each workload, by the
    /// workload's name, null for one whose answer told no number: what versions before
    /// `asked` wrote.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub hits: BTreeMap<String, Vec<Option<u64>>>,
    /// What each of its hosts found when it was asked apart from the measuring, by the
    /// workload's name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub asked: BTreeMap<String, Vec<HostAsked>>,
    /// The responses that are expected of it, where they are learnt, by the workload's name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub responses: BTreeMap<String, ExpectedResponse>,
    /// Records that each of its hosts has of the plan's pages, counted after they were loaded;
    /// null where none were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub records: Option<u64>,
    /// It was started again, on its data, during the run: before each block or each slice.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub relaunched: bool,
    /// What came of a short stretch with retries after the run, by the workload's name: of
    /// workloads without retries that the target refused for the moment.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub retried: BTreeMap<String, Retried>,
}

/// A file that a target's command names: its size and time tell one build from another.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProgramFile {
    /// Where it was.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// When its content was last written, nanoseconds since 1970.
    pub modified_ns: i64,
}

/// A short stretch of one workload after the run, at the same load, in which refused requests
/// were sent again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Retried {
    /// Length of the stretch, nanoseconds.
    pub ns: u64,
    /// Retries of a request, at most.
    pub most: u32,
    /// Operations that succeeded, retries included.
    pub ok: u64,
    /// Operations that failed with their last attempt.
    pub failed: u64,
    /// Requests that succeeded.
    pub attempts_ok: u64,
    /// Requests that failed.
    pub attempts_failed: u64,
}

impl TargetEnvironment {
    /// How long looking up the names of its hosts took, nanoseconds, one after the
    /// other: it happens once, before the first connection, and is part of no other
    /// figure. Unknown also where there was no name to look up.
    pub fn name_lookup_ns(&self) -> Option<u64> {
        self.hosts
            .iter()
            .filter_map(|host| host.dns_ns)
            .reduce(u64::saturating_add)
    }

    /// What each host that was asked found before anything was measured, by pattern;
    /// empty if none was asked. Older versions asked one host, and did not say which.
    pub fn hits_before(&self, workload: &str) -> Vec<(&str, BTreeMap<u32, Option<u64>>)> {
        if let Some(hosts) = self.asked.get(workload) {
            let pairs = |host: &HostAsked| {
                let all = host.before.iter();
                all.map(|one| (one.pattern, one.hits)).collect()
            };
            let hosts = hosts.iter();
            return hosts
                .map(|host| (host.host.as_str(), pairs(host)))
                .collect();
        }
        let numbered = |hits: &Vec<Option<u64>>| (0..).zip(hits.iter().copied()).collect();
        let hits = self.hits.get(workload).map(numbered);
        hits.map(|hits| ("", hits)).into_iter().collect()
    }
}

/// What one host found when it was asked apart from the measuring.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct HostAsked {
    /// Its name.
    pub host: String,
    /// Each pattern that it was asked before anything was measured.
    pub before: Vec<PatternAsked>,
    /// Each that it was asked again once there had been load: some of the same; null if it
    /// was not asked.
    pub after: Option<Vec<PatternAsked>>,
}

/// One pattern and its answer; in files the three as a list, since there may be many.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "Listed", into = "Listed")]
#[schemars(with = "Listed")]
pub struct PatternAsked {
    /// Its position among those of the workload, from 0.
    pub pattern: u32,
    /// The number of hits; null if the answer told none.
    pub hits: Option<u64>,
    /// Bytes of the answer's body; null if there was no correct one.
    pub bytes: Option<u64>,
}

/// Pattern, hits and bytes.
type Listed = (u32, Option<u64>, Option<u64>);

impl From<Listed> for PatternAsked {
    fn from((pattern, hits, bytes): Listed) -> Self {
        Self {
            pattern,
            hits,
            bytes,
        }
    }
}

impl From<PatternAsked> for Listed {
    fn from(asked: PatternAsked) -> Self {
        (asked.pattern, asked.hits, asked.bytes)
    }
}

/// Where a host of a target is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct HostEnvironment {
    /// Host and, unless it is the scheme's own, port.
    pub name: String,
    /// The addresses that connections go to in turn: `address:port`, or `socket`
    /// and a path.
    pub addresses: Vec<String>,
    /// How long the system took to resolve its name, nanoseconds; unknown when it
    /// was not asked.
    pub dns_ns: Option<u64>,
}

impl Environment {
    /// Looks around. Takes a few milliseconds; `targets` is left empty for the
    /// caller, who knows them.
    pub fn collect() -> Self {
        Self {
            hostname: line_of("/proc/sys/kernel/hostname"),
            platform: Some(format!(
                "{} {}",
                std::env::consts::OS,
                std::env::consts::ARCH
            )),
            kernel: line_of("/proc/sys/kernel/osrelease"),
            cpu_model: cpu_model(),
            cores: std::thread::available_parallelism()
                .ok()
                .map(|cores| cores.get() as u64),
            memory_bytes: memory_bytes(),
            governor: line_of("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
            nofile_limit: nofile_limit(),
            tenbin_version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            rustc_version: option_env!("TENBIN_RUSTC").map(str::to_owned),
            clock_source: line_of(
                "/sys/devices/system/clocksource/clocksource0/current_clocksource",
            ),
            clock_call_ns: Some(clock_call_ns()),
            targets: BTreeMap::new(),
            patterns: BTreeMap::new(),
        }
    }
}

fn line_of(path: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().next()?.trim();
    (!line.is_empty()).then(|| line.to_owned())
}

fn cpu_model() -> Option<String> {
    field_of("/proc/cpuinfo", "model name")
}

fn memory_bytes() -> Option<u64> {
    let text = field_of("/proc/meminfo", "MemTotal")?;
    let kibibytes: u64 = text.strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

/// The soft limit; `None` also when there is no limit.
fn nofile_limit() -> Option<u64> {
    let text = fs::read_to_string("/proc/self/limits").ok()?;
    let line = text
        .lines()
        .find_map(|l| l.strip_prefix("Max open files"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The value of the first `name : value` line.
fn field_of(path: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    text.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then(|| value.trim().to_owned())
    })
}

/// The best of several batches: whatever disturbs a batch makes it longer.
fn clock_call_ns() -> f64 {
    const CALLS: u32 = 1_000;
    (0..20)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..CALLS {
                std::hint::black_box(Instant::now());
            }
            start.elapsed().as_nanos() as f64 / f64::from(CALLS)
        })
        .fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_unknown_is_null_and_reads_back_as_unknown() {
        let text = serde_json::to_string(&Environment::default()).unwrap();
        assert!(text.contains(r#""memory_bytes":null"#), "{text}");
        let back: Environment = serde_json::from_str("{}").unwrap();
        assert_eq!(back, Environment::default());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_machine_is_known() {
        let here = Environment::collect();
        assert!(here.kernel.is_some());
        assert!(here.memory_bytes.is_some_and(|bytes| bytes > 1 << 20));
        assert!(here.nofile_limit.is_some_and(|files| files > 3));
        let clock = here.clock_call_ns.unwrap();
        assert!(clock > 0.0 && clock < 1e6, "{clock}");
    }
}
