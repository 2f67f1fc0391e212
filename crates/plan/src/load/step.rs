//! One step of a load: a rate and its duration, written `100/s for 1s`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::units::duration::Time;
use crate::units::rate::Rate;
use crate::{Sentence, sentence};

/// A rate and its duration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Step {
    /// Operations per second, within the limits of [`Rate`].
    pub(crate) per_second: f64,
    /// The duration, above 0.
    pub(crate) length: Duration,
}

impl FromStr for Step {
    type Err = Sentence;

    fn from_str(text: &str) -> Result<Self, Sentence> {
        let (rate, length) = text.split_once(" for ").ok_or_else(|| {
            sentence!(
                "no-step",
                "{text:?} is not a step; write for example \"100/s for 1s\"",
                text
            )
        })?;
        let rate: Rate = rate
            .parse()
            .map_err(|error: crate::units::rate::RateError| error.sentence())?;
        let Time(length) = length
            .parse()
            .map_err(|error: crate::units::duration::TimeError| error.sentence())?;
        if length.is_zero() {
            return Err(sentence!(
                "step-zero",
                "{text:?} has a duration of 0; write for example \"100/s for 1s\"",
                text
            ));
        }
        Ok(Self {
            per_second: rate.get(),
            length,
        })
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/s for {}", self.per_second, Time(self.length))
    }
}
