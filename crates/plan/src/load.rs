//! How operations are issued.

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
    /// Connections, over all threads. A target with several hosts gets as many to
    /// each of them; the number of requests in flight is the same as with one.
    pub connections: usize,
    /// Closed loop: think time of a connection after each response.
    pub think: Option<Think>,
    /// Requests in flight per connection, 1 to 1000: pipelined in HTTP/1.1, streams in HTTP/2. More
    /// than 1 only with `keep_alive`.
    pub depth: usize,
    /// An operation unanswered for this long, counted from its write (closed
    /// loop) or its intended start (open loop), has failed.
    pub timeout: Duration,
    /// Reuse connections. If false, the client closes the connection after every response.
    pub keep_alive: bool,
    /// How often every connection is opened in a slice, 2 or more: servers whose workers share a
    /// listening socket distribute connections at random. HTTP/1.1 with
    /// `keep_alive` and a depth of 1 only.
    pub reopen: Option<u32>,
    /// End a slice after this many operations, if before its window is over.
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

/// When the next operation is due. Rates are over all threads, and operations are
/// timed from their intended start, except in a closed loop.
#[derive(Debug, Clone, PartialEq)]
pub enum Pace {
    /// As soon as the connection is free.
    Closed,
    /// At a constant rate, evenly spaced.
    Constant {
        /// Operations a second.
        per_second: f64,
    },
    /// At a constant mean rate, at random: a Poisson process drawn from the seed.
    Poisson {
        /// Operations a second, on average.
        per_second: f64,
    },
    /// At a rate that changes linearly over the measured window of a slice.
    Ramp {
        /// Operations a second at the start, and before it.
        from: f64,
        /// Operations a second at the end.
        to: f64,
        /// How they are spread.
        arrivals: Arrivals,
    },
    /// At one rate after another.
    Steps {
        /// Operations a second, and for how long from there on. The first also
        /// holds before the window, the last to its end.
        steps: Vec<(f64, Duration)>,
        /// How they are spread.
        arrivals: Arrivals,
    },
    /// At times read from a file, from the start of a slice's window on.
    Trace(Trace),
    /// At one rate after another, a slice each, until the highest is found at which
    /// an objective is met. Such a workload takes no part in the rounds.
    Search(RateSearch),
}

/// The search for the highest rate at which an objective is met.
#[derive(Debug, Clone, PartialEq)]
pub struct RateSearch {
    /// The limits to meet.
    pub slo: Slo,
    /// The first rate, operations per second; `None`: from the throughput of a short closed loop.
    pub from: Option<f64>,
    /// The distribution of arrivals.
    pub arrivals: Arrivals,
}

impl RateSearch {
    /// How long a search takes at most, leads, drains and pauses included, as a multiple of a
    /// slice.
    pub const MOST_SLICES: u32 = 60;

    /// How long the final proof takes, as a multiple of a slice.
    pub const PROOF_SLICES: u32 = 3;

    /// The pace of one probe.
    pub fn pace_at(&self, per_second: f64) -> Pace {
        match self.arrivals {
            Arrivals::Constant => Pace::Constant { per_second },
            Arrivals::Poisson => Pace::Poisson { per_second },
        }
    }
}

impl Pace {
    /// The number of operations that are due in a window of `length` seconds: the integral of the
    /// rate, an average for random arrivals. `None` for a closed loop.
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

/// How operations that are due at some rate are spread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrivals {
    /// Evenly: one whenever the integral of the rate reaches a whole number.
    Constant,
    /// At random: a Poisson process of that rate, drawn from the seed.
    Poisson,
}

impl Named for Arrivals {
    const NAMES: &'static [(&'static str, Self)] =
        &[("constant", Self::Constant), ("poisson", Self::Poisson)];
}
