//! Writes InfluxDB line protocol: one point per slice, result and comparison.

use std::fmt::Write as _;
use std::io;

use tenbin_result::{Comparison, Document, Figure, OperationResult, ResultOf, SliceFigures};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::formats::format::Format;
use crate::formats::write::{Writer, nothing};

pub(in crate::formats) const FORMAT: Format = Format {
    name: "influx",
    about: "InfluxDB line protocol: points for slices, results and comparisons",
    file: "result.influx",
    write: Some(Writer::Document {
        lacks: nothing,
        write,
    }),
    ..Format::PLAIN
};

fn write(document: &Document, to: &mut dyn io::Write) -> io::Result<()> {
    let began = began(document);
    for slice in &document.slices {
        to.write_all(of_slice(document, slice, began).as_bytes())?;
    }
    let ends = document.slices.iter().filter_map(SliceFigures::end);
    let ended = began.map(|began| later(began, ends.fold(0.0, f64::max)));
    for result in &document.results {
        to.write_all(of_result(document, result, ended).as_bytes())?;
        for operation in &result.operations {
            to.write_all(of_operation(document, result, operation, ended).as_bytes())?;
        }
    }
    for comparison in &document.comparisons {
        to.write_all(of_comparison(document, comparison, ended).as_bytes())?;
    }
    Ok(())
}

/// Start of the run, nanoseconds since 1970; `None` if the document has no valid start time.
fn began(document: &Document) -> Option<i64> {
    let began = OffsetDateTime::parse(&document.run.started, &Rfc3339).ok()?;
    i64::try_from(began.unix_timestamp_nanos()).ok()
}

fn later(began: i64, seconds: f64) -> i64 {
    began.saturating_add((seconds * 1e9) as i64)
}

fn of_slice(document: &Document, slice: &SliceFigures, began: Option<i64>) -> String {
    let mut point = Point::new("tenbin_slice", document);
    point.tag("workload", &slice.workload);
    point.tag("target", &slice.target);
    point.count("slice", Some(u64::from(slice.index)));
    point.count("round", Some(u64::from(slice.round)));
    point.count("ok", slice.ok);
    point.count("failed", slice.failed);
    point.count("backlog", slice.backlog);
    for (name, value) in [
        ("seconds", slice.seconds),
        ("throughput", slice.throughput),
        ("mean", slice.mean),
        ("p50", slice.p50),
        ("p99", slice.p99),
        ("max", slice.max),
        ("server_cpu", slice.server_cpu),
        ("client_cpu", slice.client_cpu),
    ] {
        point.number(name, value);
    }
    point.count("server_rss_bytes", slice.server_rss_bytes);
    point.count("server_written_bytes", slice.server_written_bytes);
    point.line(
        began
            .zip(slice.start)
            .map(|(began, start)| later(began, start)),
    )
}

fn of_result(document: &Document, result: &ResultOf, at: Option<i64>) -> String {
    let mut point = Point::new("tenbin_result", document);
    point.tag("workload", &result.workload);
    point.tag("target", &result.target);
    point.count("ok", result.ok);
    point.count("failed", result.failed);
    point.figure("throughput", result.throughput);
    point.figure("server_cpu", result.server_cpu);
    point.line(at)
}

fn of_operation(
    document: &Document,
    result: &ResultOf,
    operation: &OperationResult,
    at: Option<i64>,
) -> String {
    let mut point = Point::new("tenbin_operation", document);
    point.tag("workload", &result.workload);
    point.tag("target", &result.target);
    point.tag("operation", &operation.operation);
    point.count("ok", operation.counts.ok);
    point.count("failed", operation.failed);
    for (name, figure) in [
        ("throughput", operation.throughput),
        ("bandwidth", operation.bandwidth),
        ("p50", operation.p50),
        ("p90", operation.p90),
        ("p99", operation.p99),
    ] {
        point.figure(name, figure);
    }
    point.number("max", operation.max);
    point.line(at)
}

fn of_comparison(document: &Document, comparison: &Comparison, at: Option<i64>) -> String {
    let mut point = Point::new("tenbin_comparison", document);
    point.tag("workload", &comparison.workload);
    point.tag("baseline", &comparison.baseline);
    point.tag("challenger", &comparison.challenger);
    point.tag("metric", &comparison.metric.to_string());
    point.figure("ratio", comparison.ratio);
    point.text("outcome", comparison.outcome.word());
    point.line(at)
}

/// A point, with the run and its trust among the tags.
struct Point {
    series: String,
    fields: String,
}

impl Point {
    fn new(measurement: &str, document: &Document) -> Self {
        let mut point = Self {
            series: measurement.to_owned(),
            fields: String::new(),
        };
        point.tag("run", &document.run.id);
        point.tag("trust", document.trust.word());
        point
    }

    /// Adds a tag, unless the value is empty, which the protocol forbids.
    fn tag(&mut self, key: &str, value: &str) {
        if !value.is_empty() {
            let _ = write!(self.series, ",{key}={}", tag_value(value));
        }
    }

    fn field(&mut self, key: &str, value: &str) {
        let comma = if self.fields.is_empty() { "" } else { "," };
        let _ = write!(self.fields, "{comma}{key}={value}");
    }

    fn count(&mut self, key: &str, value: Option<u64>) {
        if let Some(value) = value {
            self.field(key, &format!("{value}i"));
        }
    }

    fn number(&mut self, key: &str, value: Option<f64>) {
        if let Some(value) = value.filter(|value| value.is_finite()) {
            self.field(key, &value.to_string());
        }
    }

    fn text(&mut self, key: &str, value: &str) {
        let escaped = value.replace('\\', "\\\\").replace('"', "\\\"");
        self.field(key, &format!("\"{escaped}\""));
    }

    fn figure(&mut self, key: &str, figure: Option<Figure>) {
        let Some(figure) = figure else { return };
        self.number(key, Some(figure.value));
        let interval = figure.interval;
        self.number(&format!("{key}_low"), interval.map(|ends| ends.low));
        self.number(&format!("{key}_high"), interval.map(|ends| ends.high));
    }

    /// The line of the point; empty if the point has no field, because the protocol requires one.
    fn line(self, at: Option<i64>) -> String {
        if self.fields.is_empty() {
            return String::new();
        }
        let at = at.map_or_else(String::new, |at| format!(" {at}"));
        format!("{} {}{at}\n", self.series, self.fields)
    }
}

/// Escapes commas, spaces and equals signs in a tag value. Replaces control characters, which
/// cannot be escaped, and backslashes, which would escape the character after the value.
fn tag_value(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for c in value.chars() {
        match c {
            ',' | ' ' | '=' => text.extend(['\\', c]),
            '\\' => text.push('_'),
            c if c.is_control() => text.push('_'),
            c => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_ends_its_tag() {
        assert_eq!(tag_value("a,b c=d\n\\"), "a\\,b\\ c\\=d__");
    }
}
