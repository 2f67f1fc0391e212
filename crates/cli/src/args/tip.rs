//! Suggestions for command-line mistakes for which clap has none.

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Adds a suggestion to errors with a known cause: a URL without `--target`, or a plan file without
/// `run`.
pub fn with_tip(mut error: clap::Error) -> clap::Error {
    if let Some(tip) = tip(&error) {
        error.insert(
            ContextKind::Suggested,
            ContextValue::StyledStrs(vec![tip.into()]),
        );
    }
    error
}

fn tip(error: &clap::Error) -> Option<String> {
    let is_subcommand = match error.kind() {
        ErrorKind::UnknownArgument => false,
        ErrorKind::InvalidSubcommand => true,
        _ => return None,
    };
    let about = if is_subcommand {
        ContextKind::InvalidSubcommand
    } else {
        ContextKind::InvalidArg
    };
    let Some(ContextValue::String(word)) = error.get(about) else {
        return None;
    };
    if word.contains("://") {
        Some(format!("servers are given as '--target {word}'"))
    } else if is_subcommand && word.ends_with(".toml") {
        Some(format!(
            "plans are run with 'tenbin run {word}', checked with 'tenbin plan file {word}'"
        ))
    } else {
        None
    }
}
