//! Results of reading back, after the measured part, a sample of what a workload has written and
//! deleted.

use serde::{Deserialize, Serialize};
use tenbin_engine::{Moment, Next};
use tenbin_plan::{Sentence, sentence};

use crate::text::grouped;

/// Longest time that reading back takes for one workload on one target, seconds, not counting the
/// response to the last request.
pub(crate) const MOST_SECONDS: u64 = 30;

/// Largest number of objects of one operation that are read back.
pub(crate) const READ: usize = 100;

/// Fewest objects of one operation that are enough, unless there are fewer.
const ENOUGH: u64 = 60;

/// Connections that read objects back.
pub(crate) const CONNECTIONS: usize = 8;

/// Wait before objects that were wrong are read again, nanoseconds: a target whose writes become
/// visible late is not a target that loses writes.
pub(crate) const WAIT: u64 = 1_000_000_000;

/// Largest object that is read completely, bytes.
pub(crate) const WHOLE: u64 = 1 << 20;

/// Number of bytes that are read of a larger object.
pub(crate) const PART: u64 = 256 << 10;

/// Result of reading back a sample of what one operation has written or deleted. Each checked
/// object counts in at most one of the fields `missing` to `other_etag`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadBack {
    /// Name of the operation.
    pub operation: String,
    /// Whether the operation deletes.
    pub deletes: bool,
    /// Number of acknowledged writes or deletions that the sample was drawn from.
    pub acknowledged: u64,
    /// Number of objects that were looked for and whose state is known.
    pub checked: u64,
    /// Objects that were written and do not exist.
    pub missing: u64,
    /// Objects that were deleted and still exist.
    pub kept: u64,
    /// Objects with another size than was written.
    pub other_size: u64,
    /// Objects with other content than was written.
    pub other_content: u64,
    /// Objects whose ETag is an MD5 of other content, although other ETags of the operation are the
    /// MD5 of the content.
    pub other_etag: u64,
    /// Objects that were correct only when they were read again at least a second later.
    pub late: u64,
    /// Objects of the sample whose state is unknown: without a response, or refused.
    pub unknown: u64,
    /// Description of one miss.
    pub example: Option<String>,
    /// Why nothing, or not enough, was checked.
    pub not_checked: Option<String>,
    /// Why nothing can be checked; `None` if the operation was checked, and for other reasons.
    pub uncheckable: Option<Uncheckable>,
}

/// Why nothing that an operation has done can be checked after the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Uncheckable {
    /// The target acknowledges a deletion before the deletion takes effect.
    DeletesLater,
    /// Everything that was written was deleted again during the run.
    AllDeleted,
}

/// The time in which a worker reads a sample: it begins after a wait and ends after [`MOST_SECONDS`].
#[derive(Debug)]
pub(crate) struct ReadingTime {
    /// Wait before the first request, nanoseconds.
    wait: u64,
    started: Option<u64>,
}

impl ReadingTime {
    pub(crate) fn after(wait: u64) -> Self {
        Self {
            wait,
            started: None,
        }
    }

    /// What a worker does instead of sending its next request; `None` if it may send.
    pub(crate) fn instead(&mut self, now: Moment) -> Option<Next> {
        let started = *self.started.get_or_insert(now.nanos);
        let begins = started.saturating_add(self.wait);
        if now.nanos < begins {
            return Some(Next::Rest(begins));
        }
        let ends = started.saturating_add(MOST_SECONDS * 1_000_000_000);
        (now.nanos > ends).then_some(Next::Exhausted)
    }
}

/// What is wrong with an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Miss {
    Missing,
    Kept,
    OtherSize,
    OtherContent,
}

/// What a request found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum Found {
    /// No response, or a response that tells nothing of the object.
    #[default]
    Unknown,
    Right,
    /// Another state than the expected, and a description of the response.
    Wrong(Miss, String),
}

impl ReadBack {
    /// Number of objects that are not as they were written, or not deleted.
    pub fn missed(&self) -> u64 {
        self.missing + self.kept + self.other_size + self.other_content + self.other_etag
    }

    /// Adds an object. `is_late` tells that the object was wrong at first; `describe` is the name of
    /// the object in messages.
    pub(crate) fn add(&mut self, found: &Found, is_late: bool, describe: impl FnOnce() -> String) {
        let (miss, text) = match found {
            Found::Unknown => {
                self.unknown += 1;
                return;
            }
            Found::Right => {
                self.checked += 1;
                self.late += u64::from(is_late);
                return;
            }
            Found::Wrong(miss, text) => (*miss, text),
        };
        self.checked += 1;
        match miss {
            Miss::Missing => self.missing += 1,
            Miss::Kept => self.kept += 1,
            Miss::OtherSize => self.other_size += 1,
            Miss::OtherContent => self.other_content += 1,
        }
        if self.example.is_none() {
            self.example = Some(format!("{}: {text}", describe()));
        }
    }

    /// Why not enough was checked of an operation with this number of known objects.
    pub(crate) fn too_few(&self, known: u64) -> Option<String> {
        if self.checked >= ENOUGH.min(known) || self.missed() > 0 {
            return None;
        }
        Some(match self.unknown {
            0 => "the other objects of the sample were written again by requests whose outcome is \
                  unknown, or deleted"
                .to_owned(),
            unknown => format!(
                "{} of the sample could not be read: the target refused or did not answer, the \
                 time of {MOST_SECONDS} s was over, or the run was interrupted",
                grouped(unknown)
            ),
        })
    }
}

/// What a stage does that reads this number of objects, once more if `is_again`.
pub(crate) fn stage_text(objects: usize, is_again: bool) -> Sentence {
    let again = if is_again { " again" } else { "" };
    sentence!(
        "reading-back",
        "reading back{again} {objects} of the objects that were written or deleted (at most \
         {seconds} s)",
        again,
        objects = grouped(objects as u64),
        seconds = MOST_SECONDS
    )
    .with("is_again", is_again)
}
