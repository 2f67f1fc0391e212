//! Errors in the language of the reader.
//!
//! An error prints itself in English, and has its arguments as a [`Sentence`]; the types in [`TYPES`]
//! are those that reach a reader. Every other error is printed in English as a whole.

mod build;
mod command;
mod init;

use std::error::Error;
use std::io;

use tenbin_cluster::ClusterError;
use tenbin_plan::duration::TimeError;
use tenbin_plan::rate::RateError;
use tenbin_plan::size::SizeError;
use tenbin_plan::{Mistake, Problem, Refusal, Sentence};
use tenbin_record::RecordError;
use tenbin_report::NotComparable;
use tenbin_report::formats::ReadError;
use tenbin_result::Language;
use tenbin_runner::RunError;
use tenbin_targets::TargetError;
use tenbin_targets::observe::ObserveError;
use tenbin_targets::probe::ProbeError;
use tenbin_targets::serve::ServeError;

use crate::language::language;
use crate::sentences::said_in;

pub(crate) use build::BuildError;
pub(crate) use command::CommandError;
pub(crate) use init::InitError;

macro_rules! types {
    ($($type:ty),+ $(,)?) => {
        &[$(|error| Some(error.downcast_ref::<$type>()?.sentence())),+]
    };
}

/// The types of errors that have sentences.
const TYPES: &[fn(&(dyn Error + 'static)) -> Option<Sentence>] = types!(
    Problem,
    Mistake,
    TimeError,
    RateError,
    SizeError,
    Refusal,
    RunError,
    ClusterError,
    TargetError,
    ObserveError,
    ServeError,
    ProbeError,
    RecordError,
    ReadError,
    tenbin_corpus::Error,
    BuildError,
    CommandError,
    InitError,
);

/// The error with its arguments; `None` if its type has only an English text.
fn typed_sentence(error: &(dyn Error + 'static)) -> Option<Sentence> {
    if let Some(sentence) = error.downcast_ref::<Sentence>() {
        return Some(sentence.clone());
    }
    if let Some(error) = error.downcast_ref::<io::Error>() {
        return Some(error.into());
    }
    TYPES.iter().find_map(|convert| convert(error))
}

/// The error in a language; `None` for English, and for an error without a text in the language.
pub(crate) fn said(error: &(dyn Error + 'static), language: Language) -> Option<String> {
    if language == Language::English {
        return None;
    }
    if let Some(error) = error.downcast_ref::<NotComparable>() {
        return Some(error.said(language));
    }
    said_in(&typed_sentence(error)?, language)
}

/// The error as a sentence.
pub(crate) fn sentence_of(error: &(dyn Error + 'static)) -> Sentence {
    if let Some(error) = error.downcast_ref::<NotComparable>() {
        return Sentence::verbatim(error).with("text", error.said(language()));
    }
    typed_sentence(error).unwrap_or_else(|| error.to_string().into())
}

#[cfg(test)]
mod tests;
