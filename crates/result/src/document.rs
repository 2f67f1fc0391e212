//! The result document and its top-level types.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenbin_record::Environment;

use crate::capacity::{Capacity, CapacityComparison};
use crate::comparison::Comparison;
use crate::earlier::Earlier;
use crate::expectation::{Expectation, Optimum, RunEnded};
use crate::language::Language;
use crate::max_rate::{RateComparison, Search};
use crate::nodes::NodeScaling;
use crate::percentiles::PercentileRatios;
use crate::result_of::ResultOf;
use crate::slice::SliceFigures;
use crate::trust::{AbsoluteTrust, Finding, Trust};
use crate::workload::Workload;

/// Schema version of the document. A reader for this version can read every field it knows; new
/// fields do not change the version.
pub const SCHEMA: &str = "tenbin.result/1";

/// The result of a run. Times are seconds, sizes are bytes, rates are per second, shares run from
/// 0 to 1. Unknown values are null, never 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Document {
    /// Schema version: `tenbin.result/1`.
    pub schema: String,
    /// The run.
    pub run: Run,
    /// Whether the numbers can be trusted: the worst finding decides.
    pub trust: Trust,
    /// How far absolute figures can be trusted; older versions reported only `trust`. On a busy
    /// machine, the ratio of two targets can be valid while absolute figures are not.
    #[serde(default)]
    pub absolute: Option<AbsoluteTrust>,
    /// One sentence per primary comparison, or one sentence with the reason why no comparison
    /// exists.
    pub verdicts: Vec<String>,
    /// Observations about the run, in this order: what makes the numbers unusable, what limited a
    /// ratio or a rate, then the circumstances.
    pub findings: Vec<Finding>,
    /// Every challenger, including the twin, compared with the baseline, by workload and figure.
    pub comparisons: Vec<Comparison>,
    /// Every challenger, including the twin, compared with the baseline over all levels of each
    /// concurrency sweep: per block, the geometric mean of the levels' ratios. `workload` is here
    /// the common part of the levels' names.
    #[serde(default)]
    pub curves: Vec<Comparison>,
    /// Workloads compared with the first workload on each target, if the plan compares workloads.
    /// `workload` is here the target; `baseline` and `challenger` are workloads.
    #[serde(default)]
    pub workload_comparisons: Vec<Comparison>,
    /// Every challenger against the baseline at some percentiles, by workload; empty in documents of
    /// versions that did not compare these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub percentile_ratios: Vec<PercentileRatios>,
    /// The result of every workload on every target.
    pub results: Vec<ResultOf>,
    /// The systems under test, in plan order; `run.baseline` names the baseline.
    pub targets: Vec<Target>,
    /// The workloads.
    pub workloads: Vec<Workload>,
    /// The machine and the software versions.
    pub environment: Environment,
    /// The figures of every slice, in run order.
    pub slices: Vec<SliceFigures>,
    /// Which target suits which use of an object store, where the comparisons decide it.
    #[serde(default)]
    pub use_cases: Vec<UseCase>,
    /// The expectations and their outcomes.
    #[serde(default)]
    pub expectations: Vec<Expectation>,
    /// The optimum of every parameter sweep at every workload.
    #[serde(default)]
    pub optima: Vec<Optimum>,
    /// How throughput scales with the nodes of a cluster, by cluster and workload.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<NodeScaling>,
    /// The concurrency sweeps (`--ramp`), by target.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub capacities: Vec<Capacity>,
    /// The challengers' highest throughput in a concurrency sweep compared with the baseline's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub capacity_comparisons: Vec<CapacityComparison>,
    /// The maximum-rate searches (`--slo`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub searches: Vec<Search>,
    /// The challengers' maximum rates compared with the baseline's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rate_comparisons: Vec<RateComparison>,
    /// The comparison with an earlier run; null if no earlier run was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earlier: Option<Earlier>,
    /// The language of the pages that are made from this document. The document itself is English.
    #[serde(skip)]
    pub language: Language,
}

/// The run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Run {
    /// Name of its directory.
    pub id: String,
    /// Path of its directory, as given to Tenbin.
    pub directory: String,
    /// Name of the plan.
    pub name: String,
    /// Start of the run, RFC 3339, UTC.
    pub started: String,
    /// Whether every slice of the plan was measured.
    pub complete: bool,
    /// Planned slices, without the slices of a maximum-rate search, whose number is not known in
    /// advance.
    pub planned_slices: u64,
    /// Seed of every random choice; null in imported results.
    pub seed: Option<u64>,
    /// Load generator threads; null in imported results.
    pub threads: Option<u64>,
    /// The target that the others are compared with; null in documents of older versions, where the
    /// first target is the baseline.
    #[serde(default)]
    pub baseline: Option<String>,
    /// The baseline's twin, if it has one.
    #[serde(default)]
    pub twin: Option<String>,
    /// The largest difference at which two targets are equivalent, as a share.
    #[serde(default)]
    pub margin: Option<f64>,
    /// The precision of the deciding ratios at which the run ends, as a share; null if the number
    /// of rounds is fixed.
    #[serde(default)]
    pub until: Option<f64>,
    /// Why the run ended; null if the run is incomplete.
    #[serde(default)]
    pub ended: Option<RunEnded>,
    /// Planned rounds; if the plan sets no number, the rounds measured.
    pub rounds: u32,
    /// Length of a slice; null in imported results.
    pub slice_seconds: Option<f64>,
    /// Length of the unmeasured warm-up before the first slice; null in imported results.
    pub warmup_seconds: Option<f64>,
    /// The plan as TOML with all defaults and without secrets, as in `plan.toml`; null in documents of
    /// older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
}

impl Run {
    /// Whether the results were read from files of other tools: nothing was run, and there is no run
    /// directory.
    pub fn is_imported(&self) -> bool {
        self.seed.is_none()
    }
}

/// A use of an object store, and which target suits it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UseCase {
    /// Name of the use.
    pub name: String,
    /// The target that suits it, or the reason why none is named.
    pub choice: String,
    /// The target that suits it; null when none is named.
    pub target: Option<String>,
    /// The comparisons that decide it, one clause each.
    pub because: Vec<String>,
}

/// A system under test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Target {
    /// Its name.
    pub name: String,
    /// Description of the target.
    pub description: String,
    /// What its cost was measured on, as a description: the processes or pages that the plan names.
    /// Null if Tenbin launched the target or the plan names nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed: Option<String>,
}

impl Document {
    /// The results of one workload, in target order.
    pub fn results_of<'a>(&'a self, workload: &'a str) -> impl Iterator<Item = &'a ResultOf> {
        self.results
            .iter()
            .filter(move |result| result.workload == workload)
    }

    /// The slices of one workload on one target that ran their full time.
    pub fn full_slices<'a>(
        &'a self,
        workload: &'a str,
        target: &'a str,
    ) -> impl Iterator<Item = &'a SliceFigures> + Clone {
        let mine = move |slice: &&SliceFigures| {
            slice.workload == workload && slice.target == target && !slice.cut_short
        };
        self.slices.iter().filter(mine)
    }

    /// Whether the run ended before the first slice of the workload.
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

    /// The targets that are compared with the baseline, without its twin.
    pub fn challengers(&self) -> impl Iterator<Item = &Target> {
        let baseline = self.baseline().map(|target| &target.name);
        let twin = self.run.twin.as_ref();
        let others = self.targets.iter();
        others.filter(move |it| Some(&it.name) != baseline && Some(&it.name) != twin)
    }

    /// The comparisons of this workload with another workload on the same target.
    pub fn comparisons_with_workloads<'a>(
        &'a self,
        workload: &'a str,
    ) -> impl Iterator<Item = &'a Comparison> {
        let comparisons = self.workload_comparisons.iter();
        comparisons.filter(move |comparison| comparison.challenger == workload)
    }

    /// The deciding comparisons, over which the verdict corrects for multiple comparisons: of a
    /// concurrency sweep, only the curve. Comparisons between workloads are not included.
    pub fn questions(&self) -> impl Iterator<Item = &Comparison> {
        let alone = self.comparisons.iter().filter(|c| c.level_of.is_none());
        let asked = alone.chain(&self.curves);
        asked.filter(|comparison| comparison.primary)
    }

    /// Whether `comparison` compares whole curves of a concurrency sweep.
    pub fn is_curve(&self, comparison: &Comparison) -> bool {
        self.curves
            .iter()
            .any(|curve| std::ptr::eq(curve, comparison))
    }

    /// Why absolute figures cannot be trusted although a ratio may be, in one clause. `None` if no
    /// such reason is known, the run is INVALID or nothing is compared.
    pub fn only_ratios(&self) -> Option<String> {
        let absolute = self.absolute.as_ref()?;
        let compares = self.questions().next().is_some() || !self.workload_comparisons.is_empty();
        let first = absolute.because.first()?;
        (compares && absolute.trust == Trust::Suspect).then(|| match absolute.because.len() - 1 {
            0 => first.clone(),
            more => format!("{first} (further reasons: {more})"),
        })
    }

    /// The verdicts of comparisons between workloads, one sentence each.
    pub fn between_workloads(&self) -> impl Iterator<Item = &String> {
        let primary = self.workload_comparisons.iter().filter(|c| c.primary);
        primary.map(|comparison| &comparison.sentence)
    }

    /// The comparisons of one workload, primary figures first.
    pub fn comparisons_of<'a>(&'a self, workload: &'a str) -> impl Iterator<Item = &'a Comparison> {
        let mine = move |comparison: &&Comparison| comparison.workload == workload;
        let primary = self.comparisons.iter().filter(|c| c.primary).filter(mine);
        let others = self.comparisons.iter().filter(|c| !c.primary).filter(mine);
        primary.chain(others)
    }
}

/// Parses the content of a `result.json` of this version or an older one.
///
/// # Errors
/// The position of the fault and its description.
pub fn document_from_json(content: &[u8]) -> Result<Document, String> {
    serde_json::from_slice(content).map_err(|error| error.to_string())
}
