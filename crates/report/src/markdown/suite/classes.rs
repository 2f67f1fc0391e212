//! Objects by their size: of each class the figures that matter.

use tenbin_verdict::SizeClass;

use super::title::title;
use crate::document::{Document, OperationResult, ResultOf, Workload};
use crate::escape::for_markdown;
use crate::markdown::{Rows, heading, line};
use crate::words::{BANDWIDTH, RATE, TIME, UNKNOWN, ratio, ratio_interval};

/// A class, what matters of it, and the heads of its figures.
type Class = (SizeClass, &'static str, &'static [&'static str]);

const CLASSES: [Class; 3] = [
    (
        SizeClass::Small,
        "Small objects, up to 64 KiB: how soon each comes (below 10 ms is good), and how many come \
         a second.",
        &["p50", "p99", "throughput"],
    ),
    (
        SizeClass::Medium,
        "Medium objects: the balance of both.",
        &["p50", "p99", "throughput", "bandwidth"],
    ),
    (
        SizeClass::Large,
        "Large objects, from 64 MB on: bytes a second, and what the disk has to do for them.",
        &["bandwidth", "written per byte stored"],
    ),
];

pub(super) fn classes(page: &mut String, document: &Document) {
    if document
        .workloads
        .iter()
        .all(|work| class_of(work).is_none())
    {
        return;
    }
    heading(page, 3, "By size of objects");
    let mut first = true;
    for (class, what, figures) in CLASSES {
        let mine = |work: &&Workload| class_of(work) == Some(class);
        let workloads: Vec<&Workload> = document.workloads.iter().filter(mine).collect();
        if workloads.is_empty() {
            continue;
        }
        if !first {
            line(page, "");
        }
        first = false;
        line(page, what);
        line(page, "");
        let head: Vec<&str> = ["operation", "target"]
            .iter()
            .chain(figures)
            .copied()
            .collect();
        let mut table = Rows::new(page, &head);
        for workload in workloads {
            for result in document.results_of(&workload.name) {
                let mut cells = vec![
                    for_markdown(&title(document, workload)),
                    for_markdown(&result.target),
                ];
                cells.extend(figures.iter().map(|figure| cell(result, figure)));
                table.row(&cells);
            }
        }
    }
}

/// That of a workload that puts or gets objects of one size.
fn class_of(workload: &Workload) -> Option<SizeClass> {
    let subject = workload.subject.as_ref()?;
    let [only] = subject.operations.as_slice() else {
        return None;
    };
    let transfers = matches!(only.operation.as_str(), "put" | "get");
    transfers.then_some(SizeClass::of(subject.object_bytes?))
}

fn cell(result: &ResultOf, figure: &str) -> String {
    let operation = result.work().next();
    let time = |pick: fn(&OperationResult) -> Option<crate::document::Figure>| {
        TIME.with_interval(operation.and_then(pick))
    };
    match figure {
        "p50" => time(|operation| operation.p50),
        "p99" => time(|operation| operation.p99),
        "throughput" => RATE.with_interval(result.throughput),
        "bandwidth" => BANDWIDTH.with_interval(operation.and_then(|op| op.bandwidth)),
        _ => match result.written_per_stored {
            Some(figure) => format!("{} ({})", ratio(figure.value), ratio_interval(Some(figure))),
            None => UNKNOWN.to_owned(),
        },
    }
}
