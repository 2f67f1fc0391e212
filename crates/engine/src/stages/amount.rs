//! Converts decimal numbers with a unit to nanoseconds.

use crate::histogram::HIGHEST_NANOS;

/// Nanoseconds per millisecond.
pub(super) const MILLISECOND: u64 = 1_000_000;

/// Parses an unsigned number, such as `53` or `53.2`, in a unit of `unit` nanoseconds. `None` for
/// any other text and for more than ten minutes, the longest time that a histogram records.
pub(super) fn nanos(text: &[u8], unit: u64) -> Option<u64> {
    let point = text.iter().position(|&byte| byte == b'.');
    let (whole, fraction) = match point {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    };
    let mut sum = digits(whole)?.try_fold(0u64, |sum, digit| {
        let sum = sum.checked_mul(10)?.checked_add(digit)?;
        (sum <= HIGHEST_NANOS).then_some(sum)
    })?;
    sum = sum.checked_mul(unit)?;
    if let Some(fraction) = fraction {
        let mut place = unit;
        for digit in digits(fraction)? {
            place /= 10;
            sum = sum.checked_add(digit * place)?;
        }
    }
    (sum <= HIGHEST_NANOS).then_some(sum)
}

fn digits(text: &[u8]) -> Option<impl Iterator<Item = u64>> {
    let is_number = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    is_number.then(|| text.iter().map(|digit| u64::from(digit - b'0')))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_plain_decimal_numbers_are_taken() {
        let millis = |text: &str| nanos(text.as_bytes(), MILLISECOND);
        assert_eq!(millis("0"), Some(0));
        assert_eq!(millis("53.2"), Some(53_200_000));
        assert_eq!(millis("0.0000019"), Some(1), "smaller digits are dropped");
        assert_eq!(millis("600000"), Some(HIGHEST_NANOS));
        for text in [
            "", ".", ".5", "5.", "-1", "+1", "1e3", "1,5", "0x1", "NaN", "inf", " 1", "600000.1",
            "99999999999999999999999999", "1.2.3",
        ] {
            assert_eq!(millis(text), None, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn a_number_is_parsed_exactly(whole in 0u64..600_000, fraction in 0u64..1_000_000) {
            let text = format!("{whole}.{fraction:06}");
            let expected = whole * MILLISECOND + fraction;
            prop_assert_eq!(nanos(text.as_bytes(), MILLISECOND), Some(expected));
        }
    }
}
