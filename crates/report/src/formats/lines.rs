//! The lines of a file that is read one by one, each bounded, and their separated fields. A reader
//! of whole records would take a file with one stray quote into memory as a single field.

use std::borrow::Cow;
use std::io::{BufRead, Read as _};

use tenbin_plan::sentence;

use crate::formats::reader::Fault;

/// The lines of a file.
pub(super) struct Lines<'a> {
    text: &'a mut dyn BufRead,
    line: Vec<u8>,
    number: u64,
    /// Longest line, bytes.
    longest: u64,
    /// Whether the last line read has no end.
    is_cut: bool,
}

impl<'a> Lines<'a> {
    /// The lines of a file of which no line is longer than this number of bytes.
    pub(super) fn new(text: &'a mut dyn BufRead, longest: u64) -> Self {
        Self {
            text,
            line: Vec::new(),
            number: 0,
            longest,
            is_cut: false,
        }
    }

    /// The next line and its number, from 1, without the line ending.
    pub(super) fn next(&mut self) -> Result<Option<(u64, Cow<'_, str>)>, Fault> {
        self.line.clear();
        self.number += 1;
        let read = (&mut self.text)
            .take(self.longest)
            .read_until(b'\n', &mut self.line)
            .map_err(|error| Fault::reading(self.number, &error))?;
        if read == 0 {
            return Ok(None);
        }
        self.is_cut = !self.line.ends_with(b"\n");
        if self.is_cut && read as u64 == self.longest {
            return Err(Fault::in_line(
                self.number,
                sentence!(
                    "result-line-too-long",
                    "is longer than {longest} bytes, which no line of it is",
                    longest = self.longest
                ),
            ));
        }
        let line = self.line.trim_ascii_end_of_line();
        Ok(Some((self.number, String::from_utf8_lossy(line))))
    }

    /// The next line, like [`Self::next`]. A last line without an end is refused, because its last
    /// number can be cut off.
    pub(super) fn next_whole(&mut self) -> Result<Option<(u64, Cow<'_, str>)>, Fault> {
        if self.next()?.is_none() {
            return Ok(None);
        }
        if self.is_cut {
            return Err(Fault::in_line(
                self.number,
                "the last line has no end; the file may be cut off",
            ));
        }
        let line = self.line.trim_ascii_end_of_line();
        Ok(Some((self.number, String::from_utf8_lossy(line))))
    }

    /// The number of the last line, if it had no end.
    pub(super) fn cut(&self) -> Option<u64> {
        // One further line was asked for.
        self.is_cut.then(|| self.number - 1)
    }
}

trait EndOfLine {
    fn trim_ascii_end_of_line(&self) -> &[u8];
}

impl EndOfLine for Vec<u8> {
    fn trim_ascii_end_of_line(&self) -> &[u8] {
        let line = self.strip_suffix(b"\n").unwrap_or(self);
        line.strip_suffix(b"\r").unwrap_or(line)
    }
}

/// Splits a line into fields. A quoted field can contain separators and doubled quotes.
pub(super) fn fields(line: &str, separator: char) -> Vec<Cow<'_, str>> {
    let mut fields = Vec::with_capacity(16);
    let mut rest = line;
    loop {
        let quoted = |text| quoted(text, separator);
        let (field, after) = match rest.strip_prefix('"').and_then(quoted) {
            Some((field, after)) => (Cow::Owned(field), after),
            None => match rest.split_once(separator) {
                Some((field, after)) => (Cow::Borrowed(field), Some(after)),
                None => (Cow::Borrowed(rest), None),
            },
        };
        fields.push(field);
        match after {
            Some(after) => rest = after,
            None => return fields,
        }
    }
}

/// Splits text at the closing quote: the content before the quote, and the text after the separator
/// that follows. `None` without a closing quote.
fn quoted(text: &str, separator: char) -> Option<(String, Option<&str>)> {
    let mut field = String::new();
    let mut rest = text;
    loop {
        let (part, after) = rest.split_once('"')?;
        field.push_str(part);
        if let Some(after) = after.strip_prefix('"') {
            field.push('"');
            rest = after;
        } else if after.is_empty() {
            return Some((field, None));
        } else {
            let after = after.strip_prefix(separator);
            return after.map(|after| (field, Some(after)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_split_at_tabs_outside_quotes() {
        for (line, expected) in [
            ("a\tb\t", vec!["a", "b", ""]),
            ("\"a\tb\"\tc", vec!["a\tb", "c"]),
            ("\"say \"\"no\"\"\"\tc", vec!["say \"no\"", "c"]),
            ("\"open\tc", vec!["\"open", "c"]),
            ("", vec![""]),
        ] {
            assert_eq!(fields(line, '\t'), expected, "{line}");
            let (line, expected) = (
                line.replace('\t', ";"),
                expected.iter().map(|field| field.replace('\t', ";")),
            );
            assert_eq!(fields(&line, ';'), expected.collect::<Vec<_>>(), "{line}");
        }
    }

    #[test]
    fn an_endless_line_is_refused() {
        let mut endless = std::io::BufReader::new(std::io::repeat(b'x'));
        let fault = Lines::new(&mut endless, 1 << 16)
            .next()
            .expect_err("a fault");
        assert_eq!(fault.line, Some(1));
    }
}
