//! Can the target be reached?

use super::{Check, Examined, Found, State, Visit};
use crate::error::TargetError;

pub(super) struct Reach;

impl Check for Reach {
    fn name(&self) -> &'static str {
        "reach"
    }

    fn of_target(&self, _visit: &Visit, target: &Examined) -> Vec<Found> {
        let reached = match &target.reached {
            Ok(reached) => reached,
            Err(error) => {
                let whole = error.to_string();
                let whose = format!("target \"{}\": ", target.name);
                let evidence = whole.strip_prefix(&whose).unwrap_or(&whole);
                // Others say themselves what to do.
                let unresolved = matches!(error, TargetError::Unresolved { .. });
                let advice = unresolved
                    .then(|| "is the name right? --resolve gives it an address".to_owned());
                return vec![Found::new(State::Failed, evidence, advice)];
            }
        };
        let status = reached.first.answer.status;
        let answer = status.map_or_else(String::new, |status| format!(" with status {status}"));
        let process = target.process.as_ref();
        let who = process.map_or_else(String::new, |process| format!(", by {process}"));
        let ok = Found::ok(format!(
            "answers at {}{answer}{who}",
            reached.addresses.join(", ")
        ));
        let remarks = reached.remarks.iter();
        let remarks = remarks.map(|(evidence, advice)| Found::warning(evidence.clone(), *advice));
        std::iter::once(ok).chain(remarks).collect()
    }
}
