//! Concurrency sweeps: the maximum throughput of a target over the levels, the knee, and more.

mod compare;
pub(crate) mod level;
mod passes;
pub(crate) mod sentence;

use tenbin_plan::{Plan, Target, Workload};
use tenbin_record::{OpFigures, Slice};
use tenbin_result::{
    ConcurrencyLevel, ConcurrencySweep, Figure, Finding, Knee, Metric, Trust, UslResult,
};
use tenbin_stats::{self as stats, CONFIDENCE, Level, Measured, UslFit, knee, median, usl_fit};

pub use compare::compare_concurrency_sweeps;
pub(crate) use passes::hysteresis;

use crate::cell::Cell;
pub(crate) use crate::compare::curve::family;
use crate::compare::metric::Measure;
use crate::figures::latency;
use crate::figures::spread::uneven;
use crate::findings::messages::Messages;
use crate::rules::generator::little::rho;

/// The result of every concurrency sweep in the plan on every target, with the trust that the
/// findings allow. The workloads of a sweep differ only in the number of connections.
pub fn concurrency_sweeps(
    plan: &Plan,
    slices: &[Slice],
    findings: &[Finding],
) -> Vec<ConcurrencySweep> {
    let of_sweep = |sweep: Vec<usize>| {
        let workloads: Vec<&Workload> = sweep.iter().map(|&at| &plan.workloads[at]).collect();
        let targets = plan.targets.iter();
        let each = targets.map(|target| {
            let steps = steps(&workloads, target, slices);
            let mut found = concurrency_sweep(&workloads, target, &steps, slices, plan.seed);
            let on = [target.name.as_str()];
            let concerns = |finding: &&Finding| {
                let mut levels = workloads.iter();
                levels.any(|level| finding.concerns(&level.name, &on))
            };
            found.trust = Trust::after(findings.iter().filter(concerns));
            found.sentence = Messages::NONE.in_english(&sentence::of_concurrency_sweep(&found));
            found
        });
        each.collect::<Vec<_>>()
    };
    plan.concurrency_sweeps()
        .into_iter()
        .flat_map(of_sweep)
        .collect()
}

/// One level of a sweep on one target, with the full slices of the level.
pub(crate) struct SweepStep<'a> {
    workload: &'a Workload,
    slices: Vec<&'a Slice>,
}

pub(crate) fn steps<'a>(
    workloads: &[&'a Workload],
    target: &Target,
    slices: &'a [Slice],
) -> Vec<SweepStep<'a>> {
    let step = |&workload: &&'a Workload| SweepStep {
        workload,
        slices: slices
            .iter()
            .filter(|slice| {
                slice.workload == workload.name
                    && slice.target == target.name
                    && !slice.end.cut_short
            })
            .collect(),
    };
    workloads.iter().map(step).collect()
}

impl SweepStep<'_> {
    fn connections(&self) -> usize {
        self.workload.load.connections
    }

    fn throughputs(&self) -> Vec<f64> {
        let each = self.slices.iter().filter_map(|slice| slice.throughput());
        each.collect()
    }

    fn throughput(&self) -> Measured {
        Metric::Throughput.figure(&self.slices)
    }

    fn residence(&self) -> Measured {
        latency::mean_over(&self.slices, &|slice| {
            slice.work().map(|op| &op.times.service).collect()
        })
    }

    /// (block, mean of the figure over the slices of the block), in the order of the blocks.
    fn by_block(&self, figure: impl Fn(&Slice) -> Option<f64>) -> Vec<(u32, f64)> {
        let mut blocks: Vec<(u32, Vec<f64>)> = Vec::new();
        for slice in &self.slices {
            let Some(value) = figure(slice) else { continue };
            match blocks.iter_mut().find(|(block, _)| *block == slice.block) {
                Some((_, values)) => values.push(value),
                None => blocks.push((slice.block, vec![value])),
            }
        }
        blocks.sort_by_key(|(block, _)| *block);
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let each = blocks.iter().map(|(block, values)| (*block, mean(values)));
        each.collect()
    }
}

/// Mean service time of the operations that count towards throughput, seconds; `None` if none
/// succeeded.
fn mean_service(slice: &Slice) -> Option<f64> {
    let times = || {
        slice
            .work()
            .map(|op| &op.times.service)
            .filter(|h| !h.is_empty())
    };
    let answers: u64 = times().map(|h| h.len()).sum();
    let nanos: f64 = times().map(|h| h.mean() * h.len() as f64).sum();
    (answers > 0).then(|| nanos / answers as f64 / 1e9)
}

/// The sweep on one target; the caller sets trust and sentence.
fn concurrency_sweep(
    workloads: &[&Workload],
    target: &Target,
    steps: &[SweepStep<'_>],
    slices: &[Slice],
    seed: u64,
) -> ConcurrencySweep {
    let medians: Vec<(usize, f64)> = steps
        .iter()
        .filter_map(|step| Some((step.connections(), step.throughput().value()?)))
        .collect();
    // A missing level may have had the highest throughput.
    let complete = medians.len() == steps.len();
    let peak = peak_of(steps).filter(|_| complete);
    ConcurrencySweep {
        family: family(workloads),
        target: target.name.clone(),
        levels: steps.iter().map(level).collect(),
        knee: knee(&medians).filter(|_| complete).map(|knee| Knee {
            connections: knee.clients() as u64,
            found: matches!(knee, stats::Knee::At { .. }),
        }),
        peak_connections: peak.map(|peak| peak.connections() as u64),
        peak: peak.and_then(|peak| Figure::of(peak.throughput())),
        workers: peak.and_then(|peak| {
            let cells = workloads.iter().map(|work| Cell::new(work, target, slices));
            let is_uneven = cells.into_iter().any(|cell| uneven(&cell).is_some());
            Figure::of(workers(&steps[0], peak, is_uneven))
        }),
        usl: usl(steps, seed).filter(|_| complete).map(|fit| UslResult {
            lambda: Figure::of(fit.lambda),
            sigma: Figure::of(fit.sigma),
            kappa: Figure::of(fit.kappa),
            peak_connections: Figure::of(fit.peak_clients),
            peak_throughput: Figure::of(fit.peak_throughput),
            worst_misfit: fit.worst_misfit,
        }),
        hysteresis: Figure::of(hysteresis(steps)),
        trust: Trust::Valid,
        sentence: String::new(),
    }
}

fn peak_of<'s, 'a>(steps: &'s [SweepStep<'a>]) -> Option<&'s SweepStep<'a>> {
    let value = |step: &SweepStep<'_>| step.throughput().value();
    let with_figure = steps.iter().filter_map(|step| Some((step, value(step)?)));
    // Of levels with equal throughput, take the level with the fewest connections.
    with_figure
        .rev()
        .max_by(|(_, a), (_, b)| a.total_cmp(b))
        .map(|(step, _)| step)
}

fn level(step: &SweepStep<'_>) -> ConcurrencyLevel {
    ConcurrencyLevel {
        workload: step.workload.name.clone(),
        connections: step.connections() as u64,
        throughput: Figure::of(step.throughput()),
        residence: Figure::of(step.residence()),
        p50: Figure::of(Metric::SERVICE_P50.figure(&step.slices)),
        p90: Figure::of(Metric::SERVICE_P90.figure(&step.slices)),
        p99: Figure::of(Metric::SERVICE_P99.figure(&step.slices)),
        ok: Some(step.slices.iter().map(|slice| slice.ok()).sum()),
        failed: Some(step.slices.iter().map(|slice| slice.failed()).sum()),
        little: rho(&step.slices, &step.workload.load),
        down_to_up: Figure::of(passes::down_to_up(&step.by_block(Slice::throughput))),
    }
}

/// Number of busy workers: the median of X_max · R_min over the blocks that have both the peak and
/// the level with the fewest connections. X_max is the throughput at the peak.
///
/// R_min is the mean service time at the level with the fewest connections. If workers serve
/// connections unevenly, connections share a worker even at that level, and the mean includes
/// waiting; R_min is then the 10th percentile of the service time.
fn workers(fewest: &SweepStep<'_>, peak: &SweepStep<'_>, is_uneven: bool) -> Measured {
    let work = |op: &OpFigures| op.role.is_work();
    let alone = || latency::quantile_of(&fewest.slices, 0.10, |op| &op.times.service, &work);
    let shared = is_uneven && fewest.connections() > 1;
    let undisturbed = shared.then(alone).flatten();
    let residences = fewest.by_block(|slice| undisturbed.or_else(|| mean_service(slice)));
    let each: Vec<f64> = peak
        .by_block(Slice::throughput)
        .into_iter()
        .filter_map(|(block, throughput)| {
            let mut residences = residences.iter();
            let (_, residence) = residences.find(|(known, _)| *known == block)?;
            Some(throughput * residence)
        })
        .collect();
    median(&each, CONFIDENCE)
}

fn usl(steps: &[SweepStep<'_>], seed: u64) -> Option<UslFit> {
    let levels: Vec<Level> = steps
        .iter()
        .map(|step| Level {
            clients: step.connections() as f64,
            throughputs: step.throughputs(),
        })
        .collect();
    usl_fit(&levels, CONFIDENCE, seed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    /// A sweep of 1 to 32 connections on `targets`, each with a name and a number of workers; 10 ms
    /// per request.
    pub(super) fn run(targets: &[(&str, u64)], blocks: u32) -> Run {
        let names: Vec<&str> = targets.iter().map(|(name, _)| *name).collect();
        let levels = ["get-c1", "get-c2", "get-c4", "get-c8", "get-c16", "get-c32"];
        let rounds = blocks * tenbin_plan::rounds_per_block(targets.len());
        let mut run = Run::new(&names, &levels, rounds);
        for (at, workload) in run.plan.workloads.iter_mut().enumerate() {
            workload.load.connections = 1 << at;
        }
        run.each(|slice| {
            let at = levels.iter().position(|name| *name == slice.0.workload);
            let connections = 1 << at.unwrap();
            let (_, workers) = targets
                .iter()
                .find(|(name, _)| *name == slice.0.target)
                .unwrap();
            let busy = connections.min(*workers);
            slice.0.connections = connections as usize;
            slice.answers(100 * busy, 0.010 * connections as f64 / busy as f64);
        });
        run
    }

    fn only(run: &Run) -> ConcurrencySweep {
        concurrency_sweeps(&run.plan, &run.slices, &[]).remove(0)
    }

    #[test]
    fn four_workers_are_recognised() {
        let found = only(&run(&[("a", 4)], 8));
        assert_eq!((found.family.as_str(), found.target.as_str()), ("get", "a"));
        assert_eq!(
            found.knee.map(|knee| (knee.connections, knee.found)),
            Some((4, true))
        );
        assert_eq!(found.peak_connections, Some(4));
        assert_eq!(found.peak.unwrap().value, 400.0);
        let workers = found.workers.unwrap();
        assert!((workers.value - 4.0).abs() < 0.01, "{workers:?}");
        assert_eq!(found.levels.len(), 6);
        for level in &found.levels {
            let little = level.little.unwrap();
            assert!((little - 1.0).abs() < 0.01, "{level:?}");
        }
        assert!(found.usl.is_some());
        let hysteresis = found.hysteresis.unwrap();
        assert_eq!(hysteresis.value, 1.0);
    }

    #[test]
    fn connections_that_share_a_worker_from_the_fewest_on_make_no_workers() {
        // The lowest level has 2 connections, which share a worker in half of the slices.
        let mut run = run(&[("a", 4)], 8);
        run.plan.workloads.remove(0);
        run.slices.retain(|slice| slice.workload != "get-c1");
        run.each(|slice| {
            slice.0.end.spread = Some(tenbin_record::Spread {
                connections: 8,
                median_responses: 100.0,
                slowest: 50.0,
                lower_quartile: 50.0,
                median: 100.0,
                upper_quartile: 150.0,
                fastest: 150.0,
                variation: 0.0,
            });
            if slice.0.workload == "get-c2" && slice.0.block % 2 == 0 {
                slice.answers(100, 0.020);
            }
        });
        let workers = only(&run).workers.unwrap().value;
        assert!((workers - 4.0).abs() < 0.05, "{workers}");
    }

    #[test]
    fn think_time_does_not_occupy_workers() {
        let mut run = run(&[("a", 4)], 8);
        let think = tenbin_plan::Think::Fixed(std::time::Duration::from_millis(10));
        for workload in &mut run.plan.workloads {
            workload.load.think = Some(think);
        }
        let workers = only(&run).workers.unwrap().value;
        assert!((workers - 4.0).abs() < 0.02, "{workers}");
    }

    #[test]
    fn a_level_without_a_figure_leaves_the_result_unknown() {
        let mut run = run(&[("a", 4)], 8);
        run.slices.retain(|slice| slice.workload != "get-c16");
        let found = only(&run);
        assert_eq!((found.knee, found.peak_connections), (None, None));
        assert_eq!(found.peak, None);
        assert_eq!(found.workers, None);
        assert_eq!(found.usl, None);
    }

    #[test]
    fn few_blocks_give_figures_and_no_intervals() {
        let found = only(&run(&[("a", 4)], 2));
        assert_eq!(found.peak.unwrap().interval, None);
        assert_eq!(found.workers.unwrap().interval, None);
    }

    #[test]
    fn no_sweep_no_result() {
        let run = Run::new(&["a"], &["get", "put"], 8);
        assert_eq!(concurrency_sweeps(&run.plan, &run.slices, &[]), []);
    }
}
