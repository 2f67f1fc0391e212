//! `{port}` and the like: what a launched target learns only when it is launched.

use crate::suggest::did_you_mean;

/// What placeholders may be called.
pub(crate) const KNOWN: &[&str] = &["port", "data", "access_key", "secret_key"];

/// The names in braces in `text`, known or not: lower-case words only, so that
/// JSON and shell variables in an argument are left alone.
pub(crate) fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split('{').skip(1).filter_map(|rest| {
        let (name, _) = rest.split_once('}')?;
        let word = |c: char| c.is_ascii_lowercase() || c == '_';
        (!name.is_empty() && name.chars().all(word)).then_some(name)
    })
}

/// Refuses names that stand for nothing.
pub(crate) fn check(text: &str) -> Result<(), String> {
    match names(text).find(|name| !KNOWN.contains(name)) {
        None => Ok(()),
        Some(unknown) => Err(format!(
            "unknown placeholder {{{unknown}}} among {{port}}, {{data}}, {{access_key}} \
             and {{secret_key}}{}",
            did_you_mean(unknown, KNOWN.iter().copied()),
        )),
    }
}

/// `text` with something harmless in place of every placeholder, to see whether
/// what will stand there can be right.
pub(crate) fn filled(text: &str) -> String {
    KNOWN.iter().fold(text.to_owned(), |text, name| {
        let sample = if *name == "port" { "1" } else { "x" };
        text.replace(&format!("{{{name}}}"), sample)
    })
}
