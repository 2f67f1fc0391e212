//! Limits and checks of the requests in patterns.

use std::time::Duration;

use super::set::Pattern;
use crate::secrets::{conceal_parameters, quoted_line};
use crate::{Sentence, sentence};

/// Maximum length of path and query, bytes.
const LONGEST_PATH: usize = 64 * 1024;
/// Maximum size of a pattern's body, bytes.
const LARGEST_BODY: usize = 16 * 1024 * 1024;
const MOST_HEADERS: usize = 100;
const LONGEST_TIMEOUT: f64 = 3600.0;
/// Maximum length of a quoted text in a message, characters.
const QUOTED_CHARS: usize = 60;

/// Headers that Tenbin sets itself.
const OWN_HEADERS: &[&str] = &["content-length", "transfer-encoding", "connection", "host"];

const METHODS: &[&str] = &["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/// A request with only a method and a path.
pub(super) fn plain(group: usize, method: &str, path: String) -> Pattern {
    Pattern {
        group,
        method: method.to_owned(),
        path,
        host: None,
        port: None,
        headers: Vec::new(),
        body: Vec::new(),
        timeout: None,
        term: None,
        logged: None,
    }
}

/// `text` in quotation marks for messages, shortened and without what looks secret.
pub(super) fn quoted(text: &str) -> String {
    quoted_line(&conceal_parameters(text), QUOTED_CHARS)
}

/// Checks a path and query. Characters that are not ASCII are percent-encoded, as browsers do.
pub(super) fn path(text: &str) -> Result<String, Sentence> {
    if !text.starts_with('/') {
        return Err(sentence!(
            "path-no-slash",
            "{text} does not begin with a slash",
            text = quoted(text)
        ));
    }
    if text.len() > LONGEST_PATH {
        return Err(sentence!(
            "path-too-long",
            "a path of {length} bytes is too long; the most is {longest_path}",
            length = text.len(),
            longest_path = LONGEST_PATH
        ));
    }
    let bad = text
        .chars()
        .find(|&c| c == '#' || c.is_ascii() && !c.is_ascii_graphic());
    if let Some(bad) = bad {
        return Err(sentence!(
            "path-not-encoded",
            "{text} has {bad:?} in it; percent-encode it, for example %20 for a space",
            text = quoted(text),
            bad
        ));
    }
    if text.is_ascii() {
        return Ok(text.to_owned());
    }
    let mut sent = String::with_capacity(text.len() * 3);
    for byte in text.bytes() {
        push_byte(&mut sent, byte);
    }
    Ok(sent)
}

/// Appends a byte of a path, percent-encoded if not ASCII.
pub(super) fn push_byte(out: &mut String, byte: u8) {
    if byte.is_ascii() {
        out.push(char::from(byte));
    } else {
        push_encoded(out, byte);
    }
}

/// Appends a byte percent-encoded: `%E3`.
pub(super) fn push_encoded(out: &mut String, byte: u8) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    out.push('%');
    out.push(char::from(DIGITS[usize::from(byte >> 4)]));
    out.push(char::from(DIGITS[usize::from(byte & 15)]));
}

/// Appends a value of a query: letters, digits and `-._~` unchanged, other bytes percent-encoded.
pub(super) fn push_query_value(out: &mut String, text: &str) {
    for byte in text.bytes() {
        match byte {
            b'-' | b'.' | b'_' | b'~' => out.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => out.push(char::from(byte)),
            byte => push_encoded(out, byte),
        }
    }
}

/// Reads a request method, in upper or lower case.
pub(super) fn method(text: &str) -> Result<String, Sentence> {
    let upper = text.to_ascii_uppercase();
    if METHODS.contains(&upper.as_str()) {
        return Ok(upper);
    }
    Err(sentence!(
        "pattern-method",
        "{text} is not a request method; those are {methods}",
        text = quoted(text),
        methods = METHODS.join(", ")
    ))
}

/// Checks a host as in URLs, without a port.
pub(super) fn host(text: &str) -> Result<String, Sentence> {
    let fits = |b: u8| b.is_ascii_alphanumeric() || b"-._:[]".contains(&b);
    if text.is_empty() || text.len() > 255 || !text.bytes().all(fits) {
        return Err(sentence!(
            "no-host",
            "{text} is not a host",
            text = quoted(text)
        ));
    }
    Ok(text.to_ascii_lowercase())
}

/// Checks a header. Messages never repeat its value, which can be secret.
pub(super) fn header(name: &str, value: &str) -> Result<(), Sentence> {
    let is_token = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
    if name.is_empty() || !name.bytes().all(is_token) {
        return Err(sentence!(
            "pattern-header",
            "{name} is not a header name",
            name = quoted(name)
        ));
    }
    if OWN_HEADERS.iter().any(|own| name.eq_ignore_ascii_case(own)) {
        return Err(sentence!(
            "pattern-header-of-tenbin",
            "Tenbin sets the header {name:?} itself; leave it out",
            name
        ));
    }
    if value.bytes().any(|b| b.is_ascii_control() && b != b'\t') {
        return Err(sentence!(
            "pattern-header-control",
            "header {name:?} has a value with control characters",
            name
        ));
    }
    Ok(())
}

/// Checks the number of headers.
pub(super) fn headers(count: usize) -> Result<(), Sentence> {
    match count {
        0..=MOST_HEADERS => Ok(()),
        _ => Err(sentence!(
            "many-headers",
            "a request has at most {most_headers} headers",
            most_headers = MOST_HEADERS
        )),
    }
}

/// Checks the length of a body.
pub(super) fn body(length: usize) -> Result<(), Sentence> {
    match length {
        0..=LARGEST_BODY => Ok(()),
        _ => Err(sentence!(
            "body-too-large",
            "a body of {length} bytes is too large; the most is {largest_body}",
            length,
            largest_body = LARGEST_BODY
        )),
    }
}

/// Checks a timeout in seconds, and converts the timeout to a duration.
pub(super) fn timeout(seconds: f64) -> Result<Duration, Sentence> {
    if seconds > 0.0 && seconds <= LONGEST_TIMEOUT {
        let time = Duration::from_secs_f64(seconds);
        if !time.is_zero() {
            return Ok(time);
        }
    }
    Err(sentence!(
        "pattern-timeout",
        "a timeout is in seconds, above 0 and at most {longest_timeout}, not {seconds}",
        longest_timeout = LONGEST_TIMEOUT,
        seconds
    ))
}
