//! The section on the comparison with an earlier run.

mod words;

use tenbin_result::{Document, Earlier, Language, message};

use self::words::{COLUMNS, cells, of_doubts, remarks};
use crate::block::{Block, Table};
use crate::language::say_in;

pub(super) fn blocks(document: &Document) -> Vec<Block> {
    let earlier = document.earlier.as_ref();
    earlier.map_or_else(Vec::new, |earlier| blocks_of(earlier, document.language))
}

/// The blocks for `tenbin compare`, where the comparison is not part of a document.
pub(crate) fn blocks_of(earlier: &Earlier, language: Language) -> Vec<Block> {
    let doubts = of_doubts(earlier, language);
    let mut blocks: Vec<Block> = doubts.iter().map(|doubt| Block::sentence(doubt)).collect();
    let compared = message!("compared-with", before = earlier.before.as_str());
    blocks.push(Block::sentence(&say_in(language, &compared)));
    let mut table = Table::new(1, COLUMNS);
    for change in &earlier.changes {
        table.push(cells(change, language).map(Into::into));
    }
    blocks.extend(table.block());
    let remarks = remarks(earlier, language);
    blocks.extend(remarks.iter().map(|each| Block::sentence(each)));
    blocks
}
