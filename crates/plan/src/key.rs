//! The keys of a plan: one table for each section.
//!
//! A [`Key`] contains the documentation of one key: its values, meaning and default, its comment in
//! a printed plan, and the flags that set the key. Keys are declared only in the table of a section
//! ([`Section`], declared with the macro `section!`). The draft, the refusal of unknown keys,
//! `docs/plan-file.md` and the flags with their help are generated from this table.

use std::time::Duration;

use crate::digits::grouped;
use crate::duration::Time;
use crate::names::Named;
use crate::problem::Place;
use crate::scalar::Scalar;

/// One key of a section.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// Name in a plan file.
    pub name: &'static str,
    /// Meaning, as Markdown for `docs/plan-file.md`.
    pub meaning: &'static str,
    /// The accepted values.
    pub value: Value,
    /// The value of the key if a plan does not set the key.
    pub default: KeyDefault,
    /// Comment after the value in a printed plan; empty for no comment.
    pub comment: &'static str,
    /// Names of the same setting in other tools and in older plans, for suggestions.
    pub synonyms: &'static [&'static str],
    /// The flags that set the key.
    pub flags: [Option<Flag>; 2],
}

/// The values that a key accepts.
#[derive(Debug, Clone, Copy)]
pub enum Value {
    /// A whole number, limits included.
    Whole {
        /// The smallest value.
        least: u64,
        /// The largest value.
        most: u64,
    },
    /// A duration.
    Time {
        /// The shortest duration.
        least: Duration,
    },
    /// Operations per unit of time.
    Rate,
    /// A number of bytes.
    Size,
    /// `true` or `false`.
    Switch,
    /// One of these names.
    Choice(fn() -> Vec<&'static str>),
    /// Text, or another kind of value, described for `docs/plan-file.md`.
    Text(&'static str),
}

/// The value of a key that is not given.
#[derive(Debug, Clone, Copy)]
pub enum KeyDefault {
    /// A value, in the syntax of the key's values.
    Value(&'static str),
    /// A rule, as Markdown for `docs/plan-file.md`.
    Rule(&'static str),
}

/// A flag that sets a key.
#[derive(Debug, Clone, Copy)]
pub struct Flag {
    /// Name with dashes: `--gap`.
    pub name: &'static str,
    /// Short form: `d` for `-d`.
    pub short: Option<char>,
    /// Further names, without dashes, which the help shows.
    pub aliases: &'static [&'static str],
    /// The value after the flag.
    pub takes: Takes,
    /// Help text, without the default.
    pub help: &'static str,
    /// Default shown in the help. Empty: the default of the key, if the flag takes a value and the
    /// default is a value and not a rule.
    pub default: &'static str,
    /// Heading in the help; `None`: the heading of the section.
    pub heading: Option<&'static str>,
    /// Names, without dashes, of flags that cannot be combined with this flag.
    pub excludes: &'static [&'static str],
    /// Name, without dashes, of a flag that this flag requires.
    pub requires: Option<&'static str>,
    /// Environment variable that supplies the value if the flag is not given.
    pub variable: Option<&'static str>,
}

/// The kind of value that a flag takes. Unless stated otherwise, the text is the placeholder for
/// the value in the help, such as `TIME`.
#[derive(Debug, Clone, Copy)]
pub enum Takes {
    /// Text.
    Text(&'static str),
    /// A whole number.
    Whole(&'static str),
    /// A whole number or text.
    Either(&'static str),
    /// Text; the flag may be repeated.
    Several(&'static str),
    /// Text; the flag may be repeated, and commas separate values.
    Commas(&'static str),
    /// Text after an equals sign. If the flag is given without a value, the second text is the
    /// value.
    Optional(&'static str, &'static str),
    /// Text for all targets, or for one target whose name precedes the text: `[NAME=]URL`.
    PerTarget(&'static str),
    /// No value, or the name of a target: the flag sets the key to this text (`"true"` becomes the
    /// switch value `true`) for all targets, or with `=NAME` for that target.
    PerTargetMeans(&'static str),
    /// Text for the target whose name precedes the text: `NAME=TIME`.
    OfTarget(&'static str),
    /// No value: the flag sets the key to this text.
    Means(&'static str),
    /// No value: the flag sets the key to this switch value.
    Switches(bool),
}

/// A section of a plan file as written. Declared with the macro `section!`.
pub trait Section: Sized {
    /// Name of the section in messages: `in [rounds]`.
    const TITLE: &'static str;
    /// The keys, in the order of the documentation and of printed plans.
    const KEYS: &'static [Key];

    /// The keys that are given, each with the place of its value.
    fn given(&self) -> Vec<(&'static str, Place)>;

    /// Sets a key by a flag. A key that no flag can set is not changed.
    fn set(&mut self, key: &str, flag: &'static str, values: Vec<Scalar>);

    /// Copies the keys that are given in `from` and for which `is_copied` holds.
    fn copy(&mut self, from: &Self, is_copied: impl Fn(&str) -> bool);

    /// Copies all keys that are given in `from`.
    fn override_with(&mut self, from: &Self) {
        self.copy(from, |_| true);
    }
}

impl Key {
    /// A key with this kind of value. The key has no name until `section!` sets one.
    const fn of(value: Value) -> Self {
        Self {
            name: "",
            meaning: "",
            value,
            default: KeyDefault::Rule("none"),
            comment: "",
            synonyms: &[],
            flags: [None; 2],
        }
    }

    pub(crate) const fn default(self, value: &'static str) -> Self {
        let default = KeyDefault::Value(value);
        Self { default, ..self }
    }

    pub(crate) const fn default_rule(self, rule: &'static str) -> Self {
        let default = KeyDefault::Rule(rule);
        Self { default, ..self }
    }

    pub(crate) const fn comment(self, comment: &'static str) -> Self {
        Self { comment, ..self }
    }

    pub(crate) const fn synonyms(self, synonyms: &'static [&'static str]) -> Self {
        Self { synonyms, ..self }
    }

    pub(crate) const fn flag(self, flag: Flag) -> Self {
        let flags = match self.flags {
            [None, _] => [Some(flag), None],
            [first, _] => [first, Some(flag)],
        };
        Self { flags, ..self }
    }

    pub(crate) const fn named(self, name: &'static str, meaning: &'static str) -> Self {
        Self {
            name,
            meaning,
            ..self
        }
    }

    /// The default value; `None` if the default is a rule.
    pub(crate) fn default_value(&self) -> Option<Scalar> {
        let KeyDefault::Value(text) = self.default else {
            return None;
        };
        let number = text.parse().ok().map(Scalar::Whole);
        Some(match self.value {
            Value::Whole { .. } => number.unwrap_or_else(|| text.into()),
            Value::Switch => (text == "true").into(),
            _ => text.into(),
        })
    }
}

impl Flag {
    /// A flag with a text value: `--gap TIME`.
    pub(crate) const fn text(name: &'static str, value: &'static str, help: &'static str) -> Self {
        Self::of(name, Takes::Text(value), help)
    }

    /// A flag with a whole number as its value: `--rounds N`.
    pub(crate) const fn whole(name: &'static str, value: &'static str, help: &'static str) -> Self {
        Self::of(name, Takes::Whole(value), help)
    }

    /// A flag with a text value for all targets or for one: `--http [NAME=]VERSION`.
    pub(crate) const fn per_target(
        name: &'static str,
        value: &'static str,
        help: &'static str,
    ) -> Self {
        Self::of(name, Takes::PerTarget(value), help)
    }

    pub(crate) const fn of(name: &'static str, takes: Takes, help: &'static str) -> Self {
        Self {
            name,
            short: None,
            aliases: &[],
            takes,
            help,
            default: "",
            heading: None,
            excludes: &[],
            requires: None,
            variable: None,
        }
    }

    pub(crate) const fn short(self, short: char) -> Self {
        let short = Some(short);
        Self { short, ..self }
    }

    pub(crate) const fn aliases(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }

    pub(crate) const fn default(self, default: &'static str) -> Self {
        Self { default, ..self }
    }

    pub(crate) const fn under(self, heading: &'static str) -> Self {
        let heading = Some(heading);
        Self { heading, ..self }
    }

    pub(crate) const fn variable(self, variable: &'static str) -> Self {
        let variable = Some(variable);
        Self { variable, ..self }
    }

    pub(crate) const fn excludes(self, excludes: &'static [&'static str]) -> Self {
        Self { excludes, ..self }
    }

    pub(crate) const fn requires(self, flag: &'static str) -> Self {
        let requires = Some(flag);
        Self { requires, ..self }
    }
}

/// A key whose value is a duration, without a lower limit.
pub(crate) const fn time() -> Key {
    time_from(Duration::ZERO)
}

pub(crate) const fn time_from(least: Duration) -> Key {
    Key::of(Value::Time { least })
}

/// A key whose value is a whole number from `least` to `most`, both included.
pub(crate) const fn whole(least: u64, most: u64) -> Key {
    Key::of(Value::Whole { least, most })
}

pub(crate) const fn rate() -> Key {
    Key::of(Value::Rate)
}

#[allow(dead_code)]
pub(crate) const fn size() -> Key {
    Key::of(Value::Size)
}

pub(crate) const fn switch() -> Key {
    Key::of(Value::Switch)
}

/// A key whose values `docs/plan-file.md` describes with this text.
pub(crate) const fn text(description: &'static str) -> Key {
    Key::of(Value::Text(description))
}

/// A key whose value is one of the names of `T`.
pub(crate) const fn choice<T: Named>() -> Key {
    Key::of(Value::Choice(names_of::<T>))
}

fn names_of<T: Named>() -> Vec<&'static str> {
    T::NAMES.iter().map(|&(name, _)| name).collect()
}

impl Value {
    /// The accepted values, described for `docs/plan-file.md`.
    pub fn describe(&self) -> String {
        match *self {
            Self::Whole { least, most } if most == u64::MAX => match least {
                0 => "whole number".to_owned(),
                least => format!("whole number from {least}"),
            },
            Self::Whole { least, most } => format!("{} to {}", grouped(least), grouped(most)),
            Self::Time { least } if least.is_zero() => "time".to_owned(),
            Self::Time { least } => format!("time, at least {}", Time(least)),
            Self::Rate => "rate".to_owned(),
            Self::Size => "size".to_owned(),
            Self::Switch => "`true`, `false`".to_owned(),
            Self::Choice(names) => {
                let names = names().into_iter().map(|name| format!("`{name:?}`"));
                names.collect::<Vec<_>>().join(", ")
            }
            Self::Text(description) => description.to_owned(),
        }
    }
}

/// Declares a section: its draft, with one field per key, and the table of its keys. The doc
/// comment of a key is the meaning of the key in `docs/plan-file.md`. Fields under `tables` are not
/// keys.
macro_rules! section {
    (
        $(#[$about:meta])*
        pub struct $draft:ident($title:literal, $expecting:literal) {
            $( $(#[doc = $meaning:literal])+ $key:ident: $value:ty = $entry:expr; )+
        }
        $(tables {
            $( $(#[$other_about:meta])* $visible:vis $other:ident: $other_type:ty, )+
        })?
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, Default, serde::Deserialize)]
        #[serde(default, deny_unknown_fields, expecting = $expecting)]
        pub struct $draft {
            $( $(#[doc = $meaning])+ pub $key: Option<$crate::scalar::At<$value>>, )+
            $( $( $(#[$other_about])* $visible $other: $other_type, )+ )?
        }

        // One constant per key with the name of the key, so that a misspelt key does not compile.
        #[allow(non_upper_case_globals, dead_code)]
        impl $draft {
            $(
                pub(crate) const $key: $crate::key::Key =
                    $entry.named(stringify!($key), concat!($($meaning),+));
            )+
        }

        impl $crate::key::Section for $draft {
            const TITLE: &'static str = $title;
            const KEYS: &'static [$crate::key::Key] = &[$(Self::$key),+];

            fn given(&self) -> Vec<(&'static str, $crate::problem::Place)> {
                let mut given = Vec::new();
                $(if let Some(value) = &self.$key {
                    given.push((stringify!($key), value.place));
                })+
                given
            }

            fn set(&mut self, key: &str, flag: &'static str, values: Vec<$crate::scalar::Scalar>) {
                match key {
                    $(stringify!($key) => {
                        if let Some(value) = $crate::scalar::FromFlag::from_flag(flag, values) {
                            self.$key = Some($crate::scalar::At {
                                value,
                                place: $crate::problem::Place::Flag(flag),
                            });
                        }
                    })+
                    _ => {}
                }
            }

            fn copy(&mut self, from: &Self, is_copied: impl Fn(&str) -> bool) {
                $(if from.$key.is_some() && is_copied(stringify!($key)) {
                    self.$key = from.$key.clone();
                })+
            }
        }
    };
}
pub(crate) use section;
