//! The section on every operation on every target.

use std::collections::BTreeMap;

use tenbin_result::format::{BANDWIDTH, RATE, TIME, count, maybe_count};
use tenbin_result::{Document, Figure, OperationResult, ResultOf, TimedFrom};

use super::results::occurred;
use crate::block::{Block, Cell, Table};
use crate::language::say;
use crate::words::{about_steps, named_by_role};

pub(super) fn blocks(document: &Document) -> Vec<Block> {
    let mut table = Table::new(
        3,
        [
            "workload", "target", "operation", "ok", "throughput", "bandwidth", "timed from",
            "p50", "p90", "p99", "max", "errors by class", "statuses", "unanswered",
        ],
    );
    for (result, operation) in every_operation(document) {
        table.push([
            result.workload.clone().into(),
            result.target.clone().into(),
            named_by_role(document, operation).into(),
            maybe_count(operation.counts.ok).into(),
            Cell::Figure(RATE, operation.throughput),
            Cell::Figure(BANDWIDTH, operation.bandwidth),
            match operation.timed_from {
                TimedFrom::Write => "write (service time)",
                TimedFrom::IntendedStart => "intended start (response time)",
            }
            .into(),
            Cell::Figure(TIME, operation.p50),
            Cell::Figure(TIME, operation.p90),
            Cell::Figure(TIME, operation.p99),
            Cell::once(TIME, operation.max),
            tally(&operation.errors).into(),
            tally(&operation.statuses).into(),
            maybe_count(unanswered(operation)).into(),
        ]);
    }
    let mut blocks: Vec<Block> = table.block().into_iter().collect();
    if let Some(about) = about_steps(document) {
        blocks.push(Block::sentence(&say(document, &about)));
    }
    blocks.extend(first_bytes(document));
    blocks.extend(closed_after(document));
    blocks.extend(failures(document));
    blocks
}

/// Operations without a response when the time after their slice ended, and operations never sent.
fn unanswered(operation: &OperationResult) -> Option<u64> {
    let unsent = operation.counts.unsent.unwrap_or(0);
    operation.counts.censored.map(|censored| censored + unsent)
}

/// Servers end keep-alive after some requests, or after some statuses: the operation tells which.
fn closed_after(document: &Document) -> Vec<Block> {
    let mut table = Table::new(3, ["workload", "target", "operation", "closed after"]);
    for (result, operation) in every_operation(document) {
        let closed = operation.counts.closed_after.filter(|closed| *closed > 0);
        if let Some(closed) = closed {
            table.push([
                result.workload.clone().into(),
                result.target.clone().into(),
                named_by_role(document, operation).into(),
                count(closed).into(),
            ]);
        }
    }
    below(
        "Responses after which the target closed the connection, which was to stay open:",
        table,
    )
}

fn first_bytes(document: &Document) -> Vec<Block> {
    let mut table = Table::new(
        3,
        [
            "workload", "target", "operation", "first byte p50", "first byte p99", "service p50",
            "service p99",
        ],
    );
    for (result, operation) in every_operation(document).filter(|(_, op)| has_early_first_byte(op))
    {
        table.push([
            result.workload.clone().into(),
            result.target.clone().into(),
            named_by_role(document, operation).into(),
            Cell::Figure(TIME, operation.first_byte_p50),
            Cell::Figure(TIME, operation.first_byte_p99),
            Cell::Figure(TIME, operation.service_p50),
            Cell::Figure(TIME, operation.service_p99),
        ]);
    }
    below(
        "Operations whose first byte arrived well before the last, both measured from the write:",
        table,
    )
}

fn failures(document: &Document) -> Vec<Block> {
    let mut table = Table::new(3, ["workload", "target", "operation", "text", "times"]);
    for (result, operation) in every_operation(document) {
        for (text, times) in &operation.failures {
            table.push([
                result.workload.clone().into(),
                result.target.clone().into(),
                named_by_role(document, operation).into(),
                Cell::code(text),
                count(*times).into(),
            ]);
        }
    }
    below("Error messages of the targets:", table)
}

/// A table with a sentence above it; no blocks if the table has no rows.
fn below(sentence: &str, table: Table) -> Vec<Block> {
    match table.block() {
        None => Vec::new(),
        Some(table) => vec![Block::Paragraph(sentence.into()), table],
    }
}

/// The first byte counts as early if it arrives before the last byte by more than this share of the
/// total time.
const NOTABLY_EARLIER: f64 = 0.1;

/// Whether the first byte arrived notably earlier than the last, as with large bodies, at the
/// median or the 99th percentile.
fn has_early_first_byte(operation: &OperationResult) -> bool {
    let notable = |first: Option<Figure>, last: Option<Figure>| match (first, last) {
        (Some(first), Some(last)) => first.value < last.value * (1.0 - NOTABLY_EARLIER),
        _ => false,
    };
    notable(operation.first_byte_p50, operation.service_p50)
        || notable(operation.first_byte_p99, operation.service_p99)
}

/// The operations that count, and the sub-requests, polls and effects that occurred.
fn every_operation(document: &Document) -> impl Iterator<Item = (&ResultOf, &OperationResult)> {
    document
        .results
        .iter()
        .flat_map(|result| result.operations.iter().map(move |op| (result, op)))
        .filter(|(_, op)| op.role.is_work() || occurred(op))
}

/// Formats counts by name: `timeout: 3, reset: 1`; empty without entries.
pub(super) fn tally<K: ToString>(counts: &BTreeMap<K, u64>) -> String {
    let parts: Vec<String> = counts
        .iter()
        .map(|(key, n)| format!("{}: {}", key.to_string(), count(*n)))
        .collect();
    parts.join(", ")
}
