//! Requests drawn from patterns.

mod cache;
mod figures;
mod hits;
mod host_order;
mod lru;
mod requests;
mod sampler;
mod worker;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use tenbin_engine::Workload;
use tenbin_plan::patterns::MOST_COUNTED_PATTERNS;
use tenbin_plan::{self as plan, HttpWork, PatternSet, Patterns, Sentence, sentence};

use self::cache::{Caches, Drawn, Forecaster, Shape};
use self::figures::Figures;
use self::hits::HitCounting;
use self::host_order::HostOrder;
use self::requests::Requests;
use self::sampler::{Sampler, Sampling};
use self::worker::{Log, Worker, WorkerState};
use super::checks::{Checker, Checks, Suspicion};
use super::error_message::{ErrorMessages, Secrets};
use super::of_workload;
use crate::error::WorkloadError;
use crate::prepared::{
    AgentSide, IMPOSSIBLE, Observation, Prepared, Sequence, SetUp, Stage, StoresNothing,
};
use crate::remote::{SliceReport, SliceState, position_after};
use crate::responses::{Lengths, Report, ResponseComparison};
use crate::rng::name_number;
use crate::samples::{CacheForecast, CountedPatterns, SliceSamples};
use crate::sequence::{Cursors, Position};
use crate::shared::held;
use crate::site::Site;
use crate::text::grouped;

/// Prepares the requests for a target.
pub(super) fn prepare(
    work: &plan::Workload,
    http: &HttpWork,
    patterns: &Patterns,
    target: &Site,
    seed: u64,
    workers: usize,
) -> Result<Box<dyn Prepared>, WorkloadError> {
    let refused = |reason: Sentence| WorkloadError::Patterns {
        workload: work.name.clone(),
        reason,
    };
    let chosen = match patterns.cache().and_then(|cache| cache.patterns()) {
        None => None,
        Some(count) => Some(patterns.set.choose(count, seed).map_err(refused)?),
    };
    let set: &PatternSet = chosen.as_ref().unwrap_or(&patterns.set);
    if set.is_empty() {
        return Err(refused("there are no patterns".into()));
    }
    let book = Arc::new(Requests::new(work, http, set, target)?);
    let sampling = Arc::new(Sampling::new(
        set,
        patterns.order,
        (seed, name_number(&work.name)),
        book.hosts_of(),
        workers,
    ));
    let counters = patterns.cache_counters.as_ref();
    let shared = counters.is_some_and(plan::CacheCounters::is_shared);
    let forecaster = patterns.cache().map(|cache| {
        let may_be = |method: &str| method == "GET" || (shared && method == "POST");
        let cacheable = set.patterns().iter().map(|pattern| may_be(&pattern.method));
        let caches = target.shared::<Caches>();
        let shape = Shape {
            size: cache.size,
            hosts: book.hosts(),
            shared,
        };
        Forecaster::new(&caches, shape, set, cacheable.collect(), &sampling)
    });
    let may_differ = http.may_differ;
    let compared = match set.len() {
        few if few <= MOST_COUNTED_PATTERNS && !may_differ.size && !may_differ.body => few,
        _ => 0,
    };
    let hit_counting = HitCounting::new(patterns, &book, set, seed);
    Ok(Box::new(PreparedPatterns {
        work: work.name.clone(),
        patterns: patterns.clone(),
        secrets: Secrets::of(http),
        checks: Arc::new(Checks::of_patterns(http, set)),
        suspicion: Suspicion::default(),
        labels: labels(set),
        notes: set.notes().to_vec(),
        chosen: chosen.is_some(),
        book,
        forecaster,
        hit_counting,
        cursors: Cursors::new(workers, !sampling.is_by_host()),
        samplers: (0..workers).map(|at| Some(sampling.sampler(at))).collect(),
        sampling,
        lengths: (0..workers).map(|_| Lengths::of(compared)).collect(),
        responses: None,
        of_agents: None,
        before: Position::default(),
        logs: Vec::new(),
        workers,
    }))
}

/// Names of the patterns in reports. Patterns that differ only in parts that are not shown, such as
/// bodies, get a number.
fn labels(set: &PatternSet) -> Vec<String> {
    let plain: Vec<String> = set.patterns().iter().map(plan::Pattern::label).collect();
    let mut times: HashMap<&str, u32> = HashMap::new();
    for label in &plain {
        *times.entry(label).or_default() += 1;
    }
    let numbered = plain
        .iter()
        .zip(1..)
        .map(|(label, place)| match times[label.as_str()] {
            1 => label.clone(),
            _ => format!("{label} #{place}"),
        });
    numbered.collect()
}

struct PreparedPatterns {
    work: String,
    patterns: Patterns,
    secrets: Secrets,
    checks: Arc<Checks>,
    suspicion: Suspicion,
    labels: Vec<String>,
    notes: Vec<Sentence>,
    /// Whether the plan draws from only a part of the file's patterns.
    chosen: bool,
    book: Arc<Requests>,
    sampling: Arc<Sampling>,
    forecaster: Option<Forecaster>,
    /// Counts search hits; `None` if the plan counts no hits.
    hit_counting: Option<HitCounting>,
    /// Positions of the workers in their sequences.
    cursors: Cursors,
    /// Samplers of the workers, between slices.
    samplers: Vec<Option<Sampler>>,
    /// Known response lengths by worker, between slices.
    lengths: Vec<Lengths>,
    /// Comparison of the last slice's responses.
    responses: Option<ResponseComparison>,
    /// Request samples of the agents in the last slice.
    of_agents: Option<SliceSamples>,
    /// Position and digest before the slice, on an agent.
    before: Position,
    /// Logs that the workers of the current slice write at its end.
    logs: Vec<Arc<Mutex<Option<Log>>>>,
    workers: usize,
}

impl Prepared for PreparedPatterns {
    fn slice(&mut self) -> Vec<Box<dyn Workload>> {
        let counted = match self.labels.len() {
            few if few <= MOST_COUNTED_PATTERNS => few,
            _ => 0,
        };
        self.logs = (0..self.workers).map(|_| Arc::default()).collect();
        let logs = self.logs.iter().enumerate();
        logs.map(|(worker, log)| {
            let sampler = self.samplers[worker].take();
            let course = WorkerState {
                sampler: sampler.unwrap_or_else(|| self.sampling.sampler(worker)),
                cursor: self.cursors.get(worker),
                lengths: std::mem::take(&mut self.lengths[worker]),
            };
            let figures = Figures::new(self.patterns.slowest as usize, counted);
            let book = Arc::clone(&self.book);
            let error_messages = ErrorMessages::new(&self.secrets);
            let checker = Checker::new(&self.checks, &self.suspicion);
            let judges = (error_messages, checker);
            let order = match &self.forecaster {
                Some(forecaster) => forecaster.order_to_keep(),
                None => HostOrder::default(),
            };
            let worker = Worker::new(book, course, figures, order, judges, Arc::clone(log));
            Box::new(worker) as Box<dyn Workload>
        })
        .collect()
    }

    /// Collects the logs, which workers write when they are dropped.
    fn slice_done(&mut self, workers: Vec<Box<dyn Workload>>) {
        drop(workers);
        self.responses = None;
        for (worker, log) in self.logs.iter().enumerate() {
            if let Some(log) = &mut *held(log) {
                let course = std::mem::take(&mut log.course);
                self.lengths[worker] = course.lengths;
                self.responses = match (self.responses.take(), log.responses.take()) {
                    (Some(one), Some(other)) => Some(one.and(other)),
                    (one, other) => one.or(other),
                };
                self.cursors.put_back(worker, course.cursor);
                self.samplers[worker] = Some(course.sampler);
            }
        }
    }
}

impl SetUp for PreparedPatterns {
    fn check(&mut self) -> Option<Stage> {
        None
    }

    /// The stage that counts search hits on the next host.
    fn before_run(&mut self) -> Option<Stage> {
        let (host, patterns, stage) = self.hit_counting.as_mut()?.before_run(&self.book)?;
        if let Some(forecaster) = &mut self.forecaster {
            forecaster.add_counting(host, patterns);
        }
        Some(stage)
    }

    fn notes(&self) -> Vec<Sentence> {
        let notes = self.notes.iter().cloned();
        let mut notes: Vec<Sentence> = notes.collect();
        if self.chosen {
            notes.push(sentence!(
                "drawn-from",
                "{drawn} of the {all} patterns of the file are drawn from",
                drawn = grouped(self.labels.len() as u64),
                all = grouped(self.patterns.set.len() as u64)
            ));
        }
        notes.extend(self.hit_counting.iter().flat_map(HitCounting::notes));
        if let (Some(dial), Some(forecaster)) = (self.patterns.cache(), &self.forecaster) {
            let forecast = forecaster.sentence(&self.sampling, dial);
            notes.extend(forecast.map(Sentence::from));
        }
        notes
            .into_iter()
            .map(|note| of_workload(&self.work, note))
            .collect()
    }

    fn restarted(&mut self) {
        if let Some(forecaster) = &mut self.forecaster {
            forecaster.forget();
        }
    }
}

impl Sequence for PreparedPatterns {
    fn position(&self) -> Option<Position> {
        // With a single pattern, the number of requests does not matter.
        (self.labels.len() > 1).then(|| self.cursors.position())
    }

    fn ends_at(&mut self, ends: Option<&[u64]>) {
        self.cursors.ends_at(ends);
    }

    fn skip_to(&mut self, position: &[u64]) {
        let left_out = self.cursors.skip_to(position);
        for (sampler, &count) in self.samplers.iter_mut().zip(&left_out) {
            if let Some(sampler) = sampler {
                sampler.skip(count);
            }
        }
        if let Some(forecaster) = &mut self.forecaster {
            forecaster.skip(&left_out);
        }
    }
}

impl Observation for PreparedPatterns {
    fn take_samples(&mut self) -> Option<SliceSamples> {
        if let Some(samples) = self.of_agents.take() {
            return Some(samples);
        }
        let logs = std::mem::take(&mut self.logs);
        let mut logs: Vec<Option<Log>> = logs.iter().map(|log| held(log).take()).collect();
        let drawn = |log: &mut Option<Log>| {
            log.as_mut().map_or_else(Drawn::default, |log| Drawn {
                by_host: std::mem::take(&mut log.drawn),
                order: std::mem::take(&mut log.order),
            })
        };
        let drawn: Vec<Drawn> = logs.iter_mut().map(drawn).collect();
        let figures = logs.into_iter().flatten().map(|log| log.figures);
        let merged = figures.reduce(Figures::and)?;
        let forecast: Option<CacheForecast> = self
            .forecaster
            .as_mut()
            .map(|forecaster| forecaster.replay(&drawn));
        Some(merged.named(&self.labels, forecast))
    }

    fn response_comparison(&mut self) -> Option<ResponseComparison> {
        self.responses.take()
    }

    fn suspicious_response(&self) -> Option<String> {
        held(&self.suspicion).clone()
    }

    fn counted_patterns(&self) -> Option<CountedPatterns> {
        let reach = self.hit_counting.as_ref().map_or(0, HitCounting::reach);
        Some(CountedPatterns {
            labels: match self.labels.len() {
                few if few <= MOST_COUNTED_PATTERNS => self.labels.clone(),
                _ => self.labels[..reach].to_vec(),
            },
            hosts: self
                .hit_counting
                .as_ref()
                .map_or_else(Vec::new, HitCounting::hits_by_host),
        })
    }

    fn count_again(&mut self) -> Option<Stage> {
        self.hit_counting.as_mut()?.count_again(&self.book)
    }
}

impl AgentSide for PreparedPatterns {
    fn state_for_agents(&mut self) -> SliceState {
        SliceState::of(&self.cursors)
    }

    fn add_reports(&mut self, reports: Vec<SliceReport>) -> Result<(), String> {
        let before = self.cursors.position().workers;
        if !reports.iter().all(|one| one.is_possible(Some(&before))) {
            return Err(IMPOSSIBLE.to_owned());
        }
        let digests = reports.iter().map(|report| report.digest);
        let digest = digests.fold(0, u64::wrapping_add);
        let after = position_after(&before, &reports);
        self.cursors.advance(&after, digest);
        let (mut responses, mut samples) = (Vec::new(), Vec::new());
        for report in reports {
            responses.extend(report.responses.map(|report| report.seen));
            samples.extend(report.samples);
        }
        let most = self.patterns.slowest as usize;
        self.responses = responses.into_iter().reduce(ResponseComparison::and);
        self.of_agents = samples
            .into_iter()
            .reduce(|one, other| one.and(other, most));
        Ok(())
    }

    fn is_continuable(&self) -> bool {
        true
    }

    fn set_state(&mut self, state: SliceState) -> Result<(), String> {
        if let Some(position) = &state.position {
            self.skip_to(position);
        }
        self.cursors.ends_at(state.ends.as_deref());
        self.before = self.cursors.position();
        Ok(())
    }

    fn report(&mut self) -> SliceReport {
        let after = self.cursors.position();
        let digest = |position: &Position| position.digest.unwrap_or_default();
        SliceReport {
            digest: digest(&after).wrapping_sub(digest(&self.before)),
            position: Some(after.workers),
            responses: self.responses.take().map(Report::of),
            samples: self.take_samples(),
            ..SliceReport::default()
        }
    }
}

impl StoresNothing for PreparedPatterns {}

#[cfg(test)]
mod tests {
    use super::labels;
    use super::sampler::tests::patterns;

    #[test]
    fn patterns_that_look_alike_are_numbered() {
        let json = r#"[{"path": "/s", "method": "POST", "body": {"q": 1}}, "/a",
            {"path": "/s", "method": "POST", "body": {"q": 2}}]"#;
        let set = patterns(json, "").set;
        assert_eq!(labels(&set), ["POST /s #1", "GET /a", "POST /s #3"]);
    }
}
