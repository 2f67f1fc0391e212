//! The sections about single operations.

use super::{Rows, heading, line, tally, times_of};
use crate::connections::has_early_first_byte;
use crate::document::{Document, OperationResult, ResultOf, TimedFrom};
use crate::escape::{as_code, for_markdown};
use crate::words::{BANDWIDTH, RATE, TIME, about_steps, count, named_by_role};

pub(super) fn operations(page: &mut String, document: &Document) {
    heading(page, 2, "Operations");
    let mut table = Rows::new(
        page,
        &[
            "workload",
            "target",
            "operation",
            "ok",
            "throughput",
            "bandwidth",
            "timed from",
            "p50",
            "p90",
            "p99",
            "max",
            "errors by class",
            "statuses",
            "unanswered",
        ],
    );
    for (result, operation) in every_operation(document) {
        let [p50, p90, p99, max] = times_of(operation);
        table.row(&[
            for_markdown(&result.workload),
            for_markdown(&result.target),
            for_markdown(&named_by_role(operation)),
            count(operation.ok),
            RATE.with_interval(operation.throughput),
            BANDWIDTH.with_interval(operation.bandwidth),
            match operation.timed_from {
                TimedFrom::Write => "write (service time)",
                TimedFrom::IntendedStart => "intended start (response time)",
            }
            .to_owned(),
            p50,
            p90,
            p99,
            max,
            tally(&operation.errors),
            tally(&operation.statuses),
            count(operation.censored),
        ]);
    }
    if let Some(about) = about_steps(document.results.iter()) {
        line(page, "");
        line(page, &format!("{}.", for_markdown(&about)));
    }
    first_bytes(page, document);
    failures(page, document);
}

fn first_bytes(page: &mut String, document: &Document) {
    let early = || every_operation(document).filter(|(_, op)| has_early_first_byte(op));
    if early().next().is_none() {
        return;
    }
    line(page, "");
    line(
        page,
        "Where the first byte came well before the last, both from the write:",
    );
    line(page, "");
    let mut table = Rows::new(
        page,
        &[
            "workload",
            "target",
            "operation",
            "first byte p50",
            "first byte p99",
            "service p50",
            "service p99",
        ],
    );
    for (result, operation) in early() {
        table.row(&[
            for_markdown(&result.workload),
            for_markdown(&result.target),
            for_markdown(&named_by_role(operation)),
            TIME.with_interval(operation.first_byte_p50),
            TIME.with_interval(operation.first_byte_p99),
            TIME.with_interval(operation.service_p50),
            TIME.with_interval(operation.service_p99),
        ]);
    }
}

fn failures(page: &mut String, document: &Document) {
    if every_operation(document).all(|(_, operation)| operation.failures.is_empty()) {
        return;
    }
    line(page, "");
    line(page, "What the targets said about failures:");
    line(page, "");
    let mut table = Rows::new(page, &["workload", "target", "operation", "text", "times"]);
    for (result, operation) in every_operation(document) {
        for (text, times) in &operation.failures {
            table.row(&[
                for_markdown(&result.workload),
                for_markdown(&result.target),
                for_markdown(&named_by_role(operation)),
                as_code(text),
                count(*times),
            ]);
        }
    }
}

fn every_operation(document: &Document) -> impl Iterator<Item = (&ResultOf, &OperationResult)> {
    document
        .results
        .iter()
        .flat_map(|result| result.operations.iter().map(move |op| (result, op)))
}
