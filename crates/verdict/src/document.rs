//! From a run and what is to be said of it to the document.

mod describe;
mod search;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::SystemTime;

use tenbin_result::{
    Comparison, Document, Run, RunEnded, SCHEMA, Setting, SliceFigures, Target, Workload,
};

use crate as verdict;
use crate::Assessment;
use tenbin_plan::Plan;
use tenbin_record::{Ended, Environment, Slice, merged, rfc3339};
use tenbin_stats::printable_percentile;

/// Slices whose memory is given back at once.
const SLICES_AT_ONCE: usize = 512;

/// What a document is made from.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The run directory, as it was named.
    pub directory: &'a Path,
    /// When the run began.
    pub started: SystemTime,
    /// The experiment.
    pub plan: &'a Plan,
    /// The machine and the versions.
    pub environment: &'a Environment,
    /// What happened.
    pub slices: &'a [Slice],
    /// Whether every slice of the plan was measured.
    pub complete: bool,
    /// Why it ended when it did, if it is complete.
    pub ended: Ended,
    /// What is to be said of it.
    pub assessment: &'a Assessment,
}

/// The document of a run.
pub fn document(source: &Source<'_>) -> Document {
    let flags = flags_by_slice(source.assessment);
    let slices = source.slices.iter();
    Document {
        slices: slices
            .map(|slice| slice_figures(source.plan, slice, &flags))
            .collect(),
        ..document_without_slices(source)
    }
}

/// Adds the slices of the run, in their order, to a document without slices, and frees their
/// memory on the way: a run of ten hours has 18,000 slices.
pub fn take_slices(
    document: &mut Document,
    plan: &Plan,
    mut slices: Vec<Slice>,
    assessment: &Assessment,
) {
    let flags = flags_by_slice(assessment);
    document.slices = Vec::with_capacity(slices.len());
    while !slices.is_empty() {
        let rest = slices.split_off(slices.len().saturating_sub(SLICES_AT_ONCE));
        slices.shrink_to_fit();
        let rest = rest.iter().rev();
        document
            .slices
            .extend(rest.map(|slice| slice_figures(plan, slice, &flags)));
    }
    document.slices.reverse();
}

/// The document of a run, all but the figures of its slices.
pub fn document_without_slices(source: &Source<'_>) -> Document {
    let Source {
        plan, assessment, ..
    } = source;
    Document {
        schema: SCHEMA.to_owned(),
        run: run(source),
        trust: assessment.trust,
        absolute: Some(assessment.absolute.clone()),
        verdicts: verdicts(assessment),
        findings: assessment.findings.clone(),
        comparisons: of_all(&assessment.comparisons),
        curves: of_all(&assessment.curves),
        workload_comparisons: of_all(&assessment.workload_comparisons),
        results: assessment.figures.clone(),
        targets: plan
            .targets
            .iter()
            .map(|target| Target {
                name: target.name.clone(),
                description: describe::target(target),
                observed: target.observe.as_ref().map(describe::observed_by),
            })
            .collect(),
        workloads: plan.workloads.iter().map(workload).collect(),
        environment: without_patterns(source.environment),
        slices: Vec::new(),
        use_cases: assessment.use_cases.clone(),
        expectations: assessment.expected.clone(),
        optima: assessment.optima.clone(),
        nodes: assessment.nodes.clone(),
        capacities: assessment.capacities.clone(),
        capacity_comparisons: assessment.capacity_comparisons.clone(),
        searches: search::searches(assessment),
        rate_comparisons: assessment.rate_comparisons.clone(),
        earlier: None,
    }
}

/// The document has the patterns with the results of each target, and not twice.
fn without_patterns(environment: &Environment) -> Environment {
    let mut environment = environment.clone();
    environment.patterns.clear();
    for target in environment.targets.values_mut() {
        target.hits.clear();
        target.asked.clear();
    }
    environment
}

fn of_all(comparisons: &[verdict::Comparison]) -> Vec<Comparison> {
    comparisons.iter().map(|each| each.found.clone()).collect()
}

fn run(source: &Source<'_>) -> Run {
    let plan = source.plan;
    let directory = source.directory;
    let ended = source.complete.then(|| ended(source.ended));
    let measured = source.slices.iter().map(|slice| slice.round + 1).max();
    let rounds = match ended {
        Some(RunEnded::Precise | RunEnded::MostRounds) => measured.unwrap_or(plan.rounds.count),
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
        started: rfc3339(source.started),
        complete: source.complete,
        planned_slices: plan.slices_in_rounds(rounds) as u64,
        seed: plan.seed,
        threads: plan.threads as u64,
        baseline: plan.baseline().map(|target| target.name.clone()),
        twin: plan.twin().map(|target| target.name.clone()),
        margin: Some(plan.comparing.margin.share()),
        until: plan.rounds.until.map(|until| until.within.share()),
        ended,
        rounds,
        slice_seconds: plan.rounds.slice.as_secs_f64(),
        warmup_seconds: plan.rounds.warmup.as_secs_f64(),
    }
}

fn ended(ended: Ended) -> RunEnded {
    match ended {
        Ended::Planned => RunEnded::Planned,
        Ended::Precise => RunEnded::Precise,
        Ended::MostRounds => RunEnded::MostRounds,
    }
}

/// The optima of sweeps first: they are what is asked where there is a sweep.
fn verdicts(assessment: &Assessment) -> Vec<String> {
    let optima = assessment.optima.iter().map(|found| found.sentence.clone());
    let asked = assessment.primary().filter(|c| c.level.is_none());
    let curves = assessment.curves.iter().filter(|c| c.primary);
    let compared = curves.chain(asked).map(|found| found.sentence.clone());
    let between_workloads = assessment.workload_comparisons.iter().filter(|c| c.primary);
    let capacities = assessment.capacity_comparisons.iter();
    let rates = assessment.rate_comparisons.iter();
    let alone = assessment
        .capacities
        .iter()
        .map(|found| found.sentence.clone());
    let searches = assessment.searches.iter();
    let sentences: Vec<String> = optima
        .chain(compared)
        .chain(between_workloads.map(|found| found.found.sentence.clone()))
        .chain(capacities.map(|found| found.sentence.clone()))
        .chain(rates.map(|found| found.sentence.clone()))
        .chain(alone)
        .chain(searches.map(verdict::SearchResult::sentence))
        .collect();
    if sentences.is_empty() {
        return vec!["one target was measured, so there is nothing to compare".to_owned()];
    }
    sentences
}

fn workload(workload: &tenbin_plan::Workload) -> Workload {
    use tenbin_plan::Pace;
    let pace = &workload.load.pace;
    let rate = match pace {
        Pace::Constant { per_second } | Pace::Poisson { per_second } => Some(*per_second),
        Pace::Closed
        | Pace::Ramp { .. }
        | Pace::Steps { .. }
        | Pace::Trace(_)
        | Pace::Search(_) => None,
    };
    Workload {
        name: workload.name.clone(),
        description: describe::workload(workload),
        load: describe::load(&workload.load),
        closed_loop: matches!(pace, Pace::Closed),
        connections: workload.load.connections as u64,
        rate,
        subject: Some(describe::subject(workload)),
        settings: Some(workload.settings().into_iter().map(setting).collect()),
    }
}

fn setting(setting: tenbin_plan::Setting) -> Setting {
    Setting {
        key: setting.key,
        value: setting.value,
        usual: setting.usual,
    }
}

/// The tests that flag each slice, by its position in the run.
fn flags_by_slice(assessment: &Assessment) -> BTreeMap<u32, Vec<String>> {
    let mut by_slice: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for flag in &assessment.flags {
        let mine = by_slice.entry(flag.slice).or_default();
        mine.push(flag.test.to_owned());
    }
    by_slice
}

fn slice_figures(plan: &Plan, slice: &Slice, flags: &BTreeMap<u32, Vec<String>>) -> SliceFigures {
    let quantile = |q| quantile_of(slice, q);
    let mut workloads = plan.workloads.iter();
    let workload = workloads.find(|workload| workload.name == slice.workload);
    let allocated = slice.client.allocated;
    SliceFigures {
        index: slice.index,
        block: slice.block,
        round: slice.round,
        workload: slice.workload.clone(),
        target: slice.target.clone(),
        offered: slice.probe.map(|probe| probe.rate),
        start: slice.start,
        seconds: slice.seconds,
        cut_short: slice.cut_short,
        ok: slice.ok(),
        backlog: slice.backlog,
        failed: slice.failed(),
        throughput: slice.throughput(),
        p50: quantile(0.5),
        p99: quantile(0.99),
        max: max_of(slice),
        pause_start: slice.pause.map(|pause| pause.start),
        pause_seconds: slice.pause.map(|pause| pause.seconds),
        mean: mean_of(slice),
        payload_bytes: Some(slice.work().map(|op| op.payload).sum()),
        server_cpu: slice.server.and_then(|server| server.cpu_seconds),
        server_rss_bytes: slice.server.and_then(|server| server.rss_bytes),
        server_written_bytes: slice.server.and_then(|server| server.written_bytes),
        server: slice.server,
        machine: slice.machine.clone(),
        wire: slice.wire,
        stored_bytes: workload.and_then(|work| verdict::stored_bytes(&work.kind, slice)),
        client_cpu: Some(slice.client.cpu_seconds),
        client_allocated_bytes: allocated.map(|allocated| allocated.bytes),
        client_allocations: allocated.map(|allocated| allocated.count),
        client_busiest_thread: slice.client.busiest_thread,
        cache_forecast: slice.cache.and_then(|cache| cache.forecast()),
        cache_hits: slice.cache.and_then(|cache| cache.observed()),
        segment: slice.segment.clone(),
        flags: flags.get(&slice.index).cloned().unwrap_or_default(),
    }
}

/// Over all work, seconds; `None` when there is too little of it.
fn quantile_of(slice: &Slice, q: f64) -> Option<f64> {
    let mut work = slice.work().map(|op| &op.response);
    let (first, second) = (work.next(), work.next());
    let nanos = match (first, second) {
        // Needs no sum, and there are as many of these as slices.
        (Some(times), None) => {
            printable_percentile(q, times.len()).then(|| times.value_at_quantile(q))
        }
        _ => {
            let all = merged(slice.work().map(|op| &op.response));
            printable_percentile(q, all.len()).then(|| all.value_at_quantile(q))
        }
    };
    nanos.map(|nanos| nanos as f64 / 1e9)
}

/// Over all work, seconds; `None` when none was done.
fn max_of(slice: &Slice) -> Option<f64> {
    let filled = slice.work().map(|op| &op.response);
    let nanos = filled.filter(|h| !h.is_empty()).map(|h| h.max()).max()?;
    Some(nanos as f64 / 1e9)
}

/// Of service times over all work, seconds; `None` when none was done.
fn mean_of(slice: &Slice) -> Option<f64> {
    let times = || slice.work().map(|op| &op.service);
    let answers: u64 = times().map(|h| h.len()).sum();
    let filled = times().filter(|h| !h.is_empty());
    let nanos: f64 = filled.map(|h| h.mean() * h.len() as f64).sum();
    (answers > 0).then(|| nanos / answers as f64 / 1e9)
}
