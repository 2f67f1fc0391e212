//! What responses to the same request look like, and which of them are of another kind.
//!
//! A server under load can send something short with status 200: an empty body, an error
//! message, the cached page of somebody else. It is fast at that, and none of it is the work
//! that was to be measured. So a workload that does not know the right response learns it:
//! from a [probe](Prober) before the run or, without one, from the first responses of the run
//! ([`Expectation::of`]). A [`Monitor`] in each worker compares the length of every response with
//! it and the content of some.

mod content;
mod expectation;
mod lengths;
mod monitor;
mod probe;
mod tally;

use self::content::Decoded;
pub(crate) use self::expectation::Expectation;
pub(crate) use self::lengths::Lengths;
pub(crate) use self::monitor::{KEPT_BYTES, Monitor, Report, Rules, shown};
pub(crate) use self::probe::{Findings, Prober};

/// Kinds of unexpected responses that are counted apart.
const MOST_UNEXPECTED: usize = 8;

/// What a request is expected to be answered with on one target.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ExpectedResponse {
    /// Responses to requests that were sent before the run; 0 where none was.
    pub probed: u64,
    /// Status; `None` where nothing is known yet.
    pub status: Option<u16>,
    /// The shortest body that counts as expected, bytes.
    pub shortest: u64,
    /// The longest.
    pub longest: u64,
    /// Mean length of the bodies of the probe, bytes.
    pub mean: Option<f64>,
    /// What is known of the content.
    pub content: Sameness,
    /// Number of kinds of responses of the probe that came again and again.
    pub kinds: u64,
    /// `Content-Type`, as received.
    pub content_type: Option<String>,
    /// `Content-Encoding`, as received.
    pub encoding: Option<String>,
    /// Mean length of the decoded bodies of the probe, bytes; `None` where one could not be
    /// decoded.
    pub decoded_mean: Option<f64>,
    /// Checksum of the decoded body, if that of all responses of the probe is the same.
    pub decoded_sum: Option<u64>,
}

/// Whether responses to a request have the same content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sameness {
    /// Nothing is known.
    #[default]
    Unknown,
    /// All responses expected have the same content.
    Same,
    /// The content differs from response to response, or changes with time.
    Varies,
}

/// What was seen of the responses of one slice.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ResponsesSeen {
    /// Responses whose length was compared.
    pub compared: u64,
    /// Responses whose content was compared as well.
    pub read: u64,
    /// Responses of other kinds, the most frequent first.
    pub unexpected: Vec<UnexpectedResponses>,
    /// Responses of still other kinds.
    pub others: u64,
}

impl ResponsesSeen {
    /// What several workers saw of the same slice.
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

/// Responses of one kind that was not expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnexpectedResponses {
    /// Status.
    pub status: u16,
    /// Length of the body, bytes.
    pub length: u64,
    /// How many.
    pub count: u64,
    /// The first bytes of one of them, as printable text. Hostile until escaped.
    pub example: String,
}
