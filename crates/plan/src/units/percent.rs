//! Percentages as text: `5%`, `±2 %`.

use std::fmt;
use std::str::FromStr;

use crate::keys::value::shown_as_text;
use crate::{Sentence, sentence};

/// A finite percentage. Prints as `5%`, which parses to exactly the same number.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Percent(f64);

/// The signs that can precede a percentage that applies in both directions.
const BOTH_WAYS: &[&str] = &["±", "+-", "+/-"];

/// A share as text for sentences and tables: `46.5 %`. Normally with at most one decimal; small
/// shares with two significant digits.
pub fn percent(share: f64) -> String {
    format!("{} %", percents(share))
}

/// As [`percent`], without the percent sign.
pub fn percents(share: f64) -> String {
    let value = share * 100.0;
    let size = value.abs();
    if size == 0.0 {
        "0".to_owned()
    } else if size >= 99.95 {
        format!("{value:.0}")
    } else if size >= 0.095 {
        let one_decimal = format!("{value:.1}");
        let whole = one_decimal.strip_suffix(".0");
        whole.unwrap_or(&one_decimal).to_owned()
    } else {
        let decimals = (1.0 - size.log10().floor()).min(12.0) as usize;
        format!("{value:.decimals$}")
    }
}

impl Percent {
    /// `hundredths` percent; `None` if the number is not finite.
    pub fn new(hundredths: f64) -> Option<Self> {
        hundredths.is_finite().then_some(Self(hundredths))
    }

    /// `hundredths` percent; the number must be finite.
    pub(crate) const fn of(hundredths: f64) -> Self {
        Self(hundredths)
    }

    /// The number before the percent sign.
    pub fn hundredths(self) -> f64 {
        self.0
    }

    /// The percentage as a share: 0.05 for 5 %.
    pub fn share(self) -> f64 {
        self.0 / 100.0
    }

    /// Reads a percentage from `least` to `most`, with or without a `±` before the number.
    pub(crate) fn within(text: &str, least: Self, most: Self) -> Result<Self, Sentence> {
        let trimmed = text.trim();
        let plain = BOTH_WAYS
            .iter()
            .find_map(|sign| trimmed.strip_prefix(sign))
            .unwrap_or(trimmed);
        let percent: Self = plain.parse()?;
        if percent < least || percent > most {
            return Err(sentence!(
                "not-between",
                "{text:?} is not between {least} and {most}",
                text,
                least,
                most
            ));
        }
        Ok(percent)
    }
}

impl FromStr for Percent {
    type Err = Sentence;

    fn from_str(text: &str) -> Result<Self, Sentence> {
        let trimmed = text.trim();
        let number = trimmed.strip_suffix('%').unwrap_or(trimmed).trim();
        let plain = |c: char| c.is_ascii_digit() || c == '.';
        let value = Some(number)
            .filter(|number| number.chars().all(plain))
            .and_then(|number| number.parse::<f64>().ok())
            .and_then(Self::new)
            .ok_or_else(|| {
                sentence!(
                    "no-percentage",
                    "{text:?} is not a percentage; write for example \"5%\"",
                    text
                )
            })?;
        if !trimmed.ends_with('%') {
            return Err(sentence!(
                "no-percent-sign",
                "{text:?} has no percent sign; write for example \"5%\"",
                text
            ));
        }
        Ok(value)
    }
}

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}%", self.0))
    }
}

shown_as_text!(Percent);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LEAST: Percent = Percent::of(0.1);
    const MOST: Percent = Percent::of(50.0);

    #[test]
    fn a_share_keeps_the_digits_that_matter() {
        for (share, text) in [
            (0.1234, "12.3 %"),
            (0.465, "46.5 %"),
            (0.000_012, "0.0012 %"),
            (1.5, "150 %"),
            (0.05, "5 %"),
            (0.0, "0 %"),
        ] {
            assert_eq!(percent(share), text);
        }
    }

    #[test]
    fn reads_what_people_write() {
        for text in ["2%", "±2%", " ± 2 % ", "+-2%", "+/- 2%"] {
            let read = Percent::within(text, LEAST, MOST);
            assert_eq!(read, Ok(Percent::of(2.0)), "{text}");
        }
        assert_eq!("0.5%".parse(), Ok(Percent::of(0.5)));
        assert!((Percent::of(7.0).share() - 0.07).abs() < 1e-15);
    }

    #[test]
    fn says_what_is_wrong() {
        for (text, wrong) in [
            ("2", "has no percent sign"),
            ("much", "is not a percentage"),
            ("-2%", "is not a percentage"),
            ("inf%", "is not a percentage"),
            ("90%", "is not between 0.1% and 50%"),
            ("0%", "is not between 0.1% and 50%"),
        ] {
            let error = Percent::within(text, LEAST, MOST).unwrap_err();
            assert!(error.text().contains(wrong), "{text}: {error}");
        }
    }

    proptest! {
        #[test]
        fn prints_what_it_reads(hundredths in 0.0..1e6f64) {
            let percent = Percent::of(hundredths);
            prop_assert_eq!(percent.to_string().parse(), Ok(percent));
        }
    }
}
