//! A reproducible pseudorandom number generator: SplitMix64 (G. L. Steele, D. Lea and C. H. Flood,
//! "Fast splittable pseudorandom number generators", OOPSLA 2014). Not a library's generator,
//! because a new version of a library could change the pages.

use tenbin_plan::rng::split_mix;

/// State of a SplitMix64 generator.
#[derive(Debug)]
pub(super) struct Random(u64);

impl Random {
    /// The generator for the page `number` with this seed.
    pub(super) fn new(seed: u64, number: u64) -> Self {
        let mut seeded = Self(seed);
        let own = seeded.next();
        let mut random = Self(own ^ number.wrapping_mul(0xd134_2543_de82_ef95));
        random.next();
        random
    }

    fn next(&mut self) -> u64 {
        split_mix(&mut self.0)
    }

    /// A uniform value from 0 to less than 1.
    pub(super) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A uniform integer from 0 to `end` − 1; the bias is negligible for small `end`.
    pub(super) fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(end)) >> 64) as u64
    }

    /// A value of the standard normal distribution, by the Box–Muller transform.
    pub(super) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }
}

/// Draws ranks, from 0; lower ranks are more probable.
#[derive(Debug)]
pub(super) struct Ranks {
    /// Cumulative probability of each rank.
    up_to: Vec<f64>,
}

impl Ranks {
    /// Zipf–Mandelbrot distribution over `count` ranks: the k-th rank (from 1) has a probability
    /// proportional to 1 / (k + shift)^exponent.
    pub(super) fn zipf(count: usize, exponent: f64, shift: f64) -> Self {
        let mut sum = 0.0;
        let mut up_to: Vec<f64> = (1..=count)
            .map(|rank| {
                sum += (rank as f64 + shift).powf(-exponent);
                sum
            })
            .collect();
        up_to.iter_mut().for_each(|part| *part /= sum);
        Self { up_to }
    }

    pub(super) fn draw(&self, random: &mut Random) -> usize {
        let at = random.unit();
        let rank = self.up_to.partition_point(|&part| part <= at);
        rank.min(self.up_to.len() - 1)
    }
}
