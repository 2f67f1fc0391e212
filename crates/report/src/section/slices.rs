//! The figures of every slice.

use tenbin_result::Document;
use tenbin_result::format::{BYTES, RATE, SHARE, TIME, count};

use crate::block::{Block, Cell, Table};

pub(super) fn blocks(document: &Document) -> Vec<Block> {
    let mut table = Table::new(
        1,
        [
            "slice",
            "block",
            "round",
            "workload",
            "target",
            "start",
            "length",
            "ok",
            "backlog",
            "failed",
            "throughput",
            "p50",
            "p99",
            "max",
            "server CPU",
            "server memory",
            "busiest thread",
            "flags",
        ],
    );
    for slice in &document.slices {
        let mut flags = slice.flags.clone();
        flags.extend(slice.cut_short.then(|| "cut short".to_owned()));
        table.push([
            slice.index.to_string().into(),
            slice.block.to_string().into(),
            slice.round.to_string().into(),
            slice.workload.clone().into(),
            slice.target.clone().into(),
            format!("{:.1} s", slice.start).into(),
            format!("{:.3} s", slice.seconds).into(),
            count(slice.ok).into(),
            count(slice.backlog).into(),
            count(slice.failed).into(),
            Cell::once(RATE, slice.throughput),
            Cell::once(TIME, slice.p50),
            Cell::once(TIME, slice.p99),
            Cell::once(TIME, slice.max),
            Cell::once(TIME, slice.server_cpu),
            Cell::once(BYTES, slice.server_rss_bytes.map(|bytes| bytes as f64)),
            SHARE.of(slice.client_busiest_thread).into(),
            flags.join(", ").into(),
        ]);
    }
    let about = "Figures of single slices, in the order of the run. They have no intervals.";
    let mut blocks = vec![Block::Paragraph(about.into())];
    blocks.extend(table.block());
    blocks
}
