//! The charts of the report as SVG files, one format per chart.

use std::io;

use tenbin_result::Document;

use crate::chart;
use crate::formats::format::Format;
use crate::formats::write::Writer;
use crate::section::charts_of;

/// The format of the chart in section `$name`, which is written to the file `{$name}.svg`.
macro_rules! chart {
    ($name:literal, $about:literal) => {
        Format {
            name: $name,
            about: $about,
            file: concat!($name, ".svg"),
            kept: true,
            read: None,
            write: Some(Writer::Document {
                lacks: |document| lacks(document, $name),
                write: |document, to| write(document, $name, to),
            }),
        }
    };
}

pub(in crate::formats) const FOREST: Format =
    chart!("forest", "all ratios with their intervals, as a chart");

pub(in crate::formats) const PERCENTILE_RATIOS: Format = chart!(
    "percentile-ratios",
    "the ratio at each percentile, as a chart"
);

pub(in crate::formats) const QUADS: Format = chart!(
    "quads",
    "the ratio of every two rounds (A B B A) in run order, as a chart that shows drift"
);

pub(in crate::formats) const PERCENTILES: Format = chart!(
    "percentiles",
    "percentiles of all requests, all targets in one chart"
);

pub(in crate::formats) const TIMELINE: Format = chart!(
    "timeline",
    "throughput, latency, failures and CPU of the first workload over time, as a chart"
);

pub(in crate::formats) const ERRORS: Format = chart!(
    "errors",
    "failures by class over the time of the run, as a chart"
);

pub(in crate::formats) const MATRIX: Format = chart!(
    "matrix",
    "the throughput ratio by object size and connections, as a heat table"
);

pub(in crate::formats) const COST_AND_SPEED: Format = chart!(
    "cost-and-speed",
    "the ratio of speeds against that of the server's CPU time, as a chart"
);

pub(in crate::formats) const SERVER_STAGES: Format = chart!(
    "server-stages",
    "time by server stage of the first operation that has it, as a chart"
);

/// Finds the chart of a format: the chart in section `name` that is written to the file
/// `{name}.svg`.
fn chart_of(document: &Document, name: &str) -> Option<chart::Chart> {
    let file = format!("{name}.svg");
    charts_of(document, name).find(|chart| chart.file == Some(file.as_str()))
}

fn lacks(document: &Document, name: &str) -> Option<&'static str> {
    let is_missing = chart_of(document, name).is_none();
    is_missing.then_some("the run does not have the figures of this chart")
}

fn write(document: &Document, name: &str, to: &mut dyn io::Write) -> io::Result<()> {
    match chart_of(document, name) {
        Some(chart) => to.write_all(chart::file(&chart).as_bytes()),
        None => Ok(()),
    }
}
