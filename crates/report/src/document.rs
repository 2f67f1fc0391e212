//! The result of a run as one document: what `result.json` holds and `--json`
//! prints, and what every other report is made from.
//!
//! Times are seconds, sizes are bytes, rates are per second, shares run from 0 to 1.
//! What is not known is `null`, never 0.

mod asked;
mod capacity;
mod earlier;
mod nodes;
mod search;
mod single;
mod slice;
mod stages;
mod workload;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenbin_record::{Environment, SearchUse, UseScope};

pub use asked::{Expectation, ExpectedUnit, Optimum, RunEnded, Standing};
pub use capacity::{Capacity, CapacityComparison, CapacityLevel, Knee, UslResult};
pub use earlier::{ControlRange, Doubt, Earlier, EarlierChange, EarlierPart, EarlierWord};
pub use nodes::{NodeLadder, NodeStep};
pub use search::{RateComparison, Search, SearchLimit, SearchOutcome, SearchProbe};
pub use single::{CacheHits, PatternResult, SingleResult};
pub use slice::SliceFigures;
pub use stages::{StageBand, StageBandResult, StageResult, StagesOf};
pub use workload::{Setting, Share, Subject, Workload};

/// Version of the document. A reader that knows it can read all its fields;
/// fields may be added without a new version.
pub const SCHEMA: &str = "tenbin.result/1";

/// The result of a run. Times are seconds, sizes are bytes, rates are per second,
/// shares run from 0 to 1. What is not known is null, never 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Document {
    /// Version of this document: `tenbin.result/1`.
    pub schema: String,
    /// The run.
    pub run: Run,
    /// Whether the numbers can be trusted: as far as the worst finding allows.
    pub trust: Trust,
    /// How far absolute figures can be trusted; in documents of older versions as `trust`. On a busy
    /// machine the ratio of two targets can stand, and absolute figures cannot.
    #[serde(default)]
    pub absolute: Option<AbsoluteTrust>,
    /// One sentence for each primary comparison, or one that says why there is none.
    pub verdicts: Vec<String>,
    /// What was observed about the run: what makes the numbers unusable first, then what set a
    /// ratio or a limit, then the circumstances.
    pub findings: Vec<Finding>,
    /// Every challenger against the baseline, its twin too, by workload and figure.
    pub comparisons: Vec<Comparison>,
    /// Every challenger against the baseline over all levels of each sweep of connections, its twin
    /// too: in each block the geometric mean of the ratios of the levels. There `workload` is what
    /// the names of the levels have in common.
    #[serde(default)]
    pub curves: Vec<Comparison>,
    /// Workloads against the first of them on each target, where the plan compares workloads. There
    /// `workload` is the target, and `baseline` and `challenger` are workloads.
    #[serde(default)]
    pub workload_comparisons: Vec<Comparison>,
    /// Every workload on every target.
    pub results: Vec<ResultOf>,
    /// The systems under test, in the plan's order; `run.baseline` says which of them
    /// is the baseline.
    pub targets: Vec<Target>,
    /// What was sent to them.
    pub workloads: Vec<Workload>,
    /// The machine and the versions.
    pub environment: Environment,
    /// The figures of every slice, in the order of the run.
    pub slices: Vec<SliceFigures>,
    /// Which target suits which use of an object store, as far as the comparisons say.
    #[serde(default)]
    pub use_cases: Vec<UseCase>,
    /// What came of everything that was expected.
    #[serde(default)]
    pub expectations: Vec<Expectation>,
    /// The optimum of every sweep at every workload.
    #[serde(default)]
    pub optima: Vec<Optimum>,
    /// What the nodes of clusters are worth, by cluster and workload.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<NodeLadder>,
    /// What each target can do at most, by ladder of connections (`--ramp`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub capacities: Vec<Capacity>,
    /// The challengers at their capacity against the baseline.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub capacity_comparisons: Vec<CapacityComparison>,
    /// The highest rates within an objective (`--slo`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub searches: Vec<Search>,
    /// Those of the challengers against that of the baseline.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rate_comparisons: Vec<RateComparison>,
    /// How this run stands against an earlier one, if it was compared with any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earlier: Option<Earlier>,
}

/// The run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Run {
    /// Name of its directory.
    pub id: String,
    /// Where its directory was, as Tenbin was told.
    pub directory: String,
    /// Name of the plan.
    pub name: String,
    /// When it began, RFC 3339, UTC.
    pub started: String,
    /// Whether every slice of the plan was measured.
    pub complete: bool,
    /// Slices that the plan asks for. Of a search for a rate it is not known how many
    /// there are going to be: they are not among them.
    pub planned_slices: u64,
    /// Seed of every random choice.
    pub seed: u64,
    /// Generator threads.
    pub threads: u64,
    /// The target that the others are compared with; null in documents of versions
    /// that did not say, where it is the first.
    #[serde(default)]
    pub baseline: Option<String>,
    /// The baseline's twin, if it has one.
    #[serde(default)]
    pub twin: Option<String>,
    /// How far apart two targets may be and still be equivalent, as a share.
    #[serde(default)]
    pub margin: Option<f64>,
    /// How well the deciding ratios had to be known for the run to end, as a share;
    /// null when the number of rounds was fixed.
    #[serde(default)]
    pub until: Option<f64>,
    /// Why the run ended when it did; null when it is incomplete.
    #[serde(default)]
    pub ended: Option<RunEnded>,
    /// Rounds that the plan asks for, or that were done if it left that open.
    pub rounds: u32,
    /// Length of a slice.
    pub slice_seconds: f64,
    /// Unmeasured work before the first slice.
    pub warmup_seconds: f64,
}

/// A figure as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Figure {
    /// The figure.
    pub value: f64,
    /// Its interval; null when there were too few observations for one.
    pub interval: Option<Interval>,
    /// Independent observations behind it: slices, or blocks for a ratio.
    pub n: u64,
}

/// Where a figure lies, with a confidence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Confidence that the interval really has, 0 to 1.
    pub confidence: f64,
}

/// A use of an object store and what the run says about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UseCase {
    /// What it is.
    pub name: String,
    /// Which target suits it, or why none is named.
    pub choice: String,
    /// The target that suits it; null when none is named.
    pub target: Option<String>,
    /// The comparisons behind that, a clause each.
    pub because: Vec<String>,
}

/// How far absolute figures can be trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AbsoluteTrust {
    /// Never more than that of the run.
    pub trust: Trust,
    /// Why not, if the reason concerns absolute figures only: what was observed of each workload on
    /// each target.
    pub because: Vec<String>,
}

/// Whether numbers can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    /// Nothing speaks against them.
    Valid,
    /// They may mislead.
    Suspect,
    /// They cannot be believed.
    Invalid,
}

/// One observation about a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// Name of the rule that made it.
    pub rule: String,
    /// How much it matters.
    pub severity: Severity,
    /// Who has to change something: `generator`, `network`, `server`, `setup` or `question`.
    pub blame: String,
    /// The workload it is about; all of them when null.
    pub workload: Option<String>,
    /// The target it is about; all of them when null.
    pub target: Option<String>,
    /// What was seen.
    pub evidence: String,
    /// What to do.
    pub advice: String,
}

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing; the numbers stand.
    Note,
    /// The numbers may mislead.
    Suspect,
    /// The numbers cannot be believed.
    Invalid,
}

/// One challenger against the baseline at one workload, by one figure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// Name of the workload.
    pub workload: String,
    /// The target compared with.
    pub baseline: String,
    /// The target that is compared.
    pub challenger: String,
    /// By what, for machines: for example `throughput` or `service_p99`.
    pub metric: String,
    /// By what, for people.
    pub metric_phrase: String,
    /// Whether more is better.
    pub higher_is_better: bool,
    /// Whether this is the figure that decides the workload.
    pub primary: bool,
    /// At a level of a sweep of connections: the name of the sweep. The level is no question
    /// beside the curve, its interval holds for it alone, and it is called different only where
    /// the curve is.
    #[serde(default)]
    pub level_of: Option<String>,
    /// Whether the challenger is the baseline's twin: then the ratio is noise.
    #[serde(default)]
    pub twin: bool,
    /// The challenger's figure divided by the baseline's. The interval is the one that decides; its
    /// confidence is that of this interval taken alone, see `together`.
    pub ratio: Option<Figure>,
    /// The comparisons whose intervals hold together, this one among them; null where it
    /// stands alone, and in documents of versions that corrected p-values only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub together: Option<Together>,
    /// The ratio in each complete block, in the order of the run.
    pub block_ratios: Vec<f64>,
    /// Of a primary figure with flagged slices on either side: the ratio without the
    /// blocks that they are in.
    #[serde(default)]
    pub without_flagged: Option<Figure>,
    /// The smallest effect that is called a difference, as a share.
    #[serde(default)]
    pub noise_floor: Option<f64>,
    /// Rounds that make one block.
    pub rounds_per_block: u64,
    /// Two-sided signed-rank p-value of "no difference".
    pub p: Option<f64>,
    /// The same after Bonferroni's correction over the primary figures: at most 0.05 exactly where
    /// the interval excludes 1. Earlier versions used Holm's correction.
    pub adjusted_p: Option<f64>,
    /// What it says of the challenger.
    pub outcome: Outcome,
    /// How far that can be trusted.
    pub trust: Trust,
    /// All of that in one sentence.
    pub sentence: String,
}

/// Comparisons whose intervals hold together.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Together {
    /// How many.
    pub comparisons: u64,
    /// Confidence with which all their intervals are right at once, 0 to 1.
    pub confidence: f64,
}

/// What a comparison says of the challenger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Outcome {
    /// It is faster than the baseline.
    Faster,
    /// It is slower than the baseline.
    Slower,
    /// It costs the server less.
    Cheaper,
    /// It costs the server more.
    Dearer,
    /// The whole interval lies within the margin.
    Equivalent {
        /// The margin, as a share.
        within: f64,
    },
    /// The interval allows more than one of the above.
    Inconclusive {
        /// The smallest difference, as a share, that would have shown.
        detectable: Option<f64>,
        /// A difference, as a share, that more rounds would show.
        aim: f64,
        /// How many rounds in all that takes; null when beyond reason.
        rounds_needed: Option<u64>,
    },
    /// There is no ratio.
    Unknown {
        /// Why not.
        why: String,
    },
}

impl Outcome {
    /// Whether it calls the two different.
    pub fn is_different(&self) -> bool {
        matches!(
            self,
            Self::Faster | Self::Slower | Self::Cheaper | Self::Dearer
        )
    }

    /// The word for it.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::Cheaper => "cheaper",
            Self::Dearer => "dearer",
            Self::Equivalent { .. } => "equivalent",
            Self::Inconclusive { .. } => "cannot tell",
            Self::Unknown { .. } => "unknown",
        }
    }
}

/// One workload on one target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ResultOf {
    /// Name of the workload.
    pub workload: String,
    /// Name of the target.
    pub target: String,
    /// Slices that ran their full time.
    pub slices: u64,
    /// Slices cut short.
    pub cut_short: u64,
    /// Work done, over all slices: correct answers, those to steps not among them, and
    /// wholes completed.
    pub ok: u64,
    /// Work that failed, over all slices.
    pub failed: u64,
    /// Work done a second.
    pub throughput: Option<Figure>,
    /// CPU seconds of the target for a piece of work done.
    pub server_cpu: Option<Figure>,
    /// Work done for a CPU second of the target, that is for a core that is busy for a
    /// second: the inverse of `server_cpu`.
    #[serde(default)]
    pub per_core_second: Option<Figure>,
    /// Whose CPU and memory are told; null where the target was not observed, and in
    /// documents of versions that knew of its processes only.
    #[serde(default)]
    pub scope: Option<UseScope>,
    /// Resident memory of the target when its first slice began: one observation.
    #[serde(default)]
    pub rss_start_bytes: Option<u64>,
    /// Largest resident memory of the target that was seen.
    pub peak_rss_bytes: Option<u64>,
    /// Resident memory of the target when its last slice ended: one observation.
    #[serde(default)]
    pub rss_end_bytes: Option<u64>,
    /// Bytes that the target read from storage for a piece of work done.
    #[serde(default)]
    pub read_bytes: Option<Figure>,
    /// Bytes that the target wrote to storage for a piece of work done.
    pub written_bytes: Option<Figure>,
    /// Bytes that the target wrote to storage for a byte it was given to store;
    /// null for workloads that store none.
    #[serde(default)]
    pub written_per_stored: Option<Figure>,
    /// How often a thread of the target had to wait, for a piece of work done.
    #[serde(default)]
    pub voluntary_switches: Option<Figure>,
    /// How often a thread of the target lost its core, for a piece of work done.
    #[serde(default)]
    pub involuntary_switches: Option<Figure>,
    /// What each program of the target costs, and programs that are not observed and were busy
    /// only while the target had load.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub processes: Vec<ProcessCost>,
    /// Why the cost is unknown and how to change that; null where the target is observed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_observed: Option<String>,
    /// What the target's control group says; null where it has none of its own.
    #[serde(default)]
    pub group: Option<GroupResult>,
    /// CPU seconds of the generator for a piece of work of any outcome.
    pub client_cpu: Option<Figure>,
    /// Bytes that Tenbin's process allocated for an operation of any outcome.
    #[serde(default)]
    pub client_allocated_bytes: Option<Figure>,
    /// Allocations of Tenbin's process for an operation of any outcome.
    #[serde(default)]
    pub client_allocations: Option<Figure>,
    /// Share of a core that the busiest generator thread used.
    pub client_busiest_thread: Option<Figure>,
    /// What happened to connections; null where there are none, as for blobs in files, and
    /// in documents of versions that did not say.
    #[serde(default)]
    pub connections: Option<Connections>,
    /// Each of the target's hosts, over all operations; empty when there is but one.
    #[serde(default)]
    pub hosts: Vec<HostResult>,
    /// Each of the workload's operations.
    pub operations: Vec<OperationResult>,
    /// The slowest requests of all slices, where they are drawn from patterns; those
    /// that no answer came to are among them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slowest: Vec<SingleResult>,
    /// The fastest that were answered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fastest: Vec<SingleResult>,
    /// Each of the patterns that was sent; empty where there are too many of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub patterns: Vec<PatternResult>,
    /// What its cache was expected to do and did, where that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<CacheHits>,
    /// What the search server reported of its memory and index over all slices; left out for
    /// servers that report nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<SearchUse>,
    /// What the target told of its own stages, by operation; empty if that was not asked
    /// for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<StagesOf>,
}

/// What the processes of one name cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProcessCost {
    /// What the system calls the program. Chosen by the program: escape before showing.
    pub name: String,
    /// Processes of that name: the most that were seen at a time.
    pub processes: u64,
    /// Whether they are observed; if so, they are part of the target's figures.
    pub observed: bool,
    /// Process numbers of what is not observed; otherwise the number of one process.
    pub pids: Vec<i32>,
    /// CPU seconds for a piece of work done by the target.
    pub cpu: Option<Figure>,
    /// Largest resident memory at the end of a slice, bytes.
    pub rss_bytes: Option<u64>,
}

/// What the control group (cgroup v2) of a target says. Unlike resident memory its memory
/// includes the files that the kernel keeps for its processes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GroupResult {
    /// Nothing but the target was ever seen in it.
    pub alone: bool,
    /// CPU seconds for a piece of work done.
    pub cpu: Option<Figure>,
    /// Memory charged to it when the last slice ended: one observation.
    pub memory_bytes: Option<u64>,
    /// The most memory ever charged to it, since it was made.
    pub memory_peak_bytes: Option<u64>,
    /// Share of the time for which a CPU quota stopped it, added up over its threads.
    pub throttled: Option<Figure>,
    /// Bytes read from block devices for a piece of work done.
    pub read_bytes: Option<Figure>,
    /// Bytes written to block devices for a piece of work done.
    pub written_bytes: Option<Figure>,
}

/// What an operation is to the work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// One request that is a piece of work of its own.
    #[default]
    Request,
    /// One request of something larger: it has figures of its own and is no
    /// throughput.
    Step,
    /// Something made of several requests: its time is from the start of the first of
    /// them to the end of the last.
    Whole,
    /// One request that checks what work has done, on a connection beside those of the load;
    /// no throughput.
    Poll,
    /// When work took effect, as polls found: it has times and is no throughput.
    Effect,
}

impl Role {
    /// Whether it is a piece of work: what throughput and failures are counted in.
    pub fn is_work(self) -> bool {
        matches!(self, Self::Request | Self::Whole)
    }

    fn is_plain_request(&self) -> bool {
        *self == Self::Request
    }
}

/// One operation of a workload on one target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OperationResult {
    /// Name of the operation.
    pub operation: String,
    /// What it is to the work; left out for a request that is work of its own.
    #[serde(default, skip_serializing_if = "Role::is_plain_request")]
    pub role: Role,
    /// Correct answers, over all slices.
    pub ok: u64,
    /// Failures, over all slices.
    pub failed: u64,
    /// Failures by class; absent classes did not occur.
    pub errors: BTreeMap<String, u64>,
    /// Answers by status.
    pub statuses: BTreeMap<u16, u64>,
    /// What the target said about failures, with counts. Its own words, as they
    /// came: escape them before they are shown.
    pub failures: BTreeMap<String, u64>,
    /// Operations still unanswered when their slice had been drained.
    pub censored: u64,
    /// Correct answers a second.
    pub throughput: Option<Figure>,
    /// Body bytes of correct operations a second, either way.
    pub bandwidth: Option<Figure>,
    /// What the times below count from.
    pub timed_from: TimedFrom,
    /// Median time. This and every percentile below is that of all requests of the
    /// slices that ran their full time, taken together; its interval comes from the
    /// differences between slices.
    pub p50: Option<Figure>,
    /// 90th percentile.
    pub p90: Option<Figure>,
    /// 99th percentile.
    pub p99: Option<Figure>,
    /// Largest time of a correct answer in the whole run, slices cut short among
    /// them: an extreme, not an estimate, and so without an interval.
    #[serde(default)]
    pub max: Option<f64>,
    /// Median service time, from the write to the last byte; equals p50 when that
    /// is timed from the write.
    #[serde(default)]
    pub service_p50: Option<Figure>,
    /// 99th percentile of service time.
    #[serde(default)]
    pub service_p99: Option<Figure>,
    /// Median time from the write to the first byte of the answer.
    #[serde(default)]
    pub first_byte_p50: Option<Figure>,
    /// 99th percentile of the time to the first byte.
    #[serde(default)]
    pub first_byte_p99: Option<Figure>,
}

/// What happened to the connections of one workload to one target, over all slices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Connections {
    /// Established, with those that a slice's unmeasured lead left open for it.
    pub opened: u64,
    /// Requests sent on a connection that had carried one before.
    pub reused: u64,
    /// Closed by Tenbin: keep-alive off, a timeout, the end of a slice.
    pub closed_by_client: u64,
    /// Closed by the target in good order, between answers.
    pub closed_by_server: u64,
    /// Attempts refused or failed.
    pub refused: u64,
    /// Reset or closed in the middle of an answer.
    pub reset: u64,
    /// From the first step to an open socket: TCP's handshake, or a Unix socket's
    /// acceptance. Names are looked up once, before the run, and not in here: see
    /// the sum of `environment.targets.*.hosts.*.dns_ns`.
    pub connect: Option<SetupStep>,
    /// TLS handshakes; null without TLS.
    pub tls: Option<SetupStep>,
    /// From the write to the first byte of the first answer on a connection.
    pub first_byte: Option<SetupStep>,
}

/// One step of opening connections; null where it was never timed. It is never
/// part of the time of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SetupStep {
    /// How often it was timed.
    pub count: u64,
    /// Median.
    pub p50: Option<Figure>,
    /// 99th percentile.
    pub p99: Option<Figure>,
}

/// One host of a target at one workload, over all operations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HostResult {
    /// Its name.
    pub host: String,
    /// Correct answers, over all slices.
    pub ok: u64,
    /// Failures, over all slices.
    pub failed: u64,
    /// Failures by class; absent classes did not occur.
    pub errors: BTreeMap<String, u64>,
    /// Median service time.
    pub p50: Option<Figure>,
    /// 99th percentile of service time.
    pub p99: Option<Figure>,
}

/// What a latency counts from; it ends with the last byte of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TimedFrom {
    /// The request's first byte was written: service time.
    Write,
    /// The request was due: response time.
    IntendedStart,
}

/// A system under test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Target {
    /// Its name.
    pub name: String,
    /// What it is, in words.
    pub description: String,
    /// What the figures of its cost are about, in words: the processes or pages that the plan
    /// names. `null` where Tenbin launched the target, or nothing is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed: Option<String>,
}

impl ResultOf {
    /// The operations that throughput and failures are counted in.
    pub fn work(&self) -> impl Iterator<Item = &OperationResult> {
        self.operations.iter().filter(|op| op.role.is_work())
    }

    /// The operations that check what work has done, and when it took effect.
    pub fn checks(&self) -> impl Iterator<Item = &OperationResult> {
        let checks = |op: &&OperationResult| matches!(op.role, Role::Poll | Role::Effect);
        self.operations.iter().filter(checks)
    }

    /// The operations that are steps of others.
    pub fn steps(&self) -> impl Iterator<Item = &OperationResult> {
        self.operations.iter().filter(|op| op.role == Role::Step)
    }
}

impl Document {
    /// The results of one workload, in the order of the targets.
    pub fn results_of<'a>(&'a self, workload: &'a str) -> impl Iterator<Item = &'a ResultOf> {
        self.results
            .iter()
            .filter(move |result| result.workload == workload)
    }

    /// The slices of one workload on one target that ran their full time.
    pub(crate) fn full_slices<'a>(
        &'a self,
        workload: &'a str,
        target: &'a str,
    ) -> impl Iterator<Item = &'a SliceFigures> + Clone {
        let mine = move |slice: &&SliceFigures| {
            slice.workload == workload && slice.target == target && !slice.cut_short
        };
        self.slices.iter().filter(mine)
    }

    /// Whether the run ended before the first slice of this workload.
    pub fn is_unmeasured(&self, workload: &str) -> bool {
        self.results_of(workload)
            .all(|result| result.slices == 0 && result.cut_short == 0)
    }

    /// The target that the others are compared with.
    pub fn baseline(&self) -> Option<&Target> {
        let named = self.run.baseline.as_ref();
        let found = self.targets.iter().find(|it| Some(&it.name) == named);
        found.or_else(|| self.targets.first())
    }

    /// The targets that are compared with the baseline, its twin not among them.
    pub fn challengers(&self) -> impl Iterator<Item = &Target> {
        let baseline = self.baseline().map(|target| &target.name);
        let twin = self.run.twin.as_ref();
        let others = self.targets.iter();
        others.filter(move |it| Some(&it.name) != baseline && Some(&it.name) != twin)
    }

    /// The comparisons of this workload with another one on the same target.
    pub fn comparisons_with_workloads<'a>(
        &'a self,
        workload: &'a str,
    ) -> impl Iterator<Item = &'a Comparison> {
        let comparisons = self.workload_comparisons.iter();
        comparisons.filter(move |comparison| comparison.challenger == workload)
    }

    /// The comparisons that decide something, as the verdict corrects for their number: of a sweep
    /// only the curve. Comparisons of workloads are not among them.
    pub(crate) fn questions(&self) -> impl Iterator<Item = &Comparison> {
        let alone = self.comparisons.iter().filter(|c| c.level_of.is_none());
        let asked = alone.chain(&self.curves);
        asked.filter(|comparison| comparison.primary)
    }

    /// Whether it is the comparison of whole curves.
    pub(crate) fn is_curve(&self, comparison: &Comparison) -> bool {
        self.curves
            .iter()
            .any(|curve| std::ptr::eq(curve, comparison))
    }

    /// Why absolute figures cannot be believed though a ratio may, in one clause; `None` where no such
    /// reason is known, the run is INVALID or nothing is compared.
    pub(crate) fn only_ratios(&self) -> Option<String> {
        let absolute = self.absolute.as_ref()?;
        let compares = self.questions().next().is_some() || !self.workload_comparisons.is_empty();
        let first = absolute.because.first()?;
        (compares && absolute.trust == Trust::Suspect).then(|| match absolute.because.len() - 1 {
            0 => first.clone(),
            more => format!("{first} (and {more} more)"),
        })
    }

    /// What decides between workloads, a sentence each.
    pub(crate) fn between_workloads(&self) -> impl Iterator<Item = &String> {
        let primary = self.workload_comparisons.iter().filter(|c| c.primary);
        primary.map(|comparison| &comparison.sentence)
    }

    /// The comparisons of one workload, the primary ones first.
    pub fn comparisons_of<'a>(&'a self, workload: &'a str) -> impl Iterator<Item = &'a Comparison> {
        let mine = move |comparison: &&Comparison| comparison.workload == workload;
        let primary = self.comparisons.iter().filter(|c| c.primary).filter(mine);
        let others = self.comparisons.iter().filter(|c| !c.primary).filter(mine);
        primary.chain(others)
    }
}

/// A document as `result.json` holds it, of this version or an older one.
///
/// # Errors
/// What is wrong with it and where.
pub fn document_from_json(content: &[u8]) -> Result<Document, String> {
    serde_json::from_slice(content).map_err(|error| error.to_string())
}
