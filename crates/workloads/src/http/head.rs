//! Heads of requests, and statuses that count as success.

use std::ops::Range;

use tenbin_plan::HttpWork;

use crate::error::WorkloadError;
use crate::site::Site;
use crate::text::{is_token, is_visible, push_decimal, push_header};

/// Statuses that count as success.
pub(super) struct Success([bool; STATUSES]);

/// Only statuses below this number can be a success.
const STATUSES: usize = 600;

impl Success {
    /// Success is a status in `expect`, or any 2xx if `expect` is empty.
    pub(super) fn new(expect: &[u16]) -> Self {
        const SUCCESS: Range<usize> = 200..300;
        let mut holds = [false; STATUSES];
        if expect.is_empty() {
            holds[SUCCESS].fill(true);
        }
        for status in expect {
            if let Some(holds) = holds.get_mut(usize::from(*status)) {
                *holds = true;
            }
        }
        Self(holds)
    }

    #[inline]
    pub(super) fn holds(&self, status: u16) -> bool {
        self.0.get(usize::from(status)).copied().unwrap_or(false)
    }
}

/// The parts of a request head, except the host.
pub(super) struct Parts<'a> {
    pub(super) method: &'a str,
    pub(super) path: &'a str,
    /// Headers of this request; they replace shared headers of the same name.
    pub(super) own: &'a [(String, String)],
    /// Headers shared by all requests.
    pub(super) shared: &'a [(String, String)],
    /// Length of the body, bytes.
    pub(super) body: usize,
    pub(super) keep_alive: bool,
}

impl Parts<'_> {
    /// The complete head for a host.
    pub(super) fn head(&self, host: &str) -> Vec<u8> {
        let mut head = Vec::with_capacity(256);
        self.push_line(&mut head);
        head.extend_from_slice(&self.host_line(host));
        self.push_rest(&mut head);
        head
    }

    /// Writes the part before the `Host` header.
    pub(super) fn push_line(&self, head: &mut Vec<u8>) {
        head.extend_from_slice(self.method.as_bytes());
        head.push(b' ');
        head.extend_from_slice(self.path.as_bytes());
        head.extend_from_slice(b" HTTP/1.1\r\n");
    }

    /// The `Host` header line; empty if the plan sets `Host`.
    pub(super) fn host_line(&self, host: &str) -> Vec<u8> {
        let mut line = Vec::new();
        if !self.gives("host") {
            push_header(&mut line, "Host", host.as_bytes());
        }
        line
    }

    /// Writes the part after the `Host` header.
    pub(super) fn push_rest(&self, head: &mut Vec<u8>) {
        if !self.gives("user-agent") {
            push_header(head, "User-Agent", crate::USER_AGENT.as_bytes());
        }
        if !self.keep_alive && !self.gives("connection") {
            push_header(head, "Connection", b"close");
        }
        let replaced = |name: &str| gives(self.own, name);
        for (name, value) in self.shared.iter().filter(|(name, _)| !replaced(name)) {
            push_header(head, name, value.as_bytes());
        }
        for (name, value) in self.own {
            push_header(head, name, value.as_bytes());
        }
        if self.body > 0 || expects_a_body(self.method) {
            head.extend_from_slice(b"Content-Length: ");
            push_decimal(head, self.body as u64);
            head.extend_from_slice(b"\r\n");
        }
        head.extend_from_slice(b"\r\n");
    }

    fn gives(&self, name: &str) -> bool {
        gives(self.own, name) || gives(self.shared, name)
    }
}

/// Whether one of these headers has this name, ignoring case.
fn gives(headers: &[(String, String)], name: &str) -> bool {
    headers
        .iter()
        .any(|(own, _)| own.eq_ignore_ascii_case(name))
}

/// Checks that these headers can be sent.
pub(super) fn check_headers(
    workload: &str,
    headers: &[(String, String)],
) -> Result<(), WorkloadError> {
    for (name, value) in headers {
        let problem = if !is_token(name) {
            "is not a header name"
        } else if value.bytes().any(|b| b.is_ascii_control() && b != b'\t') {
            "has a value with control characters"
        } else if name.eq_ignore_ascii_case("content-length")
            || name.eq_ignore_ascii_case("transfer-encoding")
        {
            "is set from the body; leave it out"
        } else {
            continue;
        };
        return Err(WorkloadError::Header {
            workload: workload.to_owned(),
            name: name.clone(),
            problem,
        });
    }
    Ok(())
}

/// Checks that the hosts of the target can be sent in a header.
pub(super) fn check_hosts(work: &HttpWork, target: &Site) -> Result<(), WorkloadError> {
    let mut hosts = target.host_headers().iter();
    if gives(&work.headers, "host") || hosts.all(|host| is_visible(host)) {
        return Ok(());
    }
    Err(WorkloadError::Site {
        url: target.shown(),
        what: "host",
    })
}

/// Whether requests with this method state an empty body with `Content-Length: 0` (RFC 9110,
/// section 8.6).
fn expects_a_body(method: &str) -> bool {
    matches!(method, "POST" | "PUT" | "PATCH")
}
