//! The figures of a target under continuous load, after the rounds.

use serde::{Deserialize, Serialize};

/// What a target did under continuous load after the rounds, beside its interleaved figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Sustained {
    /// Length of the continuous load, seconds. If a change was confirmed by a second stretch, the
    /// length of both.
    pub seconds: f64,
    /// Operations in this time, including failed operations: the largest credit, in operations,
    /// whose end could have been observed.
    pub operations: u64,
    /// Seconds from the start of the continuous load after which the target fell to a lower level;
    /// null without such a step.
    pub step_after: Option<f64>,
    /// Successful operations per second, once settled.
    pub throughput: Option<f64>,
    /// 99th percentile of the service time (closed loop) or response time (open loop), seconds,
    /// once settled. Null with too few operations.
    pub p99: Option<f64>,
    /// Successful operations per second in the interleaved rounds.
    pub interleaved_throughput: Option<f64>,
    /// The median over the blocks of the same percentile in the interleaved rounds, seconds. Null if
    /// fewer than four blocks, or less than half of them, have enough operations: then no rise is
    /// found.
    pub interleaved_p99: Option<f64>,
    /// Whether the throughput fell by more than the margin and by more than noise explains.
    pub throughput_fell: bool,
    /// Whether the throughput is higher than in the rounds, by 15 % at least, by more than the margin
    /// and by more than noise explains.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub throughput_rose: bool,
    /// Whether the 99th percentile rose by more than the margin and by more than noise explains.
    pub p99_rose: bool,
    /// Successful operations per second at the end of the first stretch, if the figures differed
    /// there from those in the rounds and the second stretch, which followed at once, did not
    /// confirm it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unconfirmed_throughput: Option<f64>,
}

impl Sustained {
    /// Whether the target does not keep its interleaved figures under continuous load.
    pub fn has_fallen(&self) -> bool {
        self.throughput_fell || self.p99_rose
    }

    /// Whether the figures under continuous load differ from the interleaved figures, for better or
    /// worse.
    pub fn departs(&self) -> bool {
        self.has_fallen() || self.throughput_rose
    }
}
