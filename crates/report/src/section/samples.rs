//! The section on request samples, caches, and figures reported by search servers.

use tenbin_result::format::TIME;
use tenbin_result::{Document, message};

use super::readable::{common, shown};
use crate::block::{Block, Cell, Table};
use crate::language::say;
use crate::words::{cache_sentence, search_sentence};

pub(super) fn blocks(document: &Document) -> Vec<Block> {
    let mut sentences = Vec::new();
    for result in &document.results {
        let told = [
            result
                .cache
                .as_ref()
                .map(|cache| cache_sentence(&result.target, cache)),
            result
                .search
                .as_ref()
                .map(|search| search_sentence(&result.target, search)),
        ];
        let told = told.into_iter().flatten();
        let placed = told.map(|told| message!("at", workload = &result.workload, told));
        sentences.extend(placed.map(|placed| say(document, &placed)));
    }
    let mut blocks: Vec<Block> = Block::sentences(&sentences).into_iter().collect();
    let mut table = Table::new(
        3,
        [
            "workload", "target", "", "time", "status", "host", "request",
        ],
    );
    let all = document.results.iter();
    let all = all.flat_map(|result| result.slowest.iter().chain(&result.fastest));
    let same = common(all.map(|single| single.request.as_str()));
    for result in &document.results {
        for (word, singles) in [("slowest", &result.slowest), ("fastest", &result.fastest)] {
            for single in singles {
                let status = single.status.map(|status| status.to_string());
                table.push([
                    result.workload.clone().into(),
                    result.target.clone().into(),
                    word.into(),
                    TIME.of(single.time).into(),
                    status.unwrap_or_else(|| "no response".to_owned()).into(),
                    single.host.clone().unwrap_or_default().into(),
                    Cell::code(shown(&single.request, same)),
                ]);
            }
        }
    }
    blocks.extend(table.block());
    blocks
}
