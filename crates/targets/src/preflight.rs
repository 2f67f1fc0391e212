//! Questions to a target before the first slice: is it there, does it speak
//! HTTP, is its clock ours?

use std::time::{Duration, SystemTime};

use crate::error::TargetError;
use crate::probe::{self, Answer, ProbeError};
use crate::running::Running;

/// A clock this far off deserves a word.
pub const SKEW_WORTH_A_WORD: Duration = Duration::from_secs(2);
/// S3 servers refuse signatures made with a clock this far off
/// (`RequestTimeTooSkewed`, Amazon S3 API reference, error responses).
pub const SKEW_REFUSED_BY_S3: Duration = Duration::from_secs(15 * 60);

/// What a target said of itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Preflight {
    /// The first host's answer to an unsigned `GET` of its URL; any status will do.
    /// All others have answered too.
    pub answer: Answer,
    /// Its clock against ours, when it tells the time.
    pub skew: Option<ClockSkew>,
    /// Things worth a word, each one sentence.
    pub warnings: Vec<String>,
}

/// How far a target's clock is ahead of ours, seconds: somewhere between `low`
/// and `high`, because `Date` tells whole seconds and the answer took its time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClockSkew {
    /// At least.
    pub low: f64,
    /// At most.
    pub high: f64,
}

impl ClockSkew {
    fn of(answer: &Answer) -> Option<Self> {
        let date = answer.date?;
        Some(Self {
            low: seconds_between(answer.received, date),
            high: seconds_between(answer.sent, date) + 1.0,
        })
    }

    /// The smallest distance from our clock that explains what was seen.
    pub(crate) fn at_least(&self) -> f64 {
        self.low.max(-self.high).max(0.0)
    }

    pub(crate) fn sentence(&self) -> String {
        let side = if self.low > 0.0 { "ahead of" } else { "behind" };
        format!(
            "its clock is at least {:.0} s {side} this machine's",
            self.at_least()
        )
    }
}

fn seconds_between(from: SystemTime, to: SystemTime) -> f64 {
    match to.duration_since(from) {
        Ok(ahead) => ahead.as_secs_f64(),
        Err(behind) => -behind.duration().as_secs_f64(),
    }
}

/// Asks every address of every host of the target, within `limit` each. `signed`: its requests will be signed, so
/// that a clock too far off is an error. Whether credentials are right needs a
/// signed request, which is not made here.
///
/// # Errors
/// It is not there, is silent, does not speak HTTP, refuses every request because of
/// TLS, or has an impossible clock.
pub fn check(target: &Running, signed: bool, limit: Duration) -> Result<Preflight, TargetError> {
    let mut first = None;
    for (host, door) in target.way.doors() {
        let unreachable = |source| TargetError::Unreachable {
            target: target.name.clone(),
            source,
        };
        let answer = probe::get(&host.url, &door, limit, &|| false).map_err(unreachable)?;
        if let Some(complaint) = answer.complaint {
            return Err(unreachable(ProbeError::Refuses {
                address: door.address,
                complaint,
            }));
        }
        first.get_or_insert(answer);
    }
    let answer = first.ok_or_else(|| TargetError::Url {
        target: target.name.clone(),
        url: target.url.to_string(),
        reason: "it leads nowhere".to_owned(),
    })?;
    let mut warnings: Vec<String> = target
        .way
        .left_out
        .iter()
        .map(|sentence| format!("target \"{}\": {sentence}", target.name))
        .collect();
    if target.way.insecure {
        warnings.push(format!(
            "target \"{}\": its certificate is NOT checked (insecure); anybody could answer in \
             its place",
            target.name
        ));
    }
    let skew = ClockSkew::of(&answer);
    if let Some(skew) = skew {
        if signed && skew.at_least() > SKEW_REFUSED_BY_S3.as_secs_f64() {
            return Err(TargetError::Clock {
                target: target.name.clone(),
                reason: format!(
                    "{}, and S3 refuses signatures more than 15 minutes off; set one of the two clocks",
                    skew.sentence()
                ),
            });
        }
        if skew.at_least() > SKEW_WORTH_A_WORD.as_secs_f64() {
            warnings.push(format!("target \"{}\": {}", target.name, skew.sentence()));
        }
    }
    Ok(Preflight {
        answer,
        skew,
        warnings,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(date_offset: f64) -> Answer {
        let sent = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
        let date = SystemTime::UNIX_EPOCH + Duration::from_secs_f64(1_000_000.0 + date_offset);
        Answer {
            status: Some(200),
            server: None,
            date: Some(date),
            sent,
            received: sent + Duration::from_millis(500),
            complaint: None,
        }
    }

    #[test]
    fn skew_is_an_interval_that_allows_for_whole_seconds_and_the_way() {
        let skew = ClockSkew::of(&answer(0.0)).unwrap();
        assert_eq!((skew.low, skew.high), (-0.5, 1.0));
        assert_eq!(skew.at_least(), 0.0);
    }

    #[test]
    fn skew_names_its_side() {
        let ahead = ClockSkew::of(&answer(100.0)).unwrap();
        assert_eq!(ahead.at_least(), 99.5);
        assert!(ahead.sentence().contains("ahead of"));
        let behind = ClockSkew::of(&answer(-100.0)).unwrap();
        assert_eq!(behind.at_least(), 99.0);
        assert!(behind.sentence().contains("behind"));
    }
}
