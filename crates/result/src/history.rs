//! Figures over the runs of a directory, as in `tenbin history --json`.

use serde::{Deserialize, Serialize};

use crate::figure::Figure;
use crate::metric::MetricName;
use crate::trust::Trust;

/// Schema version of the history.
pub const HISTORY_SCHEMA: &str = "tenbin.history/1";

/// Figures over the runs of a directory.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct History {
    /// Schema version: `tenbin.history/1`.
    pub schema: String,
    /// Directory of the runs, as given to Tenbin.
    pub directory: String,
    /// Number of runs in the directory.
    pub runs: u64,
    /// One series for each target, workload and figure.
    pub series: Vec<HistorySeries>,
    /// The runs that are in no series, or not in all, each with the reason.
    pub left_out: Vec<LeftOut>,
}

/// One figure of a workload on a target over runs with the same settings, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct HistorySeries {
    /// Name of the target.
    pub target: String,
    /// Name of the workload.
    pub workload: String,
    /// Name of the figure, for example `throughput` or `service_p99`.
    pub metric: MetricName,
    /// Whether higher values are better.
    pub higher_is_better: bool,
    /// Name of the target that the values are divided by; null for absolute figures, which change
    /// with the machine.
    pub anchor: Option<String>,
    /// Whether the target is the anchor, whose ratio to itself says nothing.
    pub is_anchor: bool,
    /// Hash of the settings of the workload. Runs with other settings are left out.
    pub settings: String,
    /// The runs.
    pub points: Vec<HistoryPoint>,
    /// The changes of the level, oldest first; empty without a change, and if `judged` is false.
    pub changes: Vec<HistoryChange>,
    /// Whether there are enough runs to look for changes.
    pub judged: bool,
    /// Standard deviation of the logarithm of the value from run to run, in addition to the
    /// variation inside runs; null if not judged.
    pub between_runs: Option<f64>,
}

/// The figure of one run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct HistoryPoint {
    /// Name of the run.
    pub run: String,
    /// Label of the run; null without a label.
    pub label: Option<String>,
    /// Note of `tenbin note`; null without a note.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Start of the run, RFC 3339, UTC; for imported results, when the file was written.
    pub started: String,
    /// Whether the figure was read from a file of another tool.
    pub imported: bool,
    /// How far the figure can be trusted.
    pub trust: Trust,
    /// The ratio to the anchor, or the absolute figure without an anchor.
    pub value: Option<Figure>,
    /// The absolute figure; null if unknown.
    pub absolute: Option<f64>,
    /// Level of the series at this run; null if not judged.
    pub level: Option<f64>,
    /// Whether the value is far from the level of its neighbours.
    pub outlier: bool,
    /// What is different from the run before in this series.
    pub changed: Vec<Circumstance>,
}

/// A change of the level of a series.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct HistoryChange {
    /// Name of the first run after the change.
    pub run: String,
    /// Start of that run.
    pub started: String,
    /// Name of the last run before the change.
    pub after: String,
    /// Name of the earliest run that can be the first after the change, at a confidence of 95 %.
    pub earliest: String,
    /// Name of the latest run that can be the first after the change.
    pub latest: String,
    /// Level after the change divided by the level before, with its interval.
    pub ratio: Option<Figure>,
    /// Whether the change is for the better.
    pub better: bool,
    /// What else is different between the last run before the change and the first after it.
    pub changed: Vec<Circumstance>,
}

/// A circumstance that differs between two runs. The values can come from a server: untrusted until
/// escaped.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Circumstance {
    /// What it is, for example `kernel`.
    pub what: CircumstanceKind,
    /// Name of the target that it belongs to; null for the machine and the run.
    pub of: Option<String>,
    /// Value in the earlier run.
    pub before: String,
    /// Value in the later run.
    pub after: String,
}

/// What can differ between two runs of one plan.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CircumstanceKind {
    /// Version of a target.
    #[default]
    Version,
    /// Program file of a target: size and modification time.
    Program,
    /// Description of a target: its address or command.
    Description,
    /// `Server` header of a target.
    ServerHeader,
    /// Name of the machine.
    Machine,
    /// Kernel release.
    Kernel,
    /// CPU model.
    Cpu,
    /// Logical cores.
    Cores,
    /// CPU quota of Tenbin or of a target, cores; `unlimited` without a quota.
    CpuQuota,
    /// Main memory.
    Memory,
    /// Frequency governor.
    Governor,
    /// Version of Tenbin.
    Tenbin,
    /// Load generator threads.
    Threads,
    /// Machines that sent the load.
    Agents,
    /// Length of a slice.
    Slice,
}

impl CircumstanceKind {
    /// The word that selects the kind in a message, as in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Version => "version",
            Self::Program => "program",
            Self::Description => "description",
            Self::ServerHeader => "server_header",
            Self::Machine => "machine",
            Self::Kernel => "kernel",
            Self::Cpu => "cpu",
            Self::Cores => "cores",
            Self::CpuQuota => "cpu_quota",
            Self::Memory => "memory",
            Self::Governor => "governor",
            Self::Tenbin => "tenbin",
            Self::Threads => "threads",
            Self::Agents => "agents",
            Self::Slice => "slice",
        }
    }
}

/// A run that is not in a series.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Name of the run directory or file.
    pub run: String,
    /// Series that the run is left out of: target and workload; null if it is in no series.
    pub series: Option<(String, String)>,
    /// The reason.
    pub why: LeftOutWhy,
}

/// Why a run is not in a series.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LeftOutWhy {
    /// The run has no result yet: it is running, or was killed.
    NoResult,
    /// The result cannot be read.
    Unreadable,
    /// The figures are INVALID.
    Invalid,
    /// The settings of the workload are others; the first difference.
    OtherSettings {
        /// Key of the setting, or empty for results of older versions.
        key: String,
        /// Value in this run.
        value: Option<String>,
        /// Value in the newest run of the series.
        newest: Option<String>,
    },
    /// The run did not measure the anchor, or measured no ratio to it.
    NoRatio,
    /// The figure is unknown.
    NoFigure,
}
