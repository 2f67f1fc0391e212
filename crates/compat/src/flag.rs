//! A command-line flag of another tool.

use tenbin_plan::duration::Time;
use tenbin_plan::size::Size;
use tenbin_plan::{Sentence, sentence};

/// A command-line flag of another tool.
#[derive(Debug, Clone, Copy)]
pub struct Flag {
    /// Name without dashes.
    pub name: &'static str,
    /// One-letter name, if any.
    pub short: Option<&'static str>,
    /// Type of the value.
    pub kind: Kind,
    /// Default value; empty for none.
    pub default: &'static str,
    /// Commands whose default differs from `default`, each with its default.
    pub defaults: &'static [(&'static str, &'static str)],
    /// The commands that accept the flag.
    pub commands: &'static [&'static str],
    /// Environment variable that supplies the value, if any.
    pub variable: Option<&'static str>,
    /// How Tenbin treats the flag.
    pub fate: Fate,
    /// Values that Tenbin refuses although it accepts the flag, each with the reason and what to do
    /// instead.
    pub refused_values: &'static [(&'static str, &'static str)],
    /// One-line description.
    pub about: &'static str,
}

/// Type of a flag's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Boolean: `--tls`, `--tls=false`.
    Switch,
    /// Any text.
    Text,
    /// Text that must never be shown.
    Secret,
    /// Text that may be given several times.
    List,
    /// An integer.
    Whole,
    /// A number, with or without a fraction.
    Decimal,
    /// A number of bytes: `10MiB` is 10 × 2^20, `10MB` and `10M` are 10 × 10^6.
    Size,
    /// A duration: `60s`, `5m`, `1m30s`.
    Time,
    /// One of these words, case insensitive.
    Choice(&'static [&'static str]),
}

/// How Tenbin treats a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Same effect as in the other tool.
    Honoured,
    /// Accepted with a note on the difference.
    Noted(&'static str),
    /// Refused, with the reason and what to do instead.
    Refused(&'static str),
}

impl Flag {
    /// A flag with the same effect as in the other tool.
    pub const fn new(
        commands: &'static [&'static str],
        name: &'static str,
        kind: Kind,
        default: &'static str,
        about: &'static str,
    ) -> Self {
        Self {
            name,
            short: None,
            kind,
            default,
            defaults: &[],
            commands,
            variable: None,
            fate: Fate::Honoured,
            refused_values: &[],
            about,
        }
    }

    /// Marks values as refused, each for a reason.
    #[must_use]
    pub const fn refusing(mut self, values: &'static [(&'static str, &'static str)]) -> Self {
        self.refused_values = values;
        self
    }

    /// Sets a one-letter name.
    #[must_use]
    pub const fn short(mut self, letter: &'static str) -> Self {
        self.short = Some(letter);
        self
    }

    /// Sets the environment variable that supplies the flag's value.
    #[must_use]
    pub const fn variable(mut self, name: &'static str) -> Self {
        self.variable = Some(name);
        self
    }

    /// Sets the defaults that differ on some commands.
    #[must_use]
    pub const fn defaults(mut self, defaults: &'static [(&'static str, &'static str)]) -> Self {
        self.defaults = defaults;
        self
    }

    /// Marks the flag as accepted with a note.
    #[must_use]
    pub const fn noted(mut self, note: &'static str) -> Self {
        self.fate = Fate::Noted(note);
        self
    }

    /// Marks the flag as refused for a reason.
    #[must_use]
    pub const fn refused(mut self, reason: &'static str) -> Self {
        self.fate = Fate::Refused(reason);
        self
    }

    /// The note on the difference from the other tool, if the flag has one.
    pub fn note(&self) -> Option<&'static str> {
        match self.fate {
            Fate::Noted(note) => Some(note),
            Fate::Honoured | Fate::Refused(_) => None,
        }
    }

    /// Whether `command` accepts the flag.
    pub fn is_of(&self, command: &str) -> bool {
        self.commands.contains(&command)
    }

    /// Whether `name` is the flag's name or one-letter name.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.short == Some(name)
    }

    /// The default value on `command`.
    pub fn default_on(&self, command: &str) -> &'static str {
        self.defaults
            .iter()
            .find(|(name, _)| *name == command)
            .map_or(self.default, |(_, default)| default)
    }

    /// Why this value is refused, if it is.
    pub(crate) fn why_refused(&self, value: &str) -> Option<Sentence> {
        let mut refused = self.refused_values.iter();
        let &(_, reason) = refused.find(|(refused, _)| refused.eq_ignore_ascii_case(value))?;
        let sentence = sentence!("front-value", "{value:?}: {reason}", value, reason);
        Some(sentence.with_fixed("reason", reason))
    }

    /// Whether `value` equals the flag's default on `command`.
    pub fn is_as_ever(&self, command: &str, value: &str) -> bool {
        let default = self.default_on(command);
        match self.kind {
            Kind::Switch => switch(value) == Some(switch(default).unwrap_or(false)),
            Kind::Size => {
                let bytes = |text: &str| text.parse::<Size>().ok();
                bytes(value).is_some() && bytes(value) == bytes(default)
            }
            Kind::Time => {
                let time = |text: &str| text.parse::<Time>().ok();
                time(value).is_some() && time(value) == time(default)
            }
            Kind::Whole | Kind::Decimal => {
                let number = |text: &str| text.parse::<f64>().ok();
                number(value).is_some() && number(value) == number(default)
            }
            Kind::Choice(_) => value.eq_ignore_ascii_case(default),
            Kind::Text | Kind::Secret | Kind::List => value == default,
        }
    }

    /// Checks a value of the flag.
    ///
    /// # Errors
    ///
    /// What is wrong and what to write instead, without the flag's name.
    pub(crate) fn check(&self, value: &str) -> Result<(), Sentence> {
        match self.kind {
            Kind::Text | Kind::Secret | Kind::List => Ok(()),
            Kind::Switch => match switch(value) {
                Some(_) => Ok(()),
                None => Err(sentence!(
                    "front-no-switch",
                    "{value:?} is neither true nor false",
                    value
                )),
            },
            Kind::Whole => match value.parse::<u64>() {
                Ok(_) => Ok(()),
                Err(_) => Err(sentence!(
                    "front-no-integer",
                    "{value:?} is not an integer of 0 or more",
                    value
                )),
            },
            Kind::Decimal => match value.parse::<f64>() {
                Ok(number) if number.is_finite() && number >= 0.0 => Ok(()),
                _ => Err(sentence!(
                    "front-no-number",
                    "{value:?} is not a number of 0 or more",
                    value
                )),
            },
            Kind::Size if value.is_empty() => Ok(()),
            Kind::Size => match value.parse::<Size>() {
                Ok(_) => Ok(()),
                Err(error) => Err(error.sentence()),
            },
            Kind::Time => match value.parse::<Time>() {
                Ok(_) => Ok(()),
                Err(error) => Err(error.sentence()),
            },
            Kind::Choice(words) => {
                if words.iter().any(|word| value.eq_ignore_ascii_case(word)) {
                    return Ok(());
                }
                let words: Vec<String> = words
                    .iter()
                    .filter(|word| !word.is_empty())
                    .map(|word| format!("{word:?}"))
                    .collect();
                Err(sentence!(
                    "front-no-choice",
                    "{value:?} is not one of {words}",
                    value,
                    words = words.join(", ")
                ))
            }
        }
    }
}

/// A flag name with dashes: one dash for names of one or two letters, otherwise two.
pub(crate) fn dashed(name: &str) -> String {
    match name.len() {
        0..=2 => format!("-{name}"),
        _ => format!("--{name}"),
    }
}

/// Parses a boolean as Go does.
pub(crate) fn switch(text: &str) -> Option<bool> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Some(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Some(false),
        _ => None,
    }
}
