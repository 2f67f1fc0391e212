//! A page that one of Tenbin's own servers sends.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

/// A page with its security policy.
#[derive(Debug, Clone)]
pub struct ServedPage {
    /// The HTML of the page.
    pub html: String,
    /// Content-Security-Policy of the page, for the response header.
    pub policy: String,
}

/// The hash of a style sheet or script in a policy, without `sha256-`.
pub(crate) fn hash(text: &str) -> String {
    STANDARD.encode(Sha256::digest(text.as_bytes()))
}
