//! Prints the keys of a load.

use std::time::Duration;

use crate::draft::LoadDraft;
use crate::duration::Time;
use crate::load::{Arrivals, Load, Pace};
use crate::names::Named;
use crate::rate::Rate;
use crate::step::Step;
use crate::trace::Trace;

use crate::page::{Page, list, text};

pub(super) fn load(page: &mut Page, load: &Load, slice: Duration) {
    page.key(&LoadDraft::connections, load.connections);
    page.key(&LoadDraft::depth, load.depth);
    match &load.pace {
        Pace::Closed => {
            page.comment("closed loop: each connection sends its next request after the response")
        }
        Pace::Constant { per_second } => page.key(&LoadDraft::rate, rate(*per_second)),
        Pace::Poisson { per_second } => {
            page.key(&LoadDraft::rate, rate(*per_second));
            spread(page, Arrivals::Poisson);
        }
        Pace::Ramp { from, to, arrivals } => {
            page.explained("rate", rate(*from), "at the start of a slice");
            page.key(&LoadDraft::rate_to, rate(*to));
            spread(page, *arrivals);
        }
        Pace::Steps { steps, arrivals } => {
            let steps = steps
                .iter()
                .map(|&(per_second, length)| text(Step { per_second, length }));
            page.key(&LoadDraft::steps, list(steps));
            spread(page, *arrivals);
        }
        Pace::Trace(played) => trace(page, played, slice),
        Pace::Search(search) => {
            page.key(&LoadDraft::slo, text(&search.slo));
            if let Some(from) = search.from {
                page.explained("rate", rate(from), "start of the search");
            }
            page.key(&LoadDraft::arrivals, text(search.arrivals.name()));
        }
    }
    if let Some(think) = load.think {
        page.key(&LoadDraft::think, text(think));
    }
    page.key(&LoadDraft::timeout, text(Time(load.timeout)));
    page.key(&LoadDraft::keep_alive, load.keep_alive);
    if let Some(reopen) = load.reopen {
        page.key(&LoadDraft::reopen, reopen);
    }
    if let Some(requests) = load.requests {
        page.key(&LoadDraft::requests, requests);
    }
}

/// Prints the distribution of arrivals if it is not the default.
fn spread(page: &mut Page, arrivals: Arrivals) {
    if arrivals != Arrivals::Constant {
        page.key(&LoadDraft::arrivals, text(arrivals.name()));
    }
}

fn trace(page: &mut Page, trace: &Trace, slice: Duration) {
    let all = trace.offsets.len();
    let sent = trace.due_within(slice.as_secs_f64());
    let what_happens = if sent < all {
        format!("{} of them after the end of a slice, not sent", all - sent)
    } else {
        "a slice ends with the last".to_owned()
    };
    let arrivals = match all {
        1 => "1 arrival".to_owned(),
        all => format!("{all} arrivals over {}", Time(trace.length())),
    };
    page.explained(
        "trace",
        text(trace.path.display()),
        &format!("{arrivals}; {what_happens}"),
    );
    page.key(&LoadDraft::trace_speed, trace.speed);
}

/// A rate in plan-file syntax. A rate outside the limits of [`Rate`], which no plan read from a
/// file has, is printed as a number without a unit.
fn rate(per_second: f64) -> String {
    match Rate::per_second(per_second) {
        Ok(rate) => text(rate),
        Err(_) => per_second.to_string(),
    }
}
