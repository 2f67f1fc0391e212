//! Exact decimal numbers, followed by a unit.

/// A non-negative decimal number, kept exactly.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Decimal {
    digits: u128,
    places: u32,
}

/// Why the product of a decimal and a factor is not a `u64`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Misfit {
    /// The product has a fractional part.
    Fraction,
    /// The product is above `u64::MAX`.
    TooLarge,
}

impl Decimal {
    /// Maximum number of digits: more than any quantity needs, and few enough that the digits fit
    /// into `u128`.
    const MOST_DIGITS: usize = 25;

    /// Parses the number (`12`, `1.5`) at the start of `text`; returns the number and the rest.
    pub(crate) fn take(text: &str) -> Option<(Self, &str)> {
        let end = text
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(text.len());
        let (number, rest) = text.split_at(end);
        let (whole, fraction) = match number.split_once('.') {
            Some((_, "")) => return None,
            Some((whole, fraction)) => (whole, fraction),
            None => (number, ""),
        };
        if whole.is_empty() || fraction.contains('.') {
            return None;
        }
        if whole.len() + fraction.len() > Self::MOST_DIGITS {
            return None;
        }
        let digits = format!("{whole}{fraction}").parse().ok()?;
        let places = u32::try_from(fraction.len()).ok()?;
        Some((Self { digits, places }, rest))
    }

    /// The product of this number and `factor`, if the product is a whole number.
    pub(crate) fn times(self, factor: u64) -> Result<u64, Misfit> {
        let product = self
            .digits
            .checked_mul(u128::from(factor))
            .ok_or(Misfit::TooLarge)?;
        let divisor = 10u128.pow(self.places);
        if product % divisor != 0 {
            return Err(Misfit::Fraction);
        }
        u64::try_from(product / divisor).map_err(|_| Misfit::TooLarge)
    }
}
