//! What the page of an S3 run has beside the sections of all pages: every operation in
//! one table, sizes by class, the optimum concurrency, uses, and the raw lines.

mod classes;
mod grid;
mod tables;
mod title;

use super::{Rows, heading, line};
use crate::benchmark;
use crate::document::{Document, Finding};
use crate::escape::for_markdown;

/// The rule that names the optimum concurrency.
const OPTIMUM: &str = "optimum_concurrency";

/// Whether all of the run is S3 work.
pub(super) fn is_for(document: &Document) -> bool {
    !document.workloads.is_empty()
        && document
            .workloads
            .iter()
            .all(|work| work.subject.as_ref().is_some_and(|what| what.kind == "s3"))
}

/// What stands before the details.
pub(super) fn overview(page: &mut String, document: &Document) {
    heading(page, 2, "Results");
    tables::sequential(page, document);
    tables::latency(page, document);
    tables::throughput(page, document);
    tables::bandwidth(page, document);
    grid::grids(page, document);
    optimum(page, document);
    classes::classes(page, document);
    uses(page, document);
}

/// What stands at the very end.
pub(super) fn raw(page: &mut String, document: &Document) {
    heading(page, 2, "Appendix: raw data");
    line(
        page,
        "One line a slice in Go's benchmark format, the same as `benchmark.txt` beside this file. \
         `benchstat -col /target benchmark.txt` compares the targets.",
    );
    line(page, "");
    let text = benchmark::text(document);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    line(page, &fence);
    page.push_str(&text);
    line(page, &fence);
}

fn optimum(page: &mut String, document: &Document) {
    let of_rule = |finding: &&Finding| finding.rule == OPTIMUM;
    let mut found = document.findings.iter().filter(of_rule).peekable();
    if found.peek().is_none() {
        return;
    }
    heading(page, 3, "Optimum concurrency");
    line(
        page,
        "The fewest connections whose throughput is not credibly more than 2.5 % below the most.",
    );
    line(page, "");
    let mut table = Rows::new(page, &["operation", "target", "what was seen", "advice"]);
    for finding in found {
        let operation = finding
            .workload
            .as_ref()
            .map_or_else(String::new, |name| title::work_of(document, name));
        table.row(&[
            for_markdown(&operation),
            for_markdown(finding.target.as_deref().unwrap_or_default()),
            for_markdown(&finding.evidence),
            for_markdown(&finding.advice),
        ]);
    }
}

fn uses(page: &mut String, document: &Document) {
    if document.use_cases.is_empty() {
        return;
    }
    heading(page, 3, "Which target for which use");
    line(
        page,
        "By the comparisons that decide the workloads. A target is named where it is faster at one \
         of them at least and slower at none.",
    );
    line(page, "");
    let mut table = Rows::new(page, &["use", "target", "because"]);
    for case in &document.use_cases {
        table.row(&[
            for_markdown(&case.name),
            for_markdown(&case.choice),
            for_markdown(&case.because.join("; ")),
        ]);
    }
}
