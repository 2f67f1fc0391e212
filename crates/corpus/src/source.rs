//! Input that counts lines and bytes and limits the length of a line, value or element ("piece").

use std::io::{self, BufRead};

use tenbin_plan::{Sentence, conceal_text, sentence};

/// Longest piece (line, value or element), in bytes, so that endless input cannot fill the memory.
pub(crate) const LONGEST: usize = 64 << 20;

/// The error of a line whose bytes are no text.
pub(crate) fn not_utf8() -> Sentence {
    sentence!("data-line-not-utf8", "the line is not UTF-8")
}

/// The error of a value that is not JSON.
pub(crate) fn not_json(error: serde_json::Error) -> Sentence {
    let error = conceal_text(&error.to_string());
    sentence!("data-no-json", "not JSON: {error}", error)
}

/// The error of a row with this number of values for these columns.
pub(crate) fn wrong_count(values: usize, columns: &[String]) -> Sentence {
    sentence!(
        "values-for-columns",
        "{values} values for {count} columns ({columns})",
        values,
        count = columns.len(),
        columns = columns.join(", ")
    )
}

/// Position in an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Line, from 1.
    pub line: u64,
    /// Number of bytes before the position.
    pub byte: u64,
}

impl Default for Place {
    fn default() -> Self {
        Self { line: 1, byte: 0 }
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {} (byte {})", self.line, self.byte)
    }
}

/// Counts the lines and bytes of an input, and limits the length of a line, value or element.
#[derive(Debug)]
pub(crate) struct Source<R> {
    input: R,
    place: Place,
    /// Bytes read since [`Source::begin_piece`].
    piece: usize,
    ended: bool,
}

impl<R: BufRead> Source<R> {
    pub(crate) fn new(input: R) -> Self {
        Self {
            input,
            place: Place::default(),
            piece: 0,
            ended: false,
        }
    }

    /// Position of the next byte.
    pub(crate) fn place(&self) -> Place {
        self.place
    }

    /// Whether the end of the input was reached.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended
    }

    /// Starts a new piece (line, value or element) of at most [`LONGEST`] bytes.
    pub(crate) fn begin_piece(&mut self) {
        self.piece = 0;
    }

    /// The next byte, without consuming it.
    pub(crate) fn peek(&mut self) -> io::Result<Option<u8>> {
        Ok(self.fill_buf()?.first().copied())
    }

    /// Reads a line without its line end into `line`; returns false at the end of the input.
    pub(crate) fn read_line(&mut self, line: &mut Vec<u8>) -> io::Result<bool> {
        self.begin_piece();
        line.clear();
        let mut any = false;
        loop {
            let chunk = self.fill_buf()?;
            if chunk.is_empty() {
                return Ok(any);
            }
            any = true;
            let end = memchr::memchr(b'\n', chunk);
            line.extend_from_slice(&chunk[..end.unwrap_or(chunk.len())]);
            let used = end.map_or(chunk.len(), |end| end + 1);
            self.consume(used);
            if end.is_some() {
                if line.last() == Some(&b'\r') {
                    line.pop();
                }
                return Ok(true);
            }
        }
    }
}

impl<R: BufRead> io::Read for Source<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let chunk = self.fill_buf()?;
        let length = chunk.len().min(buffer.len());
        buffer[..length].copy_from_slice(&chunk[..length]);
        self.consume(length);
        Ok(length)
    }
}

impl<R: BufRead> BufRead for Source<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.piece > LONGEST {
            return Err(io::Error::new(
                io::ErrorKind::FileTooLarge,
                sentence!(
                    "piece-too-long",
                    "one piece is longer than {most} MiB",
                    most = LONGEST >> 20
                ),
            ));
        }
        loop {
            match self.input.fill_buf() {
                Ok(_) => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        // The borrow checker requires a second call, which returns the same buffer at no cost.
        let chunk = self.input.fill_buf()?;
        self.ended = chunk.is_empty();
        Ok(chunk)
    }

    fn consume(&mut self, amount: usize) {
        if let Ok(chunk) = self.input.fill_buf() {
            let lines = memchr::memchr_iter(b'\n', &chunk[..amount]).count();
            self.place.line += lines as u64;
        }
        self.place.byte += amount as u64;
        self.piece += amount;
        self.input.consume(amount);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_bytes_are_counted() {
        let mut source = Source::new(&b"one\r\ntwo\n\nlast"[..]);
        let mut line = Vec::new();
        let mut seen = Vec::new();
        while source.read_line(&mut line).unwrap() {
            seen.push((
                String::from_utf8(line.clone()).unwrap(),
                source.place().line,
            ));
        }
        let seen: Vec<_> = seen.iter().map(|(l, n)| (l.as_str(), *n)).collect();
        assert_eq!(seen, [("one", 2), ("two", 3), ("", 4), ("last", 4)]);
        assert_eq!(source.place().byte, 14);
    }

    #[test]
    fn endless_lines_are_refused() {
        let mut source = Source::new(io::BufReader::new(io::repeat(b'x')));
        let error = source.read_line(&mut Vec::new()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
    }
}
