//! Errors of arguments in the language of the reader.

use std::error::Error as _;
use std::net::AddrParseError;
use std::num::{ParseFloatError, ParseIntError};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use tenbin_result::Language;

use crate::args::suggestion;
use crate::errors;
use crate::sentences::said_in;

/// The error with its hint and usage; `None` for English, and for an error that has no text in the
/// language.
pub(crate) fn arguments(error: &clap::Error, language: Language) -> Option<String> {
    if language == Language::English {
        return None;
    }
    let mut said = format!("エラー: {}\n", sentence(error, language)?);
    if let Some(tip) = suggestion(error) {
        said += &format!("\n  ヒント: {}\n", said_in(&tip, language)?);
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

fn sentence(error: &clap::Error, language: Language) -> Option<String> {
    let arg = || text(error, ContextKind::InvalidArg);
    let number = |kind| match error.get(kind)? {
        ContextValue::Number(number) => Some(*number),
        _ => None,
    };
    Some(match error.kind() {
        ErrorKind::UnknownArgument => format!("引数 '{}' はない", arg()?),
        ErrorKind::InvalidSubcommand => {
            let name = text(error, ContextKind::InvalidSubcommand)?;
            format!("コマンド '{name}' はない")
        }
        ErrorKind::MissingSubcommand => {
            let name = text(error, ContextKind::InvalidSubcommand)?;
            format!("'{name}' にはコマンドが必要")
        }
        ErrorKind::MissingRequiredArgument => format!("必要な引数がない: {}", arg()?),
        ErrorKind::ArgumentConflict => {
            let prior = text(error, ContextKind::PriorArg)?;
            match arg()? {
                own if own == prior => format!("引数 '{own}' が 2 回指定されている"),
                own => format!("引数 '{own}' は '{prior}' と一緒に使えない"),
            }
        }
        ErrorKind::NoEquals => format!("'{}' の値は等号の後に書く", arg()?),
        ErrorKind::InvalidValue => match text(error, ContextKind::InvalidValue)? {
            value if value.is_empty() => format!("'{}' の値がない", arg()?),
            value => format!("'{}' の値 '{value}' は使えない{}", arg()?, values(error)),
        },
        ErrorKind::ValueValidation => {
            let value = text(error, ContextKind::InvalidValue)?;
            format!(
                "'{}' の値 '{value}' は使えない{}",
                arg()?,
                reason(error, language)?
            )
        }
        ErrorKind::TooManyValues => {
            let value = text(error, ContextKind::InvalidValue)?;
            format!("'{}' の値 '{value}' は余分", arg()?)
        }
        ErrorKind::TooFewValues => {
            let least = number(ContextKind::MinValues)?;
            format!("'{}' には {least} 個以上の値が必要", arg()?)
        }
        ErrorKind::WrongNumberOfValues => {
            let expected = number(ContextKind::ExpectedNumValues)?;
            format!("'{}' には {expected} 個の値が必要", arg()?)
        }
        ErrorKind::InvalidUtf8 => "引数が UTF-8 ではない".to_owned(),
        _ => return None,
    })
}

/// Why a value cannot be used, as a clause; `None` if the reason has no text in the language. The
/// reason is empty for a range, which needs no translation.
fn reason(error: &clap::Error, language: Language) -> Option<String> {
    let Some(why) = error.source() else {
        return Some(String::new());
    };
    if why.is::<ParseIntError>() {
        return Some("。整数を書く".to_owned());
    }
    if why.is::<ParseFloatError>() {
        return Some("。数を書く".to_owned());
    }
    if why.is::<AddrParseError>() {
        return Some("。IP アドレスを書く".to_owned());
    }
    if let Some(said) = errors::said(why, language) {
        return Some(format!("。{said}"));
    }
    let why = why.to_string();
    let range = why.split_once(" is not in ").map(|(_, range)| range);
    Some(format!("。使える範囲: {}", range?))
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
