//! `{port}` and the like: what a launched target learns only when it is launched.

use crate::suggest::did_you_mean;

/// What placeholders may be called.
pub(crate) const KNOWN: &[&str] = &["host", "port", "data", "access_key", "secret_key"];

/// The names in braces in `text`, known or not: lower-case words only, so that
/// JSON and shell variables in an argument are left alone.
pub(crate) fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split('{').skip(1).filter_map(|rest| {
        let (name, _) = rest.split_once('}')?;
        let word = |c: char| c.is_ascii_lowercase() || c == '_';
        (!name.is_empty() && name.chars().all(word)).then_some(name)
    })
}

/// Refuses unknown names: those of the table, and `swept`, have
/// meanings.
pub(crate) fn check(text: &str, swept: &[&str]) -> Result<(), String> {
    let known = || KNOWN.iter().chain(swept).copied();
    match names(text).find(|name| known().all(|known| known != *name)) {
        None => Ok(()),
        Some(unknown) => Err(format!(
            "unknown placeholder {{{unknown}}} among {{host}}, {{port}}, {{data}}, {{access_key}} \
             and {{secret_key}}{}",
            did_you_mean(unknown, known()),
        )),
    }
}

/// `text` with a sample value in place of every placeholder, to check whether the result can be
/// valid.
pub(crate) fn filled(text: &str, swept: &[&str]) -> String {
    let all = KNOWN.iter().chain(swept);
    all.fold(text.to_owned(), |text, name| {
        // What is swept may be a number.
        let sample = match *name {
            "host" => "127.0.0.1",
            "data" | "access_key" | "secret_key" => "x",
            _ => "1",
        };
        text.replace(&format!("{{{name}}}"), sample)
    })
}
