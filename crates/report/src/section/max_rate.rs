//! The section on maximum-rate searches: every probe, and the result.

use tenbin_result::format::{SHARE, TIME, UNKNOWN, digits, exact_rate, fixed_seconds};
use tenbin_result::{Document, LimitKind, Search, SearchLimit, SearchProbe, message};

use crate::block::{Block, Cell, Table};
use crate::language::say;

pub(super) fn blocks(document: &Document) -> Vec<Block> {
    let searches = document.searches.iter();
    searches
        .flat_map(|search| of_search(document, search))
        .collect()
}

fn of_search(document: &Document, search: &Search) -> Vec<Block> {
    let title = message!(
        "target-at",
        target = &search.target,
        workload = &search.workload
    );
    let mut blocks = vec![Block::heading(say(document, &title))];
    let mut table = Table::new(1, head(search));
    for probe in &search.probes {
        table.push(row(probe, search));
    }
    blocks.extend(table.block());
    blocks
}

/// Column headers of the probes, with one column per limit of the objective.
fn head(search: &Search) -> Vec<String> {
    let mut head = ["offered", "for", "length"].map(str::to_owned).to_vec();
    if let Some(probe) = search.probes.first() {
        head.extend(probe.limits.iter().map(|limit| match limit.kind {
            Some(LimitKind::Backlog) => "backlog grew by".to_owned(),
            _ => limit.limit.clone(),
        }));
    }
    head.push("held".to_owned());
    head
}

fn row(probe: &SearchProbe, search: &Search) -> Vec<Cell> {
    let mut row: Vec<Cell> = vec![
        exact_rate(probe.rate).into(),
        if probe.proof { "proof" } else { "search" }.into(),
        fixed_seconds(probe.seconds, 1).into(),
    ];
    row.extend(probe.limits.iter().map(seen));
    let held = match (probe.held, probe.borderline) {
        _ if probe.void => "no: does not count",
        (true, false) => "yes",
        (true, true) => "yes, closely",
        (false, false) => "no",
        (false, true) => "no, closely",
    };
    // Other probes at this rate or nearby contradict this probe.
    row.push(if search.undecided.contains(&probe.rate) && !probe.void {
        format!("{held}; rate undecided").into()
    } else {
        held.into()
    });
    row
}

fn seen(limit: &SearchLimit) -> Cell {
    match limit.kind {
        Some(LimitKind::Errors | LimitKind::Backlog) => Cell::once(SHARE, limit.seen),
        Some(LimitKind::Time) => Cell::once(TIME, limit.seen),
        None => limit.seen.map_or_else(|| UNKNOWN.to_owned(), digits).into(),
    }
}
