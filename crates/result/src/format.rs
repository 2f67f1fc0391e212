//! Figures as text: three significant digits and a unit.
//!
//! All numbers are formatted in this module, so that a figure reads the same in findings, tables
//! and sentences.

pub use tenbin_plan::percent;
use tenbin_plan::percents;

use std::borrow::Cow;
use std::ops::Range;

use crate::figure::{Figure, Interval};

/// Text printed for a missing figure.
pub const UNKNOWN: &str = "unknown";

/// The words that stand for what is missing of a figure, in a language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words {
    /// Stands for a missing figure.
    pub unknown: Cow<'static, str>,
    /// Stands for a missing interval.
    pub interval_unknown: Cow<'static, str>,
}

/// The words in English.
pub const ENGLISH: Words = Words {
    unknown: Cow::Borrowed(UNKNOWN),
    interval_unknown: Cow::Borrowed("interval unknown"),
};

/// A unit as a list of prefixes: factor and suffix, in ascending order.
#[derive(Debug, Clone, Copy)]
pub struct Unit(&'static [(f64, &'static str)]);

/// Operations per second.
pub const RATE: Unit = Unit(&[(1.0, "/s"), (1e3, " k/s"), (1e6, " M/s"), (1e9, " G/s")]);
/// Seconds.
pub const TIME: Unit = Unit(&[(1e-9, " ns"), (1e-6, " µs"), (1e-3, " ms"), (1.0, " s")]);
/// Bytes.
pub const BYTES: Unit = Unit(&[
    (1.0, " B"),
    (1024.0, " KiB"),
    (1_048_576.0, " MiB"),
    (1_073_741_824.0, " GiB"),
    (1_099_511_627_776.0, " TiB"),
]);
/// Bytes per second.
pub const BANDWIDTH: Unit = Unit(&[
    (1.0, " B/s"),
    (1024.0, " KiB/s"),
    (1_048_576.0, " MiB/s"),
    (1_073_741_824.0, " GiB/s"),
]);
/// Bits per second.
pub const BIT_RATE: Unit = Unit(&[
    (1.0, " bit/s"),
    (1e3, " kbit/s"),
    (1e6, " Mbit/s"),
    (1e9, " Gbit/s"),
]);
/// A share from 0 to 1, formatted as a percentage.
pub const SHARE: Unit = Unit(&[]);

/// All units with prefixes.
pub const UNITS: [Unit; 5] = [RATE, TIME, BYTES, BANDWIDTH, BIT_RATE];

impl Unit {
    /// Factor and suffix of each prefix, in ascending order; empty for [`SHARE`].
    pub fn prefixes(self) -> &'static [(f64, &'static str)] {
        self.0
    }

    /// The value with its unit.
    pub fn of(self, value: f64) -> String {
        if self.0.is_empty() {
            return percent(value);
        }
        let (scale, name) = self.step(value);
        format!("{}{name}", digits(value / scale))
    }

    /// The value with its unit, or `unknown`.
    pub fn maybe(self, value: Option<f64>) -> String {
        value.map_or_else(|| UNKNOWN.to_owned(), |value| self.of(value))
    }

    /// The figure with its relative uncertainty: the longer side of the interval, in percent. Without
    /// one, as [`Unit::with_interval`]: `12.3 k/s (interval unknown)`.
    pub fn with_spread(self, figure: Option<Figure>, words: &Words) -> String {
        let Some(figure) = figure else {
            return words.unknown.to_string();
        };
        let spread = figure
            .interval
            .and_then(|interval| spread(figure.value, interval));
        match spread {
            Some(spread) => format!("{} ±{}", self.of(figure.value), within(spread)),
            None => self.with_interval(Some(figure), words),
        }
    }

    /// The figure with both ends of its interval, all with the same prefix.
    pub fn with_interval(self, figure: Option<Figure>, words: &Words) -> String {
        let Some(figure) = figure else {
            return words.unknown.to_string();
        };
        let interval = self.interval(figure, words);
        format!("{} ({interval})", self.of(figure.value))
    }

    /// As [`Unit::ends`], or that the interval is unknown.
    pub fn interval(self, figure: Figure, words: &Words) -> String {
        self.ends(figure)
            .unwrap_or_else(|| words.interval_unknown.to_string())
    }

    /// Both ends of the figure's interval with the prefix of the figure, but without the unit:
    /// `1.20–1.25`. `None` without an interval.
    pub fn ends(self, figure: Figure) -> Option<String> {
        let end = |value: f64| {
            if self.0.is_empty() {
                percents(value)
            } else {
                digits(value / self.step(figure.value).0)
            }
        };
        let Interval { low, high, .. } = figure.interval?;
        Some(format!("{}–{}", end(low), end(high)))
    }

    /// The largest prefix for which the rounded value is at least 1.
    fn step(self, value: f64) -> (f64, &'static str) {
        let size = value.abs();
        let fits = self
            .0
            .iter()
            .rev()
            .find(|(scale, _)| size >= scale * 0.9995);
        *fits.unwrap_or(&self.0[0])
    }
}

/// A figure without unit and both ends of its interval, with digits grouped in thousands: `1,234
/// (1,200–1,260)`.
pub fn grouped_interval(figure: Option<Figure>, words: &Words) -> String {
    let Some(figure) = figure else {
        return words.unknown.to_string();
    };
    let interval = figure.interval.map_or_else(
        || words.interval_unknown.to_string(),
        |Interval { low, high, .. }| format!("{}–{}", grouped(low), grouped(high)),
    );
    format!("{} ({interval})", grouped(figure.value))
}

/// Three significant digits; from 1,000, all integer digits grouped in thousands.
fn grouped(value: f64) -> String {
    if value.abs() < 999.5 {
        return digits(value);
    }
    let sign = if value < 0.0 { "-" } else { "" };
    // The cast saturates only far above any figure that occurs.
    format!("{sign}{}", count(value.abs().round() as u64))
}

/// The longer side of the interval, as a share of the figure.
fn spread(value: f64, interval: Interval) -> Option<f64> {
    let longer = (value - interval.low).max(interval.high - value);
    (value != 0.0).then(|| longer / value.abs())
}

/// Formats a ratio: three decimals from 0.1 to 2, where close comparisons lie, otherwise three
/// significant digits.
pub fn ratio(value: f64) -> String {
    if (0.1..2.0).contains(&value) {
        format!("{value:.3}")
    } else {
        digits(value)
    }
}

/// A ratio's interval, or `unknown`.
pub fn ratio_interval(figure: Option<Figure>) -> String {
    figure.and_then(|figure| figure.interval).map_or_else(
        || UNKNOWN.to_owned(),
        |Interval { low, high, .. }| format!("{}–{}", ratio(low), ratio(high)),
    )
}

/// Both ends of a ratio's interval, or that the interval is unknown, for use in brackets after the
/// ratio.
pub fn ratio_ends(ratio: Figure, words: &Words) -> String {
    match ratio.interval {
        Some(_) => ratio_interval(Some(ratio)),
        None => words.interval_unknown.to_string(),
    }
}

/// The ratios whose change is less than 30 %.
const SMALL_CHANGES: Range<f64> = 0.7..1.3;

/// Whether [`change`] prints a ratio as a factor.
pub fn is_factor(ratio: f64) -> bool {
    !SMALL_CHANGES.contains(&ratio)
}

/// A ratio as a change: below 30 % in percent (`−12 %`, `+3.1 %`), otherwise as a factor (`× 0.0779`,
/// `× 26.9`).
///
/// Sentences of all commands use this form: headlines, verdicts, gates and lists. The ends of an
/// interval have the form of its ratio. Tables and charts whose heads say `b ÷ a` have the ratio.
pub fn change(of: f64) -> String {
    if is_factor(of) {
        format!("× {}", ratio(of))
    } else {
        format!("{} %", points(of))
    }
}

/// A ratio as a signed change in percent, without the percent sign: `−48`.
pub fn points(ratio: f64) -> String {
    let points = (ratio - 1.0) * 100.0;
    let sign = if points < 0.0 { "−" } else { "+" };
    match points.abs() {
        size if size < 9.95 => format!("{sign}{size:.1}"),
        size => format!("{sign}{size:.0}"),
    }
}

/// A number as a user would type it, with at most three decimals: `5`, `2.5`.
pub fn typed(number: f64) -> String {
    let text = format!("{number:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Configured rates below this number of operations per second are printed exactly.
const EXACT_BELOW: f64 = 10_000.0;

/// A configured rate: exact below 10,000 operations per second, otherwise with three significant
/// digits.
pub fn exact_rate(per_second: f64) -> String {
    if per_second < EXACT_BELOW {
        format!("{per_second}/s")
    } else {
        rate(per_second)
    }
}

/// Configured rates that stand beside each other: as [`exact_rate`], but all with the prefix of the
/// highest: `5.15 k/s` and `20.6 k/s`.
pub fn exact_rates<const N: usize>(per_second: [f64; N]) -> [String; N] {
    let highest = per_second.into_iter().fold(0.0, f64::max);
    if highest < EXACT_BELOW {
        return per_second.map(exact_rate);
    }
    let (scale, name) = RATE.step(highest);
    per_second.map(|rate| format!("{}{name}", digits(rate / scale)))
}

/// Seconds with a fixed number of decimals, so that a column of times aligns: `12.3 s`.
pub fn fixed_seconds(seconds: f64, decimals: usize) -> String {
    format!("{seconds:.decimals$} s")
}

/// A size that grows while being printed, such as upload progress, in whole units below 1 GiB to
/// keep the width stable: `512 KiB`, `70 MiB`, `1.2 GiB`.
pub fn growing_bytes(count: u64) -> String {
    match count {
        0..0x10_0000 => format!("{} KiB", count >> 10),
        0x10_0000..0x4000_0000 => format!("{} MiB", count >> 20),
        _ => format!("{:.1} GiB", count as f64 / f64::from(1 << 30)),
    }
}

/// A relative uncertainty as a percentage; `<0.1 %` below 0.1 %.
pub fn within(share: f64) -> String {
    if share.abs() < 0.000_95 {
        "<0.1 %".to_owned()
    } else {
        percent(share)
    }
}

/// Three significant digits, or all integer digits if there are more than three.
pub fn digits(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let exponent = format!("{:.2e}", value.abs())
        .split_once('e')
        .and_then(|(_, exponent)| exponent.parse::<i32>().ok())
        .unwrap_or(0);
    if exponent < -6 {
        return format!("{value:.2e}");
    }
    let decimals = (2 - exponent).max(0) as usize;
    format!("{value:.decimals$}")
}

/// A count, or the word for an unknown one.
pub fn maybe_count(n: Option<u64>) -> String {
    n.map_or_else(|| UNKNOWN.to_owned(), count)
}

/// A count with digits grouped in thousands: `1,234,567`.
pub fn count(n: u64) -> String {
    let plain = n.to_string();
    let mut grouped = String::new();
    for (i, digit) in plain.chars().enumerate() {
        if i > 0 && (plain.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A number of failures with its share of all operations: `1 (0.1 %)`. `0` without failures;
/// `unknown` without operations, or if the number of failures is unknown.
pub fn errors(failed: impl Into<Option<u64>>, ok: impl Into<Option<u64>>) -> String {
    match (failed.into(), ok.into()) {
        (None, _) | (Some(0), None | Some(0)) => UNKNOWN.to_owned(),
        (Some(0), Some(_)) => "0".to_owned(),
        (Some(failed), None) => count(failed),
        (Some(failed), Some(ok)) => {
            let share = failed as f64 / (failed + ok) as f64;
            format!("{} ({})", count(failed), percent(share))
        }
    }
}

/// A count with its noun: `1 slice`, `8 slices`. A number too large for `u64` saturates.
pub fn plural(n: impl TryInto<u64>, thing: &str) -> String {
    let n = n.try_into().unwrap_or(u64::MAX);
    let end = if n == 1 { "" } else { "s" };
    format!("{} {thing}{end}", count(n))
}

/// Operations per second: `62.9 k/s`.
pub fn rate(per_second: f64) -> String {
    RATE.of(per_second)
}

/// A time: `21.3 ms`.
pub fn time(seconds: f64) -> String {
    TIME.of(seconds)
}

/// Bits per second: `941 Mbit/s`.
pub fn bit_rate(per_second: f64) -> String {
    BIT_RATE.of(per_second)
}

/// Bytes per second: `1.21 GiB/s`.
pub fn bandwidth(per_second: f64) -> String {
    BANDWIDTH.of(per_second)
}

/// A number of used CPU cores: `0.52`.
pub fn cores(used: f64) -> String {
    format!("{used:.2}")
}

/// A number with a fixed number of decimals: `12.30`.
pub fn fixed(number: f64, decimals: u8) -> String {
    format!("{number:.*}", usize::from(decimals))
}

/// A measured size: `999 B`, `70.0 MiB`.
pub fn bytes(count: u64) -> String {
    match count {
        0..1024 => format!("{count} B"),
        _ => BYTES.of(count as f64),
    }
}

/// A configured size, printed exactly in the largest unit that divides it.
pub fn exact_bytes(bytes: u64) -> String {
    let units = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    let whole = |unit: &&(u64, &str)| bytes > 0 && bytes.is_multiple_of(unit.0);
    match units.iter().find(whole) {
        Some((unit, name)) => format!("{} {name}", count(bytes / unit)),
        None => format!("{} B", count(bytes)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(value: f64, low: f64, high: f64) -> Option<Figure> {
        let confidence = 0.95;
        Some(Figure {
            value,
            interval: Some(Interval {
                low,
                high,
                confidence,
            }),
            n: 8,
        })
    }

    #[test]
    fn three_significant_digits_and_the_right_unit() {
        let cases = [
            (RATE.of(12_345.0), "12.3 k/s"),
            (RATE.of(999.4), "999/s"),
            (RATE.of(999.6), "1.00 k/s"),
            (RATE.of(0.0), "0/s"),
            (TIME.of(0.000_815_4), "815 µs"),
            (TIME.of(0.999_96e-3), "1.00 ms"),
            (TIME.of(75.0), "75.0 s"),
            (TIME.of(1.5e-10), "0.150 ns"),
            (BYTES.of(1_572_864.0), "1.50 MiB"),
            (SHARE.of(0.934), "93.4 %"),
            (ratio(0.056_78), "0.0568"),
            (ratio(1.0034), "1.003"),
            (ratio(3.456), "3.46"),
            (ratio(12.34), "12.3"),
            (ratio(0.099_97), "0.100"),
            (rate(100_500.0), "100 k/s"),
            (time(3_600.0), "3600 s"),
            (time(85e-6), "85.0 µs"),
            (bytes(999), "999 B"),
            (bytes(70 << 20), "70.0 MiB"),
            (bytes(3 << 40), "3.00 TiB"),
            (bit_rate(941.4e6), "941 Mbit/s"),
            (exact_bytes(1_024), "1 KiB"),
            (exact_bytes(1_025), "1,025 B"),
            (exact_bytes(3 << 30), "3 GiB"),
            (fixed_seconds(12.345, 1), "12.3 s"),
            (growing_bytes(700_000), "683 KiB"),
            (growing_bytes(70 << 20), "70 MiB"),
            (growing_bytes(1_300_000_000), "1.2 GiB"),
            (exact_bytes(0), "0 B"),
            (digits(123_456.0), "123456".to_owned().as_str()),
        ]
        .map(|(found, expected)| (found, expected.to_owned()));
        for (found, expected) in cases {
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn a_figure_is_always_printed_with_its_interval() {
        let known = figure(12_345.0, 12_000.0, 12_500.0);
        assert_eq!(RATE.with_spread(known, &ENGLISH), "12.3 k/s ±2.8 %");
        assert_eq!(RATE.with_interval(known, &ENGLISH), "12.3 k/s (12.0–12.5)");
        let point = known.map(|figure| Figure {
            interval: None,
            ..figure
        });
        let words = &ENGLISH;
        assert_eq!(
            RATE.with_spread(point, words),
            "12.3 k/s (interval unknown)"
        );
        assert_eq!(
            RATE.with_interval(point, words),
            "12.3 k/s (interval unknown)"
        );
        assert_eq!(RATE.with_spread(None, words), "unknown");
        assert_eq!(TIME.with_interval(None, words), "unknown");
    }

    #[test]
    fn a_ratio_reads_as_a_change() {
        assert_eq!(change(0.88), "−12 %");
        assert_eq!(change(0.52), "× 0.520");
        assert_eq!(change(1.031), "+3.1 %");
        assert_eq!(change(1.0), "+0.0 %");
        assert_eq!(change(0.0817), "× 0.0817");
        assert_eq!(change(29.7), "× 29.7");
        assert_eq!(typed(2.5), "2.5");
        assert_eq!(exact_rate(812.5), "812.5/s");
        assert_eq!(exact_rates([5_150.0, 20_600.0]), ["5.15 k/s", "20.6 k/s"]);
        assert_eq!(exact_rates([812.5, 950.0]), ["812.5/s", "950/s"]);
        let known = figure(1.5, 1.25, 2.5).unwrap();
        assert_eq!(ratio_ends(known, &ENGLISH), "1.250–2.50");
        let point = Figure {
            interval: None,
            ..known
        };
        assert_eq!(ratio_ends(point, &ENGLISH), "interval unknown");
    }

    #[test]
    fn counts_and_errors() {
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(count(999), "999");
        assert_eq!(errors(0_u64, 10_u64), "0");
        assert_eq!(errors(0_u64, 0_u64), "unknown");
        assert_eq!(errors(1_u64, 999_u64), "1 (0.1 %)");
        assert_eq!(errors(1_u64, 999_999_u64), "1 (0.00010 %)");
        assert_eq!(errors(None, 10_u64), "unknown");
        assert_eq!(plural(1, "slice"), "1 slice");
    }
}
