//! Checks that the server speaks S3.

use tenbin_plan::sentence;

use super::{Check, CheckConfig, Outcome, TargetFacts};

pub(super) struct Protocol;

impl Check for Protocol {
    fn name(&self) -> &'static str {
        "s3"
    }

    fn of_target(&self, _visit: &CheckConfig, target: &TargetFacts) -> Vec<Outcome> {
        let Some(reply) = &target.reply else {
            return Vec::new();
        };
        vec![match (reply.status, &reply.code) {
            (None, _) => Outcome::failed(
                reply.shown(),
                sentence!(
                    "check-between",
                    "check the server's log, and proxies or firewalls between this machine and the \
                     server"
                ),
            ),
            (Some(_), Some(code)) => Outcome::ok(sentence!(
                "s3-error-code",
                "responds with an S3 error code ({code})",
                code
            )),
            (Some(_), None) if reply.is_listing => {
                Outcome::ok(sentence!("s3-listing", "responds with a listing"))
            }
            (Some(_), None) => Outcome::failed(
                sentence!(
                    "not-s3",
                    "{response}, which is not an S3 response",
                    response = reply.shown()
                )
                .with_part("response", [reply.shown()]),
                sentence!(
                    "check-api-port",
                    "check that this is the API port of an S3 server: a console or another server may \
                     listen there"
                ),
            ),
        }]
    }
}
