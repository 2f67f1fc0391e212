//! Units of times, and numbers in these units.

use crate::formats::reported::python_float;

/// A unit of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Seconds,
    Millis,
    Micros,
    Nanos,
}

/// Words for units, as they end the name of a column.
const WORDS: &[(Unit, &[&str])] = &[
    (Unit::Seconds, &["s", "sec", "secs", "second", "seconds"]),
    (
        Unit::Millis,
        &[
            "ms", "msec", "msecs", "milli", "millis", "millisec", "millisecond", "milliseconds",
        ],
    ),
    (
        Unit::Micros,
        &[
            "us", "µs", "μs", "usec", "usecs", "micro", "micros", "microsec", "microsecond",
            "microseconds",
        ],
    ),
    (
        Unit::Nanos,
        &[
            "ns", "nsec", "nsecs", "nano", "nanos", "nanosec", "nanosecond", "nanoseconds",
        ],
    ),
];

/// Words before a unit that make another unit of it.
const PARTS: [&str; 3] = ["milli", "micro", "nano"];

/// Maximum number of decimals that are read.
const MOST_DIGITS: usize = 18;

/// The smallest time since 1970 that is taken for seconds: the year 1973. Smaller numbers count
/// from another moment.
const FIRST: u64 = 100_000_000;

impl Unit {
    /// Nanoseconds of the unit.
    fn nanos(self) -> u64 {
        match self {
            Self::Seconds => 1_000_000_000,
            Self::Millis => 1_000_000,
            Self::Micros => 1_000,
            Self::Nanos => 1,
        }
    }

    /// The unit of this abbreviation or word.
    pub(super) fn of_word(word: &str) -> Option<Self> {
        let word = word.to_lowercase();
        let mut all = WORDS.iter();
        let found = all.find(|(_, words)| words.contains(&word.as_str()));
        found.map(|(unit, _)| *unit)
    }

    /// The unit that ends the name of a column: `latency_ms`, `elapsedMS`, `Latency (us)` or `ns`.
    pub(super) fn of_name(name: &str) -> Option<Self> {
        let name = name.trim_end_matches(|c: char| !c.is_alphanumeric());
        if name.ends_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let (before, word) = last_word(name);
        // A multiple of the unit, such as the 100 ns of a clock.
        if before.trim_end().ends_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let before = before.trim_end_matches(|c: char| !c.is_alphabetic());
        match last_word(before).1.to_lowercase().as_str() {
            "per" => None,
            part if PARTS.contains(&part) => Self::of_word(&format!("{part}{word}")),
            _ => last_parts(word).find_map(Self::of_word),
        }
    }

    /// The unit of a time since 1970, from its size.
    pub(super) fn of_instant(text: &str) -> Option<Self> {
        let whole: u64 = text.split('.').next()?.parse().ok()?;
        let units = [Self::Seconds, Self::Millis, Self::Micros, Self::Nanos];
        let mut bounds = units.into_iter().zip([1, 1_000, 1_000_000, 1_000_000_000]);
        let found = bounds.rfind(|(_, factor)| whole >= FIRST * factor);
        found.map(|(unit, _)| unit)
    }
}

/// Splits a name before its last word.
fn last_word(name: &str) -> (&str, &str) {
    let start = name.rfind(|c: char| !c.is_alphabetic()).map_or(0, |at| {
        at + name[at..].chars().next().map_or(0, char::len_utf8)
    });
    name.split_at(start)
}

/// The word and its ends that start like a word in camel case, longest first: for `tookMSec` the
/// word, `MSec` and `Sec`.
fn last_parts(word: &str) -> impl Iterator<Item = &str> {
    let mut before: Option<char> = None;
    word.char_indices().filter_map(move |(at, own)| {
        let next = word[at + own.len_utf8()..].chars().next();
        let is_start = match before {
            None => true,
            Some(before) if before.is_uppercase() => {
                own.is_uppercase() && next.is_some_and(char::is_lowercase)
            }
            Some(_) => own.is_uppercase(),
        };
        before = Some(own);
        is_start.then(|| &word[at..])
    })
}

/// A number in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Number {
    pub(super) nanos: u64,
    /// Half of the last digit, nanoseconds.
    pub(super) half: f64,
}

/// Parses a number of 0 or more in a unit.
pub(super) fn number(text: &str, unit: Unit) -> Option<Number> {
    if text.contains(['e', 'E']) {
        let value = python_float(&text.to_lowercase())?.times(unit.nanos() as f64);
        return Some(Number {
            nanos: value.middle().round() as u64,
            half: (value.to - value.from) / 2.0,
        });
    }
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_digits(whole) || !is_digits(part) {
        return None;
    }
    let has_part = whole.len() != text.len();
    let part = &part[..part.len().min(MOST_DIGITS)];
    let digits = u32::try_from(part.len()).ok()?;
    let below = u128::from(part.parse::<u64>().ok()?) * u128::from(unit.nanos());
    let below = u64::try_from(below / 10_u128.pow(digits)).ok()?;
    let whole: u64 = whole.parse().ok()?;
    let digits = if has_part { digits } else { 0 };
    Some(Number {
        nanos: whole.checked_mul(unit.nanos())?.checked_add(below)?,
        half: 0.5 * unit.nanos() as f64 / 10_f64.powi(digits as i32),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_end_the_names_of_columns() {
        for (name, unit) in [
            ("latency_ms", Some(Unit::Millis)),
            ("elapsedMs", Some(Unit::Millis)),
            ("DURATION_MS", Some(Unit::Millis)),
            ("Latency (us)", Some(Unit::Micros)),
            ("time [µs]", Some(Unit::Micros)),
            ("ns", Some(Unit::Nanos)),
            ("took_seconds", Some(Unit::Seconds)),
            ("latencyMS", Some(Unit::Millis)),
            ("latencyUS", Some(Unit::Micros)),
            ("tookNS", Some(Unit::Nanos)),
            ("tookMSec", Some(Unit::Millis)),
            ("elapsedMilliSeconds", Some(Unit::Millis)),
            ("elapsed_milli_seconds", Some(Unit::Millis)),
            ("Time (micro seconds)", Some(Unit::Micros)),
            ("httpRTTMs", Some(Unit::Millis)),
            ("elapsedS", Some(Unit::Seconds)),
            ("responseTimes", None),
            ("CLOCKS", None),
            ("timeHTTPS", None),
            ("ticks_100ns", None),
            ("rate_per_s", None),
            ("elapsed", None),
            ("latencies", None),
            ("latency_s3", None),
            ("", None),
        ] {
            assert_eq!(Unit::of_name(name), unit, "{name}");
        }
    }

    #[test]
    fn times_since_1970_tell_their_unit() {
        for (text, unit) in [
            ("1764180000", Some(Unit::Seconds)),
            ("1764180000.25", Some(Unit::Seconds)),
            ("1764180000123", Some(Unit::Millis)),
            ("1764180000123456", Some(Unit::Micros)),
            ("1764180000123456789", Some(Unit::Nanos)),
            ("12.5", None),
            ("x", None),
        ] {
            assert_eq!(Unit::of_instant(text), unit, "{text}");
        }
    }

    #[test]
    fn numbers_are_exact() {
        let read = |text: &str, unit: Unit| number(text, unit).map(|number| number.nanos);
        assert_eq!(read("1.25", Unit::Millis), Some(1_250_000));
        assert_eq!(
            read("1764180000.123456", Unit::Seconds),
            Some(1_764_180_000_123_456_000)
        );
        assert_eq!(read("2.5e-05", Unit::Seconds), Some(25_000));
        assert_eq!(read("1.25E-05", Unit::Seconds), Some(12_500));
        assert_eq!(number("3", Unit::Millis).unwrap().half, 500_000.0);
        for wrong in ["", "1e5", "-1", "1.", ".5", "1,5", "99999999999999999999"] {
            assert_eq!(read(wrong, Unit::Seconds), None, "{wrong}");
        }
    }
}
