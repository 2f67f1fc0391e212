//! The rows of a table whose quoted fields can contain line breaks, read one by one.

use std::borrow::Cow;
use std::io::BufRead;

use tenbin_plan::sentence;

use super::lines::{Lines, fields};
use super::reader::Fault;

/// The rows of a file.
pub(super) struct Rows<'a> {
    lines: Lines<'a>,
    separator: char,
    row: String,
    /// Longest row, bytes.
    longest: usize,
}

/// The fields of one row, and the number of its first line, from 1.
pub(super) type Row<'a> = (u64, Vec<Cow<'a, str>>);

impl<'a> Rows<'a> {
    /// The rows of a file of which no row is longer than `longest` bytes.
    pub(super) fn new(text: &'a mut dyn BufRead, separator: char, longest: u32) -> Self {
        Self {
            lines: Lines::new(text, u64::from(longest)),
            separator,
            row: String::new(),
            longest: longest as usize,
        }
    }

    /// The next row. Empty lines are no rows. A last line without an end is refused, because its
    /// last number can be cut off.
    pub(super) fn next(&mut self) -> Result<Option<Row<'_>>, Fault> {
        self.row.clear();
        let mut first = None;
        while let Some((number, line)) = self.lines.next_whole()? {
            if first.is_none() && line.is_empty() {
                continue;
            }
            let first = *first.get_or_insert(number);
            self.row.push_str(&line);
            if is_closed(&self.row) {
                return Ok(Some((first, fields(&self.row, self.separator))));
            }
            self.row.push('\n');
            if self.row.len() > self.longest {
                return Err(Fault::in_line(
                    first,
                    "has a quote that is not closed; the file may be damaged",
                ));
            }
        }
        match first {
            None => Ok(None),
            Some(first) => Err(Fault::in_line(
                first,
                "has a quote that is not closed; the file may be cut off",
            )),
        }
    }
}

/// Whether every quote is closed: a quote within a quoted field is doubled.
fn is_closed(row: &str) -> bool {
    row.bytes().filter(|byte| *byte == b'"').count() % 2 == 0
}

/// The columns of a table, by the names in its first row.
pub(super) struct Columns {
    names: Vec<String>,
    tool: &'static str,
}

impl Columns {
    /// The columns of a table that `tool` writes.
    pub(super) fn of(names: &[Cow<'_, str>], tool: &'static str) -> Self {
        Self {
            names: names.iter().map(|name| name.to_string()).collect(),
            tool,
        }
    }

    /// The index of a column.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }

    /// The index of a required column. The names are in the first line.
    pub(super) fn need(&self, name: &str) -> Result<usize, Fault> {
        self.find(name).ok_or_else(|| {
            Fault::in_line(
                1,
                sentence!(
                    "no-column-of-tool",
                    "has no column {name:?}, which {tool} writes",
                    name,
                    tool = self.tool
                ),
            )
        })
    }

    /// Checks that a row has all columns.
    pub(super) fn check(&self, line: u64, row: &[Cow<'_, str>]) -> Result<(), Fault> {
        if row.len() == self.names.len() {
            return Ok(());
        }
        Err(Fault::in_line(
            line,
            sentence!(
                "other-fields",
                "has {fields} fields, not {columns} as the first line; it may be damaged",
                fields = row.len(),
                columns = self.names.len()
            ),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Result<Vec<(u64, Vec<String>)>, Fault> {
        let mut text = text.as_bytes();
        let mut rows = Rows::new(&mut text, ',', 64);
        let mut all = Vec::new();
        while let Some((number, row)) = rows.next()? {
            all.push((number, row.into_iter().map(Cow::into_owned).collect()));
        }
        Ok(all)
    }

    #[test]
    fn a_quoted_field_can_contain_line_breaks() {
        let rows = all("a,\"b\nsaid \"\"c\"\"\",d\n\ne,f\n").expect("rows");
        let expected: [(u64, &[&str]); 2] = [(1, &["a", "b\nsaid \"c\"", "d"]), (4, &["e", "f"])];
        assert_eq!(rows.len(), 2);
        for ((number, row), (line, fields)) in rows.iter().zip(expected) {
            assert_eq!(
                (*number, row.as_slice()),
                (line, fields.map_strings().as_slice())
            );
        }
    }

    trait Strings {
        fn map_strings(&self) -> Vec<String>;
    }

    impl Strings for &[&str] {
        fn map_strings(&self) -> Vec<String> {
            self.iter().map(|&text| text.to_owned()).collect()
        }
    }

    #[test]
    fn an_open_quote_is_refused_at_its_line() {
        for text in ["a,b\nc,\"d\n", &format!("a,b\nc,\"{}", "x\n".repeat(99))] {
            assert_eq!(all(text).expect_err("a fault").line, Some(2), "{text}");
        }
    }

    #[test]
    fn a_last_line_without_end_is_refused() {
        assert_eq!(all("a,b\nc,1").expect_err("a fault").line, Some(2));
    }
}
