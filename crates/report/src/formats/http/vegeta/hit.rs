//! One request of vegeta's lists, and their counting, whatever the encoding.

use std::borrow::Cow;

use tenbin_verdict::lint::Reported;

use crate::formats::imported::list::{List, Request};
use crate::formats::imported::requests::{Requests, failure_text};
use crate::formats::reader::{Fault, Selection};
use crate::formats::reported::REQUESTS;

/// vegeta sends at a rate. Its throughput has only responses with a status from 200 to 399.
const LIST: List = List {
    tool: "vegeta",
    counts_failures: false,
    has_bytes: true,
    has_urls: true,
    ..List::PLAIN
};

/// One request. A field without a value is 0 or empty.
#[derive(Default)]
pub(super) struct Hit<'a> {
    /// Number of the request, from 0.
    pub(super) number: u64,
    pub(super) status: u64,
    /// Nanoseconds since 1970.
    pub(super) start: Option<i64>,
    pub(super) nanoseconds: i64,
    pub(super) bytes_in: u64,
    pub(super) error: Cow<'a, str>,
    /// Empty in lists of vegeta before version 12.8.
    pub(super) url: Cow<'a, str>,
}

/// The requests of a list.
pub(super) struct Hits<'a> {
    requests: Requests<'a>,
    /// The largest number of a request.
    last: Option<u64>,
}

impl<'a> Hits<'a> {
    pub(super) fn new(selection: &'a Selection) -> Result<Self, Fault> {
        Ok(Self {
            requests: Requests::new(LIST, selection)?,
            last: None,
        })
    }

    /// Counts a request. The error is a clause about it.
    pub(super) fn add(&mut self, hit: &Hit<'_>) -> Result<(), &'static str> {
        self.last = self.last.max(Some(hit.number));
        let start = hit.start.ok_or("has no start")?;
        let took = u64::try_from(hit.nanoseconds).map_err(|_| "has a time below 0")?;
        let end = start.checked_add(hit.nanoseconds).ok_or("has no end")?;
        let is_ok = (200..400).contains(&hit.status);
        let failure = (!is_ok).then(|| failure_text(&hit.status.to_string(), &hit.error));
        self.requests.add(&Request {
            operation: REQUESTS,
            start,
            end,
            took,
            objects: 1,
            bytes: hit.bytes_in,
            url: Some(&hit.url),
            failure: failure.as_deref(),
            ..Request::default()
        })
    }

    pub(super) fn finish(self) -> Result<Reported, Fault> {
        let count = self.requests.read();
        match self.last {
            None => Err(Fault::of_the_file("has no request")),
            // vegeta numbers its requests from 0.
            Some(last) if last >= count => Err(Fault::of_the_file(format!(
                "has {count} requests, and one is number {last}: requests are missing; the file \
                 may be cut off"
            ))),
            Some(_) => self.requests.finish(),
        }
    }
}
