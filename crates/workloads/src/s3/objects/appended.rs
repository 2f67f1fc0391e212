//! Lengths of objects that grow by appends.

use std::sync::atomic::{AtomicU32, Ordering};

/// Maximum number of appends to one object (Amazon S3 user guide, "Appending data to objects in
/// directory buckets").
const MOST: u32 = 10_000;

/// Marks an unknown number of appends, for example after an append without a response.
const UNKNOWN: u32 = u32::MAX;

/// Number of appends to each object, over all slices of a run.
#[derive(Debug, Default)]
pub(crate) struct Lengths {
    appends: Vec<AtomicU32>,
}

impl Lengths {
    pub(crate) fn of(objects: u64) -> Self {
        let objects = usize::try_from(objects).unwrap_or(usize::MAX);
        Self {
            appends: std::iter::repeat_with(AtomicU32::default)
                .take(objects)
                .collect(),
        }
    }

    /// Number of appends so far; `None` if the number is unknown or the limit is reached.
    pub(crate) fn appends(&self, object: u64) -> Option<u32> {
        let appends = self.place(object)?.load(Ordering::Acquire);
        (appends < MOST).then_some(appends)
    }

    pub(crate) fn appended(&self, object: u64) {
        if let Some(place) = self.place(object) {
            place.fetch_add(1, Ordering::AcqRel);
        }
    }

    pub(crate) fn unknown(&self, object: u64) {
        if let Some(place) = self.place(object) {
            place.store(UNKNOWN, Ordering::Release);
        }
    }

    fn place(&self, object: u64) -> Option<&AtomicU32> {
        self.appends.get(usize::try_from(object).ok()?)
    }
}
