//! Checks that the target is reachable.

use tenbin_plan::sentence;

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
                let advice = unresolved.then(|| {
                    sentence!(
                        "check-name",
                        "check the name, or set its address with --resolve"
                    )
                });
                let evidence = match error {
                    TargetError::Unreachable { source, .. } => source.sentence(),
                    _ => evidence.into(),
                };
                return vec![Outcome::new(State::Failed, evidence, advice)];
            }
        };
        let status = reached.first.response.status;
        let with_status =
            status.map_or_else(String::new, |status| format!(" with status {status}"));
        let process = target.process.as_ref();
        let who = process.map_or_else(String::new, |process| format!(", by {process}"));
        let responds = sentence!(
            "responds",
            "responds at {addresses}{status}{who}",
            addresses = reached.addresses.join(", "),
            status = with_status,
            who
        );
        let status = status.map_or_else(|| "none".to_owned(), |status| status.to_string());
        let process = process.map_or_else(|| "none".to_owned(), ToString::to_string);
        let ok = Outcome::ok(responds.with("status", status).with("who", process));
        let remarks = reached.remarks.iter().cloned();
        let remarks = remarks.map(|(evidence, advice)| Outcome::warning(evidence, advice));
        std::iter::once(ok).chain(remarks).collect()
    }
}
