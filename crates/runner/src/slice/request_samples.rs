//! Converts request samples to the form in which the run directory records them.

use std::time::{Duration, Instant};

use tenbin_plan::{Plan, Sentence, sentence};
use tenbin_record::{
    Environment, HostHits, PatternHits, RecordedPattern, RecordedSample, RecordedSamples,
};
use tenbin_workloads::{RequestSample, SliceSamples};

use crate::controls::Controls;
use crate::target::live::LiveTarget;

/// Time limit, after an incomplete run, for repeating the requests that were sent once before the
/// run.
const SHORT: Duration = Duration::from_secs(2);

/// Converts request samples for the record and adds host names if the target has several hosts.
pub(crate) fn kept(seen: &SliceSamples, hosts: &[String]) -> RecordedSamples {
    let single = |one: &RequestSample| RecordedSample {
        request: one.request.clone(),
        number: Some(one.number),
        host: hosts.get(one.host).cloned(),
        status: one.status,
        correct: one.correct,
        ns: one.nanos,
    };
    let patterns = seen.patterns.iter().map(|count| RecordedPattern {
        pattern: count.pattern,
        ok: count.ok,
        failed: count.failed,
        sum_ns: count.sum_nanos,
        min_ns: count.min_nanos,
        max_ns: count.max_nanos,
    });
    RecordedSamples {
        slowest: seen.slowest.iter().map(single).collect(),
        fastest: seen.fastest.iter().map(single).collect(),
        patterns: patterns.collect(),
    }
}

/// Notes that workloads report before the measured part. Each note names its targets and is listed
/// once.
pub(crate) fn notes(live_targets: &[LiveTarget]) -> Vec<Sentence> {
    let all = live_targets.iter().flat_map(|live| {
        let notes = live.prepared.iter().flat_map(|prepared| prepared.notes());
        notes.map(|note| (live.running.name.as_str(), note))
    });
    by_target(all)
}

fn by_target<'a>(notes: impl Iterator<Item = (&'a str, Sentence)>) -> Vec<Sentence> {
    let mut told: Vec<(Sentence, Vec<&str>)> = Vec::new();
    for (target, note) in notes {
        match told.iter_mut().find(|(known, _)| *known == note) {
            Some((_, targets)) if targets.contains(&target) => {}
            Some((_, targets)) => targets.push(target),
            None => told.push((note, vec![target])),
        }
    }
    let named = told.into_iter().map(|(note, targets)| {
        let s = if targets.len() == 1 { "" } else { "s" };
        let names = targets.iter().map(|name| format!("\"{name}\""));
        let names: Vec<String> = names.collect();
        let of = sentence!(
            "of-targets",
            "target{s} {targets}: {note}",
            s,
            targets = names.join(", "),
            note
        );
        of.with("targets", targets.join("、"))
            .with_part("note", [note])
    });
    named.collect()
}

/// Records the patterns of all workloads and the hits that each target returned for them. Returns
/// whether any patterns were recorded.
pub(crate) fn note_patterns(
    plan: &Plan,
    live_targets: &[LiveTarget],
    environment: &mut Environment,
) -> bool {
    for live in live_targets {
        for (work, prepared) in plan.workloads.iter().zip(&live.prepared) {
            let Some(asked) = prepared.counted_patterns() else {
                continue;
            };
            if !asked.hosts.is_empty() {
                let hosts = asked.hosts.iter().map(|host| told(host, live)).collect();
                let target = environment.targets.entry(live.running.name.clone());
                target.or_default().asked.insert(work.name.clone(), hosts);
            }
            environment.patterns.insert(work.name.clone(), asked.labels);
        }
    }
    !environment.patterns.is_empty()
}

/// Converts the hits of one host for the record and adds the host name.
fn told(asked: &tenbin_workloads::HostHits, live: &LiveTarget) -> HostHits {
    let kept = |one: &tenbin_workloads::PatternHits| PatternHits {
        pattern: one.pattern,
        hits: one.hits,
        bytes: one.bytes,
    };
    let host = live.running.route.hosts.get(asked.host);
    HostHits {
        host: host.map_or_else(String::new, |host| host.name.clone()),
        before: asked.before.iter().map(kept).collect(),
        after: asked
            .after
            .as_ref()
            .map(|after| after.iter().map(kept).collect()),
    }
}

/// Repeats, on every target, the requests that were sent once before the run. An incomplete run
/// uses a short time limit.
pub(crate) fn repeat_requests(
    plan: &Plan,
    live_targets: &mut [LiveTarget],
    complete: bool,
    controls: &mut Controls<'_>,
) {
    let limit = (!complete).then(|| Instant::now() + SHORT);
    for live in live_targets {
        if live.running.is_halted() || live.running.alive().is_err() {
            continue;
        }
        for (at, work) in plan.workloads.iter().enumerate() {
            live.repeat_requests(work, at, controls, limit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_note_names_its_targets_once() {
        let note = |target, text: &str| (target, Sentence::from(text));
        let notes = [
            note("a", "a cache of 9 responses"),
            note("b", "a cache of 9 responses"),
            note("b", "a cache of 9 responses"),
            note("c", "a cache of 3 responses"),
        ];
        let told = by_target(notes.into_iter());
        let told: Vec<&str> = told.iter().map(Sentence::text).collect();
        assert_eq!(
            told,
            [
                "targets \"a\", \"b\": a cache of 9 responses",
                "target \"c\": a cache of 3 responses"
            ]
        );
    }
}
