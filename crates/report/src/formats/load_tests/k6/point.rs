//! The points of k6's streams, in whichever encoding: one point of `http_req_duration` is one
//! request.

use std::borrow::Cow;

use serde::Deserialize;
use tenbin_result::format::plural;
use tenbin_verdict::lint::{Reported, Rounding};

use crate::formats::imported::list::{List, Request};
use crate::formats::imported::requests::{Requests, failure_text};
use crate::formats::reader::{Fault, Selection};
use crate::formats::reported::REQUESTS;

/// The metric with the times of requests.
pub(super) const DURATION: &str = "http_req_duration";
/// The metric with 1 for each failed request, and 0 for each other.
pub(super) const FAILED: &str = "http_req_failed";

/// What names of metrics of other protocols begin with.
pub(super) const OTHER_PROTOCOLS: [&str; 3] = ["grpc_", "ws_", "browser_"];

/// k6 counts every request in its rate, whatever its status. Its times leave out the time to
/// connect.
const LIST: List = List {
    tool: "k6",
    has_urls: true,
    ..List::PLAIN
};

/// The tags that are read; empty if a point does not have the tag.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Tags<'a> {
    #[serde(borrow)]
    pub(super) method: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) name: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) url: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) status: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) error: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) error_code: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) expected_response: Cow<'a, str>,
}

impl Tags<'_> {
    /// Whether the request failed: what k6 itself decided, or otherwise by k6's default, which is a
    /// status from 200 to 399. `None` if no tag says so.
    fn has_failed(&self) -> Option<bool> {
        match (&*self.expected_response, &*self.status) {
            ("true", _) => Some(false),
            ("false", _) => Some(true),
            (_, "") => (!self.error_code.is_empty()).then_some(true),
            (_, status) => {
                let status = status.parse::<u16>().unwrap_or_default();
                Some(!(200..400).contains(&status))
            }
        }
    }

    fn failure(&self) -> Cow<'_, str> {
        match (&*self.status, &*self.error_code) {
            ("", "") => Cow::Borrowed("failed"),
            ("", code) => Cow::Owned(format!("error code {code}")),
            (status, _) => failure_text(status, &self.error),
        }
    }
}

/// The requests of a stream.
pub(super) struct Points<'a> {
    requests: Requests<'a>,
    /// Name of the last operation.
    operation: String,
    /// Requests of which no tag says whether they failed.
    untold: u64,
    /// Points of [`FAILED`], and those among them of failed requests.
    outcomes: u64,
    failed: u64,
    /// Whether there are points of other protocols.
    has_others: bool,
}

impl<'a> Points<'a> {
    pub(super) fn new(selection: &'a Selection) -> Result<Self, Fault> {
        Ok(Self {
            requests: Requests::new(LIST, selection)?,
            operation: String::new(),
            untold: 0,
            outcomes: 0,
            failed: 0,
            has_others: false,
        })
    }

    /// Sets by how much the times of the points can be rounded, nanoseconds.
    pub(super) fn set_clock(&mut self, clock: u64) {
        self.requests.set_rounding(Rounding { times: 0, clock });
    }

    /// Notes a point of another protocol.
    pub(super) fn note_other(&mut self) {
        self.has_others = true;
    }

    /// Counts a point of one of the two metrics, at a time in nanoseconds since 1970. k6 notes the
    /// time when a request has ended. The error is a clause about the point.
    pub(super) fn add(
        &mut self,
        metric: &str,
        end: i64,
        value: f64,
        tags: &Tags<'_>,
    ) -> Result<(), &'static str> {
        if metric == FAILED {
            self.outcomes += 1;
            self.failed += u64::from(value != 0.0);
            return Ok(());
        }
        let nanoseconds = (value * 1e6).round();
        if !(0.0..i64::MAX as f64 / 4.0).contains(&nanoseconds) {
            return Err("has no time from 0");
        }
        let has_failed = tags.has_failed();
        self.untold += u64::from(has_failed.is_none());
        let failure = has_failed.unwrap_or_default().then(|| tags.failure());
        name(&mut self.operation, tags);
        self.requests.add(&Request {
            operation: &self.operation,
            start: end.saturating_sub(nanoseconds as i64),
            end,
            took: nanoseconds as u64,
            objects: 1,
            url: Some(&tags.url),
            failure: failure.as_deref(),
            ..Request::default()
        })
    }

    pub(super) fn finish(mut self) -> Result<Reported, Fault> {
        if self.untold > 0 && self.failed > 0 {
            return Err(Fault::of_the_file(format!(
                "says in {FAILED} that {} failed, and not which: run k6 with the system \
                 tag status or expected_response",
                plural(self.failed, "request")
            )));
        }
        if self.requests.read() == 0 && self.has_others {
            return Err(Fault::of_the_file(format!(
                "has no point of {DURATION}: the test sent no request over HTTP, which is all that \
                 is read of k6, or the file is cut off"
            )));
        }
        // k6's summary of the same test has one operation.
        self.requests.rename_only(REQUESTS);
        let mut reported = self.requests.finish()?;
        if self.untold > 0 && self.outcomes == 0 {
            reported
                .measurements
                .iter_mut()
                .for_each(|of| of.omits_failures = true);
            reported.caveats.push(format!(
                "the file does not say which requests failed: it has neither the tags status and \
                 expected_response nor the metric {FAILED}"
            ));
        }
        Ok(reported)
    }
}

/// The name of a request: its method, and its name, which is its URL unless the test names it.
fn name(into: &mut String, tags: &Tags<'_>) {
    let page = if tags.name.is_empty() {
        &tags.url
    } else {
        &tags.name
    };
    into.clear();
    into.push_str(&tags.method);
    if !into.is_empty() && !page.is_empty() {
        into.push(' ');
    }
    into.push_str(page);
    if into.is_empty() {
        into.push_str(REQUESTS);
    }
}
