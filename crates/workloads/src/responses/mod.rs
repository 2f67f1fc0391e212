//! Comparison of responses to the same request.
//!
//! A server under load can send a short response with status 200: an empty body, an error message,
//! or another page from its cache. These responses are fast, but the server did not do the work to
//! be measured. A workload without a known correct response therefore learns the expected response:
//! from a [probe](Prober) before the run or, without a probe, from the first responses of the run
//! ([`Expectation::of`]). A [`Monitor`] in each worker compares the length of every response with
//! the expected length, and the content of a sample of responses with the expected content.

mod content;
mod expectation;
mod lengths;
mod monitor;
mod probe;
mod tally;

use serde::{Deserialize, Serialize};

use self::content::Decoded;
pub(crate) use self::expectation::Expectation;
pub(crate) use self::lengths::Lengths;
pub(crate) use self::monitor::{KEPT_BYTES, Monitor, Report, Rules, shown};
pub(crate) use self::probe::{Findings, Prober};

/// Maximum number of kinds of unexpected responses that are counted separately.
const MOST_UNEXPECTED: usize = 8;

/// The expected response to a request on one target.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ExpectedResponse {
    /// Number of responses to the probe before the run; 0 without a probe.
    pub probed: u64,
    /// Expected status; `None` if unknown.
    pub status: Option<u16>,
    /// Shortest expected body, bytes.
    pub shortest: u64,
    /// Longest expected body, bytes.
    pub longest: u64,
    /// Mean length of the probe's bodies, bytes; `None` without a probe.
    pub mean: Option<f64>,
    /// Whether the content is constant.
    pub content: Sameness,
    /// Number of kinds of responses (status, length, content) that the probe received repeatedly.
    pub kinds: u64,
    /// `Content-Type`, as received.
    pub content_type: Option<String>,
    /// `Content-Encoding`, as received.
    pub encoding: Option<String>,
    /// Mean length of the probe's decoded bodies, bytes; `None` if a body could not be decoded.
    pub decoded_mean: Option<f64>,
    /// Checksum of the decoded bodies, if equal for all responses of the probe.
    pub decoded_sum: Option<u64>,
}

/// Whether the responses to a request have the same content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sameness {
    /// Not known yet.
    #[default]
    Unknown,
    /// All expected responses have the same content.
    Same,
    /// The content varies between responses or with time.
    Varies,
}

/// Comparison of the responses of one slice.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ResponseComparison {
    /// Responses whose length was compared.
    pub compared: u64,
    /// Compared responses whose body was read.
    pub read: u64,
    /// Unexpected responses by status and length, the most frequent first.
    pub unexpected: Vec<UnexpectedResponses>,
    /// Number of unexpected responses that `unexpected` does not contain.
    pub others: u64,
}

impl ResponseComparison {
    /// Merges the comparisons of two workers for the same slice.
    pub(crate) fn and(mut self, other: Self) -> Self {
        self.compared += other.compared;
        self.read += other.read;
        self.others += other.others;
        for kind in other.unexpected {
            let key = |kind: &UnexpectedResponses| (kind.status, kind.length);
            let kinds = &mut self.unexpected;
            match kinds.iter().position(|known| key(known) == key(&kind)) {
                Some(at) => kinds[at].count += kind.count,
                None if kinds.len() < MOST_UNEXPECTED => kinds.push(kind),
                None => self.others += kind.count,
            }
        }
        self.unexpected
            .sort_by_key(|kind| std::cmp::Reverse(kind.count));
        self
    }
}

/// Unexpected responses with the same status and length.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnexpectedResponses {
    /// Status.
    pub status: u16,
    /// Length of the body, bytes.
    pub length: u64,
    /// Number of responses.
    pub count: u64,
    /// The first characters of one of these bodies, as printable text. Untrusted until escaped.
    pub example: String,
}
