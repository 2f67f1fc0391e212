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
    if has_zero(document) {
        blocks.push(Block::Paragraph(ROUNDED_DOWN.into()));
    }
    let mut is_any_left_out = false;
    for workload in &document.workloads {
        for operation in operations(document, &workload.name) {
            let Some(table) = table(document, &workload.name, operation) else {
                is_any_left_out = true;
                continue;
            };
            blocks.push(Block::heading(format!("{}, {operation}", workload.name)));
            blocks.push(Block::Table(table));
        }
        blocks.extend(Block::sentences(&notes(document, &workload.name)));
    }
    if is_any_left_out {
        blocks.push(Block::Paragraph(LEFT_OUT.into()));
    }
    blocks
}

const ROUNDED_DOWN: &str = "A mean of 0 ns: the responses do not name the stage, or the stage \
    took less than the unit in which the target states its times. The Trace-Log of CubeFS and the \
    time of a search are whole milliseconds, rounded down.";

const LEFT_OUT: &str = "Operations with too few responses for the mean of a band have no table.";

/// Whether a stage has a mean of 0 in a band.
fn has_zero(document: &Document) -> bool {
    let stages = document.results.iter().flat_map(|result| &result.stages);
    let mut means = stages
        .flat_map(|of| &of.stages)
        .flat_map(|stage| &stage.bands);
    means.any(|mean| mean.is_some_and(|mean| mean.value == 0.0))
}

/// The stages of an operation, one row per stage and target; `None` if no figure of a stage is known.
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
