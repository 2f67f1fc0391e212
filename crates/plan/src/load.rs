//! Load settings: how operations are issued.

use std::time::Duration;

use crate::names::Named;
use crate::slo::Slo;
use crate::think::Think;
use crate::trace::Trace;

/// How operations are issued.
#[derive(Debug, Clone, PartialEq)]
pub struct Load {
    /// Closed loop (a fixed number of connections) or open loop (arrivals).
    pub pace: Pace,
    /// Connections to each host of the target, over all threads. Requests are distributed over the
    /// hosts by weight. A target with several hosts has no more requests in flight than a target
    /// with one host, although it has more connections.
    pub connections: usize,
    /// Closed loop: think time of a connection after each response.
    pub think: Option<Think>,
    /// Requests in flight per connection, 1 to 1000: pipelined in HTTP/1.1, streams in HTTP/2. More
    /// than 1 only with `keep_alive`.
    pub depth: usize,
    /// Timeout of an operation without a complete response, counted from its write (closed loop) or
    /// from its intended start (open loop).
    pub timeout: Duration,
    /// Reuse connections. If false, the client closes the connection after every response.
    pub keep_alive: bool,
    /// How often every connection is opened in a slice, 2 or more; `None`: once. Servers whose
    /// workers share a listening socket distribute connections at random, and more openings average
    /// over this randomness. Requires HTTP/1.1, `keep_alive` and a depth of 1.
    pub reopen: Option<u32>,
    /// Number of operations after which a slice ends, unless its window ends first.
    pub requests: Option<u64>,
}

impl Load {
    /// A closed loop on this number of connections, with default settings.
    pub fn closed(connections: usize) -> Self {
        Self {
            pace: Pace::Closed,
            think: None,
            connections,
            depth: 1,
            timeout: Duration::from_secs(30),
            keep_alive: true,
            reopen: None,
            requests: None,
        }
    }
}

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
