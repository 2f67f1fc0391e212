//! The section on concurrency sweeps: levels, knee and fitted model.

use tenbin_result::format::{RATE, TIME, UNKNOWN, digits, percent, ratio, ratio_interval};
use tenbin_result::{Capacity, Document, Figure, UslResult};

use crate::block::{Block, Cell, Table};
use crate::ramp;

pub(super) fn blocks(document: &Document) -> Vec<Block> {
    let optima = document.optima.iter().map(|optimum| &optimum.sentence);
    let mut blocks: Vec<Block> = Block::sentences(optima).into_iter().collect();
    if document.capacities.is_empty() {
        return blocks;
    }
    let charts = ramp::charts(document);
    blocks.extend(
        charts
            .into_iter()
            .map(|chart| Block::Chart(Box::new(chart))),
    );
    blocks.extend(document.capacities.iter().flat_map(of_target));
    blocks
}

fn of_target(capacity: &Capacity) -> Vec<Block> {
    let title = format!("{} at {}", capacity.target, capacity.family);
    let mut blocks = vec![Block::heading(title)];
    blocks.extend(levels(capacity).block());
    if let Some(usl) = &capacity.usl {
        blocks.push(Block::sentence(&law(usl)));
    }
    blocks.push(Block::sentence(&hysteresis(capacity)));
    blocks
}

/// A table with one row per level of the sweep.
fn levels(capacity: &Capacity) -> Table {
    let mut table = Table::new(
        1,
        [
            "connections",
            "throughput",
            "mean service",
            "p50",
            "p99",
            "Little's law",
            "down ÷ up",
        ],
    );
    for level in &capacity.levels {
        let is_peak = capacity.peak_connections == Some(level.connections);
        let at_knee = capacity
            .knee
            .is_some_and(|knee| knee.found && knee.connections == level.connections);
        let mark = match (at_knee, is_peak) {
            (true, true) => " (knee, maximum)",
            (true, false) => " (knee)",
            (false, true) => " (most)",
            (false, false) => "",
        };
        table.push([
            format!("{}{mark}", level.connections).into(),
            Cell::Figure(RATE, level.throughput),
            Cell::Figure(TIME, level.residence),
            Cell::Figure(TIME, level.p50),
            Cell::Figure(TIME, level.p99),
            level
                .little
                .map_or_else(|| UNKNOWN.to_owned(), ratio)
                .into(),
            Cell::Ratio(level.down_to_up),
        ]);
    }
    table
}

/// The fitted Universal Scalability Law, in one sentence without a full stop.
fn law(usl: &UslResult) -> String {
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
            "maximum at {} connections with {}",
            known(usl.peak_connections),
            RATE.with_interval(usl.peak_throughput)
        ),
        None => "no maximum within twice the connections tested".to_owned(),
    };
    format!(
        "Universal Scalability Law: λ {} per second, σ {}, κ {}; {peak}; levels deviate by up to {}",
        known(usl.lambda),
        known(usl.sigma),
        known(usl.kappa),
        percent(usl.worst_misfit)
    )
}

/// Throughput while connections decrease compared with throughput while connections increase, over
/// all levels.
fn hysteresis(capacity: &Capacity) -> String {
    match capacity.hysteresis {
        Some(figure) => format!(
            "Hysteresis: throughput in descending order is {} of that in ascending order \
             (interval {})",
            ratio(figure.value),
            ratio_interval(Some(figure))
        ),
        None => "Hysteresis: ascending and descending order were not compared, because not every \
                 level was measured in both"
            .to_owned(),
    }
}
