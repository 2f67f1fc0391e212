//! Load settings: when operations are due.

pub(crate) mod concurrency_sweeps;
pub(crate) mod outage;
pub(crate) mod probes;
pub(crate) mod slo;
pub(crate) mod step;
pub(crate) mod sustain;
pub(crate) mod sweep_levels;
pub(crate) mod think;
pub(crate) mod trace;

use std::time::Duration;

use crate::keys::names::Named;
use crate::load::slo::Slo;
use crate::load::trace::Trace;

/// When operations are due. Rates are over all threads. Operations are timed from their intended
/// start, except in a closed loop.
#[derive(Debug, Clone, PartialEq)]
pub enum Pace {
    /// Closed loop: on each connection, when a response is complete and the think time is over.
    Closed,
    /// At a constant rate, evenly spaced.
    Constant {
        /// Operations per second.
        per_second: f64,
    },
    /// At random times with a constant mean rate: a Poisson process, drawn from the seed.
    Poisson {
        /// Operations per second, on average.
        per_second: f64,
    },
    /// At a rate that changes linearly over the measured window of a slice.
    Ramp {
        /// Operations per second at the start of the window, and before the window.
        from: f64,
        /// Operations per second at the end of the window.
        to: f64,
        /// The distribution of arrivals.
        arrivals: Arrivals,
    },
    /// At consecutive rates.
    Steps {
        /// Rates in operations per second, each with its duration. The first rate also applies
        /// before the window, the last until the end of the window.
        steps: Vec<(f64, Duration)>,
        /// The distribution of arrivals.
        arrivals: Arrivals,
    },
    /// At times read from a file, from the start of a slice's window on.
    Trace(Trace),
    /// Maximum-rate search: one rate per slice, until the highest rate that meets an objective is
    /// found. The workload takes no part in the rounds.
    Search(RateSearch),
}

/// The search for the highest rate at which an objective is met.
#[derive(Debug, Clone, PartialEq)]
pub struct RateSearch {
    /// The limits to meet.
    pub slo: Slo,
    /// The first rate, operations per second; `None`: derived from the throughput of a short closed
    /// loop.
    pub from: Option<f64>,
    /// The distribution of arrivals.
    pub arrivals: Arrivals,
}

impl RateSearch {
    /// The longest time of a search, as a multiple of a slice. Settling times, drains (except the
    /// last) and pauses are included.
    pub const MOST_SLICES: u32 = 60;

    /// The shortest time of a probe that must prove that a rate meets the limits, as a multiple of
    /// a slice.
    pub const PROOF_SLICES: u32 = 3;

    /// The load of one probe of the search, at a rate in operations per second.
    pub fn pace_at(&self, per_second: f64) -> Pace {
        match self.arrivals {
            Arrivals::Constant => Pace::Constant { per_second },
            Arrivals::Poisson => Pace::Poisson { per_second },
        }
    }
}

impl Pace {
    /// The number of operations due in a window of `length` seconds: the integral of the rate (for
    /// random arrivals, the expected number), or a count of the times in a trace. `None` for a
    /// closed loop and for a maximum-rate search.
    pub fn due_within(&self, length: f64) -> Option<f64> {
        match self {
            Self::Closed | Self::Search(_) => None,
            Self::Constant { per_second } | Self::Poisson { per_second } => {
                Some(per_second * length)
            }
            Self::Ramp { from, to, .. } => Some((from + to) / 2.0 * length),
            Self::Steps { steps, .. } => Some(due_in_steps(steps, length)),
            Self::Trace(trace) => Some(trace.due_within(length) as f64),
        }
    }
}

fn due_in_steps(steps: &[(f64, Duration)], length: f64) -> f64 {
    let (mut due, mut left) = (0.0, length);
    for (rate, time) in steps {
        let time = time.as_secs_f64().min(left);
        due += rate * time;
        left -= time;
    }
    due + steps.last().map_or(0.0, |(rate, _)| rate * left)
}

/// The distribution of arrivals at a given rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrivals {
    /// Evenly spaced: an arrival whenever the integral of the rate reaches a whole number.
    Constant,
    /// At random: a Poisson process with this rate, drawn from the seed.
    Poisson,
}

impl Named for Arrivals {
    const NAMES: &'static [(&'static str, Self)] =
        &[("constant", Self::Constant), ("poisson", Self::Poisson)];
}
