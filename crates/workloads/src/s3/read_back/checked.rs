//! The expected state of an object of the sample, and the state that was found.

use smallvec::SmallVec;

use super::sample::Entry;
use super::written::Written;
use crate::read_back::{Found, ReadBack};
use crate::s3::content::Content;
use crate::s3::objects::versions::VersionId;

/// An object of the sample.
#[derive(Debug, Clone)]
pub(super) struct Checked {
    pub(super) written: Written,
    /// Random number of the object, the same in every run with the same seed.
    pub(super) key: u64,
    pub(super) object: u64,
    pub(super) version: Option<VersionId>,
    /// Contents that the object may have; empty for a deleted object, and for any content.
    pub(super) contents: SmallVec<[u64; 2]>,
    pub(super) appends: u32,
    /// Sizes that the object may have, bytes; empty for any size.
    pub(super) sizes: SmallVec<[u64; 2]>,
    pub(super) head: Found,
    pub(super) get: Found,
    /// Whether the object was wrong at first.
    pub(super) is_late: bool,
}

impl Checked {
    pub(super) fn new(written: Written, key: u64, entry: &Entry, content: &Content) -> Self {
        let is_any = entry.any_content || entry.contents().next().is_none();
        let times = u64::from(entry.appends) + 1;
        let mut sizes: SmallVec<[u64; 2]> = SmallVec::new();
        // Only copies have another size if they have another content.
        let is_unknown = written.deletes() || is_any && written == Written::Copy;
        if !is_unknown {
            let own = std::iter::once(entry.object).filter(|_| is_any);
            let numbers = entry.contents().chain(own);
            sizes.extend(numbers.map(|number| content.size(number) * times));
        }
        Self {
            written,
            key,
            object: entry.object,
            version: entry.version.clone(),
            contents: if is_any || written.deletes() || !content.is_known() {
                SmallVec::new()
            } else {
                entry.contents().collect()
            },
            appends: entry.appends,
            sizes,
            head: Found::Unknown,
            get: Found::Unknown,
            is_late: false,
        }
    }

    /// Whether a byte range of the object has the content with this number, which the object
    /// repeats.
    pub(super) fn matches(content: &Content, number: u64, offset: u64, part: &[u8]) -> bool {
        let size = content.size(number);
        let (mut at, mut rest) = (offset, part);
        while !rest.is_empty() {
            if size == 0 {
                return false;
            }
            let from = at % size;
            let length =
                usize::try_from(size - from).map_or(rest.len(), |left| left.min(rest.len()));
            let (now, later) = rest.split_at(length);
            if !content.matches(number, from, now) {
                return false;
            }
            at += length as u64;
            rest = later;
        }
        true
    }

    /// Adds the object to the result of its operation. `describe` is the name of the object in
    /// messages.
    pub(super) fn count(&self, result: &mut ReadBack, describe: impl FnOnce() -> String) {
        // A response to HEAD alone proves nothing: only GET sends the content.
        let found = match self.head {
            Found::Wrong(..) => &self.head,
            Found::Unknown | Found::Right => &self.get,
        };
        result.add(found, self.is_late, describe);
    }

    pub(super) fn is_wrong(&self) -> bool {
        let wrong = |found: &Found| matches!(found, Found::Wrong(..));
        wrong(&self.head) || wrong(&self.get)
    }
}
