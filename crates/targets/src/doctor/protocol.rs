//! Checks that the server speaks S3.

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
                "check the server's log, and proxies or firewalls between this machine and the server",
            ),
            (Some(_), Some(code)) => {
                Outcome::ok(format!("responds with an S3 error code ({code})"))
            }
            (Some(_), None) if reply.is_listing => Outcome::ok("responds with a listing"),
            (Some(_), None) => Outcome::failed(
                format!("{}, which is not an S3 response", reply.shown()),
                "check that this is the API port of an S3 server: a console or another server may \
                 listen there",
            ),
        }]
    }
}
