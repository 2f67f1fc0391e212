//! Builds the result document from a run and its assessment.

pub mod conditions;
pub(crate) mod decided;
mod describe;
pub mod sentences;
mod slice;
mod workload;

use std::path::Path;
use std::time::SystemTime;

use tenbin_plan::Plan;
use tenbin_record::{Ended, Environment, Slice, rfc3339};
use tenbin_result::{Comparison, Document, Language, Run, RunEnded, SCHEMA, Target};

use crate::assessment::Assessment;
use crate::compare::comparison;
use crate::compare::outcome::start_noise;
use crate::findings::messages::Messages;
use crate::plain_answer::plain_answers;

/// Number of slices converted per batch; the memory of each batch is freed before the next batch.
const SLICES_AT_ONCE: usize = 512;

/// The input for a document.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The run directory, as the user named it.
    pub directory: &'a Path,
    /// When the run began.
    pub started: SystemTime,
    /// The plan of the run.
    pub plan: &'a Plan,
    /// The load generator's machine and the versions of the targets.
    pub environment: &'a Environment,
    /// All slices.
    pub slices: &'a [Slice],
    /// Whether the run reached its planned end.
    pub complete: bool,
    /// Why the run ended; ignored unless `complete`.
    pub ended: Ended,
    /// The findings, verdicts and figures of the run.
    pub assessment: &'a Assessment,
}

/// The result document of a run.
pub fn document(source: &Source<'_>) -> Document {
    let flags = slice::flags_by_slice(source.assessment);
    let slices = source.slices.iter();
    Document {
        slices: slices
            .map(|slice| slice::figures(source.plan, slice, &flags))
            .collect(),
        ..document_without_slices(source)
    }
}

/// Moves the slices of a run, in order, into a document without slices, and frees the memory of the
/// slices batch by batch. A run of ten hours has 18,000 slices.
pub fn take_slices(
    document: &mut Document,
    plan: &Plan,
    mut slices: Vec<Slice>,
    assessment: &Assessment,
) {
    let flags = slice::flags_by_slice(assessment);
    document.slices = Vec::with_capacity(slices.len());
    while !slices.is_empty() {
        let rest = slices.split_off(slices.len().saturating_sub(SLICES_AT_ONCE));
        slices.shrink_to_fit();
        let rest = rest.iter().rev();
        document
            .slices
            .extend(rest.map(|slice| slice::figures(plan, slice, &flags)));
    }
    document.slices.reverse();
}

/// The result document of a run without the figures of the slices.
pub fn document_without_slices(source: &Source<'_>) -> Document {
    let Source {
        plan, assessment, ..
    } = source;
    let mut document = Document {
        schema: SCHEMA.to_owned(),
        run: run(source),
        trust: assessment.trust,
        absolute: Some(assessment.absolute.clone()),
        only_figures: false,
        verdicts: Vec::new(),
        findings: assessment.findings.clone(),
        comparisons: of_all(&assessment.comparisons),
        curves: of_all(&assessment.curves),
        workload_comparisons: of_all(&assessment.workload_comparisons),
        percentile_ratios: assessment.percentile_ratios.clone(),
        results: assessment.figures.clone(),
        limits: assessment.limits.clone(),
        plain_answers: Vec::new(),
        targets: plan
            .targets
            .iter()
            .map(|target| Target {
                name: target.name.clone(),
                description: describe::target(target),
                observed: target
                    .observe
                    .as_ref()
                    .map(|source| describe::observed_by(target, source)),
            })
            .collect(),
        workloads: plan
            .workloads
            .iter()
            .map(|each| workload::workload(each, plan, source.environment))
            .collect(),
        environment: without_patterns(source.environment),
        slices: Vec::new(),
        use_cases: assessment.use_cases.clone(),
        expectations: assessment.expected.clone(),
        gate: assessment.gate.clone(),
        optima: assessment.optima.clone(),
        nodes: assessment.nodes.clone(),
        concurrency_sweeps: assessment.concurrency_sweeps.clone(),
        concurrency_sweep_comparisons: assessment.concurrency_sweep_comparisons.clone(),
        searches: assessment.searches.clone(),
        rate_comparisons: assessment.rate_comparisons.clone(),
        agents: assessment.agents.clone(),
        agent_ratios: assessment.agent_ratios.clone(),
        earlier: None,
        language: Language::default(),
    };
    document.plain_answers = plain_answers(&document, plan, source.slices);
    document.only_figures = sentences::is_only_figures(&document);
    let verdicts = sentences::verdicts(&document);
    document.verdicts = verdicts
        .iter()
        .map(|verdict| Messages::NONE.in_english(verdict))
        .collect();
    document
}

/// The environment without patterns, because the results contain the patterns of each target.
fn without_patterns(environment: &Environment) -> Environment {
    let mut environment = environment.clone();
    environment.patterns.clear();
    for target in environment.targets.values_mut() {
        target.hits.clear();
        target.asked.clear();
    }
    environment
}

fn of_all(comparisons: &[comparison::Comparison]) -> Vec<Comparison> {
    comparisons.iter().map(|each| each.found.clone()).collect()
}

fn run(source: &Source<'_>) -> Run {
    let plan = source.plan;
    let directory = source.directory;
    let ended = source.complete.then(|| ended(source.ended));
    let measured = source.slices.iter().map(|slice| slice.round + 1).max();
    let rounds = match ended {
        Some(RunEnded::Precise | RunEnded::MostRounds | RunEnded::Decided | RunEnded::Budget) => {
            measured.unwrap_or(plan.rounds.count)
        }
        Some(RunEnded::Planned) | None => plan.rounds.count,
    };
    Run {
        id: directory
            .file_name()
            .unwrap_or(directory.as_os_str())
            .to_string_lossy()
            .into_owned(),
        directory: directory.display().to_string(),
        name: plan.name.clone(),
        label: None,
        note: plan.output.note.clone(),
        started: rfc3339(source.started),
        complete: source.complete,
        planned_slices: plan.slices_in_rounds(rounds) as u64,
        seed: Some(plan.seed),
        threads: Some(plan.threads as u64),
        baseline: plan.baseline().map(|target| target.name.clone()),
        anchor: plan.anchor().map(|target| target.name.clone()),
        twin: plan.twin().map(|target| target.name.clone()),
        margin: Some(plan.comparing.margin.share()),
        start_noise: start_noise(plan, plan.targets.iter()),
        until: plan
            .rounds
            .until
            .and_then(|until| until.within())
            .map(|within| within.share()),
        ended,
        rounds,
        slice_seconds: Some(plan.rounds.slice.as_secs_f64()),
        warmup_seconds: Some(plan.rounds.warmup.as_secs_f64()),
        plan: Some(plan.to_toml()),
        source_file: None,
        is_strict: false,
    }
}

fn ended(ended: Ended) -> RunEnded {
    match ended {
        Ended::Planned => RunEnded::Planned,
        Ended::Precise => RunEnded::Precise,
        Ended::MostRounds => RunEnded::MostRounds,
        Ended::Decided => RunEnded::Decided,
        Ended::Budget => RunEnded::Budget,
    }
}
