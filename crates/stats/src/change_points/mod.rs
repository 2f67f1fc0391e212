//! Change points of a series of runs: where its level changed for good, and by how much.
//!
//! A value is the logarithm of a ratio (or figure) of one run, with the variance that is known from
//! inside the run. Runs of an unchanged thing vary by more than that; the additional variance is
//! estimated from the differences of near runs, which a few changes of the level do not affect.
//! The levels are those with the lowest cost: a run costs the square of its distance from the level
//! in standard deviations, but never more than a share of the cost of a change. A single run that
//! is far away is therefore an outlier and no change. The cost of a change depends on the number of
//! runs and is calibrated by simulation: a history without a change has one in at most 5 %.

mod fit;
mod penalty;
mod place;
mod scale;
#[cfg(test)]
mod tests;

use crate::distribution::student_quantile;
use fit::fitted;

/// Fewest values in which changes are looked for.
pub const FEWEST_RUNS: usize = 8;
/// Share of the median of all known variances in a known variance: a variance from a few blocks is
/// itself uncertain, and a run whose variance is small by chance would decide alone.
const OF_MEDIAN: f64 = 0.5;

/// Largest logarithm of a number that has a reciprocal.
const LARGEST_LOG: f64 = 710.0;
/// Smallest deviation, as a share of the largest logarithm: values that differ by less are equal.
const LEAST_DEVIATION: f64 = 1e-6;

/// The value of one run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunValue {
    /// Logarithm of the ratio or figure.
    pub log: f64,
    /// Variance of the logarithm, from the values inside the run; `None` if unknown.
    pub variance: Option<f64>,
}

/// The levels of a series.
#[derive(Debug, Clone, PartialEq)]
pub struct Levels {
    /// Standard deviation of the logarithm from run to run, in addition to the known variances.
    pub between_runs: f64,
    /// Stretches of runs with one level, in order.
    pub stretches: Vec<Stretch>,
    /// The changes between them.
    pub changes: Vec<LevelChange>,
    /// Indices of runs that are far from the level of their stretch.
    pub outliers: Vec<usize>,
}

/// Runs with one level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stretch {
    /// Index of the first run.
    pub first: usize,
    /// Index after the last run.
    pub end: usize,
    /// The level: weighted mean of the logarithms, without outliers.
    pub log: f64,
    /// Variance of the level.
    variance: f64,
    /// Number of runs behind the level.
    counted: usize,
}

/// A change of the level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LevelChange {
    /// Index of the first run after the change.
    pub first: usize,
    /// Earliest index that the first run after the change can have, at the confidence
    /// [`CONFIDENCE`](crate::CONFIDENCE).
    pub earliest: usize,
    /// Latest index that the first run after the change can have.
    pub latest: usize,
    /// Difference of the levels, later − earlier.
    pub log: f64,
    /// Lower end of the interval of the difference.
    pub low: f64,
    /// Upper end of the interval of the difference.
    pub high: f64,
}

/// The levels of a series. `None` with fewer than [`FEWEST_RUNS`] values, or if a value is not
/// finite or no logarithm of a number.
pub fn levels(series: &[RunValue]) -> Option<Levels> {
    let is_known =
        |run: &RunValue| run.log.abs() <= LARGEST_LOG && run.variance.is_none_or(f64::is_finite);
    (series.len() >= FEWEST_RUNS && series.iter().all(is_known))
        .then(|| levels_at(series, penalty::of(series.len())))
}

/// The levels if a change costs `penalty`.
pub(crate) fn levels_at(series: &[RunValue], penalty: f64) -> Levels {
    let logs: Vec<f64> = series.iter().map(|run| run.log).collect();
    let known = moderated(series);
    let between = scale::between(&logs, &known);
    let weights = weights(&logs, &known, between);
    let Some(weights) = weights else {
        return constant(&logs);
    };
    let cap = penalty * fit::OUTLIER;
    let starts = fitted(&logs, &weights, penalty);
    let ends = starts.iter().skip(1).copied().chain([logs.len()]);
    let stretches: Vec<Stretch> = starts
        .iter()
        .zip(ends)
        .map(|(first, end)| place::stretch(&logs, &weights, cap, *first, end))
        .collect();
    let pairs = stretches.windows(2);
    let changes = pairs.map(|pair| change(&logs, &weights, cap, pair[0], pair[1]));
    let changes = changes.collect();
    let is_far = |(at, stretch): (usize, &Stretch)| {
        let distance = logs[at] - stretch.log;
        (distance * distance * weights[at] > cap).then_some(at)
    };
    let runs = stretches
        .iter()
        .flat_map(|stretch| (stretch.first..stretch.end).map(move |at| (at, stretch)));
    let outliers = runs.filter_map(is_far).collect();
    Levels {
        between_runs: between.sqrt(),
        stretches,
        changes,
        outliers,
    }
}

/// The change between two adjacent stretches.
fn change(logs: &[f64], weights: &[f64], cap: f64, before: Stretch, after: Stretch) -> LevelChange {
    let (earliest, latest) = place::range(logs, weights, cap, &before, &after);
    let log = after.log - before.log;
    let freedom = (before.counted + after.counted).saturating_sub(2).max(1);
    let upper = f64::midpoint(1.0, crate::CONFIDENCE);
    let quantile = student_quantile(upper, freedom).unwrap_or(f64::INFINITY);
    let half = quantile * (before.variance + after.variance).sqrt();
    LevelChange {
        first: after.first,
        earliest,
        latest,
        log,
        low: log - half,
        high: log + half,
    }
}

/// The known variances, moderated by their median. Unknown ones are the median, or 0 if none is
/// known.
fn moderated(series: &[RunValue]) -> Vec<f64> {
    let known = series.iter().filter_map(|run| run.variance);
    let mut known: Vec<f64> = known.map(|variance| variance.max(0.0)).collect();
    known.sort_by(f64::total_cmp);
    let median = known.get(known.len() / 2).copied().unwrap_or(0.0);
    let of = |run: &RunValue| {
        let own = run.variance.unwrap_or(median).max(0.0);
        OF_MEDIAN * median + (1.0 - OF_MEDIAN) * own
    };
    series.iter().map(of).collect()
}

/// The inverse variances; `None` if the values do not vary.
fn weights(logs: &[f64], known: &[f64], between: f64) -> Option<Vec<f64>> {
    let spread = logs
        .iter()
        .fold(f64::NEG_INFINITY, |most, log| most.max(*log))
        - logs
            .iter()
            .fold(f64::INFINITY, |least, log| least.min(*log));
    let largest = logs.iter().fold(1.0_f64, |most, log| most.max(log.abs()));
    let least = (largest * LEAST_DEVIATION).powi(2);
    let has_spread = spread > largest * LEAST_DEVIATION;
    has_spread.then(|| {
        let variances = known.iter().map(|known| (known + between).max(least));
        variances.map(|variance| 1.0 / variance).collect()
    })
}

/// One level for values that are all equal.
fn constant(logs: &[f64]) -> Levels {
    Levels {
        between_runs: 0.0,
        stretches: vec![Stretch {
            first: 0,
            end: logs.len(),
            log: logs.first().copied().unwrap_or(0.0),
            variance: 0.0,
            counted: logs.len(),
        }],
        changes: Vec::new(),
        outliers: Vec::new(),
    }
}
