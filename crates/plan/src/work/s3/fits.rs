//! Checks the keys of an S3 workload that depend on each other.

use super::MOST_PARTS;
use super::S3Draft;
use super::{
    Checksum, ContentKind, DataSet, Effect, Encryption, Feature, ListForm, Payload, S3Operation,
    S3Work,
};
use crate::choose::{ByteRange, Choose};
use crate::keys::scalar::Field;
use crate::plan_file::problem::Place;
use crate::resolver::Resolver;
use crate::units::size::Size;

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
    /// Which operations have the feature, as the reason of a refusal.
    fn why(&self) -> String {
        let operations = S3Operation::all().filter(|each| each.has(self.feature));
        let names: Vec<String> = operations
            .map(|each| format!("{:?}", each.name()))
            .collect();
        let [one, several, what] = self.does;
        match names.split_last() {
            Some((last, before)) if !before.is_empty() => {
                format!("only {} and {last} {several} {what}", before.join(", "))
            }
            _ => format!("only {} {one} {what}", names.concat()),
        }
    }
}

fn place(field: &Field) -> Option<Place> {
    Some(field.as_ref()?.place)
}

pub(super) fn check(resolver: &mut Resolver<'_>, draft: &S3Draft, work: &S3Work, whole: Place) {
    for key in FEATURE_KEYS.iter().filter(|key| !work.mix.any(key.feature)) {
        if let Some(place) = (key.given)(draft) {
            let why = format!("{}; this is \"{}\"", key.why(), work.mix);
            resolver.wrong(place, key.name, why);
        }
    }
    let or_whole = |field: &Field| place(field).unwrap_or(whole);
    mix(resolver, work, or_whole(&draft.operation));
    if work.mix.any(Feature::Parts) && work.sizes.typical() / work.part_size >= MOST_PARTS {
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
    if let Some(what) = one_run_only(work) {
        resolver.wrong(
            place,
            "data",
            format!("{what} are created for every run; leave out data"),
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
fn one_run_only(work: &S3Work) -> Option<&'static str> {
    match work.versions {
        _ if work.mix.any(Feature::Entries) => Some("archives, and objects of fan-outs,"),
        _ if work.mix.any(Feature::Locks) => Some("objects that are locked"),
        0 => None,
        _ => Some("versions of objects"),
    }
}

fn content(resolver: &mut Resolver<'_>, draft: &S3Draft, work: &S3Work, whole: Place) {
    let or_whole = |field: &Field| place(field).unwrap_or(whole);
    let in_parts = |each: &S3Operation| each.has(Feature::Parts);
    if let Some(operation) = work.mix.operations().find(in_parts) {
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
        && work.mix.any(Feature::Prepared)
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
    if work.content == ContentKind::Unique && work.mix.any(Feature::Prepared) {
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
    if work.encryption == Encryption::SseC && work.mix.any(Feature::Archive) {
        resolver.wrong(
            or_whole(&draft.encryption),
            "encryption",
            "archives that the server unpacks cannot have an encryption key",
        );
    }
    if work.list == ListForm::Versions && work.versions == 0 {
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
