//! The section on the comparison with an earlier run.

mod brief;
mod words;

use tenbin_result::{Document, Earlier, Language, message};

pub(crate) use self::brief::{answer, brief_of, next_step};
use self::words::{COLUMNS, cells, is_paired, of_doubts, remarks};
use super::results::PAIRED;
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
    blocks.extend(table(earlier, language));
    let remarks = remarks(earlier, language);
    blocks.extend(remarks.iter().map(|each| Block::sentence(each)));
    blocks
}

/// The table of all changes, with the note on ratios that do not follow from its columns.
fn table(earlier: &Earlier, language: Language) -> Vec<Block> {
    let mut table = Table::new(1, COLUMNS);
    for change in &earlier.changes {
        table.push(cells(earlier, change, language).map(Into::into));
    }
    let is_marked = earlier.changes.iter().any(|each| is_paired(earlier, each));
    let note = is_marked.then(|| Block::Paragraph(PAIRED.into()));
    table.block().into_iter().chain(note).collect()
}
