//! Random arrivals.

use tenbin_plan::rng::Rng;

use super::curve::Curve;
use super::{Pacer, Part};

/// A Poisson process whose rate can change with time: a unit-rate process, with its times
/// transformed by the inverse of the integral of the rate (E. Çinlar, "Introduction to Stochastic
/// Processes", 1975, section 4.7). The intervals of the unit-rate process are independent and
/// exponential, so the next arrival does not depend on earlier ones. Each thread draws an
/// independent process with its share of the rate; the sum of independent Poisson processes is a
/// Poisson process whose rate is the sum of the rates (J. F. C. Kingman, "Poisson Processes", 1993,
/// section 2.2).
#[derive(Debug, Clone)]
pub(super) struct Poisson {
    random: Rng,
    curve: Curve,
    threads: f64,
    /// The integral of the rate at the next arrival.
    reached: f64,
    due: u64,
}

impl Poisson {
    pub(super) fn new(curve: Curve, part: Part) -> Self {
        let mut pacer = Self {
            random: Rng::new(part.seed, &[part.thread as u64]),
            curve,
            threads: part.threads as f64,
            reached: 0.0,
            due: 0,
        };
        pacer.take();
        pacer
    }
}

impl Pacer for Poisson {
    fn due(&self) -> u64 {
        self.due
    }

    fn take(&mut self) {
        self.reached += self.threads * self.random.exponential();
        self.due = self.curve.time_of(self.reached);
    }

    fn due_before(&self, time: u64) -> u64 {
        // Random arrivals have no closed formula, so they are generated and counted.
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
    use std::time::Duration;

    use super::super::testing::{all_before, kolmogorov_smirnov, part};
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    fn arrivals(seed: u64, thread: usize, threads: usize, until: u64) -> Vec<u64> {
        let part = Part {
            seed,
            ..part(thread, threads)
        };
        all_before(Poisson::new(Curve::flat(1000.0), part), until)
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
        // Simulates a bug in which all threads draw the same random numbers.
        let mut doubled = arrivals(1, 0, 2, 20 * SECOND);
        doubled.extend(doubled.clone());
        doubled.sort_unstable();
        assert!(kolmogorov_smirnov(gaps(&doubled), exponential) < 1e-6);
    }

    #[test]
    fn the_rate_is_right() {
        for seed in 1..=5 {
            // The standard deviation of Poisson(200 000) is 447; the test allows three of them in
            // each direction.
            let count = union(seed, 3, 200 * SECOND).len();
            assert!(count.abs_diff(200_000) < 1_342, "{count}");
        }
    }

    #[test]
    fn threads_are_independent() {
        // Arrivals of two threads are counted in 10 ms bins. The correlation of 2,000 independent
        // pairs has the standard deviation 1/√2000 = 0.022; the test allows four of them in each
        // direction.
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
        let pacer = Poisson::new(Curve::flat(1000.0), part(0, 1));
        let due = all_before(pacer.clone(), SECOND);
        let tenth = due[9];
        assert_eq!(pacer.due_before(SECOND), due.len() as u64);
        assert_eq!(pacer.due_before(tenth), 9);
        assert_eq!(pacer.due_before(tenth + 1), 10);
        assert_eq!(pacer.due(), due[0]);
    }

    /// Seconds at which the window opens and closes in the tests of changing rates.
    const WINDOW: (f64, f64) = (1.0, 21.0);

    fn along(curve: impl Fn(Part) -> Curve, seed: u64, threads: usize) -> Vec<f64> {
        let mut all: Vec<u64> = (0..threads)
            .flat_map(|thread| {
                let part = Part {
                    seed,
                    open: (WINDOW.0 * 1e9) as u64,
                    close: (WINDOW.1 * 1e9) as u64,
                    ..part(thread, threads)
                };
                all_before(Poisson::new(curve(part), part), 23 * SECOND)
            })
            .collect();
        all.sort_unstable();
        all.into_iter().map(|at| at as f64 / 1e9).collect()
    }

    /// Operations due by `time` on a ramp from 200/s to 3000/s over [`WINDOW`], computed without
    /// [`Curve`].
    fn on_the_ramp(time: f64) -> f64 {
        let climbing = (time - 1.0).clamp(0.0, 20.0);
        200.0 * time.min(1.0)
            + 200.0 * climbing
            + 70.0 * climbing * climbing
            + 3000.0 * (time - 21.0).max(0.0)
    }

    fn on_the_steps(time: f64) -> f64 {
        2500.0 * time.min(5.0)
            + 100.0 * (time - 5.0).clamp(0.0, 6.0)
            + 900.0 * (time - 11.0).max(0.0)
    }

    const STEPS: [(f64, Duration); 3] = [
        (2500.0, Duration::from_secs(4)),
        (100.0, Duration::from_secs(6)),
        (900.0, Duration::from_secs(2)),
    ];

    /// p-value of a test whether the arrivals at `due` are a Poisson process: between arrivals of
    /// such a process, the integral of the rate grows by independent exponential amounts of mean
    /// one (E. N. Brown et al., "The time-rescaling theorem and its application to neural spike
    /// train data analysis", Neural Computation 14, 2002).
    fn p_of_rescaled(due: &[f64], integral: fn(f64) -> f64) -> f64 {
        let befores = std::iter::once(0.0).chain(due.iter().copied());
        let gaps = befores
            .zip(due)
            .map(|(before, &at)| integral(at) - integral(before));
        kolmogorov_smirnov(gaps.collect(), |gap| 1.0 - (-gap).exp())
    }

    #[test]
    fn rescaled_gaps_are_exponential_where_the_rate_changes() {
        // One false alarm per hundred runs, over all thirty tests together.
        let level = 0.01 / 30.0;
        for threads in [1, 2, 7] {
            for seed in 1..=5 {
                let ramp = along(|part| Curve::ramp(200.0, 3000.0, part), seed, threads);
                let p = p_of_rescaled(&ramp, on_the_ramp);
                assert!(p > level, "ramp, {threads} threads, seed {seed}: p = {p}");
                let steps = along(|part| Curve::steps(&STEPS, part), seed, threads);
                let p = p_of_rescaled(&steps, on_the_steps);
                assert!(p > level, "steps, {threads} threads, seed {seed}: p = {p}");
            }
        }
    }

    #[test]
    fn the_rescaling_test_can_fail() {
        // Step arrivals, and arrivals at the ramp's constant mean rate, must both fail the ramp's
        // test.
        let steps = along(|part| Curve::steps(&STEPS, part), 1, 2);
        assert!(p_of_rescaled(&steps, on_the_ramp) < 1e-6);
        let flat = along(|_| Curve::flat(1600.0), 1, 2);
        assert!(p_of_rescaled(&flat, on_the_ramp) < 1e-6);
    }

    #[test]
    fn a_changing_rate_has_the_count_of_its_integral() {
        for seed in 1..=5 {
            for (due, integral) in [
                (
                    along(|part| Curve::ramp(200.0, 3000.0, part), seed, 3),
                    on_the_ramp as fn(f64) -> f64,
                ),
                (
                    along(|part| Curve::steps(&STEPS, part), seed, 3),
                    on_the_steps,
                ),
            ] {
                for until in [1.0, 5.0, 11.0, 21.0] {
                    let count = due.iter().filter(|&&at| at < until).count() as f64;
                    let mean = integral(until);
                    // Allows four standard deviations in each direction; the variance of a Poisson
                    // count is its mean.
                    assert!((count - mean).abs() < 4.0 * mean.sqrt(), "{count} {mean}");
                }
            }
        }
    }
}
