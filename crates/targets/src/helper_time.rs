//! How long Tenbin waits for its own helper processes, such as the guard of a launched command.
//!
//! A busy machine can take long to start a process. The limit follows the slowest start so far, and
//! `TENBIN_HELPER_TIMEOUT` sets it. A helper that fails is noticed at once in any case.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tenbin_plan::duration::Time;
use tenbin_plan::{Sentence, sentence};

/// The setting.
pub const VARIABLE: &str = "TENBIN_HELPER_TIMEOUT";
/// Limit for the first helper, and the lower bound for later ones.
const SHORTEST: Duration = Duration::from_secs(60);
/// Upper bound.
const LONGEST: Duration = Duration::from_secs(600);
/// A start may take this many times as long as the slowest one so far.
const TIMES: u32 = 50;

/// Longest start of a helper so far, nanoseconds.
static SLOWEST: AtomicU64 = AtomicU64::new(0);

/// The time limit for the start of a helper.
///
/// # Errors
/// One sentence if `TENBIN_HELPER_TIMEOUT` is no time.
pub fn limit() -> Result<Duration, Sentence> {
    match std::env::var(VARIABLE) {
        Ok(text) => parsed(&text),
        Err(_) => Ok(limit_after(Duration::from_nanos(
            SLOWEST.load(Ordering::Relaxed),
        ))),
    }
}

/// A helper took this time to start.
pub(crate) fn started_after(time: Duration) {
    let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    SLOWEST.fetch_max(nanos, Ordering::Relaxed);
}

fn limit_after(slowest: Duration) -> Duration {
    slowest.saturating_mul(TIMES).clamp(SHORTEST, LONGEST)
}

fn parsed(text: &str) -> Result<Duration, Sentence> {
    match text.parse::<Time>() {
        Ok(Time(time)) if !time.is_zero() => Ok(time),
        Ok(_) => Err(sentence!(
            "helper-time-zero",
            "{variable} is 0; write for example 2m",
            variable = VARIABLE
        )),
        Err(error) => Err(sentence!(
            "flag-why",
            "{flag}: {why}",
            flag = VARIABLE,
            why = error.sentence()
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_follows_the_slowest_start() {
        let seconds = Duration::from_secs;
        for (slowest, limit) in [(0, 60), (1, 60), (4, 200), (30, 600)] {
            assert_eq!(limit_after(seconds(slowest)), seconds(limit));
        }
    }

    #[test]
    fn the_setting_is_a_time() {
        assert_eq!(parsed("2m"), Ok(Duration::from_secs(120)));
        for text in ["", "soon", "0s"] {
            let why = parsed(text).unwrap_err();
            assert!(why.text().contains(VARIABLE), "{text}");
        }
    }
}
