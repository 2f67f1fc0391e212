//! How operations are issued.

use std::time::Duration;

use crate::desk::Desk;
use crate::draft::LoadDraft;
use crate::duration::Time;
use crate::load::{Arrivals, Load, Pace, RateSearch};
use crate::ramp::Ramp;
use crate::scalar::Field;
use crate::scalar::{At, List, Scalar};
use crate::slo::Slo;
use crate::step::Step;
use crate::trace::Trace;

const DEFAULT_CONNECTIONS: usize = 16;
/// What waits for a free connection is late: a search needs some to spare.
const DEFAULT_SEARCH_CONNECTIONS: usize = 128;
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);
const SHORTEST_TIMEOUT: Duration = Duration::from_millis(1);
/// More sockets than one address pair has ports is surely a slip.
const MOST_CONNECTIONS: u64 = 100_000;
/// Each number of connections becomes one workload; a larger number is taken for a typing error.
const MOST_LEVELS: usize = 64;
/// A day of arrivals in less than a tenth of a second.
const HIGHEST_SPEED: f64 = 1e6;
/// Servers allow one or two hundred streams; more than this is surely a slip.
const MOST_DEPTH: u64 = 1000;

/// More lives of a connection than this measure connecting.
const MOST_LIVES: u64 = 1000;

/// Notes keys that do not go together. They may come from two tables, each of
/// which is right on its own.
pub(super) fn contradictions(desk: &mut Desk<'_>, draft: &LoadDraft, slice: Duration) {
    let steps_place = draft.steps.as_ref().map(|steps| steps.place);
    let (rate, steps) = (draft.rate.is_some(), draft.steps.is_some());
    let trace = draft.trace.is_some();
    let slo = draft.slo.is_some();
    let place = |field: &Field| field.as_ref().map(|field| field.place);
    let table = [
        (
            "arrivals",
            place(&draft.arrivals),
            !rate && !steps && !trace && !slo,
            "needs a rate; give one with rate or steps (--rate or --step)",
        ),
        (
            "arrivals",
            place(&draft.arrivals),
            trace,
            "a trace has arrivals of its own; leave out either",
        ),
        (
            "rate_to",
            place(&draft.rate_to),
            !rate,
            "needs a rate to start from",
        ),
        (
            "steps",
            steps_place,
            rate,
            "give either this or a rate, not both",
        ),
        (
            "trace",
            place(&draft.trace),
            rate || steps,
            "give only one of this, a rate and steps",
        ),
        (
            "trace_speed",
            place(&draft.trace_speed),
            !trace,
            "needs a trace",
        ),
        (
            "think",
            place(&draft.think),
            rate || steps || trace,
            "an open loop (rate, steps or trace) has no think time: nothing in it waits for answers; leave out either",
        ),
        (
            "think",
            place(&draft.think),
            slo,
            "an objective (slo) is looked for in an open loop, which has no think time; leave out either",
        ),
        (
            "ramp",
            place(&draft.ramp),
            draft.connections.is_some(),
            "it has the numbers of connections; leave out connections (--connections)",
        ),
        (
            "ramp",
            place(&draft.ramp),
            rate || steps || trace || slo,
            "a ramp of connections is for a closed loop; leave out the rate, steps, trace or objective",
        ),
        (
            "slo",
            place(&draft.slo),
            draft.rate_to.is_some() || steps || trace,
            "the search chooses the rates; leave out rate_to, steps and trace (rate is where it begins)",
        ),
        (
            "slo",
            place(&draft.slo),
            draft.requests.is_some(),
            "probes of the search end by time; leave out requests (--requests)",
        ),
    ];
    for (key, place, is_wrong, why) in table {
        if let (Some(place), true) = (place, is_wrong) {
            desk.wrong(place, key, why);
        }
    }
    let deep = |depth: &&At<Scalar>| depth.value.whole(2, MOST_DEPTH).is_ok();
    let closes = |keep: &At<Scalar>| keep.value == Scalar::Switch(false);
    if let (Some(depth), true) = (
        draft.depth.as_ref().filter(deep),
        draft.keep_alive.as_ref().is_some_and(closes),
    ) {
        let why = "several requests cannot be out at once on a connection that is closed after \
                   every answer; leave out keep_alive = false (--no-keep-alive) or this";
        desk.wrong(depth.place, "depth", why);
    }
    if let Some(reopen) = &draft.reopen {
        let why = if draft.keep_alive.as_ref().is_some_and(closes) {
            "every request has a new connection anyway; leave out keep_alive = false \
             (--no-keep-alive) or this"
        } else if draft.depth.as_ref().is_some_and(|depth| deep(&depth)) {
            "a connection with several requests out cannot be opened again between two of them; \
             leave out depth (--depth) or this"
        } else if draft.requests.is_some() {
            "it divides the time of a slice, which does not end by time; leave out requests \
             (--requests) or this"
        } else {
            ""
        };
        if !why.is_empty() {
            desk.wrong(reopen.place, "reopen", why);
        }
    }
    let Some(steps) = &draft.steps else { return };
    let total: Duration = lengths(steps).sum();
    if total > slice {
        let why = format!(
            "they take {} together, longer than the slice of {}",
            Time(total),
            Time(slice)
        );
        desk.wrong(steps.place, "steps", why);
    }
}

fn lengths(steps: &At<List>) -> impl Iterator<Item = Duration> {
    let read = |item: At<&Scalar>| step(item.value).ok().map(|step| step.length);
    steps.items().into_iter().filter_map(read)
}

fn step(scalar: &Scalar) -> Result<Step, String> {
    scalar.text()?.parse()
}

fn pace(desk: &mut Desk<'_>, draft: &LoadDraft) -> Pace {
    let rate = desk.read("rate", &draft.rate, |scalar| scalar.rate());
    let rate_to = desk.read("rate_to", &draft.rate_to, |scalar| scalar.rate());
    let slo = desk.read("slo", &draft.slo, Scalar::parsed::<Slo>);
    let arrivals = desk.choice("arrivals", &draft.arrivals);
    if let Some(slo) = slo {
        return Pace::Search(RateSearch {
            slo,
            from: rate,
            // What users send has no rhythm, and the queue that it makes is the question.
            arrivals: arrivals.unwrap_or(Arrivals::Poisson),
        });
    }
    let arrivals = arrivals.unwrap_or(Arrivals::Constant);
    let steps = draft.steps.as_ref().map(|steps| all_steps(desk, steps));
    let trace = trace(desk, draft);
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

fn trace(desk: &mut Desk<'_>, draft: &LoadDraft) -> Option<Trace> {
    let speed = desk.read("trace_speed", &draft.trace_speed, speed);
    let place = draft.trace.as_ref()?.place;
    let path = desk.path("trace", &draft.trace)?;
    let recorded = desk.trace(place, "trace", &path)?;
    Some(Trace::played(path, recorded, speed.unwrap_or(1.0)))
}

fn speed(scalar: &Scalar) -> Result<f64, String> {
    let speed = match scalar {
        Scalar::Text(text) => text.parse().ok(),
        Scalar::Whole(number) => Some(*number as f64),
        Scalar::Decimal(number) => Some(*number),
        Scalar::Switch(_) => None,
    };
    let speed = speed.ok_or_else(|| {
        format!("{scalar} is not a speed; write for example 2.0, for twice as fast")
    })?;
    if speed > 0.0 && speed <= HIGHEST_SPEED {
        return Ok(speed);
    }
    Err(format!(
        "a speed is above 0 and at most {HIGHEST_SPEED}, which {scalar} is not"
    ))
}

fn all_steps(desk: &mut Desk<'_>, steps: &At<List>) -> Vec<(f64, Duration)> {
    let mut read = Vec::new();
    for item in steps.items() {
        match step(item.value) {
            Ok(step) => read.push((step.per_second, step.length)),
            Err(message) => desk.wrong(item.place, "steps", message),
        }
    }
    if steps.items().is_empty() {
        let why = "is empty; write for example [\"100/s for 1s\", \"200/s for 1s\"]";
        desk.wrong(steps.place, "steps", why);
    }
    read
}

/// The levels of connections that are asked for, by a ramp or by a list of connections; none
/// without either.
pub(super) fn levels(desk: &mut Desk<'_>, draft: &LoadDraft) -> Option<Vec<usize>> {
    if is_list(&draft.connections) {
        return desk.read("connections", &draft.connections, listed);
    }
    let Ramp(levels) = desk.read("ramp", &draft.ramp, Scalar::parsed::<Ramp>)?;
    Some(levels)
}

/// Whether several numbers of connections are given: `1,8,64`.
fn is_list(connections: &Field) -> bool {
    let given = connections.as_ref().map(|field| &field.value);
    matches!(given, Some(Scalar::Text(text)) if text.contains(','))
}

/// Each once, ascending.
fn listed(scalar: &Scalar) -> Result<Vec<usize>, String> {
    let text = scalar.text()?;
    let wrong = || {
        format!(
            "{text:?} is not a list of connections; write whole numbers from 1 to \
             {MOST_CONNECTIONS}, at most {MOST_LEVELS} of them, for example \"1,8,64\""
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

pub(super) fn resolve(desk: &mut Desk<'_>, draft: &LoadDraft) -> Load {
    let connections = match is_list(&draft.connections) {
        true => None,
        false => desk.read("connections", &draft.connections, |scalar| {
            scalar.whole(1, MOST_CONNECTIONS)
        }),
    };
    let depth = desk.read("depth", &draft.depth, |scalar| scalar.whole(1, MOST_DEPTH));
    let pace = pace(desk, draft);
    let timeout = desk.read("timeout", &draft.timeout, |scalar| {
        let timeout = scalar.time()?;
        if timeout < SHORTEST_TIMEOUT {
            let shortest = Time(SHORTEST_TIMEOUT);
            return Err(format!(
                "{} is too short; the least is {shortest}",
                Time(timeout)
            ));
        }
        Ok(timeout)
    });
    Load {
        connections: connections
            .and_then(|connections| usize::try_from(connections).ok())
            .unwrap_or(match pace {
                Pace::Search(_) => DEFAULT_SEARCH_CONNECTIONS,
                _ => DEFAULT_CONNECTIONS,
            }),
        pace,
        think: desk.read("think", &draft.think, |scalar| scalar.text()?.parse()),
        depth: depth
            .and_then(|depth| usize::try_from(depth).ok())
            .unwrap_or(1),
        timeout: timeout.unwrap_or(DEFAULT_TIMEOUT),
        keep_alive: desk
            .read("keep_alive", &draft.keep_alive, |scalar| scalar.switch())
            .unwrap_or(true),
        reopen: desk
            .read("reopen", &draft.reopen, |scalar| {
                scalar.whole(2, MOST_LIVES)
            })
            .and_then(|lives| u32::try_from(lives).ok()),
        requests: desk.read("requests", &draft.requests, |scalar| {
            scalar.whole(1, u64::MAX)
        }),
    }
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
            assert!(error.contains("is not a list of connections"), "{error}");
        }
    }
}
