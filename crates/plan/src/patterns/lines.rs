//! Reads a file line by line, so that a wrong file is refused before it is read completely.

use std::io::{BufRead, Read as _};

use super::fault::Fault;
use crate::sentence;

/// Maximum length of a line, bytes: a longer line is no request.
const LONGEST: u64 = 1 << 20;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The lines of a file.
pub(super) struct Lines<'r, R: ?Sized> {
    reader: &'r mut R,
    line: Vec<u8>,
    /// Lines read so far.
    count: usize,
    /// Whether `next` returns the last line again.
    is_back: bool,
}

impl<'r, R: BufRead + ?Sized> Lines<'r, R> {
    pub(super) fn of(reader: &'r mut R) -> Self {
        Self {
            reader,
            line: Vec::new(),
            count: 0,
            is_back: false,
        }
    }

    /// The number of the next line, from 0, and the line with its newline, if any; `None` at the
    /// end.
    ///
    /// # Errors
    /// A line that is too long or cannot be read.
    pub(super) fn next(&mut self) -> Result<Option<(usize, &[u8])>, Fault> {
        if !std::mem::take(&mut self.is_back) {
            self.read()?;
        }
        if self.line.is_empty() {
            return Ok(None);
        }
        let index = self.count - 1;
        if self.line.len() as u64 > LONGEST {
            return Err(Fault::in_line(
                index,
                sentence!(
                    "line-too-long",
                    "is longer than {longest} MiB",
                    longest = LONGEST >> 20
                ),
            ));
        }
        Ok(Some((index, &self.line)))
    }

    /// The start of the first line that is not empty, which `next` returns again; empty if there is
    /// no such line.
    ///
    /// # Errors
    /// A line that cannot be read.
    pub(super) fn first(&mut self) -> Result<&[u8], Fault> {
        loop {
            self.read()?;
            if self.line.is_empty() || !self.line.trim_ascii().is_empty() {
                self.is_back = true;
                return Ok(self.line.trim_ascii());
            }
        }
    }

    /// The rest of the file.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub(super) fn rest(&mut self) -> Result<Vec<u8>, Fault> {
        let mut rest = Vec::new();
        if std::mem::take(&mut self.is_back) {
            // Empty lines before the rest, so that positions in messages are correct.
            rest.resize(self.count - 1, b'\n');
            rest.append(&mut self.line);
        }
        let read = self.reader.read_to_end(&mut rest);
        read.map_err(|error| unreadable(&error))?;
        Ok(match rest.strip_prefix(BYTE_ORDER_MARK) {
            Some(_) => rest.split_off(BYTE_ORDER_MARK.len()),
            None => rest,
        })
    }

    fn read(&mut self) -> Result<(), Fault> {
        self.line.clear();
        let mut bounded = (&mut self.reader).take(LONGEST + 1);
        let read = bounded.read_until(b'\n', &mut self.line);
        read.map_err(|error| unreadable(&error))?;
        self.count += 1;
        if self.count == 1 && self.line.starts_with(BYTE_ORDER_MARK) {
            self.line.drain(..BYTE_ORDER_MARK.len());
        }
        Ok(())
    }
}

fn unreadable(error: &std::io::Error) -> Fault {
    Fault::of_file(sentence!(
        "unreadable",
        "cannot be read: {why}",
        why = error
    ))
}
