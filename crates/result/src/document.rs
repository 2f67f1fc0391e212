//! The result document and its top-level types.

use serde::{Deserialize, Serialize};
use tenbin_record::Environment;

use crate::agents::{AgentRatios, AgentResult};
use crate::comparison::{Comparison, Outcome};
use crate::concurrency_sweep::{ConcurrencySweep, ConcurrencySweepComparison};
use crate::earlier::Earlier;
use crate::expectation::{Expectation, Optimum, RunEnded};
use crate::gate::Gate;
use crate::language::Language;
use crate::limit::Limit;
use crate::max_rate::{RateComparison, Search};
use crate::message::Message;
use crate::nodes::NodeScaling;
use crate::percentiles::PercentileRatios;
use crate::plain_answer::PlainAnswer;
use crate::result_of::ResultOf;
use crate::slice::SliceFigures;
use crate::trust::{AbsoluteTrust, Finding, Trust};
use crate::workload::Workload;

/// Schema version of the document. New fields do not change the version, so programs that read a
/// document must ignore unknown fields.
pub const SCHEMA: &str = "tenbin.result/1";

/// The result of a run. Times are seconds, sizes are bytes, rates are per second, shares run from
/// 0 to 1. Unknown values are null, never 0.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Document {
    /// Schema version: `tenbin.result/1`.
    pub schema: String,
    /// Identity, settings and end of the run.
    pub run: Run,
    /// Whether the numbers can be trusted: the worst finding decides.
    pub trust: Trust,
    /// How far absolute figures can be trusted; null in documents of older versions. On a busy
    /// machine, the ratio of two targets can be valid although absolute figures are not.
    #[serde(default)]
    pub absolute: Option<AbsoluteTrust>,
    /// Whether the run has no comparison, search, sweep or condition, so that its figures are its
    /// result. Absent in documents of older versions.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub only_figures: bool,
    /// One sentence per primary comparison, or one sentence with the reason why no comparison
    /// exists.
    pub verdicts: Vec<String>,
    /// Findings about the run, the most important first: unusable numbers (INVALID), wrong or
    /// unequal work, causes of a ratio or a limit, conditions of the machines, others.
    pub findings: Vec<Finding>,
    /// One comparison with the baseline for each challenger (including the twin), workload and
    /// figure.
    pub comparisons: Vec<Comparison>,
    /// Each challenger (including the twin) compared with the baseline over all levels of a
    /// concurrency sweep. A block's ratio is the geometric mean of the ratios of its levels.
    /// `workload` holds the common part of the levels' names.
    #[serde(default)]
    pub curves: Vec<Comparison>,
    /// Each workload compared with the first workload on the same target, if the plan compares
    /// workloads. In these entries, `workload` names the target; `baseline` and `challenger` name
    /// workloads.
    #[serde(default)]
    pub workload_comparisons: Vec<Comparison>,
    /// The challengers' times divided by the baseline's times at several percentiles, one entry per
    /// workload and challenger; empty in documents of older versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub percentile_ratios: Vec<PercentileRatios>,
    /// The result of every workload on every target.
    pub results: Vec<ResultOf>,
    /// What limited every workload on every target; empty in documents of older versions, for
    /// maximum-rate searches and for the levels of a concurrency sweep.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<Limit>,
    /// What each challenger comes to at each workload, in plain words; empty with a single target and
    /// in documents of older versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plain_answers: Vec<PlainAnswer>,
    /// The systems under test, in plan order; `run.baseline` names the baseline.
    pub targets: Vec<Target>,
    /// The workloads.
    pub workloads: Vec<Workload>,
    /// The machine and the software versions.
    pub environment: Environment,
    /// The figures of every slice, in run order.
    pub slices: Vec<SliceFigures>,
    /// The uses of an object store that the workloads cover, each with the target that suits the
    /// use.
    #[serde(default)]
    pub use_cases: Vec<UseCase>,
    /// The expectations (`--expect`, `--fail-if`) and their outcomes.
    #[serde(default)]
    pub expectations: Vec<Expectation>,
    /// The result of the gate; null in a run without a gate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<Gate>,
    /// The optimum of each parameter sweep for each workload.
    #[serde(default)]
    pub optima: Vec<Optimum>,
    /// How throughput scales with the nodes of a cluster, by cluster and workload.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<NodeScaling>,
    /// The concurrency sweeps (`--ramp`), by target.
    #[serde(rename = "capacities", default, skip_serializing_if = "Vec::is_empty")]
    pub concurrency_sweeps: Vec<ConcurrencySweep>,
    /// The highest throughput of each challenger in a concurrency sweep, compared with the
    /// baseline's.
    #[serde(
        rename = "capacity_comparisons",
        default,
        skip_serializing_if = "Vec::is_empty"
    )]
    pub concurrency_sweep_comparisons: Vec<ConcurrencySweepComparison>,
    /// The maximum-rate searches (`--slo`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub searches: Vec<Search>,
    /// The challengers' maximum rates compared with the baseline's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rate_comparisons: Vec<RateComparison>,
    /// The part of each agent in the results; empty with fewer than two agents, and in documents of
    /// older versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<AgentResult>,
    /// The ratios of targets by agent; empty with fewer than two agents, and in documents of older
    /// versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agent_ratios: Vec<AgentRatios>,
    /// The comparison with an earlier run; null if no earlier run was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earlier: Option<Earlier>,
    /// Language of the reports generated from this document. The document itself is English.
    #[serde(skip)]
    pub language: Language,
}

/// Identity, settings and end of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Run {
    /// Name of the run directory.
    pub id: String,
    /// Path of the run directory, as given to Tenbin.
    pub directory: String,
    /// Name of the plan.
    pub name: String,
    /// Label that `tenbin label` gave the run; null without a label, and in `result.json`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Note of the plan (`--note`), or the one that `tenbin note` wrote after the run; null without a
    /// note.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Start of the run, RFC 3339, UTC.
    pub started: String,
    /// Whether every slice of the plan was measured.
    pub complete: bool,
    /// Planned slices, not counting maximum-rate searches, whose number of slices is not known in
    /// advance.
    pub planned_slices: u64,
    /// Seed from which all random choices of the run are derived; null in imported results.
    pub seed: Option<u64>,
    /// Load generator threads; null in imported results.
    pub threads: Option<u64>,
    /// Name of the target that all other targets are compared with; null in documents of older
    /// versions, where the first target is the baseline.
    #[serde(default)]
    pub baseline: Option<String>,
    /// Name of the target that stays the same in every run; the history of a target is its ratio to
    /// the anchor. Null without an anchor, and in documents of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<String>,
    /// Name of the baseline's twin for the A/A comparison; null without a twin.
    #[serde(default)]
    pub twin: Option<String>,
    /// Equivalence margin: two targets are equivalent if they differ by at most this share.
    #[serde(default)]
    pub margin: Option<f64>,
    /// Possible difference between two starts of one program, as a share: an interval must be farther
    /// from 1. Null if the targets are restarted during the run, so that intervals include this
    /// difference, and in documents of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_noise: Option<f64>,
    /// The run ends once every ratio of the primary metric (with a single target: every primary
    /// metric) is known to ± this share; null if the number of rounds is fixed.
    #[serde(default)]
    pub until: Option<f64>,
    /// Why the run ended; null if the run is incomplete.
    #[serde(default)]
    pub ended: Option<RunEnded>,
    /// Planned rounds, or the measured rounds if the plan sets no number.
    pub rounds: u32,
    /// Length of a slice, seconds; null in imported results.
    pub slice_seconds: Option<f64>,
    /// Length of the unmeasured warm-up before the first slice, seconds; null in
    /// imported results.
    pub warmup_seconds: Option<f64>,
    /// The plan as TOML with all defaults and without secrets, as in `plan.toml`; null in documents
    /// of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// Path of the plan file, or else of the script that starts a target, within the repository of the
    /// working directory, for formats that name a file; null if neither is in it. Not part of
    /// `result.json`.
    #[serde(skip)]
    pub source_file: Option<String>,
    /// Whether a SUSPECT result counts as a failure (`--strict`), for formats that say what failed. Not
    /// part of `result.json`.
    #[serde(skip)]
    pub is_strict: bool,
}

impl Run {
    /// Whether the results were read from files of other tools: nothing was run, and there is no run
    /// directory.
    pub fn is_imported(&self) -> bool {
        self.seed.is_none()
    }
}

/// A use of an object store and the target that suits the use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UseCase {
    /// Name of the use, for example a kind of application.
    pub name: String,
    /// Name of the target that suits the use, or the reason why no target is named.
    pub choice: String,
    /// Name of the target that suits the use; null if no target is named.
    pub target: Option<String>,
    /// The comparisons that decide the choice, one clause each.
    pub because: Vec<String>,
}

/// A system under test.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Target {
    /// Name of the target.
    pub name: String,
    /// Description of the target: address or command, and settings.
    pub description: String,
    /// Source of the target's resource use, as a description: the processes or metrics pages that
    /// the plan names. Null if Tenbin launched the target or the plan names nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed: Option<String>,
}

impl Document {
    /// The messages beside sentences of this document, except those of findings.
    pub fn messages_mut(&mut self) -> impl Iterator<Item = &mut Option<Message>> {
        let compared = [
            &mut self.comparisons, &mut self.curves, &mut self.workload_comparisons,
        ];
        let compared = compared.into_iter().flatten();
        let outcomes = compared.map(|each| &mut each.outcome);
        let concurrency_sweeps = self.concurrency_sweep_comparisons.iter_mut();
        let outcomes = outcomes.chain(concurrency_sweeps.map(|each| &mut each.outcome));
        let loads = self.workloads.iter_mut().map(|each| &mut each.load_data);
        let expected = self.expectations.iter_mut().map(|each| &mut each.data);
        let searches = self.searches.iter_mut().map(|each| &mut each.data);
        let reasons = outcomes.filter_map(Outcome::data_mut);
        let plain = self.plain_answers.iter_mut();
        let plain = plain.flat_map(|each| [&mut each.data, &mut each.advice_data]);
        loads
            .chain(expected)
            .chain(searches)
            .chain(reasons)
            .chain(plain)
    }

    /// The results of one workload, in target order.
    pub fn results_of<'a>(&'a self, workload: &'a str) -> impl Iterator<Item = &'a ResultOf> {
        self.results
            .iter()
            .filter(move |result| result.workload == workload)
    }

    /// The slices that ran their full time, of one workload on one target.
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

    /// The target that all other targets are compared with.
    pub fn baseline(&self) -> Option<&Target> {
        let named = self.run.baseline.as_ref();
        let found = self.targets.iter().find(|it| Some(&it.name) == named);
        found.or_else(|| self.targets.first())
    }

    /// The targets compared with the baseline, not counting the baseline's twin.
    pub fn challengers(&self) -> impl Iterator<Item = &Target> {
        let baseline = self.baseline().map(|target| &target.name);
        let twin = self.run.twin.as_ref();
        let others = self.targets.iter();
        others.filter(move |it| Some(&it.name) != baseline && Some(&it.name) != twin)
    }

    /// The comparisons of this workload with the first workload on the same target.
    pub fn comparisons_with_workloads<'a>(
        &'a self,
        workload: &'a str,
    ) -> impl Iterator<Item = &'a Comparison> {
        let comparisons = self.workload_comparisons.iter();
        comparisons.filter(move |comparison| comparison.challenger == workload)
    }

    /// The primary comparisons between targets, whose intervals are corrected for their number. A
    /// concurrency sweep counts as one comparison per curve, not per level. Excludes comparisons
    /// between workloads.
    pub fn questions(&self) -> impl Iterator<Item = &Comparison> {
        let alone = self.comparisons.iter().filter(|c| c.level_of.is_none());
        let asked = alone.chain(&self.curves);
        asked.filter(|comparison| comparison.primary)
    }

    /// Whether both targets of a comparison are values of one parameter sweep, whose optimum says more
    /// than the comparison.
    pub fn is_within_sweep(&self, comparison: &Comparison) -> bool {
        self.optima.iter().any(|optimum| {
            let is_point = |name: &String| optimum.targets.contains(name);
            optimum.workload == comparison.workload
                && is_point(&comparison.baseline)
                && is_point(&comparison.challenger)
        })
    }

    /// Whether `comparison` is one of the document's curves: a comparison over all levels of a
    /// concurrency sweep.
    pub fn is_curve(&self, comparison: &Comparison) -> bool {
        self.curves
            .iter()
            .any(|curve| std::ptr::eq(curve, comparison))
    }

    /// Adds findings that became known after the assessment, with their effect on the trust in the
    /// run and in the comparisons that they concern.
    pub fn add_findings(&mut self, found: Vec<Finding>) {
        for comparison in &mut self.comparisons {
            let sides = [comparison.baseline.as_str(), comparison.challenger.as_str()];
            let concerning = found.iter();
            let concerning = concerning.filter(|it| it.concerns(&comparison.workload, &sides));
            comparison.trust = comparison.trust.max(Trust::after(concerning));
        }
        self.trust = self.trust.max(Trust::after(&found));
        self.findings.extend(found);
    }

    /// The reasons why ratios can be trusted but absolute figures cannot. `None` if
    /// absolute figures can be trusted, if the run is INVALID, or if nothing is compared.
    pub fn only_ratios(&self) -> Option<&[String]> {
        let absolute = self.absolute.as_ref()?;
        let compares = self.questions().next().is_some() || !self.workload_comparisons.is_empty();
        let is_so = compares && absolute.trust == Trust::Suspect && !absolute.because.is_empty();
        is_so.then_some(absolute.because.as_slice())
    }

    /// The comparisons between targets for one workload, primary figures first.
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
/// A description of the first error, with its line and column.
pub fn document_from_json(content: &[u8]) -> Result<Document, String> {
    serde_json::from_slice(content).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trust::{Cause, Severity};

    #[test]
    fn findings_that_come_late_count_for_the_trust_in_what_they_concern() {
        let pair = include_bytes!("../../report/tests/documents/pair.json");
        let mut document = document_from_json(pair).expect("a document");
        let before = document.findings.len();
        let late = |target: &str| Finding {
            rule: "left_behind".to_owned(),
            severity: Severity::Suspect,
            cause: Cause::Server,
            workload: None,
            target: Some(target.to_owned()),
            evidence: "seen".to_owned(),
            advice: "do".to_owned(),
            data: None,
        };
        let is_doubted = |document: &Document| {
            let mut all = document.comparisons.iter();
            all.all(|each| each.trust == Trust::Suspect)
        };
        document.add_findings(vec![late("a target without a comparison")]);
        assert_eq!(document.trust, Trust::Suspect);
        assert!(!is_doubted(&document));
        document.add_findings(vec![late("durable")]);
        assert!(is_doubted(&document));
        assert_eq!(document.findings.len(), before + 2);
    }
}
