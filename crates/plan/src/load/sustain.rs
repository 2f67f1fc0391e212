//! The length of the continuous stretch after the rounds; see [`Plan::stretches`](crate::Plan::stretches).

use std::fmt;
use std::time::Duration;

use crate::keys::value::shown_as_text;
use crate::units::duration::Time;
use crate::units::percent::Percent;
use crate::{Sentence, sentence};

shown_as_text!(Sustain);

/// The length of the continuous stretch of each workload on each target.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum Sustain {
    /// 20 % of the measured time, if the run compares targets or workloads in at least five
    /// blocks; otherwise none.
    #[default]
    Auto,
    /// No stretch.
    Off,
    /// This time.
    Time(Duration),
    /// This share of the measured time, at least a target's share of a block.
    Share(Percent),
}

impl Sustain {
    /// Reads `12s`, `20%`, `auto` or `0`.
    pub(crate) fn parse(text: &str) -> Result<Self, Sentence> {
        let text = text.trim();
        if text == "auto" {
            return Ok(Self::Auto);
        }
        if text.ends_with('%') {
            let least = Percent::of(0.0);
            let share = Percent::within(text, least, Percent::of(1_000.0))?;
            return Ok(if share > least {
                Self::Share(share)
            } else {
                Self::Off
            });
        }
        if text == "0" {
            return Ok(Self::Off);
        }
        let Time(time) =
            text.parse::<Time>()
                .map_err(|error: crate::units::duration::TimeError| {
                    sentence!(
                        "no-sustain",
                        "{error}; a share of the measured time is for example 20%",
                        error = error.sentence()
                    )
                })?;
        Ok(if time.is_zero() {
            Self::Off
        } else {
            Self::Time(time)
        })
    }
}

impl fmt::Display for Sustain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Off => f.write_str("0"),
            Self::Time(time) => Time(*time).fmt(f),
            Self::Share(share) => share.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_times_shares_and_off_and_prints_them_alike() {
        for (text, read) in [
            ("0", Sustain::Off),
            ("0s", Sustain::Off),
            ("0%", Sustain::Off),
            ("auto", Sustain::Auto),
            ("12s", Sustain::Time(Duration::from_secs(12))),
            ("20%", Sustain::Share(Percent::of(20.0))),
        ] {
            assert_eq!(Sustain::parse(text), Ok(read), "{text}");
            assert_eq!(Sustain::parse(&read.to_string()), Ok(read), "{text}");
        }
        for text in ["", "12", "-1s", "2000%", "much"] {
            assert!(Sustain::parse(text).is_err(), "{text}");
        }
    }
}
