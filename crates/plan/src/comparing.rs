//! How targets are compared.

use std::fmt;

use crate::expectation::Expectation;
use crate::figure::Figure;
use crate::percent::Percent;
use crate::reach::Launch;

/// Default of the largest difference at which two targets count as *equivalent*: 5 %.
pub const DEFAULT_MARGIN: Percent = Percent::of(5.0);

/// The default variation between two starts of one program: 5 %. In eight starts of a CPython
/// server on one machine, CPU time per request had a standard deviation of 2.6 % (measured with
/// Tenbin), so two starts differ by more than 5 % one time in six.
pub const DEFAULT_START_NOISE: Percent = Percent::of(5.0);

/// How targets are compared, and the conditions that are checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparing {
    /// Index of the baseline in [`Plan::targets`](crate::Plan::targets).
    pub baseline: usize,
    /// Index of the baseline's twin, a second copy of the baseline, in
    /// [`Plan::targets`](crate::Plan::targets); `None` in a plan without a twin. A difference
    /// between twin and baseline is noise.
    pub twin: Option<usize>,
    /// Indices of the compared workloads in [`Plan::workloads`](crate::Plan::workloads): on every
    /// target, the first is compared with all others. Empty, or at least two.
    pub workloads: Vec<usize>,
    /// The largest difference at which two targets count as equivalent.
    pub margin: Percent,
    /// Variation between two starts of one program. A smaller difference between targets that ran
    /// in a single process each is reported as "cannot tell".
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

/// The precision at which a run ends before its maximum number of rounds. Only the precision
/// decides, not the values of the figures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Until {
    /// Required precision of every ratio of the primary metric; if no targets are compared, of the
    /// primary metric itself. The confidence interval of a value v must lie between
    /// v ÷ (1 + `within`) and v × (1 + `within`).
    pub within: Percent,
    /// The maximum number of rounds: a multiple of the number of rounds in a block.
    pub most: u32,
}

/// A point of a parameter sweep. The targets of a sweep differ only in the values of its
/// parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct SweepPoint {
    /// Name, in the plan, of the target that has the `sweep`.
    pub of: String,
    /// The value of every parameter at this point, in the order of the parameters.
    pub values: Vec<(String, String)>,
    /// Launch settings as in the plan: with `{parameter}` in place of a parameter's value.
    pub template: Launch,
}

impl fmt::Display for SweepPoint {
    /// Writes `workers=4, threads=2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (name, value)) in self.values.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(f, "{comma}{name}={value}")?;
        }
        Ok(())
    }
}
