//! The maximum rate within an objective: every probe of the search, and what it found.

use tenbin_result::format::{SHARE, TIME};
use tenbin_result::{Document, Search, SearchLimit, SearchProbe};

use crate::block::{Block, Cell, Table};

pub(super) fn blocks(document: &Document) -> Vec<Block> {
    document.searches.iter().flat_map(of_search).collect()
}

fn of_search(search: &Search) -> Vec<Block> {
    let title = format!("{} at {}", search.target, search.workload);
    let mut blocks = vec![Block::heading(title)];
    let mut table = Table::new(1, head(search));
    for probe in &search.probes {
        table.push(row(probe));
    }
    blocks.extend(table.block());
    blocks
}

/// What the last limit of every probe is called.
const KEEPS_UP: &str = "keeps up";

/// As many columns as the objective has limits.
fn head(search: &Search) -> Vec<String> {
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

fn row(probe: &SearchProbe) -> Vec<Cell> {
    let mut row: Vec<Cell> = vec![
        format!("{}/s", probe.rate).into(),
        if probe.proof { "proof" } else { "search" }.into(),
        format!("{:.1} s", probe.seconds).into(),
    ];
    row.extend(probe.limits.iter().map(seen));
    let held = match (probe.held, probe.borderline) {
        _ if probe.void => "no: does not count",
        (true, false) => "yes",
        (true, true) => "yes, closely",
        (false, false) => "no",
        (false, true) => "no, closely",
    };
    row.push(held.into());
    row
}

fn seen(limit: &SearchLimit) -> Cell {
    let is_share = limit.limit == KEEPS_UP || limit.limit.starts_with("errors");
    match is_share {
        true => Cell::once(SHARE, limit.seen),
        false => Cell::once(TIME, limit.seen),
    }
}
