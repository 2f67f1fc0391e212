//! Limits on response times and errors: `p99<10ms,errors<0.1%`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::comparison::figure::{Figure, Statistic};
use crate::units::duration::Time;
use crate::{Sentence, sentence};

/// A service level objective: limits that must all be met. Prints in plan-file syntax.
#[derive(Debug, Clone, PartialEq)]
pub struct Slo(Vec<Limit>);

/// One limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Limit {
    /// `p99<10ms`: this percentile of response times is below a limit.
    Percentile {
        /// The percentile, above 0 and below 100.
        percent: f64,
        /// The limit, above 0.
        below: Duration,
    },
    /// `mean<5ms`: the mean of response times is below a limit.
    Mean {
        /// The limit, above 0.
        below: Duration,
    },
    /// `errors<0.1%`: the share of failed operations is below a limit.
    Errors {
        /// The limit as a share, above 0 and at most 1.
        below: f64,
    },
}

impl Limit {
    /// Divisor of a time limit: a request that the load generator's machine delayed by at least
    /// limit ÷ 4 counts as delayed.
    pub const DELAY_PART: u32 = 4;

    /// The limit of response times; `None` for a limit of errors.
    pub fn time(&self) -> Option<Duration> {
        match *self {
            Self::Percentile { below, .. } | Self::Mean { below } => Some(below),
            Self::Errors { .. } => None,
        }
    }

    /// Whether both limits apply to the same statistic.
    fn limits_same_statistic(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Percentile { percent: a, .. }, Self::Percentile { percent: b, .. }) => a == b,
            (Self::Mean { .. }, Self::Mean { .. }) => true,
            (Self::Errors { .. }, Self::Errors { .. }) => true,
            _ => false,
        }
    }
}

impl Slo {
    /// The limits: at least one, and no two for the same statistic.
    pub fn limits(&self) -> &[Limit] {
        &self.0
    }

    /// The delay from which a request counts as delayed: a quarter of the shortest time limit.
    /// `None` if only errors are limited.
    pub fn least_delay(&self) -> Option<Duration> {
        let times = self.0.iter().filter_map(Limit::time);
        times.min().map(|time| time / Limit::DELAY_PART)
    }
}

const EXAMPLE: &str = "p99<10ms,errors<0.1%";

impl FromStr for Slo {
    type Err = Sentence;

    fn from_str(text: &str) -> Result<Self, Sentence> {
        let mut limits: Vec<Limit> = Vec::new();
        for part in text.split(',') {
            let limit = limit(part.trim())?;
            if limits
                .iter()
                .any(|known| known.limits_same_statistic(&limit))
            {
                return Err(sentence!(
                    "slo-twice",
                    "{text:?} limits the same thing twice",
                    text
                ));
            }
            limits.push(limit);
        }
        Ok(Self(limits))
    }
}

fn limit(text: &str) -> Result<Limit, Sentence> {
    let none = || {
        sentence!(
            "no-slo",
            "{text:?} is not a limit; write for example \"{example}\": p50 to p99.99, mean \
                and errors can be limited",
            text,
            example = EXAMPLE
        )
    };
    let (what, below) = text.split_once('<').ok_or_else(none)?;
    let below = below.trim();
    match Figure::named(what.trim()).map_err(|_| none())? {
        Figure::Time(Statistic::Mean) => Ok(Limit::Mean {
            below: time(below)?,
        }),
        Figure::Time(Statistic::Quantile(quantile)) => Ok(Limit::Percentile {
            percent: quantile.as_percent(),
            below: time(below)?,
        }),
        Figure::Errors => Ok(Limit::Errors {
            below: share(below)?,
        }),
        Figure::Throughput | Figure::Max | Figure::Cpu | Figure::Bandwidth | Figure::Memory => {
            Err(none())
        }
    }
}

fn is_plain(number: &str) -> bool {
    number.chars().all(|c| c.is_ascii_digit() || c == '.')
}

fn time(text: &str) -> Result<Duration, Sentence> {
    let Time(time) = text
        .parse()
        .map_err(|error: crate::units::duration::TimeError| error.sentence())?;
    if time.is_zero() {
        return Err(sentence!(
            "slo-impossible",
            "no operation can meet a limit of {text}; write for example \"{example}\"",
            text,
            example = EXAMPLE
        ));
    }
    Ok(time)
}

fn share(text: &str) -> Result<f64, Sentence> {
    let wrong = || {
        sentence!(
            "no-slo-share",
            "{text:?} is not a share of errors, above 0 % and at most 100 %; write for \
                example \"errors<0.1%\"",
            text
        )
    };
    let percent = text.strip_suffix('%').ok_or_else(wrong)?.trim();
    let percent: f64 = Some(percent)
        .filter(|number| is_plain(number))
        .and_then(|number| number.parse().ok())
        .ok_or_else(wrong)?;
    if percent > 0.0 && percent <= 100.0 {
        Ok(percent / 100.0)
    } else {
        Err(wrong())
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Percentile { percent, below } => write!(f, "p{percent}<{}", Time(below)),
            Self::Mean { below } => write!(f, "mean<{}", Time(below)),
            // Division by 100 can add digits, so the percentage is rounded.
            Self::Errors { below } => {
                write!(f, "errors<{}%", (below * 1e12).round() / 1e10)
            }
        }
    }
}

impl fmt::Display for Slo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, limit) in self.0.iter().enumerate() {
            let comma = if at > 0 { "," } else { "" };
            write!(f, "{comma}{limit}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn reads_what_people_write_and_prints_it_again() {
        for (text, printed) in [
            ("p99<10ms,errors<0.1%", "p99<10ms,errors<0.1%"),
            (" p99.9 < 1s , mean<2ms", "p99.9<1s,mean<2ms"),
            ("errors<100%", "errors<100%"),
            ("p50<500us", "p50<500us"),
        ] {
            let slo: Slo = text.parse().unwrap();
            let again = slo.to_string();
            assert_eq!(again.parse::<Slo>().unwrap().to_string(), again);
            assert_eq!(again.replace('µ', "u"), printed, "{text}");
        }
    }

    #[test]
    fn says_what_is_wrong() {
        for (text, part) in [
            ("", "is not a limit"),
            ("p99", "is not a limit"),
            ("p99>10ms", "is not a limit"),
            ("p0<10ms", "is not a limit"),
            ("p100<10ms", "is not a limit"),
            ("p-1<10ms", "is not a limit"),
            ("pinf<1s", "is not a limit"),
            ("max<10ms", "is not a limit"),
            ("p99<10", "10"),
            ("p99<0s", "no operation can meet"),
            ("errors<0%", "not a share"),
            ("errors<1", "not a share"),
            ("errors<101%", "not a share"),
            ("p99<1ms,p99<2ms", "twice"),
            ("p99<1ms,", "is not a limit"),
        ] {
            let error = text.parse::<Slo>().unwrap_err();
            assert!(error.text().contains(part), "{text}: {error}");
        }
    }

    proptest! {
        #[test]
        fn garbage_never_panics(text in "p?[0-9.]{0,9}(mean|errors)?<[0-9.]{0,9}[msu%]{0,2}|\\PC*") {
            if let Ok(slo) = text.parse::<Slo>() {
                prop_assert_eq!(slo.to_string().parse::<Slo>(), Ok(slo));
            }
        }
    }
}
