//! Bencher Metric Format: <https://bencher.dev/docs/reference/bencher-metric-format/>.

use std::collections::BTreeMap;

use serde::Serialize;
use tenbin_result::{Document, Figure, ResultOf};

use crate::escape::for_json;
use crate::formats::format::Format;
use crate::formats::write::Writer;

pub(in crate::formats) const FORMAT: Format = Format {
    name: "bmf",
    about: "Bencher Metric Format: JSON with the bounds of each figure",
    file: "result.bmf.json",
    write: Some(Writer::Document {
        lacks: |document| {
            document
                .results
                .is_empty()
                .then_some("the run measured nothing")
        },
        write: |document, to| {
            let text = serde_json::to_string_pretty(&benchmarks(document))?;
            to.write_all(for_json(text + "\n").as_bytes())
        },
    }),
    ..Format::PLAIN
};

/// A figure with the ends of its interval, if known.
#[derive(Debug, Serialize)]
struct Metric {
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    lower_value: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    upper_value: Option<f64>,
}

impl Metric {
    fn of(figure: Figure, scale: f64) -> Self {
        Self {
            value: figure.value * scale,
            lower_value: figure.interval.map(|ends| ends.low * scale),
            upper_value: figure.interval.map(|ends| ends.high * scale),
        }
    }
}

type Measures = BTreeMap<&'static str, Metric>;

/// Nanoseconds in a second. Bencher's built-in measure `latency` is in nanoseconds.
const NANOS: f64 = 1e9;

fn benchmarks(document: &Document) -> BTreeMap<String, Measures> {
    let mut all = BTreeMap::new();
    for result in &document.results {
        let name = format!("{}/{}", result.workload, result.target);
        let mut whole = measures([
            ("throughput", result.throughput, 1.0),
            ("server-cpu", result.server_cpu, NANOS),
        ]);
        whole.extend(errors(result).map(|errors| ("errors", errors)));
        let mut work = result.work();
        match (work.next(), work.next()) {
            (Some(only), None) => whole.extend(latencies(only)),
            _ => {
                for operation in result.work() {
                    let mut own = latencies(operation);
                    own.extend(measures([("throughput", operation.throughput, 1.0)]));
                    add(&mut all, format!("{name}/{}", operation.operation), own);
                }
            }
        }
        add(&mut all, name, whole);
    }
    all
}

/// Adds a benchmark, unless it has no figure.
fn add(all: &mut BTreeMap<String, Measures>, name: String, measures: Measures) {
    if !measures.is_empty() {
        all.insert(name, measures);
    }
}

fn latencies(operation: &tenbin_result::OperationResult) -> Measures {
    measures([
        ("latency", operation.p50, NANOS),
        ("latency-p90", operation.p90, NANOS),
        ("latency-p99", operation.p99, NANOS),
    ])
}

fn measures<const N: usize>(figures: [(&'static str, Option<Figure>, f64); N]) -> Measures {
    let known = figures.into_iter();
    let known = known.filter_map(|(name, figure, scale)| Some((name, Metric::of(figure?, scale))));
    known.collect()
}

/// The share of the work that failed; `None` if none was tried, or if it is not known.
fn errors(result: &ResultOf) -> Option<Metric> {
    Some(Metric {
        value: result.failed_share()?,
        lower_value: None,
        upper_value: None,
    })
}
