//! Simulated noise like the noise of benchmarks on rented virtual machines.

use tenbin_plan::rng::Rng;

/// The log speed of a machine, slice by slice. Sum of an AR(1) process (φ = 0.9, standard deviation
/// 5 %), a drift of up to 5 % over the run, level shifts (2 % of slices, standard deviation 10 %),
/// and independent noise of 1 to 2 % per slice.
pub(crate) struct Noise {
    rng: Rng,
    lasting: f64,
    level: f64,
    drift_per_slice: f64,
    own: f64,
}

const PHI: f64 = 0.9;
const LASTING: f64 = 0.05;
const MOST_DRIFT: f64 = 0.05;
const JUMPS: f64 = 0.02;
const JUMP: f64 = 0.10;

impl Noise {
    /// The noise of a run of `slices` slices; a seed always gives the same noise.
    pub(crate) fn new(seed: u64, slices: usize) -> Self {
        let mut rng = Rng::new(seed, &[]);
        let lasting = LASTING * normal(&mut rng);
        let drift = MOST_DRIFT * (2.0 * rng.unit() - 1.0);
        let own = 0.01 + 0.01 * rng.unit();
        Self {
            rng,
            lasting,
            level: 0.0,
            drift_per_slice: drift / slices.max(1) as f64,
            own,
        }
    }

    /// The log speed of the next slice.
    pub(crate) fn next(&mut self) -> f64 {
        let innovation = LASTING * (1.0 - PHI * PHI).sqrt();
        self.lasting = PHI * self.lasting + innovation * normal(&mut self.rng);
        self.level += self.drift_per_slice;
        if self.rng.unit() < JUMPS {
            self.level += JUMP * normal(&mut self.rng);
        }
        self.lasting + self.level + self.own * normal(&mut self.rng)
    }
}

/// A number from the standard normal distribution (Box and Muller, "A note on the
/// generation of random normal deviates", 1958).
pub(crate) fn normal(rng: &mut Rng) -> f64 {
    let radius = (2.0 * rng.exponential()).sqrt();
    radius * (std::f64::consts::TAU * rng.unit()).cos()
}
