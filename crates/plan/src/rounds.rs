//! Number and length of slices.

use std::time::Duration;

use crate::comparing::Until;
use crate::outage::OnOutage;
use crate::relaunch::Relaunch;
use crate::sustain::Sustain;

/// Number and length of slices.
#[derive(Debug, Clone, PartialEq)]
pub struct Rounds {
    /// Number of rounds, each with one slice of every target. With two targets, this is an even
    /// number, because two rounds form one ABBA quad. If the run can end by precision, this is the
    /// minimum number.
    pub count: u32,
    /// The number of rounds as written in the plan, if `count` was rounded up to whole blocks.
    pub asked: Option<u32>,
    /// The precision at which the run ends; `None` for a run of `count` rounds.
    pub until: Option<Until>,
    /// Length of the measured window of one slice.
    pub slice: Duration,
    /// Pause between two slices.
    pub gap: Duration,
    /// Unmeasured load before the first slice of each workload on each target.
    pub warmup: Duration,
    /// When targets are restarted during the run; see [`Plan::relaunch`](crate::Plan::relaunch).
    pub relaunch: Relaunch,
    /// Settling time: unmeasured load at the start of every slice, from the time at which all
    /// connections are open.
    pub lead: Duration,
    /// The continuous stretch of each workload on each target after the rounds; see
    /// [`Plan::stretches`](crate::Plan::stretches).
    pub sustain: Sustain,
    /// What happens when a target stops answering.
    pub on_outage: OnOutage,
}

impl Rounds {
    /// The maximum number of rounds: `count`, or more in a run that can end by precision.
    pub fn most(&self) -> u32 {
        self.until.map_or(self.count, |until| until.most)
    }
}
