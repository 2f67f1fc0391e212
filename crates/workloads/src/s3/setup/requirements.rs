//! Checks of a plan and a target, and what must be prepared for the workload.

use std::num::NonZero;

use tenbin_plan::s3::{Feature, SupportProbe};
use tenbin_plan::{ContentKind, DataSet, Payload, S3Operation, S3Work, Signature, Sizes};

use crate::error::WorkloadError;
use crate::s3::content::{Framing, Recipe};
use crate::s3::objects::appended::Lengths;
use crate::s3::objects::versions;
use crate::s3::place::MOST_OBJECTS;
use crate::site::Site;
use crate::text::is_visible;

/// Largest body of one PUT, bytes (Amazon S3 user guide, "Uploading objects").
const MOST_BYTES: u64 = 5 << 30;

pub(crate) fn lengths(work: &S3Work) -> Lengths {
    if work.mix.has(S3Operation::Append) {
        Lengths::of(work.objects)
    } else {
        Lengths::default()
    }
}

/// Operations that must be probed, in reverse order.
pub(crate) fn probes(work: &S3Work) -> Vec<(S3Operation, SupportProbe)> {
    let mut probes: Vec<_> = work
        .mix
        .operations()
        .filter_map(|operation| Some((operation, operation.facts().probe?)))
        .collect();
    probes.reverse();
    probes
}

pub(crate) fn recipe(work: &S3Work, target: &Site) -> Recipe {
    let in_parts = |operation: S3Operation| operation.has(Feature::Parts);
    if work.data == DataSet::Existing {
        // The content of existing objects is unknown, and no content is generated.
        return Recipe::plain(0);
    }
    // Only Signature Version 4 covers the payload.
    let signed = target.credentials.is_some() && target.signature == Signature::V4;
    Recipe {
        whole: !work.mix.operations().all(in_parts),
        part_size: work.mix.any(Feature::Parts).then_some(work.part_size),
        sizes: work.sizes.clone(),
        hashed: signed && work.payload == Payload::Signed,
        checksum: work.checksum,
        compressible: work.compressible,
        framing: match work.payload {
            Payload::Streaming if signed => Framing::Signed,
            Payload::Trailer if signed => Framing::Trailer,
            _ => Framing::None,
        },
        unique: work.content == ContentKind::Unique,
        rewritten: work.rewrite,
        versioned_objects: match work.versions {
            0 | 1 => None,
            _ => NonZero::new(work.objects),
        },
    }
}

pub(crate) fn check_work(workload: &str, work: &S3Work) -> Result<(), WorkloadError> {
    if !is_bucket_name(&work.bucket) {
        return Err(WorkloadError::Bucket {
            workload: workload.to_owned(),
            bucket: work.bucket.clone(),
        });
    }
    let largest = largest(&work.sizes);
    if largest > MOST_BYTES || usize::try_from(largest).is_err() {
        return Err(WorkloadError::Size {
            workload: workload.to_owned(),
            size: largest,
            most: MOST_BYTES,
        });
    }
    // The limit holds for objects times versions.
    let things = versions::things(work);
    if !(1..=MOST_OBJECTS).contains(&things) {
        return Err(WorkloadError::Objects {
            workload: workload.to_owned(),
            objects: things,
            most: MOST_OBJECTS,
        });
    }
    Ok(())
}

/// The largest configured size, bytes; for a log-normal distribution, which has no largest size,
/// the median.
fn largest(sizes: &Sizes) -> u64 {
    match sizes {
        Sizes::Ranges(ranges) => ranges.iter().map(|range| range.to).max().unwrap_or(0),
        Sizes::LogNormal { median, .. } => *median,
        Sizes::File { sizes, .. } => sizes.last().copied().unwrap_or(0),
    }
}

pub(crate) fn check_site(target: &Site) -> Result<(), WorkloadError> {
    let access_key = target
        .credentials
        .as_ref()
        .map_or("", |credentials| &credentials.access_key);
    let hosts = target.host_headers().iter().map(|host| ("host", &**host));
    let others = [("region", &*target.region), ("access key", access_key)];
    for (what, text) in hosts.chain(others) {
        if !is_visible(text) {
            return Err(WorkloadError::Site {
                url: target.shown(),
                what,
            });
        }
    }
    Ok(())
}

/// Whether a name follows the bucket naming rules that Amazon S3 (general-purpose buckets) and
/// other servers have in common.
fn is_bucket_name(name: &str) -> bool {
    let edge = |b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    let bytes = name.as_bytes();
    (3..=63).contains(&bytes.len())
        && bytes.iter().all(|b| edge(b) || matches!(b, b'-' | b'.'))
        && bytes.first().is_some_and(edge)
        && bytes.last().is_some_and(edge)
        && !name.contains("..")
}
