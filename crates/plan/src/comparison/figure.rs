//! The figures that a plan can name. The keys `expect`, `fail_if`, `slo` and `decide` all use the
//! table in this file.

use std::fmt;

use crate::keys::suggest::nearest;
use crate::plan_file::mistake::NotOneOf;

/// A figure of a target in a workload. `Display` gives its name in plans: `p99.9`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Figure {
    /// Operations per second.
    Throughput,
    /// A statistic of the time of an operation: service time in a closed loop, response time in an
    /// open loop.
    Time(Statistic),
    /// The longest time of an operation in the run.
    Max,
    /// Failed operations, as a share of all operations.
    Errors,
    /// CPU time of the server per operation.
    Cpu,
    /// Body bytes per second.
    Bandwidth,
    /// Largest resident memory of the server in a slice.
    Memory,
}

/// A statistic of times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Statistic {
    /// The arithmetic mean.
    Mean,
    /// A quantile.
    Quantile(Quantile),
}

/// A quantile above 0 and below 1, in steps of a billionth. `Display` gives its name: `p99.9`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Quantile(u32);

const BILLION: u32 = 1_000_000_000;
/// Quantile steps per percent; 100 % is a billion steps.
const STEPS_OF_PERCENT: u32 = BILLION / 100;

impl Quantile {
    /// The quantile of a whole percentage. `percent` is above 0 and below 100.
    pub const fn percent(percent: u32) -> Self {
        Self(percent * STEPS_OF_PERCENT)
    }

    /// The quantile as a share, between 0 and 1.
    pub fn share(self) -> f64 {
        f64::from(self.0) / f64::from(BILLION)
    }

    /// The quantile in percent, between 0 and 100.
    pub fn as_percent(self) -> f64 {
        f64::from(self.0) / f64::from(STEPS_OF_PERCENT)
    }

    /// Reads a name such as `p99.9`; `None` if `name` is not the name of a quantile.
    pub fn named(name: &str) -> Option<Self> {
        let number = name.strip_prefix('p')?;
        let (whole, part) = number.split_once('.').unwrap_or((number, "0"));
        let digits = |text: &str, most: usize| {
            !text.is_empty() && text.len() <= most && text.bytes().all(|b| b.is_ascii_digit())
        };
        if !digits(whole, 2) || !digits(part, 7) {
            return None;
        }
        let whole: u32 = whole.parse().ok()?;
        let part: u32 = format!("{part:0<7}").parse().ok()?;
        let steps = whole * STEPS_OF_PERCENT + part;
        (steps > 0).then_some(Self(steps))
    }
}

impl fmt::Display for Quantile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "p{}", self.as_percent())
    }
}

/// The unit of the bound in a condition on a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    PerSecond,
    Time,
    Share,
    BytesPerSecond,
    Bytes,
}

struct Row {
    name: &'static str,
    figure: Figure,
    /// An example of a condition on the figure.
    example: &'static str,
}

const fn row(name: &'static str, figure: Figure, example: &'static str) -> Row {
    Row {
        name,
        figure,
        example,
    }
}

const fn quantile(percent: u32) -> Figure {
    Figure::Time(Statistic::Quantile(Quantile::percent(percent)))
}

/// Every figure by name, with the common quantiles only.
const FIGURES: &[Row] = &[
    row("throughput", Figure::Throughput, "throughput>1000/s"),
    row("mean", Figure::Time(Statistic::Mean), "mean<5ms"),
    row("p50", quantile(50), "p50<5ms"),
    row("p90", quantile(90), "p90<10ms"),
    row("p95", quantile(95), "p95<15ms"),
    row("p99", quantile(99), "p99<20ms"),
    row(
        "p99.9",
        Figure::Time(Statistic::Quantile(Quantile(999_000_000))),
        "p99.9<50ms",
    ),
    row("max", Figure::Max, "max<1s"),
    row("errors", Figure::Errors, "errors<0.1%"),
    row("cpu", Figure::Cpu, "cpu<200us"),
    row("bandwidth", Figure::Bandwidth, "bandwidth>100MB/s"),
    row("memory", Figure::Memory, "memory<500MiB"),
];

impl Figure {
    /// The figure with this name.
    ///
    /// # Errors
    /// One sentence that lists the valid names.
    pub fn named(word: &str) -> Result<Self, NotOneOf> {
        let names = || FIGURES.iter().map(|row| row.name);
        let row = FIGURES.iter().find(|row| row.name == word);
        let found = row.map(|row| row.figure).or_else(|| {
            let quantile = Quantile::named(word)?;
            Some(Self::Time(Statistic::Quantile(quantile)))
        });
        // As k6 writes a percentile: p(99).
        let percentile = || {
            let number = word.strip_prefix("p(")?.strip_suffix(')')?;
            let name = format!("p{number}");
            Self::named(&name).is_ok().then_some(name)
        };
        let meant = || percentile().or_else(|| nearest(word, names()).map(str::to_owned));
        found.ok_or_else(|| NotOneOf {
            value: format!("{word:?}"),
            choices: names().map(str::to_owned).collect(),
            or_percentile: true,
            meant: meant(),
        })
    }

    /// Whether the ratio of two targets' figures has a confidence interval: true, except for the
    /// longest time and the share of errors.
    pub fn has_ratio(self) -> bool {
        !matches!(self, Self::Max | Self::Errors)
    }

    /// Whether the figure is a rate: operations or bytes per second. In an open loop, the schedule
    /// determines rates.
    pub fn is_rate(self) -> bool {
        matches!(self, Self::Throughput | Self::Bandwidth)
    }

    pub(crate) fn unit(self) -> Unit {
        match self {
            Self::Throughput => Unit::PerSecond,
            Self::Time(_) | Self::Max | Self::Cpu => Unit::Time,
            Self::Errors => Unit::Share,
            Self::Bandwidth => Unit::BytesPerSecond,
            Self::Memory => Unit::Bytes,
        }
    }

    /// An example of a condition on the figure.
    pub(crate) fn example(self) -> String {
        match self.row() {
            Some(row) => row.example.to_owned(),
            None => format!("{self}<20ms"),
        }
    }

    fn row(self) -> Option<&'static Row> {
        FIGURES.iter().find(|row| row.figure == self)
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.row(), self) {
            (Some(row), _) => f.write_str(row.name),
            (None, Self::Time(Statistic::Quantile(quantile))) => quantile.fmt(f),
            // All other figures have a row, as a test checks.
            (None, _) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_figure_is_printed_by_the_name_that_it_is_read_by() {
        let others = ["p75", "p99.99", "p0.5", "p12.3456789"];
        for name in FIGURES.iter().map(|row| row.name).chain(others) {
            let figure = Figure::named(name).unwrap();
            assert_eq!(figure.to_string(), name);
            assert!(figure.example().starts_with(name));
        }
        assert_eq!(Figure::named("p99.90"), Figure::named("p99.9"));
        for figure in [
            Figure::Throughput,
            Figure::Time(Statistic::Mean),
            Figure::Max,
            Figure::Errors,
            Figure::Cpu,
            Figure::Bandwidth,
            Figure::Memory,
        ] {
            assert!(figure.row().is_some(), "{figure:?}");
        }
    }

    #[test]
    fn what_is_no_quantile_is_refused() {
        for word in [
            "p", "p0", "p100", "p-1", "p99.", "p.5", "p99.12345678", "pinf", "p9e1", "95",
        ] {
            let error = Figure::named(word).unwrap_err().to_string();
            assert!(
                error.contains("is not one of throughput, mean, p50"),
                "{error}"
            );
        }
    }

    #[test]
    fn a_quantile_is_the_nearest_number_to_its_name() {
        let share = |name| match Figure::named(name).unwrap() {
            Figure::Time(Statistic::Quantile(quantile)) => {
                (quantile.share(), quantile.as_percent())
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(share("p99.9"), (0.999, 99.9));
        assert_eq!(share("p95"), (0.95, 95.0));
    }
}
