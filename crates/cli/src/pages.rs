//! What the pages of Tenbin's own servers have in common: a secret token, and responses that other sites
//! can neither show nor read.

use std::fmt::Write as _;

use subtle::ConstantTimeEq as _;
use tenbin_http::server::{Body, response};
use tenbin_http::{HeaderValue, Response, StatusCode};

/// Content type of a page.
pub(crate) const HTML: &str = "text/html; charset=utf-8";
/// Length of a token, bytes.
const TOKEN: usize = 16;

/// A random token: 128 bits as hexadecimal digits.
pub(crate) fn token() -> String {
    rand::random::<[u8; TOKEN]>()
        .iter()
        .fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
}

/// Whether a text is the token. Compares in constant time, except for the length.
pub(crate) fn is_token(shown: &str, token: &str) -> bool {
    shown.as_bytes().ct_eq(token.as_bytes()).into()
}

/// A response that a page of another site can neither show nor read.
pub(crate) fn protected(
    status: StatusCode,
    kind: &'static str,
    body: Body,
    policy: &str,
) -> Response<Body> {
    let mut response = response(status, kind, body);
    for (name, value) in [
        ("content-security-policy", policy),
        ("x-frame-options", "DENY"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-resource-policy", "same-origin"),
    ] {
        // All values are texts of Tenbin, and valid. An invalid policy would allow nothing.
        let value = HeaderValue::from_str(value);
        let value = value.unwrap_or(HeaderValue::from_static("default-src 'none'"));
        response.headers_mut().insert(name, value);
    }
    response
}
