//! Checks that the bucket exists and is accessible.

use tenbin_plan::{Sentence, sentence};

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
            return vec![Outcome::ok(sentence!(
                "bucket-exists",
                "{bucket} exists and can be listed",
                bucket
            ))];
        }
        if elsewhere.iter().any(|codes| reply.has_code(codes)) || reply.code.is_none() {
            let before = sentence!(
                "before-bucket",
                "{response} before it searched for {bucket}",
                response = reply.shown(),
                bucket
            );
            return vec![Outcome::unknown(
                before.with_part("response", [reply.shown()]),
            )];
        }
        if reply.has_code(NO_BUCKET) {
            return vec![Outcome::warning(
                sentence!("bucket-missing", "{bucket} does not exist", bucket),
                sentence!(
                    "bucket-created",
                    "a run creates it and deletes it afterwards; use another one with --bucket"
                ),
            )];
        }
        let refusal = sentence!(
            "response-for-bucket",
            "{response} for {bucket}",
            response = reply.shown(),
            bucket
        );
        let refusal = refusal.with_part("response", [reply.shown()]);
        if reply.has_code(ACCESS_DENIED_CODES) {
            return vec![Outcome::failed(
                refusal,
                sentence!(
                    "bucket-denied",
                    "it belongs to another account, or these credentials may not use it; use another \
                     one with --bucket, or have access granted"
                ),
            )];
        }
        let advice = reply.meaning.map_or_else(
            || {
                sentence!(
                    "see-error-code",
                    "see this error code in the server's documentation"
                )
            },
            Sentence::from,
        );
        vec![Outcome::failed(refusal, advice)]
    }
}
