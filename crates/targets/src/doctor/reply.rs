//! The response of a target to a signed request to list the bucket.

use super::{Outcome, TargetFacts};

/// Error codes for a bucket that does not exist.
pub(super) const NO_BUCKET: &[&str] = &["NoSuchBucket"];

/// The response of a target to a signed request to list one object of the bucket.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reply {
    /// Status code; `None` if there was no response.
    pub status: Option<u16>,
    /// S3 error code, if any.
    pub code: Option<String>,
    /// Meaning of the error code and what to do, if known.
    pub meaning: Option<&'static str>,
    /// The right region according to the server, if the response names one.
    pub region: Option<String>,
    /// Whether the response is a listing in the format of S3.
    pub is_listing: bool,
    /// Number of requests with this response.
    pub responses: u64,
    /// Name of the bucket.
    pub bucket: String,
    /// The region in the signature.
    pub signed_for: String,
}

impl Reply {
    /// Whether the response has one of these error codes.
    pub(super) fn has_code(&self, codes: &[&str]) -> bool {
        self.code
            .as_deref()
            .is_some_and(|code| codes.contains(&code))
    }

    /// Whether the signature was accepted: the server has searched for the bucket.
    pub(super) fn is_authenticated(&self) -> bool {
        self.is_listing || self.has_code(NO_BUCKET)
    }

    /// The response, as evidence.
    pub(super) fn shown(&self) -> String {
        match (self.status, &self.code) {
            (Some(status), Some(code)) => format!("the server responded with {status} {code}"),
            (Some(status), None) => format!("the server responded with {status}"),
            (None, _) => "the server did not respond to a signed request".to_owned(),
        }
    }
}

/// Whether the server accepts one element of a signed request. It does if the response has none
/// of the error codes `codes` and the signature was accepted; `accepted` gives the evidence then.
pub(super) fn judge(
    target: &TargetFacts,
    codes: &[&str],
    accepted: impl Fn(&Reply) -> Option<String>,
    refused: impl Fn(&Reply) -> Outcome,
) -> Vec<Outcome> {
    let Some(reply) = &target.reply else {
        return Vec::new();
    };
    if reply.has_code(codes) {
        return vec![refused(reply)];
    }
    let found = match accepted(reply) {
        Some(evidence) => Outcome::ok(evidence),
        None => Outcome::unknown(format!("{}, which does not show it", reply.shown())),
    };
    vec![found]
}
