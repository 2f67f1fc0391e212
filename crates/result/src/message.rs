//! Sentences as data: the id of a message and its arguments. The sentence is printed last, in the
//! language of the reader.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::figure::Figure;

/// A sentence as data. The rule of a finding has the text of its messages in every language.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Message {
    /// Id of the message; unique among the messages of its rule.
    pub id: String,
    /// The arguments by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub args: BTreeMap<String, Value>,
}

/// An argument of a message, with its unit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Value {
    /// A number of things, which also selects singular or plural.
    Count(u64),
    /// As [`Value::Count`], but printed without groups of digits, and selects no exact number.
    Plain(u64),
    /// A number that orders, such as that of a percentile; printed `99th` in English.
    Ordinal(f64),
    /// A share, 0 to 1; printed in percent.
    Share(f64),
    /// A time, seconds.
    Seconds(f64),
    /// A time with its interval, seconds.
    SecondsWithInterval(Figure),
    /// Operations per second.
    Rate(f64),
    /// A configured rate, operations per second; printed exactly.
    ExactRate(f64),
    /// How many times as large one figure is as another.
    Ratio(f64),
    /// A ratio that is printed as a change: `+3.1 %`.
    Change(f64),
    /// A size, bytes.
    Bytes(u64),
    /// A configured size, bytes; printed exactly.
    ExactBytes(u64),
    /// Bits per second.
    BitRate(f64),
    /// Bytes per second.
    Bandwidth(f64),
    /// Used CPU cores.
    Cores(f64),
    /// A number with this many decimals, for readers who calculate with it.
    Fixed(f64, u8),
    /// A number without a unit; three significant digits.
    Number(f64),
    /// A number as a user would type it, at most three decimals.
    Typed(f64),
    /// A figure that is unknown, such as a quotient without a divisor.
    Unknown,
    /// A name, a quotation or another text that no language changes. Text from a server was made
    /// harmless.
    Text(String),
    /// Several texts, printed one after the other.
    Texts(Vec<String>),
    /// Selects a variant of the message.
    Word(String),
    /// Selects a variant of the message.
    Flag(bool),
    /// A message within the message.
    Message(Message),
    /// Several messages within the message, printed one after the other.
    Messages(Vec<Message>),
    /// Several messages within the message, separated as the language separates clauses.
    Clauses(Vec<Message>),
}

impl Value {
    /// A word that selects a variant of the message.
    pub fn word(word: &str) -> Self {
        Self::Word(word.to_owned())
    }

    /// A figure of at least 0 as a whole number.
    pub fn whole(figure: f64) -> Self {
        Self::Plain(figure.round_ties_even() as u64)
    }
}

impl Message {
    /// A message without arguments.
    pub fn new(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            args: BTreeMap::new(),
        }
    }

    /// The message `data`; `text`, its English text, if a document of an older version lacks it.
    pub fn or_text(data: Option<&Self>, text: &str) -> Self {
        data.cloned()
            .unwrap_or_else(|| Self::new("text").with("text", text))
    }

    /// The message with one more argument.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.args.insert(name.to_owned(), value.into().if_finite());
        self
    }
}

impl Value {
    /// [`Value::Unknown`] for a number that is not finite: JSON has no word for it, and a figure that
    /// nobody expected must not make a result unreadable.
    fn if_finite(self) -> Self {
        let number = match self {
            Self::Ordinal(number)
            | Self::Share(number)
            | Self::Seconds(number)
            | Self::Rate(number)
            | Self::ExactRate(number)
            | Self::Ratio(number)
            | Self::Change(number)
            | Self::BitRate(number)
            | Self::Bandwidth(number)
            | Self::Cores(number)
            | Self::Fixed(number, _)
            | Self::Number(number)
            | Self::Typed(number) => number,
            _ => return self,
        };
        if number.is_finite() {
            self
        } else {
            Self::Unknown
        }
    }
}

/// A [`Message`] with arguments: `message!("closed", count = Value::Count(3), target = name)`. `target`
/// alone means `target = target`.
#[macro_export]
macro_rules! message {
    ($id:literal $(, $name:ident $(= $value:expr)?)* $(,)?) => {
        $crate::Message::new($id)
            $(.with(stringify!($name), $crate::message!(@value $name $(= $value)?)))*
    };
    (@value $name:ident) => { $name };
    (@value $name:ident = $value:expr) => { $value };
}

macro_rules! converts {
    ($($from:ty => $variant:ident),* $(,)?) => {
        $(impl From<$from> for Value {
            fn from(value: $from) -> Self {
                Self::$variant(value.into())
            }
        })*
    };
}

converts!(
    bool => Flag,
    u32 => Count,
    u64 => Count,
    &str => Text,
    &String => Text,
    String => Text,
    Vec<String> => Texts,
    Message => Message,
    Vec<Message> => Messages,
);

/// A part of a sentence that can be missing.
impl From<Option<Message>> for Value {
    fn from(value: Option<Message>) -> Self {
        Self::Messages(value.into_iter().collect())
    }
}

impl From<usize> for Value {
    fn from(value: usize) -> Self {
        Self::Count(u64::try_from(value).unwrap_or(u64::MAX))
    }
}

/// The sentences of a finding as data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FindingData {
    /// The observation.
    pub evidence: Message,
    /// What to do.
    pub advice: Message,
    /// The other places where the same was observed, if the finding stands for several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub also: Option<Message>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_is_not_finite_is_unknown_and_can_be_read_back() {
        let message = message!(
            "shares",
            share = Value::Share(f64::NAN),
            fixed = Value::Fixed(f64::INFINITY, 2),
            seconds = Value::Seconds(0.5)
        );
        let text = serde_json::to_string(&message).expect("JSON");
        let read: Message = serde_json::from_str(&text).expect("a message");
        assert_eq!(read, message);
        assert_eq!(read.args["share"], Value::Unknown);
        assert_eq!(read.args["fixed"], Value::Unknown);
        assert_eq!(read.args["seconds"], Value::Seconds(0.5));
    }
}
