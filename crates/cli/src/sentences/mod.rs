//! Notes, warnings, errors and progress lines in the language of the reader.
//!
//! A [`Sentence`] has its English text. `ja.ftl` has its Japanese text under the same id; a sentence
//! without one is printed in English as a whole.

use tenbin_plan::{Argument, Sentence};
use tenbin_result::{Language, Message, Value};
use tenbin_verdict::Messages;

use crate::language::language;

/// The texts of sentences.
static SENTENCES: Messages = Messages {
    english: "# A sentence has its English text.\n",
    japanese: include_str!("ja.ftl"),
};

/// Stands for a line break in an argument, such as the output of a program: the lines of a message are
/// joined. A private-use character, which no text has.
const LINE_BREAK: &str = "\u{e002}";

/// The sentence in the language of the reader.
pub(crate) fn said(sentence: &Sentence) -> String {
    said_in(sentence, language()).unwrap_or_else(|| sentence.to_string())
}

/// The sentence in a language; `None` for English, and for a sentence without a text in the language.
pub(crate) fn said_in(sentence: &Sentence, language: Language) -> Option<String> {
    match language {
        Language::English => None,
        Language::Japanese => {
            let said = SENTENCES.say(&message(sentence)?, language)?;
            Some(said.replace(LINE_BREAK, "\n"))
        }
    }
}

/// The sentence as a message; `None` if a fixed text in it has no translation.
fn message(sentence: &Sentence) -> Option<Message> {
    let args = sentence.args().map(|(name, value)| {
        let value = match value {
            Argument::Text(text) => Value::Text(text.replace('\n', LINE_BREAK)),
            Argument::Names(names) => Value::Texts(names.clone()),
            Argument::Fixed(text) => Value::Text(fixed(text)?.to_owned()),
            Argument::Parts(parts) => {
                Value::Messages(parts.iter().map(message).collect::<Option<_>>()?)
            }
        };
        Some((name.to_owned(), value))
    });
    Some(Message {
        id: sentence.id().to_owned(),
        args: args.collect::<Option<_>>()?,
    })
}

/// The files of fixed texts: pairs of lines, separated by empty lines, of an English text and its
/// translation.
const FIXED: [&str; 3] = [
    include_str!("fixed.ja.txt"),
    include_str!("fronts.ja.txt"),
    include_str!("files.ja.txt"),
];

/// A fixed text in Japanese.
fn fixed(english: &str) -> Option<&'static str> {
    FIXED.iter().find_map(|file| {
        let mut lines = file
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'));
        let mut pairs = std::iter::from_fn(|| Some((lines.next()?, lines.next()?)));
        pairs.find_map(|(text, japanese)| (text == english).then_some(japanese))
    })
}

#[cfg(test)]
mod tests;
