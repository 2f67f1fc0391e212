//! Distributions of service times.

use std::f64::consts::TAU;
use std::str::FromStr;
use std::time::Duration;

use tenbin_plan::duration::Time;
use tenbin_plan::rng::Rng;
use tenbin_plan::{Sentence, sentence};

/// A distribution of service times.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Service {
    /// `fixed:10ms`: constant service time.
    Fixed(Duration),
    /// `bimodal:99%:1ms,100ms`: service time 1 ms with a probability of 99 %, otherwise 100 ms.
    Bimodal {
        /// Probability of the service time `first`, 0 to 1.
        share: f64,
        /// Service time that is listed first.
        first: Duration,
        /// Service time that is listed second.
        second: Duration,
    },
    /// `lognormal:5ms:0.5`: log-normal distribution with median and sigma.
    LogNormal {
        /// Median of the service time.
        median: Duration,
        /// Standard deviation of the natural logarithm.
        sigma: f64,
    },
    /// `exponential:2ms`: exponential distribution with this mean.
    Exponential {
        /// Mean service time.
        mean: Duration,
    },
}

impl FromStr for Service {
    type Err = Sentence;

    fn from_str(text: &str) -> Result<Self, Sentence> {
        let unknown = || {
            sentence!(
                "no-service-time",
                "{text:?} is not a service time; write for example \"fixed:10ms\", \
                 \"bimodal:99%:1ms,100ms\", \"lognormal:5ms:0.5\" or \"exponential:2ms\"",
                text
            )
        };
        let time = |text: &str| -> Result<Duration, Sentence> {
            let Time(time) = text.parse()?;
            Ok(time)
        };
        let parts: Vec<&str> = text.split(':').collect();
        Ok(match parts[..] {
            ["fixed", length] => Self::Fixed(time(length)?),
            ["exponential", mean] => Self::Exponential { mean: time(mean)? },
            ["lognormal", median, sigma] => Self::LogNormal {
                median: time(median)?,
                sigma: sigma
                    .parse()
                    .ok()
                    .filter(|sigma| (0.0..=10.0).contains(sigma))
                    .ok_or_else(unknown)?,
            },
            ["bimodal", share, lengths] => {
                let (first, second) = lengths.split_once(',').ok_or_else(unknown)?;
                Self::Bimodal {
                    share: super::response::share(share).map_err(|_| unknown())?,
                    first: time(first)?,
                    second: time(second)?,
                }
            }
            _ => return Err(unknown()),
        })
    }
}

impl Service {
    /// Draws a service time, nanoseconds.
    pub(super) fn draw(&self, random: &mut Rng) -> u64 {
        let nanos = |time: Duration| time.as_nanos() as f64;
        let drawn = match *self {
            Self::Fixed(time) => nanos(time),
            Self::Bimodal {
                share,
                first,
                second,
            } => nanos(if random.unit() < share { first } else { second }),
            Self::LogNormal { median, sigma } => nanos(median) * (sigma * normal(random)).exp(),
            Self::Exponential { mean } => nanos(mean) * random.exponential(),
        };
        drawn as u64
    }
}

/// Draws from the standard normal distribution (G. E. P. Box and M. E. Muller, "A note on the
/// generation of random normal deviates", 1958).
fn normal(random: &mut Rng) -> f64 {
    (2.0 * random.exponential()).sqrt() * (TAU * random.unit()).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Draws from the distribution in `text`, sorted, milliseconds.
    fn draws(text: &str) -> Vec<f64> {
        let service: Service = text.parse().unwrap();
        let mut random = Rng::new(1, &[]);
        let mut drawn: Vec<f64> = (0..100_000)
            .map(|_| service.draw(&mut random) as f64 / 1e6)
            .collect();
        drawn.sort_by(f64::total_cmp);
        drawn
    }

    #[test]
    fn draws_follow_the_distribution() {
        // Share of draws below each given point. The standard deviation is at most
        // √(0.25 ÷ 100 000) = 0.0016; the tolerance is four standard deviations.
        for (text, point, share) in [
            ("fixed:10ms", 10.000_001, 1.0),
            ("bimodal:99%:1ms,100ms", 50.0, 0.99),
            ("lognormal:5ms:0.5", 5.0, 0.5),
            ("lognormal:5ms:0.5", 5.0 * 0.5_f64.exp(), 0.841_345),
            ("lognormal:5ms:0.5", 5.0 * (-1.0_f64).exp(), 0.022_750),
            ("exponential:2ms", 2.0, 0.632_121),
            ("exponential:2ms", 0.2, 0.095_163),
        ] {
            let drawn = draws(text);
            let below = drawn.partition_point(|&x| x < point) as f64 / drawn.len() as f64;
            assert!((below - share).abs() < 0.0064, "{text} {point}: {below}");
        }
    }

    #[test]
    fn invalid_texts_are_explained() {
        for text in [
            "", "10ms", "fixed:", "fixed:10", "bimodal:2:1ms,2ms", "bimodal:99%:1ms",
            "lognormal:5ms:-1", "lognormal:5ms:NaN", "uniform:1ms",
        ] {
            assert!(text.parse::<Service>().is_err(), "{text}");
        }
    }
}
