//! Reads the CSV file: a row for each phase, with columns that differ between versions.

use std::borrow::Cow;

use tenbin_verdict::lint::{Range, Reported};

use super::{Done, MICRO, MILLI, Phase, labelled, of_reads, truncated};
use crate::formats::cells::{Row, Table};
use crate::formats::reader::Fault;
use crate::formats::reported::{Lines, count};

/// The columns of settings that can tell two phases of one name apart.
const SETTINGS: [&str; 12] = [
    "path type", "paths", "hosts", "threads", "dirs", "files", "file size", "block size",
    "direct IO", "random", "IO depth", "shared paths",
];

/// Bytes in a MiB.
const MIB: u64 = 1 << 20;

pub(super) fn reported(content: &[u8]) -> Result<Reported, Fault> {
    let lines = Lines::of(content, &[])?;
    // elbencho replaces commas in texts, and its command line has quotes inside a cell.
    let table = Table::of(&lines, |line| {
        Some(line.split(',').map(Cow::Borrowed).collect())
    })?;
    let mut phases = Vec::new();
    for row in &table.rows {
        phases.extend(phases_of(&table, row)?);
    }
    super::reported(phases)
}

fn phases_of(table: &Table<'_>, row: &Row<'_>) -> Result<Vec<Phase>, Fault> {
    let cells = Cells { table, row };
    let mut phases = vec![cells.phase("")?];
    let reads = cells.phase("rwmix read ")?;
    if reads.entries.count.is_some() || reads.io.rate.is_some() {
        phases.push(Phase {
            name: of_reads(&reads.name),
            ..reads
        });
    }
    Ok(phases)
}

struct Cells<'a, 'b> {
    table: &'b Table<'a>,
    row: &'b Row<'a>,
}

impl Cells<'_, '_> {
    /// The text of a column; empty if the version of elbencho does not have it.
    fn text(&self, name: &str) -> &str {
        let column = self.table.column(name);
        column.map_or("", |column| self.row.cell(column))
    }

    fn number(&self, name: &str) -> Result<Option<u64>, Fault> {
        match self.text(name) {
            "" => Ok(None),
            text => match count(text) {
                Some(number) => Ok(Some(number)),
                None => Err(self.row.line.no(name, text)),
            },
        }
    }

    fn need(&self, name: &str) -> Result<u64, Fault> {
        self.table.need(name)?;
        self.number(name)?.ok_or_else(|| self.row.line.no(name, ""))
    }

    /// The figures of all operations, or with a prefix those of the reads of a mixed phase.
    fn phase(&self, prefix: &str) -> Result<Phase, Fault> {
        let operation = self.row.cell(self.table.need("operation")?);
        let settings = SETTINGS.iter().filter_map(|name| {
            let value = self.text(name);
            (!value.is_empty()).then(|| ((*name).to_owned(), value.to_owned()))
        });
        let entries = Done {
            count: self.number(&format!("{prefix}entries [last]"))?,
            rate: self.rate(&format!("{prefix}entries/s [last]"))?,
            times: self.times(&format!("{prefix}Ent lat us"))?,
        };
        let io = Done {
            count: None,
            rate: self.rate(&format!("{prefix}IOPS [last]"))?,
            times: self.times(&format!("{prefix}IO lat us"))?,
        };
        let mib = self.number(&format!("{prefix}MiB [last]"))?;
        Ok(Phase {
            name: labelled(operation, self.text("label")),
            settings: settings.collect(),
            threads: self.need("threads")?.saturating_mul(self.need("hosts")?),
            depth: self.number("IO depth")?.unwrap_or(1),
            seconds: truncated(self.need("time ms [last]")?, MILLI),
            bytes: exact_bytes(mib, entries.count, self.number("file size")?),
            entries,
            io,
            quote: self.row.line.quote(),
        })
    }

    fn rate(&self, name: &str) -> Result<Option<Range>, Fault> {
        let rate = self.number(name)?;
        Ok(rate.map(|rate| truncated(rate, 1.0)))
    }

    fn times(&self, name: &str) -> Result<[Option<Range>; 3], Fault> {
        let time = |which: &str| -> Result<Option<Range>, Fault> {
            let micros = self.number(&format!("{name} [{which}]"))?;
            Ok(micros.map(|micros| truncated(micros, MICRO)))
        };
        Ok([time("min")?, time("avg")?, time("max")?])
    }
}

/// The number of bytes. The file has whole MiB, which the number and size of the files must fit.
fn exact_bytes(mib: Option<u64>, entries: Option<u64>, size: Option<u64>) -> Option<u64> {
    let bytes = entries?.checked_mul(size?)?;
    (bytes / MIB == mib?).then_some(bytes)
}
