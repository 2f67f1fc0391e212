//! What of a data set is there already, and what is to be put.

use std::sync::Arc;

use crate::s3::action::Layout;
use crate::s3::content::Content;
use crate::s3::objects::catalogue::Catalogue;
use crate::s3::place::Place;

/// A data set beside what was found where it belongs.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    /// Objects that are missing or not right, ascending.
    pub(crate) missing: Arc<[u64]>,
    /// By bucket: keys that are none of the data set's.
    pub(crate) strangers: Vec<u64>,
}

impl Difference {
    /// Of `objects` objects: right are those of the right size that are laid out in the
    /// right way. Their content is not looked at; a run that verifies will.
    pub(crate) fn new(
        place: &Place,
        content: &Content,
        layout: Layout,
        objects: u64,
        found: &Catalogue,
    ) -> Self {
        let mut right = vec![false; usize::try_from(objects).unwrap_or(usize::MAX)];
        let mut strangers = vec![0; place.buckets.len()];
        for at in 0..found.len() as u64 {
            let bucket = found.bucket(at);
            let own = place.object_of(bucket, found.key(at));
            let Some(object) = own.filter(|&object| object < objects) else {
                strangers[bucket] += 1;
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
            strangers,
        }
    }
}
