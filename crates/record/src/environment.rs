//! The machine and the software versions of a run.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::files::leftovers::Left;
use crate::files::read_back::ReadBack;
use crate::files::request_log::RequestLogSummary;
use crate::slice::machine::DiskUse;
use crate::slice::responses::ExpectedResponse;

/// The machine and the software versions of a run. Unknown values are `None`, never 0.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Environment {
    /// Name of the machine.
    pub hostname: Option<String>,
    /// Operating system and architecture, for example `linux x86_64`.
    pub platform: Option<String>,
    /// Kernel release.
    pub kernel: Option<String>,
    /// CPU model name that the CPU reports.
    pub cpu_model: Option<String>,
    /// Logical cores that this process may use.
    pub cores: Option<u64>,
    /// CPU quota of the control groups of Tenbin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_quota: Option<CpuQuota>,
    /// Main memory, bytes.
    pub memory_bytes: Option<u64>,
    /// Frequency governor of the first core.
    pub governor: Option<String>,
    /// Soft limit of open files for this process.
    pub nofile_limit: Option<u64>,
    /// Version of Tenbin.
    pub tenbin_version: Option<String>,
    /// Compiler that built Tenbin.
    pub rustc_version: Option<String>,
    /// Clock source of the kernel.
    pub clock_source: Option<String>,
    /// Cost of reading the monotonic clock, nanoseconds.
    pub clock_call_ns: Option<f64>,
    /// All agents that sent load: first those that the run began with, in the order of their
    /// numbers; empty if this machine sent the load.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<AgentEnvironment>,
    /// Agents that were lost during the run, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lost_agents: Vec<LostAgent>,
    /// Outages of targets that the run waited out, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outages: Vec<Outage>,
    /// Renewals of temporary keys that were refused, by target and time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refused_renewals: Vec<RefusedRenewal>,
    /// The log of requests; null without a log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_log: Option<RequestLogSummary>,
    /// The environment of every target, by name.
    pub targets: BTreeMap<String, TargetEnvironment>,
    /// Request patterns (method and path) by workload, if requests are drawn from patterns. With
    /// more than 10,000 patterns, the list ends with the last pattern whose search hits were
    /// counted.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub patterns: BTreeMap<String, Vec<String>>,
}

/// CPU time that control groups allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CpuQuota {
    /// The smallest quota of a group and its parents, thousandths of a core.
    Millicores(u64),
    /// No group has a quota.
    Unlimited,
}

/// A load machine on which an agent ran. The agent supplies the texts: untrusted until escaped.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct AgentEnvironment {
    /// Name of the agent.
    pub name: String,
    /// Name of the machine.
    pub hostname: Option<String>,
    /// Logical cores that the agent may use.
    pub cores: u64,
    /// CPU model name that the CPU reports.
    pub cpu_model: Option<String>,
    /// Kernel release.
    pub kernel: Option<String>,
}

/// A part of a run that is void and repeated if an agent is lost or a target stops answering.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RunPart {
    /// Before the warm-up.
    Preparation,
    /// The warm-up before the first slice.
    WarmUp,
    /// A block, by its number from 0.
    Block(u32),
    /// The closed loop before a maximum-rate search.
    FirstRate,
    /// A probe of a maximum-rate search.
    Probe,
    /// A continuous stretch after the rounds.
    Stretch,
}

impl fmt::Display for RunPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Preparation => f.write_str("the preparation"),
            Self::WarmUp => f.write_str("the warm-up"),
            Self::Block(block) => write!(f, "block {}", block + 1),
            Self::FirstRate => f.write_str("the warm-up of the maximum-rate search"),
            Self::Probe => f.write_str("a step of the maximum-rate search"),
            Self::Stretch => f.write_str("the continuous load after the rounds"),
        }
    }
}

/// An agent that was lost during a run that went on. The agent supplies the texts: untrusted until
/// escaped.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct LostAgent {
    /// Name of the agent.
    pub name: String,
    /// What happened; one sentence.
    pub reason: String,
    /// The part of the run that was void and was repeated, for example `block 2`.
    pub during: String,
    /// The same part as data; absent in runs of older versions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<RunPart>,
    /// Names of the agents that sent the load afterwards, in the order of their numbers.
    pub agents: Vec<String>,
    /// Number of the first slice afterwards.
    pub next_slice: u32,
}

/// A host of a target that did not respond before the run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct DeadHost {
    /// Name of the host.
    pub name: String,
    /// Why it did not respond.
    pub reason: String,
    /// Whether no requests were sent to it. Otherwise, its share of the requests was sent to it.
    pub left_out: bool,
}

/// A time in which a target could not be reached, although it had answered before. Times are seconds
/// since the start of the run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Outage {
    /// Name of the target.
    pub target: String,
    /// The most frequent failure, with its count. The target supplies the text: untrusted until
    /// escaped.
    pub reason: String,
    /// The part of the run that was void and was measured again, for example `block 2`.
    pub during: String,
    /// The same part as data; absent in runs of older versions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<RunPart>,
    /// End of the last slice of the target with a correct response; null if there was none.
    pub last_correct: Option<f64>,
    /// Start of the slice without a correct response.
    pub noticed: f64,
    /// When the target answered again.
    pub answered: f64,
}

/// A renewal of the temporary keys of a target that was refused at least once. Times are seconds
/// since the start of the run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct RefusedRenewal {
    /// Name of the target.
    pub target: String,
    /// What should have issued the keys, for example `CreateSession of bucket b--x-s3`.
    pub issuer: String,
    /// Why it refused the last time. The server supplies the text: untrusted until escaped.
    pub reason: String,
    /// Number of refusals.
    pub tries: u64,
    /// The first refusal.
    pub first: f64,
    /// When the old keys expired; null if there were new ones before, or the run ended before.
    pub expired: Option<f64>,
    /// When there were new keys; null if there were none until the end of the load.
    pub renewed: Option<f64>,
}

impl Environment {
    /// Names of the agents that sent the load of slice `slice`, in the order of their numbers.
    /// `count` is their number, which is unknown to the environment before the first loss.
    pub fn agents_of(&self, slice: u32, count: usize) -> Vec<&str> {
        let before = |lost: &&LostAgent| lost.next_slice <= slice;
        match self.lost_agents.iter().rfind(before) {
            Some(lost) => lost.agents.iter().map(String::as_str).collect(),
            None => {
                let first = self.agents.iter().take(count);
                first.map(|agent| agent.name.as_str()).collect()
            }
        }
    }
}

/// The environment of a target. The target supplies the texts: untrusted until escaped.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct TargetEnvironment {
    /// Hosts that did not respond before the run, while others did.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dead_hosts: Vec<DeadHost>,
    /// Why restarts of the target failed that succeeded at the second try; one sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failed_starts: Vec<String>,
    /// Version of the target: as stated in the plan, otherwise as the launched program prints it.
    pub version: Option<String>,
    /// Smallest CPU quota of the control groups of the target's processes on this machine, before the
    /// run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_quota: Option<CpuQuota>,
    /// For a launched target: the program, and the command's arguments that are files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub program: Vec<ProgramFile>,
    /// `Server` header of the target's responses.
    pub server_header: Option<String>,
    /// Hosts of the target and their addresses.
    pub hosts: Vec<HostEnvironment>,
    /// Whether the target's TLS certificate was accepted without a check.
    pub insecure: bool,
    /// Search hits of the first patterns of each workload on one host, by workload name; null if
    /// the response stated no number. Only in runs of older versions; replaced by `asked`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub hits: BTreeMap<String, Vec<Option<u64>>>,
    /// Search hits that each host reported outside the measurement, by workload name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub asked: BTreeMap<String, Vec<HostHits>>,
    /// Expected responses by workload name, if learned.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub responses: BTreeMap<String, ExpectedResponse>,
    /// By workload name: the first response that counts as correct and looks like an error. Untrusted
    /// until escaped.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub suspicious: BTreeMap<String, String>,
    /// By workload name: the header of the checksum that the workload sends, if the target has
    /// acknowledged an object with a wrong one before the run.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub ignored_checksums: BTreeMap<String, String>,
    /// Number of the first line in the head of the first response that ended with a line feed alone,
    /// without a carriage return; null if every line ended with both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bare_line_feed: Option<u64>,
    /// Number of the plan's documents on each host, the same for all hosts, counted after loading;
    /// null if no documents were loaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub records: Option<u64>,
    /// Whether the target was restarted during the run, before each block or each slice.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub relaunched: bool,
    /// Results of a short extra slice with retries after the run, by workload name. Measured only
    /// if the target temporarily refused requests of a workload that does not retry.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub retried: BTreeMap<String, Retried>,
    /// Space on a nearly full filesystem that the target's processes on this machine use, after the
    /// measurement. Read only if the target responded with a status of 500 or above.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearly_full_disk: Option<DiskUse>,
    /// Results of reading back a sample of what was written and deleted, by workload name and
    /// operation; empty for workloads whose writes are not read back.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub read_back: BTreeMap<String, Vec<ReadBack>>,
    /// Data that the run stored on the target and could not remove, at the end of the run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<Left>,
}

/// A file named in a target's command. Size and modification time distinguish builds of the
/// program.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProgramFile {
    /// Path of the file.
    pub path: String,
    /// Size of the file, bytes.
    pub bytes: u64,
    /// Modification time of the file, nanoseconds since 1970-01-01 UTC.
    pub modified_ns: i64,
}

/// A short extra slice of one workload with retries, after the run and with the same load.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Retried {
    /// Length of the extra slice, nanoseconds.
    pub ns: u64,
    /// Maximum number of retries per request.
    pub most: u32,
    /// Operations that succeeded, with or without retries.
    pub ok: u64,
    /// Operations whose last attempt failed.
    pub failed: u64,
    /// Requests that succeeded, counting each attempt.
    pub attempts_ok: u64,
    /// Requests that failed, counting each attempt.
    pub attempts_failed: u64,
}

impl TargetEnvironment {
    /// Total time of the DNS lookups of the target's hosts, nanoseconds; `None` without a lookup.
    /// Each name is looked up once, before the first connection; no other figure includes this
    /// time.
    pub fn name_lookup_ns(&self) -> Option<u64> {
        self.hosts
            .iter()
            .filter_map(|host| host.dns_ns)
            .reduce(u64::saturating_add)
    }

    /// Search hits before the first slice: for each queried host its name, and the hits by pattern.
    /// Empty if no host was queried. Older versions queried only one host, without recording its
    /// name.
    pub fn hits_before(&self, workload: &str) -> Vec<(&str, BTreeMap<u32, Option<u64>>)> {
        if let Some(hosts) = self.asked.get(workload) {
            let pairs = |host: &HostHits| {
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

/// Search hits that one host reported outside the measurement.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct HostHits {
    /// Name of the host.
    pub host: String,
    /// Search hits of each queried pattern before the first slice.
    pub before: Vec<PatternHits>,
    /// Search hits of some of the patterns in `before`, counted again after load; null if not
    /// counted again.
    pub after: Option<Vec<PatternHits>>,
}

/// Search hits of one pattern; stored as a list of three numbers to save space.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(from = "Listed", into = "Listed")]
#[cfg_attr(feature = "schema", schemars(with = "Listed"))]
pub struct PatternHits {
    /// Position among the patterns of the workload, from 0.
    pub pattern: u32,
    /// Number of search hits; null if the response stated no number.
    pub hits: Option<u64>,
    /// Bytes of the response body; null without a response with a success status.
    pub bytes: Option<u64>,
}

/// Stored form of [`PatternHits`]: pattern, hits and bytes.
type Listed = (u32, Option<u64>, Option<u64>);

impl From<Listed> for PatternHits {
    fn from((pattern, hits, bytes): Listed) -> Self {
        Self {
            pattern,
            hits,
            bytes,
        }
    }
}

impl From<PatternHits> for Listed {
    fn from(asked: PatternHits) -> Self {
        (asked.pattern, asked.hits, asked.bytes)
    }
}

/// Name and addresses of a target's host.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct HostEnvironment {
    /// Host name, with the port unless the port is the default of the scheme.
    pub name: String,
    /// The addresses that connections use in turn: `address:port`, or `socket` and a path.
    pub addresses: Vec<String>,
    /// Time of the host's DNS lookup, nanoseconds; unknown if no lookup was needed.
    pub dns_ns: Option<u64>,
}

impl Environment {
    /// Collects the environment of this machine. Takes a few milliseconds; the caller fills
    /// `targets` and `cpu_quota`.
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
            cpu_quota: None,
            memory_bytes: memory_bytes(),
            governor: line_of("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
            nofile_limit: nofile_limit(),
            tenbin_version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            rustc_version: option_env!("TENBIN_RUSTC").map(str::to_owned),
            clock_source: line_of(
                "/sys/devices/system/clocksource/clocksource0/current_clocksource",
            ),
            clock_call_ns: Some(clock_call_ns()),
            agents: Vec::new(),
            lost_agents: Vec::new(),
            outages: Vec::new(),
            refused_renewals: Vec::new(),
            request_log: None,
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

/// The soft limit of open files; `None` if unlimited or unknown.
fn nofile_limit() -> Option<u64> {
    let text = fs::read_to_string("/proc/self/limits").ok()?;
    let line = text
        .lines()
        .find_map(|l| l.strip_prefix("Max open files"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The value of the first line `name : value` with this name in the file at `path`.
fn field_of(path: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    text.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then(|| value.trim().to_owned())
    })
}

/// Cost of reading the clock, nanoseconds: the minimum over several batches, because disturbances
/// only make a batch longer.
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
