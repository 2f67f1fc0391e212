//! When operations are due in an open loop: one file a pacer, one table of them.

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

/// A schedule of intended starts. Only the next one is held, so that a backlog
/// of any length costs no memory: what is overdue is simply not yet taken.
pub trait Pacer: Send {
    /// Intended start of the next operation, nanoseconds since the origin;
    /// [`u64::MAX`] when there is none, and then for ever.
    fn due(&self) -> u64;

    /// Goes on to the operation after it.
    fn take(&mut self);

    /// How many operations from the next one on are due before `time`.
    fn due_before(&self, time: u64) -> u64;
}

/// Whose schedule is wanted. Times are nanoseconds since the origin.
#[derive(Debug, Clone, Copy)]
pub struct Part {
    /// The generator thread, from 0.
    pub thread: usize,
    /// Of so many.
    pub threads: usize,
    /// Seed of random arrivals: the same for all threads of a slice.
    pub seed: u64,
    /// Start of the measured window. What changes with time changes from here
    /// on; before, it is as it is at first.
    pub open: u64,
    /// End of the measured window; [`u64::MAX`] when there is none.
    pub close: u64,
}

/// The share that a generator thread has in the schedule of `load`; `None` for a
/// closed loop, which has no schedule.
pub fn for_thread(load: &Load, part: Part) -> Option<Box<dyn Pacer>> {
    Some(match &load.pace {
        // A search is driven at one rate after another, and never by itself.
        Pace::Closed | Pace::Search(_) => return None,
        Pace::Constant { per_second } => Box::new(Constant::new(
            *per_second,
            part.thread as u64,
            part.threads as u64,
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
