//! Checks that the bucket exists and is accessible.

use super::reply::NO_BUCKET;
use super::{Check, CheckConfig, Outcome, TargetFacts, access_key, clock, region, secret_key};

/// Error codes for a bucket that the account cannot access.
const ACCESS_DENIED_CODES: &[&str] = &["AccessDenied", "AllAccessDisabled", "AccountProblem"];

pub(super) struct Bucket;

impl Check for Bucket {
    fn name(&self) -> &'static str {
        "bucket"
    }

    fn of_target(&self, _visit: &CheckConfig, target: &TargetFacts) -> Vec<Outcome> {
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
            return vec![Outcome::ok(format!("{bucket} exists and can be listed"))];
        }
        if elsewhere.iter().any(|codes| reply.has_code(codes)) || reply.code.is_none() {
            return vec![Outcome::unknown(format!(
                "{} before it searched for {bucket}",
                reply.shown()
            ))];
        }
        if reply.has_code(NO_BUCKET) {
            return vec![Outcome::warning(
                format!("{bucket} does not exist"),
                "a run creates it and deletes it afterwards; use another one with --bucket",
            )];
        }
        if reply.has_code(ACCESS_DENIED_CODES) {
            return vec![Outcome::failed(
                format!("{} for {bucket}", reply.shown()),
                "it belongs to another account, or these credentials may not use it; use another one \
                 with --bucket, or have access granted",
            )];
        }
        let advice = reply
            .meaning
            .unwrap_or("see this error code in the server's documentation");
        vec![Outcome::failed(
            format!("{} for {bucket}", reply.shown()),
            advice,
        )]
    }
}
