//! Tables by object size class, with the relevant figures of each class.

use tenbin_result::format::{BANDWIDTH, RATE, TIME};
use tenbin_result::{Document, ResultOf, Workload};
use tenbin_verdict::SizeClass;

use super::title::title;
use crate::block::{Block, Cell, Table};

/// A size class, its description, and the column headers of its figures.
type Class = (SizeClass, &'static str, &'static [&'static str]);

const CLASSES: [Class; 3] = [
    (
        SizeClass::Small,
        "Small objects, up to 64 KiB: latency (below 10 ms is good) and operations per \
        second.",
        &["p50", "p99", "throughput"],
    ),
    (
        SizeClass::Medium,
        "Medium objects: latency and bandwidth.",
        &["p50", "p99", "throughput", "bandwidth"],
    ),
    (
        SizeClass::Large,
        "Large objects, from 64 MB on: bandwidth, and the cost on disk.",
        &["bandwidth", "written per byte stored"],
    ),
];

pub(super) fn classes(document: &Document) -> Vec<Block> {
    let mut blocks = Vec::new();
    for (class, what, figures) in CLASSES {
        let mut table = Table::new(2, ["operation", "target"].iter().chain(figures).copied());
        let mine = |work: &&Workload| class_of(work) == Some(class);
        for workload in document.workloads.iter().filter(mine) {
            for result in document.results_of(&workload.name) {
                let mut row: Vec<Cell> = vec![
                    title(document, workload).into(),
                    result.target.clone().into(),
                ];
                row.extend(figures.iter().map(|figure| cell(result, figure)));
                table.push(row);
            }
        }
        if let Some(table) = table.block() {
            blocks.push(Block::Paragraph(what.into()));
            blocks.push(table);
        }
    }
    if !blocks.is_empty() {
        blocks.insert(0, Block::heading("By object size"));
    }
    blocks
}

/// The size class of a workload that puts or gets objects of one size.
fn class_of(workload: &Workload) -> Option<SizeClass> {
    let subject = workload.subject.as_ref()?;
    let [only] = subject.operations.as_slice() else {
        return None;
    };
    let transfers = matches!(only.operation.as_str(), "put" | "get");
    transfers.then_some(SizeClass::of(subject.object_bytes?))
}

fn cell(result: &ResultOf, figure: &str) -> Cell {
    let operation = result.work().next();
    match figure {
        "p50" => Cell::Figure(TIME, operation.and_then(|operation| operation.p50)),
        "p99" => Cell::Figure(TIME, operation.and_then(|operation| operation.p99)),
        "throughput" => Cell::Figure(RATE, result.throughput),
        "bandwidth" => Cell::Figure(BANDWIDTH, operation.and_then(|op| op.bandwidth)),
        _ => Cell::Ratio(result.written_per_stored),
    }
}
