//! Think time: how long a virtual user of a closed loop waits between a response and the next
//! request.

use tenbin_plan::Think;
use tenbin_plan::rng::Rng;

/// Number of the random stream for think times: keeps them independent of random arrivals.
const STREAM: u64 = 0x0074_6869_6e6b;

/// Generates the think times of one generator thread.
#[derive(Debug, Clone)]
pub struct Thinker {
    random: Rng,
    shape: Shape,
}

/// Distribution of think times; all values are nanoseconds.
#[derive(Debug, Clone, Copy)]
enum Shape {
    Fixed(u64),
    Uniform { from: u64, lengths: u64 },
    Exponential { mean: f64 },
}

impl Thinker {
    /// A generator with the seed of the slice for the thread with this index, from 0.
    pub fn new(think: &Think, seed: u64, thread: usize) -> Self {
        // Cannot overflow: a plan's times are at most a year.
        let nanos = |time: std::time::Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let shape = match *think {
            Think::Fixed(time) => Shape::Fixed(nanos(time)),
            Think::Uniform { from, to } => Shape::Uniform {
                from: nanos(from),
                lengths: nanos(to.saturating_sub(from)).saturating_add(1),
            },
            Think::Exponential { mean } => Shape::Exponential {
                mean: nanos(mean) as f64,
            },
        };
        Self {
            random: Rng::new(seed, &[STREAM, thread as u64]),
            shape,
        }
    }

    /// The next think time, nanoseconds.
    #[inline]
    pub fn next_rest(&mut self) -> u64 {
        match self.shape {
            Shape::Fixed(nanos) => nanos,
            Shape::Uniform { from, lengths } => from + self.random.below(lengths),
            Shape::Exponential { mean } => (mean * self.random.exponential()) as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::pacer::testing::kolmogorov_smirnov;

    const COUNT: usize = 100_000;

    fn draws(think: Think, seed: u64, thread: usize) -> Vec<f64> {
        let mut thinker = Thinker::new(&think, seed, thread);
        (0..COUNT).map(|_| thinker.next_rest() as f64).collect()
    }

    fn millis(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn each_shape_has_its_mean_and_its_distribution() {
        type Distribution = fn(f64) -> f64;
        let shapes: [(Think, f64, Distribution); 2] = [
            (
                Think::Uniform {
                    from: millis(50),
                    to: millis(150),
                },
                // The standard deviation of a uniform distribution is its range divided by √12.
                100e6 / 12_f64.sqrt(),
                |nanos| ((nanos - 50e6) / 100e6).clamp(0.0, 1.0),
            ),
            (Think::Exponential { mean: millis(80) }, 80e6, |nanos| {
                1.0 - (-nanos / 80e6).exp()
            }),
        ];
        for (think, sd, distribution) in shapes {
            for (seed, thread) in [(1, 0), (2, 0), (1, 1)] {
                let draws = draws(think, seed, thread);
                let mean = draws.iter().sum::<f64>() / COUNT as f64;
                let off = (mean - think.mean().as_nanos() as f64).abs();
                assert!(off < 4.0 * sd / (COUNT as f64).sqrt(), "{think}: {mean}");
                let p = kolmogorov_smirnov(draws, distribution);
                assert!(p > 0.01, "{think}, seed {seed}, thread {thread}: p = {p}");
            }
        }
        assert!(
            draws(Think::Fixed(millis(3)), 1, 0)
                .iter()
                .all(|&n| n == 3e6)
        );
    }

    #[test]
    fn a_range_includes_its_ends() {
        let [from, to] = [3, 5].map(Duration::from_nanos);
        let mut seen = draws(Think::Uniform { from, to }, 1, 0);
        seen.sort_by(f64::total_cmp);
        seen.dedup();
        assert_eq!(seen, [3.0, 4.0, 5.0]);
    }

    #[test]
    fn repeats_by_seed_and_differs_by_thread() {
        let think = Think::Exponential { mean: millis(1) };
        assert_eq!(draws(think, 1, 0), draws(think, 1, 0));
        assert_ne!(draws(think, 1, 0), draws(think, 2, 0));
        assert_ne!(draws(think, 1, 0), draws(think, 1, 1));
    }
}
