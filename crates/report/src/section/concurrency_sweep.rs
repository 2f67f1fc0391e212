//! The section on concurrency sweeps: levels, knee and fitted model.

use tenbin_result::format::{RATE, TIME, UNKNOWN, Words, ratio, ratio_interval};
use tenbin_result::{ConcurrencySweep, Document, Figure, Message, UslResult, Value, message};
use tenbin_verdict::sentences;

use crate::block::{Block, Cell, Detail, Table};
use crate::concurrency_sweep;
use crate::language::{figure_words, say};

pub(super) fn blocks(document: &Document) -> Vec<Block> {
    let optima = document.optima.iter();
    let optima = optima.map(|optimum| say(document, &sentences::of_optimum(document, optimum)));
    let optima = Block::sentences(&optima.collect::<Vec<_>>());
    let mut blocks: Vec<Block> = optima.into_iter().collect();
    if document.concurrency_sweeps.is_empty() {
        return blocks;
    }
    let charts = concurrency_sweep::charts(document);
    blocks.extend(
        charts
            .into_iter()
            .map(|chart| Block::Chart(Box::new(chart))),
    );
    blocks.extend(
        document
            .concurrency_sweeps
            .iter()
            .flat_map(|each| of_target(document, each)),
    );
    blocks
}

fn of_target(document: &Document, sweep: &ConcurrencySweep) -> Vec<Block> {
    let title = message!(
        "target-at",
        target = &sweep.target,
        workload = &sweep.family
    );
    let mut blocks = vec![Block::heading(say(document, &title))];
    blocks.extend(levels(document, sweep).block());
    if let Some(usl) = &sweep.usl {
        blocks.push(Block::sentence(&say(
            document,
            &law(usl, figure_words(document.language)),
        )));
    }
    blocks.push(Block::sentence(&say(document, &hysteresis(sweep))));
    blocks
}

/// A table with one row per level of the sweep.
fn levels(document: &Document, sweep: &ConcurrencySweep) -> Table {
    let mut table = Table::new(
        1,
        [
            "connections", "throughput", "mean service", "p50", "p99", "Little's law", "down ÷ up",
        ],
    );
    for level in &sweep.levels {
        let is_peak = sweep.peak_connections == Some(level.connections);
        let at_knee = sweep
            .knee
            .is_some_and(|knee| knee.found && knee.connections == level.connections);
        let mark = match (at_knee, is_peak) {
            (true, true) => "knee-and-maximum",
            (true, false) => "knee",
            (false, true) => "maximum",
            (false, false) => "none",
        };
        let marked = message!(
            "level",
            connections = Value::Plain(level.connections),
            mark = Value::word(mark)
        );
        table.push([
            say(document, &marked).into(),
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
fn law(usl: &UslResult, words: &Words) -> Message {
    let known =
        |figure: Option<Figure>| Cell::Number(figure).text(Detail::Interval, words).letters();
    let peak = usl.peak_connections.map_or_else(
        || message!("law-without-peak"),
        |peak| {
            message!(
                "law-peak",
                connections = known(Some(peak)),
                throughput = RATE.with_interval(usl.peak_throughput, words)
            )
        },
    );
    message!(
        "law",
        lambda = known(usl.lambda),
        sigma = known(usl.sigma),
        kappa = known(usl.kappa),
        peak,
        misfit = Value::Share(usl.worst_misfit)
    )
}

/// Throughput while connections decrease compared with throughput while connections increase, over
/// all levels.
fn hysteresis(sweep: &ConcurrencySweep) -> Message {
    match sweep.hysteresis {
        Some(figure) => message!(
            "hysteresis",
            ratio = Value::Ratio(figure.value),
            interval = match figure.interval {
                Some(_) => ratio_interval(Some(figure)).into(),
                None => Value::Unknown,
            }
        ),
        None => message!("no-hysteresis"),
    }
}
