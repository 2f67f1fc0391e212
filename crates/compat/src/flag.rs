//! One row of a tool's table of flags.

use tenbin_plan::duration::Time;
use tenbin_plan::size::Size;

/// A flag of another tool.
#[derive(Debug, Clone, Copy)]
pub struct Flag {
    /// Name without dashes.
    pub name: &'static str,
    /// One-letter name, if it has one.
    pub short: Option<&'static str>,
    /// What its value is.
    pub kind: Kind,
    /// Its value when it is not given; empty for none.
    pub default: &'static str,
    /// Defaults of single commands that differ.
    pub defaults: &'static [(&'static str, &'static str)],
    /// The commands that have it.
    pub commands: &'static [&'static str],
    /// Environment variable that gives it.
    pub variable: Option<&'static str>,
    /// What becomes of it.
    pub fate: Fate,
    /// What it is, in one line.
    pub about: &'static str,
}

/// What a flag's value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// On or off: `--tls`, `--tls=false`.
    Switch,
    /// Any text.
    Text,
    /// Text that must appear nowhere.
    Secret,
    /// Text that may be given several times.
    List,
    /// A whole number.
    Whole,
    /// A number, perhaps with a fraction.
    Decimal,
    /// A number of bytes: `10MiB` is 10 × 2^20, `10MB` and `10M` are 10 × 10^6.
    Size,
    /// A length of time: `60s`, `5m`, `1m30s`.
    Time,
    /// One of these words, in any case.
    Choice(&'static [&'static str]),
}

/// What becomes of a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It does what it does in the other tool.
    Honoured,
    /// It is accepted, and this note says what is different.
    Noted(&'static str),
    /// It is refused, for this reason; what to do instead is part of it.
    Refused(&'static str),
}

impl Flag {
    /// A flag that is honoured.
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
            about,
        }
    }

    /// With a name of one letter.
    #[must_use]
    pub const fn short(mut self, letter: &'static str) -> Self {
        self.short = Some(letter);
        self
    }

    /// With an environment variable.
    #[must_use]
    pub const fn variable(mut self, name: &'static str) -> Self {
        self.variable = Some(name);
        self
    }

    /// With defaults of single commands.
    #[must_use]
    pub const fn defaults(mut self, defaults: &'static [(&'static str, &'static str)]) -> Self {
        self.defaults = defaults;
        self
    }

    /// Accepted with a note.
    #[must_use]
    pub const fn noted(mut self, note: &'static str) -> Self {
        self.fate = Fate::Noted(note);
        self
    }

    /// Refused for a reason.
    #[must_use]
    pub const fn refused(mut self, reason: &'static str) -> Self {
        self.fate = Fate::Refused(reason);
        self
    }

    /// Whether a command has it.
    pub fn is_of(&self, command: &str) -> bool {
        self.commands.contains(&command)
    }

    /// Whether it goes by this name.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.short == Some(name)
    }

    /// Its value on a command when it is not given.
    pub fn default_on(&self, command: &str) -> &'static str {
        self.defaults
            .iter()
            .find(|(name, _)| *name == command)
            .map_or(self.default, |(_, default)| default)
    }

    /// Whether this value is what the flag is anyway, so that nothing was asked for.
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

    /// Checks a value.
    ///
    /// # Errors
    ///
    /// What is wrong with it and what to write instead, without the flag's name.
    pub(crate) fn check(&self, value: &str) -> Result<(), String> {
        match self.kind {
            Kind::Text | Kind::Secret | Kind::List => Ok(()),
            Kind::Switch => match switch(value) {
                Some(_) => Ok(()),
                None => Err(format!("{value:?} is neither true nor false")),
            },
            Kind::Whole => match value.parse::<u64>() {
                Ok(_) => Ok(()),
                Err(_) => Err(format!("{value:?} is not a whole number of 0 or more")),
            },
            Kind::Decimal => match value.parse::<f64>() {
                Ok(number) if number.is_finite() && number >= 0.0 => Ok(()),
                _ => Err(format!("{value:?} is not a number of 0 or more")),
            },
            Kind::Size if value.is_empty() => Ok(()),
            Kind::Size => match value.parse::<Size>() {
                Ok(_) => Ok(()),
                Err(error) => Err(error.to_string()),
            },
            Kind::Time => match value.parse::<Time>() {
                Ok(_) => Ok(()),
                Err(error) => Err(error.to_string()),
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
                Err(format!("{value:?} is not one of {}", words.join(", ")))
            }
        }
    }
}

/// A name as people write it: one dash suffices for a short one.
pub(crate) fn dashed(name: &str) -> String {
    match name.len() {
        0..=2 => format!("-{name}"),
        _ => format!("--{name}"),
    }
}

/// A truth value as Go reads it.
pub(crate) fn switch(text: &str) -> Option<bool> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Some(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Some(false),
        _ => None,
    }
}
