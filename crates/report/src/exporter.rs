//! The files a report consists of.

use std::io::{self, Write};

use serde::Serialize as _;
use serde_json::Serializer;
use tenbin_result::Document;

use crate::escape::Harmless;
use crate::page::markdown;
use crate::{benchmark, ramp};

/// A file that can be made from a result.
pub trait Exporter: Sync {
    /// Name of the format, as in options.
    fn name(&self) -> &'static str;

    /// Name of its file in the run directory.
    fn file_name(&self) -> &'static str;

    /// What it is good for, in one line.
    fn summary(&self) -> &'static str;

    /// Whether there is anything in this result that it is for.
    fn is_wanted(&self, _document: &Document) -> bool {
        true
    }

    /// The whole file.
    fn export(&self, document: &Document) -> Vec<u8>;

    /// Writes the whole file, which may be too long to be held.
    ///
    /// # Errors
    /// Those of `to`.
    fn write(&self, document: &Document, to: &mut dyn Write) -> io::Result<()> {
        to.write_all(&self.export(document))
    }
}

/// Every exporter. Help, documentation and tests are made from this table.
pub const EXPORTERS: &[&dyn Exporter] = &[
    &Json,
    &Markdown,
    &Benchmark,
    &RampTable,
    &RampThroughput,
    &RampLatency,
];

/// The exporter of that name.
pub fn exporter(name: &str) -> Option<&'static dyn Exporter> {
    EXPORTERS
        .iter()
        .copied()
        .find(|exporter| exporter.name() == name)
}

struct Json;

impl Exporter for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn file_name(&self) -> &'static str {
        "result.json"
    }

    fn summary(&self) -> &'static str {
        "everything, for machines; docs/result.schema.json describes it"
    }

    fn export(&self, document: &Document) -> Vec<u8> {
        let mut text = Vec::new();
        self.write(document, &mut text)
            .expect("plain data becomes JSON");
        text
    }

    fn write(&self, document: &Document, to: &mut dyn Write) -> io::Result<()> {
        let mut serializer = Serializer::with_formatter(&mut *to, Harmless::default());
        document.serialize(&mut serializer)?;
        to.write_all(b"\n")
    }
}

struct Markdown;

impl Exporter for Markdown {
    fn name(&self) -> &'static str {
        "markdown"
    }

    fn file_name(&self) -> &'static str {
        "SUMMARY.md"
    }

    fn summary(&self) -> &'static str {
        "the report, to be read or published"
    }

    fn export(&self, document: &Document) -> Vec<u8> {
        markdown::summary(document).into_bytes()
    }
}

struct Benchmark;

impl Exporter for Benchmark {
    fn name(&self) -> &'static str {
        "benchmark"
    }

    fn file_name(&self) -> &'static str {
        "benchmark.txt"
    }

    fn summary(&self) -> &'static str {
        "a line a slice in Go's benchmark format, for benchstat"
    }

    fn export(&self, document: &Document) -> Vec<u8> {
        benchmark::text(document).into_bytes()
    }
}

struct RampTable;

impl Exporter for RampTable {
    fn name(&self) -> &'static str {
        "ramp"
    }

    fn file_name(&self) -> &'static str {
        "ramp.csv"
    }

    fn summary(&self) -> &'static str {
        "of a ramp: a row for each number of clients on each target, with percentiles and Little's \
         law"
    }

    fn is_wanted(&self, document: &Document) -> bool {
        !document.capacities.is_empty()
    }

    fn export(&self, document: &Document) -> Vec<u8> {
        ramp::csv(document).into_bytes()
    }
}

struct RampThroughput;

impl Exporter for RampThroughput {
    fn name(&self) -> &'static str {
        "ramp-throughput"
    }

    fn file_name(&self) -> &'static str {
        "ramp-throughput.svg"
    }

    fn summary(&self) -> &'static str {
        "of a ramp: throughput against clients, all targets in one chart"
    }

    fn is_wanted(&self, document: &Document) -> bool {
        !document.capacities.is_empty()
    }

    fn export(&self, document: &Document) -> Vec<u8> {
        ramp::throughput(document).into_bytes()
    }
}

struct RampLatency;

impl Exporter for RampLatency {
    fn name(&self) -> &'static str {
        "ramp-latency"
    }

    fn file_name(&self) -> &'static str {
        "ramp-latency.svg"
    }

    fn summary(&self) -> &'static str {
        "of a ramp: mean and 99th percentile of service time against clients, all targets in one \
         chart"
    }

    fn is_wanted(&self, document: &Document) -> bool {
        !document.capacities.is_empty()
    }

    fn export(&self, document: &Document) -> Vec<u8> {
        ramp::latency(document).into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_and_files_are_unique() {
        let names: BTreeSet<_> = EXPORTERS.iter().map(|e| e.name()).collect();
        let files: BTreeSet<_> = EXPORTERS.iter().map(|e| e.file_name()).collect();
        assert_eq!(names.len(), EXPORTERS.len());
        assert_eq!(files.len(), EXPORTERS.len());
        assert!(EXPORTERS.iter().all(|e| exporter(e.name()).is_some()));
    }
}
