//! Resolves workloads: the operations sent to every target, and their load.

use std::time::Duration;

use super::load;
use crate::draft::{Load, LoadDraft, WorkloadDraft};
use crate::keys::scalar::{At, Field, Scalar};
use crate::load::Pace;
use crate::naming::Names;
use crate::plan::workload::Workload;
use crate::plan_file::problem::Place;
use crate::resolver::Resolver;
use crate::sentence;
use crate::work::{WorkloadKind, protocols};

pub(super) fn resolve_all(
    resolver: &mut Resolver<'_>,
    drafts: Vec<At<WorkloadDraft>>,
    shared_load: &LoadDraft,
    slice: Duration,
) -> Vec<Workload> {
    if drafts.is_empty() {
        resolver.refuse(
            Place::Nowhere,
            sentence!(
                "no-workload",
                "no workload to send; use tenbin http or tenbin s3, or a [[workload]] table in a \
                 plan"
            ),
        );
        // Mistakes in the load are reported as well.
        load::resolve(resolver, shared_load);
    }
    let is_only = drafts.len() == 1;
    let mut names = Names::default();
    let mut loads = Loads::new(shared_load, slice);
    let mut workloads = Vec::new();
    for At {
        value: draft,
        place,
    } in drafts
    {
        let kinds = kinds(resolver, &draft, place);
        let stages = resolver.read("stages", &draft.stages, Scalar::switch);
        let stages = stages.unwrap_or_default();
        let (load, levels) = loads.resolve(resolver, draft.load);
        let is_phase = |kind: &WorkloadKind| kind.facts().phase().is_some();
        let is_alone = is_only && kinds.len() == 1 && kinds[0].facts().stands_alone();
        let in_phases = kinds.iter().any(is_phase) && !is_alone;
        if in_phases && (levels.is_some() || matches!(load.pace, Pace::Search(_))) {
            resolver.refuse(
                place,
                sentence!(
                    "phases-with-ramp",
                    "phases on blobs run once in every round; leave out ramp and slo, or use a \
                     mix (operation = \"put:20,get:75,delete:5\"), or a plan whose only phase is \
                     put, or get with choose = \"sequential\""
                ),
            );
            continue;
        }
        let Some(levels) = levels else {
            let one_phase = kinds.len() == 1;
            for kind in kinds {
                let default = || kind.protocol().default_name();
                let name = match &draft.name {
                    Some(_) if one_phase => names.pick(resolver, "workload", &draft.name, default),
                    _ => {
                        let base = base_of_phase(resolver, &names, &draft.name, &kind);
                        names.pick(resolver, "workload", &None, || base)
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
        let base = names.base(resolver, &draft.name, || kind.protocol().default_name());
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

/// The name of one of several phases: the name of the workload, and then the phase.
fn base_of_phase(
    resolver: &mut Resolver<'_>,
    names: &Names,
    field: &Field,
    kind: &WorkloadKind,
) -> String {
    let default = || kind.protocol().default_name();
    match (field, kind.facts().phase()) {
        (Some(_), Some(phase)) => format!("{}-{phase}", names.base(resolver, field, default)),
        _ => default(),
    }
}

/// Resolves the protocol's keys of a draft: one result, or one per phase; none if a key is wrong,
/// which is reported.
fn kinds(resolver: &mut Resolver<'_>, draft: &WorkloadDraft, place: Place) -> Vec<WorkloadKind> {
    let names = || protocols().map(|traits| traits.name);
    match (&draft.work, &draft.kind) {
        (Some(work), _) => work.keys().resolve(resolver, place),
        (None, None) => {
            let names: Vec<String> = names().map(|name| format!("{name:?}")).collect();
            let (last, others) = names.split_last().expect("a protocol is in the table");
            let others = others.join(", ");
            resolver.refuse(
                place,
                sentence!(
                    "kind-missing",
                    "a workload needs its kind: kind = {others} or {last}",
                    others,
                    last
                ),
            );
            Vec::new()
        }
        (None, Some(_)) => {
            // `kind` is wrong: with a correct `kind`, `draft.work` would contain the keys of its
            // protocol.
            let names: Vec<(&str, ())> = names().map(|name| (name, ())).collect();
            resolver.read("kind", &draft.kind, |scalar| scalar.choice(&names));
            Vec::new()
        }
    }
}

/// The load that workloads share, resolved once so that a mistake in it is reported once.
struct Loads<'a> {
    shared: &'a LoadDraft,
    slice: Duration,
    is_checked: bool,
}

impl<'a> Loads<'a> {
    fn new(shared: &'a LoadDraft, slice: Duration) -> Self {
        Self {
            shared,
            slice,
            is_checked: false,
        }
    }

    /// The load, and the levels of a concurrency sweep or of a list of connections.
    fn resolve(
        &mut self,
        resolver: &mut Resolver<'_>,
        own: LoadDraft,
    ) -> (Load, Option<Vec<usize>>) {
        if !self.is_checked {
            load::resolve(resolver, self.shared);
            load::levels(resolver, self.shared);
            self.is_checked = true;
        }
        load::resolve(resolver, &own);
        load::levels(resolver, &own);
        let before = resolver.findings.count();
        let own = own.or(self.shared);
        let load = load::resolve(resolver, &own);
        let levels = load::levels(resolver, &own);
        resolver.findings.forget_after(before);
        load::contradictions(resolver, &own, self.slice);
        (load, levels)
    }
}
