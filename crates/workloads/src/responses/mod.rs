//! Comparison of responses to the same request.
//!
//! A server under load can send another response with status 200: an empty body, an error message,
//! half a page, or an old page from its cache. These responses are fast, but the server did not do
//! the work to be measured. A workload without a known correct response therefore learns what the
//! unloaded server sends ([`Reference`]): from a [probe](Prober) before the run or in the warm-up
//! or, without a probe, from the first responses of the run. A [`Monitor`] in each worker compares
//! status and length of every response with the reference, and the [shape](shape) of a sample. What
//! single responses cannot show is counted for statistical tests ([`Portrait`]).

mod content;
mod lengths;
mod monitor;
mod observed;
mod portrait;
mod probe;
mod reference;
mod shape;
mod summary;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub(crate) use self::lengths::Lengths;
pub(crate) use self::monitor::{KEPT_BYTES, Known, Monitor, Report, Rules, shown};
use self::observed::Observed;
pub use self::portrait::Portrait;
pub(crate) use self::probe::{CONNECTIONS, Findings, Prober};
pub(crate) use self::reference::Reference;
pub(crate) use self::summary::Comparing;
pub use self::summary::{ExpectedResponse, Sameness, Unchecked};

/// Maximum number of kinds of unexpected responses that are counted separately.
const MOST_UNEXPECTED: usize = 8;
/// Maximum number of responses from which a reference is learned.
const MOST_LEARNED: usize = 256;

/// Responses from which a reference is learned, and the names of their features.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Learned {
    responses: Vec<Observed>,
    names: BTreeMap<u64, String>,
}

impl Learned {
    /// The reference; `None` without responses.
    fn reference(&self, is_unloaded: bool) -> Option<Reference> {
        Reference::of(&self.responses, is_unloaded, &self.names)
    }

    fn add(&mut self, other: Self) {
        let space = MOST_LEARNED.saturating_sub(self.responses.len());
        self.responses
            .extend(other.responses.into_iter().take(space));
        self.names.extend(other.names);
    }
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
    /// How one of these responses differs from the reference, as a clause.
    pub difference: String,
    /// The first characters of one of these bodies, as printable text. Untrusted until escaped.
    pub example: String,
}
