//! Checks the keys of an S3 workload that depend on each other.

use super::MOST_PARTS;
use super::S3Draft;
use super::{
    Checksum, ContentKind, DataSet, Effect, Encryption, Feature, ListForm, Mix, Payload,
    S3Operation, S3Work,
};
use crate::choose::{ByteRange, Choose};
use crate::keys::scalar::Field;
use crate::plan_file::problem::Place;
use crate::resolver::Resolver;
use crate::units::size::Size;
use crate::{Sentence, sentence};

/// A key that has an effect only for operations with a feature.
struct FeatureKey {
    name: &'static str,
    given: fn(&S3Draft) -> Option<Place>,
    feature: Feature,
    /// What these operations do: for one operation, for several, and the object of both.
    does: [&'static str; 3],
}

/// Keys that have an effect only for some operations.
const FEATURE_KEYS: &[FeatureKey] = &[
    FeatureKey {
        name: "verify",
        given: |draft| place(&draft.verify),
        feature: Feature::Returns,
        does: ["returns", "return", "content to verify"],
    },
    FeatureKey {
        name: "range",
        given: |draft| place(&draft.range),
        feature: Feature::Range,
        does: ["reads", "read", "a part of an object"],
    },
    FeatureKey {
        name: "part_size",
        given: |draft| place(&draft.part_size),
        feature: Feature::Parts,
        does: ["has", "have", "parts"],
    },
    FeatureKey {
        name: "parts_at_once",
        given: |draft| place(&draft.parts_at_once),
        feature: Feature::Parts,
        does: ["has", "have", "parts"],
    },
    FeatureKey {
        name: "list",
        given: |draft| place(&draft.list),
        feature: Feature::Forms,
        does: ["lists", "list", "keys"],
    },
    FeatureKey {
        name: "page",
        given: |draft| place(&draft.page),
        feature: Feature::Pages,
        does: ["lists", "list", "keys"],
    },
    FeatureKey {
        name: "delimiter",
        given: |draft| place(&draft.delimiter),
        feature: Feature::Forms,
        does: ["lists", "list", "keys"],
    },
    FeatureKey {
        name: "batch",
        given: |draft| place(&draft.batch),
        feature: Feature::Batch,
        does: ["deletes", "delete", "many at once"],
    },
    FeatureKey {
        name: "entries",
        given: |draft| place(&draft.entries),
        feature: Feature::Entries,
        does: ["has", "have", "several entries per archive or request"],
    },
    FeatureKey {
        name: "rewrite",
        given: |draft| place(&draft.rewrite),
        feature: Feature::Rewrites,
        does: ["can", "can", "overwrite the objects that are read"],
    },
];

impl FeatureKey {
    /// Which operations have the feature, as the reason why `mix` is refused.
    fn why(&self, mix: &Mix) -> Sentence {
        let operations = S3Operation::all().filter(|each| each.has(self.feature));
        let names: Vec<String> = operations
            .map(|each| format!("{:?}", each.name()))
            .collect();
        let [one, several, what] = self.does;
        let (listed, does) = match names.split_last() {
            Some((last, before)) if !before.is_empty() => {
                (format!("{} and {last}", before.join(", ")), several)
            }
            _ => (names.concat(), one),
        };
        sentence!(
            "for-operations",
            "only {operations} {does} {what}; this is \"{mix}\"",
            operations = listed,
            does,
            what,
            mix
        )
        .with_names("operations", &names)
    }
}

fn place(field: &Field) -> Option<Place> {
    Some(field.as_ref()?.place)
}

pub(super) fn check(resolver: &mut Resolver<'_>, draft: &S3Draft, work: &S3Work, whole: Place) {
    for key in FEATURE_KEYS.iter().filter(|key| !work.mix.any(key.feature)) {
        if let Some(place) = (key.given)(draft) {
            resolver.wrong(place, key.name, key.why(&work.mix));
        }
    }
    let or_whole = |field: &Field| place(field).unwrap_or(whole);
    mix(resolver, work, or_whole(&draft.operation));
    if work.mix.any(Feature::Parts) && work.sizes.typical() / work.part_size >= MOST_PARTS {
        resolver.wrong(
            or_whole(&draft.part_size),
            "part_size",
            sentence!(
                "many-parts",
                "{part_size} makes more than {most_parts} parts of an object; take larger ones",
                part_size = Size(work.part_size),
                most_parts = MOST_PARTS
            ),
        );
    }
    if let (Some(ByteRange::Fixed { last, .. }), Some(size)) = (work.range, work.sizes.only())
        && last >= size
    {
        resolver.wrong(
            or_whole(&draft.range),
            "range",
            sentence!(
                "range-beyond-object",
                "is beyond the end of objects of {size}; the last offset is {last}",
                size = Size(size),
                last = size.saturating_sub(1)
            ),
        );
    }
    if let (Some(ByteRange::Random { length }), Some(size)) = (work.range, work.sizes.only())
        && length > size
    {
        resolver.wrong(
            or_whole(&draft.range),
            "range",
            sentence!(
                "range-too-long",
                "a range of {length} does not fit into objects of {size}; use a shorter range or \
                 larger objects",
                length = Size(length),
                size = Size(size)
            ),
        );
    }
    data(resolver, draft, work, whole);
    content(resolver, draft, work, whole);
}

/// Checks which operations can be sent together.
fn mix(resolver: &mut Resolver<'_>, work: &S3Work, place: Place) {
    if work.mix.single().is_some() {
        return;
    }
    for operation in work.mix.operations() {
        if operation.has(Feature::Alone) {
            resolver.wrong(
                place,
                "operation",
                sentence!(
                    "not-in-mix",
                    "{name:?} cannot be part of a mix: no other operation can use its objects",
                    name = operation.name()
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
            sentence!(
                "mix-deletes-more",
                "a mix deletes what it has put: the share of \"delete\" ({delete}) must not be \
                 larger than that of \"put\" ({put})",
                delete,
                put
            ),
        );
    }
    if work.rewrite && work.versions > 0 {
        resolver.wrong(
            place,
            "operation",
            sentence!(
                "versions-rewrite",
                "with versions, PUT creates a new version and overwrites nothing; leave out rewrite"
            ),
        );
    }
    if work.rewrite && delete > 0.0 {
        resolver.wrong(
            place,
            "operation",
            sentence!(
                "rewrite-delete",
                "with rewrite, PUT creates no new objects, so a mix with delete has no objects to \
                 delete"
            ),
        );
    }
    if work.choose == Choose::Once {
        resolver.wrong(
            place,
            "operation",
            sentence!(
                "once-of-mix",
                "choose = \"once\" is for one operation, not for a mix"
            ),
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
            sentence!(
                "rewrite-keep",
                "rewrite changes the objects, so later runs cannot reuse them; use data = \
                 \"fresh\", or leave out rewrite"
            ),
        );
    }
    if work.mix.single().is_some_and(S3Operation::uses_up) && work.choose != Choose::Once {
        resolver.wrong(
            place,
            "data",
            sentence!(
                "deletes-objects",
                "{mix:?} deletes its objects, so data = \"keep\" and data = \"existing\" are not \
                 possible",
                mix = work.mix.to_string()
            ),
        );
    }
    if let Some(what) = one_run_only(work) {
        resolver.wrong(
            place,
            "data",
            sentence!(
                "data-of-one-run",
                "{what} are created for every run; leave out data",
                what
            ),
        );
    }
    if work.data != DataSet::Existing {
        return;
    }
    let changes = |operation: &S3Operation| operation.facts().effect != Effect::Reads;
    if let Some(changing) = work.mix.operations().find(changes) {
        resolver.wrong(
            place,
            "data",
            sentence!(
                "changes-objects",
                "{name:?} would change objects that are not Tenbin's own; take \"keep\" or \
                 \"fresh\"",
                name = changing.name()
            ),
        );
    }
    if work.mix.has(S3Operation::GetPart) {
        resolver.wrong(
            place,
            "data",
            sentence!(
                "parts-unknown",
                "the parts of objects that Tenbin did not create are unknown; use data = \"keep\" \
                 or \"fresh\" with \"get-part\""
            ),
        );
    }
    if work.verify {
        resolver.wrong(
            place,
            "data",
            sentence!(
                "content-unknown",
                "the content of objects that Tenbin did not create is unknown, so it cannot be \
                 verified; leave out verify"
            ),
        );
    }
}

/// A description of the workload's objects that no later run can use; `None` if later runs can use
/// all objects.
fn one_run_only(work: &S3Work) -> Option<Sentence> {
    match work.versions {
        _ if work.mix.any(Feature::Entries) => Some(sentence!(
            "archives-and-fan-outs",
            "archives, and objects of fan-outs,"
        )),
        _ if work.mix.any(Feature::Locks) => {
            Some(sentence!("locked-objects", "objects that are locked"))
        }
        0 => None,
        _ => Some(sentence!("versions-of-objects", "versions of objects")),
    }
}

fn content(resolver: &mut Resolver<'_>, draft: &S3Draft, work: &S3Work, whole: Place) {
    let in_parts = |each: &S3Operation| each.has(Feature::Parts);
    if let Some(operation) = work.mix.operations().find(in_parts) {
        in_parts_from_pool(resolver, draft, work, whole, operation);
    }
    checksum(resolver, draft, work, whole);
    prepared(resolver, draft, work, whole);
    let or_whole = |field: &Field| place(field).unwrap_or(whole);
    if work.encryption == Encryption::SseC && work.mix.any(Feature::Archive) {
        resolver.wrong(
            or_whole(&draft.encryption),
            "encryption",
            sentence!(
                "snowball-encryption",
                "archives that the server unpacks cannot have an encryption key"
            ),
        );
    }
    if work.list == ListForm::Versions && work.versions == 0 {
        resolver.wrong(
            or_whole(&draft.list),
            "list",
            sentence!(
                "list-versions",
                "\"versions\" needs objects with versions: give versions = 2 or more"
            ),
        );
    }
}

/// Refuses a checksum that cannot be known, or not be sent, when it is due.
fn checksum(resolver: &mut Resolver<'_>, draft: &S3Draft, work: &S3Work, whole: Place) {
    let or_whole = |field: &Field| place(field).unwrap_or(whole);
    if work.content == ContentKind::Unique && work.checksum != Checksum::None {
        resolver.wrong(
            or_whole(&draft.checksum),
            "checksum",
            sentence!(
                "checksum-of-unique",
                "cannot be computed in advance for content that is generated while it is sent; \
                 use content = \"pool\""
            ),
        );
    }
    if work.payload == Payload::Trailer && work.checksum == Checksum::None {
        resolver.wrong(
            or_whole(&draft.payload),
            "payload",
            sentence!(
                "trailer-checksum",
                "\"trailer\" requires a checksum to send after the content, such as checksum = \
                 \"crc32c\""
            ),
        );
    }
    if work.payload == Payload::Trailer && work.checksum == Checksum::Md5 {
        resolver.wrong(
            or_whole(&draft.checksum),
            "checksum",
            sentence!(
                "trailer-md5",
                "\"md5\" cannot follow the content, which payload = \"trailer\" requires; use \
                 \"crc32c\" or another"
            ),
        );
    }
}

/// Refuses payloads and content that do not go with what is prepared before the run.
fn prepared(resolver: &mut Resolver<'_>, draft: &S3Draft, work: &S3Work, whole: Place) {
    let or_whole = |field: &Field| place(field).unwrap_or(whole);
    if matches!(work.payload, Payload::Streaming | Payload::Trailer)
        && work.mix.any(Feature::Prepared)
    {
        resolver.wrong(
            or_whole(&draft.payload),
            "payload",
            sentence!(
                "payload-of-put",
                "{name:?} is supported only for \"put\", not for \"{mix}\"",
                name = work.payload.name(),
                mix = work.mix
            ),
        );
    }
    if work.content == ContentKind::Unique && work.mix.any(Feature::Prepared) {
        resolver.wrong(
            or_whole(&draft.content),
            "content",
            sentence!(
                "unique-of-put",
                "\"unique\" content is generated while \"put\" sends it, so \"{mix}\" does not \
                 support it",
                mix = work.mix
            ),
        );
    }
    if matches!(work.payload, Payload::Streaming | Payload::Trailer)
        && work.content == ContentKind::Unique
    {
        resolver.wrong(
            or_whole(&draft.payload),
            "payload",
            sentence!(
                "payload-needs-pool",
                "{name:?} requires content that is prepared before the run; use content = \"pool\"",
                name = work.payload.name()
            ),
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
            sentence!(
                "payload-of-parts",
                "{name:?} is not supported for the parts of {operation:?}; use \"signed\" or \
                 \"unsigned\"",
                name = work.payload.name(),
                operation = operation.name()
            ),
        );
    }
    if work.content == ContentKind::Unique {
        resolver.wrong(
            or_whole(&draft.content),
            "content",
            sentence!(
                "unique-of-parts",
                "\"unique\" is not supported for the parts of {name:?}; use \"pool\"",
                name = operation.name()
            ),
        );
    }
}
