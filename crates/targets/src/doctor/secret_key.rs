//! Checks the secret key.

use tenbin_plan::sentence;

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
                right.then(|| {
                    sentence!(
                        "signatures-accepted",
                        "signatures made with it are accepted"
                    )
                })
            },
            |reply| {
                Outcome::failed(
                    reply.shown(),
                    sentence!(
                        "secret-key-wrong",
                        "the secret key is wrong for this access key, or a proxy in between changes \
                         the Host header; set the right one with TENBIN_SECRET_KEY or \
                         --secret-key-file"
                    ),
                )
            },
        )
    }
}
