//! The operations sent to every target.

use std::time::Duration;

use super::load;
use super::naming::Names;
use crate::desk::Desk;
use crate::draft::{Field, LoadDraft, WorkloadDraft};
use crate::load::{Load, Pace};
use crate::problem::Place;
use crate::scalar::{At, Scalar};
use crate::work::{Entry, PROTOCOLS, WorkloadKind};
use crate::workload::Workload;

pub(super) fn resolve_all(
    desk: &mut Desk<'_>,
    drafts: Vec<At<WorkloadDraft>>,
    shared_load: &LoadDraft,
    slice: Duration,
) -> Vec<Workload> {
    if drafts.is_empty() {
        desk.refuse(
            Place::Nowhere,
            "no workload to send; use tenbin http or tenbin s3, or a [[workload]] table in a plan",
        );
        // So that a mistake in it is found all the same.
        load::resolve(desk, shared_load);
    }
    let mut names = Names::default();
    let mut loads = Loads::new(shared_load, slice);
    let mut workloads = Vec::new();
    for At {
        value: draft,
        place,
    } in drafts
    {
        let kinds = kinds(desk, &draft, place);
        let stages = desk.read("stages", &draft.stages, Scalar::switch);
        let stages = stages.unwrap_or_default();
        let (load, levels) = loads.resolve(desk, draft.load);
        let in_phases = kinds.iter().any(|kind| kind.facts().phase().is_some());
        if in_phases && (levels.is_some() || matches!(load.pace, Pace::Search(_))) {
            desk.refuse(
                place,
                "phases on blobs follow each other once in every round, and neither a ramp nor a \
                 search for a rate does; leave out ramp and slo",
            );
            continue;
        }
        let Some(levels) = levels else {
            let one_phase = kinds.len() == 1;
            for kind in kinds {
                let default = || kind.protocol().default_name();
                let name = match &draft.name {
                    Some(_) if one_phase => names.pick(desk, "workload", &draft.name, default),
                    _ => {
                        let base = base_of_phase(desk, &names, &draft.name, &kind);
                        names.pick(desk, "workload", &None, || base)
                    }
                };
                let load = load.clone();
                workloads.push(Workload {
                    name,
                    kind,
                    load,
                    stages,
                });
            }
            continue;
        };
        let Some(kind) = kinds.into_iter().next() else {
            continue;
        };
        let base = names.base(desk, &draft.name, || kind.protocol().default_name());
        for connections in levels {
            let name = names.level(&base, connections);
            workloads.push(Workload {
                name,
                kind: kind.clone(),
                load: Load {
                    connections,
                    ..load.clone()
                },
                stages,
            });
        }
    }
    workloads
}

/// The name of one phase of several: that of all with the phase behind it.
fn base_of_phase(desk: &mut Desk<'_>, names: &Names, field: &Field, kind: &WorkloadKind) -> String {
    let default = || kind.protocol().default_name();
    match (field, kind.facts().phase()) {
        (Some(_), Some(phase)) => format!("{}-{phase}", names.base(desk, field, default)),
        _ => default(),
    }
}

/// The work of a draft: one thing, or one for each of its phases.
fn kinds(desk: &mut Desk<'_>, draft: &WorkloadDraft, place: Place) -> Vec<WorkloadKind> {
    if draft.kind.is_none() {
        let names = PROTOCOLS.iter().map(|entry| format!("{:?}", entry.name));
        let names: Vec<String> = names.collect();
        let (last, others) = names.split_last().expect("a protocol is in the table");
        let others = others.join(", ");
        desk.refuse(
            place,
            format!("a workload needs its kind: kind = {others} or {last}"),
        );
        return Vec::new();
    }
    let entries: Vec<(&str, &Entry)> = PROTOCOLS.iter().map(|each| (each.name, each)).collect();
    let Some(entry) = desk.read("kind", &draft.kind, |scalar| scalar.choice(&entries)) else {
        return Vec::new();
    };
    refuse_foreign_keys(desk, draft, entry.name);
    (entry.resolve)(desk, draft, place)
}

fn refuse_foreign_keys(desk: &mut Desk<'_>, draft: &WorkloadDraft, kind: &str) {
    let place = |field: &crate::draft::Field| field.as_ref().map(|field| field.place);
    let list_place = |list: &Option<At<crate::scalar::List>>| list.as_ref().map(|list| list.place);
    let http = [
        ("method", place(&draft.method)),
        ("path", place(&draft.path)),
        ("headers", list_place(&draft.headers)),
        ("body", place(&draft.body)),
        ("body_file", place(&draft.body_file)),
        ("expect", list_place(&draft.expect)),
        ("may_differ", list_place(&draft.may_differ)),
        ("patterns", place(&draft.patterns)),
        ("patterns_format", place(&draft.patterns_format)),
        ("order", place(&draft.order)),
        ("slowest", place(&draft.slowest)),
        ("hits", place(&draft.hits)),
        ("hits_tolerance", place(&draft.hits_tolerance)),
        (
            "by_target",
            draft.by_target.as_ref().map(|table| table.place),
        ),
        ("cache_hit", place(&draft.cache_hit)),
        ("cache_size", place(&draft.cache_size)),
        ("cache_counters", place(&draft.cache_counters)),
    ];
    let s3 = [
        ("operation", place(&draft.operation)),
        ("size", place(&draft.size)),
        ("bucket", place(&draft.bucket)),
        ("buckets", place(&draft.buckets)),
        ("prefix", place(&draft.prefix)),
        ("objects", place(&draft.objects)),
        ("keys", place(&draft.keys)),
        ("prefixes", place(&draft.prefixes)),
        ("choose", place(&draft.choose)),
        ("style", place(&draft.style)),
        ("payload", place(&draft.payload)),
        ("verify", place(&draft.verify)),
        ("checksum", place(&draft.checksum)),
        ("content", place(&draft.content)),
        ("compressible", place(&draft.compressible)),
        ("encryption", place(&draft.encryption)),
        ("storage_class", place(&draft.storage_class)),
        ("content_type", place(&draft.content_type)),
        ("data", place(&draft.data)),
        ("part_size", place(&draft.part_size)),
        ("parts_at_once", place(&draft.parts_at_once)),
        ("range", place(&draft.range)),
        ("list", place(&draft.list)),
        ("page", place(&draft.page)),
        ("delimiter", place(&draft.delimiter)),
        ("batch", place(&draft.batch)),
        ("versions", place(&draft.versions)),
        ("rewrite", place(&draft.rewrite)),
        ("retries", place(&draft.retries)),
        ("entries", place(&draft.entries)),
        ("metadata", list_place(&draft.metadata)),
        ("tags", list_place(&draft.tags)),
    ];
    let blob = [
        ("locations", place(&draft.locations)),
        ("hashes", list_place(&draft.hashes)),
        ("alloc_above", place(&draft.alloc_above)),
        ("crc_framed", place(&draft.crc_framed)),
        ("until_gone", place(&draft.until_gone)),
        ("gone_within", place(&draft.gone_within)),
        ("poll_interval", place(&draft.poll_interval)),
        ("poll_connections", place(&draft.poll_connections)),
        ("errors", place(&draft.errors)),
    ];
    let keys = http.iter().map(|key| ("http", key));
    let keys = keys.chain(s3.iter().map(|key| ("s3", key)));
    let keys = keys.chain(blob.iter().map(|key| ("blob", key)));
    for (theirs, (key, place)) in keys {
        let shared = match (theirs, kind) {
            ("s3", "blob") => BLOB_KEYS.contains(key),
            ("s3", "http") => *key == "verify",
            _ => false,
        };
        if let Some(place) = place.filter(|_| theirs != kind && !shared) {
            desk.wrong(
                place,
                key,
                format!("is for workloads of kind {theirs:?}; this one is of kind {kind:?}"),
            );
        }
    }
}

/// Keys of S3 workloads that blob workloads have as well.
const BLOB_KEYS: &[&str] = &[
    "operation",
    "size",
    "bucket",
    "prefix",
    "objects",
    "choose",
    "verify",
    "range",
    "batch",
];

/// The load that workloads share, resolved once so that a mistake in it is told once.
struct Loads<'a> {
    shared: &'a LoadDraft,
    slice: Duration,
    told: bool,
}

impl<'a> Loads<'a> {
    fn new(shared: &'a LoadDraft, slice: Duration) -> Self {
        Self {
            shared,
            slice,
            told: false,
        }
    }

    /// The load, and the levels of connections if it is a ramp of them.
    fn resolve(&mut self, desk: &mut Desk<'_>, own: LoadDraft) -> (Load, Option<Vec<usize>>) {
        if !self.told {
            load::resolve(desk, self.shared);
            load::levels(desk, self.shared);
            self.told = true;
        }
        load::resolve(desk, &own);
        load::levels(desk, &own);
        let before = desk.findings.count();
        let own = own.or(self.shared);
        let load = load::resolve(desk, &own);
        let levels = load::levels(desk, &own);
        desk.findings.forget_after(before);
        load::contradictions(desk, &own, self.slice);
        (load, levels)
    }
}
