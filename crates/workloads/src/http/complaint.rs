//! What servers say about requests that they refuse.

use std::sync::Arc;

use serde_json::Value;
use tenbin_engine::{AnswerHead, BodyUse, ErrorClass, Exchange, Judgement};
use tenbin_plan::HttpWork;

use super::head::Success;
use crate::s3::messages::refusal::Refusals;

/// As much of the body of a refusal as is read.
const READ_BYTES: usize = 4096;
/// As much of a message as is kept.
const KEPT_CHARS: usize = 120;
/// Headers whose values are no secret.
const PUBLIC: [&str; 5] = [
    "content-type",
    "accept",
    "accept-encoding",
    "accept-language",
    "user-agent",
];
/// Shortest part of a header's value that may be a secret.
const SECRET_CHARS: usize = 6;

/// Hears what a server says in JSON about requests that it refuses: Groonga, OpenSearch and
/// whoever puts a message where they do.
pub(super) struct Complaints {
    pub(super) bodies: Refusals,
    pub(super) secrets: Secrets,
}

/// What a server must not be quoted with: parts of the headers that it was sent.
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

    /// Whether the text may be shown.
    pub(super) fn are_not_in(&self, text: &str) -> bool {
        !self.0.iter().any(|secret| text.contains(secret.as_str()))
    }
}

impl Complaints {
    pub(super) fn new(secrets: &Secrets) -> Self {
        Self {
            bodies: Refusals::keeping(READ_BYTES),
            secrets: secrets.clone(),
        }
    }

    /// To be asked at the head of every answer.
    #[inline]
    pub(super) fn head(
        &mut self,
        success: &Success,
        exchange: &mut Exchange,
        head: &AnswerHead<'_>,
    ) -> BodyUse {
        if success.holds(head.status) || exchange.bodyless_answer {
            return BodyUse::Discard;
        }
        self.bodies.catch(exchange);
        BodyUse::Inspect
    }

    pub(super) fn body(&mut self, exchange: &Exchange, part: &[u8]) {
        self.bodies.body(exchange, part);
    }

    /// The judgement of an answer whose status is no success.
    pub(super) fn failed(&mut self, exchange: &mut Exchange) -> Judgement {
        let words = words(self.bodies.caught(exchange)).unwrap_or_default();
        self.bodies.release(exchange);
        let words = match self.secrets.are_not_in(&words) {
            true => words,
            false => String::new(),
        };
        Judgement::Failed(ErrorClass::Status, words)
    }

    /// To be told when an exchange ends without an answer.
    pub(super) fn release(&mut self, exchange: &mut Exchange) {
        self.bodies.release(exchange);
    }
}

/// Groonga: `[[-22, start, elapsed, message, …]]`, or `{"header": {"error": {"message": …}}}`.
/// OpenSearch: `{"error": {"reason": …}}`, or a text in its place. Others: `{"message": …}`.
fn words(body: &[u8]) -> Option<String> {
    const PLACES: [&str; 5] = [
        "/0/3",
        "/header/error/message",
        "/error/reason",
        "/error",
        "/message",
    ];
    let answer: Value = serde_json::from_slice(body).ok()?;
    let mut places = PLACES.iter();
    let text = places.find_map(|place| answer.pointer(place)?.as_str())?;
    let printable = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    Some(printable.take(KEPT_CHARS).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_have_their_own_places_for_words() {
        for (body, told) in [
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
            assert_eq!(words(body.as_bytes()).as_deref(), told, "{body}");
        }
    }

    #[test]
    fn what_was_sent_in_secret_is_not_quoted() {
        let mut work = HttpWork::plain("GET");
        work.headers = vec![
            ("Authorization".to_owned(), "Bearer hush-hush".to_owned()),
            ("Content-Type".to_owned(), "application/json".to_owned()),
        ];
        let mut complaints = Complaints::new(&Secrets::of(&work));
        let mut said = |message: &str| {
            let mut exchange = Exchange::default();
            complaints.bodies.catch(&mut exchange);
            let body = format!(r#"{{"message":"{message}"}}"#);
            complaints.body(&exchange, body.as_bytes());
            match complaints.failed(&mut exchange) {
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
