//! Results of other tools, computed anew.
//!
//! An [`Importer`] reads one format, a line or a window at a time: memory does not
//! grow with the number of requests. [`IMPORTERS`] is the table of them.

pub mod drnbench;
mod figures;
pub(crate) mod gobench;
mod instant;
mod lines;
pub(crate) mod loops;
mod merge;
mod run;
mod warp_csv;
mod warp_json;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::time::Duration;

pub use figures::{Imported, Operation, Quantile, Second, Times, Windows};

/// A format that can be read.
pub trait Importer: Sync {
    /// Name of the format.
    fn name(&self) -> &'static str;

    /// What it is, in one line.
    fn summary(&self) -> &'static str;

    /// Whether a file that begins like this is of this format.
    fn recognises(&self, beginning: &[u8]) -> bool;

    /// Reads a whole file, unpacked already.
    ///
    /// # Errors
    ///
    /// What is wrong with it, and in which line.
    fn read(&self, text: &mut dyn BufRead, selection: &Selection) -> Result<Imported, Fault>;
}

/// Every format that can be read.
pub const IMPORTERS: &[&dyn Importer] = &[&warp_csv::WarpCsv, &warp_json::WarpJson];

/// What of a file is looked at.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Selection {
    /// Only this operation, in capitals.
    pub operation: Option<String>,
    /// Only requests to this host.
    pub host: Option<String>,
    /// Leave out what began in the first of it.
    pub skip: Duration,
    /// Leave out so many requests first.
    pub offset: u64,
    /// Look at no more requests than this.
    pub limit: Option<u64>,
}

impl Selection {
    /// Whether it needs the requests themselves.
    fn needs_requests(&self) -> bool {
        self.host.is_some() || !self.skip.is_zero() || self.offset > 0 || self.limit.is_some()
    }

    fn wants(&self, operation: &str) -> bool {
        self.operation
            .as_deref()
            .is_none_or(|wanted| wanted.eq_ignore_ascii_case(operation))
    }
}

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub struct Fault {
    /// The line, from 1, if it is one line.
    pub line: Option<u64>,
    /// What is wrong and what to do.
    pub what: String,
}

impl Fault {
    fn in_line(line: u64, what: impl Into<String>) -> Self {
        Self {
            line: Some(line),
            what: what.into(),
        }
    }

    fn of_the_file(what: impl Into<String>) -> Self {
        Self {
            line: None,
            what: what.into(),
        }
    }

    fn reading(line: u64, error: &io::Error) -> Self {
        Self::in_line(
            line,
            format!("the file cannot be read any further: {error}; it may be cut off"),
        )
    }
}

/// A file that cannot be imported: its name, the line and what is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ImportError(String);

impl ImportError {
    fn new(file: &str, fault: &Fault) -> Self {
        match fault.line {
            Some(line) => Self(format!("{file}:{line}: {fault}")),
            None => Self(format!("{file}: {fault}")),
        }
    }
}

/// Reads a file, packed by zstd or not; `-` is standard input.
///
/// # Errors
///
/// When it cannot be opened or read, is of no known format, or is garbled.
pub fn import(file: &str, selection: &Selection) -> Result<Imported, ImportError> {
    let failed = |fault: Fault| ImportError::new(file, &fault);
    let input: Box<dyn Read> =
        if file == "-" {
            Box::new(io::stdin())
        } else {
            let opened = File::open(Path::new(file));
            Box::new(opened.map_err(|error| {
                failed(Fault::of_the_file(format!("cannot be opened: {error}")))
            })?)
        };
    import_from(input, selection)
        .map(|imported| Imported {
            files: vec![file.to_owned()],
            ..imported
        })
        .map_err(failed)
}

/// What zstd's files begin with.
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

fn import_from(input: Box<dyn Read>, selection: &Selection) -> Result<Imported, Fault> {
    let mut input = BufReader::new(input);
    let packed = beginning(&mut input)?.starts_with(&ZSTD_MAGIC);
    let mut text: Box<dyn BufRead> = if packed {
        let unpacked = zstd::Decoder::with_buffer(input)
            .map_err(|error| Fault::of_the_file(format!("cannot be unpacked: {error}")))?;
        Box::new(BufReader::with_capacity(1 << 16, unpacked))
    } else {
        Box::new(input)
    };
    let importer = {
        let beginning = beginning(&mut text)?;
        IMPORTERS
            .iter()
            .find(|importer| importer.recognises(beginning))
    };
    match importer {
        Some(importer) => importer.read(&mut *text, selection),
        None => {
            let known: Vec<&str> = IMPORTERS.iter().map(|known| known.summary()).collect();
            Err(Fault::of_the_file(format!(
                "is none of the results that can be read, which are: {}",
                known.join("; ")
            )))
        }
    }
}

fn beginning<R: BufRead + ?Sized>(input: &mut R) -> Result<&[u8], Fault> {
    input
        .fill_buf()
        .map_err(|error| Fault::of_the_file(format!("cannot be read: {error}; it may be cut off")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_no_format_recognises_anothers_beginning() {
        let beginnings: [&[u8]; 2] = [b"idx\tthread\top\t", b"{\n  \"v\": 2,"];
        assert_eq!(IMPORTERS.len(), beginnings.len());
        for (at, importer) in IMPORTERS.iter().enumerate() {
            for (other, beginning) in beginnings.iter().enumerate() {
                assert_eq!(
                    importer.recognises(beginning),
                    at == other,
                    "{}",
                    importer.name()
                );
            }
        }
    }
}
