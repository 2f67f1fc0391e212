//! What is seen of single requests, as it is kept.

use std::collections::BTreeSet;

use tenbin_plan::Plan;
use tenbin_record::{Environment, PatternCount, SingleRequest, Singles};
use tenbin_workloads::{SingleSeen, SinglesSeen};

use crate::arm::Arm;

/// With the names of the hosts, if there are several.
pub(crate) fn kept(seen: &SinglesSeen, hosts: &[String]) -> Singles {
    let single = |one: &SingleSeen| SingleRequest {
        request: one.request.clone(),
        host: hosts.get(one.host).cloned(),
        status: one.status,
        correct: one.correct,
        ns: one.nanos,
    };
    let patterns = seen.patterns.iter().map(|count| PatternCount {
        pattern: count.pattern,
        ok: count.ok,
        failed: count.failed,
        sum_ns: count.sum_nanos,
        min_ns: count.min_nanos,
        max_ns: count.max_nanos,
    });
    Singles {
        slowest: seen.slowest.iter().map(single).collect(),
        fastest: seen.fastest.iter().map(single).collect(),
        patterns: patterns.collect(),
    }
}

/// What is worth a word of the workloads before anything is measured, each sentence once.
pub(crate) fn notes(arms: &[Arm]) -> Vec<String> {
    let mut told = BTreeSet::new();
    let all = arms.iter().flat_map(|arm| &arm.prepared);
    let notes = all.flat_map(|prepared| prepared.notes());
    notes.filter(|note| told.insert(note.clone())).collect()
}

/// Notes the patterns of all workloads and the hits that the targets found for them.
/// Says whether there are any.
pub(crate) fn note_patterns(plan: &Plan, arms: &[Arm], environment: &mut Environment) -> bool {
    for arm in arms {
        for (work, prepared) in plan.workloads.iter().zip(&arm.prepared) {
            let Some(asked) = prepared.asked_patterns() else {
                continue;
            };
            if !asked.hits.is_empty() {
                let target = environment.targets.entry(arm.running.name.clone());
                target
                    .or_default()
                    .hits
                    .insert(work.name.clone(), asked.hits);
            }
            environment.patterns.insert(work.name.clone(), asked.labels);
        }
    }
    !environment.patterns.is_empty()
}
