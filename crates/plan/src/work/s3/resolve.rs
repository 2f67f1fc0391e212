//! Resolves S3 operations.

use super::S3Draft;
use super::Style;
use super::{self as s3, DataSet, Listing, Mix, S3Operation, S3Work, Stored};
use super::{fits, lines};
use crate::bucket;
use crate::choose::ByteRange;
use crate::problem::Place;
use crate::resolver::Resolver;
use crate::scalar::Scalar;
use crate::sizes::{self, Sizes};

/// Default total size of objects, bytes: small enough for a cache and for a quick run.
const DEFAULT_DATA: u64 = 256 << 20;
const FEWEST_DEFAULT_OBJECTS: u64 = 16;
const MOST_DEFAULT_OBJECTS: u64 = 10_000;
/// Default number of objects for listings: as many as one page holds.
const DEFAULT_LISTED_OBJECTS: u64 = 1000;

pub(super) fn resolve(
    resolver: &mut Resolver<'_>,
    draft: &S3Draft,
    place: Place,
) -> Option<S3Work> {
    if draft.operation.is_none() {
        resolver.refuse(
            place,
            "an S3 workload needs its operation: \"put\", \"get\", \"delete\", \"list\" or another, \
             or several with shares: \"get:70,put:30\"",
        );
    }
    let mix: Option<Mix> = resolver.read("operation", &draft.operation, Scalar::parsed);
    let sizes = sizes::resolve(resolver, &draft.size);
    // All other keys are read as well, so that all mistakes are reported at once.
    let assumed = mix.clone().unwrap_or_else(|| Mix::only(S3Operation::Put));
    let defaults = S3Work::new(assumed.operations().next()?, 0, 1);
    let sizes = sizes.unwrap_or_else(|| Sizes::fixed(default_size(&assumed)));
    let data = resolver.value_or_default(&S3Draft::data, &draft.data);
    let style: Style = resolver.value_or_default(&S3Draft::style, &draft.style);
    let reads = assumed.operations().any(S3Operation::reads);
    let verify = resolver.value(&S3Draft::verify, &draft.verify);
    let objects = resolver
        .value(&S3Draft::objects, &draft.objects)
        .unwrap_or_else(|| default_objects(&assumed, &sizes));
    let work = S3Work {
        bucket: resolver
            .read("bucket", &draft.bucket, bucket::read)
            .unwrap_or(defaults.bucket),
        buckets: resolver
            .value(&S3Draft::buckets, &draft.buckets)
            .unwrap_or(1),
        prefix: resolver.read("prefix", &draft.prefix, lines::prefix),
        objects,
        keys: resolver.value_or_default(&S3Draft::keys, &draft.keys),
        prefixes: resolver
            .read("prefixes", &draft.prefixes, Scalar::parsed)
            .unwrap_or_default(),
        choose: resolver
            .read("choose", &draft.choose, Scalar::parsed)
            .unwrap_or(defaults.choose),
        virtual_host: style == Style::Virtual,
        payload: resolver.value_or_default(&S3Draft::payload, &draft.payload),
        verify: verify.unwrap_or(reads && data != DataSet::Existing),
        checksum: resolver.value_or_default(&S3Draft::checksum, &draft.checksum),
        content: resolver.value_or_default(&S3Draft::content, &draft.content),
        compressible: resolver.value_or_default(&S3Draft::compressible, &draft.compressible),
        stored: stored(resolver, draft),
        data,
        part_size: resolver
            .read("part_size", &draft.part_size, |scalar| {
                sizes::check(scalar.size()?).and_then(not_nothing)
            })
            .unwrap_or(defaults.part_size),
        parts_at_once: resolver.value_or_default(&S3Draft::parts_at_once, &draft.parts_at_once),
        range: resolver.read("range", &draft.range, Scalar::parsed::<ByteRange>),
        listing: Listing {
            form: resolver.value_or_default(&S3Draft::list, &draft.list),
            page: resolver.value_or_default(&S3Draft::page, &draft.page),
            delimiter: resolver.read("delimiter", &draft.delimiter, lines::delimiter),
        },
        batch: resolver.value_or_default(&S3Draft::batch, &draft.batch),
        versions: resolver.value_or_default(&S3Draft::versions, &draft.versions),
        rewrite: resolver.value_or_default(&S3Draft::rewrite, &draft.rewrite),
        retries: resolver.value_or_default(&S3Draft::retries, &draft.retries),
        entries: resolver.value_or_default(&S3Draft::entries, &draft.entries),
        mix: assumed,
        sizes,
    };
    mix?;
    fits::check(resolver, draft, &work, place);
    Some(work)
}

fn not_nothing(size: u64) -> Result<u64, String> {
    match size {
        0 => Err("must be at least 1 byte".to_owned()),
        _ => Ok(size),
    }
}

/// The default size of an object: large for operations on parts, small for operations without
/// content.
fn default_size(mix: &Mix) -> u64 {
    let in_parts = [S3Operation::Multipart, S3Operation::GetPart];
    if in_parts.iter().any(|&operation| mix.has(operation)) {
        return 4 * s3::DEFAULT_PART_SIZE;
    }
    use S3Operation::{Copy, Delete, FanOut, Get, Put};
    let content_matters = |each| matches!(each, Put | Get | Delete | Copy | FanOut);
    if mix.operations().any(content_matters) {
        1 << 20
    } else {
        1 << 10
    }
}

fn default_objects(mix: &Mix, sizes: &Sizes) -> u64 {
    if mix.single() == Some(S3Operation::List) {
        return DEFAULT_LISTED_OBJECTS;
    }
    DEFAULT_DATA
        .checked_div(sizes.typical())
        .unwrap_or(MOST_DEFAULT_OBJECTS)
        .clamp(FEWEST_DEFAULT_OBJECTS, MOST_DEFAULT_OBJECTS)
}

fn stored(resolver: &mut Resolver<'_>, draft: &S3Draft) -> Stored {
    let mut metadata = resolver.each("metadata", draft.metadata.as_ref(), |scalar, _| {
        lines::metadata(scalar)
    });
    metadata.sort();
    if let Some(twice) = metadata.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        let place = draft
            .metadata
            .as_ref()
            .map_or(Place::Nowhere, |list| list.place);
        resolver.wrong(
            place,
            "metadata",
            format!("{:?} is there twice", twice[0].0),
        );
    }
    Stored {
        encryption: resolver.value_or_default(&S3Draft::encryption, &draft.encryption),
        storage_class: resolver.read("storage_class", &draft.storage_class, lines::storage_class),
        content_type: resolver.read("content_type", &draft.content_type, lines::content_type),
        metadata,
        tags: resolver.each("tags", draft.tags.as_ref(), |scalar, _| lines::tag(scalar)),
    }
}
