//! Writes one row per slice, as CSV and TSV.

use std::io;

use tenbin_result::Document;

use crate::cells::{Between, Cell};
use crate::formats::format::Format;
use crate::formats::write::{Writer, nothing};

pub(in crate::formats) const CSV: Format = Format {
    name: "csv",
    about: "a row for each slice, separated by commas; times in seconds, sizes in bytes",
    file: "slices.csv",
    write: Some(Writer::Document {
        lacks: nothing,
        write: |document, to| write(document, to, Between::Comma),
    }),
    ..Format::PLAIN
};

pub(in crate::formats) const TSV: Format = Format {
    name: "tsv",
    about: "a row for each slice, separated by tabs",
    file: "slices.tsv",
    write: Some(Writer::Document {
        lacks: nothing,
        write: |document, to| write(document, to, Between::Tab),
    }),
    ..Format::PLAIN
};

const COLUMNS: &[&str] = &[
    "run", "trust", "slice", "block", "round", "workload", "target", "start_s", "length_s",
    "cut_short", "ok", "failed", "backlog", "offered_per_s", "throughput_per_s", "mean_s", "p50_s",
    "p99_s", "max_s", "payload_bytes", "stored_bytes", "server_cpu_s", "server_rss_bytes",
    "server_written_bytes", "client_cpu_s", "client_busiest_thread", "cache_hits", "flags",
];

fn write(document: &Document, to: &mut dyn io::Write, between: Between) -> io::Result<()> {
    to.write_all(between.head(COLUMNS).as_bytes())?;
    for slice in &document.slices {
        let flags = slice.flags.join(" ");
        let row: [Cell<'_>; 28] = [
            document.run.id.as_str().into(),
            document.trust.word().into(),
            u64::from(slice.index).into(),
            u64::from(slice.block).into(),
            u64::from(slice.round).into(),
            slice.workload.as_str().into(),
            slice.target.as_str().into(),
            slice.start.into(),
            slice.seconds.into(),
            u64::from(slice.cut_short).into(),
            slice.ok.into(),
            slice.failed.into(),
            slice.backlog.into(),
            slice.offered.into(),
            slice.throughput.into(),
            slice.mean.into(),
            slice.p50.into(),
            slice.p99.into(),
            slice.max.into(),
            slice.payload_bytes.into(),
            slice.stored_bytes.into(),
            slice.server_cpu.into(),
            slice.server_rss_bytes.into(),
            slice.server_written_bytes.into(),
            slice.client_cpu.into(),
            slice.client_busiest_thread.into(),
            slice.cache_hits.into(),
            Cell::Name(flags.into()),
        ];
        to.write_all(between.row(row).as_bytes())?;
    }
    Ok(())
}
