//! The variance between runs, from the differences of near runs.

/// Median of the absolute value of a standard normal variable.
const MEDIAN_OF_NORMAL: f64 = 0.674_489_750_196_081_7;
/// Largest distance of the runs whose difference is taken.
const FARTHEST: usize = 3;
/// Number of runs for each unit of that distance: a change of the level affects as many differences
/// as the distance is long.
const RUNS_PER_DISTANCE: usize = 15;

/// The variance between runs, in addition to the `known` variances: the smallest that explains the
/// median absolute difference of runs at every distance. Runs that follow a slow movement of the
/// machine differ little from their neighbours and more from others, so the largest counts.
pub(super) fn between(logs: &[f64], known: &[f64]) -> f64 {
    let farthest = (logs.len() / RUNS_PER_DISTANCE).clamp(1, FARTHEST);
    let of = |distance| at_distance(logs, known, distance);
    (1..=farthest).map(of).fold(0.0, f64::max)
}

fn at_distance(logs: &[f64], known: &[f64], distance: usize) -> f64 {
    let pairs: Vec<(f64, f64)> = (distance..logs.len())
        .map(|at| {
            let difference = (logs[at] - logs[at - distance]).abs();
            (difference, known[at] + known[at - distance])
        })
        .collect();
    // The median of |difference| ÷ deviation falls as the variance between runs grows.
    let is_explained = |between: f64| {
        let standard = pairs.iter().map(|(difference, known)| {
            let deviation = (2.0 * between + known).sqrt();
            if *difference == 0.0 {
                0.0
            } else {
                difference / deviation
            }
        });
        median(standard.collect()) <= MEDIAN_OF_NORMAL
    };
    if pairs.is_empty() || is_explained(0.0) {
        return 0.0;
    }
    let most = pairs.iter().fold(0.0_f64, |most, pair| most.max(pair.0));
    let (mut low, mut high) = (0.0, most * most * 10.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if is_explained(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

/// The mean of the two middle values if their number is even.
fn median(mut values: Vec<f64>) -> f64 {
    let middle = values.len() / 2;
    let is_even = values.len().is_multiple_of(2);
    let (below, upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    let upper = *upper;
    if is_even {
        let lower = below.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        f64::midpoint(lower, upper)
    } else {
        upper
    }
}
