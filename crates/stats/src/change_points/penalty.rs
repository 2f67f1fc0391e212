//! The cost of a change, by the number of runs.

/// Number of runs, and the cost at which 4 % of the histories without a change have one: values with
/// a normal distribution, whose variance is unknown. From 20,000 simulated histories for each row;
/// `cargo xtask statistics history` checks them. With few runs, their variance is uncertain, and a
/// change costs more.
const COSTS: [(usize, f64); 12] = [
    (8, 60.0),
    (10, 45.0),
    (12, 35.0),
    (15, 28.0),
    (20, 22.0),
    (30, 18.0),
    (50, 15.0),
    (100, 14.0),
    (200, 14.0),
    (500, 15.0),
    (2_000, 17.0),
    (10_000, 20.0),
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
