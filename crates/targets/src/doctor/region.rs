//! Are requests signed for the region that the server wants?

use super::reply::judge;
use super::{Check, Examined, Found, Visit};

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

    fn of_target(&self, _visit: &Visit, target: &Examined) -> Vec<Found> {
        judge(
            target,
            CODES,
            |reply| {
                let accepted = reply.is_let_in();
                accepted.then(|| format!("{} is accepted", reply.signed_for))
            },
            |reply| {
                let signed_for = &reply.signed_for;
                let evidence = format!("{} to a request for {signed_for}", reply.shown());
                let advice = match &reply.region {
                    Some(region) => format!("give --region {region}, which is the server's"),
                    None => "give the bucket's region with --region".to_owned(),
                };
                Found::failed(evidence, advice)
            },
        )
    }
}
