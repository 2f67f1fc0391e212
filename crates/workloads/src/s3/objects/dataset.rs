//! The part of a data set that already exists, and the part that must be loaded.

use std::sync::Arc;

use crate::s3::action::Layout;
use crate::s3::content::Content;
use crate::s3::objects::catalogue::Catalogue;
use crate::s3::place::Place;

/// Comparison of a data set with the existing objects.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    /// Objects that are missing or differ, ascending.
    pub(crate) missing: Arc<[u64]>,
    /// By bucket: number of existing keys that do not belong to the data set.
    pub(crate) foreign_keys: Vec<u64>,
}

impl Difference {
    /// Compares a data set of `objects` objects with the objects in `found`. An existing object is
    /// accepted if its size and, for objects in parts, its number of parts are right. The content
    /// is not checked here, but by runs with `verify`.
    pub(crate) fn new(
        place: &Place,
        content: &Content,
        layout: Layout,
        objects: u64,
        found: &Catalogue,
    ) -> Self {
        let mut right = vec![false; usize::try_from(objects).unwrap_or(usize::MAX)];
        let mut foreign_keys = vec![0; place.buckets.len()];
        for at in 0..found.len() as u64 {
            let bucket = found.bucket(at);
            let own = place.object_of(bucket, found.key(at));
            let Some(object) = own.filter(|&object| object < objects) else {
                foreign_keys[bucket] += 1;
                continue;
            };
            let parts = match layout {
                Layout::InParts => found.parts(at) == content.parts(object),
                Layout::Objects | Layout::Archives | Layout::Nothing => true,
            };
            right[object as usize] = parts && found.size(at) == content.size(object);
        }
        let all = (0..).zip(&right);
        Self {
            missing: all
                .filter(|(_, right)| !**right)
                .map(|(object, _)| object)
                .collect(),
            foreign_keys,
        }
    }
}
