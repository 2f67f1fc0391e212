//! Resolves the load of a workload.

use std::time::Duration;

use crate::draft::{Load, LoadDraft, load::MOST_CONNECTIONS};
use crate::keys::relations;
use crate::keys::scalar::{At, Field, List, Scalar};
use crate::load::slo::Slo;
use crate::load::step::Step;
use crate::load::sweep_levels::SweepLevels;
use crate::load::trace::Trace;
use crate::load::{Arrivals, Pace, RateSearch};
use crate::resolver::Resolver;
use crate::units::duration::Time;
use crate::{Sentence, sentence};

/// Default number of connections of a maximum-rate search: with few, requests would wait for a free
/// connection and be late.
const DEFAULT_SEARCH_CONNECTIONS: usize = 128;
/// Maximum number of values in a list of connections. Each value becomes one workload; a longer
/// list is taken for a typing error.
const MOST_LEVELS: usize = 64;
/// Highest playback speed of a trace: a day of arrivals in less than a tenth of a second.
const HIGHEST_SPEED: f64 = 1e6;

/// Reports keys that exclude each other. The keys can come from two tables that are each correct.
pub(super) fn contradictions(resolver: &mut Resolver<'_>, draft: &LoadDraft, slice: Duration) {
    relations::check(resolver, draft);
    contradictions_of_connections(resolver, draft);
    too_long_steps(resolver, draft, slice);
}

/// Reports keys of connections that exclude each other.
fn contradictions_of_connections(resolver: &mut Resolver<'_>, draft: &LoadDraft) {
    let deep = |depth: &&At<Scalar>| matches!(depth.value, Scalar::Whole(number) if number > 1);
    let closes = |keep: &At<Scalar>| keep.value == Scalar::Switch(false);
    if let (Some(depth), true) = (
        draft.depth.as_ref().filter(deep),
        draft.keep_alive.as_ref().is_some_and(closes),
    ) {
        let why = sentence!(
            "depth-without-keep-alive",
            "a connection that is closed after every response has one request in flight; \
                leave out keep_alive = false (--no-keep-alive) or depth"
        );
        resolver.wrong(depth.place, "depth", why);
    }
    if let Some(reopen) = &draft.reopen {
        let why = if draft.keep_alive.as_ref().is_some_and(closes) {
            sentence!(
                "reopen-without-keep-alive",
                "with keep_alive = false, every request has a new connection; leave out \
                    keep_alive = false (--no-keep-alive) or reopen"
            )
        } else if draft.depth.as_ref().is_some_and(|depth| deep(&depth)) {
            sentence!(
                "reopen-with-depth",
                "a connection with several requests in flight cannot be opened again between \
                    two requests; leave out depth (--depth) or reopen"
            )
        } else if draft.requests.is_some() {
            sentence!(
                "reopen-with-requests",
                "divides the time of a slice, and with requests a slice has no fixed time; \
                    leave out requests (--requests) or reopen"
            )
        } else {
            return;
        };
        resolver.wrong(reopen.place, "reopen", why);
    }
}

fn too_long_steps(resolver: &mut Resolver<'_>, draft: &LoadDraft, slice: Duration) {
    let Some(steps) = &draft.steps else { return };
    let total: Duration = lengths(steps).sum();
    if total > slice {
        let why = sentence!(
            "steps-too-long",
            "they take {total} together, longer than the slice of {slice}",
            total = Time(total),
            slice = Time(slice)
        );
        resolver.wrong(steps.place, "steps", why);
    }
}

fn lengths(steps: &At<List>) -> impl Iterator<Item = Duration> {
    let read = |item: At<&Scalar>| step(item.value).ok().map(|step| step.length);
    steps.items().into_iter().filter_map(read)
}

fn step(scalar: &Scalar) -> Result<Step, Sentence> {
    scalar.text()?.parse()
}

fn pace(resolver: &mut Resolver<'_>, draft: &LoadDraft) -> Pace {
    let rate = resolver.read("rate", &draft.rate, |scalar| scalar.rate());
    let rate_to = resolver.read("rate_to", &draft.rate_to, |scalar| scalar.rate());
    let slo = resolver.read("slo", &draft.slo, Scalar::parsed::<Slo>);
    let arrivals = resolver.value(&LoadDraft::arrivals, &draft.arrivals);
    if let Some(slo) = slo {
        return Pace::Search(RateSearch {
            slo,
            from: rate,
            // Users send at random times, and the search measures the queue that random arrivals
            // cause.
            arrivals: arrivals.unwrap_or(Arrivals::Poisson),
        });
    }
    let arrivals = arrivals.unwrap_or(Arrivals::Constant);
    let steps = draft.steps.as_ref().map(|steps| all_steps(resolver, steps));
    let trace = trace(resolver, draft);
    match (rate, rate_to, steps, trace) {
        (.., Some(trace)) => Pace::Trace(trace),
        (_, _, Some(steps), _) => Pace::Steps { steps, arrivals },
        (None, ..) => Pace::Closed,
        (Some(from), Some(to), ..) => Pace::Ramp { from, to, arrivals },
        (Some(per_second), None, ..) => match arrivals {
            Arrivals::Constant => Pace::Constant { per_second },
            Arrivals::Poisson => Pace::Poisson { per_second },
        },
    }
}

fn trace(resolver: &mut Resolver<'_>, draft: &LoadDraft) -> Option<Trace> {
    let speed = resolver.read("trace_speed", &draft.trace_speed, speed);
    let place = draft.trace.as_ref()?.place;
    let path = resolver.path("trace", &draft.trace)?;
    let recorded = resolver.trace(place, "trace", &path)?;
    Some(Trace::played(path, recorded, speed.unwrap_or(1.0)))
}

fn speed(scalar: &Scalar) -> Result<f64, Sentence> {
    let speed = match scalar {
        Scalar::Text(text) => text.parse().ok(),
        Scalar::Whole(number) => Some(*number as f64),
        Scalar::Decimal(number) => Some(*number),
        Scalar::Switch(_) => None,
    };
    let speed = speed.ok_or_else(|| {
        sentence!(
            "no-speed",
            "{scalar} is not a speed; write for example 2.0, for twice as fast",
            scalar
        )
    })?;
    if speed > 0.0 && speed <= HIGHEST_SPEED {
        return Ok(speed);
    }
    Err(sentence!(
        "speed-out-of-range",
        "{scalar} is out of range; a speed must be above 0 and at most {highest_speed}",
        scalar,
        highest_speed = HIGHEST_SPEED
    ))
}

fn all_steps(resolver: &mut Resolver<'_>, steps: &At<List>) -> Vec<(f64, Duration)> {
    let mut read = Vec::new();
    for item in steps.items() {
        match step(item.value) {
            Ok(step) => read.push((step.per_second, step.length)),
            Err(message) => resolver.wrong(item.place, "steps", message),
        }
    }
    if steps.items().is_empty() {
        let why = sentence!(
            "steps-empty",
            "is empty; write for example [\"100/s for 1s\", \"200/s for 1s\"]"
        );
        resolver.wrong(steps.place, "steps", why);
    }
    read
}

/// The numbers of connections of a ramp or of a list of connections; `None` without either.
pub(super) fn levels(resolver: &mut Resolver<'_>, draft: &LoadDraft) -> Option<Vec<usize>> {
    if is_list(&draft.connections) {
        return resolver.read("connections", &draft.connections, listed);
    }
    let SweepLevels(levels) = resolver.read("ramp", &draft.ramp, Scalar::parsed::<SweepLevels>)?;
    Some(levels)
}

/// Whether several numbers of connections are given: `1,8,64`.
fn is_list(connections: &Field) -> bool {
    let given = connections.as_ref().map(|field| &field.value);
    matches!(given, Some(Scalar::Text(text)) if text.contains(','))
}

/// Reads a list of numbers of connections, sorts them in ascending order and removes duplicates.
fn listed(scalar: &Scalar) -> Result<Vec<usize>, Sentence> {
    let text = scalar.text()?;
    let wrong = || {
        sentence!(
            "no-connections-list",
            "{text:?} is not a list of connections; write whole numbers from 1 to \
                {most_connections}, at most {most_levels} of them, for example \"1,8,64\"",
            text,
            most_connections = MOST_CONNECTIONS,
            most_levels = MOST_LEVELS
        )
    };
    let mut levels = Vec::new();
    for part in text.split(',') {
        let level: usize = part.trim().parse().map_err(|_| wrong())?;
        if level == 0 || level as u64 > MOST_CONNECTIONS {
            return Err(wrong());
        }
        levels.push(level);
    }
    levels.sort_unstable();
    levels.dedup();
    if levels.len() > MOST_LEVELS {
        return Err(wrong());
    }
    Ok(levels)
}

pub(super) fn resolve(resolver: &mut Resolver<'_>, draft: &LoadDraft) -> Load {
    let connections = if is_list(&draft.connections) {
        None
    } else {
        resolver.read("connections", &draft.connections, |scalar| {
            scalar.whole(1, MOST_CONNECTIONS)
        })
    };
    let connections = connections.and_then(|connections| usize::try_from(connections).ok());
    let mut load = Load {
        pace: pace(resolver, draft),
        ..Load::default()
    };
    if let Pace::Search(_) = load.pace {
        load.connections = DEFAULT_SEARCH_CONNECTIONS;
    }
    load.connections = connections.unwrap_or(load.connections);
    load.read_keys(resolver, draft);
    load
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_connections_is_read_in_order_and_once_each() {
        let read = |text: &str| listed(&Scalar::Text(text.to_owned()));
        assert_eq!(read("8, 1,64,8"), Ok(vec![1, 8, 64]));
        for wrong in ["1,", "1,0", "1,x", "1,100001"] {
            let error = read(wrong).unwrap_err();
            assert!(
                error.text().contains("is not a list of connections"),
                "{error}"
            );
        }
    }
}
