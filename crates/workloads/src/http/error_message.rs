//! Error messages of servers in failed responses.

use std::sync::Arc;

use serde_json::Value;
use tenbin_engine::{BodyUse, ErrorClass, Exchange, Judgement, ResponseHead};
use tenbin_plan::HttpWork;

use super::head::Success;
use crate::redirect::location_of;
use crate::s3::messages::judging::Refusals;

/// Bytes of an error response that are parsed.
const READ_BYTES: usize = 4096;
/// Characters of an error message that are kept.
const KEPT_CHARS: usize = 120;
/// Request headers whose values are not secret.
const PUBLIC: [&str; 5] = [
    "content-type", "accept", "accept-encoding", "accept-language", "user-agent",
];
/// Begins the text of a redirect.
const REDIRECT: &str = "redirect to ";
/// Minimum length of a part of a header value that counts as a possible secret, bytes.
const SECRET_CHARS: usize = 6;

/// Reads error messages from JSON responses of Groonga, OpenSearch and servers with the same
/// format.
pub(super) struct ErrorMessages {
    pub(super) bodies: Refusals,
    pub(super) secrets: Secrets,
}

/// Texts that must not appear in quoted error messages: parts of the request headers.
#[derive(Clone)]
pub(super) struct Secrets(Arc<[String]>);

impl Secrets {
    pub(super) fn of(work: &HttpWork) -> Self {
        let is_public = |name: &str| PUBLIC.iter().any(|known| known.eq_ignore_ascii_case(name));
        let patterns = work.patterns.iter();
        let own = patterns.flat_map(|patterns| patterns.set.patterns());
        let own = own.flat_map(|pattern| &pattern.headers);
        let headers = work.headers.iter().chain(own);
        let values = headers.filter(|(name, _)| !is_public(name));
        let parts = values.flat_map(|(_, value)| value.split(|c: char| !c.is_ascii_graphic()));
        let mut secrets: Vec<String> = parts
            .filter(|part| part.len() >= SECRET_CHARS)
            .map(str::to_owned)
            .collect();
        secrets.sort_unstable();
        secrets.dedup();
        Self(secrets.into())
    }

    /// Whether the text contains no secret and may be shown.
    pub(super) fn are_not_in(&self, text: &str) -> bool {
        !self.0.iter().any(|secret| text.contains(secret.as_str()))
    }
}

impl ErrorMessages {
    pub(super) fn new(secrets: &Secrets) -> Self {
        Self {
            bodies: Refusals::keeping(READ_BYTES),
            secrets: secrets.clone(),
        }
    }

    /// Must be called for the head of every response.
    #[inline]
    pub(super) fn head(
        &mut self,
        success: &Success,
        exchange: &mut Exchange,
        head: &ResponseHead<'_>,
    ) -> BodyUse {
        if success.holds(head.status) {
            return BodyUse::Discard;
        }
        if let Some(location) = location_of(head) {
            // Kept in place of the body, which says no more than the header.
            self.bodies.catch(exchange);
            self.bodies.body(exchange, REDIRECT.as_bytes());
            self.bodies.body(exchange, location.as_bytes());
            return BodyUse::Discard;
        }
        if exchange.bodyless_response {
            return BodyUse::Discard;
        }
        self.bodies.catch(exchange);
        BodyUse::Inspect
    }

    pub(super) fn body(&mut self, exchange: &Exchange, part: &[u8]) {
        self.bodies.body(exchange, part);
    }

    /// The judgement of a response with an error status, with the error message unless the message
    /// contains a secret.
    pub(super) fn failed(&mut self, exchange: &mut Exchange) -> Judgement {
        let caught = self.bodies.caught(exchange);
        let words = if caught.starts_with(REDIRECT.as_bytes()) {
            String::from_utf8_lossy(caught).into_owned()
        } else {
            words(caught).unwrap_or_default()
        };
        self.bodies.release(exchange);
        let words = if self.secrets.are_not_in(&words) {
            words
        } else {
            String::new()
        };
        Judgement::Failed(ErrorClass::Status, words)
    }

    /// Must be called when an exchange ends without a response.
    pub(super) fn release(&mut self, exchange: &mut Exchange) {
        self.bodies.release(exchange);
    }
}

/// The error message in a JSON body. Groonga: `[[-22, start, elapsed, message, …]]`, or
/// `{"header": {"error": {"message": …}}}`. OpenSearch: `{"error": {"reason": …}}`, or a string
/// instead of the object. Others: `{"message": …}`.
pub(super) fn words(body: &[u8]) -> Option<String> {
    const PLACES: [&str; 5] = [
        "/0/3", "/header/error/message", "/error/reason", "/error", "/message",
    ];
    let response: Value = serde_json::from_slice(body).ok()?;
    let mut places = PLACES.iter();
    let text = places.find_map(|place| response.pointer(place)?.as_str())?;
    let printable = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    Some(printable.take(KEPT_CHARS).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_messages_are_read_from_every_server() {
        for (body, expected) in [
            (
                r#"[[-22,1795174616.67,4.67e-05,"[select][table] invalid name: <Nope>",[["f","g.cpp",4]]]]"#,
                Some("[select][table] invalid name: <Nope>"),
            ),
            (
                r#"{"header":{"return_code":-22,"error":{"message":"invalid name"}}}"#,
                Some("invalid name"),
            ),
            (
                r#"{"error":{"root_cause":[],"reason":"no such index [x]"},"status":404}"#,
                Some("no such index [x]"),
            ),
            (r#"{"error":"no\u001bhandler"}"#, Some("no handler")),
            (r#"{"message":"slow down"}"#, Some("slow down")),
            ("[[0,1.5,6e-05],true]", None),
            ("<html>", None),
            ("", None),
        ] {
            assert_eq!(words(body.as_bytes()).as_deref(), expected, "{body}");
        }
    }

    #[test]
    fn secrets_of_requests_are_not_quoted() {
        let mut work = HttpWork::plain("GET");
        work.headers = vec![
            ("Authorization".to_owned(), "Bearer hush-hush".to_owned()),
            ("Content-Type".to_owned(), "application/json".to_owned()),
        ];
        let mut error_messages = ErrorMessages::new(&Secrets::of(&work));
        let mut said = |message: &str| {
            let mut exchange = Exchange::default();
            error_messages.bodies.catch(&mut exchange);
            let body = format!(r#"{{"message":"{message}"}}"#);
            error_messages.body(&exchange, body.as_bytes());
            match error_messages.failed(&mut exchange) {
                Judgement::Failed(_, words) => words,
                Judgement::Correct => "correct".to_owned(),
            }
        };
        assert_eq!(said("token hush-hush is not known"), "");
        assert_eq!(
            said("application/json was expected"),
            "application/json was expected"
        );
    }
}
