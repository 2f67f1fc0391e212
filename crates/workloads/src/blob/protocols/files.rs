//! Blobs in files: requests to the engine's file driver.

use std::io;
use std::path::Path;

use tenbin_engine::Exchange;

use crate::blob::protocols::{BlobProtocol, Gone, Part, Stored};
use crate::blob::stored::batch::Entry;
use crate::text::{fill_decimal, push_decimal};

/// Number of digits in a file name, equal for all files.
const DIGITS: usize = 12;

/// Requests to the file driver: a method and a path below the target's directory; to read a part,
/// also offset and length.
pub(crate) struct Files {
    /// Directory below the target's directory, with a trailing slash.
    directory: String,
}

impl Files {
    pub(crate) fn new(directory: &str) -> Self {
        Self {
            directory: format!("{directory}/"),
        }
    }

    fn write(&self, exchange: &mut Exchange, method: &str, number: u64) {
        let out = &mut exchange.head;
        out.clear();
        out.extend_from_slice(method.as_bytes());
        out.push(b' ');
        out.extend_from_slice(self.directory.as_bytes());
        let at = out.len();
        out.resize(at + DIGITS, b'0');
        fill_decimal(&mut out[at..], number);
    }
}

/// Numbers and sizes (bytes) of the blobs in a directory, sorted by number; empty if the directory
/// does not exist.
pub(crate) fn left(directory: &Path) -> io::Result<Vec<(u64, u64)>> {
    let entries = match std::fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut left = Vec::new();
    for file in entries {
        let file = file?;
        let name = file.file_name();
        let digits = name.to_str().filter(|name| name.len() == DIGITS);
        if let Some(number) = digits.and_then(|digits| digits.parse().ok()) {
            left.push((number, file.metadata()?.len()));
        }
    }
    left.sort_unstable();
    Ok(left)
}

impl BlobProtocol for Files {
    fn put(&mut self, exchange: &mut Exchange, _second: u64, number: u64, _content: &[u8]) {
        self.write(exchange, "PUT", number);
    }

    fn get(
        &mut self,
        exchange: &mut Exchange,
        _second: u64,
        entry: Entry<'_>,
        part: Part,
        _body: &mut Vec<u8>,
    ) {
        self.write(exchange, "GET", entry.number);
        if part.offset > 0 || part.length < entry.size {
            exchange.head.push(b' ');
            push_decimal(&mut exchange.head, part.offset);
            exchange.head.push(b' ');
            push_decimal(&mut exchange.head, part.length);
        }
    }

    fn delete(
        &mut self,
        exchange: &mut Exchange,
        _second: u64,
        entries: &[Entry<'_>],
        _body: &mut Vec<u8>,
    ) {
        self.write(exchange, "DELETE", entries[0].number);
    }

    fn stored<'a>(&self, status: u16, response: &'a [u8]) -> Result<Stored<'a>, String> {
        match status {
            200 => Ok(Stored {
                location: b"",
                sums: b"",
            }),
            _ => Err(self.refused(status, response)),
        }
    }

    fn deleted(&self, status: u16, response: &[u8], _: &[Entry<'_>]) -> Result<Gone, String> {
        match status {
            200 => Ok(Gone::All),
            _ => Err(self.refused(status, response)),
        }
    }

    /// The error message of the operating system.
    fn refused(&self, _status: u16, response: &[u8]) -> String {
        String::from_utf8_lossy(response).into_owned()
    }

    fn states_range(&self) -> bool {
        false
    }

    fn is_named_by_number(&self) -> bool {
        true
    }

    fn numbers(&self) -> u64 {
        10_u64.pow(DIGITS as u32)
    }
}
