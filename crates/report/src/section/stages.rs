//! Times that targets report of their own stages.

use tenbin_result::format::TIME;
use tenbin_result::{Document, StageBand};

use crate::block::{Block, Cell, Table};
use crate::stages::{band_name, notes, operations, rows};

pub(super) fn blocks(document: &Document) -> Vec<Block> {
    let mut results = document.results.iter();
    if results.all(|result| result.stages.is_empty()) {
        return Vec::new();
    }
    let about = "Times that the targets report of their own stages in the headers of their \
                 responses: means of the requests in the band, by service time of the correct \
                 ones. Stages may lie within each other and need not add up. Network and client \
                 is what the target's own total leaves of the service time.";
    let mut blocks = vec![Block::Paragraph(about.into())];
    for workload in &document.workloads {
        for operation in operations(document, &workload.name) {
            let mut head = vec!["stage", "target"];
            head.extend(StageBand::ALL.map(band_name));
            let mut table = Table::new(2, head);
            for row in rows(document, &workload.name, operation) {
                let mut cells: Vec<Cell> = vec![row.what.into(), row.target.into()];
                cells.extend(row.means.iter().map(|mean| Cell::Figure(TIME, *mean)));
                table.push(cells);
            }
            blocks.push(Block::heading(format!("{}, {operation}", workload.name)));
            blocks.extend(table.block());
        }
        blocks.extend(Block::sentences(&notes(document, &workload.name)));
    }
    blocks
}
