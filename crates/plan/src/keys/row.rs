//! The keys of a plan: one table for each section.
//!
//! A [`Key`] contains the documentation of one key: its values, meaning and default, its comment in
//! a printed plan, and the flags that set the key. Keys are declared only in the table of a section
//! ([`Section`], declared with the macro `section!` of `section.rs`). The draft, the refusal of
//! unknown keys, `docs/plan-file.md` and the flags with their help are generated from this table.

use std::time::Duration;

use crate::Sentence;
use crate::keys::form::{Form, Kind};
use crate::keys::names::Named;
use crate::keys::scalar::Scalar;
use crate::plan_file::problem::Place;
use crate::units::digits::grouped;
use crate::units::duration::Time;

/// One key of a section.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// Name in a plan file.
    pub name: &'static str,
    /// Meaning, as Markdown for `docs/plan-file.md`.
    pub meaning: &'static str,
    /// The accepted values.
    pub value: Value,
    /// Whether a plan file has one value, a list or a table.
    pub form: Form,
    /// The kinds of values if `value` describes them in words, and otherwise further kinds; empty: any
    /// text, or no further kinds.
    pub kinds: &'static [Kind],
    /// The value of the key if a plan does not set the key.
    pub default: KeyDefault,
    /// Comment after the value in a printed plan; empty for no comment.
    pub comment: &'static str,
    /// Whether a printed plan leaves the key out if its value is the default.
    pub prints_changes_only: bool,
    /// Names of the same setting in other tools and in older plans, for suggestions.
    pub synonyms: &'static [&'static str],
    /// The flags that set the key. A command line can have only one of them.
    pub flags: [Option<Flag>; 2],
    /// Keys of the section that cannot be combined with this key.
    pub excludes: [Option<Exclusion>; 2],
    /// Keys of the section of which this key needs one.
    pub needs: Option<Need>,
    /// The targets that the key is for; `None`: all.
    pub scope: Option<Scope>,
    /// When the values of flags for this key are left out.
    pub yields: [Option<Yields>; 2],
}

/// When a target leaves out the value of a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Yields {
    /// If the target has this key too.
    To(&'static str),
    /// If the value is for all targets, and a flag sets this key for the target by its name.
    ToNamed(&'static str),
    /// If the requests to the target are unsigned: the value is for other targets. A target that
    /// Tenbin starts keeps the value, because its command can name it.
    ToNoSignature,
}

/// The targets that a key is for.
#[derive(Debug, Clone, Copy)]
pub struct Scope {
    /// The targets.
    pub only: Only,
    /// Why the key is not for other targets: a sentence after the name of the key.
    pub why: &'static str,
}

/// A kind of targets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Only {
    /// Targets with a command.
    Launched,
    /// Targets with a URL or a command: neither built in nor a directory.
    Servers,
    /// Built-in servers that keep their data in memory.
    InMemory,
}

/// Keys that exclude another key.
#[derive(Debug, Clone, Copy)]
pub struct Exclusion {
    /// Names of the keys.
    pub keys: &'static [&'static str],
    /// Why, and what to do: a sentence after the name of the key.
    pub why: &'static str,
    /// Whether each key of the pair, set in a workload, replaces the other one in the section that
    /// all workloads share.
    pub replaces: bool,
}

/// Keys of which another key needs one.
#[derive(Debug, Clone, Copy)]
pub struct Need {
    /// Names of the keys.
    pub any_of: &'static [&'static str],
    /// Why, and what to do: a sentence after the name of the key.
    pub why: &'static str,
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
    /// A value, which `docs/plan-file.md` describes with a rule.
    Explained {
        /// The value, in the syntax of the key's values.
        value: &'static str,
        /// The rule, as Markdown.
        rule: &'static str,
    },
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
    /// Environment variable that supplies the value if the flag is not given.
    pub variable: Option<&'static str>,
    /// Commands that offer only some flags of the section, and this flag: `doctor`, `suite`.
    pub also_in: &'static [&'static str],
    /// Whether the value can contain a secret, which must not stand in the process title.
    pub is_secret: bool,
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
    /// As [`Takes::PerTarget`]; the flag may be repeated, and the values for all targets and for one
    /// target are added up.
    SeveralPerTarget(&'static str),
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

    /// Sets a key by a flag.
    ///
    /// # Errors
    ///
    /// A value that is not of the form that the flag takes.
    fn set(&mut self, key: &str, flag: &'static str, values: Vec<Scalar>) -> Result<(), Sentence>;

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
            form: Form::One,
            kinds: &[],
            default: KeyDefault::Rule("none"),
            comment: "",
            prints_changes_only: false,
            synonyms: &[],
            flags: [None; 2],
            excludes: [None; 2],
            needs: None,
            scope: None,
            yields: [None; 2],
        }
    }

    /// The key has values of these kinds.
    pub(crate) const fn kinds(self, kinds: &'static [Kind]) -> Self {
        Self { kinds, ..self }
    }

    /// A plan file has the value in this form.
    pub(crate) const fn written(self, form: Form) -> Self {
        Self { form, ..self }
    }

    /// The key is for these targets only.
    pub(crate) const fn only(self, only: Only, why: &'static str) -> Self {
        let scope = Some(Scope { only, why });
        Self { scope, ..self }
    }

    /// Leaves out the values of flags in this case.
    pub(crate) const fn yields(self, yields: Yields) -> Self {
        let yields = match self.yields {
            [None, _] => [Some(yields), None],
            [first, _] => [first, Some(yields)],
        };
        Self { yields, ..self }
    }

    /// The key cannot be combined with `keys`. In a workload, it replaces them in the section that
    /// all workloads share, and they replace it.
    pub(crate) const fn excludes(self, keys: &'static [&'static str], why: &'static str) -> Self {
        self.excluding(Exclusion {
            keys,
            why,
            replaces: true,
        })
    }

    /// The key cannot be combined with `keys`, wherever they are set.
    pub(crate) const fn refuses(self, keys: &'static [&'static str], why: &'static str) -> Self {
        self.excluding(Exclusion {
            keys,
            why,
            replaces: false,
        })
    }

    const fn excluding(self, exclusion: Exclusion) -> Self {
        let excludes = match self.excludes {
            [None, _] => [Some(exclusion), None],
            [first, _] => [first, Some(exclusion)],
        };
        Self { excludes, ..self }
    }

    /// The key needs one of the keys in `any_of`, and so never replaces another key.
    pub(crate) const fn needs(self, any_of: &'static [&'static str], why: &'static str) -> Self {
        let needs = Some(Need { any_of, why });
        Self { needs, ..self }
    }

    pub(crate) const fn default(self, value: &'static str) -> Self {
        let default = KeyDefault::Value(value);
        Self { default, ..self }
    }

    pub(crate) const fn default_rule(self, rule: &'static str) -> Self {
        let default = KeyDefault::Rule(rule);
        Self { default, ..self }
    }

    /// The default value, described by a rule.
    pub(crate) const fn default_explained(self, value: &'static str, rule: &'static str) -> Self {
        let default = KeyDefault::Explained { value, rule };
        Self { default, ..self }
    }

    /// Leaves the key out of a printed plan if its value is the default.
    pub(crate) const fn changes_only(self) -> Self {
        Self {
            prints_changes_only: true,
            ..self
        }
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
        let text = match self.default {
            KeyDefault::Value(text) | KeyDefault::Explained { value: text, .. } => text,
            KeyDefault::Rule(_) => return None,
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

    /// As [`Flag::per_target`], for a list: `--host [NAME=]URL`.
    pub(crate) const fn several_per_target(
        name: &'static str,
        value: &'static str,
        help: &'static str,
    ) -> Self {
        Self::of(name, Takes::SeveralPerTarget(value), help)
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
            variable: None,
            also_in: &[],
            is_secret: false,
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

    pub(crate) const fn also_in(self, commands: &'static [&'static str]) -> Self {
        Self {
            also_in: commands,
            ..self
        }
    }

    /// The value can contain a secret.
    pub(crate) const fn secret(self) -> Self {
        Self {
            is_secret: true,
            ..self
        }
    }

    pub(crate) const fn variable(self, variable: &'static str) -> Self {
        let variable = Some(variable);
        Self { variable, ..self }
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
