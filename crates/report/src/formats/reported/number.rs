//! Parses numbers as tools print them: digits with a unit, and the range that rounding allows.

use tenbin_verdict::lint::Range;

/// Units of time, with their length in seconds.
const TIMES: &[(&str, f64)] = &[
    ("ns", 1e-9),
    ("us", 1e-6),
    ("µs", 1e-6),
    ("μs", 1e-6),
    ("ms", 1e-3),
    ("s", 1.0),
    ("sec", 1.0),
    ("secs", 1.0),
    ("seconds", 1.0),
    ("m", 60.0),
    ("h", 3_600.0),
];

/// A number with this many decimals or more is treated as exact.
const MOST_DIGITS: usize = 15;

/// Parses a count: digits only.
pub(in crate::formats) fn count(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok())?
}

/// Parses digits with at most one decimal point. The range extends half a unit of the last digit in
/// both directions.
pub(in crate::formats) fn decimal(text: &str) -> Option<Range> {
    let value = printed(text)?;
    let half = half_digit(text);
    Some(Range::around(value, half))
}

/// Half a unit of the last digit.
fn half_digit(number: &str) -> f64 {
    let digits = number.split_once('.').map_or(0, |(_, part)| part.len());
    match digits {
        digits if digits >= MOST_DIGITS => 0.0,
        digits => 0.5 * 10_f64.powi(-(digits as i32)),
    }
}

/// Parses digits with at most one decimal point to the number as printed.
pub(in crate::formats) fn printed(text: &str) -> Option<f64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let has_point = whole.len() != text.len();
    if whole.is_empty() || (has_point && part.is_empty()) || !is_digits(whole) || !is_digits(part) {
        return None;
    }
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

/// Largest exponent of a number.
const MOST_EXPONENT: u64 = 300;

/// Parses a number as Python prints it: with an exponent if the number is small or large, such as
/// `2.5e-05` or `1.25e+06`. An exponent has a sign.
pub(in crate::formats) fn python_float(text: &str) -> Option<Range> {
    let Some((digits, exponent)) = text.split_once('e') else {
        return decimal(text);
    };
    let (sign, power) = match exponent.strip_prefix('-') {
        Some(power) => (-1, power),
        None => (1, exponent.strip_prefix('+')?),
    };
    let power = count(power).filter(|power| *power <= MOST_EXPONENT)?;
    Some(decimal(digits)?.times(10_f64.powi(sign * power as i32)))
}

/// Parses a number with one of these units, and multiplies by the unit.
pub(in crate::formats) fn with_unit(text: &str, units: &[(&str, f64)]) -> Option<Range> {
    let at = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = text.split_at(at);
    let (_, factor) = units.iter().find(|(name, _)| *name == unit.trim())?;
    Some(decimal(number)?.times(*factor))
}

/// Parses a time with its unit, such as `2.79ms`, to seconds.
pub(in crate::formats) fn time(text: &str) -> Option<Range> {
    with_unit(text, TIMES)
}

/// Parses a duration as Go prints it, such as `1m2.5s` or `90.37µs`, to seconds.
pub(in crate::formats) fn go_duration(text: &str) -> Option<Range> {
    let (mut sum, mut half) = (0.0, 0.0);
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let end = rest[digits..]
            .find(|c: char| c.is_ascii_digit())
            .map_or(rest.len(), |at| digits + at);
        let (number, unit) = (&rest[..digits], &rest[digits..end]);
        let (_, factor) = TIMES.iter().find(|(name, _)| *name == unit.trim())?;
        sum += printed(number)? * factor;
        // Only the last part is rounded.
        half = half_digit(number) * factor;
        rest = &rest[end..];
    }
    (!text.is_empty()).then_some(Range::around(sum, half))
}

/// Parses a percentage such as `97.72%` to a share from 0 to 1.
pub(in crate::formats) fn percent(text: &str) -> Option<Range> {
    Some(decimal(text.strip_suffix('%')?)?.times(0.01))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_strict_and_rounding_is_known() {
        assert_eq!(decimal("3.10").map(Range::middle), Some(3.1));
        let ten = decimal("3.10").unwrap();
        assert!((ten.from - 3.095).abs() < 1e-12 && (ten.to - 3.105).abs() < 1e-12);
        for wrong in [
            "", "1e5", "1.2.3", "-1", "+1", ".5", "5.", "1x", "inf", "nan", "1,000",
        ] {
            assert_eq!(decimal(wrong), None, "{wrong}");
        }
        assert_eq!(count("1e3"), None);
        assert_eq!(count("175219"), Some(175_219));
        assert_eq!(count("99999999999999999999"), None);
    }

    #[test]
    fn numbers_of_python_can_have_an_exponent() {
        let small = python_float("2.5e-05").map(Range::middle).unwrap();
        assert!((small - 2.5e-5).abs() < 1e-12, "{small}");
        assert_eq!(python_float("0.25").map(Range::middle), Some(0.25));
        assert_eq!(python_float("1.25e+06").map(Range::middle), Some(1.25e6));
        for wrong in ["1e5", "1e-", "e-5", "2.5e-0x", "1e+999", "1e--5"] {
            assert_eq!(python_float(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn zero_milliseconds_are_less_than_half_of_one() {
        let zero = decimal("0").unwrap();
        assert_eq!((zero.from, zero.to), (0.0, 0.5));
    }

    #[test]
    fn times_have_units() {
        for (text, seconds) in [("67us", 67e-6), ("2.79ms", 2.79e-3), ("90.37µs", 90.37e-6)] {
            let read = time(text).unwrap().middle();
            assert!((read - seconds).abs() < 1e-12, "{text}: {read}");
        }
        assert_eq!(time("2.79"), None);
        assert_eq!(time("2.79MB"), None);
        assert_eq!(go_duration("1m2.5s").map(Range::middle), Some(62.5));
        assert_eq!(go_duration("2.998s").map(Range::middle), Some(2.998));
        // The rounding of a part that is 0 does not move the sum.
        assert_eq!(go_duration("5m0s").map(Range::middle), Some(300.0));
        assert_eq!(go_duration("1h0m1.5s").map(Range::middle), Some(3601.5));
        assert_eq!(go_duration("1m2"), None);
        assert_eq!(go_duration(""), None);
    }
}
