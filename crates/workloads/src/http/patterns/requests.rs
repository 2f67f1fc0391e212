//! The requests of all patterns, formatted once.

use tenbin_plan::patterns::Logged;
use tenbin_plan::{self as plan, HttpWork, Pattern, PatternSet};

use super::super::head::{self, Parts, Success};
use crate::error::WorkloadError;
use crate::intern::interned;
use crate::site::Site;

/// The formatted requests of all patterns and the success statuses, shared by all threads. All text
/// is in one buffer.
pub(super) struct Requests {
    operations: Vec<&'static str>,
    requests: Vec<Request>,
    text: Vec<u8>,
    /// The `Host` header, by host.
    host_lines: Vec<Vec<u8>>,
    /// The patterns of each host; `None` if every host gets all patterns.
    hosts_of: Option<Vec<Vec<u32>>>,
    pub(super) success: Success,
}

/// Position of a request in the buffer, and its settings.
struct Request {
    start: usize,
    /// End of the request line; the `Host` header is inserted here.
    line_end: usize,
    head_end: usize,
    body_end: usize,
    group: u32,
    bodyless_response: bool,
    /// Timeout, nanoseconds; 0 for the timeout of the load.
    timeout: u64,
    /// The expected status, if a log records another one than a success.
    logged: Option<Logged>,
}

impl Requests {
    pub(super) fn new(
        work: &plan::Workload,
        http: &HttpWork,
        set: &PatternSet,
        target: &Site,
    ) -> Result<Self, WorkloadError> {
        head::check_headers(&work.name, &http.headers)?;
        head::check_hosts(http, target)?;
        let parts = |pattern: &Pattern, own| Parts {
            method: "",
            path: "",
            own,
            shared: &http.headers,
            body: pattern.body.len(),
            keep_alive: work.load.keep_alive,
        };
        let mut text = Vec::new();
        let mut requests = Vec::with_capacity(set.len());
        for pattern in set.patterns() {
            let parts = Parts {
                method: &pattern.method,
                path: &pattern.path,
                ..parts(pattern, pattern.headers.as_slice())
            };
            let start = text.len();
            parts.push_line(&mut text);
            let line_end = text.len();
            parts.push_rest(&mut text);
            let head_end = text.len();
            text.extend_from_slice(&pattern.body);
            requests.push(Request {
                start,
                line_end,
                head_end,
                body_end: text.len(),
                group: pattern.group as u32,
                bodyless_response: pattern.method == "HEAD",
                timeout: pattern
                    .timeout
                    .map_or(0, |time| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)),
                // Statuses that the plan names are those of all requests.
                logged: pattern.logged.filter(|_| http.expect.is_empty()),
            });
        }
        let hosts = target.host_headers().iter();
        let any = &set.patterns()[0];
        let groups = set.groups().iter();
        Ok(Self {
            operations: groups.map(|group| interned(&group.name)).collect(),
            requests,
            text,
            host_lines: hosts.map(|host| parts(any, &[]).host_line(host)).collect(),
            hosts_of: hosts_of(&work.name, set, target)?,
            success: Success::new(&http.expect),
        })
    }

    pub(super) fn operations(&self) -> &[&'static str] {
        &self.operations
    }

    /// Number of hosts.
    pub(super) fn hosts(&self) -> usize {
        self.host_lines.len()
    }

    /// The patterns of each host; `None` if every host gets all patterns.
    pub(super) fn hosts_of(&self) -> Option<&[Vec<u32>]> {
        self.hosts_of.as_deref()
    }

    /// Writes a request into an exchange.
    #[inline]
    pub(super) fn write(&self, pattern: u32, exchange: &mut tenbin_engine::Exchange) {
        self.write_to(exchange.host, pattern, exchange);
    }

    /// Writes a request for `host` instead of the host of the exchange.
    #[inline]
    pub(super) fn write_to(
        &self,
        host: usize,
        pattern: u32,
        exchange: &mut tenbin_engine::Exchange,
    ) {
        let request = &self.requests[pattern as usize];
        exchange.head.clear();
        let line = &self.text[request.start..request.line_end];
        let rest = &self.text[request.line_end..request.head_end];
        exchange.head.extend_from_slice(line);
        exchange.head.extend_from_slice(&self.host_lines[host]);
        exchange.head.extend_from_slice(rest);
        exchange.op = request.group as usize;
        exchange.bodyless_response = request.bodyless_response;
        exchange.timeout = request.timeout;
        exchange.tag = u64::from(pattern);
    }

    /// Whether the status is the expected one for the request of an exchange.
    #[inline]
    pub(super) fn is_expected(&self, exchange: &tenbin_engine::Exchange, status: u16) -> bool {
        match self.requests[exchange.tag as usize].logged {
            None => self.success.holds(status),
            Some(Logged {
                status: logged,
                or_success,
            }) => status == logged || (or_success && self.success.holds(status)),
        }
    }

    #[inline]
    pub(super) fn body(&self, exchange: &tenbin_engine::Exchange) -> &[u8] {
        let request = &self.requests[exchange.tag as usize];
        &self.text[request.head_end..request.body_end]
    }
}

/// The patterns of each host of the target; `None` if every host gets all patterns.
fn hosts_of(
    workload: &str,
    set: &PatternSet,
    target: &Site,
) -> Result<Option<Vec<Vec<u32>>>, WorkloadError> {
    let refused = |reason: String| WorkloadError::Patterns {
        workload: workload.to_owned(),
        reason: reason.into(),
    };
    let patterns = set.patterns();
    if patterns
        .iter()
        .all(|pattern| pattern.host.is_none() && pattern.port.is_none())
    {
        return Ok(None);
    }
    let hosts = target.hosts_and_ports();
    let mut lists = vec![Vec::new(); hosts.len()];
    for (at, pattern) in (0..).zip(patterns) {
        let mut somewhere = false;
        for (list, (host, port)) in lists.iter_mut().zip(&hosts) {
            let same_host = pattern.host.as_ref().is_none_or(|own| own == host);
            if same_host && pattern.port.is_none_or(|own| Some(own) == *port) {
                list.push(at);
                somewhere = true;
            }
        }
        if !somewhere {
            let host = pattern.host.as_deref().unwrap_or("any host");
            let port = pattern
                .port
                .map_or(String::new(), |port| format!(":{port}"));
            return Err(refused(format!(
                "{} is for {host}{port}, which is no host of the target at {}; its hosts are {}",
                short(&pattern.label()),
                target.shown(),
                target.host_headers().join(", ")
            )));
        }
    }
    if let Some(idle) = lists.iter().position(Vec::is_empty) {
        return Err(refused(format!(
            "no pattern is for host {} of the target at {}",
            target.host_headers()[idle],
            target.shown()
        )));
    }
    let all = patterns.len();
    Ok(lists.iter().any(|list| list.len() < all).then_some(lists))
}

fn short(label: &str) -> String {
    const MOST: usize = 80;
    match label.char_indices().nth(MOST) {
        Some((end, _)) => format!("{:?}…", &label[..end]),
        None => format!("{label:?}"),
    }
}
