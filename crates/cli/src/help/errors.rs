//! Errors of arguments in the language of the reader.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use tenbin_result::Language;

use crate::args::suggestion;
use crate::sentences::said_in;

/// The error with its hint and usage; `None` for English, and for an error that has no text in the
/// language.
pub(crate) fn arguments(error: &clap::Error, language: Language) -> Option<String> {
    if language == Language::English {
        return None;
    }
    let mut said = format!("エラー: {}\n", sentence(error)?);
    if error.get(ContextKind::Suggested).is_some() {
        said += &format!("\n  ヒント: {}\n", said_in(&suggestion(error)?, language)?);
    }
    let near = [
        ContextKind::SuggestedSubcommand,
        ContextKind::SuggestedArg,
        ContextKind::SuggestedValue,
    ];
    for word in near.into_iter().filter_map(|kind| text(error, kind)) {
        said += &format!("\n  ヒント: '{word}' ではないか\n");
    }
    if let Some(usage) = text(error, ContextKind::Usage) {
        let usage = usage.trim_start_matches("Usage:").trim_start();
        said += &format!("\n使い方: {usage}\n");
    }
    Some(said + "\n詳しくは '--help' を参照。")
}

fn sentence(error: &clap::Error) -> Option<String> {
    let arg = || text(error, ContextKind::InvalidArg);
    Some(match error.kind() {
        ErrorKind::UnknownArgument => format!("引数 '{}' はない", arg()?),
        ErrorKind::InvalidSubcommand => {
            let name = text(error, ContextKind::InvalidSubcommand)?;
            format!("コマンド '{name}' はない")
        }
        ErrorKind::MissingRequiredArgument => format!("必要な引数がない: {}", arg()?),
        ErrorKind::ArgumentConflict => {
            let prior = text(error, ContextKind::PriorArg)?;
            format!("引数 '{}' は '{prior}' と一緒に使えない", arg()?)
        }
        ErrorKind::NoEquals => format!("'{}' の値は等号の後に書く", arg()?),
        ErrorKind::InvalidValue => match text(error, ContextKind::InvalidValue)? {
            value if value.is_empty() => format!("'{}' の値がない", arg()?),
            value => format!("'{}' の値 '{value}' は使えない{}", arg()?, values(error)),
        },
        _ => return None,
    })
}

/// The values that an argument can have, as a clause.
fn values(error: &clap::Error) -> String {
    let valid = text(error, ContextKind::ValidValue).filter(|values| !values.is_empty());
    valid.map_or_else(String::new, |values| format!("。使える値: {values}"))
}

fn text(error: &clap::Error, kind: ContextKind) -> Option<String> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text.clone()),
        ContextValue::Strings(texts) => Some(texts.join("、")),
        ContextValue::StyledStr(text) => Some(text.to_string()),
        _ => None,
    }
}
