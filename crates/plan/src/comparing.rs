//! How targets are held against each other.

use std::fmt;

use crate::expectation::Expectation;
use crate::figure::Figure;
use crate::percent::Percent;
use crate::reach::Launch;

/// The margin of "equivalent" when nothing is said: 5 %.
pub const DEFAULT_MARGIN: Percent = Percent::of(5.0);

/// How much two starts of one program may differ when nothing is said: 5 %. Of a server in
/// CPython, eight starts on one machine had CPU times per request with a standard deviation of 2.6 %
/// (Tenbin's own measurement), and two of them therefore differ by more than 5 % one time in six.
pub const DEFAULT_START_NOISE: Percent = Percent::of(5.0);

/// How targets are held against each other, and what is expected of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparing {
    /// Index into [`Plan::targets`](crate::Plan::targets) of the one that the others are compared with.
    pub baseline: usize,
    /// Index into [`Plan::targets`](crate::Plan::targets) of the baseline's twin, if there is one: what
    /// a comparison says of it is noise.
    pub twin: Option<usize>,
    /// Indices into [`Plan::workloads`](crate::Plan::workloads) of those that are compared with the first of them on
    /// every target; none, or two and more.
    pub workloads: Vec<usize>,
    /// How far apart two targets may be and still be equivalent.
    pub margin: Percent,
    /// How much two starts of one program may differ: a smaller difference between targets that ran
    /// in one process each is not called one.
    pub start_noise: Percent,
    /// What must be true of the figures, and what must not be.
    pub expect: Vec<Expectation>,
    /// The figure that decides every comparison; by the load when not set: throughput in a closed
    /// loop, the median response time in an open loop.
    pub decide: Option<Figure>,
}

impl Default for Comparing {
    fn default() -> Self {
        Self {
            baseline: 0,
            twin: None,
            workloads: Vec::new(),
            margin: DEFAULT_MARGIN,
            start_noise: DEFAULT_START_NOISE,
            expect: Vec::new(),
            decide: None,
        }
    }
}

/// When a run may end before its most rounds: once its figures are known well
/// enough, whatever they say.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Until {
    /// Half the width of every deciding ratio's interval, as a share of the ratio:
    /// the interval of a ratio r lies within r ÷ (1 + this) and r × (1 + this).
    pub within: Percent,
    /// The most rounds; whole blocks.
    pub most: u32,
}

/// The place of a target in a sweep: one of several that differ in the values of
/// some parameters and in nothing else.
#[derive(Debug, Clone, PartialEq)]
pub struct SweepPoint {
    /// What the plan calls the target that is swept.
    pub of: String,
    /// The value of every parameter here, in the order of the parameters.
    pub values: Vec<(String, String)>,
    /// How the plan says the target is launched, with the parameters' names in
    /// braces.
    pub template: Launch,
}

impl fmt::Display for SweepPoint {
    /// As `workers=4, threads=2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (name, value)) in self.values.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(f, "{comma}{name}={value}")?;
        }
        Ok(())
    }
}
