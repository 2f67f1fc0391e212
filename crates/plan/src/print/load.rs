//! The load, as keys.

use std::time::Duration;

use crate::duration::Time;
use crate::load::{Arrivals, Load, Pace};
use crate::names::Named;
use crate::rate::Rate;
use crate::step::Step;
use crate::trace::Trace;

use crate::page::{Page, list, text};

pub(super) fn load(page: &mut Page, load: &Load, slice: Duration) {
    page.explained("connections", load.connections, "over all threads");
    page.explained("depth", load.depth, "requests out at once on each");
    match &load.pace {
        Pace::Closed => page.comment("no rate: each connection sends its next request at once"),
        Pace::Constant { per_second } => page.pair("rate", rate(*per_second)),
        Pace::Poisson { per_second } => {
            page.pair("rate", rate(*per_second));
            spread(page, Arrivals::Poisson);
        }
        Pace::Ramp { from, to, arrivals } => {
            page.explained("rate", rate(*from), "at the start of a slice");
            page.explained("rate_to", rate(*to), "at its end");
            spread(page, *arrivals);
        }
        Pace::Steps { steps, arrivals } => {
            let steps = steps
                .iter()
                .map(|&(per_second, length)| text(Step { per_second, length }));
            page.explained("steps", list(steps), "the last to the end of a slice");
            spread(page, *arrivals);
        }
        Pace::Trace(played) => trace(page, played, slice),
        Pace::Search(search) => {
            page.explained(
                "slo",
                text(&search.slo),
                "the highest rate is looked for at which this holds",
            );
            if let Some(from) = search.from {
                page.explained("rate", rate(from), "where the search begins");
            }
            page.pair("arrivals", text(search.arrivals.name()));
        }
    }
    if let Some(think) = load.think {
        page.explained("think", text(think), "rest after each answer");
    }
    page.pair("timeout", text(Time(load.timeout)));
    page.pair("keep_alive", load.keep_alive);
    if let Some(reopen) = load.reopen {
        page.explained(
            "reopen",
            reopen,
            "how often each connection is opened in a slice",
        );
    }
    if let Some(requests) = load.requests {
        page.explained("requests", requests, "a slice ends after so many");
    }
}

/// Even arrivals go without saying.
fn spread(page: &mut Page, arrivals: Arrivals) {
    if arrivals != Arrivals::Constant {
        page.pair("arrivals", text(arrivals.name()));
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
    page.explained("trace_speed", trace.speed, "times as fast as recorded");
}

/// A rate outside what [`Rate`] allows cannot come out of a draft.
fn rate(per_second: f64) -> String {
    match Rate::per_second(per_second) {
        Ok(rate) => text(rate),
        Err(_) => per_second.to_string(),
    }
}
