//! Passes blobs from the workers that delete to the worker that follows deletions.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::blob::phases::followed::{DeletedBlob, Following};
use crate::blob::phases::in_flight::Follow;
use crate::shared::held;

/// A blob that is read before its deletion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unread {
    pub(super) place: u64,
    /// Number of requests that did not read the blob.
    pub(super) failed: u32,
    /// Time of the next request, nanoseconds.
    pub(super) due: u64,
}

/// Passes blobs from deleters to a follower.
#[derive(Debug)]
pub(crate) struct Handover {
    /// Number of additional blobs that can be followed now.
    free: AtomicUsize,
    /// Number of active deleters.
    deleters: AtomicUsize,
    offered: Mutex<Vec<DeletedBlob>>,
    /// Number of blobs that are read before their deletion and were not returned to a deleter.
    reading: AtomicUsize,
    /// Number of blobs in `read`.
    returned: AtomicUsize,
    pub(super) unread: Mutex<Vec<Unread>>,
    /// Blobs to delete now, and whether they are followed.
    read: Mutex<Vec<(u64, Follow)>>,
}

impl Handover {
    pub(crate) fn new(following: Following, deleters: usize) -> Self {
        Self {
            free: AtomicUsize::new(following.connections),
            deleters: AtomicUsize::new(deleters),
            offered: Mutex::default(),
            reading: AtomicUsize::new(0),
            returned: AtomicUsize::new(0),
            unread: Mutex::default(),
            read: Mutex::default(),
        }
    }

    /// Reserves the place of a blob to follow; returns false if every place is taken.
    pub(crate) fn reserve(&self) -> bool {
        let free = self
            .free
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |free| {
                free.checked_sub(1)
            });
        free.is_ok()
    }

    /// Lets the follower read the blob at `place` before its deletion. A place must be reserved.
    pub(crate) fn read_first(&self, place: u64) {
        self.reading.fetch_add(1, Ordering::AcqRel);
        held(&self.unread).push(Unread {
            place,
            failed: 0,
            due: 0,
        });
    }

    /// A blob that was read, or could not be read, and is to be deleted now.
    pub(crate) fn take_read(&self) -> Option<(u64, Follow)> {
        if self.returned.load(Ordering::Acquire) == 0 {
            return None;
        }
        let read = held(&self.read).pop()?;
        self.returned.fetch_sub(1, Ordering::AcqRel);
        self.reading.fetch_sub(1, Ordering::AcqRel);
        Some(read)
    }

    /// Whether the follower has not returned all blobs that it was to read.
    pub(crate) fn is_reading(&self) -> bool {
        self.reading.load(Ordering::Acquire) > 0
    }

    pub(super) fn return_read(&self, place: u64, follow: Follow) {
        held(&self.read).push((place, follow));
        self.returned.fetch_add(1, Ordering::AcqRel);
    }

    /// Offers the blob at `place`, whose deletion started at `started`, and whose place was
    /// reserved.
    pub(crate) fn offer(&self, place: u64, started: u64) {
        let deleting = DeletedBlob {
            place,
            started,
            seen: None,
            breaks: 0,
            broke_since: 0,
        };
        held(&self.offered).push(deleting);
    }

    /// Records that a deleter has ended.
    pub(crate) fn deleter_ended(&self) {
        self.deleters.fetch_sub(1, Ordering::AcqRel);
    }

    /// Moves the offered blobs to `found`; returns whether more blobs can be offered.
    pub(super) fn collect(&self, found: &mut Vec<DeletedBlob>) -> bool {
        // Loaded before `offered`, so that the offers of an ended deleter are visible.
        let more = self.deleters.load(Ordering::Acquire) > 0;
        found.append(&mut held(&self.offered));
        more
    }

    /// Frees the place of a blob that is no longer followed.
    pub(crate) fn give_back(&self) {
        self.free.fetch_add(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONNECTIONS: Following = Following {
        limit: 1_000_000_000,
        longest_rest: 100_000_000,
        connections: 2,
    };

    #[test]
    fn a_blob_is_deleted_after_it_was_read() {
        let handover = Handover::new(CONNECTIONS, 1);
        assert!(handover.reserve() && !handover.is_reading());
        handover.read_first(7);
        assert!(handover.is_reading());
        assert_eq!(handover.take_read(), None);
        handover.return_read(7, Follow::Yes);
        assert_eq!(handover.take_read(), Some((7, Follow::Yes)));
        assert!(!handover.is_reading());
    }

    #[test]
    fn no_more_blobs_are_followed_than_there_are_connections() {
        let handover = Handover::new(CONNECTIONS, 1);
        assert!(handover.reserve() && handover.reserve());
        assert!(!handover.reserve());
        handover.offer(1, 0);
        handover.offer(2, 0);
        let mut found = Vec::new();
        assert!(handover.collect(&mut found));
        assert_eq!(found.len(), 2);
        handover.give_back();
        assert!(handover.reserve());
        handover.offer(4, 0);
        handover.deleter_ended();
        assert!(!handover.collect(&mut found));
        assert_eq!(found.len(), 3);
    }
}
