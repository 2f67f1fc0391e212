//! Checks the keys of an S3 workload that depend on each other.

use super::MOST_PARTS;
use super::S3Draft;
use super::{Checksum, ContentKind, DataSet, Encryption, ListForm, Payload, S3Operation, S3Work};
use crate::choose::{ByteRange, Choose};
use crate::problem::Place;
use crate::resolver::Resolver;
use crate::scalar::Field;
use crate::size::Size;

/// A key and the operations for which the key has an effect.
type Heeded = (
    &'static str,
    fn(&S3Draft) -> Option<Place>,
    fn(S3Operation) -> bool,
    &'static str,
);

/// Keys that have an effect only for some operations.
const HEEDED: &[Heeded] = &[
    (
        "verify",
        |draft| place(&draft.verify),
        S3Operation::reads,
        "only \"get\", \"get-part\" and \"zip-get\" return content to verify",
    ),
    (
        "range",
        |draft| place(&draft.range),
        |operation| operation == S3Operation::Get,
        "only \"get\" reads a part of an object",
    ),
    (
        "part_size",
        |draft| place(&draft.part_size),
        in_parts,
        "only \"multipart\" and \"get-part\" have parts",
    ),
    (
        "parts_at_once",
        |draft| place(&draft.parts_at_once),
        in_parts,
        "only \"multipart\" and \"get-part\" have parts",
    ),
    (
        "list",
        |draft| place(&draft.list),
        |operation| operation == S3Operation::List,
        "only \"list\" lists keys",
    ),
    (
        "page",
        |draft| place(&draft.page),
        lists,
        "only \"list\" and \"zip-list\" list keys",
    ),
    (
        "delimiter",
        |draft| place(&draft.delimiter),
        |operation| operation == S3Operation::List,
        "only \"list\" lists keys",
    ),
    (
        "batch",
        |draft| place(&draft.batch),
        |operation| operation == S3Operation::DeleteBatch,
        "only \"delete-batch\" deletes many at once",
    ),
    (
        "entries",
        |draft| place(&draft.entries),
        has_entries,
        "only \"snowball\", \"zip-get\", \"zip-list\" and \"fan-out\" have several entries per \
         archive or request",
    ),
    (
        "rewrite",
        |draft| place(&draft.rewrite),
        |operation| operation == S3Operation::Put,
        "only \"put\" can overwrite the objects that are read",
    ),
];

fn place(field: &Field) -> Option<Place> {
    Some(field.as_ref()?.place)
}

fn in_parts(operation: S3Operation) -> bool {
    matches!(operation, S3Operation::Multipart | S3Operation::GetPart)
}

/// Whether the operation sends content that is prepared before the run.
fn prepares(operation: S3Operation) -> bool {
    use S3Operation::{Append, FanOut, Snowball, ZipGet, ZipList};
    matches!(operation, Append | FanOut | Snowball | ZipGet | ZipList)
}

fn lists(operation: S3Operation) -> bool {
    matches!(operation, S3Operation::List | S3Operation::ZipList)
}

fn has_entries(operation: S3Operation) -> bool {
    use S3Operation::{FanOut, Snowball, ZipGet, ZipList};
    matches!(operation, Snowball | ZipGet | ZipList | FanOut)
}

pub(super) fn check(resolver: &mut Resolver<'_>, draft: &S3Draft, work: &S3Work, whole: Place) {
    for (key, given, heeds, why) in HEEDED {
        let Some(place) = given(draft) else { continue };
        if !work.mix.operations().any(heeds) {
            resolver.wrong(place, key, format!("{why}; this is \"{}\"", work.mix));
        }
    }
    let or_whole = |field: &Field| place(field).unwrap_or(whole);
    mix(resolver, work, or_whole(&draft.operation));
    if in_use(work, in_parts) && work.sizes.typical() / work.part_size >= MOST_PARTS {
        resolver.wrong(
            or_whole(&draft.part_size),
            "part_size",
            format!(
                "{} makes more than {MOST_PARTS} parts of an object; take larger ones",
                Size(work.part_size)
            ),
        );
    }
    if let (Some(ByteRange::Fixed { last, .. }), Some(size)) = (work.range, work.sizes.only())
        && last >= size
    {
        resolver.wrong(
            or_whole(&draft.range),
            "range",
            format!(
                "is beyond the end of objects of {}; the last offset is {}",
                Size(size),
                size.saturating_sub(1)
            ),
        );
    }
    if let (Some(ByteRange::Random { length }), Some(size)) = (work.range, work.sizes.only())
        && length > size
    {
        resolver.wrong(
            or_whole(&draft.range),
            "range",
            format!(
                "a range of {} does not fit into objects of {}; use a shorter range or larger \
                 objects",
                Size(length),
                Size(size)
            ),
        );
    }
    data(resolver, draft, work, whole);
    content(resolver, draft, work, whole);
}

fn in_use(work: &S3Work, which: fn(S3Operation) -> bool) -> bool {
    work.mix.operations().any(which)
}

/// Checks which operations can be sent together.
fn mix(resolver: &mut Resolver<'_>, work: &S3Work, place: Place) {
    if work.mix.single().is_some() {
        return;
    }
    for operation in work.mix.operations() {
        use S3Operation::{Append, Copy, DeleteBatch, FanOut, GetPart, Snowball, ZipGet, ZipList};
        if matches!(
            operation,
            DeleteBatch | GetPart | Append | Copy | Snowball | ZipGet | ZipList | FanOut
        ) {
            resolver.wrong(
                place,
                "operation",
                format!(
                    "{:?} cannot be part of a mix: no other operation can use its objects",
                    operation.name()
                ),
            );
        }
    }
    let (put, delete) = (
        work.mix.share(S3Operation::Put),
        work.mix.share(S3Operation::Delete),
    );
    if delete > put {
        resolver.wrong(
            place,
            "operation",
            format!(
                "a mix deletes what it has put: the share of \"delete\" ({delete}) must not be \
                 larger than that of \"put\" ({put})"
            ),
        );
    }
    if work.rewrite && work.versions > 0 {
        resolver.wrong(
            place,
            "operation",
            "with versions, PUT creates a new version and overwrites nothing; leave out rewrite",
        );
    }
    if work.rewrite && delete > 0.0 {
        resolver.wrong(
            place,
            "operation",
            "with rewrite, PUT creates no new objects, so a mix with delete has no objects to \
             delete",
        );
    }
    if work.choose == Choose::Once {
        resolver.wrong(
            place,
            "operation",
            "choose = \"once\" is for one operation, not for a mix",
        );
    }
}

fn data(resolver: &mut Resolver<'_>, draft: &S3Draft, work: &S3Work, whole: Place) {
    let place = place(&draft.data).unwrap_or(whole);
    if work.data == DataSet::Fresh {
        return;
    }
    if work.rewrite {
        resolver.wrong(
            place,
            "data",
            "rewrite changes the objects, so later runs cannot reuse them; use data = \"fresh\", \
             or leave out rewrite",
        );
    }
    if work.mix.single().is_some_and(S3Operation::uses_up) && work.choose != Choose::Once {
        resolver.wrong(
            place,
            "data",
            format!(
                "{:?} deletes its objects, so data = \"keep\" and data = \"existing\" are not possible",
                work.mix.to_string()
            ),
        );
    }
    if let Some(what) = made_anew(work) {
        resolver.wrong(
            place,
            "data",
            format!("{what} are created for every run; leave out data"),
        );
    }
    if work.data != DataSet::Existing {
        return;
    }
    let changes = |operation: S3Operation| {
        !operation.needs_objects()
            || operation.uses_up()
            || matches!(
                operation,
                S3Operation::PutTags
                    | S3Operation::DeleteTags
                    | S3Operation::Retain
                    | S3Operation::LegalHold
                    | S3Operation::Append
            )
    };
    if let Some(changing) = work.mix.operations().find(|&each| changes(each)) {
        resolver.wrong(
            place,
            "data",
            format!(
                "{:?} would change objects that are not Tenbin's own; take \"keep\" or \"fresh\"",
                changing.name()
            ),
        );
    }
    if work.mix.has(S3Operation::GetPart) {
        resolver.wrong(
            place,
            "data",
            "the parts of objects that Tenbin did not create are unknown; use data = \"keep\" or \
             \"fresh\" with \"get-part\"",
        );
    }
    if work.verify {
        resolver.wrong(
            place,
            "data",
            "the content of objects that Tenbin did not create is unknown, so it cannot be \
             verified; leave out verify",
        );
    }
}

/// A description of the workload's objects that no later run can use; `None` if later runs can use
/// all objects.
fn made_anew(work: &S3Work) -> Option<&'static str> {
    use S3Operation::{LegalHold, Retain};
    let locks = |operation| matches!(operation, Retain | LegalHold);
    match work.versions {
        _ if in_use(work, has_entries) => Some("archives, and objects of fan-outs,"),
        _ if in_use(work, locks) => Some("objects that are locked"),
        0 => None,
        _ => Some("versions of objects"),
    }
}

fn content(resolver: &mut Resolver<'_>, draft: &S3Draft, work: &S3Work, whole: Place) {
    let or_whole = |field: &Field| place(field).unwrap_or(whole);
    let parts = work.mix.operations().find(|&each| in_parts(each));
    if let Some(operation) = parts {
        in_parts_from_pool(resolver, draft, work, whole, operation);
    }
    if work.content == ContentKind::Unique && work.checksum != Checksum::None {
        resolver.wrong(
            or_whole(&draft.checksum),
            "checksum",
            "cannot be computed in advance for content that is generated while it is sent; use \
             content = \"pool\"",
        );
    }
    if work.payload == Payload::Trailer && work.checksum == Checksum::None {
        resolver.wrong(
            or_whole(&draft.payload),
            "payload",
            "\"trailer\" requires a checksum to send after the content, such as checksum = \
             \"crc32c\"",
        );
    }
    if work.payload == Payload::Trailer && work.checksum == Checksum::Md5 {
        resolver.wrong(
            or_whole(&draft.checksum),
            "checksum",
            "\"md5\" cannot follow the content, which payload = \"trailer\" requires; use \
             \"crc32c\" or another",
        );
    }
    if matches!(work.payload, Payload::Streaming | Payload::Trailer)
        && work.mix.operations().any(prepares)
    {
        resolver.wrong(
            or_whole(&draft.payload),
            "payload",
            format!(
                "{:?} is supported only for \"put\", not for \"{}\"",
                work.payload.name(),
                work.mix
            ),
        );
    }
    if work.content == ContentKind::Unique && work.mix.operations().any(prepares) {
        resolver.wrong(
            or_whole(&draft.content),
            "content",
            format!(
                "\"unique\" content is generated while \"put\" sends it, so \"{}\" does not \
                 support it",
                work.mix
            ),
        );
    }
    if matches!(work.payload, Payload::Streaming | Payload::Trailer)
        && work.content == ContentKind::Unique
    {
        resolver.wrong(
            or_whole(&draft.payload),
            "payload",
            format!(
                "{:?} requires content that is prepared before the run; use content = \"pool\"",
                work.payload.name()
            ),
        );
    }
    if work.stored.encryption == Encryption::SseC
        && work.mix.operations().any(|operation| {
            matches!(
                operation,
                S3Operation::Snowball | S3Operation::ZipGet | S3Operation::ZipList
            )
        })
    {
        resolver.wrong(
            or_whole(&draft.encryption),
            "encryption",
            "archives that the server unpacks cannot have an encryption key",
        );
    }
    if work.listing.form == ListForm::Versions && work.versions == 0 {
        resolver.wrong(
            or_whole(&draft.list),
            "list",
            "\"versions\" needs objects with versions: give versions = 2 or more",
        );
    }
}

/// Refuses settings that parts do not support: the content of a part is prepared before the run,
/// and its signature covers all of the content or none.
fn in_parts_from_pool(
    resolver: &mut Resolver<'_>,
    draft: &S3Draft,
    work: &S3Work,
    whole: Place,
    operation: S3Operation,
) {
    let or_whole = |field: &Field| place(field).unwrap_or(whole);
    if matches!(work.payload, Payload::Streaming | Payload::Trailer) {
        resolver.wrong(
            or_whole(&draft.payload),
            "payload",
            format!(
                "{:?} is not supported for the parts of {:?}; use \"signed\" or \"unsigned\"",
                work.payload.name(),
                operation.name()
            ),
        );
    }
    if work.content == ContentKind::Unique {
        resolver.wrong(
            or_whole(&draft.content),
            "content",
            format!(
                "\"unique\" is not supported for the parts of {:?}; use \"pool\"",
                operation.name()
            ),
        );
    }
}
