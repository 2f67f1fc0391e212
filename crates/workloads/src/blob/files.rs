//! Blobs in files: what the engine's wire for files takes.

use std::io;
use std::path::Path;

use tenbin_engine::Exchange;

use super::batch::Entry;
use super::dialect::{Dialect, Gone, Part, Stored};
use crate::text::{fill_decimal, push_decimal};

/// Digits of a number in a file name: all names are equally long.
const DIGITS: usize = 12;

/// Speaks to the wire for files: a method, a path below the target's directory, and for
/// a part where it begins and how long it is.
pub(crate) struct Files {
    /// Directory below the target's, with a slash behind it.
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

/// Numbers of the blobs in a directory, each with its size, in their order. None where
/// the directory is not there.
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

impl Dialect for Files {
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

    fn stored<'a>(&self, status: u16, answer: &'a [u8]) -> Result<Stored<'a>, String> {
        match status {
            200 => Ok(Stored {
                location: b"",
                sums: b"",
            }),
            _ => Err(self.refused(status, answer)),
        }
    }

    fn deleted(&self, status: u16, answer: &[u8], _: &[Entry<'_>]) -> Result<Gone, String> {
        match status {
            200 => Ok(Gone::All),
            _ => Err(self.refused(status, answer)),
        }
    }

    /// The system's own words.
    fn refused(&self, _status: u16, answer: &[u8]) -> String {
        String::from_utf8_lossy(answer).into_owned()
    }

    fn tells_parts(&self) -> bool {
        false
    }

    fn names_by_number(&self) -> bool {
        true
    }

    fn numbers(&self) -> u64 {
        10_u64.pow(DIGITS as u32)
    }
}
