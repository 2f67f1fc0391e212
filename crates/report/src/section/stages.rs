//! The section on times of server stages.

use tenbin_result::format::TIME;
use tenbin_result::{Document, StageBand};

use crate::block::{Block, Cell, Table};
use crate::stages::{band_name, notes, operations, rows};

pub(super) fn blocks(document: &Document) -> Vec<Block> {
    let mut results = document.results.iter();
    if results.all(|result| result.stages.is_empty()) {
        return Vec::new();
    }
    let about = "Times that the targets report for their stages in their responses: means over \
    the requests in a band of service time, correct responses only. Stages may be \
    nested and need not add up. \"Network and client\" is the part of the service time \
    that is not in the target's own total.";
    let mut blocks = vec![Block::Paragraph(about.into())];
    for workload in &document.workloads {
        for operation in operations(document, &workload.name) {
            blocks.push(Block::heading(format!("{}, {operation}", workload.name)));
            blocks.extend(table(document, &workload.name, operation).map(Block::Table));
        }
        blocks.extend(Block::sentences(&notes(document, &workload.name)));
    }
    blocks
}

/// The stages of an operation, one row per stage and target; `None` if no stages were reported.
pub(super) fn table(document: &Document, workload: &str, operation: &str) -> Option<Table> {
    let mut head = vec!["stage", "target"];
    head.extend(StageBand::ALL.map(band_name));
    let mut table = Table::new(2, head);
    for row in rows(document, workload, operation) {
        let mut cells: Vec<Cell> = vec![row.what.into(), row.target.into()];
        cells.extend(row.means.iter().map(|mean| Cell::Figure(TIME, *mean)));
        table.push(cells);
    }
    table.filled()
}
