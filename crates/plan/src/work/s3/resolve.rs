//! Resolves S3 operations.

use super::S3Draft;
use super::{DataSet, Feature, Mix, S3Operation, S3Work};
use super::{fits, headers, lines};
use crate::keys::scalar::Scalar;
use crate::plan_file::problem::Place;
use crate::resolver::Resolver;
use crate::sentence;
use crate::units::sizes::{self, Sizes};

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
            sentence!(
                "s3-operation",
                "an S3 workload needs its operation: \"put\", \"get\", \"delete\", \"list\" or \
                 another, or several with shares: \"get:70,put:30\""
            ),
        );
    }
    let mix: Option<Mix> = resolver.read("operation", &draft.operation, Scalar::parsed);
    let sizes = sizes::resolve(resolver, &draft.size);
    // All other keys are read as well, so that all mistakes are reported at once.
    let assumed = mix.clone().unwrap_or_else(|| Mix::only(S3Operation::Put));
    let sizes = sizes.unwrap_or_else(|| Sizes::fixed(default_size(&assumed)));
    let reads = assumed.any(Feature::Returns);
    let objects = resolver
        .value(&S3Draft::objects, &draft.objects)
        .unwrap_or_else(|| default_objects(&assumed, &sizes));
    let verify = resolver.value(&S3Draft::verify, &draft.verify);
    let mut work = S3Work {
        mix: assumed,
        sizes,
        objects,
        metadata: metadata(resolver, draft),
        headers: headers::resolve(resolver, draft.headers.as_ref()),
        tags: resolver.each("tags", draft.tags.as_ref(), |scalar, _| lines::tag(scalar)),
        ..S3Work::default()
    };
    work.read_keys(resolver, draft);
    work.verify = verify.unwrap_or(reads && work.data != DataSet::Existing);
    mix?;
    fits::check(resolver, draft, &work, place);
    Some(work)
}

/// The default size of an object: the largest default of the operations.
fn default_size(mix: &Mix) -> u64 {
    let sizes = mix.operations().map(|operation| operation.facts().size);
    sizes.max().unwrap_or_default()
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

fn metadata(resolver: &mut Resolver<'_>, draft: &S3Draft) -> Vec<(String, String)> {
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
            sentence!("twice-there", "{name:?} is there twice", name = twice[0].0),
        );
    }
    metadata
}
