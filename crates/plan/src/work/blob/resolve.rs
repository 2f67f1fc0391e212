//! Resolves blob workloads.

use super::BlobDraft;
use super::{BlobWork, OBJECTS_OF_MIX, Phase};
use crate::choose::ByteRange;
use crate::keys::row::Section as _;
use crate::plan_file::problem::Place;
use crate::resolver::Resolver;
use crate::sentence;
use crate::units::sizes::{self, Sizes};

/// The work of each phase, in their order.
pub(super) fn resolve(
    resolver: &mut Resolver<'_>,
    draft: &BlobDraft,
    place: Place,
) -> Vec<BlobWork> {
    if draft.operation.is_none() {
        resolver.refuse(
            place,
            sentence!(
                "blob-operation",
                "a blob workload needs its phases: operation = \"pgd\" puts, gets and deletes"
            ),
        );
    }
    let phases = resolver.read("operation", &draft.operation, |scalar| {
        Phase::several(scalar.text()?)
    });
    let sizes = sizes::resolve(resolver, &draft.size).unwrap_or(BlobWork::default().sizes);
    let work = read(resolver, draft, Phase::Put, sizes);
    check(resolver, draft, &work, place);
    let phases = phases.unwrap_or_default();
    if let ([Phase::Mixed(_)], (_, largest)) = (phases.as_slice(), work.sizes.extremes())
        && largest > work.alloc_above
    {
        let size = draft.size.as_ref().map_or(place, |field| field.place);
        let why = sentence!(
            "mix-above-alloc",
            "is above alloc_above, and a mix stores each blob with one request"
        );
        resolver.wrong(size, "size", why);
    }
    refuse_without_phase(resolver, draft, &phases);
    phases
        .into_iter()
        .map(|phase| {
            let mut own = BlobDraft::default();
            own.copy(draft, |key| {
                phase_of(key).is_none_or(|of| phase.includes(of))
            });
            read(resolver, &own, phase, work.sizes.clone())
        })
        .collect()
}

fn read(resolver: &mut Resolver<'_>, draft: &BlobDraft, phase: Phase, sizes: Sizes) -> BlobWork {
    let mut work = BlobWork {
        phase,
        sizes,
        ..BlobWork::default()
    };
    work.read_keys(resolver, draft);
    work.hashes.sort_unstable();
    work.hashes.dedup();
    if matches!(phase, Phase::Mixed(_)) {
        work.objects.get_or_insert(OBJECTS_OF_MIX);
    }
    work
}

fn check(resolver: &mut Resolver<'_>, draft: &BlobDraft, work: &BlobWork, place: Place) {
    let at = |field: &crate::keys::scalar::Field| field.as_ref().map_or(place, |field| field.place);
    let (least, _) = work.sizes.extremes();
    let end = work.range.map_or(0, ByteRange::needs);
    if end > least {
        resolver.wrong(
            at(&draft.range),
            "range",
            sentence!(
                "range-beyond-blob",
                "extends beyond the end of the smallest blob; use a shorter range or larger blobs"
            ),
        );
    }
    let of_following = [
        ("gone_within", &draft.gone_within),
        ("poll_interval", &draft.poll_interval),
        ("poll_connections", &draft.poll_connections),
    ];
    for (key, field) in of_following {
        if let Some(field) = field.as_ref().filter(|_| !work.until_gone) {
            resolver.wrong(
                field.place,
                key,
                sentence!("needs-until-gone", "needs until_gone = true"),
            );
        }
    }
    if work.until_gone && work.batch > 1 {
        resolver.wrong(
            at(&draft.until_gone),
            "until_gone",
            sentence!(
                "gone-with-batch",
                "polls each blob separately; leave out batch"
            ),
        );
    }
}

/// Keys that apply to one phase only. Other phases have the default, which is not printed.
const OF_ONE_PHASE: &[(&str, Phase)] = &[
    ("hashes", Phase::Put),
    ("alloc_above", Phase::Put),
    ("crc_framed", Phase::Put),
    ("verify", Phase::Get),
    ("range", Phase::Get),
    ("choose", Phase::Get),
    ("batch", Phase::Delete),
    ("until_gone", Phase::Delete),
    ("gone_within", Phase::Delete),
    ("poll_interval", Phase::Delete),
    ("poll_connections", Phase::Delete),
];

/// Keys that a mix of operations does not support, each with the reason.
const NOT_IN_A_MIX: &[(&str, &str)] = &[
    (
        "locations",
        "keeps blobs after the run, and a mix deletes its blobs; leave it out",
    ),
    (
        "choose",
        "is for a get phase; a mix reads its blobs in order, again and again",
    ),
    (
        "batch",
        "is for a delete phase; a mix deletes each blob with one request",
    ),
    ("until_gone", OF_DELETIONS),
    ("gone_within", OF_DELETIONS),
    ("poll_interval", OF_DELETIONS),
    ("poll_connections", OF_DELETIONS),
];

const OF_DELETIONS: &str = "is for a delete phase: polls would be a part of the mix";

fn phase_of(key: &str) -> Option<Phase> {
    let of = OF_ONE_PHASE.iter().find(|(name, _)| *name == key);
    of.map(|&(_, phase)| phase)
}

/// Refuses keys of phases that the workload does not have.
fn refuse_without_phase(resolver: &mut Resolver<'_>, draft: &BlobDraft, phases: &[Phase]) {
    if phases.is_empty() {
        return;
    }
    for (key, place) in draft.given() {
        let is_sent = |operation: &Phase| phases.iter().any(|phase| phase.includes(*operation));
        let is_mix = phases.iter().any(|phase| matches!(phase, Phase::Mixed(_)));
        if is_mix && let Some((_, why)) = NOT_IN_A_MIX.iter().find(|(name, _)| *name == key) {
            resolver.wrong(place, key, *why);
        } else if let Some(phase) = phase_of(key).filter(|phase| !is_sent(phase)) {
            let why = sentence!(
                "phase-missing",
                "is for {name}, which is not among the phases",
                name = phase.name()
            );
            resolver.wrong(place, key, why);
        }
    }
}
