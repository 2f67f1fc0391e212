//! Is the secret key the right one?

use super::reply::judge;
use super::{Check, Examined, Found, Visit};

pub(super) const CODES: &[&str] = &["SignatureDoesNotMatch"];

pub(super) struct SecretKey;

impl Check for SecretKey {
    fn name(&self) -> &'static str {
        "secret key"
    }

    fn of_target(&self, _visit: &Visit, target: &Examined) -> Vec<Found> {
        judge(
            target,
            CODES,
            |reply| {
                let right = reply.is_let_in();
                right.then(|| "signatures made with it are accepted".to_owned())
            },
            |reply| {
                Found::failed(
                    reply.shown(),
                    "the secret key is wrong for this access key, or a proxy on the way changes \
                     the Host header; give the right one with TENBIN_SECRET_KEY or \
                     --secret-key-file",
                )
            },
        )
    }
}
