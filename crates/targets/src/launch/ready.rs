//! Waiting until a launched target is up.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tenbin_plan::{Ready, Target};
use url::Url;

use super::placeholders::Placeholders;
use super::{Grounds, Waiting, command};
use crate::address::Address;
use crate::error::{Exit, LogTail, TargetError};
use crate::probe::{self, Door, ProbeError};
use crate::process::Process;
use crate::way::Way;

/// Between two looks.
const POLL: Duration = Duration::from_millis(20);
/// One look at a URL: a server that is still coming up may leave us hanging.
const ONE_LOOK: Duration = Duration::from_secs(2);
/// Waits shorter than this are not worth a word.
const WORTH_A_WORD: Duration = Duration::from_secs(2);

/// What is waited for.
pub(super) enum Condition {
    Port(Vec<Door>),
    Url(Url, Vec<Door>),
    Log(String),
}

impl Condition {
    pub(super) fn new(
        target: &Target,
        ready: &Ready,
        values: &Placeholders,
        way: &Way,
    ) -> Result<Self, TargetError> {
        let doors = |way: &Way| way.doors().map(|(_, door)| door).collect();
        Ok(match ready {
            Ready::Port => Self::Port(doors(way)),
            Ready::Url(text) => {
                let url = command::url(&target.name, &values.fill(text))?;
                let is_its_own = way.hosts.iter().any(|host| place(&host.url) == place(&url));
                if is_its_own {
                    return Ok(Self::Url(url, doors(way)));
                }
                let other = Way::find(&target.name, &[(url.clone(), 1)], &target.way, None)?;
                Self::Url(url, doors(&other))
            }
            Ready::Log(text) => Self::Log(values.fill(text)),
        })
    }

    fn name(&self) -> String {
        match self {
            Self::Port(doors) => match &doors[0].address {
                address @ Address::Tcp(_) => format!("port {address}"),
                address @ Address::Unix(_) => address.to_string(),
            },
            Self::Url(url, _) => format!("{url}"),
            Self::Log(text) => format!("\"{text}\" in its output"),
        }
    }

    /// Nothing if it holds, else what is missing.
    fn missing(
        &self,
        process: &Process,
        limit: Duration,
        abandon: &dyn Fn() -> bool,
    ) -> Option<String> {
        match self {
            Self::Port(doors) => probe::connect(accepting(doors), limit.min(ONE_LOOK))
                .err()
                .map(|error| match error {
                    ProbeError::Refused { address } => format!("nothing listens on {address}"),
                    other => other.to_string(),
                }),
            Self::Url(url, doors) => {
                match probe::get(url, accepting(doors), limit.min(ONE_LOOK), abandon) {
                    Ok(answer) => {
                        let bad = answer.status.filter(|&status| status >= 500)?;
                        Some(format!("{url} answers with status {bad}"))
                    }
                    Err(error) => Some(error.to_string()),
                }
            }
            Self::Log(text) => (!process.output.awaited_seen())
                .then(|| format!("its output does not contain \"{text}\"")),
        }
    }
}

/// What decides where a URL leads to.
fn place(url: &Url) -> (&str, Option<&str>, Option<u16>) {
    (url.scheme(), url.host_str(), url.port_or_known_default())
}

/// Of several doors the first that opens, or else the first.
fn accepting(doors: &[Door]) -> &Door {
    let opens = |door: &&Door| probe::connect(door, Duration::from_secs(1)).is_ok();
    match doors {
        [only] => only,
        several => several.iter().find(opens).unwrap_or(&several[0]),
    }
}

/// Why a target did not become ready.
pub(super) enum Failure {
    Interrupted,
    Ended(Exit),
    TooLate { limit: Duration, missing: String },
}

impl Failure {
    pub(super) fn with_tail(self, target: &str, tail: Vec<String>) -> TargetError {
        let target = target.to_owned();
        let tail = LogTail(tail);
        match self {
            Self::Interrupted => TargetError::Interrupted { target },
            Self::Ended(exit) => TargetError::EndedEarly { target, exit, tail },
            Self::TooLate { limit, missing } => TargetError::NotReady {
                target,
                limit,
                reason: missing,
                tail,
            },
        }
    }
}

/// The last attempt may take this long beyond the limit: with less, it would report silence instead of
/// what the target responds.
const LEAST_ATTEMPT: Duration = Duration::from_millis(100);

/// Waits until the condition holds and the process lives.
pub(super) fn wait(
    target: &str,
    condition: &Condition,
    process: &Process,
    limit: Duration,
    grounds: &Grounds<'_>,
) -> Result<(), Failure> {
    let started = Instant::now();
    let interrupted = || grounds.stop.load(Ordering::Relaxed);
    let abandon = || interrupted() || process.guarded.alive().is_err();
    let mut next_word = WORTH_A_WORD;
    loop {
        let left = limit.saturating_sub(started.elapsed());
        let missing = condition.missing(process, left.max(LEAST_ATTEMPT), &abandon);
        if interrupted() {
            return Err(Failure::Interrupted);
        }
        // Also when the condition holds: then somebody else fulfils it.
        process.guarded.alive().map_err(Failure::Ended)?;
        let Some(missing) = missing else {
            return Ok(());
        };
        let waited = started.elapsed();
        if waited >= limit {
            return Err(Failure::TooLate { limit, missing });
        }
        if waited >= next_word {
            next_word = waited + Duration::from_secs(1);
            (grounds.waiting)(&Waiting {
                target,
                awaited: &condition.name(),
                waited,
                limit,
            });
        }
        process.guarded.sleep(POLL);
    }
}
