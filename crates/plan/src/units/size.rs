//! Sizes in bytes, as text: `64KiB`, `1MB`, `1000`.

use std::fmt;
use std::str::FromStr;

use crate::units::decimal::{Decimal, Misfit};
use crate::{Sentence, sentence};

/// A number of bytes. Prints the shortest text that parses to the same number.
///
/// `Ki`, `Mi`, `Gi`, `Ti` are powers of 1024; `k`, `M`, `G`, `T` are powers of 1000, as in S3
/// tools. The `B` at the end is optional, and case does not matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size(pub u64);

/// Why a text is not a size.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.sentence())]
pub enum SizeError {
    /// The text does not begin with a number.
    NoNumber(String),
    /// An unknown unit.
    UnknownUnit {
        /// The whole text.
        text: String,
        /// The text after the number.
        unit: String,
    },
    /// A fraction of a byte.
    Fraction(String),
    /// 2^64 bytes or more.
    TooLarge(String),
}

impl SizeError {
    /// The error with its arguments.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::NoNumber(text) => sentence!(
                "not-a-size",
                "{text:?} is not a size; write for example \"64KiB\", \"1MB\" or \"1000\" (bytes)",
                text
            ),
            Self::UnknownUnit { text, unit } => sentence!(
                "size-unit",
                "{text:?} has the unknown unit {unit:?}; write for example \"64KiB\" (2^16 \
                    bytes), \"1MB\" (10^6) or \"1000\" (bytes)",
                text,
                unit
            ),
            Self::Fraction(text) => sentence!(
                "size-fraction",
                "{text:?} is not a whole number of bytes; write for example \"1.5KiB\" or \"1536\"",
                text
            ),
            Self::TooLarge(text) => sentence!(
                "size-too-large",
                "{text:?} is too large for a size; write for example \"64MiB\" or \"5GiB\"",
                text
            ),
        }
    }
}

impl From<SizeError> for Sentence {
    fn from(error: SizeError) -> Self {
        error.sentence()
    }
}

const UNITS: &[(&str, u64)] = &[
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
    ("KB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
];

impl FromStr for Size {
    type Err = SizeError;

    fn from_str(text: &str) -> Result<Self, SizeError> {
        let trimmed = text.trim();
        let (number, rest) =
            Decimal::take(trimmed).ok_or_else(|| SizeError::NoNumber(text.into()))?;
        let unit = rest.trim_start();
        let factor = factor(unit).ok_or_else(|| SizeError::UnknownUnit {
            text: text.into(),
            unit: unit.into(),
        })?;
        match number.times(factor) {
            Ok(bytes) => Ok(Self(bytes)),
            Err(Misfit::Fraction) => Err(SizeError::Fraction(text.into())),
            Err(Misfit::TooLarge) => Err(SizeError::TooLarge(text.into())),
        }
    }
}

fn factor(unit: &str) -> Option<u64> {
    if unit.is_empty() || unit.eq_ignore_ascii_case("B") {
        return Some(1);
    }
    UNITS.iter().find_map(|&(name, factor)| {
        let without_b = &name[..name.len() - 1];
        (unit.eq_ignore_ascii_case(name) || unit.eq_ignore_ascii_case(without_b)).then_some(factor)
    })
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shortest = UNITS
            .iter()
            .filter(|&&(_, factor)| self.0 >= factor && self.0.is_multiple_of(factor))
            .map(|&(name, factor)| format!("{}{name}", self.0 / factor))
            .min_by_key(String::len);
        match shortest {
            Some(text) => f.pad(&text),
            None => f.pad(&self.0.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn reads_what_people_write() {
        for (text, bytes) in [
            ("0", 0),
            ("1000", 1000),
            ("1B", 1),
            ("64KiB", 65_536),
            ("10Ki", 10_240),
            ("64 kib", 65_536),
            ("1MB", 1_000_000),
            ("1M", 1_000_000),
            ("1k", 1_000),
            ("1.5MiB", 1_572_864),
            ("5GiB", 5_368_709_120),
        ] {
            assert_eq!(text.parse(), Ok(Size(bytes)), "{text}");
        }
    }

    #[test]
    fn prints_the_shortest_exact_text() {
        for (bytes, text) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1KB"),
            (1_024, "1KiB"),
            (1_048_576, "1MiB"),
            (1_000_000, "1MB"),
            (1_048_577, "1048577"),
        ] {
            assert_eq!(Size(bytes).to_string(), text);
        }
    }

    #[test]
    fn says_what_is_wrong() {
        for (text, message) in [
            (
                "big",
                r#""big" is not a size; write for example "64KiB", "1MB" or "1000" (bytes)"#,
            ),
            (
                "-1",
                r#""-1" is not a size; write for example "64KiB", "1MB" or "1000" (bytes)"#,
            ),
            (
                "64KX",
                r#""64KX" has the unknown unit "KX"; write for example "64KiB" (2^16 bytes), "1MB" (10^6) or "1000" (bytes)"#,
            ),
            (
                "0.3B",
                r#""0.3B" is not a whole number of bytes; write for example "1.5KiB" or "1536""#,
            ),
            (
                "99999999TiB",
                r#""99999999TiB" is too large for a size; write for example "64MiB" or "5GiB""#,
            ),
        ] {
            assert_eq!(text.parse::<Size>().unwrap_err().to_string(), message);
        }
    }

    proptest! {
        #[test]
        fn what_is_printed_parses_to_the_same(bytes: u64) {
            prop_assert_eq!(Size(bytes).to_string().parse(), Ok(Size(bytes)));
        }

        #[test]
        fn round_sizes_do_too(count in 0u64..5000, unit in 0usize..UNITS.len()) {
            let size = Size(count * UNITS[unit].1);
            prop_assert_eq!(size.to_string().parse(), Ok(size));
        }

        #[test]
        fn garbage_never_panics(text in "\\PC*") {
            let _ = text.parse::<Size>();
        }

        #[test]
        fn nearly_right_never_panics(text in "[0-9.]{0,40}[ kKMGTiB]{0,4}") {
            let _ = text.parse::<Size>();
        }
    }
}
