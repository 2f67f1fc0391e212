//! The cost of a change, by the number of runs.

/// Number of runs, and a cost at which at most 4 % of the histories without a change have one: values
/// with a normal distribution, whose variance is unknown, known, or both. From 20,000 simulated
/// histories of 8 runs to 500 of 2,000; `cargo xtask statistics history` checks the rates. With few
/// runs, the variance between runs is uncertain, so a change costs more; from 30 runs on, it comes
/// from more differences.
const COSTS: [(usize, f64); 9] = [
    (8, 14.0),
    (15, 13.0),
    (29, 13.0),
    (30, 9.5),
    (100, 10.0),
    (200, 11.0),
    (500, 12.5),
    (2_000, 14.5),
    (10_000, 17.0),
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
