//! The target's response to a signed request that lists the bucket.

use tenbin_plan::{Sentence, sentence};

use super::{Outcome, TargetFacts};

/// Error codes for a bucket that does not exist.
pub(super) const NO_BUCKET: &[&str] = &["NoSuchBucket"];

/// The target's response to a signed request that lists one object of the bucket.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reply {
    /// Status code; `None` if there was no response.
    pub status: Option<u16>,
    /// S3 error code, if any.
    pub code: Option<String>,
    /// Meaning of the error code and what to do, if known.
    pub meaning: Option<&'static str>,
    /// The correct region according to the server, if the response names a region.
    pub region: Option<String>,
    /// Whether the response is a listing in S3's format.
    pub is_listing: bool,
    /// Number of requests that had this response.
    pub responses: u64,
    /// Name of the bucket.
    pub bucket: String,
    /// The region that the request was signed for.
    pub signed_for: String,
}

impl Reply {
    /// Whether the response has one of the error codes `codes`.
    pub(super) fn has_code(&self, codes: &[&str]) -> bool {
        self.code
            .as_deref()
            .is_some_and(|code| codes.contains(&code))
    }

    /// Whether the server accepted the signature: the response is a listing or "no such bucket".
    pub(super) fn is_authenticated(&self) -> bool {
        self.is_listing || self.has_code(NO_BUCKET)
    }

    /// The response as evidence text.
    pub(super) fn shown(&self) -> Sentence {
        match (self.status, &self.code) {
            (Some(status), Some(code)) => sentence!(
                "responded-code",
                "the server responded with {status} {code}",
                status,
                code
            ),
            (Some(status), None) => {
                sentence!("responded", "the server responded with {status}", status)
            }
            (None, _) => sentence!(
                "no-signed-response",
                "the server did not respond to a signed request"
            ),
        }
    }
}

/// Evaluates whether the server accepts one element of a signed request, such as the region.
/// `codes`: error codes with which servers refuse the element. `accepted`: returns the evidence if
/// the response shows that the server accepts the element.
pub(super) fn judge(
    target: &TargetFacts,
    codes: &[&str],
    accepted: impl Fn(&Reply) -> Option<Sentence>,
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
        None => {
            let shown = sentence!(
                "does-not-show",
                "{response}, which does not show it",
                response = reply.shown()
            );
            Outcome::unknown(shown.with_part("response", [reply.shown()]))
        }
    };
    vec![found]
}
