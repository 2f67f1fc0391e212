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

/// The statuses and error texts of the failed operations.
fn failures(results: &[Value]) -> String {
    let operations = results
        .iter()
        .filter_map(|one| one["operations"].as_array());
    let mut words: Vec<String> = Vec::new();
    for operation in operations.flatten() {
        for key in ["failures", "errors"] {
            let texts = operation[key].as_object().into_iter().flatten();
            words.extend(texts.map(|(text, _)| text.clone()));
        }
        let statuses = operation["statuses"].as_object().into_iter().flatten();
        let bad = statuses.filter(|(status, _)| status.as_str() >= "300");
        words.extend(bad.map(|(status, _)| format!("status {status}")));
    }
    words.retain(|word| word != "status");
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
