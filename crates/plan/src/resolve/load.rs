//! How operations are issued.

use std::time::Duration;

use super::Desk;
use crate::draft::LoadDraft;
use crate::duration::Time;
use crate::model::{Load, Pace};
use crate::names::{Arrivals, Named};
use crate::scalar::{At, List, Scalar};
use crate::step::Step;

const DEFAULT_CONNECTIONS: usize = 16;
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);
const SHORTEST_TIMEOUT: Duration = Duration::from_millis(1);
/// More sockets than one address pair has ports is surely a slip.
const MOST_CONNECTIONS: u64 = 100_000;
/// Servers allow one or two hundred streams; more than this is surely a slip.
const MOST_DEPTH: u64 = 1000;

/// Notes keys that do not go together. They may come from two tables, each of
/// which is right on its own.
pub(super) fn contradictions(desk: &mut Desk<'_>, draft: &LoadDraft, slice: Duration) {
    let is_poisson = draft
        .arrivals
        .as_ref()
        .is_some_and(|arrivals| arrivals.value == Scalar::from(Arrivals::Poisson.name()));
    if let (Some(arrivals), None, None) = (&draft.arrivals, &draft.rate, &draft.steps) {
        desk.wrong(arrivals.place, "arrivals", "needs a rate");
    }
    if let (Some(rate_to), None) = (&draft.rate_to, &draft.rate) {
        desk.wrong(rate_to.place, "rate_to", "needs a rate to start from");
    }
    if let (Some(rate_to), true) = (&draft.rate_to, is_poisson) {
        let why = "a rate that changes has constant arrivals; leave out arrivals or this";
        desk.wrong(rate_to.place, "rate_to", why);
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
    let Some(steps) = &draft.steps else { return };
    if is_poisson {
        let why = "steps have constant arrivals; leave out arrivals or this";
        desk.wrong(steps.place, "steps", why);
    }
    if draft.rate.is_some() {
        desk.wrong(steps.place, "steps", "give either this or a rate, not both");
    }
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
    let arrivals = desk.choice("arrivals", &draft.arrivals);
    let steps = draft.steps.as_ref().map(|steps| all_steps(desk, steps));
    match (rate, rate_to, arrivals, steps) {
        (_, _, _, Some(steps)) => Pace::Steps(steps),
        (None, ..) => Pace::Closed,
        (Some(from), Some(to), ..) => Pace::Ramp { from, to },
        (Some(per_second), None, Some(Arrivals::Poisson), _) => Pace::Poisson { per_second },
        (Some(per_second), None, ..) => Pace::Constant { per_second },
    }
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

pub(super) fn resolve(desk: &mut Desk<'_>, draft: &LoadDraft) -> Load {
    let connections = desk.read("connections", &draft.connections, |scalar| {
        scalar.whole(1, MOST_CONNECTIONS)
    });
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
        pace,
        connections: connections
            .and_then(|connections| usize::try_from(connections).ok())
            .unwrap_or(DEFAULT_CONNECTIONS),
        depth: depth
            .and_then(|depth| usize::try_from(depth).ok())
            .unwrap_or(1),
        timeout: timeout.unwrap_or(DEFAULT_TIMEOUT),
        keep_alive: desk
            .read("keep_alive", &draft.keep_alive, |scalar| scalar.switch())
            .unwrap_or(true),
        requests: desk.read("requests", &draft.requests, |scalar| {
            scalar.whole(1, u64::MAX)
        }),
    }
}
