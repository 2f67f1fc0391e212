//! Sizes by connections: one table for each operation and target whose workloads make a grid.

use std::collections::BTreeSet;

use tenbin_plan::size::Size;

use crate::document::{Document, ResultOf, Workload};
use crate::escape::for_markdown;
use crate::markdown::{Rows, heading, line};
use crate::words::{TIME, UNKNOWN, grouped_interval};

/// A workload with its place in a grid.
struct Cell<'a> {
    /// What S3 calls the operation.
    operation: &'a str,
    bytes: u64,
    connections: u64,
    workload: &'a str,
}

/// Tables of throughput and of the median time, where at least two sizes were measured on at
/// least two numbers of connections.
pub(super) fn grids(page: &mut String, document: &Document) {
    let cells: Vec<Cell<'_>> = document.workloads.iter().filter_map(cell).collect();
    let operations: BTreeSet<&str> = cells.iter().map(|cell| cell.operation).collect();
    let mut is_first = true;
    for operation in operations {
        let own: Vec<&Cell<'_>> = cells
            .iter()
            .filter(|cell| cell.operation == operation)
            .collect();
        let sizes: BTreeSet<u64> = own.iter().map(|cell| cell.bytes).collect();
        let levels: BTreeSet<u64> = own.iter().map(|cell| cell.connections).collect();
        if sizes.len() < 2 || levels.len() < 2 {
            continue;
        }
        if std::mem::take(&mut is_first) {
            heading(page, 3, "Size by connections");
            line(
                page,
                "Correct answers a second and the median time of one operation, for each object \
                 size (rows) on each number of connections (columns).",
            );
            line(page, "");
        }
        for target in &document.targets {
            heading(
                page,
                4,
                &format!(
                    "{} on {}",
                    for_markdown(operation),
                    for_markdown(&target.name)
                ),
            );
            grid(page, document, &own, (&sizes, &levels), &target.name);
        }
    }
}

fn cell(workload: &Workload) -> Option<Cell<'_>> {
    let subject = workload.subject.as_ref()?;
    let [only] = subject.operations.as_slice() else {
        return None;
    };
    Some(Cell {
        operation: &only.interface,
        bytes: subject.object_bytes.filter(|_| workload.closed_loop)?,
        connections: workload.connections,
        workload: &workload.name,
    })
}

fn grid(
    page: &mut String,
    document: &Document,
    cells: &[&Cell<'_>],
    (sizes, levels): (&BTreeSet<u64>, &BTreeSet<u64>),
    target: &str,
) {
    let head: Vec<String> = std::iter::once("size".to_owned())
        .chain(
            levels
                .iter()
                .flat_map(|level| [format!("{level}: ops/s"), format!("{level}: p50")]),
        )
        .collect();
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    let mut rows = Rows::new(page, &head);
    for bytes in sizes {
        let mut row = vec![Size(*bytes).to_string()];
        for level in levels {
            let mut at = cells.iter();
            let here = at.find(|cell| cell.bytes == *bytes && cell.connections == *level);
            let result = here.and_then(|cell| {
                let mut results = document.results_of(cell.workload);
                results.find(|result| result.target == target)
            });
            row.extend(figures(result));
        }
        rows.row(&row);
    }
}

/// Throughput, and the median time.
fn figures(result: Option<&ResultOf>) -> [String; 2] {
    let Some(result) = result else {
        return [UNKNOWN; 2].map(str::to_owned);
    };
    let p50 = result.work().next().and_then(|operation| operation.p50);
    [grouped_interval(result.throughput), TIME.with_interval(p50)]
}
