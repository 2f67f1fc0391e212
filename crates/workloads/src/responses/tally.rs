//! Counts of responses by kind.

use serde::{Deserialize, Serialize};

/// Maximum number of kinds that are distinguished.
pub(super) const MOST_KINDS: usize = 32;

/// One response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Response {
    pub(crate) status: u16,
    /// Length of the body, bytes.
    pub(crate) length: u64,
    /// Checksum of the body.
    pub(crate) sum: u64,
    /// Time at which the request was prepared, seconds since 1970-01-01 UTC.
    pub(crate) second: u64,
}

impl Response {
    fn is_like(&self, other: &Self) -> bool {
        (self.status, self.length, self.sum) == (other.status, other.length, other.sum)
    }
}

/// Responses of one kind: with the same status, length and checksum.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Kind {
    /// The first response of this kind.
    pub(super) first: Response,
    pub(super) last_second: u64,
    pub(super) count: u64,
}

/// Counts of responses by kind, in the order in which the kinds occurred.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Kinds {
    pub(super) kinds: Vec<Kind>,
    pub(super) total: u64,
    /// Whether a kind occurred again after another kind.
    pub(super) is_interleaved: bool,
    last: Option<usize>,
}

impl Kinds {
    /// An empty count with memory for all kinds, so that counting allocates nothing.
    pub(super) fn with_memory() -> Self {
        Self {
            kinds: Vec::with_capacity(MOST_KINDS),
            ..Self::default()
        }
    }

    pub(super) fn add(&mut self, response: Response) {
        self.total += 1;
        let at = self
            .kinds
            .iter()
            .position(|kind| kind.first.is_like(&response));
        match at {
            Some(at) => {
                self.is_interleaved |= self.last != Some(at);
                self.last = Some(at);
                let kind = &mut self.kinds[at];
                kind.count += 1;
                kind.last_second = kind.last_second.max(response.second);
            }
            None if self.kinds.len() < MOST_KINDS => {
                self.last = Some(self.kinds.len());
                self.kinds.push(Kind {
                    first: response,
                    last_second: response.second,
                    count: 1,
                });
            }
            None => self.last = None,
        }
    }

    /// The counts with all times moved by `seconds`.
    pub(super) fn shifted(mut self, seconds: i64) -> Self {
        for kind in &mut self.kinds {
            kind.first.second = kind.first.second.saturating_add_signed(seconds);
            kind.last_second = kind.last_second.saturating_add_signed(seconds);
        }
        self
    }

    /// Merges the counts of two workers for the same slice.
    pub(super) fn and(mut self, other: Self) -> Self {
        self.total += other.total;
        self.is_interleaved |= other.is_interleaved;
        for kind in other.kinds {
            let mut kinds = self.kinds.iter();
            match kinds.position(|known| known.first.is_like(&kind.first)) {
                Some(at) => {
                    let known = &mut self.kinds[at];
                    known.count += kind.count;
                    known.first.second = known.first.second.min(kind.first.second);
                    known.last_second = known.last_second.max(kind.last_second);
                }
                None if self.kinds.len() < MOST_KINDS => self.kinds.push(kind),
                None => {}
            }
        }
        self
    }
}
