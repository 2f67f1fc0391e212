//! Which figures the fault that a rule finds can distort, and in which direction.
//!
//! A late load generator adds its delay to response times, and never takes time away: a response time
//! that is short enough with the delay is short enough without it. A condition can therefore hold
//! although the exact figure is not known.

use tenbin_result::Metric;

/// The direction in which a fault can distort a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Direction {
    /// The fault does not change the figure.
    None,
    /// The fault can only make the figure worse: a time longer, a throughput smaller, errors more
    /// frequent.
    Worse,
    /// The fault can make the figure better or worse.
    Any,
}

/// What the fault that a rule finds does to figures.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Distortion {
    /// What it does to throughput, bandwidth, latency and the share of errors.
    speed: Direction,
    /// What it does to the CPU time of the server per operation.
    server_cpu: Direction,
}

impl Distortion {
    /// Nothing is certain about the direction: the default of a rule.
    pub(crate) const ANY: Self = Self {
        speed: Direction::Any,
        server_cpu: Direction::Any,
    };

    /// The load generator is late. The server does the same work for a request, only later: its CPU time
    /// per operation is that at the rate that was sent.
    pub(crate) const LATE_GENERATOR: Self = Self {
        speed: Direction::Worse,
        server_cpu: Direction::None,
    };

    /// The load generator, the target or both lack CPU time or memory. Processes that take turns on
    /// a core also displace each other's caches, so that the CPU time of an operation changes too.
    pub(crate) const BUSY_MACHINE: Self = Self {
        speed: Direction::Worse,
        server_cpu: Direction::Any,
    };

    /// What the fault does to a figure.
    pub(crate) fn of(self, quantity: Quantity) -> Direction {
        match quantity {
            Quantity::Speed => self.speed,
            Quantity::ServerCpu => self.server_cpu,
            Quantity::Other => Direction::Any,
        }
    }
}

/// The kinds of figures between which [`Distortion`] distinguishes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quantity {
    /// Throughput, bandwidth, latency, or the share of errors.
    Speed,
    /// CPU time of the server per operation.
    ServerCpu,
    /// Another figure, such as memory.
    Other,
}

impl From<Metric> for Quantity {
    fn from(metric: Metric) -> Self {
        match metric {
            Metric::Throughput | Metric::Bandwidth | Metric::Service(_) | Metric::Response(_) => {
                Self::Speed
            }
            Metric::ServerCpu => Self::ServerCpu,
            Metric::ServerMemory => Self::Other,
        }
    }
}
