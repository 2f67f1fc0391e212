//! The outcome of trying an operation on a server.

use std::fmt;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

/// Whether an operation works on a server.
pub(super) enum Outcome {
    /// Every operation succeeded.
    Yes,
    /// Some operations succeeded; contains the errors of the others.
    Partly(String),
    /// No operation succeeded or was sent; contains the reason.
    No(String),
}

impl Outcome {
    pub(super) fn word(&self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::Partly(_) => "in part",
            Self::No(_) => "no",
        }
    }

    pub(super) fn why(&self) -> Option<&str> {
        match self {
            Self::Yes => None,
            Self::Partly(why) | Self::No(why) => Some(why),
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.why() {
            None => f.write_str(self.word()),
            Some(why) => write!(f, "{}: {why}", self.word()),
        }
    }
}

/// The outcome of the only run below `runs`, given the standard error of Tenbin.
pub(super) fn of(runs: &Path, said: &str) -> Result<Outcome> {
    let Some(result) = result(runs)? else {
        return Ok(Outcome::No(sentence(said)));
    };
    let results = result["results"].as_array().context("no results")?;
    let sum = |key: &str| -> u64 { results.iter().filter_map(|one| one[key].as_u64()).sum() };
    let (ok, failed) = (sum("ok"), sum("failed"));
    Ok(match (ok, failed) {
        (0, 0) => Outcome::No(sentence(said)),
        (_, 0) => Outcome::Yes,
        (0, _) => Outcome::No(failures(results)),
        _ => Outcome::Partly(failures(results)),
    })
}

fn result(runs: &Path) -> Result<Option<Value>> {
    let Ok(mut entries) = std::fs::read_dir(runs) else {
        return Ok(None);
    };
    let Some(run) = entries.next() else {
        return Ok(None);
    };
    match std::fs::read(run?.path().join("result.json")) {
        Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes)?)),
        Err(_) => Ok(None),
    }
}

/// Classes of errors in words. The class `status` is missing, because the statuses are listed.
const CLASSES: [(&str, &str); 9] = [
    ("connect", "no connection could be made"),
    ("timeout", "no complete response in time"),
    (
        "reset",
        "the connection ended before the response was complete",
    ),
    ("protocol", "the response is not HTTP"),
    ("short", "the response has too few bytes"),
    ("wrong", "the response has wrong content"),
    ("stale", "the response has content of an earlier version"),
    (
        "unexpected body",
        "the response differs from earlier responses",
    ),
    ("check failed", "the response fails a check"),
];

/// The error texts of the failed operations, the classes if failures have no text, and the statuses.
fn failures(results: &[Value]) -> String {
    let operations = results
        .iter()
        .filter_map(|one| one["operations"].as_array());
    let mut words: Vec<String> = Vec::new();
    for operation in operations.flatten() {
        let counted = |key: &str| operation[key].as_object().into_iter().flatten();
        let sum = |key: &str| -> u64 { counted(key).filter_map(|(_, count)| count.as_u64()).sum() };
        words.extend(counted("failures").map(|(text, _)| text.clone()));
        if sum("failures") < sum("errors") {
            let is_there = |class: &str| counted("errors").any(|(name, _)| name == class);
            let there = CLASSES.iter().filter(|class| is_there(class.0));
            words.extend(there.map(|(_, text)| (*text).to_owned()));
        }
        let statuses = operation["statuses"].as_object().into_iter().flatten();
        let bad = statuses.filter(|(status, _)| status.as_str() >= "300");
        words.extend(bad.map(|(status, _)| format!("status {status}")));
    }
    words.sort();
    words.dedup();
    clean(&words.join(", "))
}

/// The error message on standard error, without its location.
fn sentence(said: &str) -> String {
    let error = said.lines().find(|line| line.starts_with("error:"));
    let line = error.or(said.lines().last()).unwrap_or("nothing was said");
    let text = line.trim_start_matches("error:").trim();
    let about = text
        .rsplit_once("put-1KiB\": ")
        .map_or(text, |(_, rest)| rest);
    clean(about)
}

/// Replaces characters that would break a Markdown table.
fn clean(text: &str) -> String {
    let plain = |c: char| if c.is_control() || c == '|' { ' ' } else { c };
    text.chars().map(plain).take(200).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn failures_of(operation: Value) -> String {
        failures(&[json!({ "operations": [operation] })])
    }

    #[test]
    fn a_class_is_named_only_for_failures_without_a_text() {
        let ignored = json!({
            "failures": { "the range was ignored": 3 },
            "errors": { "wrong": 3 },
            "statuses": { "200": 3 },
        });
        assert_eq!(failures_of(ignored), "the range was ignored");
        let refused = json!({
            "failures": { "NotImplemented": 3 },
            "errors": { "status": 3 },
            "statuses": { "501": 3 },
        });
        assert_eq!(failures_of(refused), "NotImplemented, status 501");
        let wrong = json!({
            "errors": { "wrong": 3 },
            "statuses": { "200": 3 },
        });
        assert_eq!(failures_of(wrong), "the response has wrong content");
        let status = json!({
            "errors": { "status": 3 },
            "statuses": { "503": 3 },
        });
        assert_eq!(failures_of(status), "status 503");
    }
}
