//! Resolves `[gate]`.

use super::comparing;
use crate::draft::{Draft, Gate, GateDraft};
use crate::keys::scalar::At;
use crate::plan::workload::Workload;
use crate::resolver::Resolver;
use crate::target::Target;
use crate::{Sentence, sentence};

/// The gate; `None` without a `[gate]`.
pub(super) fn resolve(
    resolver: &mut Resolver<'_>,
    draft: &Draft,
    (targets, has_twin): (&[Target], bool),
    workloads: &[Workload],
) -> Option<Gate> {
    let At { value, place } = draft.gate.as_ref()?;
    if let Some(why) = misfit(draft, targets.len() - usize::from(has_twin), workloads) {
        resolver.refuse(*place, why);
    }
    let mut gate = Gate::default();
    gate.read_keys(resolver, value);
    if let Some(list) = &value.figures {
        for (at, each) in gate.figures.iter().enumerate() {
            if let Err(mistake) = comparing::can_decide(each.figure, targets, workloads) {
                resolver.wrong(list.place, GateDraft::figures.name, mistake);
            }
            if gate.figures[..at].iter().any(|it| it.figure == each.figure) {
                let why = sentence!(
                    "figure-twice",
                    "{figure} is listed twice; remove one",
                    figure = each.figure
                );
                resolver.wrong(list.place, GateDraft::figures.name, why);
            }
        }
    }
    Some(gate)
}

/// Why the plan has no gate; `None` if the plan can have one.
fn misfit(draft: &Draft, targets: usize, workloads: &[Workload]) -> Option<Sentence> {
    if targets == 1 {
        return Some(sentence!(
            "gate-needs-candidate",
            "a gate compares two targets, the base and the candidate; this plan has only 1: add \
             --target candidate=URL, or --base-rev REV with --launch"
        ));
    }
    if targets != 2 {
        return Some(sentence!(
            "gate-needs-two",
            "a gate compares two targets, the base and the candidate; this plan has {targets}",
            targets
        ));
    }
    if draft.aa.is_some() {
        return Some(sentence!(
            "gate-with-twin",
            "a gate has no twin; remove aa (--aa)"
        ));
    }
    if draft.rounds.until.is_some() {
        return Some(sentence!(
            "gate-with-until",
            "a gate ends when it can tell; remove until (--until), which sets another end"
        ));
    }
    if draft.compare.workloads.is_some() {
        return Some(sentence!(
            "gate-with-workloads",
            "a gate compares targets; remove workloads of [compare]"
        ));
    }
    let searched = workloads.iter().find(|work| work.search().is_some());
    searched.map(|work| {
        sentence!(
            "gate-with-slo",
            "workload {name:?} has limits (slo), and a gate needs a fixed load; set connections \
             or rate",
            name = work.name
        )
    })
}
