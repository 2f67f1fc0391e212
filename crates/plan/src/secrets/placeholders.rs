//! Placeholders such as `{port}`, whose values are known only when a target is launched.

use crate::keys::suggest::did_you_mean;
use crate::{Sentence, sentence};

/// The names of placeholders.
pub(crate) const KNOWN: &[&str] = &["host", "port", "data", "access_key", "secret_key"];

/// The names in braces in `text`, known or not. Only lower-case words count, so that JSON and shell
/// variables in an argument are not changed.
pub(crate) fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split('{').skip(1).filter_map(|rest| {
        let (name, _) = rest.split_once('}')?;
        let word = |c: char| c.is_ascii_lowercase() || c == '_';
        (!name.is_empty() && name.chars().all(word)).then_some(name)
    })
}

/// Refuses names in braces that are neither in [`KNOWN`] nor in `swept`, the names of the target's
/// sweep parameters.
pub(crate) fn check(text: &str, swept: &[&str]) -> Result<(), Sentence> {
    let known = || KNOWN.iter().chain(swept).copied();
    match names(text).find(|name| known().all(|known| known != *name)) {
        None => Ok(()),
        Some(unknown) => Err(sentence!(
            "unknown-placeholder",
            "unknown placeholder {{{unknown}}} among {{host}}, {{port}}, {{data}}, \
                {{access_key}} and {{secret_key}}{hint}",
            unknown,
            hint = did_you_mean(unknown, known())
        )),
    }
}

/// `text` with a sample value in place of every placeholder, to check whether the result can be
/// valid.
pub(crate) fn filled(text: &str, swept: &[&str]) -> String {
    let all = KNOWN.iter().chain(swept);
    all.fold(text.to_owned(), |text, name| {
        // A swept parameter can be a number.
        let sample = match *name {
            "host" => "127.0.0.1",
            "data" | "access_key" | "secret_key" => "x",
            _ => "1",
        };
        text.replace(&format!("{{{name}}}"), sample)
    })
}
