//! Tables of object sizes by connections: one per operation and target whose workloads form a grid.

use std::collections::BTreeSet;

use tenbin_plan::size::Size;
use tenbin_result::format::{TIME, UNKNOWN, Words, grouped_interval};
use tenbin_result::{Document, ResultOf, Workload};

use crate::block::{Block, Cell, Table};
use crate::language::figure_words;

/// A workload and its position in a grid.
pub(in crate::section) struct Place<'a> {
    /// Name of the operation in the API.
    pub(in crate::section) operation: &'a str,
    /// Object size, bytes.
    pub(in crate::section) bytes: u64,
    /// Number of connections.
    pub(in crate::section) connections: u64,
    /// Name of the workload.
    pub(in crate::section) workload: &'a str,
}

/// Tables of throughput and median time, if at least two sizes were measured with at least two
/// numbers of connections.
pub(super) fn grids(document: &Document) -> Vec<Block> {
    let cells: Vec<Place<'_>> = document.workloads.iter().filter_map(place).collect();
    let operations: BTreeSet<&str> = cells.iter().map(|cell| cell.operation).collect();
    let mut blocks = Vec::new();
    for operation in operations {
        let own: Vec<&Place<'_>> = cells
            .iter()
            .filter(|cell| cell.operation == operation)
            .collect();
        let sizes: BTreeSet<u64> = own.iter().map(|cell| cell.bytes).collect();
        let levels: BTreeSet<u64> = own.iter().map(|cell| cell.connections).collect();
        if sizes.len() < 2 || levels.len() < 2 {
            continue;
        }
        if blocks.is_empty() {
            blocks.push(Block::heading("Size by connections"));
            blocks.push(Block::Paragraph(ABOUT.into()));
        }
        for target in &document.targets {
            blocks.push(Block::heading(format!("{operation} on {}", target.name)));
            blocks.extend(grid(document, &own, (&sizes, &levels), &target.name).block());
        }
    }
    blocks
}

/// Description of the tables.
const ABOUT: &str = "Correct responses per second and the median time of one operation, for each \
object size (rows) and number of connections (columns).";

/// The position of a workload in a grid; `None` for several operations or sizes, and for an open
/// loop.
pub(in crate::section) fn place(workload: &Workload) -> Option<Place<'_>> {
    let subject = workload.subject.as_ref()?;
    let [only] = subject.operations.as_slice() else {
        return None;
    };
    Some(Place {
        operation: &only.interface,
        bytes: subject.object_bytes.filter(|_| workload.closed_loop)?,
        connections: workload.connections?,
        workload: &workload.name,
    })
}

fn grid(
    document: &Document,
    cells: &[&Place<'_>],
    (sizes, levels): (&BTreeSet<u64>, &BTreeSet<u64>),
    target: &str,
) -> Table {
    let of_levels = levels
        .iter()
        .flat_map(|level| [format!("{level}: ops/s"), format!("{level}: p50")]);
    let mut table = Table::new(1, std::iter::once("size".to_owned()).chain(of_levels));
    for bytes in sizes {
        let mut row: Vec<Cell> = vec![Size(*bytes).to_string().into()];
        for level in levels {
            let mut at = cells.iter();
            let here = at.find(|cell| cell.bytes == *bytes && cell.connections == *level);
            let result = here.and_then(|cell| {
                let mut results = document.results_of(cell.workload);
                results.find(|result| result.target == target)
            });
            row.extend(figures(result, figure_words(document.language)));
        }
        table.push(row);
    }
    table
}

/// The cells for throughput and median time.
fn figures(result: Option<&ResultOf>, words: &Words) -> [Cell; 2] {
    let Some(result) = result else {
        return [UNKNOWN; 2].map(Cell::from);
    };
    let p50 = result.work().next().and_then(|operation| operation.p50);
    [
        grouped_interval(result.throughput, words).into(),
        Cell::Figure(TIME, p50),
    ]
}
