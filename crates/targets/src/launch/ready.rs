//! Waits until a launched target is ready.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tenbin_http::Address;
use tenbin_plan::{Ready, Sentence, Target, sentence};
use url::Url;

use super::placeholders::Placeholders;
use super::{LaunchContext, Waiting, command, container};
use crate::error::{Exit, LogTail, TargetError};
use crate::probe::{self, Endpoint, ProbeError};
use crate::process::Process;
use crate::route::ResolvedRoute;

/// Time between two checks of the readiness condition.
const POLL: Duration = Duration::from_millis(20);
/// Time limit of one check request, because a server that is still starting may not respond.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(2);
/// Wait after which progress is reported.
const REPORT_AFTER: Duration = Duration::from_secs(2);

/// A readiness condition.
pub(super) enum Condition {
    Port(Vec<Endpoint>),
    Url(Url, Vec<Endpoint>),
    /// The server responds, with any status.
    Response(Url, Vec<Endpoint>),
    Log(String),
}

impl Condition {
    pub(super) fn new(
        target: &Target,
        ready: &Ready,
        values: &Placeholders,
        route: &ResolvedRoute,
    ) -> Result<Self, TargetError> {
        let endpoints =
            |route: &ResolvedRoute| route.endpoints().map(|(_, endpoint)| endpoint).collect();
        Ok(match ready {
            // The proxy of a container engine accepts connections before the server does.
            Ready::Port => match route.hosts.first() {
                Some(host) if container::client_of(target).is_some() => {
                    Self::Response(host.url.clone(), endpoints(route))
                }
                _ => Self::Port(endpoints(route)),
            },
            Ready::Url(text) => {
                let url = command::url(&target.name, &values.fill(text))?;
                let is_its_own = route
                    .hosts
                    .iter()
                    .any(|host| server_of(&host.url) == server_of(&url));
                if is_its_own {
                    return Ok(Self::Url(url, endpoints(route)));
                }
                let other = ResolvedRoute::resolve_hosts(
                    &target.name,
                    &[(url.clone(), 1)],
                    &target.connect,
                    None,
                )?;
                Self::Url(url, endpoints(&other))
            }
            Ready::Log(text) => Self::Log(values.fill(text)),
        })
    }

    fn name(&self) -> String {
        match self {
            Self::Port(endpoints) => match &endpoints[0].address {
                address @ Address::Tcp(_) => format!("port {address}"),
                address @ Address::Unix(_) => address.to_string(),
            },
            Self::Url(url, _) | Self::Response(url, _) => format!("{url}"),
            Self::Log(text) => format!("\"{text}\" in its output"),
        }
    }

    /// Checks the condition once: `None` if the condition holds, otherwise what is missing.
    fn missing(
        &self,
        process: &Process,
        limit: Duration,
        abandon: &dyn Fn() -> bool,
    ) -> Option<Sentence> {
        match self {
            Self::Port(endpoints) => {
                probe::connect(accepting(endpoints), limit.min(REQUEST_TIMEOUT))
                    .err()
                    .map(|error| match error {
                        ProbeError::Refused { address } => {
                            sentence!("nothing-listens", "nothing listens on {address}", address)
                        }
                        other => other.sentence(),
                    })
            }
            Self::Url(url, endpoints) => {
                match probe::get(
                    url,
                    accepting(endpoints),
                    limit.min(REQUEST_TIMEOUT),
                    abandon,
                ) {
                    Ok(response) => {
                        let bad = response.status.filter(|&status| status >= 500)?;
                        Some(sentence!(
                            "bad-status",
                            "{url} responds with status {bad}",
                            url,
                            bad
                        ))
                    }
                    Err(error) => Some(error.sentence()),
                }
            }
            Self::Response(url, endpoints) => {
                let limit = limit.min(REQUEST_TIMEOUT);
                let response = probe::get(url, accepting(endpoints), limit, abandon);
                response.err().map(|error| error.sentence())
            }
            Self::Log(text) => (!process.output.awaited_seen())
                .then(|| sentence!("log-lacks", "its output does not contain \"{text}\"", text)),
        }
    }
}

/// The parts of a URL that determine the server: scheme, host and port.
fn server_of(url: &Url) -> (&str, Option<&str>, Option<u16>) {
    (url.scheme(), url.host_str(), url.port_or_known_default())
}

/// The first endpoint that accepts connections; the first endpoint if no endpoint accepts.
fn accepting(endpoints: &[Endpoint]) -> &Endpoint {
    let opens = |endpoint: &&Endpoint| probe::connect(endpoint, Duration::from_secs(1)).is_ok();
    match endpoints {
        [only] => only,
        several => several.iter().find(opens).unwrap_or(&several[0]),
    }
}

/// Why a target did not become ready.
pub(super) enum Failure {
    Interrupted,
    Ended(Exit),
    TooLate { limit: Duration, missing: Sentence },
}

impl Failure {
    /// The error of a target with this last output.
    pub(super) fn with_tail(self, target: &Target, tail: Vec<String>) -> TargetError {
        let name = target.name.clone();
        match self {
            Self::Interrupted => TargetError::Interrupted { target: name },
            Self::Ended(exit) => TargetError::EndedEarly {
                target: name,
                exit,
                advice: container::after_end(target, exit.status, &tail),
                tail: LogTail(tail),
            },
            Self::TooLate { limit, missing } => TargetError::NotReady {
                target: name,
                limit,
                reason: match container::not_ready(target, &tail) {
                    Some(advice) => {
                        sentence!("container-late", "{missing}; {advice}", missing, advice)
                    }
                    None => missing,
                },
                tail: LogTail(tail),
            },
        }
    }
}

/// Minimum time limit of a check request, even if the request then exceeds the overall limit. With
/// a shorter limit, the last request would report a timeout instead of the response.
const MIN_REQUEST_TIMEOUT: Duration = Duration::from_millis(100);

/// Waits until the condition holds. Fails if the process ends first.
pub(super) fn wait(
    target: &str,
    condition: &Condition,
    process: &Process,
    limit: Duration,
    context: &LaunchContext<'_>,
) -> Result<(), Failure> {
    let started = Instant::now();
    let interrupted = || context.stop.load(Ordering::Relaxed);
    let abandon = || interrupted() || process.guarded.alive().is_err();
    let mut next_word = REPORT_AFTER;
    loop {
        let left = limit.saturating_sub(started.elapsed());
        let missing = condition.missing(process, left.max(MIN_REQUEST_TIMEOUT), &abandon);
        if interrupted() {
            return Err(Failure::Interrupted);
        }
        // Checked even if the condition holds, because another process can fulfil the condition.
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
            (context.waiting)(&Waiting {
                target,
                awaited: &condition.name(),
                waited,
                limit,
            });
        }
        process.guarded.sleep(POLL);
    }
}
