//! Durations as text: `500ms`, `2s`, `1m30s`, `1h`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::units::decimal::{Decimal, Misfit};
use crate::{Sentence, sentence};

/// A duration. Prints as `1m30s`, `1.5s` or `200ms`, and this text parses to exactly the same
/// duration, to the nanosecond.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time(pub Duration);

/// Why a text is not a duration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.sentence())]
pub enum TimeError {
    /// The text does not begin with a number.
    NoNumber(String),
    /// The text begins with a minus sign.
    Negative(String),
    /// A number without its unit.
    NoUnit(String),
    /// An unknown unit.
    UnknownUnit {
        /// The whole text.
        text: String,
        /// The text after the number.
        unit: String,
    },
    /// More precise than a nanosecond.
    TooFine(String),
    /// Longer than a year.
    TooLong(String),
}

impl TimeError {
    /// The error with its arguments.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::NoNumber(text) => sentence!(
                "no-duration",
                "{text:?} is not a duration; write for example \"500ms\", \"2s\" or \"1m30s\"",
                text
            ),
            Self::Negative(text) => sentence!(
                "duration-negative",
                "{text:?} is negative; write for example \"500ms\", \"2s\" or \"1m30s\"",
                text
            ),
            Self::NoUnit(text) => sentence!(
                "duration-no-unit",
                "{text:?} has no unit; write for example \"500ms\", \"2s\" or \"1m30s\"",
                text
            ),
            Self::UnknownUnit { text, unit } => sentence!(
                "duration-unit",
                "{text:?} has the unknown unit {unit:?}; the units are h, m, s, ms, us and \
                    ns, for example \"1m30s\"",
                text,
                unit
            ),
            Self::TooFine(text) => sentence!(
                "duration-too-fine",
                "{text:?} is finer than a nanosecond; write for example \"1.5ms\"",
                text
            ),
            Self::TooLong(text) => sentence!(
                "duration-too-long",
                "{text:?} is longer than a year; write for example \"10m\" or \"1h\"",
                text
            ),
        }
    }
}

impl From<TimeError> for Sentence {
    fn from(error: TimeError) -> Self {
        error.sentence()
    }
}

const NANOSECOND: u64 = 1;
const MICROSECOND: u64 = 1_000;
const MILLISECOND: u64 = 1_000_000;
const SECOND: u64 = 1_000_000_000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const YEAR: u64 = 365 * 24 * HOUR;

const UNITS: &[(&str, u64)] = &[
    ("h", HOUR),
    ("m", MINUTE),
    ("s", SECOND),
    ("ms", MILLISECOND),
    ("us", MICROSECOND),
    ("µs", MICROSECOND),
    ("ns", NANOSECOND),
];

impl Time {
    /// The duration, rounded to whole seconds.
    pub fn rounded(time: Duration) -> Self {
        Self(Duration::from_secs(time.as_secs_f64().round() as u64))
    }
}

impl FromStr for Time {
    type Err = TimeError;

    fn from_str(text: &str) -> Result<Self, TimeError> {
        let mut rest = text.trim();
        if rest == "0" {
            return Ok(Self(Duration::ZERO));
        }
        if rest.starts_with('-') {
            return Err(TimeError::Negative(text.into()));
        }
        let mut total = 0u64;
        loop {
            let (number, after) =
                Decimal::take(rest).ok_or_else(|| TimeError::NoNumber(text.into()))?;
            let end = after
                .find(|c: char| c.is_ascii_digit())
                .unwrap_or(after.len());
            let unit = after[..end].trim();
            let nanos = number
                .times(factor(unit, text)?)
                .map_err(|misfit| match misfit {
                    Misfit::Fraction => TimeError::TooFine(text.into()),
                    Misfit::TooLarge => TimeError::TooLong(text.into()),
                })?;
            total = total
                .checked_add(nanos)
                .filter(|&nanos| nanos <= YEAR)
                .ok_or_else(|| TimeError::TooLong(text.into()))?;
            rest = &after[end..];
            if rest.is_empty() {
                return Ok(Self(Duration::from_nanos(total)));
            }
        }
    }
}

fn factor(unit: &str, text: &str) -> Result<u64, TimeError> {
    if unit.is_empty() {
        return Err(TimeError::NoUnit(text.into()));
    }
    UNITS
        .iter()
        .find(|(name, _)| *name == unit)
        .map(|&(_, factor)| factor)
        .ok_or_else(|| TimeError::UnknownUnit {
            text: text.into(),
            unit: unit.into(),
        })
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&written(self.0))
    }
}

fn written(time: Duration) -> String {
    let seconds = time.as_secs();
    let nanos = u64::from(time.subsec_nanos());
    if seconds == 0 {
        return match nanos {
            0 => "0s".to_owned(),
            MILLISECOND.. => with_fraction(nanos, MILLISECOND, "ms"),
            _ => with_fraction(nanos, MICROSECOND, "us"),
        };
    }
    let mut text = String::new();
    if seconds >= 3600 {
        text += &format!("{}h", seconds / 3600);
    }
    let minutes = seconds / 60 % 60;
    if minutes > 0 {
        text += &format!("{minutes}m");
    }
    let last = seconds % 60 * SECOND + nanos;
    if last > 0 {
        text += &with_fraction(last, SECOND, "s");
    }
    text
}

/// `nanos` as a number of units of `unit` nanoseconds, followed by the unit's `name`, with as few
/// decimals as an exact value needs.
fn with_fraction(nanos: u64, unit: u64, name: &str) -> String {
    let whole = nanos / unit;
    if nanos.is_multiple_of(unit) {
        return format!("{whole}{name}");
    }
    let width = unit.ilog10() as usize;
    let fraction = format!("{:0width$}", nanos % unit);
    format!("{whole}.{}{name}", fraction.trim_end_matches('0'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn reads_what_people_write() {
        for (text, nanos) in [
            ("0", 0),
            ("0s", 0),
            ("500ms", 500 * MILLISECOND),
            ("2s", 2 * SECOND),
            ("1.5s", 1500 * MILLISECOND),
            ("1m30s", 90 * SECOND),
            ("1m 30s", 90 * SECOND),
            ("1h", HOUR),
            ("10us", 10 * MICROSECOND),
            ("7ns", 7),
        ] {
            assert_eq!(
                text.parse(),
                Ok(Time(Duration::from_nanos(nanos))),
                "{text}"
            );
        }
    }

    #[test]
    fn prints_as_people_write() {
        for (nanos, text) in [
            (0, "0s"),
            (200 * MILLISECOND, "200ms"),
            (62_500 * MICROSECOND, "62.5ms"),
            (1500 * MILLISECOND, "1.5s"),
            (90 * SECOND, "1m30s"),
            (HOUR, "1h"),
            (HOUR + SECOND, "1h1s"),
            (1, "0.001us"),
        ] {
            assert_eq!(Time(Duration::from_nanos(nanos)).to_string(), text);
        }
    }

    #[test]
    fn says_what_is_wrong() {
        for (text, message) in [
            (
                "soon",
                r#""soon" is not a duration; write for example "500ms", "2s" or "1m30s""#,
            ),
            (
                "",
                r#""" is not a duration; write for example "500ms", "2s" or "1m30s""#,
            ),
            (
                "2",
                r#""2" has no unit; write for example "500ms", "2s" or "1m30s""#,
            ),
            (
                "2sec",
                r#""2sec" has the unknown unit "sec"; the units are h, m, s, ms, us and ns, for example "1m30s""#,
            ),
            (
                "0.5ns",
                r#""0.5ns" is finer than a nanosecond; write for example "1.5ms""#,
            ),
            (
                "9999999h",
                r#""9999999h" is longer than a year; write for example "10m" or "1h""#,
            ),
        ] {
            assert_eq!(text.parse::<Time>().unwrap_err().to_string(), message);
        }
    }

    proptest! {
        #[test]
        fn what_is_printed_parses_to_the_same(nanos in 0..=YEAR) {
            let time = Time(Duration::from_nanos(nanos));
            prop_assert_eq!(time.to_string().parse(), Ok(time));
        }

        #[test]
        fn short_times_do_too(nanos in 0..=2 * SECOND) {
            let time = Time(Duration::from_nanos(nanos));
            prop_assert_eq!(time.to_string().parse(), Ok(time));
        }

        #[test]
        fn garbage_never_panics(text in "\\PC*") {
            let _ = text.parse::<Time>();
        }

        #[test]
        fn nearly_right_never_panics(text in "([0-9.]{0,30}[hmsunµ ]{0,2}){0,4}") {
            let _ = text.parse::<Time>();
        }
    }
}
