//! Mean times of the server stages that targets report, by band of service time.

use tenbin_record::{OperationStages, Slice};
use tenbin_result::{StageBand, StageBandResult, StageResult, StagesOf};
use tenbin_stats::{CONFIDENCE, band_shares, jackknife, printable_percentile};

use crate::figures::basis::Basis;

/// The quantiles between the bands.
const EDGES: [f64; 3] = [0.50, 0.90, 0.99];

/// The quantile for which there must be enough samples ([`printable_percentile`]); otherwise the
/// band gets no figures.
fn edge(band: StageBand) -> f64 {
    match band {
        StageBand::FastestHalf => 0.50,
        StageBand::P50ToP90 => 0.90,
        StageBand::P90ToP99 | StageBand::AboveP99 => 0.99,
    }
}

/// Stage times of each operation of a cell; empty unless the plan requests stages.
pub(crate) fn of_cell(basis: &Basis<'_>) -> Vec<StagesOf> {
    operations(basis.slices())
        .into_iter()
        .map(|name| of_operation(basis, name))
        .collect()
}

/// The operations with a correct response in a slice that records stage times, in the order of the
/// workload.
pub(crate) fn operations<'a>(slices: &[&'a Slice]) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for slice in slices {
        let Some(sums) = &slice.end.stages else {
            continue;
        };
        let answered = slice.ops.iter().map(|op| op.name.as_str());
        for name in answered.filter(|name| sums.of(name).is_some()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

fn of_operation(basis: &Basis<'_>, operation: &str) -> StagesOf {
    let slices = basis.slices();
    let all = pooled(slices, operation);
    let without: Vec<OperationStages> = (0..slices.len())
        .map(|at| pooled(&[&slices[..at], &slices[at + 1..]].concat(), operation))
        .collect();
    let bands = StageBand::ALL.map(|band| {
        let known = printable_percentile(edge(band), all.answers());
        let means = |sums: &OperationStages| Means::of(sums, band);
        known.then(|| (means(&all), without.iter().map(means).collect::<Vec<_>>()))
    });
    let mean = |band: usize, of: &dyn Fn(&Means) -> Option<f64>| {
        let value = bands[band].as_ref().and_then(|(all, without)| {
            let without: Vec<Option<f64>> = without.iter().map(of).collect();
            Some(jackknife(of(all)?, &without, 0.0, CONFIDENCE))
        });
        basis.checked(value?)
    };
    let named = |at: usize| -> u64 { all.buckets.iter().map(|each| each.stages[at].named).sum() };
    let carrying = all.carrying();
    StagesOf {
        operation: operation.to_owned(),
        answers: all.answers(),
        carrying,
        unreadable: all.unreadable(),
        bands: StageBand::ALL
            .into_iter()
            .enumerate()
            .map(|(at, band)| StageBandResult {
                band,
                service: mean(at, &|means| means.service),
                total: mean(at, &|means| means.total),
                remainder: mean(at, &|means| means.remainder),
                carrying: mean(at, &|means| means.carrying),
            })
            .collect(),
        stages: all
            .stages
            .iter()
            .enumerate()
            .map(|(stage, name)| StageResult {
                stage: name.clone(),
                named: named(stage) as f64 / carrying.max(1) as f64,
                bands: (0..bands.len())
                    .map(|band| mean(band, &|means| means.of_stage(name)))
                    .collect(),
            })
            .collect(),
    }
}

/// Means over the requests of one operation in one band, seconds; `None` if no response reports the
/// value.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Means {
    pub(crate) service: Option<f64>,
    pub(crate) total: Option<f64>,
    pub(crate) remainder: Option<f64>,
    /// Share of the responses that report stage times, 0 to 1.
    pub(crate) carrying: Option<f64>,
    /// (Name, mean) of each stage; empty if no response has stage times.
    stages: Vec<(String, f64)>,
}

impl Means {
    /// The means in one band, from sums over several slices.
    pub(crate) fn of(sums: &OperationStages, band: StageBand) -> Self {
        let counts: Vec<u64> = sums.buckets.iter().map(|bucket| bucket.answers).collect();
        let shares = &band_shares(&counts, &EDGES)[band as usize];
        let sum = |of: &dyn Fn(usize) -> u64| -> f64 {
            let parts = shares.iter().enumerate();
            parts.map(|(at, share)| share * of(at) as f64).sum()
        };
        let bucket = |at: usize| &sums.buckets[at];
        let answers = sum(&|at| bucket(at).answers);
        let carrying = sum(&|at| bucket(at).carrying);
        let totals = sum(&|at| bucket(at).totals);
        let total = mean(sum(&|at| bucket(at).total_ns), totals);
        let total_service = mean(sum(&|at| bucket(at).total_service_ns), totals);
        let stages = sums.stages.iter().enumerate().filter_map(|(stage, name)| {
            let nanos = sum(&|at| bucket(at).stages[stage].ns);
            Some((name.clone(), mean(nanos, carrying)?))
        });
        Self {
            service: mean(sum(&|at| bucket(at).service_ns), answers),
            total,
            // Unknown if the stages take longer than the request: the target's clock then differs
            // from the load generator's clock.
            remainder: total
                .zip(total_service)
                .map(|(total, service)| service - total)
                .filter(|left| *left >= 0.0),
            carrying: (answers > 0.0).then(|| carrying / answers),
            stages: stages.collect(),
        }
    }

    /// The mean of the stage `name`, seconds; 0 if responses report only other stages.
    pub(crate) fn of_stage(&self, name: &str) -> Option<f64> {
        let mut stages = self.stages.iter();
        let named = stages
            .find(|(stage, _)| stage == name)
            .map(|(_, mean)| *mean);
        let others = self.carrying.is_some_and(|share| share > 0.0);
        named.or(others.then_some(0.0))
    }
}

fn mean(nanos: f64, count: f64) -> Option<f64> {
    // Shares of buckets have rounding errors, so a count of 0 can be slightly above 0.
    (count > 1e-9).then(|| nanos / count / 1e9)
}

/// The stage times of an operation, summed over `slices`.
pub(crate) fn pooled(slices: &[&Slice], operation: &str) -> OperationStages {
    let mut sum = OperationStages {
        operation: operation.to_owned(),
        ..OperationStages::default()
    };
    for part in slices.iter().filter_map(|slice| slice.end.stages.as_ref()) {
        if let Some(part) = part.of(operation) {
            sum.add(part);
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use tenbin_result::Figure;

    use super::*;
    use crate::testing::{Run, stages};

    /// Stage figures of target `a`; `made` gives the stage times by block.
    fn with_stages(made: impl Fn(u32) -> tenbin_record::StageSums) -> Vec<StagesOf> {
        let mut run = Run::pair(8);
        run.each(|slice| slice.0.end.stages = Some(made(slice.0.block)));
        run.figures().remove(0).stages
    }

    fn close(figure: Option<Figure>, expected: f64) -> bool {
        let value = figure.unwrap().value;
        (value - expected).abs() < 1e-6
    }

    #[test]
    fn means_are_those_of_the_requests_in_the_band() {
        // 1 % of the responses spend ten times as long in the database.
        let figures = with_stages(|_| stages(&[(990, 2, &[("db", 1)]), (10, 20, &[("db", 18)])]));
        let [get] = &figures[..] else {
            panic!("{figures:?}")
        };
        assert_eq!(
            (get.answers, get.carrying, get.unreadable),
            (16_000, 16_000, 0)
        );
        assert_eq!(get.stages[0].stage, "db");
        assert_eq!(get.stages[0].named, 1.0);
        for (at, (service, db)) in [(2, 1), (2, 1), (2, 1), (20, 18)].into_iter().enumerate() {
            let band = &get.bands[at];
            assert!(close(band.service, f64::from(service) / 1e3), "{band:?}");
            assert!(
                close(get.stages[0].bands[at], f64::from(db) / 1e3),
                "{get:?}"
            );
            assert!(
                band.service.unwrap().interval.is_some(),
                "with its interval"
            );
            assert_eq!(band.total, None, "nobody told it");
            assert_eq!(band.remainder, None);
            assert_eq!(band.carrying.unwrap().value, 1.0);
        }
    }

    #[test]
    fn the_remainder_is_of_responses_with_a_total() {
        let figures = with_stages(|_| {
            let mut sums = stages(&[(1_000, 4, &[("db", 1)])]);
            let bucket = &mut sums.operations[0].buckets[0];
            bucket.totals = 500;
            bucket.total_ns = 500 * 3_000_000;
            bucket.total_service_ns = 500 * 5_000_000;
            sums
        });
        assert!(close(figures[0].bands[3].total, 0.003));
        assert!(close(figures[0].bands[3].remainder, 0.002));
    }

    #[test]
    fn stages_longer_than_the_request_leave_the_rest_unknown() {
        let figures = with_stages(|_| {
            let mut sums = stages(&[(1_000, 4, &[("db", 1)])]);
            let bucket = &mut sums.operations[0].buckets[0];
            bucket.totals = 1_000;
            bucket.total_ns = 1_000 * 6_000_000;
            bucket.total_service_ns = bucket.service_ns;
            sums
        });
        assert!(close(figures[0].bands[0].total, 0.006));
        assert_eq!(figures[0].bands[0].remainder, None);
    }

    #[test]
    fn a_stage_that_a_slice_never_named_took_no_time_there() {
        let figures = with_stages(|block| match block % 4 {
            0 => stages(&[(1_000, 4, &[("db", 1), ("cache", 2)])]),
            _ => stages(&[(1_000, 4, &[("db", 1)])]),
        });
        let cache = &figures[0].stages[1];
        assert_eq!(cache.stage, "cache");
        // A quarter of the responses spent 2 ms in the cache.
        assert!(close(cache.bands[0], 0.000_5), "{cache:?}");
        assert!(cache.named > 0.0 && cache.named < 1.0);
    }

    #[test]
    fn too_few_answers_for_a_band_leave_it_unknown() {
        let few = with_stages(|_| stages(&[(20, 4, &[("db", 1)])]));
        assert!(few[0].bands[0].service.is_some());
        let rare = few[0].bands[3].service;
        assert_eq!(rare, None, "320 answers in all");
        let some = with_stages(|_| stages(&[(30, 4, &[("db", 1)])]));
        let rare = some[0].bands[3].service;
        assert_eq!(rare.unwrap().n, 16, "480 in all");
    }

    #[test]
    fn nobody_asked() {
        let run = Run::pair(8);
        assert_eq!(run.figures().remove(0).stages, []);
    }
}
