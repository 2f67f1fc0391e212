//! The operations sent to every target.

use std::time::Duration;

use super::load;
use super::naming::Names;
use crate::desk::Desk;
use crate::draft::{LoadDraft, WorkloadDraft};
use crate::load::{Load, Pace};
use crate::problem::Place;
use crate::scalar::Field;
use crate::scalar::{At, Scalar};
use crate::work::{WorkloadKind, protocols};
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
    let names = || protocols().map(|traits| traits.name);
    match (&draft.work, &draft.kind) {
        (Some(work), _) => work.keys().resolve(desk, place),
        (None, None) => {
            let names: Vec<String> = names().map(|name| format!("{name:?}")).collect();
            let (last, others) = names.split_last().expect("a protocol is in the table");
            let others = others.join(", ");
            desk.refuse(
                place,
                format!("a workload needs its kind: kind = {others} or {last}"),
            );
            Vec::new()
        }
        (None, Some(_)) => {
            // Its keys would have been read if the name were right.
            let names: Vec<(&str, ())> = names().map(|name| (name, ())).collect();
            desk.read("kind", &draft.kind, |scalar| scalar.choice(&names));
            Vec::new()
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
