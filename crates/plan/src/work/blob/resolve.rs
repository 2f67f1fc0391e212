//! Phases on blobs.

use std::time::Duration;

use super::BlobDraft;
use super::{BlobHash, BlobWork, LARGEST_PUT, MOST_LOCATIONS, MOST_POLL_CONNECTIONS, Phase};
use crate::bucket;
use crate::choose::{ByteRange, Choose};
use crate::desk::Desk;
use crate::names::Named;
use crate::problem::Place;
use crate::scalar::Scalar;
use crate::size::Size;
use crate::sizes::{self, Sizes};

const DEFAULT_SIZE: u64 = 1 << 20;

/// One for each phase, in their order.
pub(super) fn resolve(desk: &mut Desk<'_>, draft: &BlobDraft, place: Place) -> Vec<BlobWork> {
    if draft.operation.is_none() {
        desk.refuse(
            place,
            "a blob workload needs its phases: operation = \"pgd\" puts, gets and deletes",
        );
    }
    let phases = desk.read("operation", &draft.operation, |scalar| {
        Phase::several(scalar.text()?)
    });
    let sizes = sizes::resolve(desk, &draft.size).unwrap_or_else(|| Sizes::fixed(DEFAULT_SIZE));
    let usual = BlobWork::new(Phase::Put, DEFAULT_SIZE);
    let locations = desk.path("locations", &draft.locations);
    let mut hashes = desk.each("hashes", draft.hashes.as_ref(), |scalar, _| {
        scalar.choice(BlobHash::NAMES)
    });
    hashes.sort_unstable();
    hashes.dedup();
    let work = BlobWork {
        phase: Phase::Put,
        objects: desk.read("objects", &draft.objects, |scalar| {
            scalar.whole(1, MOST_BLOBS)
        }),
        prefix: desk.read("prefix", &draft.prefix, prefix),
        locations,
        bucket: desk
            .read("bucket", &draft.bucket, bucket::read)
            .unwrap_or(usual.bucket),
        verify: desk
            .read("verify", &draft.verify, Scalar::switch)
            .unwrap_or(usual.verify),
        hashes,
        alloc_above: desk
            .read("alloc_above", &draft.alloc_above, alloc_above)
            .unwrap_or(usual.alloc_above),
        crc_framed: desk
            .read("crc_framed", &draft.crc_framed, Scalar::switch)
            .unwrap_or(usual.crc_framed),
        range: desk.read("range", &draft.range, Scalar::parsed::<ByteRange>),
        around: desk
            .read("choose", &draft.choose, choose)
            .unwrap_or(usual.around),
        batch: desk
            .read("batch", &draft.batch, |scalar| {
                scalar.whole(1, MOST_LOCATIONS.into())
            })
            .and_then(|batch| u32::try_from(batch).ok())
            .unwrap_or(usual.batch),
        until_gone: desk
            .read("until_gone", &draft.until_gone, Scalar::switch)
            .unwrap_or(usual.until_gone),
        gone_within: desk
            .read("gone_within", &draft.gone_within, not_nothing)
            .unwrap_or(usual.gone_within),
        poll_interval: desk
            .read("poll_interval", &draft.poll_interval, not_nothing)
            .unwrap_or(usual.poll_interval),
        poll_connections: desk
            .read("poll_connections", &draft.poll_connections, |scalar| {
                scalar.whole(1, MOST_POLL_CONNECTIONS)
            })
            .and_then(|connections| usize::try_from(connections).ok())
            .unwrap_or(usual.poll_connections),
        errors: desk.read("errors", &draft.errors, |scalar| scalar.whole(0, u64::MAX)),
        sizes,
    };
    check(desk, draft, &work, place);
    let phases = phases.unwrap_or_default();
    refuse_unheeded(desk, draft, &phases);
    phases
        .into_iter()
        .map(|phase| of_phase(&work, phase))
        .collect()
}

/// More than this cannot be numbered in a key.
const MOST_BLOBS: u64 = 999_999_999_999;

/// What says nothing in a phase is not part of it, so that a printed plan does not say it.
fn of_phase(work: &BlobWork, phase: Phase) -> BlobWork {
    let usual = BlobWork::new(phase, 0);
    let mut work = BlobWork {
        phase,
        ..work.clone()
    };
    if phase != Phase::Put {
        work.hashes = usual.hashes;
        work.alloc_above = usual.alloc_above;
        work.crc_framed = usual.crc_framed;
    }
    if phase != Phase::Get {
        work.range = usual.range;
        work.around = usual.around;
        work.verify = usual.verify;
    }
    if phase != Phase::Delete {
        work.batch = usual.batch;
        work.until_gone = usual.until_gone;
        work.gone_within = usual.gone_within;
        work.poll_interval = usual.poll_interval;
        work.poll_connections = usual.poll_connections;
    }
    work
}

fn check(desk: &mut Desk<'_>, draft: &BlobDraft, work: &BlobWork, place: Place) {
    let at = |field: &crate::scalar::Field| field.as_ref().map_or(place, |field| field.place);
    let (least, _) = work.sizes.extremes();
    if least == 0 {
        desk.wrong(at(&draft.size), "size", "a blob has at least one byte");
    }
    let end = work.range.map_or(0, |range| match range {
        ByteRange::Random { length } => length,
        ByteRange::Fixed { last, .. } => last.saturating_add(1),
    });
    if end > least {
        desk.wrong(
            at(&draft.range),
            "range",
            "reaches beyond the smallest blob",
        );
    }
    let of_following = [
        ("gone_within", &draft.gone_within),
        ("poll_interval", &draft.poll_interval),
        ("poll_connections", &draft.poll_connections),
    ];
    for (key, field) in of_following {
        if let Some(field) = field.as_ref().filter(|_| !work.until_gone) {
            desk.wrong(field.place, key, "means nothing without until_gone");
        }
    }
    if work.until_gone && work.batch > 1 {
        desk.wrong(
            at(&draft.until_gone),
            "until_gone",
            "follows blobs one by one; leave out batch",
        );
    }
}

/// A key for a phase that is not there.
fn refuse_unheeded(desk: &mut Desk<'_>, draft: &BlobDraft, phases: &[Phase]) {
    let field = |field: &crate::scalar::Field| field.as_ref().map(|field| field.place);
    let hashes = draft.hashes.as_ref().map(|list| list.place);
    let keys = [
        ("hashes", hashes, Phase::Put),
        ("alloc_above", field(&draft.alloc_above), Phase::Put),
        ("crc_framed", field(&draft.crc_framed), Phase::Put),
        ("verify", field(&draft.verify), Phase::Get),
        ("range", field(&draft.range), Phase::Get),
        ("choose", field(&draft.choose), Phase::Get),
        ("batch", field(&draft.batch), Phase::Delete),
        ("until_gone", field(&draft.until_gone), Phase::Delete),
        ("gone_within", field(&draft.gone_within), Phase::Delete),
        ("poll_interval", field(&draft.poll_interval), Phase::Delete),
        (
            "poll_connections",
            field(&draft.poll_connections),
            Phase::Delete,
        ),
    ];
    for (key, place, phase) in keys {
        if let Some(place) = place.filter(|_| !phases.is_empty() && !phases.contains(&phase)) {
            let name = phase.name();
            desk.wrong(
                place,
                key,
                format!("is for {name}, which is not among the phases"),
            );
        }
    }
}

fn alloc_above(scalar: &Scalar) -> Result<u64, String> {
    let size = scalar.size()?;
    match (1..=LARGEST_PUT).contains(&size) {
        true => Ok(size),
        false => Err(format!(
            "{scalar} is not between 1 byte and {}, which is what one request takes",
            Size(LARGEST_PUT)
        )),
    }
}

fn not_nothing(scalar: &Scalar) -> Result<Duration, String> {
    match scalar.time()? {
        Duration::ZERO => Err(format!("{scalar} is no time; write for example \"100ms\"")),
        time => Ok(time),
    }
}

fn choose(scalar: &Scalar) -> Result<bool, String> {
    match scalar.parsed::<Choose>()? {
        Choose::Once => Ok(false),
        Choose::Sequential => Ok(true),
        other => Err(format!(
            "\"{other}\" is for objects with names; blobs are read \"once\" or, round and round, \
             \"sequential\""
        )),
    }
}

fn prefix(scalar: &Scalar) -> Result<String, String> {
    let text = scalar.text()?;
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_name = text.starts_with(|c: char| c.is_ascii_alphanumeric()) && text.chars().all(fits);
    match is_name && text.len() <= LONGEST_PREFIX {
        true => Ok(text.to_owned()),
        false => Err(format!(
            "{text:?} is not a name for blobs: letters, digits, '-', '_' and '.', beginning with a \
             letter or a digit, at most {LONGEST_PREFIX} of them"
        )),
    }
}

const LONGEST_PREFIX: usize = 64;
