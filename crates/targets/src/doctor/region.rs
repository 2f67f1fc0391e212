//! Checks that requests are signed for the server's region.

use tenbin_plan::sentence;

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
                accepted.then(|| {
                    sentence!(
                        "region-accepted",
                        "{region} is accepted",
                        region = reply.signed_for
                    )
                })
            },
            |reply| {
                let signed_for = &reply.signed_for;
                let evidence = sentence!(
                    "response-to-region",
                    "{response} to a request for {region}",
                    response = reply.shown(),
                    region = signed_for
                );
                let evidence = evidence.with_part("response", [reply.shown()]);
                let advice = match &reply.region {
                    Some(region) => sentence!(
                        "use-region",
                        "use --region {region}, the region of the server",
                        region
                    ),
                    None => sentence!("set-region", "set the bucket's region with --region"),
                };
                Outcome::failed(evidence, advice)
            },
        )
    }
}
