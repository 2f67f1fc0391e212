//! From a run and what is to be said of it to the document.

mod describe;
mod search;
mod single;
mod stages;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::SystemTime;

use crate as verdict;
use crate::{Assessment, Direction};
use tenbin_plan::Plan;
use tenbin_record::{Ended, Environment, OpFigures, Slice, merged, rfc3339};
use tenbin_stats::printable_percentile;

use tenbin_result::{
    Comparison, Connections, Document, Figure, GroupResult, HostResult, OperationResult,
    ProcessCost, ResultOf, Role, Run, RunEnded, SCHEMA, Setting, SetupStep, SliceFigures, Target,
    TimedFrom, Together, Workload,
};

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
        comparisons: assessment.comparisons.iter().map(comparison).collect(),
        curves: assessment.curves.iter().map(comparison).collect(),
        workload_comparisons: assessment
            .workload_comparisons
            .iter()
            .map(comparison)
            .collect(),
        results: assessment
            .figures
            .iter()
            .map(|figures| result(figures, source))
            .collect(),
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
        environment: single::without_patterns(source.environment),
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
    let asked = assessment.primary().filter(|c| c.level_of.is_none());
    let curves = assessment.curves.iter().filter(|c| c.primary);
    let compared = curves.chain(asked).map(verdict::Comparison::sentence);
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
        .chain(between_workloads.map(verdict::Comparison::sentence))
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

fn result(figures: &verdict::TargetFigures, source: &Source<'_>) -> ResultOf {
    let mine: Vec<&Slice> = source
        .slices
        .iter()
        .filter(|slice| slice.workload == figures.workload && slice.target == figures.target)
        .collect();
    ResultOf {
        workload: figures.workload.clone(),
        target: figures.target.clone(),
        slices: figures.slices as u64,
        cut_short: figures.cut_short as u64,
        ok: figures.ok,
        failed: figures.failed,
        throughput: Figure::of(figures.throughput),
        server_cpu: Figure::of(figures.server_cpu),
        per_core_second: Figure::of(figures.per_core_second),
        scope: figures.scope,
        rss_start_bytes: figures.rss_start_bytes,
        peak_rss_bytes: figures.peak_rss_bytes,
        rss_end_bytes: figures.rss_end_bytes,
        read_bytes: Figure::of(figures.read_bytes),
        written_bytes: Figure::of(figures.written_bytes),
        written_per_stored: Figure::of(figures.written_per_stored),
        voluntary_switches: Figure::of(figures.voluntary_switches),
        involuntary_switches: Figure::of(figures.involuntary_switches),
        processes: figures.processes.iter().map(process_cost).collect(),
        not_observed: figures.not_observed.map(str::to_owned),
        group: figures.group.as_ref().map(group_result),
        client_cpu: Figure::of(figures.client_cpu),
        client_allocated_bytes: Figure::of(figures.client_allocated_bytes),
        client_allocations: Figure::of(figures.client_allocations),
        client_busiest_thread: Figure::of(figures.client_busiest_thread),
        connections: has_connections(&figures.target, source.plan)
            .then(|| connections(&figures.connections)),
        hosts: figures.hosts.iter().map(host_result).collect(),
        operations: figures
            .operations
            .iter()
            .map(|operation| operation_result(operation, &mine))
            .collect(),
        slowest: figures
            .singles
            .slowest
            .iter()
            .map(single::request)
            .collect(),
        fastest: figures
            .singles
            .fastest
            .iter()
            .map(single::request)
            .collect(),
        patterns: single::patterns(figures, source.environment),
        cache: figures.cache.as_ref().map(single::cache),
        search: figures.search,
        stages: figures.stages.iter().map(stages::stages).collect(),
    }
}

fn process_cost(figures: &verdict::ProcessFigures) -> ProcessCost {
    ProcessCost {
        name: figures.name.clone(),
        processes: figures.processes,
        observed: figures.observed,
        pids: figures.pids.clone(),
        cpu: Figure::of(figures.cpu),
        rss_bytes: figures.rss_bytes,
    }
}

fn group_result(figures: &verdict::GroupFigures) -> GroupResult {
    GroupResult {
        alone: figures.alone,
        cpu: Figure::of(figures.cpu),
        memory_bytes: figures.memory_bytes,
        memory_peak_bytes: figures.memory_peak_bytes,
        throttled: Figure::of(figures.throttled),
        read_bytes: Figure::of(figures.read_bytes),
        written_bytes: Figure::of(figures.written_bytes),
    }
}

fn has_connections(target: &str, plan: &Plan) -> bool {
    let mut targets = plan.targets.iter();
    let target = targets.find(|known| known.name == target);
    target.is_none_or(|target| target.reach.has_connections())
}

fn connections(figures: &verdict::ConnectionFigures) -> Connections {
    Connections {
        opened: figures.opened,
        reused: figures.reused,
        closed_by_client: figures.closed_by_client,
        closed_by_server: figures.closed_by_server,
        refused: figures.refused,
        reset: figures.reset,
        connect: setup_step(figures.connect),
        tls: setup_step(figures.tls),
        first_byte: setup_step(figures.first_byte),
    }
}

fn setup_step(step: verdict::StepFigures) -> Option<SetupStep> {
    (step.count > 0).then(|| SetupStep {
        count: step.count,
        p50: Figure::of(step.p50),
        p99: Figure::of(step.p99),
    })
}

fn host_result(figures: &verdict::HostFigures) -> HostResult {
    HostResult {
        host: figures.host.clone(),
        ok: figures.ok,
        failed: figures.failed,
        errors: named(&figures.errors),
        p50: Figure::of(figures.p50),
        p99: Figure::of(figures.p99),
    }
}

fn named(errors: &BTreeMap<&'static str, u64>) -> BTreeMap<String, u64> {
    errors
        .iter()
        .map(|(class, count)| ((*class).to_owned(), *count))
        .collect()
}

fn operation_result(figures: &verdict::OperationFigures, slices: &[&Slice]) -> OperationResult {
    let ops: Vec<&OpFigures> = slices
        .iter()
        .flat_map(|slice| &slice.ops)
        .filter(|op| op.name == figures.operation)
        .collect();
    OperationResult {
        operation: figures.operation.clone(),
        role: role(figures.role),
        ok: figures.ok,
        failed: figures.failed,
        errors: named(&figures.errors),
        statuses: sum(ops.iter().map(|op| &op.statuses)),
        failures: failures(ops.iter().map(|op| &op.failures)),
        censored: figures.censored,
        throughput: Figure::of(figures.throughput),
        bandwidth: Figure::of(figures.bandwidth),
        timed_from: if figures.from_intended_start {
            TimedFrom::IntendedStart
        } else {
            TimedFrom::Write
        },
        p50: Figure::of(figures.p50),
        p90: Figure::of(figures.p90),
        p99: Figure::of(figures.p99),
        max: figures.max,
        service_p50: Figure::of(figures.service_p50),
        service_p99: Figure::of(figures.service_p99),
        first_byte_p50: Figure::of(figures.first_byte_p50),
        first_byte_p99: Figure::of(figures.first_byte_p99),
    }
}

fn role(role: tenbin_record::Role) -> Role {
    match role {
        tenbin_record::Role::Request => Role::Request,
        tenbin_record::Role::Step => Role::Step,
        tenbin_record::Role::Whole => Role::Whole,
        tenbin_record::Role::Poll => Role::Poll,
        tenbin_record::Role::Effect => Role::Effect,
    }
}

/// The same of texts of failures, by their shape.
fn failures<'a>(counts: impl Iterator<Item = &'a BTreeMap<String, u64>>) -> BTreeMap<String, u64> {
    let mut sum = BTreeMap::new();
    for (text, count) in counts.flatten() {
        tenbin_record::failure::count(&mut sum, text, *count);
    }
    sum
}

fn sum<'a, K: Ord + Clone + 'a>(
    counts: impl Iterator<Item = &'a BTreeMap<K, u64>>,
) -> BTreeMap<K, u64> {
    let mut sum = BTreeMap::new();
    for (key, count) in counts.flatten() {
        *sum.entry(key.clone()).or_default() += count;
    }
    sum
}

fn comparison(comparison: &verdict::Comparison) -> Comparison {
    Comparison {
        workload: comparison.workload.clone(),
        baseline: comparison.baseline.clone(),
        challenger: comparison.challenger.clone(),
        metric: comparison.metric.name(),
        metric_phrase: comparison.metric.phrase(),
        higher_is_better: comparison.direction == Direction::HigherIsBetter,
        primary: comparison.primary,
        level_of: comparison.level_of.as_ref().map(|of| of.sweep.clone()),
        twin: comparison.twin,
        without_flagged: comparison.without_flagged.and_then(Figure::of),
        noise_floor: Some(comparison.noise_floor),
        ratio: Figure::of(comparison.ratio),
        together: comparison.together.map(|all| Together {
            comparisons: all.comparisons as u64,
            confidence: all.confidence,
        }),
        block_ratios: comparison.block_ratios.clone(),
        rounds_per_block: comparison.rounds_per_block as u64,
        p: comparison.p,
        adjusted_p: comparison.adjusted_p,
        outcome: comparison.outcome.clone(),
        trust: comparison.trust,
        sentence: comparison.sentence(),
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
