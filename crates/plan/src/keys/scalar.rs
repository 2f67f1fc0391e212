//! The values of a draft, each with the place where it was written.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::keys::form::Form;
use crate::keys::suggest::nearest;
use crate::plan_file::mistake::{Mistake, NotOneOf};
use crate::plan_file::problem::Place;
use crate::secrets::secret::Secret;
use crate::units::duration::Time;
use crate::units::rate::Rate;
use crate::units::size::Size;
use crate::{Sentence, sentence};

/// A value, and where the value was written.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct At<T> {
    /// The value.
    pub value: T,
    /// Where the value was written.
    pub place: Place,
}

impl<T> At<T> {
    /// A value given by a command-line flag.
    pub fn flag(flag: &'static str, value: impl Into<T>) -> Self {
        Self {
            value: value.into(),
            place: Place::Flag(flag),
        }
    }

    /// A value from neither a plan file nor a flag.
    pub fn nowhere(value: impl Into<T>) -> Self {
        Self {
            value: value.into(),
            place: Place::Nowhere,
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for At<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = toml::Spanned::<T>::deserialize(deserializer)?;
        Ok(Self {
            place: Place::Byte(spanned.span().start),
            value: spanned.into_inner(),
        })
    }
}

/// One value as written, before it is interpreted.
#[derive(Debug, Clone, PartialEq)]
pub enum Scalar {
    /// `"text"`.
    Text(String),
    /// `12`.
    Whole(i128),
    /// `1.5`.
    Decimal(f64),
    /// `true` or `false`.
    Switch(bool),
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Whole(number) => write!(f, "{number}"),
            Self::Decimal(number) => write!(f, "{number}"),
            Self::Switch(switch) => write!(f, "{switch}"),
        }
    }
}

impl Scalar {
    pub(crate) fn text(&self) -> Result<&str, Sentence> {
        match self {
            Self::Text(text) => Ok(text),
            other => Err(sentence!(
                "no-text",
                "{other} is not text; put it in quotes",
                other
            )),
        }
    }

    pub(crate) fn whole(&self, least: u64, most: u64) -> Result<u64, Mistake> {
        let Self::Whole(number) = *self else {
            if let Some(number) = self.quoted_number(least, most) {
                return Err(sentence!(
                    "number-in-quotes",
                    "{value} is in quotes; write the number without quotes: {number}",
                    value = self,
                    number
                )
                .into());
            }
            return Err(sentence!(
                "no-whole",
                "{value} is not a whole number; write for example {least}",
                value = self,
                least
            )
            .into());
        };
        if number < i128::from(least) {
            return Err(Mistake::too_small(number, least));
        }
        u64::try_from(number)
            .ok()
            .filter(|&number| number <= most)
            .ok_or_else(|| Mistake::too_large(number, most))
    }

    /// The number of a text that is a whole number from `least` to `most`.
    fn quoted_number(&self, least: u64, most: u64) -> Option<u64> {
        let Self::Text(text) = self else {
            return None;
        };
        let number = text.trim().parse().ok()?;
        (least..=most).contains(&number).then_some(number)
    }

    pub(crate) fn switch(&self) -> Result<bool, Sentence> {
        match self {
            Self::Switch(switch) => Ok(*switch),
            other => Err(sentence!(
                "no-switch",
                "{other} is neither true nor false",
                other
            )),
        }
    }

    pub(crate) fn size(&self) -> Result<u64, Sentence> {
        let text = match self {
            Self::Whole(number) => number.to_string(),
            Self::Text(text) => text.clone(),
            other => other.to_string(),
        };
        text.parse()
            .map(|Size(bytes)| bytes)
            .map_err(|error: crate::units::size::SizeError| error.sentence())
    }

    /// Parses the value as a `T`, whose syntax is text; numbers are parsed as text, too.
    pub(crate) fn parsed<T: FromStr<Err = Sentence>>(&self) -> Result<T, Sentence> {
        match self {
            Self::Text(text) => text.parse(),
            Self::Whole(number) => number.to_string().parse(),
            other => other.to_string().parse(),
        }
    }

    pub(crate) fn time(&self) -> Result<Duration, Mistake> {
        let text = match self {
            Self::Text(text) => text.clone(),
            other => other.to_string(),
        };
        let Time(time) = text.parse()?;
        Ok(time)
    }

    pub(crate) fn rate(&self) -> Result<f64, Mistake> {
        let rate = match self {
            Self::Text(text) => text.parse(),
            Self::Whole(number) => Rate::per_second(*number as f64),
            Self::Decimal(number) => Rate::per_second(*number),
            Self::Switch(_) => self.to_string().parse(),
        };
        Ok(rate.map(Rate::get)?)
    }

    /// The value in `table` whose name is this scalar.
    pub(crate) fn choice<T: Copy>(&self, table: &[(&str, T)]) -> Result<T, Mistake> {
        let names = || table.iter().map(|&(name, _)| name);
        // A version such as 1.1 can be written as a number.
        let word = match self {
            Self::Text(word) => word.clone(),
            other => other.to_string(),
        };
        match table.iter().find(|&&(name, _)| name == word) {
            Some(&(_, value)) => Ok(value),
            None => Err(Mistake::from(NotOneOf {
                value: self.to_string(),
                choices: names().map(|name| format!("{name:?}")).collect(),
                or_percentile: false,
                meant: nearest(&word, names()).map(str::to_owned),
            })),
        }
    }
}

impl From<String> for Scalar {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Scalar {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<bool> for Scalar {
    fn from(switch: bool) -> Self {
        Self::Switch(switch)
    }
}

macro_rules! scalar_from_whole {
    ($($number:ty),*) => {$(
        impl From<$number> for Scalar {
            fn from(number: $number) -> Self {
                Self::Whole(i128::from(number))
            }
        }
    )*};
}
scalar_from_whole!(i32, u16, u32, u64);

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ScalarVisitor;

        impl Visitor<'_> for ScalarVisitor {
            type Value = Scalar;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("one value: text, a number, true or false")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Scalar, E> {
                Ok(Scalar::Text(text.to_owned()))
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Scalar, E> {
                Ok(Scalar::Whole(number.into()))
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Scalar, E> {
                Ok(Scalar::Whole(number.into()))
            }

            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Scalar, E> {
                Ok(Scalar::Decimal(number))
            }

            fn visit_bool<E: de::Error>(self, switch: bool) -> Result<Scalar, E> {
                Ok(Scalar::Switch(switch))
            }
        }

        deserializer.deserialize_any(ScalarVisitor)
    }
}

/// A type of values that flags can set.
pub(crate) trait FromFlag: Sized {
    /// How a plan file has such a value.
    const FORM: Form = Form::One;

    /// Reads the values of a flag, in order.
    ///
    /// # Errors
    ///
    /// A value is wrong, or no flag can set a value of this type.
    fn from_flag(flag: &'static str, _: Vec<Scalar>) -> Result<Self, Sentence> {
        Err(sentence!(
            "flag-cannot-set", "{flag} cannot set this key", flag
        ))
    }
}

impl FromFlag for Scalar {
    fn from_flag(_: &'static str, mut values: Vec<Scalar>) -> Result<Self, Sentence> {
        values
            .pop()
            .ok_or_else(|| sentence!("no-value", "has no value"))
    }
}

impl FromFlag for List {
    const FORM: Form = Form::List;

    fn from_flag(flag: &'static str, values: Vec<Scalar>) -> Result<Self, Sentence> {
        let items = values.into_iter().map(|value| At::flag(flag, value));
        Ok(Self::Many(items.collect()))
    }
}

/// Reads `VARIABLE=VALUE`.
impl FromFlag for Entries {
    const FORM: Form = Form::Texts;

    fn from_flag(flag: &'static str, values: Vec<Scalar>) -> Result<Self, Sentence> {
        let entry = |value: Scalar| {
            let (name, value) = value.text()?.split_once('=').ok_or_else(|| {
                sentence!(
                    "no-entry",
                    "write the name of the target, the variable and its value: NAME=VARIABLE=VALUE"
                )
            })?;
            Ok((name.to_owned(), At::flag(flag, value)))
        };
        values
            .into_iter()
            .map(entry)
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

impl FromFlag for SweepDraft {
    const FORM: Form = Form::Lists;
}

impl FromFlag for Secret {
    fn from_flag(flag: &'static str, values: Vec<Scalar>) -> Result<Self, Sentence> {
        Ok(Self::new(Scalar::from_flag(flag, values)?.text()?))
    }
}

/// An optional value.
pub type Field = Option<At<Scalar>>;

/// An optional credential, which is never printed.
pub type KeyField = Option<At<Secret>>;

/// A list. A single value is accepted as a list of one.
#[derive(Debug, Clone, PartialEq)]
pub enum List {
    /// A single value.
    One(Scalar),
    /// A list in brackets, or a flag given several times.
    Many(Vec<At<Scalar>>),
}

impl<'de> Deserialize<'de> for List {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ListVisitor;

        impl<'de> Visitor<'de> for ListVisitor {
            type Value = List;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list in square brackets")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<List, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(seq)).map(List::Many)
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<List, E> {
                Ok(List::One(text.into()))
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<List, E> {
                Ok(List::One(Scalar::Whole(number.into())))
            }
        }

        deserializer.deserialize_any(ListVisitor)
    }
}

impl At<List> {
    /// The items, each with its place.
    pub(crate) fn items(&self) -> Vec<At<&Scalar>> {
        match &self.value {
            List::One(value) => vec![At {
                value,
                place: self.place,
            }],
            List::Many(items) => items
                .iter()
                .map(|At { value, place }| At {
                    value,
                    place: *place,
                })
                .collect(),
        }
    }
}

/// A table with arbitrary keys, in alphabetical order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Entries(pub Vec<(String, At<Scalar>)>);

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct EntriesVisitor;

        impl<'de> Visitor<'de> for EntriesVisitor {
            type Value = Entries;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table such as { NAME = \"value\" }")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Entries, A::Error> {
                let map = std::collections::BTreeMap::deserialize(MapAccessDeserializer::new(map))?;
                Ok(Entries(map.into_iter().collect()))
            }
        }

        deserializer.deserialize_map(EntriesVisitor)
    }
}

/// The values of parameters, in alphabetical order of the parameters.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SweepDraft(pub Vec<(String, At<List>)>);

impl<'de> Deserialize<'de> for SweepDraft {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SweepVisitor;

        impl<'de> Visitor<'de> for SweepVisitor {
            type Value = SweepDraft;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table such as { workers = [1, 2, 4] }")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<SweepDraft, A::Error> {
                let map = std::collections::BTreeMap::deserialize(MapAccessDeserializer::new(map))?;
                Ok(SweepDraft(map.into_iter().collect()))
            }
        }

        deserializer.deserialize_map(SweepVisitor)
    }
}

// Written by hand so that no message ever repeats the value.
impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Scalar::deserialize(deserializer)? {
            Scalar::Text(text) => Ok(Secret::new(text)),
            _ => Err(de::Error::custom("a key is text; put it in quotes")),
        }
    }
}
