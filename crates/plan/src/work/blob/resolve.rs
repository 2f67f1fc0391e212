//! Resolves blob workloads.

use std::time::Duration;

use super::BlobDraft;
use super::{BlobHash, BlobWork, LARGEST_PUT, Phase};
use crate::bucket;
use crate::choose::{ByteRange, Choose};
use crate::key::Section as _;
use crate::names::Named;
use crate::problem::Place;
use crate::resolver::Resolver;
use crate::scalar::Scalar;
use crate::size::Size;
use crate::sizes::{self, Sizes};

const DEFAULT_SIZE: u64 = 1 << 20;

/// The work of each phase, in their order.
pub(super) fn resolve(
    resolver: &mut Resolver<'_>,
    draft: &BlobDraft,
    place: Place,
) -> Vec<BlobWork> {
    if draft.operation.is_none() {
        resolver.refuse(
            place,
            "a blob workload needs its phases: operation = \"pgd\" puts, gets and deletes",
        );
    }
    let phases = resolver.read("operation", &draft.operation, |scalar| {
        Phase::several(scalar.text()?)
    });
    let sizes = sizes::resolve(resolver, &draft.size).unwrap_or_else(|| Sizes::fixed(DEFAULT_SIZE));
    let usual = BlobWork::new(Phase::Put, DEFAULT_SIZE);
    let locations = resolver.path("locations", &draft.locations);
    let mut hashes = resolver.each("hashes", draft.hashes.as_ref(), |scalar, _| {
        scalar.choice(BlobHash::NAMES)
    });
    hashes.sort_unstable();
    hashes.dedup();
    let work = BlobWork {
        phase: Phase::Put,
        objects: resolver.value(&BlobDraft::objects, &draft.objects),
        prefix: resolver.read("prefix", &draft.prefix, prefix),
        locations,
        bucket: resolver
            .read("bucket", &draft.bucket, bucket::read)
            .unwrap_or(usual.bucket),
        verify: resolver.value_or_default(&BlobDraft::verify, &draft.verify),
        hashes,
        alloc_above: resolver
            .read("alloc_above", &draft.alloc_above, alloc_above)
            .unwrap_or(usual.alloc_above),
        crc_framed: resolver.value_or_default(&BlobDraft::crc_framed, &draft.crc_framed),
        range: resolver.read("range", &draft.range, Scalar::parsed::<ByteRange>),
        around: resolver
            .read("choose", &draft.choose, choose)
            .unwrap_or(usual.around),
        batch: resolver.value_or_default(&BlobDraft::batch, &draft.batch),
        until_gone: resolver.value_or_default(&BlobDraft::until_gone, &draft.until_gone),
        gone_within: resolver
            .read("gone_within", &draft.gone_within, not_nothing)
            .unwrap_or(usual.gone_within),
        poll_interval: resolver
            .read("poll_interval", &draft.poll_interval, not_nothing)
            .unwrap_or(usual.poll_interval),
        poll_connections: resolver
            .value_or_default(&BlobDraft::poll_connections, &draft.poll_connections),
        errors: resolver.value(&BlobDraft::errors, &draft.errors),
        sizes,
    };
    check(resolver, draft, &work, place);
    let phases = phases.unwrap_or_default();
    refuse_without_phase(resolver, draft, &phases);
    phases
        .into_iter()
        .map(|phase| of_phase(&work, phase))
        .collect()
}

/// The work of one phase: settings of other phases become defaults, which are not printed.
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

fn check(resolver: &mut Resolver<'_>, draft: &BlobDraft, work: &BlobWork, place: Place) {
    let at = |field: &crate::scalar::Field| field.as_ref().map_or(place, |field| field.place);
    let (least, _) = work.sizes.extremes();
    if least == 0 {
        resolver.wrong(at(&draft.size), "size", "must be at least 1 byte");
    }
    let end = work.range.map_or(0, |range| match range {
        ByteRange::Random { length } => length,
        ByteRange::Fixed { last, .. } => last.saturating_add(1),
    });
    if end > least {
        resolver.wrong(
            at(&draft.range),
            "range",
            "extends beyond the end of the smallest blob; use a shorter range or larger blobs",
        );
    }
    let of_following = [
        ("gone_within", &draft.gone_within),
        ("poll_interval", &draft.poll_interval),
        ("poll_connections", &draft.poll_connections),
    ];
    for (key, field) in of_following {
        if let Some(field) = field.as_ref().filter(|_| !work.until_gone) {
            resolver.wrong(field.place, key, "needs until_gone = true");
        }
    }
    if work.until_gone && work.batch > 1 {
        resolver.wrong(
            at(&draft.until_gone),
            "until_gone",
            "polls each blob separately; leave out batch",
        );
    }
}

/// Keys that apply to one phase only.
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

/// Refuses keys of phases that the workload does not have.
fn refuse_without_phase(resolver: &mut Resolver<'_>, draft: &BlobDraft, phases: &[Phase]) {
    if phases.is_empty() {
        return;
    }
    for (key, place) in draft.given() {
        let of = OF_ONE_PHASE.iter().find(|(name, _)| *name == key);
        if let Some((_, phase)) = of.filter(|(_, phase)| !phases.contains(phase)) {
            let why = format!("is for {}, which is not among the phases", phase.name());
            resolver.wrong(place, key, why);
        }
    }
}

fn alloc_above(scalar: &Scalar) -> Result<u64, String> {
    let size = scalar.size()?;
    if (1..=LARGEST_PUT).contains(&size) {
        Ok(size)
    } else {
        Err(format!(
            "{scalar} is out of range; the size must be 1 byte to {}, the maximum of one request",
            Size(LARGEST_PUT)
        ))
    }
}

fn not_nothing(scalar: &Scalar) -> Result<Duration, String> {
    match scalar.time()? {
        Duration::ZERO => Err(format!("{scalar} is zero; write for example \"100ms\"")),
        time => Ok(time),
    }
}

fn choose(scalar: &Scalar) -> Result<bool, String> {
    match scalar.parsed::<Choose>()? {
        Choose::Once => Ok(false),
        Choose::Sequential => Ok(true),
        other => Err(format!(
            "\"{other}\" is for S3 objects; blobs are read \"once\" or, in order again and again, \
             \"sequential\""
        )),
    }
}

fn prefix(scalar: &Scalar) -> Result<String, String> {
    let text = scalar.text()?;
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_name = text.starts_with(|c: char| c.is_ascii_alphanumeric()) && text.chars().all(fits);
    if is_name && text.len() <= LONGEST_PREFIX {
        Ok(text.to_owned())
    } else {
        Err(format!(
            "{text:?} is not a name for blobs: letters, digits, '-', '_' and '.', beginning with a \
         letter or a digit, at most {LONGEST_PREFIX} of them"
        ))
    }
}

const LONGEST_PREFIX: usize = 64;
