//! Is the bucket there, and ours?

use super::reply::NO_BUCKET;
use super::{Check, Examined, Found, Visit, access_key, clock, region, secret_key};

/// Codes that say that it is not for us.
const FOREIGN: &[&str] = &["AccessDenied", "AllAccessDisabled", "AccountProblem"];

pub(super) struct Bucket;

impl Check for Bucket {
    fn name(&self) -> &'static str {
        "bucket"
    }

    fn of_target(&self, _visit: &Visit, target: &Examined) -> Vec<Found> {
        let Some(reply) = &target.reply else {
            return Vec::new();
        };
        let bucket = &reply.bucket;
        let elsewhere = [
            access_key::CODES,
            secret_key::CODES,
            region::CODES,
            clock::CODES,
        ];
        if reply.is_listing {
            return vec![Found::ok(format!("{bucket} is there and can be listed"))];
        }
        if elsewhere.iter().any(|codes| reply.says(codes)) || reply.code.is_none() {
            return vec![Found::unknown(format!(
                "{} before it looked for {bucket}",
                reply.shown()
            ))];
        }
        if reply.says(NO_BUCKET) {
            return vec![Found::warning(
                format!("there is no {bucket}"),
                "it will be made, and deleted after the run; name another with --bucket",
            )];
        }
        if reply.says(FOREIGN) {
            return vec![Found::failed(
                format!("{} for {bucket}", reply.shown()),
                "it belongs to somebody else, or these credentials may not use it; name another \
                 with --bucket, or have access granted",
            )];
        }
        let advice = reply
            .meaning
            .unwrap_or("look this code up in the server's documentation");
        vec![Found::failed(
            format!("{} for {bucket}", reply.shown()),
            advice,
        )]
    }
}
