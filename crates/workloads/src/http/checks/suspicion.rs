//! Signs that a response with a success status is an error after all.

use memchr::memmem;
use serde_json::{Map, Value};

/// Members that an error object can have in addition to the error.
const COMPANIONS: [&str; 22] = [
    "code", "detail", "details", "documentation_url", "error_description", "instance", "message",
    "msg", "ok", "path", "reason", "request_id", "requestid", "retry_after", "status",
    "statuscode", "status_code", "success", "timestamp", "title", "trace_id", "type",
];
/// Words of a message that only errors contain.
const ERROR_WORDS: [&str; 14] = [
    "access denied", "bad gateway", "error", "exception", "forbidden", "internal server",
    "not authorized", "not found", "overloaded", "rate limit", "timed out", "too many requests",
    "unauthorized", "unavailable",
];
/// Titles of error pages, without a status code.
const ERROR_TITLES: [&str; 14] = [
    "access denied", "bad gateway", "bad request", "error", "forbidden", "gateway timeout",
    "gateway time-out", "internal server error", "not found", "page not found",
    "service unavailable", "too many requests", "unauthorized", "under maintenance",
];
/// Longest text that can be an error message, bytes.
const LONGEST_MESSAGE: usize = 300;

/// Why a body looks like an error, as the end of a sentence that begins with "but"; `None` if the
/// body does not.
pub(super) fn of(body: &[u8]) -> Option<&'static str> {
    let text = std::str::from_utf8(body).ok()?.trim();
    match text.as_bytes().first()? {
        b'{' => {
            let object = serde_json::from_str::<Map<String, Value>>(text).ok()?;
            is_error_object(&object).then_some("the body is a JSON object with only an error")
        }
        b'<' if root_is_error(text) => Some("the body is an XML error document"),
        b'<' => title(text)
            .is_some_and(|title| is_error_title(&title))
            .then_some("the title of the page is that of an error"),
        _ => is_error_line(text).then_some("the body is an error message"),
    }
}

/// Whether an object holds an error and nothing else. A message alone, as in `{"message": "Hello"}`,
/// is an error only by its words.
fn is_error_object(object: &Map<String, Value>) -> bool {
    let names = || object.keys().map(|name| name.to_ascii_lowercase());
    let is_error = |name: &str| matches!(name, "error" | "errors");
    if !names().all(|name| is_error(&name) || COMPANIONS.contains(&name.as_str())) {
        return false;
    }
    let says_error = |value: &Value| match value {
        Value::Null | Value::Bool(false) => false,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !matches!(text.as_str(), "" | "false" | "none" | "0" | "OK"),
        Value::Array(list) => !list.is_empty(),
        Value::Object(members) => !members.is_empty(),
        Value::Bool(true) => true,
    };
    let holds = |(name, value): (&String, &Value)| {
        let name = name.to_ascii_lowercase();
        let text = value.as_str().unwrap_or_default().to_ascii_lowercase();
        is_error(&name) && says_error(value)
            || matches!(name.as_str(), "message" | "msg" | "detail" | "reason")
                && ERROR_WORDS.iter().any(|word| text.contains(word))
    };
    object.iter().any(holds)
}

/// Whether the root element, after an XML declaration if there is one, is `Error`.
fn root_is_error(text: &str) -> bool {
    let declared = text
        .strip_prefix("<?xml")
        .and_then(|rest| rest.split_once("?>"));
    let root = declared.map_or(text, |(_, rest)| rest.trim_start());
    let after = root
        .get(..6)
        .filter(|start| start.eq_ignore_ascii_case("<error"));
    after.is_some() && root[6..].starts_with(|c: char| c == '>' || c == '/' || c.is_whitespace())
}

/// The title of an HTML page, in lower case.
fn title(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    let start = memmem::find(lower.as_bytes(), b"<title")?;
    let (_, rest) = lower.get(start..)?.split_once('>')?;
    let (title, _) = rest.split_once("</title")?;
    Some(title.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Whether a title, or the part of it without the name of the site, is that of an error page.
fn is_error_title(title: &str) -> bool {
    let is_status = |word: &str| {
        let digits = word.len() == 3 && word.bytes().all(|byte| byte.is_ascii_digit());
        digits && word.starts_with(['4', '5'])
    };
    let parts = title
        .split(['|', '–', '—', '·', '»'])
        .flat_map(|part| part.split(" - "));
    let mut parts = parts.map(|part| part.trim_matches(|c: char| !c.is_alphanumeric()));
    parts.any(|part| {
        let words = part.strip_prefix("error ").unwrap_or(part);
        let (first, rest) = words.split_once(' ').unwrap_or((words, ""));
        let rest = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
        ERROR_TITLES.contains(&part)
            || is_status(first.trim_end_matches(':'))
                && (rest.is_empty() || ERROR_TITLES.contains(&rest) || words != part)
    })
}

/// Whether a short text is an error message.
fn is_error_line(text: &str) -> bool {
    let is_one_line = text.len() <= LONGEST_MESSAGE && !text.contains('\n');
    let lower = text.to_ascii_lowercase();
    is_one_line
        && (lower.starts_with("error:")
            || ERROR_TITLES.contains(&lower.trim_end_matches(['.', '!'])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_in_every_format_are_noticed() {
        for body in [
            r#"{"error":"rate limit exceeded"}"#,
            r#"{"error":{"code":17,"reason":"overloaded"},"status":503}"#,
            r#"{"errors":["boom"]}"#,
            r#" {"message":"Too Many Requests","code":429} "#,
            r#"{"success":false,"error":true,"message":"x"}"#,
            "<?xml version=\"1.0\"?>\n<Error><Code>SlowDown</Code></Error>",
            "<html><head><title>502 Bad Gateway</title></head></html>",
            "<!DOCTYPE html><html><TITLE>\n Error </TITLE>",
            "<html><title>Page not found | Shop</title>",
            "<html><title>Error 503</title>",
            "<html><title>404</title>",
            "Service Unavailable",
            "error: no backend",
        ] {
            assert!(of(body.as_bytes()).is_some(), "{body}");
        }
    }

    #[test]
    fn pages_that_are_no_errors_are_not_suspected() {
        for body in [
            "",
            "hello",
            "OK",
            r#"{"message":"Hello, World!"}"#,
            r#"{"message":"ok","status":200}"#,
            r#"{"error":null,"result":{}}"#,
            r#"{"error":null}"#,
            r#"{"errors":[]}"#,
            r#"{"error":false,"message":"done"}"#,
            r#"{"errors":0,"took":3}"#,
            r#"{"error":"x","result":[1]}"#,
            r#"{"id":7,"randomNumber":12}"#,
            r#"[{"error":"x"}]"#,
            "<html><title>Error handling in Rust</title><h1>Error</h1>",
            "<html><title>404 ways to say hello</title>",
            "<html><title>Shop</title>",
            "<html>no title",
            "<errata><item/></errata",
            "<list><Error/></list>",
            "Error handling\nis a chapter of its own.",
        ] {
            assert_eq!(of(body.as_bytes()), None, "{body}");
        }
        assert_eq!(of(&[0xff, 0xfe]), None);
    }
}
