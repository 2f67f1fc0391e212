//! Methods of HTTP requests.

use crate::keys::scalar::Scalar;
use crate::keys::suggest::nearest;

const METHODS: &[&str] = &[
    "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE",
];

pub(super) fn read(scalar: &Scalar) -> Result<String, String> {
    let method = scalar.text()?;
    let upper = method.to_ascii_uppercase();
    if METHODS.contains(&method) {
        return Ok(method.to_owned());
    }
    if method == "CONNECT" {
        return Err("CONNECT requests a tunnel from a proxy, which cannot be measured".to_owned());
    }
    if let Some(meant) = nearest(&upper, METHODS.iter().copied()) {
        return Err(format!(
            "{method:?} is not a request method; did you mean {meant:?}?"
        ));
    }
    let allowed = |c: char| c.is_ascii_uppercase() || c == '-' || c == '_';
    if method.is_empty() || !method.chars().all(allowed) {
        return Err(format!(
            "{method:?} is not a request method; write for example \"GET\""
        ));
    }
    Ok(method.to_owned())
}
