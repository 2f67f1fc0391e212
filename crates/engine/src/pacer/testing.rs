//! Test helpers shared by the pacers.

use super::{Pacer, Part};

/// Parameters of one thread with a fixed seed and a window that starts at the origin.
pub(super) fn part(thread: usize, threads: usize) -> Part {
    Part {
        thread,
        threads,
        seed: 1,
        open: 0,
        close: u64::MAX,
    }
}

/// All arrivals before `until`.
pub(super) fn all_before(mut pacer: impl Pacer, until: u64) -> Vec<u64> {
    let mut due = Vec::new();
    while pacer.due() < until {
        due.push(pacer.due());
        pacer.take();
    }
    due
}

/// p-value of the Kolmogorov–Smirnov test of `sample` against `distribution`: Kolmogorov's
/// asymptotic distribution with the finite-sample correction of M. A. Stephens, "Use of the
/// Kolmogorov–Smirnov, Cramér–von Mises and related statistics without extensive tables", 1970.
pub(crate) fn kolmogorov_smirnov(mut sample: Vec<f64>, distribution: impl Fn(f64) -> f64) -> f64 {
    sample.sort_by(f64::total_cmp);
    let n = sample.len() as f64;
    let farthest = sample
        .iter()
        .enumerate()
        .map(|(i, &x)| {
            let expected = distribution(x);
            (expected - i as f64 / n).max((i + 1) as f64 / n - expected)
        })
        .fold(0.0, f64::max);
    let scaled = (n.sqrt() + 0.12 + 0.11 / n.sqrt()) * farthest;
    let term =
        |k: i32| f64::from(1 - 2 * (k % 2)) * (-2.0 * f64::from(k * k) * scaled * scaled).exp();
    (-2.0 * (1..100).map(term).sum::<f64>()).clamp(0.0, 1.0)
}
