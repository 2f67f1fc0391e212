//! How targets are compared.

use std::fmt;

use crate::expectation::Expectation;
use crate::figure::Figure;
use crate::percent::Percent;
use crate::reach::Launch;

/// The default margin of *equivalent*: 5 %.
pub const DEFAULT_MARGIN: Percent = Percent::of(5.0);

/// The default variation between two starts of one program: 5 %. Of a server in
/// CPython, eight starts on one machine had CPU times per request with a standard deviation of 2.6 %
/// (Tenbin's own measurement), and two of them therefore differ by more than 5 % one time in six.
pub const DEFAULT_START_NOISE: Percent = Percent::of(5.0);

/// How targets are compared, and the conditions that are checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparing {
    /// Index into [`Plan::targets`](crate::Plan::targets) of the one that the others are compared with.
    pub baseline: usize,
    /// Index into [`Plan::targets`](crate::Plan::targets) of the baseline's twin, if there is one: its
    /// difference from the baseline is noise.
    pub twin: Option<usize>,
    /// Indices into [`Plan::workloads`](crate::Plan::workloads) of those that are compared with the first of them on
    /// every target; none, or two and more.
    pub workloads: Vec<usize>,
    /// The largest difference at which two targets count as equivalent.
    pub margin: Percent,
    /// Variation between two starts of one program: a smaller difference between targets that ran
    /// in one process each is reported as "cannot tell".
    pub start_noise: Percent,
    /// Conditions that the figures must meet (`expect`) or must not meet (`fail_if`).
    pub expect: Vec<Expectation>,
    /// The figure that decides every comparison. `None`: throughput in a closed loop, the median
    /// response time in an open loop.
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

/// The precision at which a run ends before its largest number of rounds. The values of the figures
/// do not matter.
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
