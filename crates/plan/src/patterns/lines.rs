//! The lines of a file as they are read, so that a file is refused before all of it was read.

use std::io::{BufRead, Read as _};

use super::fault::Fault;

/// Longer lines are no requests.
const LONGEST: u64 = 1 << 20;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The lines of a file.
pub(super) struct Lines<'r, R: ?Sized> {
    reader: &'r mut R,
    line: Vec<u8>,
    /// Lines read so far.
    count: usize,
    /// The last line is going to be given once more.
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

    /// The next line, which may have its newline, and its number from 0; `None` at the end.
    ///
    /// # Errors
    /// When the line is too long or cannot be read.
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
                format!("is longer than {} MiB", LONGEST >> 20),
            ));
        }
        Ok(Some((index, &self.line)))
    }

    /// The begin of the first line with anything in it, which is given again; empty if there
    /// is no such line.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(super) fn first(&mut self) -> Result<&[u8], Fault> {
        loop {
            self.read()?;
            if self.line.is_empty() || !self.line.trim_ascii().is_empty() {
                self.is_back = true;
                return Ok(self.line.trim_ascii());
            }
        }
    }

    /// Everything that is left.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(super) fn rest(&mut self) -> Result<Vec<u8>, Fault> {
        let mut rest = Vec::new();
        if std::mem::take(&mut self.is_back) {
            // Empty lines before it, so that places in messages are right.
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
    Fault::of_file(format!("cannot be read: {error}"))
}
