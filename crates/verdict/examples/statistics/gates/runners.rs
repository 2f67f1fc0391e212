//! The runners of simulated gates: how fast two programs are on them, slice by slice.

use tenbin_plan::rng::Rng;

use super::recorded::{Beside, Resampled};
use crate::noise::{Noise, normal};

/// Standard deviation of what a start of a program adds to its log speed, and of the logarithm of the
/// CPU time of an operation.
const STARTS: f64 = 0.01;
const CPU_NOISE: f64 = 0.01;

/// A kind of runner.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Runner {
    /// The noise of rented machines, see [`Noise`].
    Rented,
    /// The same, and the runner becomes slower by a fifth in the course of a run.
    Drift,
    /// The same, and another program takes up to half of the runner in a quarter of the slices.
    Bursts,
    /// The same, and the runner changes between two speeds.
    TwoSpeeds,
    /// The same, and each start of a program is fast or slow for its whole life.
    BimodalStarts,
    /// The same, and slices have Student's distribution with three degrees of freedom.
    HeavyTails,
    /// The noise of a real machine.
    Recorded(Beside),
}

/// The runners that are simulated as a whole.
pub(crate) const RUNNERS: [(Runner, &str); 6] = [
    (Runner::Rented, "rented machine"),
    (Runner::Drift, "drift of 20 %"),
    (Runner::Bursts, "bursts"),
    (Runner::TwoSpeeds, "two speeds"),
    (Runner::BimodalStarts, "bimodal starts"),
    (Runner::HeavyTails, "heavy tails"),
];

/// The log speeds of two programs on one runner, slice by slice.
pub(crate) struct Simulated {
    runner: Runner,
    rng: Rng,
    cpu_rng: Rng,
    noise: Noise,
    recorded: Option<Resampled>,
    starts: [f64; 2],
    cpu: f64,
    is_slow: bool,
    slices: usize,
    at: usize,
}

impl Simulated {
    pub(crate) fn new(runner: Runner, seed: u64, slices: usize) -> Self {
        let recorded = match runner {
            Runner::Recorded(beside) => Some(Resampled::new(beside, seed)),
            _ => None,
        };
        Self {
            runner,
            rng: Rng::new(seed, &[1]),
            cpu_rng: Rng::new(seed, &[3]),
            noise: Noise::new(seed, slices),
            recorded,
            starts: [0.0; 2],
            cpu: 0.0,
            is_slow: false,
            slices,
            at: 0,
        }
    }

    /// Starts both programs again, as a run does before each block.
    pub(crate) fn restart(&mut self) {
        for start in &mut self.starts {
            *start = match self.runner {
                Runner::BimodalStarts if self.rng.unit() < 0.4 => -0.08,
                _ => STARTS * normal(&mut self.rng),
            };
        }
    }

    /// The log speed of a program in the next slice.
    pub(crate) fn next(&mut self, target: usize) -> f64 {
        self.at += 1;
        if let Some(recorded) = &mut self.recorded {
            let slice = recorded.next();
            self.cpu = slice.cpu - self.starts[target];
            return slice.speed + self.starts[target];
        }
        let rng = &mut self.rng;
        let own = match self.runner {
            Runner::Rented | Runner::BimodalStarts | Runner::Recorded(_) => 0.0,
            Runner::Drift => -0.2 * self.at as f64 / self.slices as f64,
            Runner::Bursts if rng.unit() < 0.25 => -2.0_f64.ln() * rng.unit(),
            Runner::Bursts => 0.0,
            Runner::TwoSpeeds => {
                self.is_slow ^= rng.unit() < 0.1;
                -0.25 * f64::from(u8::from(self.is_slow))
            }
            Runner::HeavyTails => {
                let squares: f64 = (0..3).map(|_| normal(rng).powi(2)).sum();
                0.02 * normal(rng) / (squares / 3.0).sqrt()
            }
        };
        self.cpu = CPU_NOISE * normal(&mut self.cpu_rng) - self.starts[target];
        self.noise.next() + self.starts[target] + own
    }

    /// The logarithm of the CPU time of an operation in the slice that [`Simulated::next`] gave last.
    pub(crate) fn cpu(&self) -> f64 {
        self.cpu
    }
}
