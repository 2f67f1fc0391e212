//! The tables of capacities and searches, for terminals and pages alike. Names are left
//! as they are: whoever prints a cell makes it harmless.

use crate::document::{Capacity, Figure, Search, SearchLimit, SearchProbe, UslResult};
use crate::words::{RATE, SHARE, TIME, UNKNOWN, digits, percent, ratio, ratio_interval};

/// A unit's way to write a figure with its interval.
type Write = fn(crate::words::Unit, Option<Figure>) -> String;

pub(crate) const LEVELS: [&str; 6] = [
    "connections",
    "throughput",
    "mean service",
    "Little's law",
    "down ÷ up",
    "interval",
];

/// A row for each level.
pub(crate) fn levels(capacity: &Capacity, write: Write) -> Vec<Vec<String>> {
    let rows = capacity.levels.iter().map(|level| {
        let is_peak = capacity.peak_connections == Some(level.connections);
        let at_knee = capacity
            .knee
            .is_some_and(|knee| knee.found && knee.connections == level.connections);
        let mark = match (at_knee, is_peak) {
            (true, true) => " (knee, most)",
            (true, false) => " (knee)",
            (false, true) => " (most)",
            (false, false) => "",
        };
        vec![
            format!("{}{mark}", level.connections),
            write(RATE, level.throughput),
            write(TIME, level.residence),
            level.little.map_or_else(|| UNKNOWN.to_owned(), ratio),
            plain_ratio(level.down_to_up),
            ratio_interval(level.down_to_up),
        ]
    });
    rows.collect()
}

fn plain_ratio(figure: Option<Figure>) -> String {
    figure.map_or_else(|| UNKNOWN.to_owned(), |figure| ratio(figure.value))
}

/// The law that was fitted, in one sentence without a full stop.
pub(crate) fn law(usl: &UslResult) -> String {
    let known = |figure: Option<Figure>| {
        let Some(figure) = figure else {
            return UNKNOWN.to_owned();
        };
        let interval = figure.interval.map_or_else(
            || "interval unknown".to_owned(),
            |interval| format!("{}–{}", digits(interval.low), digits(interval.high)),
        );
        format!("{} ({interval})", digits(figure.value))
    };
    let peak = match usl.peak_connections {
        Some(_) => format!(
            "largest at {} connections with {}",
            known(usl.peak_connections),
            RATE.with_interval(usl.peak_throughput)
        ),
        None => "no largest within twice the connections tested".to_owned(),
    };
    format!(
        "Universal Scalability Law: λ {} a second, σ {}, κ {}; {peak}; levels lie up to {} off it",
        known(usl.lambda),
        known(usl.sigma),
        known(usl.kappa),
        percent(usl.worst_misfit)
    )
}

/// Down against up over all levels, in one clause.
pub(crate) fn hysteresis(capacity: &Capacity) -> String {
    match capacity.hysteresis {
        Some(figure) => format!(
            "on the way down {} of the throughput on the way up (interval {})",
            ratio(figure.value),
            ratio_interval(Some(figure))
        ),
        None => "up and down were not compared: not every level was measured both ways".to_owned(),
    }
}

/// The head of the table of probes: as many columns as the objective has limits.
pub(crate) fn probes_head(search: &Search) -> Vec<String> {
    let mut head = ["offered", "for", "length"].map(str::to_owned).to_vec();
    if let Some(probe) = search.probes.first() {
        head.extend(probe.limits.iter().map(|limit| match limit.limit.as_str() {
            KEEPS_UP => "queue grew by".to_owned(),
            limit => limit.to_owned(),
        }));
    }
    head.push("held".to_owned());
    head
}

/// What the last limit of every probe is called.
const KEEPS_UP: &str = "keeps up";

/// A row for each probe.
pub(crate) fn probes(search: &Search) -> Vec<Vec<String>> {
    search.probes.iter().map(probe).collect()
}

fn probe(probe: &SearchProbe) -> Vec<String> {
    let mut row = vec![
        format!("{}/s", probe.rate),
        if probe.proof { "proof" } else { "search" }.to_owned(),
        format!("{:.1} s", probe.seconds),
    ];
    row.extend(probe.limits.iter().map(seen));
    let held = match (probe.held, probe.borderline) {
        _ if probe.void => "no: does not count",
        (true, false) => "yes",
        (true, true) => "yes, closely",
        (false, false) => "no",
        (false, true) => "no, closely",
    };
    row.push(held.to_owned());
    row
}

fn seen(limit: &SearchLimit) -> String {
    let is_share = limit.limit == KEEPS_UP || limit.limit.starts_with("errors");
    match limit.seen {
        Some(seen) if is_share => SHARE.of(seen),
        seen => TIME.maybe(seen),
    }
}
