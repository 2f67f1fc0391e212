//! Zipf-distributed random numbers: a few items are drawn most of the time.

use crate::rng::Rng;

/// Draws Zipf-distributed numbers below `n`: the probability of rank `k`, from 1, is proportional
/// to `k` to the power of minus `exponent`.
///
/// Uses rejection-inversion, which needs no table and about one attempt per number: W. Hörmann and
/// G. Derflinger, "Rejection-inversion to generate variates from monotone discrete distributions",
/// ACM TOMACS 6(3), 1996.
pub(crate) struct Zipf {
    n: u64,
    exponent: f64,
    /// Bounds of the uniform draw: the hat function's integral at 1.5, minus 1 (the weight of rank
    /// 1), and the integral at `n` + 0.5.
    from: f64,
    to: f64,
    /// A number at most this far below its rank is accepted without a further test.
    near: f64,
    /// Maps ranks to items: the rank `r`, from 0, is item `(r * step + shift) % n`.
    step: u64,
    shift: u64,
}

impl Zipf {
    /// The distribution over `n` items, at least 1; `seed` decides which item has which rank.
    pub(crate) fn new(n: u64, exponent: f64, seed: u64) -> Self {
        let mut rng = Rng::new(seed, &[crate::rng::name_number("zipf")]);
        let mut zipf = Self {
            n,
            exponent,
            from: 0.0,
            to: 0.0,
            near: 0.0,
            step: coprime(n, &mut rng),
            shift: rng.below(n),
        };
        zipf.from = zipf.integral(1.5) - 1.0;
        zipf.to = zipf.integral(n as f64 + 0.5);
        zipf.near = 2.0 - zipf.inverse(zipf.integral(2.5) - zipf.hat(2.0));
        zipf
    }

    /// The next item, from 0.
    pub(crate) fn draw(&self, rng: &mut Rng) -> u64 {
        let rank = self.rank(rng) - 1;
        let place = u128::from(rank) * u128::from(self.step) + u128::from(self.shift);
        (place % u128::from(self.n)) as u64
    }

    /// The next rank, from 1.
    fn rank(&self, rng: &mut Rng) -> u64 {
        loop {
            let u = self.to + rng.unit() * (self.from - self.to);
            let x = self.inverse(u);
            let k = x.round().clamp(1.0, self.n as f64);
            if k - x <= self.near || u >= self.integral(k + 0.5) - self.hat(k) {
                return k as u64;
            }
        }
    }

    fn hat(&self, x: f64) -> f64 {
        (-self.exponent * x.ln()).exp()
    }

    /// Integral of the hat function, continuous at an exponent of 1.
    fn integral(&self, x: f64) -> f64 {
        let log = x.ln();
        let t = (1.0 - self.exponent) * log;
        log * expm1_over(t)
    }

    fn inverse(&self, x: f64) -> f64 {
        let t = (x * (1.0 - self.exponent)).max(-1.0);
        (x * ln_1p_over(t)).exp()
    }
}

/// (eᵗ − 1) / t.
fn expm1_over(t: f64) -> f64 {
    if t.abs() > 1e-8 {
        return t.exp_m1() / t;
    }
    1.0 + t / 2.0
}

/// ln(1 + t) / t.
fn ln_1p_over(t: f64) -> f64 {
    if t.abs() > 1e-8 {
        return t.ln_1p() / t;
    }
    1.0 - t / 2.0
}

/// A random number below `n` that is coprime to `n`; 1 if 64 attempts find none.
fn coprime(n: u64, rng: &mut Rng) -> u64 {
    let divisor = |mut a: u64, mut b: u64| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let tries = (0..64).map(|_| rng.below(n));
    let mut fit = tries.filter(|&step| step > 0 && divisor(n, step) == 1);
    fit.next().unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Number of draws of each rank.
    fn counts(n: u64, exponent: f64, draws: u64) -> Vec<u64> {
        let zipf = Zipf::new(n, exponent, 3);
        let mut rng = Rng::new(5, &[]);
        let mut counts = vec![0; n as usize];
        for _ in 0..draws {
            counts[zipf.rank(&mut rng) as usize - 1] += 1;
        }
        counts
    }

    #[test]
    fn ranks_follow_the_law() {
        for exponent in [0.5, 1.0, 1.1, 2.5] {
            let (n, draws) = (50, 200_000);
            let weights: Vec<f64> = (1..=n).map(|k| (k as f64).powf(-exponent)).collect();
            let all: f64 = weights.iter().sum();
            let seen = counts(n, exponent, draws);
            let chi2: f64 = seen
                .iter()
                .zip(&weights)
                .map(|(&seen, weight)| {
                    let expected = draws as f64 * weight / all;
                    (seen as f64 - expected).powi(2) / expected
                })
                .sum();
            // 49 degrees of freedom: 85.4 is exceeded with a probability of 0.1 %.
            assert!(chi2 < 85.4, "{exponent}: {chi2}");
        }
    }

    #[test]
    fn every_object_has_a_rank_of_its_own() {
        for n in [1, 2, 97, 100] {
            let zipf = Zipf::new(n, 1.0, 9);
            let mut objects: Vec<u64> = (0..n)
                .map(|rank| (rank * zipf.step + zipf.shift) % n)
                .collect();
            objects.sort_unstable();
            assert_eq!(objects, (0..n).collect::<Vec<_>>());
            let mut rng = Rng::new(1, &[]);
            assert!((0..100).all(|_| zipf.draw(&mut rng) < n));
        }
    }
}
