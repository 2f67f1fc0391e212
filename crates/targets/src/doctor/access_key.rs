//! Does the server know the access key?

use super::reply::judge;
use super::{Check, Examined, Found, Visit, secret_key};

pub(super) const CODES: &[&str] = &[
    "InvalidAccessKeyId",
    "InvalidAccessKey",
    "XAdminUserNotFound",
];

pub(super) struct AccessKey;

impl Check for AccessKey {
    fn name(&self) -> &'static str {
        "access key"
    }

    fn of_target(&self, _visit: &Visit, target: &Examined) -> Vec<Found> {
        judge(
            target,
            CODES,
            |reply| {
                // A signature can only be found wrong by who knows the key.
                let known = reply.is_let_in() || reply.says(secret_key::CODES);
                known.then(|| "the server knows it".to_owned())
            },
            |reply| {
                Found::failed(
                    reply.shown(),
                    "the server does not know this access key; give the right one with \
                     --access-key or TENBIN_ACCESS_KEY",
                )
            },
        )
    }
}
