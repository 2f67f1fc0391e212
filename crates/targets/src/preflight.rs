//! Checks a target before the first slice: the target responds and speaks HTTP, and its clock
//! agrees with this machine's clock.

use std::time::{Duration, SystemTime};

use tenbin_plan::{Sentence, sentence};

use crate::error::TargetError;
use crate::probe::{self, ProbeError, ResponseHead};
use crate::route::Host;
use crate::running::Running;

/// Clock difference above which there is a warning.
pub const SKEW_WARNING: Duration = Duration::from_secs(2);
/// Clock difference above which S3 servers refuse signatures (`RequestTimeTooSkewed`, Amazon S3 API
/// reference, error responses).
pub const SKEW_REFUSED_BY_S3: Duration = Duration::from_secs(15 * 60);

/// Result of the checks of a target that has responded.
#[derive(Debug, Clone, PartialEq)]
pub struct Preflight {
    /// The response of the first host that responds to an unsigned `GET` of its URL, with any
    /// status.
    pub response: ResponseHead,
    /// The hosts that did not respond.
    pub dead: Vec<DeadHost>,
    /// Difference between the clocks of target and load generator; `None` without a `Date` header.
    pub skew: Option<ClockSkew>,
    /// Warnings, one sentence each.
    pub warnings: Vec<Sentence>,
}

/// A host that did not respond, while another one did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeadHost {
    /// Position in the route of the target.
    pub index: usize,
    /// Name of the host.
    pub name: String,
    /// Why it did not respond.
    pub reason: Sentence,
}

/// How far the target's clock is ahead of this machine's clock, seconds. The true value is between
/// `low` and `high`, because `Date` has whole seconds and the request takes time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClockSkew {
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
}

impl ClockSkew {
    fn of(response: &ResponseHead) -> Option<Self> {
        let date = response.date?;
        Some(Self {
            low: seconds_between(response.received, date),
            high: seconds_between(response.sent, date) + 1.0,
        })
    }

    /// Smallest absolute clock difference that is consistent with the response, seconds.
    pub(crate) fn at_least(&self) -> f64 {
        self.low.max(-self.high).max(0.0)
    }

    pub(crate) fn sentence(&self) -> Sentence {
        let is_ahead = self.low > 0.0;
        let skew = sentence!(
            "clock-off",
            "its clock is at least {seconds} s {side} this machine's",
            seconds = format!("{:.0}", self.at_least()),
            side = if is_ahead { "ahead of" } else { "behind" }
        );
        skew.with("ahead", is_ahead)
    }
}

fn seconds_between(from: SystemTime, to: SystemTime) -> f64 {
    match to.duration_since(from) {
        Ok(ahead) => ahead.as_secs_f64(),
        Err(behind) => -behind.duration().as_secs_f64(),
    }
}

/// Sends a `GET` request (over HTTP/2, a connection preface) to every address of every host.
/// `limit` is the time limit per address. `signed`: whether the workload signs requests, which
/// makes a large clock difference an error. Credentials are not checked: the request is unsigned.
///
/// # Errors
/// When no host responds; when an address does not speak HTTP, or refuses all requests because of
/// TLS; when a proxy responds in place of an S3 server; or when the clock difference is too large.
pub fn check(target: &Running, signed: bool, limit: Duration) -> Result<Preflight, TargetError> {
    let (mut first, mut dead, mut failed) = (None, Vec::new(), None);
    for (index, host) in target.route.hosts.iter().enumerate() {
        match response_of(target, host, limit)? {
            Ok(response) => {
                if let Some(error) = proxy_page(host, &response).filter(|_| signed) {
                    return Err(unreachable(target, error));
                }
                first.get_or_insert(response);
            }
            Err(error) => {
                dead.push(DeadHost {
                    index,
                    name: host.name.clone(),
                    reason: error.sentence(),
                });
                failed.get_or_insert(error);
            }
        }
    }
    if let (None, Some(source)) = (&first, failed) {
        return Err(unreachable(target, source));
    }
    let response = first.ok_or_else(|| without_host(target))?;
    let of_target = |said: Sentence| {
        let of = sentence!(
            "of-target",
            "target \"{target}\": {said}",
            target = target.name,
            said
        );
        of.with_part("said", [said])
    };
    let of_route = target.route.warnings.iter();
    let mut warnings: Vec<Sentence> = of_route
        .map(|warning| of_target(warning.as_str().into()))
        .collect();
    if target.route.insecure {
        warnings.push(of_target(sentence!(
            "insecure",
            "its certificate is NOT checked (insecure); another server could respond in its place"
        )));
    }
    if let Some(line) = response.bare_line_feed {
        warnings.push(of_target(sentence!(
            "bare-line-feed",
            "line {line} of its response ends with a line feed alone instead of CR LF; Tenbin accepts \
             it (RFC 9112, section 2.2), other clients may not",
            line
        )));
    }
    let skew = ClockSkew::of(&response);
    if let Some(skew) = skew {
        if signed && skew.at_least() > SKEW_REFUSED_BY_S3.as_secs_f64() {
            return Err(TargetError::Clock {
                target: target.name.clone(),
                reason: sentence!(
                    "clock-skew",
                    "{skew}, and S3 refuses signatures more than 15 minutes off; correct the \
                        wrong clock",
                    skew = skew.sentence()
                ),
            });
        }
        if skew.at_least() > SKEW_WARNING.as_secs_f64() {
            warnings.push(of_target(skew.sentence()));
        }
    }
    Ok(Preflight {
        response,
        dead,
        skew,
        warnings,
    })
}

/// Statuses of a proxy that cannot reach its server.
const OF_PROXIES: [u16; 3] = [502, 503, 504];

/// The error if a proxy responds in place of an S3 server, which would respond with XML.
fn proxy_page(host: &Host, response: &ResponseHead) -> Option<ProbeError> {
    let status = response.status.filter(|it| OF_PROXIES.contains(it))?;
    let host = host.name.clone();
    let error = ProbeError::ProxyPage { host, status };
    (!response.is_xml).then_some(error)
}

/// The first response of a host; the inner error if none of its addresses responds.
fn response_of(
    target: &Running,
    host: &Host,
    limit: Duration,
) -> Result<Result<ResponseHead, ProbeError>, TargetError> {
    let (mut first, mut failed) = (None, None);
    for endpoint in target.route.endpoints_of(host) {
        match probe::get_or_name_scheme(&host.url, &endpoint, limit, &|| false) {
            Ok(response) => match response.refusal {
                Some(refusal) => {
                    let address = endpoint.address;
                    return Err(unreachable(
                        target,
                        ProbeError::Refuses { address, refusal },
                    ));
                }
                None => {
                    first.get_or_insert(response);
                }
            },
            Err(error) if error.is_unreachable() => {
                failed.get_or_insert(error);
            }
            Err(error) => return Err(unreachable(target, error)),
        }
    }
    match (first, failed) {
        (Some(response), None) => Ok(Ok(response)),
        (None, Some(error)) => Ok(Err(error)),
        // Requests go to all addresses of a host, so a host that responds on some is not usable.
        (Some(_), Some(error)) => Err(unreachable(target, error)),
        (None, None) => Err(without_host(target)),
    }
}

fn unreachable(target: &Running, source: ProbeError) -> TargetError {
    TargetError::Unreachable {
        target: target.name.clone(),
        source,
    }
}

fn without_host(target: &Running) -> TargetError {
    TargetError::Url {
        target: target.name.clone(),
        url: target.url.to_string(),
        reason: sentence!("url-no-host-part", "it has no host"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(date_offset: f64) -> ResponseHead {
        let sent = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
        let date = SystemTime::UNIX_EPOCH + Duration::from_secs_f64(1_000_000.0 + date_offset);
        ResponseHead {
            status: Some(200),
            server: None,
            bare_line_feed: None,
            is_xml: true,
            location: None,
            date: Some(date),
            sent,
            received: sent + Duration::from_millis(500),
            refusal: None,
        }
    }

    #[test]
    fn skew_is_an_interval_that_covers_rounding_and_travel_time() {
        let skew = ClockSkew::of(&response(0.0)).unwrap();
        assert_eq!((skew.low, skew.high), (-0.5, 1.0));
        assert_eq!(skew.at_least(), 0.0);
    }

    #[test]
    fn skew_names_its_direction() {
        let ahead = ClockSkew::of(&response(100.0)).unwrap();
        assert_eq!(ahead.at_least(), 99.5);
        assert!(ahead.sentence().text().contains("ahead of"));
        let behind = ClockSkew::of(&response(-100.0)).unwrap();
        assert_eq!(behind.at_least(), 99.0);
        assert!(behind.sentence().text().contains("behind"));
    }
}
