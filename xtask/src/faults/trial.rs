//! One run in which something is lost.

use std::fmt;
use std::time::Duration;

use super::Fault;

/// One run in which something is lost at a random moment.
pub(super) struct Trial {
    pub(super) fault: Fault,
    pub(super) number: usize,
    /// Time to the fault: from the search for agents, or from the start of the program.
    pub(super) moment: Duration,
    /// Time until a cable heals, a suspended process continues, or a target is started again.
    pub(super) outage: Duration,
}

/// How a trial ended.
pub(super) struct Ended {
    pub(super) how: String,
    /// What was wrong; `None` for a passed trial.
    pub(super) wrong: Option<String>,
    /// Complete slices in the record.
    pub(super) slices: usize,
    /// Time from the fault to the end of the command.
    pub(super) seconds: f64,
}

impl fmt::Display for Trial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moment = self.moment.as_secs_f64();
        write!(f, "{} {moment:.2} s after the start", self.fault.name())?;
        if self.fault.is_of_agents() {
            write!(f, ", {}", self.on_loss())?;
        }
        if self.fault.comes_back() {
            write!(f, ", for {:.2} s", self.outage.as_secs_f64())?;
        }
        Ok(())
    }
}

impl Trial {
    pub(super) fn of(fault: Fault, number: usize, seed: u64) -> Self {
        let number = fault as usize * super::TRIALS + number;
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number as u64;
        let shortest = match fault {
            Fault::AgentPaused => 3_200,
            _ => 200,
        };
        Self {
            fault,
            number,
            moment: fault.length_of_run().mul_f64(fraction(&mut state)),
            outage: Duration::from_millis(shortest)
                + Duration::from_millis(4_800).mul_f64(fraction(&mut state)),
        }
    }
}

/// A number in [0, 1), and the next state (splitmix64).
fn fraction(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}
