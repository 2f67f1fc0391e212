//! The level of a stretch, and where a change can be.

use super::Stretch;

/// The most rounds of weighting for a level; it settles after a few.
const ROUNDS: usize = 20;

/// The stretch from run `first` to before run `end`, with the level that has the lowest cost: a
/// weighted mean without the runs whose cost is limited. It starts from the weighted median.
pub(super) fn stretch(
    logs: &[f64],
    weights: &[f64],
    cap: f64,
    first: usize,
    end: usize,
) -> Stretch {
    let runs: Vec<(f64, f64)> = (first..end).map(|at| (logs[at], weights[at])).collect();
    let mut log = weighted_median(&runs);
    let mut counted = runs.len();
    let mut sum = runs.iter().map(|(_, weight)| weight).sum::<f64>();
    for _ in 0..ROUNDS {
        let near = runs
            .iter()
            .filter(|(each, weight)| (each - log).powi(2) * weight <= cap);
        let (mut total, mut moment, mut count) = (0.0, 0.0, 0);
        for (each, weight) in near {
            total += weight;
            moment += weight * each;
            count += 1;
        }
        if count == 0 {
            break;
        }
        let next = moment / total;
        (counted, sum) = (count, total);
        let has_settled = next == log;
        log = next;
        if has_settled {
            break;
        }
    }
    Stretch {
        first,
        end,
        log,
        variance: 1.0 / sum,
        counted,
    }
}

fn weighted_median(runs: &[(f64, f64)]) -> f64 {
    let mut sorted = runs.to_vec();
    sorted.sort_by(|one, other| one.0.total_cmp(&other.0));
    let half = sorted.iter().map(|(_, weight)| weight).sum::<f64>() / 2.0;
    let mut sum = 0.0;
    for (log, weight) in &sorted {
        sum += weight;
        if sum >= half {
            return *log;
        }
    }
    sorted.last().map_or(0.0, |(log, _)| *log)
}

/// The earliest and the latest first run after the change: the places that together have the
/// confidence of all intervals, each with the probability exp(−cost ÷ 2).
pub(super) fn range(
    logs: &[f64],
    weights: &[f64],
    cap: f64,
    before: &Stretch,
    after: &Stretch,
) -> (usize, usize) {
    let cost = |at: usize, level: f64| {
        let distance = logs[at] - level;
        (distance * distance * weights[at]).min(cap)
    };
    // Both sides keep at least one run.
    let places: Vec<usize> = (before.first + 1..after.end).collect();
    let mut costs = Vec::with_capacity(places.len());
    let mut sum = 0.0;
    for place in &places {
        // Moving the change after a run moves this run to the earlier level.
        let moved = place - 1;
        sum += cost(moved, before.log) - cost(moved, after.log);
        costs.push(sum);
    }
    let lowest = costs.iter().copied().fold(f64::INFINITY, f64::min);
    let likely: Vec<f64> = costs
        .iter()
        .map(|cost| (-(cost - lowest) / 2.0).exp())
        .collect();
    let total: f64 = likely.iter().sum();
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by(|one, other| likely[*other].total_cmp(&likely[*one]));
    let (mut earliest, mut latest) = (after.first, after.first);
    let mut covered = 0.0;
    for at in order {
        earliest = earliest.min(places[at]);
        latest = latest.max(places[at]);
        covered += likely[at] / total;
        if covered >= crate::CONFIDENCE {
            break;
        }
    }
    (earliest, latest)
}
