//! Arrival rates as text: `1000/s`, `60/m`, `250`, `3.5k/s`.

use std::fmt;
use std::str::FromStr;

use crate::{Sentence, sentence};

/// Operations per second: finite and above 0. Prints as `1000/s`, and this text parses to exactly
/// the same number.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Rate(f64);

/// Why a text or a number is not a rate.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.sentence())]
pub enum RateError {
    /// Not a number, with or without a unit.
    NoNumber(String),
    /// An unknown unit.
    UnknownUnit {
        /// The whole text.
        text: String,
        /// The text after the slash.
        unit: String,
    },
    /// Less than zero.
    Negative(String),
    /// Zero, or above 1,000,000,000 per second.
    OutOfRange(String),
}

impl RateError {
    /// The error with its arguments.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::NoNumber(text) => sentence!(
                "no-rate",
                "{text:?} is not a rate; write for example \"1000/s\", \"60/m\" or 250 (a second)",
                text
            ),
            Self::UnknownUnit { text, unit } => sentence!(
                "rate-unit",
                "{text:?} has the unknown unit {unit:?}; the units are /s, /m and /h, for \
                    example \"1000/s\"",
                text,
                unit
            ),
            Self::Negative(text) => sentence!(
                "rate-negative",
                "{text} is negative; a rate must be above 0, for example \"1000/s\"",
                text
            ),
            Self::OutOfRange(text) => sentence!(
                "rate-out-of-range",
                "{text} is out of range; a rate must be above 0 and at most 1000000000/s, for \
                    example \"1000/s\"",
                text
            ),
        }
    }
}

impl From<RateError> for Sentence {
    fn from(error: RateError) -> Self {
        error.sentence()
    }
}

const UNITS: &[(&str, f64)] = &[("s", 1.0), ("m", 60.0), ("h", 3600.0)];

/// Prefixes of a rate, with the exponent of ten. Output has `k`, `M` and `G`.
const PREFIXES: &[(char, &str)] = &[('k', "e3"), ('K', "e3"), ('M', "e6"), ('G', "e9")];

/// The highest rate, per second: one arrival per nanosecond, the resolution of the schedule.
const HIGHEST: f64 = 1e9;

impl Rate {
    /// A rate in operations per second.
    pub fn per_second(value: f64) -> Result<Self, RateError> {
        if value > 0.0 && value <= HIGHEST {
            Ok(Self(value))
        } else if value < 0.0 {
            Err(RateError::Negative(value.to_string()))
        } else {
            Err(RateError::OutOfRange(value.to_string()))
        }
    }

    /// Operations per second.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl FromStr for Rate {
    type Err = RateError;

    fn from_str(text: &str) -> Result<Self, RateError> {
        let (number, unit) = text.trim().split_once('/').unwrap_or((text.trim(), "s"));
        let plain = |c: char| c.is_ascii_digit() || c == '.' || c == '-';
        let number = number.trim();
        let with_prefix = PREFIXES
            .iter()
            .find_map(|&(prefix, exponent)| Some((number.strip_suffix(prefix)?, exponent)));
        let (digits, exponent) = with_prefix.unwrap_or((number, ""));
        let digits = digits.trim_end();
        // With the exponent in the text, the value is rounded once: 1.005k is 1005.
        let value = Some(digits)
            .filter(|digits| digits.chars().all(plain))
            .and_then(|digits| format!("{digits}{exponent}").parse::<f64>().ok())
            .ok_or_else(|| RateError::NoNumber(text.into()))?;
        let seconds = UNITS
            .iter()
            .find(|(name, _)| *name == unit.trim())
            .map(|&(_, seconds)| seconds)
            .ok_or_else(|| RateError::UnknownUnit {
                text: text.into(),
                unit: unit.into(),
            })?;
        Self::per_second(value / seconds).map_err(|error| match error {
            RateError::Negative(_) => RateError::Negative(format!("{text:?}")),
            _ => RateError::OutOfRange(format!("{text:?}")),
        })
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}/s", self.0))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn reads_what_people_write() {
        for (text, per_second) in [
            ("1000/s", 1000.0),
            ("60/m", 1.0),
            ("1/h", 1.0 / 3600.0),
            ("250", 250.0),
            ("0.5 / s", 0.5),
            ("3.5k/s", 3500.0),
            ("19.4 k/s", 19_400.0),
            ("1.005k", 1005.0),
            ("50k", 50_000.0),
            ("2K", 2000.0),
            ("1.2M/s", 1_200_000.0),
            ("1 G/s", 1e9),
            ("6k/m", 100.0),
        ] {
            assert_eq!(text.parse(), Ok(Rate(per_second)), "{text}");
        }
    }

    #[test]
    fn says_what_is_wrong() {
        for (text, message) in [
            (
                "fast",
                r#""fast" is not a rate; write for example "1000/s", "60/m" or 250 (a second)"#,
            ),
            (
                "k/s",
                r#""k/s" is not a rate; write for example "1000/s", "60/m" or 250 (a second)"#,
            ),
            (
                "10/d",
                r#""10/d" has the unknown unit "d"; the units are /s, /m and /h, for example "1000/s""#,
            ),
            (
                "0/s",
                r#""0/s" is out of range; a rate must be above 0 and at most 1000000000/s, for example "1000/s""#,
            ),
            (
                "-5",
                r#""-5" is negative; a rate must be above 0, for example "1000/s""#,
            ),
        ] {
            assert_eq!(text.parse::<Rate>().unwrap_err().to_string(), message);
        }
        assert!(Rate::per_second(f64::NAN).is_err());
        assert!(Rate::per_second(f64::INFINITY).is_err());
    }

    proptest! {
        #[test]
        fn what_is_printed_parses_to_the_same(value in 1e-12f64..1e9) {
            let rate = Rate(value);
            prop_assert_eq!(rate.to_string().parse(), Ok(rate));
        }

        #[test]
        fn garbage_never_panics(text in "\\PC*") {
            let _ = text.parse::<Rate>();
        }

        #[test]
        fn nearly_right_never_panics(text in "[0-9.-]{0,30} ?[kMG]?/?[smh]?") {
            let _ = text.parse::<Rate>();
        }
    }
}
