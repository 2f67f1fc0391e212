//! The operations sent to every target.

mod http;
mod s3;

use std::time::Duration;

use super::naming::Names;
use super::{Desk, load};
use crate::context::Context;
use crate::draft::{LoadDraft, WorkloadDraft};
use crate::model::{Load, Workload, WorkloadKind};
use crate::names::Kind;
use crate::problem::Place;
use crate::scalar::{At, List, Scalar};

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
        let kind = kind(desk, &draft, place);
        let default = || match &kind {
            Some(WorkloadKind::Http(work)) => http::default_name(work),
            Some(WorkloadKind::S3(work)) => s3::default_name(work),
            None => "workload".to_owned(),
        };
        let (load, levels) = loads.resolve(desk, draft.load);
        let Some(levels) = levels else {
            let name = names.pick(desk, "workload", &draft.name, default);
            workloads.extend(kind.map(|kind| Workload { name, kind, load }));
            continue;
        };
        let base = names.base(desk, &draft.name, default);
        for connections in levels {
            let name = names.level(&base, connections);
            let level = kind.clone().map(|kind| Workload {
                name,
                kind,
                load: Load {
                    connections,
                    ..load.clone()
                },
            });
            workloads.extend(level);
        }
    }
    workloads
}

fn kind(desk: &mut Desk<'_>, draft: &WorkloadDraft, place: Place) -> Option<WorkloadKind> {
    if draft.kind.is_none() {
        desk.refuse(
            place,
            "a workload needs its kind: kind = \"http\" or kind = \"s3\"",
        );
        return None;
    }
    let kind = desk.choice("kind", &draft.kind)?;
    refuse_foreign_keys(desk, draft, kind);
    match kind {
        Kind::Http => http::resolve(desk, draft).map(WorkloadKind::Http),
        Kind::S3 => s3::resolve(desk, draft, place).map(WorkloadKind::S3),
    }
}

fn refuse_foreign_keys(desk: &mut Desk<'_>, draft: &WorkloadDraft, kind: Kind) {
    let place = |field: &crate::draft::Field| field.as_ref().map(|field| field.place);
    let list_place = |list: &Option<At<crate::scalar::List>>| list.as_ref().map(|list| list.place);
    let http = [
        ("method", place(&draft.method)),
        ("path", place(&draft.path)),
        ("headers", list_place(&draft.headers)),
        ("body", place(&draft.body)),
        ("body_file", place(&draft.body_file)),
        ("expect", list_place(&draft.expect)),
        ("patterns", place(&draft.patterns)),
        ("patterns_format", place(&draft.patterns_format)),
        ("order", place(&draft.order)),
        ("slowest", place(&draft.slowest)),
        ("hits", place(&draft.hits)),
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
    let (foreign, theirs, ours) = match kind {
        Kind::Http => (s3.as_slice(), "s3", "http"),
        Kind::S3 => (http.as_slice(), "http", "s3"),
    };
    for (key, place) in foreign {
        if let Some(place) = place {
            desk.wrong(
                *place,
                key,
                format!("is for workloads of kind {theirs:?}; this one is of kind {ours:?}"),
            );
        }
    }
}

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

/// Every item of a list, as `read` understands it; what is wrong is noted.
fn each<T>(
    desk: &mut Desk<'_>,
    key: &str,
    list: Option<&At<List>>,
    read: impl Fn(&Scalar, &Context) -> Result<T, String>,
) -> Vec<T> {
    let Some(list) = list else {
        return Vec::new();
    };
    list.items()
        .into_iter()
        .filter_map(|item| match read(item.value, desk.context) {
            Ok(value) => Some(value),
            Err(message) => {
                desk.wrong(item.place, key, message);
                None
            }
        })
        .collect()
}
