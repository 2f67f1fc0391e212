//! Periods without responses, written as start and duration: `10s+5s`.

use std::num::NonZeroU64;
use std::str::FromStr;
use std::time::Duration;

use tenbin_plan::duration::Time;
use tenbin_plan::{Sentence, sentence};

/// A period in which the server sends no response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stall {
    /// Start, relative to the server's start.
    pub from: Duration,
    /// Duration of the stall.
    pub length: Duration,
}

impl FromStr for Stall {
    type Err = Sentence;

    fn from_str(text: &str) -> Result<Self, Sentence> {
        let (from, length) = text.split_once('+').ok_or_else(|| {
            sentence!(
                "no-stall",
                "{text:?} is not a stall; write start and duration, for example \"10s+5s\"",
                text
            )
        })?;
        let Time(from) = from.parse()?;
        let Time(length) = length.parse()?;
        Ok(Self { from, length })
    }
}

/// A pause once per N requests, written `50ms/4500`: 50 ms once per 4,500 requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RarePause {
    /// Duration of the pause.
    pub length: Duration,
    /// Number of requests per pause.
    pub every: NonZeroU64,
}

impl FromStr for RarePause {
    type Err = Sentence;

    fn from_str(text: &str) -> Result<Self, Sentence> {
        let none = || {
            sentence!(
                "no-pause",
                "{text:?} is not a pause; write its duration and the number of requests per pause, \
                 for example \"50ms/4500\"",
                text
            )
        };
        let (length, every) = text.split_once('/').ok_or_else(none)?;
        let Time(length) = length.parse()?;
        let every = every.parse().map_err(|_| none())?;
        Ok(Self { length, every })
    }
}

/// The end of the stalls that contain `time`, or `time` itself outside of all stalls. Both are
/// nanoseconds since the server's start.
pub(super) fn after_stalls(stalls: &[Stall], time: u64) -> u64 {
    let mut time = time;
    // Stalls can be unsorted or adjacent: repeat until no stall contains the time.
    while let Some(end) = stalls.iter().find_map(|stall| {
        let from = stall.from.as_nanos() as u64;
        let end = from.saturating_add(stall.length.as_nanos() as u64);
        (from..end).contains(&time).then_some(end)
    }) {
        time = end;
    }
    time
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_times_inside_a_stall_are_delayed() {
        let stalls = ["2s+1s", "1s+1s"].map(|text| text.parse().unwrap());
        let second = 1_000_000_000;
        for (time, answered) in [
            (second - 1, second - 1),
            (second, 3 * second),
            (3 * second - 1, 3 * second),
            (3 * second, 3 * second),
        ] {
            assert_eq!(after_stalls(&stalls, time), answered);
        }
    }

    #[test]
    fn a_rare_pause_is_a_time_and_a_number() {
        let pause: RarePause = "50ms/4500".parse().unwrap();
        assert_eq!(pause.length, Duration::from_millis(50));
        assert_eq!(pause.every.get(), 4_500);
        for text in ["", "50ms", "50ms/", "50ms/0", "x/5"] {
            assert!(text.parse::<RarePause>().is_err(), "{text}");
        }
    }

    #[test]
    fn invalid_texts_are_explained() {
        for text in ["", "10s", "10s+", "a+b"] {
            assert!(text.parse::<Stall>().is_err(), "{text}");
        }
    }
}
