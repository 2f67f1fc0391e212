//! Checks the secret key.

use super::reply::judge;
use super::{Check, CheckConfig, Outcome, TargetFacts};

pub(super) const CODES: &[&str] = &["SignatureDoesNotMatch"];

pub(super) struct SecretKey;

impl Check for SecretKey {
    fn name(&self) -> &'static str {
        "secret key"
    }

    fn of_target(&self, _visit: &CheckConfig, target: &TargetFacts) -> Vec<Outcome> {
        judge(
            target,
            CODES,
            |reply| {
                let right = reply.is_authenticated();
                right.then(|| "signatures made with it are accepted".to_owned())
            },
            |reply| {
                Outcome::failed(
                    reply.shown(),
                    "the secret key is wrong for this access key, or a proxy in between changes \
                     the Host header; set the right one with TENBIN_SECRET_KEY or \
                     --secret-key-file",
                )
            },
        )
    }
}
