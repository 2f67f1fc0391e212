//! Checks that requests are signed for the server's region.

use super::reply::judge;
use super::{Check, CheckConfig, Outcome, TargetFacts};

pub(super) const CODES: &[&str] = &[
    "AuthorizationHeaderMalformed",
    "PermanentRedirect",
    "IllegalLocationConstraintException",
    "InvalidRegion",
];

pub(super) struct Region;

impl Check for Region {
    fn name(&self) -> &'static str {
        "region"
    }

    fn of_target(&self, _visit: &CheckConfig, target: &TargetFacts) -> Vec<Outcome> {
        judge(
            target,
            CODES,
            |reply| {
                let accepted = reply.is_authenticated();
                accepted.then(|| format!("{} is accepted", reply.signed_for))
            },
            |reply| {
                let signed_for = &reply.signed_for;
                let evidence = format!("{} to a request for {signed_for}", reply.shown());
                let advice = match &reply.region {
                    Some(region) => format!("use --region {region}, the region of the server"),
                    None => "set the bucket's region with --region".to_owned(),
                };
                Outcome::failed(evidence, advice)
            },
        )
    }
}
