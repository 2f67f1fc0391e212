//! Throughput over numbers of connections: the levels of a sweep, and what follows from them.

use tenbin_result::format::{RATE, TIME, UNKNOWN, digits, percent, ratio, ratio_interval};
use tenbin_result::{Capacity, Document, Figure, UslResult};

use crate::block::{Block, Cell, Table};

pub(super) fn blocks(document: &Document) -> Vec<Block> {
    let optima = document.optima.iter().map(|optimum| &optimum.sentence);
    let mut blocks: Vec<Block> = Block::sentences(optima).into_iter().collect();
    if document.capacities.is_empty() {
        return blocks;
    }
    blocks.push(Block::Chart {
        title: "Throughput against connections",
        file: "ramp-throughput.svg",
    });
    blocks.push(Block::Chart {
        title: "Service time against connections",
        file: "ramp-latency.svg",
    });
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

/// A row for each level.
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
            (true, true) => " (knee, most)",
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

/// The law that was fitted, in one sentence without a full stop.
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

/// Down against up over all levels.
fn hysteresis(capacity: &Capacity) -> String {
    match capacity.hysteresis {
        Some(figure) => format!(
            "Hysteresis: on the way down {} of the throughput on the way up (interval {})",
            ratio(figure.value),
            ratio_interval(Some(figure))
        ),
        None => "Hysteresis: up and down were not compared, since not every level was measured \
                 both ways"
            .to_owned(),
    }
}
