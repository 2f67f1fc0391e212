//! Methods of HTTP requests.

use crate::keys::scalar::Scalar;
use crate::keys::suggest::nearest;
use crate::{Sentence, sentence};

const METHODS: &[&str] = &[
    "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE",
];

pub(super) fn read(scalar: &Scalar) -> Result<String, Sentence> {
    let method = scalar.text()?;
    let upper = method.to_ascii_uppercase();
    if METHODS.contains(&method) {
        return Ok(method.to_owned());
    }
    if method == "CONNECT" {
        return Err(sentence!(
            "no-connect",
            "CONNECT requests a tunnel from a proxy, which cannot be measured"
        ));
    }
    if let Some(meant) = nearest(&upper, METHODS.iter().copied()) {
        return Err(sentence!(
            "method-meant",
            "{method:?} is not a request method; did you mean {meant:?}?",
            method,
            meant
        ));
    }
    let allowed = |c: char| c.is_ascii_uppercase() || c == '-' || c == '_';
    if method.is_empty() || !method.chars().all(allowed) {
        return Err(sentence!(
            "no-method",
            "{method:?} is not a request method; write for example \"GET\"",
            method
        ));
    }
    Ok(method.to_owned())
}
