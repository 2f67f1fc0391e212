//! Additional sections of an S3 run: all operations in one table, size classes, optimum
//! concurrency, the best target for each use, and lines in Go's benchmark format.

mod classes;
mod grid;
mod tables;
mod title;

pub(super) use grid::place;

use tenbin_result::{Document, Finding};

use crate::block::{Block, Look, Table, Text};
use crate::formats::programs::go::write;
use tenbin_plan::work::traits_of;

/// Name of the rule whose findings state the optimum concurrency.
const OPTIMUM: &str = "optimum_concurrency";

pub(super) fn blocks(document: &Document) -> Vec<Block> {
    if !is_for(document) {
        return Vec::new();
    }
    let parts: [fn(&Document) -> Vec<Block>; 8] = [
        tables::sequential,
        tables::latency,
        tables::throughput,
        tables::bandwidth,
        grid::grids,
        optimum,
        classes::classes,
        uses,
    ];
    parts.iter().flat_map(|part| part(document)).collect()
}

/// The section with one line per slice, in Go's benchmark format.
pub(super) fn raw(document: &Document) -> Vec<Block> {
    if !is_for(document) {
        return Vec::new();
    }
    let about = Text::plain(
        "One line per slice in Go's benchmark format, the same as in benchmark.txt in the run \
        directory. ",
    )
    .and(Look::Code, "benchstat -col /target benchmark.txt")
    .and(Look::Plain, " compares the targets.");
    vec![
        Block::Paragraph(about),
        Block::Verbatim(write::text(document)),
    ]
}

/// Whether all workloads of the run are S3.
fn is_for(document: &Document) -> bool {
    let mut works = document.workloads.iter();
    !document.workloads.is_empty()
        && works.all(|work| {
            let traits = work.subject.as_ref().and_then(|it| traits_of(&it.kind));
            traits.is_some_and(|traits| traits.is_object_store)
        })
}

fn optimum(document: &Document) -> Vec<Block> {
    let mut table = Table::new(2, ["operation", "target", "observation", "advice"]);
    let of_rule = |finding: &&Finding| finding.rule == OPTIMUM;
    for finding in document.findings.iter().filter(of_rule) {
        let operation = finding
            .workload
            .as_ref()
            .map_or_else(String::new, |name| title::work_of(document, name));
        table.push([
            operation.into(),
            finding.target.clone().unwrap_or_default().into(),
            finding.evidence.clone().into(),
            finding.advice.clone().into(),
        ]);
    }
    tables::below(
        "Optimum concurrency",
        "The fewest connections whose throughput is not credibly more than 2.5 % below the maximum.",
        table,
    )
}

fn uses(document: &Document) -> Vec<Block> {
    let mut table = Table::new(1, ["use", "target", "because"]);
    for case in &document.use_cases {
        table.push([
            case.name.clone().into(),
            case.choice.clone().into(),
            case.because.join("; ").into(),
        ]);
    }
    tables::below(
        "Which target for which use",
        "According to the primary comparisons. A target is named if it is faster in at least one \
        of them and slower in none.",
        table,
    )
}
