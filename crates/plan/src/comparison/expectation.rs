//! Conditions on figures: `p99<20ms`, `throughput>0.95x baseline`.

use std::fmt;
use std::str::FromStr;

use crate::comparison::figure::{Figure, Unit};
use crate::plan_file::mistake::Mistake;
use crate::units::duration::Time;
use crate::units::percent::Percent;
use crate::units::rate::Rate;
use crate::units::size::Size;
use crate::{Sentence, sentence};

/// Whether a condition must or must not be proven true.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Demand {
    /// `expect`: the condition must be proven true.
    Expect,
    /// `fail_if`: the condition must not be proven true.
    FailIf,
}

/// A condition on a figure, for one target or all targets and for one workload or all workloads.
/// `Display` writes the condition in plan-file syntax.
#[derive(Debug, Clone, PartialEq)]
pub struct Expectation {
    /// Whether the condition must or must not be proven true.
    pub demand: Demand,
    /// The target that the condition applies to; `None`: every target.
    pub target: Option<String>,
    /// The workload that the condition applies to; `None`: every workload.
    pub workload: Option<String>,
    /// The figure.
    pub figure: Figure,
    /// The required relation of the figure to the bound.
    pub relation: Relation,
    /// The bound.
    pub bound: Bound,
}

/// The required relation of a figure to its bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// `<`
    Below,
    /// `<=`
    AtMost,
    /// `>`
    Above,
    /// `>=`
    AtLeast,
}

impl Relation {
    /// Whether `value` has this relation to `bound`.
    pub fn holds(self, value: f64, bound: f64) -> bool {
        match self {
            Self::Below => value < bound,
            Self::AtMost => value <= bound,
            Self::Above => value > bound,
            Self::AtLeast => value >= bound,
        }
    }

    fn sign(self) -> &'static str {
        match self {
            Self::Below => "<",
            Self::AtMost => "<=",
            Self::Above => ">",
            Self::AtLeast => ">=",
        }
    }
}

/// The bound of a condition.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bound {
    /// Operations per second.
    Rate(Rate),
    /// A duration.
    Time(Time),
    /// A percentage.
    Percent(Percent),
    /// Bytes per second.
    BytesPerSecond(Size),
    /// Bytes.
    Bytes(Size),
    /// A multiple of the baseline's figure.
    Baseline(f64),
}

impl Bound {
    /// The bound as a number: operations per second, seconds, a share (1 for 100 %), bytes per
    /// second, bytes, or a ratio.
    pub fn value(self) -> f64 {
        match self {
            Self::Rate(rate) => rate.get(),
            Self::Time(Time(time)) => time.as_secs_f64(),
            Self::Percent(percent) => percent.share(),
            Self::BytesPerSecond(Size(bytes)) | Self::Bytes(Size(bytes)) => bytes as f64,
            Self::Baseline(times) => times,
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rate(rate) => write!(f, "{rate}"),
            Self::Time(time) => write!(f, "{time}"),
            Self::Percent(percent) => write!(f, "{percent}"),
            // A number without a unit would be read as operations per second.
            Self::BytesPerSecond(Size(bytes)) if Size(*bytes).to_string() == bytes.to_string() => {
                write!(f, "{bytes}B/s")
            }
            Self::BytesPerSecond(size) => write!(f, "{size}/s"),
            Self::Bytes(Size(bytes)) if Size(*bytes).to_string() == bytes.to_string() => {
                write!(f, "{bytes}B")
            }
            Self::Bytes(size) => write!(f, "{size}"),
            Self::Baseline(times) => write!(f, "{times}x baseline"),
        }
    }
}

impl fmt::Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for name in [&self.target, &self.workload].into_iter().flatten() {
            write!(f, "{name}:")?;
        }
        write!(f, "{}", self.condition())
    }
}

impl Expectation {
    /// The condition without the names of its workload and target: `p99<20ms`.
    pub fn condition(&self) -> String {
        let sign = self.relation.sign();
        format!("{}{sign}{}", self.figure, self.bound)
    }
}

/// An expectation as written, before its names are resolved.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Written {
    /// The names before the condition, of a target, of a workload or of both, as written.
    pub(crate) names: Vec<String>,
    pub(crate) figure: Figure,
    pub(crate) relation: Relation,
    pub(crate) bound: Bound,
}

fn example() -> Sentence {
    sentence!(
        "expectation-example",
        "write for example \"p99<20ms\" or \"throughput>0.95x baseline\""
    )
}

impl FromStr for Written {
    type Err = Mistake;

    fn from_str(text: &str) -> Result<Self, Mistake> {
        let at = text.find(['<', '>']).ok_or_else(|| {
            sentence!(
                "no-relation",
                "{text:?} has no < or >; {example}",
                text,
                example = example()
            )
        })?;
        let (before, after) = text.split_at(at);
        let (relation, bound) = relation(after);
        let mut names: Vec<String> = before
            .split(':')
            .map(|name| name.trim().to_owned())
            .collect();
        let figure = Figure::named(&names.pop().unwrap_or_default())?;
        Ok(Self {
            names,
            figure,
            relation,
            bound: read_bound(figure, bound.trim())?,
        })
    }
}

/// The relation at the start of `text`, and the rest of `text`.
fn relation(text: &str) -> (Relation, &str) {
    let signs = [
        Relation::AtMost,
        Relation::AtLeast,
        Relation::Below,
        Relation::Above,
    ];
    signs
        .into_iter()
        .find_map(|relation| Some((relation, text.strip_prefix(relation.sign())?)))
        .unwrap_or((Relation::Below, text))
}

fn read_bound(figure: Figure, text: &str) -> Result<Bound, Sentence> {
    if let Some(times) = times_baseline(text) {
        if !figure.has_ratio() {
            return Err(sentence!(
                "no-baseline-ratio",
                "{figure} cannot be compared with the baseline's; give a bound with a unit, \
                    for example \"{example}\"",
                figure,
                example = figure.example()
            ));
        }
        return times;
    }
    let wrong = |error: Sentence| {
        sentence!(
            "as-in",
            "{error} (as in \"{example}\")",
            example = figure.example(),
            error
        )
    };
    match figure.unit() {
        Unit::PerSecond => {
            needs_unit(text, '/', figure)?;
            let rate = text.parse::<Rate>().map_err(|error| error.sentence());
            rate.map(Bound::Rate).map_err(wrong)
        }
        Unit::Time => {
            let time = text.parse::<Time>().map_err(|error| error.sentence());
            time.map(Bound::Time).map_err(wrong)
        }
        Unit::Share => text.parse().map(Bound::Percent).map_err(wrong),
        Unit::BytesPerSecond => {
            let size = text.strip_suffix("/s").map(str::trim).filter(|size| {
                // The number of bytes needs a unit, too.
                size.ends_with(|c: char| c.is_ascii_alphabetic())
            });
            let size = size.ok_or_else(|| no_unit(figure, text))?;
            let size = size.parse::<Size>().map_err(|error| error.sentence());
            size.map(Bound::BytesPerSecond).map_err(wrong)
        }
        Unit::Bytes => {
            if !text.ends_with(|c: char| c.is_ascii_alphabetic()) {
                return Err(no_unit(figure, text));
            }
            let size = text.parse::<Size>().map_err(|error| error.sentence());
            size.map(Bound::Bytes).map_err(wrong)
        }
    }
}

fn no_unit(figure: Figure, text: &str) -> Sentence {
    let example = figure.example();
    sentence!(
        "no-unit-of-figure",
        "{text:?} has no unit; write for example \"{example}\"",
        text,
        example
    )
}

fn needs_unit(text: &str, sign: char, figure: Figure) -> Result<(), Sentence> {
    if text.contains(sign) {
        Ok(())
    } else {
        Err(no_unit(figure, text))
    }
}

/// Reads `0.95x baseline`; `None` if the text does not end with `baseline`.
fn times_baseline(text: &str) -> Option<Result<Bound, Sentence>> {
    let before = text.strip_suffix("baseline")?.trim_end();
    let number = before
        .strip_suffix(['x', '×', '*'])
        .map_or(before, str::trim_end);
    let plain = |c: char| c.is_ascii_digit() || c == '.';
    let times = Some(number)
        .filter(|number| number.chars().all(plain))
        .and_then(|number| number.parse::<f64>().ok());
    let found = match times {
        Some(times) if times > 0.0 && times.is_finite() && number.len() < before.len() => {
            Ok(Bound::Baseline(times))
        }
        _ => Err(sentence!(
            "no-times-baseline",
            "{text:?} is not a multiple of the baseline's figure; write for example \"0.95x \
                baseline\"",
            text
        )),
    };
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<String, Sentence> {
        let Written {
            names,
            figure,
            relation,
            bound,
        } = text.parse()?;
        let mut names = names.into_iter();
        let expectation = Expectation {
            demand: Demand::Expect,
            target: names.next(),
            workload: names.next(),
            figure,
            relation,
            bound,
        };
        Ok(expectation.to_string())
    }

    #[test]
    fn reads_and_prints_what_people_write() {
        for (text, printed) in [
            ("p99<20ms", "p99<20ms"),
            ("p50 <= 1.5ms", "p50<=1.5ms"),
            ("throughput>60000/m", "throughput>1000/s"),
            ("throughput > 0.95 x baseline", "throughput>0.95x baseline"),
            ("new:p99<1.1x baseline", "new:p99<1.1x baseline"),
            ("new : get : errors<0.1%", "new:get:errors<0.1%"),
            ("errors<=0%", "errors<=0%"),
            ("max<1s", "max<1s"),
            ("p95<20ms", "p95<20ms"),
            ("p99.9 < 0.9 x baseline", "p99.9<0.9x baseline"),
            ("new:mean<5ms", "new:mean<5ms"),
            ("cpu<=200us", "cpu<=200us"),
            ("bandwidth>=100MB/s", "bandwidth>=100MB/s"),
            ("bandwidth>1023 B/s", "bandwidth>1023B/s"),
        ] {
            assert_eq!(read(text).as_deref(), Ok(printed), "{text}");
            assert_eq!(read(printed).as_deref(), Ok(printed), "{text}");
        }
    }

    #[test]
    fn says_what_is_wrong() {
        for (text, wrong) in [
            ("p99=20ms", "has no < or >"),
            ("p100<20ms", "is not one of throughput, mean, p50"),
            ("p95", "has no < or >"),
            ("troughput>1/s", "did you mean \"throughput\"?"),
            ("p(99)<50ms", "did you mean \"p99\"?"),
            ("p99<20", "has no unit"),
            ("throughput>1000", "has no unit"),
            ("errors<1", "has no percent sign"),
            ("bandwidth>100/s", "has no unit"),
            ("bandwidth>100MB", "has no unit"),
            (
                "errors<2x baseline",
                "cannot be compared with the baseline's",
            ),
            ("p99<baseline", "is not a multiple of the baseline's figure"),
            (
                "p99<0x baseline",
                "is not a multiple of the baseline's figure",
            ),
            ("p99<", "is not a duration"),
        ] {
            let error = read(text).expect_err(text);
            assert!(error.text().contains(wrong), "{text}: {error}");
        }
    }

    #[test]
    fn a_relation_holds_on_its_side_only() {
        assert!(Relation::Below.holds(1.0, 2.0) && !Relation::Below.holds(2.0, 2.0));
        assert!(Relation::AtMost.holds(2.0, 2.0) && !Relation::AtMost.holds(3.0, 2.0));
        assert!(Relation::Above.holds(3.0, 2.0) && !Relation::Above.holds(2.0, 2.0));
        assert!(Relation::AtLeast.holds(2.0, 2.0) && !Relation::AtLeast.holds(1.0, 2.0));
    }
}
