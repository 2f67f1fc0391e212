//! Temporary keys: where they come from, and for which targets they are.

use super::credentials::{Usage, file, literal, one_of, variable};
use crate::plan_file::problem::Place;
use crate::resolver::Resolver;
use crate::target::{Sessions, Signature, TargetDraft, WebIdentity};

pub(super) fn resolve(
    resolver: &mut Resolver<'_>,
    draft: &TargetDraft,
    place: Place,
) -> Sessions {
    let mut sessions = Sessions::default();
    sessions.read_keys(resolver, draft);
    let origins = [
        ("web_identity_token", literal(&draft.web_identity_token)),
        (
            "web_identity_token_env",
            variable(&draft.web_identity_token_env),
        ),
        (
            "web_identity_token_file",
            file(&draft.web_identity_token_file),
        ),
    ];
    let identity = one_of(resolver, place, &origins);
    sessions.web_identity = identity.map(|(secret, source)| WebIdentity { secret, source });
    sessions
}

/// Refuses temporary keys with which no request would be signed.
pub(super) fn check(
    resolver: &mut Resolver<'_>,
    place: Place,
    name: &str,
    sessions: &Sessions,
    usage: Usage<'_>,
) {
    if !sessions.gets_keys() && sessions.express_session != Some(true) {
        return;
    }
    let why = match usage.signature {
        _ if usage.s3_workload.is_none() => {
            "gets temporary keys, and no workload sends S3 requests to it; remove assume_role, \
             web_identity_token, sts_endpoint and express_session"
        }
        Signature::V4 => return,
        Signature::V2 | Signature::None => {
            "gets temporary keys, which need signature = \"v4\"; remove the signature"
        }
    };
    resolver.refuse(place, format!("target {name:?} {why}"));
}
