//! Times and ratios over the range of percentiles, for charts.

use tenbin_plan::{Pace, Plan, Quantile, Statistic};
use tenbin_record::{OpFigures, Slice};
use tenbin_result::{Figure, Metric, PercentileRatios, RatioAt, TimeAt};
use tenbin_stats::{CONFIDENCE, printable_percentile, ratio};

use crate::cell::Cell;
use crate::compare::blocks::Blocks;
use crate::compare::comparison::Comparison;
use crate::evidence::is_closed;
use crate::figures::basis::Basis;
use crate::figures::latency::{Kind, NANOS_PER_SECOND, Pick, among_answered, unsent};

/// Quantiles drawn in charts, if the number of requests is large enough.
const DRAWN: [f64; 14] = [
    0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999, 0.9995, 0.9999, 0.99999,
];

/// Percentiles at which challengers are compared with the baseline.
const COMPARED: [&str; 4] = ["p50", "p90", "p99", "p99.9"];

/// Number of slices of a workload above which percentiles above [`BEYOND`] are not compared, to
/// avoid reading every histogram of the run again.
const MANY_SLICES: usize = 2_000;
/// Quantile above which a comparison must read the histograms again.
const BEYOND: f64 = 0.99;

/// Time at each drawn quantile for one workload on one target, over the operations that count
/// towards throughput.
pub(crate) fn spectrum(cell: &Cell<'_>, basis: &Basis<'_>) -> Vec<TimeAt> {
    let service: Kind = |op: &OpFigures| &op.times.service;
    let response: Kind = |op: &OpFigures| &op.times.response;
    let kind = if is_closed(cell.workload) {
        service
    } else {
        response
    };
    let pick: &Pick<'_> = &|slice| slice.work().map(kind).collect();
    let times = basis.merged(pick);
    let Some(times) = times.filter(|times| !times.is_empty()) else {
        return Vec::new();
    };
    let printable = DRAWN
        .into_iter()
        .filter(|q| printable_percentile(*q, times.len()));
    let unsent = unsent(basis.slices(), pick);
    printable
        .filter_map(|quantile| {
            let rank = among_answered(quantile, times.len(), unsent)?;
            Some(TimeAt {
                quantile,
                seconds: times.value_at_quantile(rank) as f64 / NANOS_PER_SECOND,
            })
        })
        .collect()
}

/// Ratios of every challenger to the baseline at several percentiles. A ratio that `comparisons`
/// contain is taken from there.
pub(crate) fn percentile_ratios(
    plan: &Plan,
    slices: &[Slice],
    comparisons: &[Comparison],
) -> Vec<PercentileRatios> {
    let Some(baseline) = plan.baseline() else {
        return Vec::new();
    };
    let mut all = Vec::new();
    let compared = plan.workloads.iter().filter(|work| work.search().is_none());
    for workload in compared {
        let closed = workload.load.pace == Pace::Closed;
        let blocks = Blocks::of(workload, slices);
        let of_work = slices
            .iter()
            .filter(|slice| slice.workload == workload.name);
        let is_long = of_work.count() > MANY_SLICES;
        for challenger in plan.challengers() {
            let known = |metric: Metric| {
                let mut mine = comparisons.iter().filter(|each| {
                    each.workload == workload.name && each.challenger == challenger.name
                });
                mine.find(|each| each.metric == metric)
            };
            let at = |quantile: Quantile| {
                let statistic = Statistic::Quantile(quantile);
                let metric = if closed {
                    Metric::Service(statistic)
                } else {
                    Metric::Response(statistic)
                };
                let found = match known(metric) {
                    Some(comparison) => comparison.found.ratio,
                    None if is_long && quantile.share() > BEYOND => None,
                    None => {
                        let logs = blocks.log_ratios(metric, &baseline.name, &challenger.name);
                        Figure::of(ratio(&logs, CONFIDENCE))
                    }
                };
                RatioAt {
                    quantile: quantile.share(),
                    ratio: found,
                }
            };
            let ratios: Vec<RatioAt> = COMPARED
                .iter()
                .filter_map(|name| Quantile::named(name))
                .map(at)
                .collect();
            if ratios.iter().any(|at| at.ratio.is_some()) {
                all.push(PercentileRatios {
                    workload: workload.name.clone(),
                    baseline: baseline.name.clone(),
                    challenger: challenger.name.clone(),
                    ratios,
                });
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::cells;
    use crate::compare::compare;
    use crate::testing::Run;

    /// A run in which 1 of 250 requests takes longer, by a different factor for each target.
    fn tailed() -> Run {
        let mut run = Run::pair(8);
        run.each(|slice| {
            let (middle, tail) = match slice.0.target.as_str() {
                "a" => (1_000_000, 10_000_000),
                _ => (2_000_000, 60_000_000),
            };
            let service = &mut slice.0.ops[0].times.service;
            service.clear();
            service.record_n(middle, 4_980).unwrap();
            service.record_n(tail, 20).unwrap();
            slice.0.ops[0].times.response = service.clone();
        });
        run
    }

    #[test]
    fn a_ratio_at_a_percentile_is_that_of_the_percentiles() {
        let run = tailed();
        let comparisons = compare(&run.plan, &run.slices);
        let [found] = &percentile_ratios(&run.plan, &run.slices, &comparisons)[..] else {
            panic!("one challenger");
        };
        let at = |quantile: f64| {
            let mut ratios = found.ratios.iter();
            let at = ratios.find(|at| (at.quantile - quantile).abs() < 1e-9);
            at.unwrap().ratio.unwrap()
        };
        for (quantile, expected) in [(0.5, 2.0), (0.9, 2.0), (0.99, 2.0), (0.999, 6.0)] {
            let ratio = at(quantile);
            assert!(
                (ratio.value / expected - 1.0).abs() < 0.01,
                "{quantile}: {ratio:?}"
            );
            assert!(ratio.interval.is_some(), "{quantile}");
        }
        let mut known = comparisons.iter();
        let p99 = known
            .find(|each| each.metric == Metric::SERVICE_P99)
            .unwrap();
        assert_eq!(p99.found.ratio, Some(at(0.99)), "the same in both");
    }

    #[test]
    fn a_spectrum_ends_where_requests_are_too_few() {
        let run = tailed();
        let cells = cells(&run.plan, &run.slices);
        let times = spectrum(&cells[0], &Basis::of(&cells[0]));
        // 16 slices of 5,000 requests: 80,000 requests are enough for p99.99 (36,888), not for
        // p99.999.
        let last = times.last().unwrap();
        assert_eq!(last.quantile, 0.9999);
        assert!((last.seconds / 0.01 - 1.0).abs() < 0.01, "{last:?}");
        let middle = times.iter().find(|at| at.quantile == 0.5).unwrap();
        assert!((middle.seconds / 0.001 - 1.0).abs() < 0.01, "{middle:?}");
        assert!(times.is_sorted_by(|a, b| a.seconds <= b.seconds));
    }

    #[test]
    fn few_requests_have_no_p99_9() {
        let run = Run::pair(8);
        let comparisons = compare(&run.plan, &run.slices);
        for found in percentile_ratios(&run.plan, &run.slices, &comparisons) {
            assert_eq!(found.ratios.last().unwrap().ratio, None, "not 1");
        }
    }
}
