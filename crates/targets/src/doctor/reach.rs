//! Checks that the target is reachable.

use super::{Check, CheckConfig, Outcome, State, TargetFacts};
use crate::error::TargetError;

pub(super) struct Reach;

impl Check for Reach {
    fn name(&self) -> &'static str {
        "reach"
    }

    fn of_target(&self, _visit: &CheckConfig, target: &TargetFacts) -> Vec<Outcome> {
        let reached = match &target.reached {
            Ok(reached) => reached,
            Err(error) => {
                let whole = error.to_string();
                let whose = format!("target \"{}\": ", target.name);
                let evidence = whole.strip_prefix(&whose).unwrap_or(&whole);
                // The text of other errors already says what to do.
                let unresolved = matches!(error, TargetError::Unresolved { .. });
                let advice = unresolved
                    .then(|| "check the name, or set its address with --resolve".to_owned());
                return vec![Outcome::new(State::Failed, evidence, advice)];
            }
        };
        let status = reached.first.response.status;
        let status = status.map_or_else(String::new, |status| format!(" with status {status}"));
        let process = target.process.as_ref();
        let who = process.map_or_else(String::new, |process| format!(", by {process}"));
        let ok = Outcome::ok(format!(
            "responds at {}{status}{who}",
            reached.addresses.join(", ")
        ));
        let remarks = reached.remarks.iter();
        let remarks = remarks.map(|(evidence, advice)| Outcome::warning(evidence.clone(), *advice));
        std::iter::once(ok).chain(remarks).collect()
    }
}
