//! A bounded random sample of the objects that one operation has written or deleted.

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use super::written::Written;
use crate::s3::objects::versions::VersionId;

/// Largest number of objects in a sample of one worker, and of all workers of a machine.
pub(crate) const KEPT: usize = 128;

/// Largest number of contents that an object in the sample may have. If more requests for one
/// object overlap, the content of the object is not checked.
const MOST_CONTENTS: usize = 64;

/// What is known of an object in a sample.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Number of the object, without its generation.
    pub(crate) object: u64,
    /// The version, if objects have versions.
    pub(crate) version: Option<VersionId>,
    /// Numbers of the contents that the object may have, each with the time of its acknowledgement
    /// by `clock`: one, unless requests overlapped.
    contents: SmallVec<[(u64, u32); 2]>,
    /// Whether the object may have any content.
    pub(crate) any_content: bool,
    /// Number of appends.
    pub(crate) appends: u32,
    /// The ETag of the last response, if it has the form of an MD5, and the number of the content
    /// that the response acknowledged.
    pub(crate) etag: Option<(u64, [u8; 16])>,
    /// Whether any request was acknowledged.
    pub(crate) acknowledged: bool,
    /// Whether the state is unknown, because a request ended without a response and may have taken
    /// effect at any later time.
    pub(crate) unsure: bool,
    /// Contents of the requests in flight, with the time of their start.
    out: SmallVec<[(u64, u32); 2]>,
    /// Number of starts and acknowledgements so far.
    clock: u32,
}

impl Entry {
    pub(crate) fn of(object: u64) -> Self {
        Self {
            object,
            ..Self::default()
        }
    }

    /// Numbers of the contents that the object may have.
    pub(crate) fn contents(&self) -> impl Iterator<Item = u64> + '_ {
        self.contents.iter().map(|(content, _)| *content)
    }

    /// Whether the state at the end of the run is known.
    pub(crate) fn is_certain(&self) -> bool {
        self.acknowledged && !self.unsure && self.out.is_empty()
    }

    fn tick(&mut self) -> u32 {
        self.clock = self.clock.saturating_add(1);
        self.clock
    }

    pub(super) fn begin(&mut self, content: u64) {
        let now = self.tick();
        self.out.push((content, now));
    }

    /// Removes the request that writes this content from the requests in flight, and returns the
    /// time of its start.
    fn take(&mut self, content: u64) -> u32 {
        let at = self.out.iter().position(|(of, _)| *of == content);
        at.map_or(0, |at| self.out.remove(at).1)
    }

    /// Records the acknowledgement of a request. A content is no longer possible if the request
    /// began after the content was acknowledged.
    pub(super) fn acknowledge(&mut self, content: u64, is_known: bool, appends: u32) {
        let (begun, now) = (self.take(content), self.tick());
        self.contents
            .retain(|(_, acknowledged)| *acknowledged > begun);
        self.any_content &= self.acknowledged && self.contents.len() >= MOST_CONTENTS;
        self.acknowledged = true;
        self.appends = appends;
        if is_known && self.contents.len() < MOST_CONTENTS {
            self.contents.push((content, now))
        } else {
            self.any_content = true
        }
    }

    pub(super) fn refused(&mut self, content: u64) {
        self.take(content);
    }

    pub(super) fn doubt(&mut self, content: u64) {
        self.take(content);
        self.unsure = true;
    }

    /// Ends the slice: a request that is still in flight has an unknown outcome.
    pub(super) fn end(&mut self) {
        self.unsure |= !self.out.is_empty();
        self.out.clear();
    }

    /// Merges what another worker knows of the same object: either of the two may have been last.
    pub(super) fn merge(&mut self, other: &Self) {
        self.unsure |= other.unsure || self.appends != other.appends;
        self.acknowledged |= other.acknowledged;
        self.any_content |= other.any_content;
        self.etag = None;
        self.contents.extend(other.contents.iter().copied());
        self.any_content |= self.contents.len() > MOST_CONTENTS;
    }
}

/// The entries with the smallest keys, ascending.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sample {
    entries: Vec<(u64, Entry)>,
}

impl Sample {
    /// The entry with this key, if the object is in the sample.
    pub(crate) fn get(&mut self, key: u64) -> Option<&mut Entry> {
        if self.entries.last().is_none_or(|(last, _)| key > *last) {
            return None;
        }
        let at = self.entries.binary_search_by_key(&key, |(key, _)| *key);
        at.ok().map(|at| &mut self.entries[at].1)
    }

    /// As [`Sample::get`], and adds the object if it belongs to the sample.
    pub(crate) fn get_or_add(&mut self, key: u64, object: u64) -> Option<&mut Entry> {
        let is_full = self.entries.len() == KEPT;
        if is_full && self.entries.last().is_some_and(|(last, _)| key > *last) {
            return None;
        }
        let at = match self.entries.binary_search_by_key(&key, |(key, _)| *key) {
            Ok(at) => at,
            Err(at) => {
                if is_full {
                    self.entries.pop();
                } else if self.entries.capacity() == 0 {
                    self.entries.reserve_exact(KEPT);
                }
                self.entries.insert(at, (key, Entry::of(object)));
                at
            }
        };
        Some(&mut self.entries[at].1)
    }

    pub(crate) fn remove(&mut self, key: u64) {
        if self.entries.last().is_none_or(|(last, _)| key > *last) {
            return;
        }
        if let Ok(at) = self.entries.binary_search_by_key(&key, |(key, _)| *key) {
            self.entries.remove(at);
        }
    }

    pub(crate) fn clear(&mut self) {
        self.entries.clear();
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &(u64, Entry)> {
        self.entries.iter()
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut (u64, Entry)> {
        self.entries.iter_mut()
    }
}

/// A sample as agents report it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ExportedSample {
    /// Index of the operation in [`Written::ALL`].
    pub(crate) operation: usize,
    pub(crate) acknowledged: u64,
    pub(crate) entries: Vec<ExportedEntry>,
}

/// An entry as agents report it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ExportedEntry {
    key: u64,
    object: u64,
    version: Option<String>,
    contents: Vec<u64>,
    any_content: bool,
    appends: u32,
    etag: Option<(u64, [u8; 16])>,
    acknowledged: bool,
    unsure: bool,
}

impl ExportedEntry {
    pub(crate) fn of(key: u64, entry: &Entry) -> Self {
        let version = entry.version.as_ref();
        Self {
            key,
            object: entry.object,
            version: version.map(|id| String::from_utf8_lossy(id).into_owned()),
            contents: entry.contents().collect(),
            any_content: entry.any_content,
            appends: entry.appends,
            etag: entry.etag,
            acknowledged: entry.acknowledged,
            unsure: entry.unsure,
        }
    }

    pub(crate) fn entry(&self) -> (u64, Entry) {
        let entry = Entry {
            object: self.object,
            version: self.version.as_ref().map(|id| id.as_bytes().into()),
            contents: self.contents.iter().map(|content| (*content, 0)).collect(),
            any_content: self.any_content || self.contents.len() > MOST_CONTENTS,
            appends: self.appends,
            etag: self.etag,
            acknowledged: self.acknowledged,
            unsure: self.unsure,
            out: SmallVec::new(),
            clock: 0,
        };
        (self.key, entry)
    }
}

impl ExportedSample {
    /// Whether a sample from another machine is within the limits of a sample.
    pub(crate) fn is_possible(&self) -> bool {
        let fits = |entry: &ExportedEntry| {
            entry.appends < 1 << 20
                && entry.contents.len() <= 2 * MOST_CONTENTS
                && entry.version.as_ref().is_none_or(|id| id.len() <= 1024)
        };
        self.entries.len() <= KEPT
            && self.acknowledged < 1 << 48
            && self.operation < Written::ALL.len()
            && self.entries.iter().all(fits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::mix;

    #[test]
    fn a_sample_is_spread_over_everything_that_was_written() {
        let mut sample = Sample::default();
        for object in 0..100_000 {
            if let Some(entry) = sample.get_or_add(mix(object), object) {
                entry.begin(object);
                entry.acknowledge(object, true, 0);
            }
        }
        let objects: Vec<u64> = sample.iter().map(|(_, entry)| entry.object).collect();
        assert_eq!(objects.len(), KEPT);
        for quarter in 0..4 {
            let of_it = objects.iter().filter(|&&object| object / 25_000 == quarter);
            assert!(of_it.count() > KEPT / 8, "{objects:?}");
        }
    }

    fn possible(entry: &Entry) -> Vec<u64> {
        entry.contents().collect()
    }

    #[test]
    fn what_is_expected_is_what_was_acknowledged_last() {
        let mut entry = Entry::of(1);
        for content in [10, 11] {
            entry.begin(content);
            entry.acknowledge(content, true, 0);
        }
        assert_eq!(possible(&entry), [11]);
        // A refusal changes nothing.
        entry.begin(12);
        entry.refused(12);
        assert!(entry.is_certain());
        assert_eq!(possible(&entry), [11]);
        // A request without a response can take effect after all others.
        entry.begin(13);
        entry.end();
        entry.begin(14);
        entry.acknowledge(14, true, 0);
        assert!(!entry.is_certain());
    }

    #[test]
    fn of_requests_that_overlap_each_may_be_last() {
        let mut entry = Entry::of(1);
        entry.begin(12);
        entry.begin(13);
        entry.acknowledge(12, true, 0);
        assert!(!entry.is_certain());
        // This request began after 12 was acknowledged, and overlaps with 13.
        entry.begin(14);
        entry.acknowledge(13, true, 0);
        assert_eq!(possible(&entry), [12, 13]);
        entry.acknowledge(14, true, 0);
        assert_eq!(possible(&entry), [13, 14]);
        assert!(entry.is_certain());
        entry.begin(15);
        entry.acknowledge(15, false, 0);
        assert!(entry.any_content && possible(&entry).is_empty());
        entry.begin(16);
        entry.acknowledge(16, true, 0);
        assert_eq!((entry.any_content, possible(&entry)), (false, vec![16]));
    }

    #[test]
    fn a_removed_object_makes_room_for_another() {
        let mut sample = Sample::default();
        for key in 0..KEPT as u64 {
            assert!(sample.get_or_add(key, key).is_some());
        }
        assert!(sample.get_or_add(1_000, 1_000).is_none());
        sample.remove(7);
        assert!(sample.get(7).is_none());
        assert!(sample.get_or_add(1_000, 1_000).is_some());
        assert!(sample.get(1_000).is_some());
    }
}
