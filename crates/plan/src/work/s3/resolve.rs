//! S3 operations.

use super::S3Draft;
use super::Style;
use super::{self as s3, DataSet, Listing, Mix, S3Operation, S3Work, Stored};
use super::{fits, lines};
use crate::bucket;
use crate::choose::ByteRange;
use crate::desk::Desk;
use crate::problem::Place;
use crate::scalar::Field;
use crate::scalar::Scalar;
use crate::sizes::{self, Sizes};

/// So much data is small enough for a cache and a try-out, so many objects are
/// enough not to measure one.
const DEFAULT_DATA: u64 = 256 << 20;
const FEWEST_DEFAULT_OBJECTS: u64 = 16;
const MOST_DEFAULT_OBJECTS: u64 = 10_000;
/// As many keys as one page of a listing holds.
const DEFAULT_LISTED_OBJECTS: u64 = 1000;

const MOST_BUCKETS: u64 = 1000;
const MOST_KEYS_IN_REQUEST: u64 = 1000;
const MOST_PARTS_AT_ONCE: u64 = 1000;
const MOST_VERSIONS: u64 = 1000;
const MOST_RETRIES: u64 = 100;
const MOST_ENTRIES: u64 = 10_000;

pub(super) fn resolve(desk: &mut Desk<'_>, draft: &S3Draft, place: Place) -> Option<S3Work> {
    if draft.operation.is_none() {
        desk.refuse(
            place,
            "an S3 workload needs its operation: \"put\", \"get\", \"delete\", \"list\" or another, \
             or several with shares: \"get:70,put:30\"",
        );
    }
    let mix: Option<Mix> = desk.read("operation", &draft.operation, Scalar::parsed);
    let sizes = sizes::resolve(desk, &draft.size);
    // Everything else is read all the same, so that all mistakes are told at once.
    let assumed = mix.clone().unwrap_or_else(|| Mix::only(S3Operation::Put));
    let defaults = S3Work::new(assumed.operations().next()?, 0, 1);
    let sizes = sizes.unwrap_or_else(|| Sizes::fixed(default_size(&assumed)));
    let data = desk.choice("data", &draft.data).unwrap_or_default();
    let style = desk.choice("style", &draft.style).unwrap_or(Style::Path);
    let reads = assumed.operations().any(S3Operation::reads);
    let verify = desk.read("verify", &draft.verify, Scalar::switch);
    let whole = |most: u64| move |scalar: &Scalar| scalar.whole(1, most);
    let objects = desk
        .read("objects", &draft.objects, whole(u64::MAX))
        .unwrap_or_else(|| default_objects(&assumed, &sizes));
    let work = S3Work {
        bucket: desk
            .read("bucket", &draft.bucket, bucket::read)
            .unwrap_or(defaults.bucket),
        buckets: number(desk, "buckets", &draft.buckets, 1, MOST_BUCKETS).unwrap_or(1),
        prefix: desk.read("prefix", &draft.prefix, lines::prefix),
        objects,
        keys: desk.choice("keys", &draft.keys).unwrap_or_default(),
        prefixes: desk
            .read("prefixes", &draft.prefixes, Scalar::parsed)
            .unwrap_or_default(),
        choose: desk
            .read("choose", &draft.choose, Scalar::parsed)
            .unwrap_or(defaults.choose),
        virtual_host: style == Style::Virtual,
        payload: desk.choice("payload", &draft.payload).unwrap_or_default(),
        verify: verify.unwrap_or(reads && data != DataSet::Existing),
        checksum: desk.choice("checksum", &draft.checksum).unwrap_or_default(),
        content: desk.choice("content", &draft.content).unwrap_or_default(),
        compressible: number(desk, "compressible", &draft.compressible, 0, 100)
            .and_then(|percent| u8::try_from(percent).ok())
            .unwrap_or(0),
        stored: stored(desk, draft),
        data,
        part_size: desk
            .read("part_size", &draft.part_size, |scalar| {
                sizes::check(scalar.size()?).and_then(not_nothing)
            })
            .unwrap_or(defaults.part_size),
        parts_at_once: number(
            desk,
            "parts_at_once",
            &draft.parts_at_once,
            1,
            MOST_PARTS_AT_ONCE,
        )
        .unwrap_or(defaults.parts_at_once),
        range: desk.read("range", &draft.range, Scalar::parsed::<ByteRange>),
        listing: Listing {
            form: desk.choice("list", &draft.list).unwrap_or_default(),
            page: number(desk, "page", &draft.page, 1, MOST_KEYS_IN_REQUEST)
                .unwrap_or(s3::DEFAULT_PAGE),
            delimiter: desk.read("delimiter", &draft.delimiter, lines::delimiter),
        },
        batch: number(desk, "batch", &draft.batch, 1, MOST_KEYS_IN_REQUEST)
            .unwrap_or(defaults.batch),
        versions: number(desk, "versions", &draft.versions, 0, MOST_VERSIONS).unwrap_or(0),
        rewrite: desk
            .read("rewrite", &draft.rewrite, Scalar::switch)
            .unwrap_or(false),
        retries: number(desk, "retries", &draft.retries, 0, MOST_RETRIES).unwrap_or(0),
        entries: number(desk, "entries", &draft.entries, 1, MOST_ENTRIES)
            .unwrap_or(defaults.entries),
        mix: assumed,
        sizes,
    };
    mix?;
    fits::check(desk, draft, &work, place);
    Some(work)
}

fn number(desk: &mut Desk<'_>, key: &str, field: &Field, least: u64, most: u64) -> Option<u32> {
    desk.read(key, field, |scalar| scalar.whole(least, most))
        .and_then(|number| u32::try_from(number).ok())
}

fn not_nothing(size: u64) -> Result<u64, String> {
    match size {
        0 => Err("a part has at least one byte".to_owned()),
        _ => Ok(size),
    }
}

/// Large where parts are the point, small where content is not.
fn default_size(mix: &Mix) -> u64 {
    let in_parts = [S3Operation::Multipart, S3Operation::GetPart];
    if in_parts.iter().any(|&operation| mix.has(operation)) {
        return 4 * s3::DEFAULT_PART_SIZE;
    }
    use S3Operation::{Copy, Delete, FanOut, Get, Put};
    let content_matters = |each| matches!(each, Put | Get | Delete | Copy | FanOut);
    match mix.operations().any(content_matters) {
        true => 1 << 20,
        false => 1 << 10,
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

fn stored(desk: &mut Desk<'_>, draft: &S3Draft) -> Stored {
    let mut metadata = desk.each("metadata", draft.metadata.as_ref(), |scalar, _| {
        lines::metadata(scalar)
    });
    metadata.sort();
    if let Some(twice) = metadata.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        let place = draft
            .metadata
            .as_ref()
            .map_or(Place::Nowhere, |list| list.place);
        desk.wrong(
            place,
            "metadata",
            format!("{:?} is there twice", twice[0].0),
        );
    }
    Stored {
        encryption: desk
            .choice("encryption", &draft.encryption)
            .unwrap_or_default(),
        storage_class: desk.read("storage_class", &draft.storage_class, lines::storage_class),
        content_type: desk.read("content_type", &draft.content_type, lines::content_type),
        metadata,
        tags: desk.each("tags", draft.tags.as_ref(), |scalar, _| lines::tag(scalar)),
    }
}
