//! Checks that the server knows the access key.

use tenbin_plan::sentence;

use super::reply::judge;
use super::{Check, CheckConfig, Outcome, TargetFacts, secret_key};

pub(super) const CODES: &[&str] = &[
    "InvalidAccessKeyId", "InvalidAccessKey", "XAdminUserNotFound",
];

pub(super) struct AccessKey;

impl Check for AccessKey {
    fn name(&self) -> &'static str {
        "access key"
    }

    fn of_target(&self, _visit: &CheckConfig, target: &TargetFacts) -> Vec<Outcome> {
        judge(
            target,
            CODES,
            |reply| {
                // A server can find a signature wrong only if it knows the access key.
                let known = reply.is_authenticated() || reply.has_code(secret_key::CODES);
                known.then(|| sentence!("key-accepted", "the server accepts it"))
            },
            |reply| {
                Outcome::failed(
                    reply.shown(),
                    sentence!(
                        "key-unknown",
                        "the server does not know this access key; set the right one with \
                         --access-key or TENBIN_ACCESS_KEY"
                    ),
                )
            },
        )
    }
}
