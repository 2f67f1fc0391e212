//! Arrivals at random.

use tenbin_plan::rng::Rng;

use super::{Pacer, Part};

/// A Poisson process: gaps are independent and exponential, so that what is due
/// next does not depend on what was due before. Each thread draws its own
/// process of its share of the rate; the superposition of independent Poisson
/// processes is a Poisson process of the sum of their rates (J. F. C. Kingman,
/// "Poisson Processes", 1993, section 2.2).
#[derive(Debug, Clone)]
pub(super) struct Poisson {
    random: Rng,
    mean_gap: f64,
    due: f64,
}

impl Poisson {
    pub(super) fn new(per_second: f64, part: Part) -> Self {
        let mut pacer = Self {
            random: Rng::new(part.seed, &[part.thread as u64]),
            mean_gap: 1e9 * part.threads as f64 / per_second,
            due: 0.0,
        };
        pacer.take();
        pacer
    }
}

impl Pacer for Poisson {
    fn due(&self) -> u64 {
        self.due as u64
    }

    fn take(&mut self) {
        self.due += self.mean_gap * self.random.exponential();
    }

    fn due_before(&self, time: u64) -> u64 {
        // There is no formula for what is random: walk ahead.
        let mut ahead = self.clone();
        let mut count = 0;
        while ahead.due() < time {
            ahead.take();
            count += 1;
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{all_before, kolmogorov_smirnov, part};
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    fn arrivals(seed: u64, thread: usize, threads: usize, until: u64) -> Vec<u64> {
        let part = Part {
            seed,
            ..part(thread, threads)
        };
        all_before(Poisson::new(1000.0, part), until)
    }

    fn union(seed: u64, threads: usize, until: u64) -> Vec<u64> {
        let mut all: Vec<u64> = (0..threads)
            .flat_map(|thread| arrivals(seed, thread, threads, until))
            .collect();
        all.sort_unstable();
        all
    }

    /// Probability of a gap of at most `nanos` at 1000/s.
    fn exponential(nanos: f64) -> f64 {
        1.0 - (-nanos / 1e6).exp()
    }

    fn gaps(due: &[u64]) -> Vec<f64> {
        let firsts = std::iter::once(0).chain(due.iter().copied());
        firsts
            .zip(due)
            .map(|(before, &at)| (at - before) as f64)
            .collect()
    }

    #[test]
    fn gaps_are_exponential_whatever_the_number_of_threads() {
        for threads in [1, 2, 7] {
            for seed in 1..=5 {
                let gaps = gaps(&union(seed, threads, 20 * SECOND));
                let p = kolmogorov_smirnov(gaps, exponential);
                assert!(p > 0.01, "{threads} threads, seed {seed}: p = {p}");
            }
        }
    }

    #[test]
    fn the_test_of_gaps_can_fail() {
        let even: Vec<f64> = (0..1000).map(|_| 1e6).collect();
        assert!(kolmogorov_smirnov(even, exponential) < 1e-6);
        // As if every thread drew the same stream.
        let mut doubled = arrivals(1, 0, 2, 20 * SECOND);
        doubled.extend(doubled.clone());
        doubled.sort_unstable();
        assert!(kolmogorov_smirnov(gaps(&doubled), exponential) < 1e-6);
    }

    #[test]
    fn the_rate_is_right() {
        for seed in 1..=5 {
            // Poisson(200 000): sd 447; three sd either way.
            let count = union(seed, 3, 200 * SECOND).len();
            assert!(count.abs_diff(200_000) < 1_342, "{count}");
        }
    }

    #[test]
    fn threads_are_independent() {
        // Counts in 10 ms bins of two threads: the correlation of 2,000 pairs
        // has sd 1/√2000 = 0.022; four sd either way.
        let bins = |thread| {
            let mut bins = vec![0.0; 2_000];
            for at in arrivals(9, thread, 2, 20 * SECOND) {
                bins[(at / 10_000_000) as usize] += 1.0;
            }
            let mean = bins.iter().sum::<f64>() / 2_000.0;
            bins.iter().map(|count| count - mean).collect::<Vec<f64>>()
        };
        let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(a, b)| a * b).sum::<f64>();
        let (x, y) = (bins(0), bins(1));
        let correlation = dot(&x, &y) / (dot(&x, &x) * dot(&y, &y)).sqrt();
        assert!(correlation.abs() < 0.09, "{correlation}");
    }

    #[test]
    fn repeats_by_seed() {
        assert_eq!(union(3, 2, SECOND), union(3, 2, SECOND));
        assert_ne!(union(3, 2, SECOND), union(4, 2, SECOND));
    }

    #[test]
    fn counts_what_is_overdue_and_stays_where_it_is() {
        let pacer = Poisson::new(1000.0, part(0, 1));
        let due = all_before(pacer.clone(), SECOND);
        let tenth = due[9];
        assert_eq!(pacer.due_before(SECOND), due.len() as u64);
        assert_eq!(pacer.due_before(tenth), 9);
        assert_eq!(pacer.due_before(tenth + 1), 10);
        assert_eq!(pacer.due(), due[0]);
    }
}
