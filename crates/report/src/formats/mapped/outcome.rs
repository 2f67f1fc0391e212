//! Whether a request failed, from the cells of its status and its error.

use crate::formats::reported::count;

/// Statuses of correct requests.
const RIGHT: [&str; 12] = [
    "ok", "true", "success", "succeeded", "pass", "passed", "serving", "completed", "complete",
    "done", "yes", "y",
];

/// Errors that mean that there was none.
const NO_ERROR: [&str; 18] = [
    "", "false", "null", "none", "nil", "nan", "n/a", "na", "<na>", "-", "\\n", "ok", "no error",
    "<nil>", "success", "undefined", "[]", "{}",
];

/// Whether this cell of an error says that there was none.
pub(super) fn is_no_error(text: &str) -> bool {
    NO_ERROR.contains(&text.to_lowercase().as_str()) || whole(text) == Some(0)
}

/// What a status says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Status {
    Right,
    Failed(String),
    /// 0, which some tools write without a response.
    Zero,
    /// A number that is no status of HTTP.
    Unknown,
}

impl Status {
    /// Parses `200`, `200.0`, `200 OK`, `HTTP/1.1 200 OK`, or a word such as `OK`.
    pub(super) fn of(text: &str) -> Self {
        let mut words = text.split_whitespace().peekable();
        words.next_if(|word| word.starts_with("HTTP"));
        let first = words.next().unwrap_or_default();
        match whole(first) {
            Some(200..400) => Self::Right,
            Some(code @ 100..1000) => Self::Failed(format!("responses with status {code}")),
            Some(0) => Self::Zero,
            Some(_) => Self::Unknown,
            None if text.is_empty() => Self::Failed("requests without a status".to_owned()),
            None if RIGHT.contains(&word_of(first).as_str()) => Self::Right,
            None => Self::Failed(text.to_owned()),
        }
    }
}

/// A word of a status without the name of its type: `StatusCode.OK`.
fn word_of(text: &str) -> String {
    let word = text.rsplit(['.', ':']).next().unwrap_or(text);
    word.to_lowercase()
}

/// A whole number, also with a point and zeros, as tables of floats have it.
fn whole(text: &str) -> Option<u64> {
    let whole = match text.split_once('.') {
        Some((whole, zeros)) if !zeros.is_empty() && zeros.bytes().all(|byte| byte == b'0') => {
            whole
        }
        _ => text,
    };
    count(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_are_numbers_or_words() {
        for right in [
            "200", "200.0", "302", "200 OK", "HTTP/1.1 200 OK", "OK", "true", "HTTP 200",
            "OK (200)", "StatusCode.OK",
        ] {
            assert_eq!(Status::of(right), Status::Right, "{right}");
        }
        for (failed, why) in [
            ("503.0", "responses with status 503"),
            ("404 Not Found", "responses with status 404"),
            ("199", "responses with status 199"),
            ("", "requests without a status"),
            ("timeout", "timeout"),
            ("false", "false"),
            ("200.5", "200.5"),
        ] {
            assert_eq!(
                Status::of(failed),
                Status::Failed(why.to_owned()),
                "{failed}"
            );
        }
        assert_eq!(Status::of("0"), Status::Zero);
        for unknown in ["1", "14", "2000"] {
            assert_eq!(Status::of(unknown), Status::Unknown, "{unknown}");
        }
    }

    #[test]
    fn some_errors_say_that_there_was_none() {
        for none in [
            "", "0", "0.0", "false", "NULL", "None", "NaN", "-", "\\N", "<nil>", "Success",
        ] {
            assert!(is_no_error(none), "{none}");
        }
        for error in ["1", "true", "timeout", "EOF"] {
            assert!(!is_no_error(error), "{error}");
        }
    }
}
