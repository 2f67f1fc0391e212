//! The formats of a concurrency sweep: a table and charts.

use std::io;

use tenbin_result::Document;

use crate::chart::{self, Chart};
use crate::concurrency_sweep;
use crate::formats::format::Format;
use crate::formats::plan_requirements::NO_SWEEP;
use crate::formats::write::Writer;

pub(in crate::formats) const TABLE: Format = Format {
    name: "ramp",
    about: "concurrency sweep: a row for each number of clients on each target",
    file: "ramp.csv",
    kept: true,
    write: Some(Writer::Document {
        lacks,
        write: |document, to| to.write_all(concurrency_sweep::csv(document).as_bytes()),
    }),
    ..Format::PLAIN
};

pub(in crate::formats) const THROUGHPUT: Format = Format {
    name: "ramp-throughput",
    about: "concurrency sweep: chart of throughput against clients",
    file: "ramp-throughput.svg",
    kept: true,
    write: Some(Writer::Document {
        lacks,
        write: |document, to| write_chart(concurrency_sweep::throughput(document), to),
    }),
    ..Format::PLAIN
};

pub(in crate::formats) const LATENCY: Format = Format {
    name: "ramp-latency",
    about: "concurrency sweep: chart of mean and p99 service time against clients",
    file: "ramp-latency.svg",
    kept: true,
    write: Some(Writer::Document {
        lacks,
        write: |document, to| write_chart(concurrency_sweep::latency(document), to),
    }),
    ..Format::PLAIN
};

fn write_chart(chart: Option<Chart>, to: &mut dyn io::Write) -> io::Result<()> {
    match chart {
        Some(chart) => to.write_all(chart::file(&chart).as_bytes()),
        None => Ok(()),
    }
}

fn lacks(document: &Document) -> Option<&'static str> {
    let is_missing = document.concurrency_sweeps.is_empty();
    is_missing.then_some(NO_SWEEP)
}
