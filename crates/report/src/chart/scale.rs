//! Maps values to positions on an axis, and chooses tick marks at round numbers.

use tenbin_result::format::Unit;

use super::{Axis, Marks};

/// Largest ratio of the upper to the lower end of a logarithmic axis at which tick marks are at
/// equal steps, such as 1.0, 1.2, 1.4.
const NARROW: f64 = 2.5;
/// Margin at each end of a logarithmic axis, as a share of its length.
const SPACE: f64 = 0.04;
/// Largest ratio of the upper to the lower end of a logarithmic axis at which 2 and 5 times a power
/// of ten also get tick marks.
const SOME_DECADES: f64 = 2e3;

/// Least number of marks of a logarithmic axis, where its range has as many round numbers.
const FEWEST: usize = 3;

/// Maps a range of values to a range of the drawing.
#[derive(Debug, Clone)]
pub(super) struct Scale {
    logarithmic: bool,
    low: f64,
    high: f64,
    from: f64,
    to: f64,
    marks: Vec<(f64, String)>,
}

impl Scale {
    /// Creates a scale that maps the range of `numbers` to the positions `from` to `to`, with about
    /// `wanted` tick marks. Infinite and NaN values have no position. On a logarithmic axis, values
    /// of 0 or less have no position either.
    pub(super) fn new(
        axis: &Axis,
        numbers: impl Iterator<Item = f64>,
        (from, to): (f64, f64),
        wanted: usize,
    ) -> Self {
        let has_place = |number: &f64| number.is_finite() && (!axis.logarithmic || *number > 0.0);
        let (mut low, mut high) = numbers
            .filter(has_place)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), number| {
                (low.min(number), high.max(number))
            });
        if low > high {
            (low, high) = (1.0, 1.0);
        }
        if axis.from_zero && !axis.logarithmic {
            (low, high) = (low.min(0.0), high.max(0.0));
        }
        let is_fixed = matches!(axis.marks, Marks::Fixed(_));
        if low == high {
            (low, high) = match (axis.logarithmic, is_fixed) {
                (true, _) => (low / 1.05, high * 1.05),
                (false, true) => (low - 0.5, high + 0.5),
                (false, false) if low == 0.0 => (0.0, 1.0),
                (false, false) => (low - low.abs() * 0.05, high + high.abs() * 0.05),
            };
        }
        // Without a margin, the outermost points of a logarithmic axis would lie on the frame.
        if axis.logarithmic && !is_fixed {
            let space = (high / low).powf(SPACE);
            (low, high) = (low / space, high * space);
        }
        let places = if axis.logarithmic {
            round_ratios(low, high, wanted)
        } else {
            round_steps(low, high, wanted)
        };
        // An axis of figures ends at tick marks, so that each end has a label.
        if !is_fixed && !axis.logarithmic {
            low = places.first().copied().unwrap_or(low).min(low);
            high = places.last().copied().unwrap_or(high).max(high);
        }
        let marks = match &axis.marks {
            Marks::Fixed(marks) => marks.clone(),
            Marks::Unit(unit) => named(&places, |place| figure(*unit, place)),
            Marks::Numbers => named(&places, number),
            Marks::With(unit) => named(&places, |place| format!("{} {unit}", number(place))),
            Marks::Ratios => named(&places, |place| format!("×{}", number(place))),
        };
        let is_inside = |mark: &(f64, String)| {
            let slack = if axis.logarithmic {
                mark.0 * 1e-9
            } else {
                (high - low) * 1e-9
            };
            mark.0 >= low - slack && mark.0 <= high + slack
        };
        Self {
            logarithmic: axis.logarithmic,
            marks: marks.into_iter().filter(is_inside).collect(),
            low,
            high,
            from,
            to,
        }
    }

    /// The position of a number. A number outside the range is at the nearer end. `None` for
    /// infinite and NaN values, and on a logarithmic axis for 0 and less.
    pub(super) fn place(&self, number: f64) -> Option<f64> {
        if !number.is_finite() || (self.logarithmic && number <= 0.0) {
            return None;
        }
        let number = number.clamp(self.low, self.high);
        let share = if self.logarithmic {
            (number / self.low).ln() / (self.high / self.low).ln()
        } else {
            (number - self.low) / (self.high - self.low)
        };
        Some(self.from + share * (self.to - self.from))
    }

    /// Whether a number is within the range of the scale.
    pub(super) fn has(&self, number: f64) -> bool {
        (self.low..=self.high).contains(&number)
    }

    /// Positions and labels of the tick marks.
    pub(super) fn marks(&self) -> impl Iterator<Item = (f64, &str)> {
        let marks = self.marks.iter();
        marks.filter_map(|(number, name)| Some((self.place(*number)?, name.as_str())))
    }
}

fn named(places: &[f64], name: impl Fn(f64) -> String) -> Vec<(f64, String)> {
    let named = places.iter().map(|place| (*place, name(*place)));
    named.collect()
}

/// Multiples of 1, 2 or 5 times a power of ten that enclose the range.
fn round_steps(low: f64, high: f64, wanted: usize) -> Vec<f64> {
    let step = step((high - low) / wanted.max(1) as f64);
    let (first, last) = ((low / step).floor(), (high / step - 1e-9).ceil());
    let count = (last - first).clamp(1.0, 100.0) as u32;
    (0..=count)
        .map(|at| (first + f64::from(at)) * step)
        .collect()
}

/// Round numbers within the range. A narrow range has even steps; a wide range has powers of ten,
/// 2 and 5 times these where there is space, and more if there are fewer than
/// [`FEWEST`].
fn round_ratios(low: f64, high: f64, wanted: usize) -> Vec<f64> {
    let inside = |place: &f64| *place >= low * (1.0 - 1e-9) && *place <= high * (1.0 + 1e-9);
    if high / low < NARROW {
        // Even steps around a narrow range may leave few marks inside the range.
        let finer = [wanted, wanted * 2, wanted * 4].into_iter();
        let mut tried = finer.map(|wanted| {
            let steps = round_steps(low, high, wanted).into_iter();
            steps.filter(inside).collect::<Vec<f64>>()
        });
        return tried.find(|marks| marks.len() > 1).unwrap_or_default();
    }
    let powers = low.log10().floor() as i32..=high.log10().ceil() as i32;
    let times = |factors: &[f64]| -> Vec<f64> {
        let powers = powers.clone().map(|power| 10_f64.powi(power));
        let all = powers.flat_map(|power| factors.iter().map(move |factor| factor * power));
        all.filter(inside).collect()
    };
    let all = match high / low {
        wide if wide > SOME_DECADES => times(&[1.0]),
        _ => times(&[1.0, 2.0, 5.0]),
    };
    let all = if all.len() < FEWEST {
        times(&[1.0, 1.5, 2.0, 3.0, 5.0, 7.0])
    } else {
        all
    };
    // If there are more than twice as many marks as wanted, only every n-th is kept.
    let every = all.len().div_ceil(wanted.max(1) * 2).max(1);
    all.into_iter().step_by(every).collect()
}

/// The smallest 1, 2 or 5 times a power of ten that is at least `least`.
fn step(least: f64) -> f64 {
    if least <= 0.0 || !least.is_finite() {
        return 1.0;
    }
    let power = 10_f64.powf(least.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    let enough = steps.into_iter().find(|step| *step >= least * 0.999_999);
    enough.unwrap_or(power * 10.0)
}

/// Formats a figure without trailing zeros: `5 k/s`; 0 has no unit.
fn figure(unit: Unit, value: f64) -> String {
    if value.abs() < f64::MIN_POSITIVE {
        return "0".to_owned();
    }
    let text = unit.of(value);
    let end = text.find(|c: char| !c.is_ascii_digit() && !".,-−".contains(c));
    let (digits, unit) = text.split_at(end.unwrap_or(text.len()));
    format!("{}{unit}", without_zeros(digits))
}

/// Formats a number with at most four decimals.
fn number(value: f64) -> String {
    without_zeros(&format!("{value:.4}")).to_owned()
}

fn without_zeros(digits: &str) -> &str {
    if digits.contains('.') {
        digits.trim_end_matches('0').trim_end_matches('.')
    } else {
        digits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenbin_result::format::{RATE, TIME};

    fn names(scale: &Scale) -> Vec<&str> {
        scale.marks().map(|(_, name)| name).collect()
    }

    #[test]
    fn an_axis_of_rates_begins_at_0_and_ends_at_a_mark() {
        let axis = Axis::of("throughput", RATE);
        let scale = Scale::new(&axis, [3_000.0, 8_210.0].into_iter(), (100.0, 0.0), 5);
        assert_eq!(
            names(&scale),
            ["0", "2 k/s", "4 k/s", "6 k/s", "8 k/s", "10 k/s"]
        );
        assert_eq!(scale.place(0.0), Some(100.0));
        assert_eq!(scale.place(10_000.0), Some(0.0));
        assert_eq!(scale.place(f64::NAN), None);
    }

    #[test]
    fn a_logarithmic_axis_has_no_place_for_0() {
        let axis = Axis::logarithmic("time", TIME);
        let scale = Scale::new(&axis, [0.0, 1e-4, 2e-2].into_iter(), (0.0, 100.0), 4);
        assert_eq!(scale.place(0.0), None);
        let place = scale.place(1e-4).unwrap();
        assert!((3.0..5.0).contains(&place), "{place}");
        assert_eq!(names(&scale)[0], "100 µs");
    }

    #[test]
    fn ratios_close_to_1_have_marks_at_even_steps() {
        let axis = Axis::of_ratios("ratio");
        let scale = Scale::new(&axis, [0.97, 1.04].into_iter(), (0.0, 100.0), 4);
        assert_eq!(names(&scale), ["×0.98", "×1", "×1.02", "×1.04"]);
    }

    #[test]
    fn ratios_with_few_powers_of_ten_and_their_halves_have_more_marks() {
        let axis = Axis::of_ratios("ratio");
        let scale = Scale::new(&axis, [0.63, 2.13].into_iter(), (0.0, 100.0), 5);
        assert_eq!(names(&scale), ["×0.7", "×1", "×1.5", "×2"]);
        let scale = Scale::new(&axis, [0.3, 5.6].into_iter(), (0.0, 100.0), 5);
        assert_eq!(names(&scale), ["×0.5", "×1", "×2", "×5"]);
    }

    #[test]
    fn one_number_or_none_still_has_an_axis() {
        for numbers in [vec![], vec![0.0], vec![7.0], vec![f64::INFINITY]] {
            for axis in [Axis::of("", RATE), Axis::of_ratios("")] {
                let scale = Scale::new(&axis, numbers.iter().copied(), (0.0, 100.0), 4);
                assert!(scale.low < scale.high, "{numbers:?}");
                assert!(scale.marks().count() < 200, "{numbers:?}");
            }
        }
    }
}
