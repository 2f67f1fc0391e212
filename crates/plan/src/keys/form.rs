//! How values are written in a plan file: what the JSON Schema of plan files says about a key beyond
//! its [`Value`](crate::Value).

/// How the value of a key is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// One value.
    One,
    /// A list; a single value is a list with one element.
    List,
    /// A table with a text for each name.
    Texts,
    /// A table with a list for each name.
    Lists,
    /// A table with the keys of the section of this name.
    Table(&'static str),
    /// Such a table, or a list of them.
    Tables(&'static str),
    /// Such a table for each name.
    TableByName(&'static str),
}

/// A kind of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Any text.
    Text,
    /// Text that matches this regular expression.
    Pattern(&'static str),
    /// One of these texts.
    Names(&'static [&'static str]),
    /// A whole number, limits included.
    Whole {
        /// The smallest number.
        least: u64,
        /// The largest number.
        most: u64,
    },
    /// A number above 0.
    Above0 {
        /// The largest number.
        most: u64,
    },
    /// `true` or `false`.
    Switch,
    /// `true`.
    True,
}

/// The regular expression of a time, without its ends.
macro_rules! time {
    () => {
        r"(0|([0-9]+(\.[0-9]+)?\s*(h|m|s|ms|us|µs|ns)\s*)+)"
    };
}

/// A time.
pub(crate) const TIME: &str = concat!(r"^\s*", time!(), r"\s*$");
/// The length of a continuous stretch.
pub(crate) const SUSTAIN: &str = concat!(r"^\s*(auto|[0-9.]+\s*%|", time!(), r")\s*$");
/// A time to wait, or what happens.
pub(crate) const ON_OUTAGE: &str = concat!(r"^\s*(continue|stop|", time!(), r")\s*$");
/// Operations per unit of time.
pub(crate) const RATE: &str = r"^\s*[0-9.]+\s*(/\s*[smh])?\s*$";
/// A number of bytes.
pub(crate) const SIZE: &str = r"^\s*[0-9]+(\.[0-9]+)?\s*([KkMmGgTt][Ii]?)?[Bb]?\s*$";
/// A percentage.
pub(crate) const PERCENT: &[Kind] = &[Kind::Pattern(r"^\s*(±|\+-|\+/-)?\s*[0-9.]+\s*%\s*$")];
/// A name.
pub(crate) const NAME: &[Kind] = &[Kind::Pattern(r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")];
/// A size of objects, also random ones.
pub(crate) const SIZES: &[Kind] = &[
    Kind::Text,
    Kind::Whole {
        least: 0,
        most: u64::MAX,
    },
];
