//! Does S3 answer there?

use super::{Check, Examined, Found, Visit};

pub(super) struct Protocol;

impl Check for Protocol {
    fn name(&self) -> &'static str {
        "s3"
    }

    fn of_target(&self, _visit: &Visit, target: &Examined) -> Vec<Found> {
        let Some(reply) = &target.reply else {
            return Vec::new();
        };
        vec![match (reply.status, &reply.code) {
            (None, _) => Found::failed(
                reply.shown(),
                "look at the server's log; is something between here and there in the way?",
            ),
            (Some(_), Some(code)) => Found::ok(format!("answers with an S3 error code ({code})")),
            (Some(_), None) if reply.is_listing => Found::ok("answers with a listing"),
            (Some(_), None) => Found::failed(
                format!("{}, and not in the way of S3", reply.shown()),
                "is it an S3 server, and this its API port? A console or another server may \
                 listen there",
            ),
        }]
    }
}
