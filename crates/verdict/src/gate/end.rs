//! When the rounds of a run end before their maximum number.

use tenbin_plan::{Goal, Plan};
use tenbin_record::{Ended, Slice};
use tenbin_result::GateOutcome;

use super::{decide, seconds};
use crate::compare::precision::is_precise;
use crate::gate::figures::figures;

/// Why the rounds of a run end after these slices; `None` if they go on. Always `None` for a plan
/// with a fixed number of rounds. The error rates of a gate hold although it is evaluated after each
/// block.
pub fn rounds_end(plan: &Plan, slices: &[Slice]) -> Option<Ended> {
    match plan.rounds.until?.goal {
        Goal::Precision(_) => is_precise(plan, slices).then_some(Ended::Precise),
        Goal::Gate => gate_end(plan, slices),
    }
}

fn gate_end(plan: &Plan, slices: &[Slice]) -> Option<Ended> {
    let settings = plan.gate.as_ref()?;
    let decision = decide(plan, settings, slices, &mut figures(plan, slices));
    if decision != GateOutcome::CannotTell {
        return Some(Ended::Decided);
    }
    (seconds(slices) >= settings.budget.as_secs_f64()).then_some(Ended::Budget)
}
