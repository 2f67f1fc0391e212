//! What an operation cost either side.

use super::{Rows, heading, line};
use crate::document::{Document, Figure};
use crate::escape::for_markdown;
use crate::words::{BYTES, SHARE, TIME, UNKNOWN, digits};

pub(super) fn cost(page: &mut String, document: &Document) {
    heading(page, 2, "Cost");
    line(
        page,
        "The generator is Tenbin itself: what it used says nothing about the memory or the CPU of \
         a server.",
    );
    line(page, "");
    let mut table = Rows::new(
        page,
        &[
            "workload",
            "target",
            "server CPU per operation",
            "server peak memory",
            "server bytes written per operation",
            "server bytes written per byte stored",
            "generator CPU per operation",
            "generator bytes allocated per operation",
            "generator allocations per operation",
            "busiest generator thread",
        ],
    );
    for result in &document.results {
        table.row(&[
            for_markdown(&result.workload),
            for_markdown(&result.target),
            TIME.with_interval(result.server_cpu),
            BYTES.maybe(result.peak_rss_bytes.map(|bytes| bytes as f64)),
            BYTES.with_interval(result.written_bytes),
            plain(result.written_per_stored),
            TIME.with_interval(result.client_cpu),
            BYTES.with_interval(result.client_allocated_bytes),
            plain(result.client_allocations),
            SHARE.with_interval(result.client_busiest_thread),
        ]);
    }
}

/// A figure without a unit, and its interval.
fn plain(figure: Option<Figure>) -> String {
    match figure {
        None => UNKNOWN.to_owned(),
        Some(Figure {
            value, interval, ..
        }) => match interval {
            None => format!("{} (interval unknown)", digits(value)),
            Some(ends) => format!(
                "{} ({}–{})",
                digits(value),
                digits(ends.low),
                digits(ends.high)
            ),
        },
    }
}
