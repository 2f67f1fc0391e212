//! The charts of the report as SVG files, one format per chart.

use std::io;

use tenbin_result::Document;

use crate::chart;
use crate::formats::format::Format;
use crate::formats::write::Writer;
use crate::section::charts_of;

pub(in crate::formats) const FOREST: Format = Format {
    name: "forest",
    about: "all ratios with their intervals, as a chart",
    file: "forest.svg",
    kept: true,
    read: None,
    write: Some(Writer::Document {
        lacks: |document| lacks(document, "forest"),
        write: |document, to| write(document, "forest", to),
    }),
};

pub(in crate::formats) const PERCENTILE_RATIOS: Format = Format {
    name: "percentile-ratios",
    about: "the ratio at each percentile, as a chart",
    file: "percentile-ratios.svg",
    kept: true,
    read: None,
    write: Some(Writer::Document {
        lacks: |document| lacks(document, "percentile-ratios"),
        write: |document, to| write(document, "percentile-ratios", to),
    }),
};

pub(in crate::formats) const QUADS: Format = Format {
    name: "quads",
    about: "the ratio of each block in run order, as a chart that shows drift",
    file: "quads.svg",
    kept: true,
    read: None,
    write: Some(Writer::Document {
        lacks: |document| lacks(document, "quads"),
        write: |document, to| write(document, "quads", to),
    }),
};

pub(in crate::formats) const PERCENTILES: Format = Format {
    name: "percentiles",
    about: "percentiles of all requests, all targets in one chart",
    file: "percentiles.svg",
    kept: true,
    read: None,
    write: Some(Writer::Document {
        lacks: |document| lacks(document, "percentiles"),
        write: |document, to| write(document, "percentiles", to),
    }),
};

pub(in crate::formats) const TIMELINE: Format = Format {
    name: "timeline",
    about: "throughput, latency, failures and CPU of the first workload over time, as a chart",
    file: "timeline.svg",
    kept: true,
    read: None,
    write: Some(Writer::Document {
        lacks: |document| lacks(document, "timeline"),
        write: |document, to| write(document, "timeline", to),
    }),
};

pub(in crate::formats) const ERRORS: Format = Format {
    name: "errors",
    about: "failures by class over the time of the run, as a chart",
    file: "errors.svg",
    kept: true,
    read: None,
    write: Some(Writer::Document {
        lacks: |document| lacks(document, "errors"),
        write: |document, to| write(document, "errors", to),
    }),
};

pub(in crate::formats) const MATRIX: Format = Format {
    name: "matrix",
    about: "the throughput ratio by object size and connections, as a heat table",
    file: "matrix.svg",
    kept: true,
    read: None,
    write: Some(Writer::Document {
        lacks: |document| lacks(document, "matrix"),
        write: |document, to| write(document, "matrix", to),
    }),
};

pub(in crate::formats) const COST_AND_SPEED: Format = Format {
    name: "cost-and-speed",
    about: "the ratio of speeds against that of the server's CPU time, as a chart",
    file: "cost-and-speed.svg",
    kept: true,
    read: None,
    write: Some(Writer::Document {
        lacks: |document| lacks(document, "cost-and-speed"),
        write: |document, to| write(document, "cost-and-speed", to),
    }),
};

pub(in crate::formats) const SERVER_STAGES: Format = Format {
    name: "server-stages",
    about: "time by server stage of the first operation that has it, as a chart",
    file: "server-stages.svg",
    kept: true,
    read: None,
    write: Some(Writer::Document {
        lacks: |document| lacks(document, "server-stages"),
        write: |document, to| write(document, "server-stages", to),
    }),
};

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
