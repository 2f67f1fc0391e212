//! Result of the listing after a run: objects that still exist, by bucket, with the reason.

use std::sync::Mutex;

use tenbin_plan::{Sentence, sentence};

use crate::prepared::Leftover;
use crate::s3::place::Place;
use crate::shared::held;
use crate::text::grouped;

/// Result of the cleanup of one bucket.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct OfBucket {
    /// Number of objects, or versions of objects, in the first listing.
    pub(crate) found: u64,
    /// Total size of the objects in the first listing, bytes.
    pub(crate) found_bytes: u64,
    /// Number of objects in the last listing; `None` without a complete listing.
    pub(crate) left: Option<u64>,
    /// Total size of the objects in the last listing, bytes; 0 without a complete listing.
    pub(crate) left_bytes: u64,
    /// Why objects still exist, or why the listing failed.
    pub(crate) reason: Option<String>,
    /// Whether the server acknowledged the deletion of the objects that still exist.
    pub(crate) acknowledged: bool,
    /// State of the bucket, if this run created the bucket.
    pub(crate) made: Option<MadeBucket>,
}

/// A bucket that the run created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum MadeBucket {
    /// Deleted by the cleanup.
    Deleted,
    /// Did not exist any more at the cleanup.
    Gone,
    /// Still exists, for this reason.
    Left(String),
}

/// Results of the cleanup, by bucket; empty until a sweep starts.
#[derive(Debug, Default)]
pub(crate) struct Remaining(Mutex<Vec<OfBucket>>);

impl Remaining {
    pub(crate) fn set(&self, buckets: Vec<OfBucket>) {
        *held(&self.0) = buckets;
    }

    fn get(&self) -> Vec<OfBucket> {
        held(&self.0).clone()
    }

    /// Data that still exists on the target; `None` until a sweep starts.
    pub(crate) fn leftovers(&self, place: &Place) -> Option<Vec<Leftover>> {
        let buckets = self.get();
        let each = buckets.iter().zip(&place.buckets);
        let left = each.flat_map(|(found, bucket)| found.leftovers(&place.prefix, &bucket.name));
        (!buckets.is_empty()).then(|| left.collect())
    }

    /// What was removed, one sentence each.
    pub(crate) fn removed(&self, place: &Place) -> Vec<Sentence> {
        let buckets = self.get();
        let each = buckets.iter().zip(&place.buckets);
        each.flat_map(|(found, bucket)| found.removed(&place.prefix, &bucket.name))
            .collect()
    }
}

impl OfBucket {
    fn leftovers(&self, prefix: &str, bucket: &str) -> Vec<Leftover> {
        let objects = match self.left {
            Some(0) => None,
            Some(left) => Some(format!(
                "{} under {prefix} {} left in bucket {bucket}",
                objects(left),
                are(left)
            )),
            None => Some(format!(
                "the objects under {prefix} in bucket {bucket} could not be listed; some may be left \
                there"
            )),
        };
        let objects = objects.map(|what| Leftover {
            what,
            bucket: Some(bucket.to_owned()),
            prefix: Some(prefix.to_owned()),
            objects: self.left,
            reason: self.reason.clone(),
            acknowledged: self.acknowledged,
            ..Leftover::default()
        });
        let made = match &self.made {
            Some(MadeBucket::Left(why)) => Some(Leftover {
                what: format!("bucket {bucket}, created by this run, is left"),
                bucket: Some(bucket.to_owned()),
                reason: Some(why.clone()),
                ..Leftover::default()
            }),
            Some(MadeBucket::Deleted | MadeBucket::Gone) | None => None,
        };
        objects.into_iter().chain(made).collect()
    }

    fn removed(&self, prefix: &str, bucket: &str) -> Vec<Sentence> {
        let gone = self.left.map_or(0, |left| self.found.saturating_sub(left));
        let gone = (gone > 0).then(|| {
            let bytes = self.found_bytes.saturating_sub(self.left_bytes);
            sentence!(
                "deleted-objects",
                "deleted {objects} ({bytes} bytes) under {prefix} from bucket {bucket}",
                objects = objects(gone),
                bytes = grouped(bytes),
                prefix,
                bucket
            )
            .with("objects", grouped(gone))
        });
        let made = (self.made == Some(MadeBucket::Deleted)).then(|| {
            sentence!(
                "deleted-bucket",
                "deleted bucket {bucket}, which the run had created",
                bucket
            )
        });
        gone.into_iter().chain(made).collect()
    }
}

/// A number of objects with its noun.
pub(crate) fn objects(count: u64) -> String {
    match count {
        1 => "1 object".to_owned(),
        many => format!("{} objects", grouped(many)),
    }
}

fn are(count: u64) -> &'static str {
    match count {
        1 => "is",
        _ => "are",
    }
}
