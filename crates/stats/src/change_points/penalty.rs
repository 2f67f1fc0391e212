//! The cost of a change, by the number of runs.

/// Number of runs, and the cost. At 13 to 14, 4 % of the histories of 8 to 20 runs without a change
/// have one: values with a normal distribution, whose variance is unknown, known, or both. From 30
/// runs on, the variance between runs comes from more differences, and 9 to 10.5 would do; the higher
/// cost is for histories that are not normal, and for those with a change, which have several
/// stretches. From 20,000 simulated histories of 8 runs to 500 of 2,000; `cargo xtask statistics
/// history` checks the rates.
const COSTS: [(usize, f64); 5] = [
    (8, 14.0),
    (15, 13.0),
    (300, 13.0),
    (2_000, 15.0),
    (10_000, 18.0),
];

/// The cost of a change in a series of this number of runs, interpolated in the logarithm of the
/// number.
pub(super) fn of(runs: usize) -> f64 {
    let ln = |runs: usize| (runs.max(1) as f64).ln();
    let above = COSTS.partition_point(|(count, _)| *count < runs);
    match (above.checked_sub(1).map(|at| COSTS[at]), COSTS.get(above)) {
        (Some((fewer, low)), Some(&(more, high))) => {
            let share = (ln(runs) - ln(fewer)) / (ln(more) - ln(fewer));
            low + share * (high - low)
        }
        (None, Some((_, cost))) => *cost,
        // The cost grows with twice the logarithm of the number of places.
        (Some((most, cost)), None) => cost + 2.0 * (ln(runs) - ln(most)),
        (None, None) => f64::INFINITY,
    }
}
