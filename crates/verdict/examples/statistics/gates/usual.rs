//! What usual gates say of runs in sequence: all runs of the base, and after them those of the
//! candidate. A gate fails the candidate if it finds it slower.

use tenbin_stats::{CONFIDENCE, RunValue, levels, median, rank_sum_p, student_cdf};

/// The usual threshold: the candidate takes more than twice as long.
const THRESHOLD: f64 = 2.0;
/// Runs of each side that the rank test compares, as many as `benchstat` recommends.
pub(crate) const RANKED: usize = 10;

/// The speeds of slices, run by run, in the order in which they were measured.
pub(crate) struct Sequence {
    /// The runs of the base. A history of releases has more of them than a comparison.
    pub(crate) base: Vec<Vec<f64>>,
    /// The runs of the candidate.
    pub(crate) candidate: Vec<Vec<f64>>,
}

/// Which of the usual gates fail a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Usual {
    /// The means of the last run of the base and of the first of the candidate differ by more than the
    /// threshold.
    pub(crate) threshold: bool,
    /// Welch's t-test on the slices of these two runs finds the candidate slower.
    pub(crate) t_test: bool,
    /// The rank test of `benchstat` on the medians of the last runs of the base and of those of the
    /// candidate.
    pub(crate) benchstat: bool,
    /// The history of all runs changes its level where the candidate begins.
    pub(crate) change_point: bool,
}

impl Usual {
    /// What the gates say of these runs.
    pub(crate) fn of(sequence: &Sequence) -> Self {
        let base = sequence.base.last().expect("runs of the base");
        let candidate = sequence.candidate.first().expect("runs of the candidate");
        let [before, after] = [&sequence.base, &sequence.candidate].map(|runs| medians(runs));
        let recent = &before[before.len().saturating_sub(RANKED)..];
        Self {
            threshold: is_over_threshold(base, candidate),
            t_test: is_slower_by_t_test(base, candidate),
            benchstat: is_slower_by_ranks(recent, &after[..after.len().min(RANKED)]),
            change_point: is_slower_by_change_point(&before, &after),
        }
    }
}

fn medians(runs: &[Vec<f64>]) -> Vec<f64> {
    runs.iter().filter_map(|run| middle(run)).collect()
}

fn middle(values: &[f64]) -> Option<f64> {
    median(values, CONFIDENCE).value()
}

fn is_over_threshold(base: &[f64], candidate: &[f64]) -> bool {
    mean_and_variance(base).0 / mean_and_variance(candidate).0 > THRESHOLD
}

fn is_slower_by_t_test(base: &[f64], candidate: &[f64]) -> bool {
    let [(a, var_a), (b, var_b)] = [base, candidate].map(mean_and_variance);
    let (n_a, n_b) = (base.len() as f64, candidate.len() as f64);
    let (of_a, of_b) = (var_a / n_a, var_b / n_b);
    let t = (a - b) / (of_a + of_b).sqrt();
    let freedom = (of_a + of_b).powi(2) / (of_a.powi(2) / (n_a - 1.0) + of_b.powi(2) / (n_b - 1.0));
    // The cast rounds down, so the test errs on the side of no difference.
    let below = student_cdf(t.abs(), freedom as usize).unwrap_or(0.5);
    let p = 2.0 * (1.0 - below);
    t > 0.0 && p <= 1.0 - CONFIDENCE
}

fn mean_and_variance(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares = values.iter().map(|value| (value - mean).powi(2));
    (mean, squares.sum::<f64>() / (n - 1.0))
}

/// As `benchstat` decides: the Mann–Whitney U test, two-sided at 5 %, and the medians for the
/// direction.
fn is_slower_by_ranks(base: &[f64], candidate: &[f64]) -> bool {
    let p = rank_sum_p(base, candidate);
    let medians = middle(base).zip(middle(candidate));
    p.is_some_and(|p| p <= 1.0 - CONFIDENCE)
        && medians.is_some_and(|(base, candidate)| candidate < base)
}

/// Whether a level of the history can end where the candidate begins, with a lower level after it. The
/// variance of a run is unknown, because the slices of a run are no independent samples.
fn is_slower_by_change_point(base: &[f64], candidate: &[f64]) -> bool {
    let runs = base.iter().chain(candidate).map(|speed| RunValue {
        log: speed.ln(),
        variance: None,
    });
    let found = levels(&runs.collect::<Vec<RunValue>>());
    let first = base.len();
    found.is_some_and(|levels| {
        let mut changes = levels.changes.iter();
        changes.any(|it| it.log < 0.0 && (it.earliest..=it.latest).contains(&first))
    })
}
