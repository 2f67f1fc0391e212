//! What happens when a target stops answering during a run.

use std::fmt;
use std::time::Duration;

use crate::keys::value::shown_as_text;
use crate::units::duration::Time;
use crate::{Sentence, sentence};

shown_as_text!(OnOutage);

/// What happens when a target gives no correct response in a whole slice because it cannot be
/// reached, although the target responded before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnOutage {
    /// The run ends; the slices before stay.
    Stop,
    /// Tenbin waits up to this time until the target responds, and measures the block again.
    Wait(Duration),
}

impl OnOutage {
    /// The wait of `"continue"`.
    const USUAL: Duration = Duration::from_secs(60);

    /// Reads `continue`, `stop` or a time.
    pub(crate) fn parse(text: &str) -> Result<Self, Sentence> {
        match text.trim() {
            "stop" => Ok(Self::Stop),
            "continue" => Ok(Self::default()),
            time => {
                let Time(time) =
                    time.parse::<Time>()
                        .map_err(|error: crate::units::duration::TimeError| {
                            sentence!(
                                "no-outage",
                                "{error}; write \"continue\", \"stop\" or a time to wait",
                                error = error.sentence()
                            )
                        })?;
                Ok(Self::Wait(time))
            }
        }
    }
}

impl Default for OnOutage {
    fn default() -> Self {
        Self::Wait(Self::USUAL)
    }
}

impl fmt::Display for OnOutage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stop => f.write_str("stop"),
            usual if *usual == Self::default() => f.write_str("continue"),
            Self::Wait(time) => Time(*time).fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_words_and_times_and_prints_them_alike() {
        for (text, read) in [
            ("stop", OnOutage::Stop),
            ("continue", OnOutage::Wait(Duration::from_secs(60))),
            ("60s", OnOutage::Wait(Duration::from_secs(60))),
            ("5s", OnOutage::Wait(Duration::from_secs(5))),
            ("10m", OnOutage::Wait(Duration::from_secs(600))),
        ] {
            assert_eq!(OnOutage::parse(text), Ok(read), "{text}");
            assert_eq!(OnOutage::parse(&read.to_string()), Ok(read), "{text}");
        }
        for text in ["", "go on", "-1s", "7"] {
            assert!(OnOutage::parse(text).is_err(), "{text}");
        }
    }
}
