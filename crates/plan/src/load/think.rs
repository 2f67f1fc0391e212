//! Think time of a connection in a closed loop: `100ms`,
//! `uniform:50ms..150ms`, `exponential:100ms`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::keys::value::shown_as_text;
use crate::units::duration::Time;
use crate::{Sentence, sentence};

shown_as_text!(Think);

/// Think time: the pause of a connection in a closed loop between a response and the next request,
/// such as the pause of a user who reads a page. Prints in plan-file syntax.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Think {
    /// Constant.
    Fixed(Duration),
    /// Uniformly distributed between `from` and `to`.
    Uniform {
        /// The shortest pause.
        from: Duration,
        /// The longest pause, not below the shortest.
        to: Duration,
    },
    /// Exponentially distributed: mostly short, sometimes long.
    Exponential {
        /// The mean pause.
        mean: Duration,
    },
}

impl Think {
    /// The mean pause.
    pub fn mean(&self) -> Duration {
        match *self {
            Self::Fixed(time) => time,
            Self::Uniform { from, to } => from + (to - from) / 2,
            Self::Exponential { mean } => mean,
        }
    }
}

const UNIFORM: &str = "uniform";
const EXPONENTIAL: &str = "exponential";

impl FromStr for Think {
    type Err = Sentence;

    fn from_str(text: &str) -> Result<Self, Sentence> {
        let Some((shape, rest)) = text.split_once(':') else {
            return Ok(Self::Fixed(time(text)?));
        };
        match shape.trim() {
            EXPONENTIAL => Ok(Self::Exponential { mean: time(rest)? }),
            UNIFORM => {
                let (from, to) = rest.split_once("..").ok_or_else(|| {
                    sentence!(
                        "think-no-end",
                        "{text:?} has no end; write for example \"uniform:50ms..150ms\"",
                        text
                    )
                })?;
                let (from, to) = (time(from)?, time(to)?);
                if from > to {
                    return Err(sentence!(
                        "think-descending",
                        "{text:?} has the larger value first; write for example \
                            \"uniform:{to}..{from}\"",
                        text,
                        to = Time(to),
                        from = Time(from)
                    ));
                }
                Ok(Self::Uniform { from, to })
            }
            _ => Err(sentence!(
                "no-think",
                "{text:?} is not a think time; write for example \"100ms\", \
                    \"uniform:50ms..150ms\" or \"exponential:100ms\"",
                text
            )),
        }
    }
}

fn time(text: &str) -> Result<Duration, Sentence> {
    text.parse()
        .map(|Time(time)| time)
        .map_err(|error: crate::units::duration::TimeError| error.sentence())
}

impl fmt::Display for Think {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Fixed(length) => Time(length).fmt(f),
            Self::Uniform { from, to } => write!(f, "{UNIFORM}:{}..{}", Time(from), Time(to)),
            Self::Exponential { mean } => write!(f, "{EXPONENTIAL}:{}", Time(mean)),
        }
    }
}
