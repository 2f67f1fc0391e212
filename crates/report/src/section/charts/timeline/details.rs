//! What a page shows of a point of the timeline that a reader selects: the slice, or the slices that
//! the point stands for.

use std::collections::{BTreeMap, BTreeSet};

use tenbin_result::format::{BYTES, RATE, SHARE, TIME, UNKNOWN, count, fixed_seconds};
use tenbin_result::{Document, SliceFigures};

use super::cores_used;
use crate::block::{Cell, Table};
use crate::language::text;
use crate::section::charts::groups::median;

/// The table, with one row for each point: the points of the first target, then those of the next.
pub(super) fn table(
    document: &Document,
    targets: &[(usize, &str, Vec<&SliceFigures>)],
    size: usize,
) -> Option<Table> {
    let mut table = Table::new(
        2,
        [
            "target", "slice", "start", "length", "throughput", "p50", "p99", "max", "failed",
            "errors", "longest pause", "CPU, cores", "server memory", "busiest thread",
            "CPU of other programs, cores", "flags",
        ],
    );
    for (_, target, slices) in targets {
        for group in slices.chunks(size.max(1)) {
            table.push(row(document, target, group));
        }
    }
    table.filled()
}

/// Medians of the slices, but sums of failures, and the largest of what is largest in a slice.
fn row(document: &Document, target: &str, slices: &[&SliceFigures]) -> Vec<Cell> {
    let middle = |pick: fn(&SliceFigures) -> Option<f64>| {
        median(slices.iter().filter_map(|slice| pick(slice)))
    };
    let most = |pick: fn(&SliceFigures) -> Option<f64>| {
        slices
            .iter()
            .filter_map(|slice| pick(slice))
            .reduce(f64::max)
    };
    let cores =
        |used: Option<f64>| Cell::from(used.map_or(UNKNOWN.into(), |it| format!("{it:.2}")));
    let seconds = |seconds: Option<f64>| {
        Cell::from(seconds.map_or(UNKNOWN.into(), |it| fixed_seconds(it, 1)))
    };
    let failed: Option<u64> = slices.iter().map(|slice| slice.failed).sum();
    vec![
        target.into(),
        numbers(slices).into(),
        seconds(slices.first().and_then(|first| first.start)),
        seconds(slices.iter().map(|slice| slice.seconds).sum()),
        Cell::once(RATE, middle(|slice| slice.throughput)),
        Cell::once(TIME, middle(|slice| slice.p50)),
        Cell::once(TIME, middle(|slice| slice.p99)),
        Cell::once(TIME, most(|slice| slice.max)),
        failed.map_or_else(|| UNKNOWN.to_owned(), count).into(),
        errors(slices).into(),
        Cell::once(TIME, most(|slice| slice.pause_seconds)),
        cores(middle(cores_used)),
        Cell::once(BYTES, most(|slice| Some(slice.server_rss_bytes? as f64))),
        Cell::once(SHARE, most(|slice| slice.client_busiest_thread)),
        cores(most(used_by_others)),
        flags(document, slices).into(),
    ]
}

/// The number of the slice, or of the first and the last.
pub(super) fn numbers(slices: &[&SliceFigures]) -> String {
    match slices {
        [] => String::new(),
        [only] => only.index.to_string(),
        [first, .., last] => format!("{}–{}", first.index, last.index),
    }
}

/// Failures by class, most frequent first: `timeout 12, reset 3`.
fn errors(slices: &[&SliceFigures]) -> String {
    let mut by_class: BTreeMap<&str, u64> = BTreeMap::new();
    let seconds = slices.iter().flat_map(|slice| &slice.errors);
    for (class, failed) in seconds.flat_map(|second| &second.by_class) {
        *by_class.entry(class).or_default() += failed;
    }
    let mut classes: Vec<(&str, u64)> = by_class.into_iter().collect();
    classes.sort_by_key(|(_, failed)| std::cmp::Reverse(*failed));
    let named = classes
        .iter()
        .map(|(class, failed)| format!("{class} {}", count(*failed)));
    named.collect::<Vec<String>>().join(", ")
}

fn used_by_others(slice: &SliceFigures) -> Option<f64> {
    let machine = slice.machine.as_ref()?.get();
    let used = machine.others_cpu_seconds?;
    (machine.seconds > 0.0).then(|| used / machine.seconds)
}

/// The flags of the slices, each once.
pub(super) fn flags(document: &Document, slices: &[&SliceFigures]) -> String {
    let mut flags: BTreeSet<String> = BTreeSet::new();
    for slice in slices {
        flags.extend(slice.flags.iter().map(|flag| text(document, flag)));
        flags.extend(slice.cut_short.then(|| text(document, "cut short")));
    }
    flags.into_iter().collect::<Vec<String>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenbin_result::SecondErrors;

    #[test]
    fn a_point_of_several_slices_has_all_failures_and_the_largest_maximum() {
        let pair = include_bytes!("../../../../tests/documents/pair.json");
        let mut document = tenbin_result::document_from_json(pair).expect("a document");
        for (at, slice) in document.slices.iter_mut().enumerate() {
            slice.max = Some(0.001 * (at + 1) as f64);
            slice.failed = Some(4);
            slice.flags = vec!["outlying".to_owned()];
            slice.errors = vec![SecondErrors {
                second: 0,
                by_class: [("reset".to_owned(), 1), ("timeout".to_owned(), 3)].into(),
            }];
        }
        let slices: Vec<&SliceFigures> = document.slices.iter().take(3).collect();
        assert_eq!(errors(&slices), "timeout 9, reset 3");
        assert_eq!(flags(&document, &slices), "outlying");
        let numbered = numbers(&slices);
        assert_eq!(numbered, "0–2");
        let of = [(0, "a", slices)];
        let table = table(&document, &of, 3).expect("a table");
        let of = |head: &str| {
            let column = table.head.iter().position(|it| it == head).expect(head);
            let cell = table.rows[0][column].text(crate::block::Detail::Value, &table.words);
            cell.letters()
        };
        assert_eq!(of("max"), "3.00 ms");
        assert_eq!(of("failed"), "12");
    }
}
