//! Redirects, which are no success unless a plan says so.

use tenbin_engine::ResponseHead;
use tenbin_plan::{Sentence, sentence};

/// Longest `Location` that is kept, in characters.
const LOCATION_CHARS: usize = 200;

/// Whether a response with this status sends the client to another URL or resource.
pub(crate) fn is_redirect(status: u16) -> bool {
    (300..400).contains(&status)
}

/// The start of the `Location` of a response, if any. Untrusted: output must escape it.
pub(crate) fn location_of(head: &ResponseHead<'_>) -> Option<String> {
    if !is_redirect(head.status) {
        return None;
    }
    let location = String::from_utf8_lossy(head.header("location")?).into_owned();
    Some(location.chars().take(LOCATION_CHARS).collect())
}

/// Why a redirect rules out a run, and what to do: one sentence without a full stop.
pub fn redirected(status: u16, location: Option<&str>) -> Sentence {
    let to = match location {
        Some(location) => {
            let location: String = location.chars().take(LOCATION_CHARS).collect();
            sentence!(
                "redirects-to",
                "redirects to {location:?} (status {status})",
                location,
                status
            )
        }
        None => sentence!(
            "redirects-nowhere",
            "redirects with status {status} and without a Location",
            status
        ),
    };
    sentence!(
        "redirected",
        "the server {to}, which does not count as success; measure that URL, follow the redirect \
         before the run with --follow, or accept the redirect with --expect {status}",
        status,
        to
    )
}
