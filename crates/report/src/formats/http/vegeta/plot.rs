//! The table of percentiles that `vegeta report -type=hdrplot` prints.

use tenbin_stats::printable_percentile;
use tenbin_verdict::lint::{Measurement, Percentile, Range, Reported};

use crate::formats::http::vegeta::{TAKEN, is_head, reported_of_all};
use crate::formats::reader::Fault;
use crate::formats::reported::{Line, Lines, REQUESTS, count, decimal};

/// Words of the first line.
const HEAD: [&str; 4] = ["Value(ms)", "Percentile", "TotalCount", "1/(1-Percentile)"];

/// Seconds in a millisecond.
const MILLI: f64 = 1e-3;

pub(super) fn recognises(beginning: &[u8]) -> bool {
    is_head(beginning, &HEAD)
}

/// One row: the share `quantile` of the requests, `count` of them, took `value` or less.
struct Row<'a> {
    line: Line<'a>,
    value: Range,
    quantile: f64,
    count: u64,
}

pub(super) fn reported(content: &[u8]) -> Result<Reported, Fault> {
    let lines = Lines::of(content, &[])?;
    let mut rows: Vec<Row<'_>> = Vec::new();
    for line in lines.0.iter().skip(1) {
        let row = row(line)?;
        if let Some(last) = rows.last()
            && (row.value.to < last.value.from
                || row.quantile <= last.quantile
                || row.count < last.count)
        {
            return Err(line.fault("contradicts itself: the row is below the one before it"));
        }
        rows.push(row);
    }
    let Some(last) = rows.last().filter(|row| row.quantile >= 1.0) else {
        return Err(Fault::of_the_file(
            "has no row of all requests; it may be cut off",
        ));
    };
    check_counts(&rows, last.count)?;
    let mut of = Measurement::new(REQUESTS);
    of.omits_failures = true;
    of.ended = Some(last.line.said(last.count));
    of.max = Some(last.line.said(last.value));
    let first = rows.first().filter(|row| row.quantile == 0.0);
    of.min = first.map(|row| row.line.said(row.value));
    of.percentiles = percentiles(&rows, last.count);
    if last.count == 0 {
        (of.min, of.max) = (None, None);
    }
    reported_of_all(of)
}

fn row<'a>(line: &Line<'a>) -> Result<Row<'a>, Fault> {
    let words: Vec<&str> = line.text.split_whitespace().collect();
    let [value, quantile, total, inverse] = words.as_slice() else {
        return Err(line.fault("is not a value, a percentile, a count and a quotient"));
    };
    let read = |what: &str, text: &str| decimal(text).ok_or_else(|| line.no(what, text));
    read("the quotient", inverse)?;
    let share: f64 = read("the percentile", quantile).and_then(|_| {
        let share = quantile.parse().ok();
        share
            .filter(|share| *share <= 1.0)
            .ok_or_else(|| line.no("the percentile", quantile))
    })?;
    Ok(Row {
        line: *line,
        value: read("the value", value)?.times(MILLI),
        quantile: share,
        count: count(total).ok_or_else(|| line.no("the count", total))?,
    })
}

/// Checks that the count of each row is its share of all requests, rounded. The share is printed
/// with six digits.
fn check_counts(rows: &[Row<'_>], total: u64) -> Result<(), Fault> {
    for row in rows {
        let share = row.quantile * total as f64;
        let slack = 1.0 + total as f64 * 1e-6;
        if (row.count as f64 - share).abs() > slack {
            return Err(row.line.fault(format!(
                "contradicts the last row: {} is not this share of {total} requests",
                row.count
            )));
        }
    }
    Ok(())
}

/// The percentiles lie between the rows around them.
fn percentiles(rows: &[Row<'_>], total: u64) -> Vec<Percentile> {
    let wanted = TAKEN.into_iter();
    wanted
        .filter(|quantile| printable_percentile(*quantile, total))
        .filter_map(|quantile| {
            let below = rows.iter().rfind(|row| row.quantile <= quantile)?;
            let above = rows.iter().find(|row| row.quantile >= quantile)?;
            Some(Percentile {
                quantile,
                time: Range {
                    from: below.value.from.min(above.value.from),
                    to: above.value.to,
                },
                quote: above.line.quote(),
            })
        })
        .collect()
}
