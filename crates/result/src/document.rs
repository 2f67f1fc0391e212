//! The document itself.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenbin_record::Environment;

use crate::asked::{Expectation, Optimum, RunEnded};
use crate::capacity::{Capacity, CapacityComparison};
use crate::comparison::Comparison;
use crate::earlier::Earlier;
use crate::nodes::NodeLadder;
use crate::result_of::ResultOf;
use crate::search::{RateComparison, Search};
use crate::slice::SliceFigures;
use crate::trust::{AbsoluteTrust, Finding, Trust};
use crate::workload::Workload;

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
    /// What each target can do at most, by sweep of connections (`--ramp`).
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
    /// Path of its directory, as it was given to Tenbin.
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

impl Document {
    /// The results of one workload, in the order of the targets.
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
    pub fn questions(&self) -> impl Iterator<Item = &Comparison> {
        let alone = self.comparisons.iter().filter(|c| c.level_of.is_none());
        let asked = alone.chain(&self.curves);
        asked.filter(|comparison| comparison.primary)
    }

    /// Whether it is the comparison of whole curves.
    pub fn is_curve(&self, comparison: &Comparison) -> bool {
        self.curves
            .iter()
            .any(|curve| std::ptr::eq(curve, comparison))
    }

    /// Why absolute figures cannot be believed though a ratio may, in one clause; `None` where no such
    /// reason is known, the run is INVALID or nothing is compared.
    pub fn only_ratios(&self) -> Option<String> {
        let absolute = self.absolute.as_ref()?;
        let compares = self.questions().next().is_some() || !self.workload_comparisons.is_empty();
        let first = absolute.because.first()?;
        (compares && absolute.trust == Trust::Suspect).then(|| match absolute.because.len() - 1 {
            0 => first.clone(),
            more => format!("{first} (and {more} more)"),
        })
    }

    /// What decides between workloads, a sentence each.
    pub fn between_workloads(&self) -> impl Iterator<Item = &String> {
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
