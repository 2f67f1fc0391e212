//! What a run does before and between its slices, in a sentence each.

use tenbin_plan::duration::Time;
use tenbin_plan::{Sentence, sentence};
use tenbin_result::format::exact_rate;
use tenbin_runner::Progress;

use super::wording::{bracket, done_of};
use crate::sentences::said;

pub(crate) fn starting(target: &str) -> Sentence {
    sentence!("starting", "starting {target}", target)
}

pub(crate) fn warming_up(target: &str, workload: &str) -> Sentence {
    sentence!(
        "warming-up",
        "warming up {target} with {workload}",
        target,
        workload
    )
}

pub(crate) fn stopping() -> Sentence {
    sentence!("stopping-targets", "stopping the targets")
}

/// A step that reports its progress; `None` for other events.
pub(super) fn lasting(progress: &Progress<'_>) -> Option<Sentence> {
    Some(match progress {
        Progress::Starting {
            target,
            awaited: Some(awaited),
            waited,
        } => sentence!(
            "waiting-for",
            "{target}: waiting for {awaited}, {waited}",
            target,
            awaited,
            waited = Time::rounded(*waited)
        ),
        Progress::Pages { made, total } => sentence!(
            "generating-pages",
            "generating pages ({done})",
            done = said(&done_of(*made, *total))
        ),
        Progress::Loading {
            target,
            server,
            loaded,
            total,
        } => sentence!(
            "loading-pages",
            "{target}: loading pages into {server} ({loaded} of {total})",
            target,
            server,
            loaded,
            total
        ),
        Progress::Stage {
            target,
            workload,
            what,
            done,
            total,
        } => sentence!(
            "stage",
            "{target}, {workload}: {what} ({done})",
            target,
            workload,
            what = said(what),
            done = said(&done_of(*done, *total))
        ),
        _ => return None,
    })
}

/// The next probe of a maximum-rate search; `None` for other events.
pub(super) fn probe(progress: &Progress<'_>) -> Option<Sentence> {
    let Progress::Probe {
        target,
        workload,
        rate,
        proof,
        held,
        failed,
    } = progress
    else {
        return None;
    };
    Some(sentence!(
        "probe",
        "{workload} on {target}: {what} at {rate} ({bracket})",
        workload,
        target,
        what = if *proof { "proof" } else { "step" },
        rate = exact_rate(*rate),
        bracket = said(&bracket(*held, *failed))
    ))
}
