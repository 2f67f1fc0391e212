//! The result of a run as one document: what `result.json` holds and `--json`
//! prints, and what every other report is made from.
//!
//! Times are seconds, sizes are bytes, rates are per second, shares run from 0 to 1.
//! What is not known is `null`, never 0.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenbin_record::Environment;

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
    /// One sentence for each primary comparison, or one that says why there is none.
    pub verdicts: Vec<String>,
    /// What was observed about the run, most severe first.
    pub findings: Vec<Finding>,
    /// Every challenger against the baseline, by workload and figure.
    pub comparisons: Vec<Comparison>,
    /// Every workload on every target.
    pub results: Vec<ResultOf>,
    /// The systems under test; the first is the baseline.
    pub targets: Vec<Target>,
    /// What was sent to them.
    pub workloads: Vec<Workload>,
    /// The machine and the versions.
    pub environment: Environment,
    /// The figures of every slice, in the order of the run.
    pub slices: Vec<SliceFigures>,
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
    /// Slices that the plan asks for.
    pub planned_slices: u64,
    /// Seed of every random choice.
    pub seed: u64,
    /// Generator threads.
    pub threads: u64,
    /// Rounds that the plan asks for.
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
    /// The challenger's figure divided by the baseline's.
    pub ratio: Option<Figure>,
    /// The ratio in each complete block, in the order of the run.
    pub block_ratios: Vec<f64>,
    /// Rounds that make one block.
    pub rounds_per_block: u64,
    /// Two-sided signed-rank p-value of "no difference".
    pub p: Option<f64>,
    /// The same after Holm's correction over the primary figures.
    pub adjusted_p: Option<f64>,
    /// What it says of the challenger.
    pub outcome: Outcome,
    /// How far that can be trusted.
    pub trust: Trust,
    /// All of that in one sentence.
    pub sentence: String,
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
    /// Correct answers, over all slices.
    pub ok: u64,
    /// Failures, over all slices.
    pub failed: u64,
    /// Correct answers a second.
    pub throughput: Option<Figure>,
    /// CPU seconds of the target for a correct answer.
    pub server_cpu: Option<Figure>,
    /// Largest resident memory of the target that was seen.
    pub peak_rss_bytes: Option<u64>,
    /// Bytes that the target wrote to storage for a correct answer.
    pub written_bytes: Option<Figure>,
    /// CPU seconds of the generator for an operation of any outcome.
    pub client_cpu: Option<Figure>,
    /// Share of a core that the busiest generator thread used.
    pub client_busiest_thread: Option<Figure>,
    /// What happened to connections; null in documents of versions that did not
    /// say.
    #[serde(default)]
    pub connections: Option<Connections>,
    /// Each of the target's hosts, over all operations; empty when there is but one.
    #[serde(default)]
    pub hosts: Vec<HostResult>,
    /// Each of the workload's operations.
    pub operations: Vec<OperationResult>,
}

/// One operation of a workload on one target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OperationResult {
    /// Name of the operation.
    pub operation: String,
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
    /// Median time.
    pub p50: Option<Figure>,
    /// 90th percentile.
    pub p90: Option<Figure>,
    /// 99th percentile.
    pub p99: Option<Figure>,
    /// Largest time of a correct answer in the whole run, slices cut short among
    /// them: an extreme, not an estimate, and so without an interval. What p50 to
    /// p99 cannot show, medians over slices that they are, shows here: a stall in
    /// a single slice.
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
}

/// What was sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Workload {
    /// Its name.
    pub name: String,
    /// What is sent, in words.
    pub description: String,
    /// How it is issued, in words.
    pub load: String,
    /// True for a closed loop, false for an open one.
    pub closed_loop: bool,
    /// Connections, over all threads.
    pub connections: u64,
    /// Open loop at one rate: arrivals a second, on average.
    pub rate: Option<f64>,
}

/// The figures of one slice. Counts belong to the operations that were due in
/// its window.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SliceFigures {
    /// Position in the run, from 0.
    pub index: u32,
    /// Pairing block, from 0.
    pub block: u32,
    /// Round, from 0.
    pub round: u32,
    /// Name of the workload.
    pub workload: String,
    /// Name of the target.
    pub target: String,
    /// Start of its window, after the begin of the run.
    pub start: f64,
    /// Length of its window.
    pub seconds: f64,
    /// Whether it ended before its time.
    pub cut_short: bool,
    /// Correct answers that came inside the window.
    pub ok: u64,
    /// Open loop: operations due at the end of the window and not yet sent.
    pub backlog: u64,
    /// Failures.
    pub failed: u64,
    /// Correct answers a second.
    pub throughput: Option<f64>,
    /// Median time over all operations; null when there were too few.
    pub p50: Option<f64>,
    /// 99th percentile over all operations; null when there were too few.
    pub p99: Option<f64>,
    /// Largest time over all operations; null when nothing was answered.
    #[serde(default)]
    pub max: Option<f64>,
    /// CPU seconds of the target.
    pub server_cpu: Option<f64>,
    /// Largest resident memory of the target.
    pub server_rss_bytes: Option<u64>,
    /// Share of a core that the busiest generator thread used.
    pub client_busiest_thread: f64,
}

impl Document {
    /// The results of one workload, in the order of the targets.
    pub fn results_of<'a>(&'a self, workload: &'a str) -> impl Iterator<Item = &'a ResultOf> {
        self.results
            .iter()
            .filter(move |result| result.workload == workload)
    }

    /// Whether the run ended before the first slice of this workload.
    pub fn is_unmeasured(&self, workload: &str) -> bool {
        self.results_of(workload)
            .all(|result| result.slices == 0 && result.cut_short == 0)
    }

    /// The comparisons of one workload, the primary ones first.
    pub fn comparisons_of<'a>(&'a self, workload: &'a str) -> impl Iterator<Item = &'a Comparison> {
        let mine = move |comparison: &&Comparison| comparison.workload == workload;
        let primary = self.comparisons.iter().filter(|c| c.primary).filter(mine);
        let others = self.comparisons.iter().filter(|c| !c.primary).filter(mine);
        primary.chain(others)
    }
}
