//! The step of a clock, from the times that it wrote.

use tenbin_verdict::lint::SECOND;

/// Fewest times from which a step is known that their digits do not show.
const FEWEST: u64 = 100;

/// The times of a list.
#[derive(Debug, Default)]
pub(super) struct Steps {
    first: Option<i64>,
    /// The smallest step of the last digit, nanoseconds.
    digit: Option<u64>,
    /// Greatest common divisor of all times since the first, nanoseconds.
    divisor: u64,
    times: u64,
}

impl Steps {
    /// Adds a time whose last digit has this step, nanoseconds.
    pub(super) fn add(&mut self, time: i64, digit: u64) {
        let first = *self.first.get_or_insert(time);
        self.digit = Some(self.digit.map_or(digit, |known| known.min(digit)));
        self.times += 1;
        let mut rest = time.abs_diff(first);
        while rest != 0 {
            (self.divisor, rest) = (rest, self.divisor % rest);
        }
    }

    /// The step, nanoseconds: that of the digits, or a larger power of ten, up to a second, of
    /// which all times are multiples.
    pub(super) fn clock(&self) -> u64 {
        let digit = self.digit.unwrap_or(0);
        if self.times < FEWEST {
            return digit;
        }
        let mut step = SECOND as u64;
        while step > 1 && !self.divisor.is_multiple_of(step) {
            step /= 10;
        }
        digit.max(if step > 1 { step } else { 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_is_as_coarse_as_its_times() {
        let clock = |step: i64, digit: u64| {
            let mut steps = Steps::default();
            for number in 0..200 {
                steps.add(1_764_180_000 * SECOND + number * step, digit);
            }
            steps.clock()
        };
        // Whole seconds, which a table of floats shows with a decimal.
        assert_eq!(clock(SECOND, 100_000_000), 1_000_000_000);
        assert_eq!(clock(17_000_000, 1_000_000), 1_000_000);
        assert_eq!(clock(17_000_001, 1), 1);
        assert_eq!(clock(0, 1_000_000), 1_000_000_000);
    }
}
