//! The section on the comparison with an earlier run.

use tenbin_result::{Document, Earlier};

use crate::block::{Block, Table};
use crate::earlier::{COLUMNS, cells, of_doubts, remarks};

pub(super) fn blocks(document: &Document) -> Vec<Block> {
    document.earlier.as_ref().map_or_else(Vec::new, of)
}

/// The blocks for `tenbin compare`, where the comparison is not part of a document.
pub(crate) fn of(earlier: &Earlier) -> Vec<Block> {
    let mut blocks: Vec<Block> = of_doubts(earlier)
        .iter()
        .map(|doubt| Block::sentence(doubt))
        .collect();
    blocks.push(Block::sentence(&format!(
        "Compared with the earlier run {}. The two runs were not interleaved, so only controls show how \
        the machine changed between them",
        earlier.before
    )));
    let mut table = Table::new(1, COLUMNS);
    for change in &earlier.changes {
        table.push(cells(change).map(Into::into));
    }
    blocks.extend(table.block());
    blocks.extend(remarks(earlier).iter().map(|each| Block::sentence(each)));
    blocks
}
