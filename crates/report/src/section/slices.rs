//! The section with the figures of every slice.

use tenbin_result::Document;
use tenbin_result::format::{BYTES, RATE, SHARE, TIME, UNKNOWN, fixed_seconds, maybe_count};

use crate::block::{Block, Cell, Table};

pub(super) fn blocks(document: &Document) -> Vec<Block> {
    first(document, document.slices.len())
}

/// The table of the first `most` slices only, because the cells of all slices of a long run take
/// much memory.
pub(super) fn first(document: &Document, most: usize) -> Vec<Block> {
    let mut table = Table::new(
        1,
        [
            "slice", "block", "round", "workload", "target", "start", "length", "ok", "backlog",
            "failed", "throughput", "p50", "p99", "max", "server CPU", "server memory",
            "busiest thread", "flags",
        ],
    );
    table.left_out = document.slices.len().saturating_sub(most);
    let seconds = |seconds: Option<f64>, decimals: usize| {
        let shown = seconds.map(|seconds| fixed_seconds(seconds, decimals));
        Cell::from(shown.unwrap_or_else(|| UNKNOWN.to_owned()))
    };
    for slice in document.slices.iter().take(most) {
        let mut flags = slice.flags.clone();
        flags.extend(slice.cut_short.then(|| "cut short".to_owned()));
        table.push([
            slice.index.to_string().into(),
            slice.block.to_string().into(),
            slice.round.to_string().into(),
            slice.workload.clone().into(),
            slice.target.clone().into(),
            seconds(slice.start, 1),
            seconds(slice.seconds, 3),
            maybe_count(slice.ok).into(),
            maybe_count(slice.backlog).into(),
            maybe_count(slice.failed).into(),
            Cell::once(RATE, slice.throughput),
            Cell::once(TIME, slice.p50),
            Cell::once(TIME, slice.p99),
            Cell::once(TIME, slice.max),
            Cell::once(TIME, slice.server_cpu),
            Cell::once(BYTES, slice.server_rss_bytes.map(|bytes| bytes as f64)),
            Cell::once(SHARE, slice.client_busiest_thread),
            flags.join(", ").into(),
        ]);
    }
    let about = "Figures of single slices, in run order, without intervals.";
    let mut blocks = vec![Block::Paragraph(about.into())];
    blocks.extend(table.block());
    blocks
}
