//! A request of a list, and what holds for all requests of a list.

use tenbin_verdict::lint::{Rounding, Unit};

/// One request of a list. What a format does not have is 0 or `None`.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::formats) struct Request<'a> {
    /// Name of the operation, as it is shown.
    pub(in crate::formats) operation: &'a str,
    /// Start and end, nanoseconds by the [`Clock`] of the list. The end is not before the start.
    pub(in crate::formats) start: i64,
    pub(in crate::formats) end: i64,
    /// Duration, nanoseconds: the tool can measure it more precisely than start and end.
    pub(in crate::formats) took: u64,
    /// Time to the first byte, nanoseconds.
    pub(in crate::formats) first_byte: Option<u64>,
    /// Objects in the response.
    pub(in crate::formats) objects: u64,
    /// Size of the content, bytes.
    pub(in crate::formats) bytes: u64,
    /// The URL, or the endpoint.
    pub(in crate::formats) url: Option<&'a str>,
    /// The names of the client and of its thread.
    pub(in crate::formats) thread: Option<(&'a str, &'a str)>,
    /// Why the request failed. A failed request is no throughput and has no time.
    pub(in crate::formats) failure: Option<&'a str>,
}

/// From when a list counts its times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::formats) enum Clock {
    /// From 1970.
    Unix,
    /// From the start of the run, whose date is unknown.
    Run,
}

/// What holds for all requests of a list.
#[derive(Debug, Clone, Copy)]
pub(in crate::formats) struct List {
    pub(in crate::formats) tool: &'static str,
    pub(in crate::formats) unit: Unit,
    pub(in crate::formats) clock: Clock,
    pub(in crate::formats) rounding: Rounding,
    /// Whether the tool's throughput counts failed requests.
    pub(in crate::formats) counts_failures: bool,
    /// Whether the list leaves out requests that failed without a response.
    pub(in crate::formats) omits_failures: bool,
    pub(in crate::formats) closed_loop: bool,
    /// Whether the list has the sizes of responses.
    pub(in crate::formats) has_bytes: bool,
    /// Whether the list has the URLs of requests.
    pub(in crate::formats) has_urls: bool,
}

impl List {
    /// A list with times since 1970, exact to the nanosecond, of a tool that counts failures as
    /// throughput.
    pub(in crate::formats) const PLAIN: Self = Self {
        tool: "",
        unit: Unit::Requests,
        clock: Clock::Unix,
        rounding: Rounding { times: 0, clock: 0 },
        counts_failures: true,
        omits_failures: false,
        closed_loop: false,
        has_bytes: false,
        has_urls: false,
    };
}
