//! The section on request patterns: the slowest patterns, and patterns whose numbers of hits
//! differ.

use std::collections::BTreeMap;

use tenbin_result::format::{TIME, UNKNOWN, count};
use tenbin_result::{Document, PatternResult};

use super::readable::{common, shown};
use crate::block::{Block, Cell, Table};

/// Maximum number of patterns with different numbers of hits that are listed.
const MOST_DIFFERENT: usize = 100;
/// Maximum number of patterns listed per target; `result.json` contains all.
const MOST_LISTED: usize = 50;

pub(super) fn blocks(document: &Document) -> Vec<Block> {
    let patterns = document.results.iter().flat_map(|it| &it.patterns);
    let same = common(patterns.filter_map(|it| it.request.as_deref()));
    let mut blocks = slowest(document, same);
    blocks.extend(different_hits(document, same));
    blocks
}

/// The request of a pattern, or the place of the pattern in its file. All requests share their first
/// `same` bytes.
fn request_cell(request: Option<&str>, pattern: u32, same: usize) -> Cell {
    Cell::code(request.map_or_else(
        || format!("pattern {pattern}"),
        |request| shown(request, same),
    ))
}

/// The patterns with the longest mean time.
fn slowest(document: &Document, same: usize) -> Vec<Block> {
    let mut table = Table::new(
        2,
        [
            "workload", "target", "ok", "failed", "mean", "min", "max", "hits", "request",
        ],
    );
    let mut cut = false;
    for result in &document.results {
        let mut slowest: Vec<&PatternResult> = result.patterns.iter().collect();
        let mean = |each: &PatternResult| each.mean.map_or(-1.0, |mean| mean.value);
        slowest.sort_by(|a, b| mean(b).total_cmp(&mean(a)));
        cut |= slowest.len() > MOST_LISTED;
        for each in slowest.into_iter().take(MOST_LISTED) {
            let hits = each.hits.map_or_else(|| UNKNOWN.to_owned(), count);
            table.push([
                result.workload.clone().into(),
                result.target.clone().into(),
                count(each.ok).into(),
                count(each.failed).into(),
                Cell::Figure(TIME, each.mean),
                Cell::once(TIME, each.min),
                Cell::once(TIME, each.max),
                hits.into(),
                request_cell(each.request.as_deref(), each.pattern, same),
            ]);
        }
    }
    let mut blocks: Vec<Block> = table.block().into_iter().collect();
    if cut {
        blocks.push(Block::sentence(&format!(
            "These are the {MOST_LISTED} patterns of each target with the longest mean time; \
             result.json has all of them"
        )));
    }
    blocks
}

/// A target, its hits for a pattern, and the request of the pattern if known.
type Found<'a> = (&'a str, u64, Option<&'a str>);

/// Patterns with different numbers of hits on different targets, largest difference first.
fn different_hits(document: &Document, same: usize) -> Vec<Block> {
    let mut rows: Vec<(f64, [Cell; 3])> = Vec::new();
    for workload in &document.workloads {
        let mut known: BTreeMap<u32, Vec<Found<'_>>> = BTreeMap::new();
        for result in document.results_of(&workload.name) {
            for each in &result.patterns {
                if let Some(hits) = each.hits {
                    let of_pattern = known.entry(each.pattern).or_default();
                    of_pattern.push((&result.target, hits, each.request.as_deref()));
                }
            }
        }
        for (pattern, all) in known {
            let numbers = || all.iter().map(|(_, hits, _)| *hits);
            let (least, most) = (numbers().min(), numbers().max());
            let (Some(least), Some(most)) = (least, most) else {
                continue;
            };
            if least == most {
                continue;
            }
            let hits = all
                .iter()
                .map(|(target, hits, _)| format!("{target} {hits}"));
            let hits: Vec<String> = hits.collect();
            let request = all.iter().find_map(|(_, _, request)| *request);
            let row = [
                workload.name.clone().into(),
                hits.join(", ").into(),
                request_cell(request, pattern, same),
            ];
            rows.push(((most - least) as f64 / most as f64, row));
        }
    }
    let count = rows.len();
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut table = Table::new(1, ["workload", "hits", "request"]);
    for (_, row) in rows.into_iter().take(MOST_DIFFERENT) {
        table.push(row);
    }
    let Some(table) = table.block() else {
        return Vec::new();
    };
    let mut blocks = vec![Block::heading("Different numbers of hits"), table];
    if count > MOST_DIFFERENT {
        blocks.push(Block::sentence(&format!(
            "These are the {MOST_DIFFERENT} of {count} patterns whose numbers differ most; \
             result.json has all of them"
        )));
    }
    blocks
}
