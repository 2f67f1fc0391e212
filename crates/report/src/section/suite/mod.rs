//! What an S3 run has beside the sections of all runs: every operation in one table, sizes by
//! class, the optimum concurrency, uses, and the raw lines.

mod classes;
mod grid;
mod tables;
mod title;

use tenbin_result::{Document, Finding};

use crate::benchmark;
use crate::block::{Block, Look, Table, Text};
use tenbin_plan::work::traits_of;

/// The rule that names the optimum concurrency.
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

/// One line a slice in Go's benchmark format.
pub(super) fn raw(document: &Document) -> Vec<Block> {
    if !is_for(document) {
        return Vec::new();
    }
    let about = Text::plain(
        "One line a slice in Go's benchmark format, the same as benchmark.txt in the run \
         directory. ",
    )
    .and(Look::Code, "benchstat -col /target benchmark.txt")
    .and(Look::Plain, " compares the targets.");
    vec![
        Block::Paragraph(about),
        Block::Verbatim(benchmark::text(document)),
    ]
}

/// Whether all of the run is S3 work.
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
        "The fewest connections whose throughput is not credibly more than 2.5 % below the most.",
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
        "By the comparisons that decide the workloads. A target is named where it is faster at one \
         of them at least and slower at none.",
        table,
    )
}
