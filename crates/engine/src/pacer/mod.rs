//! Pacers decide when operations are due in an open loop. Each pacer has a file.

mod constant;
mod curve;
mod poisson;
mod profile;
mod recorded;
#[cfg(test)]
pub(crate) mod testing;

use std::sync::Arc;

use tenbin_plan::{Arrivals, Load, Pace};

use self::constant::Constant;
use self::curve::Curve;
use self::poisson::Poisson;
use self::profile::Profile;
use self::recorded::Recorded;

/// A schedule of intended starts. A pacer stores only the next start and computes the number of
/// overdue operations, so a backlog of any length needs no memory.
pub trait Pacer: Send {
    /// Intended start of the next operation, nanoseconds since the origin; [`u64::MAX`] when the
    /// schedule has ended.
    fn due(&self) -> u64;

    /// Advances to the next operation.
    fn take(&mut self);

    /// Number of operations due before `time` that were not taken yet.
    fn due_before(&self, time: u64) -> u64;
}

/// Parameters of one thread's schedule. Times are nanoseconds since the origin.
#[derive(Debug, Clone, Copy)]
pub struct Part {
    /// The generator thread, from 0.
    pub thread: usize,
    /// Number of generator threads.
    pub threads: usize,
    /// Seed of random arrivals: the same for all threads of a slice.
    pub seed: u64,
    /// Start of the measured window. A rate that changes with time has its first value until this
    /// time.
    pub open: u64,
    /// End of the measured window; [`u64::MAX`] without an end.
    pub close: u64,
}

/// The part of the schedule of `load` that one generator thread executes; `None` for a closed loop
/// and for a maximum-rate search, which have no schedule.
pub fn for_thread(load: &Load, part: Part) -> Option<Box<dyn Pacer>> {
    Some(match &load.pace {
        // A maximum-rate search runs a sequence of slices, each with a fixed rate, and has no
        // schedule.
        Pace::Closed | Pace::Search(_) => return None,
        Pace::Constant { per_second } => Box::new(Constant::new(
            *per_second, part.thread as u64, part.threads as u64,
        )),
        Pace::Poisson { per_second } => Box::new(Poisson::new(Curve::flat(*per_second), part)),
        Pace::Ramp { from, to, arrivals } => along(Curve::ramp(*from, *to, part), *arrivals, part),
        Pace::Steps { steps, arrivals } => along(Curve::steps(steps, part), *arrivals, part),
        Pace::Trace(trace) => Box::new(Recorded::new(Arc::clone(&trace.offsets), part)),
    })
}

fn along(curve: Curve, arrivals: Arrivals, part: Part) -> Box<dyn Pacer> {
    match arrivals {
        Arrivals::Constant => Box::new(Profile::new(curve, part)),
        Arrivals::Poisson => Box::new(Poisson::new(curve, part)),
    }
}
