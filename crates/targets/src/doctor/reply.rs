//! What a target said to a signed question about the bucket.

use super::{Examined, Found};

/// Codes of a bucket that does not exist.
pub(super) const NO_BUCKET: &[&str] = &["NoSuchBucket"];

/// What a target said to a signed question about the bucket: to list one object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reply {
    /// Status code; none, if nothing came back.
    pub status: Option<u16>,
    /// The S3 error code, if there was one.
    pub code: Option<String>,
    /// What that code means and what to do, if that is known.
    pub meaning: Option<&'static str>,
    /// The region that the server says is the right one, if it says so.
    pub region: Option<String>,
    /// Whether it was a listing, as only S3 servers make them.
    pub is_listing: bool,
    /// How many requests were answered like that in all.
    pub answered: u64,
    /// Name of the bucket that was asked for.
    pub bucket: String,
    /// The region that the question was signed for.
    pub signed_for: String,
}

impl Reply {
    /// Whether the server gave one of these codes.
    pub(super) fn says(&self, codes: &[&str]) -> bool {
        self.code
            .as_deref()
            .is_some_and(|code| codes.contains(&code))
    }

    /// Whether the signature was found to be right: the bucket was looked for.
    pub(super) fn is_let_in(&self) -> bool {
        self.is_listing || self.says(NO_BUCKET)
    }

    /// What came back, as evidence.
    pub(super) fn shown(&self) -> String {
        match (self.status, &self.code) {
            (Some(status), Some(code)) => format!("the server answered {status} {code}"),
            (Some(status), None) => format!("the server answered {status}"),
            (None, _) => "the server did not answer a signed request".to_owned(),
        }
    }
}

/// Whether the server takes a thing that every signed request holds. It does when it
/// gives none of the `codes` and lets us in; `accepted` says what then is right.
pub(super) fn judge(
    target: &Examined,
    codes: &[&str],
    accepted: impl Fn(&Reply) -> Option<String>,
    refused: impl Fn(&Reply) -> Found,
) -> Vec<Found> {
    let Some(reply) = &target.reply else {
        return Vec::new();
    };
    if reply.says(codes) {
        return vec![refused(reply)];
    }
    let found = match accepted(reply) {
        Some(evidence) => Found::ok(evidence),
        None => Found::unknown(format!("{}, which does not tell", reply.shown())),
    };
    vec![found]
}
