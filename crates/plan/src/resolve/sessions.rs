//! Temporary keys: where they come from, and for which targets they are.

use super::credentials::{Usage, file, literal, one_of, variable};
use crate::keys::row::Section as _;
use crate::plan_file::problem::Place;
use crate::resolver::Resolver;
use crate::sentence;
use crate::target::{Sessions, Signature, TargetDraft, WebIdentity};

pub(super) fn resolve(resolver: &mut Resolver<'_>, draft: &TargetDraft, place: Place) -> Sessions {
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

/// The keys of temporary keys.
const KEYS: [&str; 9] = [
    "assume_role", "role_session_name", "external_id", "role_duration", "web_identity_token",
    "web_identity_token_env", "web_identity_token_file", "sts_endpoint", "express_session",
];

/// Refuses temporary keys with which no request would be signed.
pub(super) fn check(
    resolver: &mut Resolver<'_>,
    place: Place,
    name: &str,
    draft: &TargetDraft,
    usage: Usage<'_>,
) {
    let given = draft.given().into_iter();
    let given: Vec<&str> = given
        .map(|(key, _)| key)
        .filter(|key| KEYS.contains(key))
        .collect();
    let why = match usage.signature {
        _ if given.is_empty() => return,
        _ if usage.s3_workload.is_none() => {
            sentence!("no-s3-workload", "no workload sends S3 requests to it")
        }
        Signature::V4 => return,
        Signature::V2 | Signature::None => {
            sentence!("keys-need-v4", "temporary keys need signature = \"v4\"")
        }
    };
    let given = given.join(", ");
    resolver.refuse(
        place,
        sentence!(
            "session-contradiction",
            "target {name:?} has {given}, and {why}; remove one of the two",
            name,
            given,
            why
        ),
    );
}
