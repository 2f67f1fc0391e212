//! Tables whose cells are separated by one character, with the names of the columns in the first
//! line.

use std::borrow::Cow;

use tenbin_plan::sentence;

use super::reader::Fault;
use super::reported::{Line, Lines};

/// Splits a line into cells. A cell in quotes can contain the separator and doubled quotes. `None`
/// if a quote has no end, or if text follows its end.
pub(super) fn cells(line: &str, separator: char) -> Option<Vec<Cow<'_, str>>> {
    let mut cells = Vec::with_capacity(16);
    let mut rest = line;
    loop {
        let (cell, after) = match rest.strip_prefix('"') {
            Some(quoted) => {
                let (cell, after) = unquoted(quoted)?;
                (Cow::Owned(cell), after)
            }
            None => {
                let end = rest.find(separator).unwrap_or(rest.len());
                (Cow::Borrowed(&rest[..end]), &rest[end..])
            }
        };
        cells.push(cell);
        if after.is_empty() {
            return Some(cells);
        }
        rest = after.strip_prefix(separator)?;
    }
}

/// The content of a quoted cell, and the text behind its closing quote.
fn unquoted(text: &str) -> Option<(String, &str)> {
    let mut cell = String::new();
    let mut rest = text;
    loop {
        let (part, after) = rest.split_once('"')?;
        cell.push_str(part);
        match after.strip_prefix('"') {
            Some(after) => {
                cell.push('"');
                rest = after;
            }
            None => return Some((cell, after)),
        }
    }
}

/// How a line is split into cells; `None` if the line is not of the table.
pub(super) type Split = fn(&str) -> Option<Vec<Cow<'_, str>>>;

/// A table: the names of its columns, and rows that all have as many cells.
pub(super) struct Table<'a> {
    names: Vec<Cow<'a, str>>,
    pub(super) rows: Vec<Row<'a>>,
}

/// A row of a table.
pub(super) struct Row<'a> {
    pub(super) line: Line<'a>,
    cells: Vec<Cow<'a, str>>,
}

impl<'a> Table<'a> {
    /// Reads the lines of a file. Empty lines are left out.
    pub(super) fn of(lines: &Lines<'a>, split: Split) -> Result<Self, Fault> {
        let mut split_lines = Vec::new();
        for line in &lines.0 {
            if line.text.trim().is_empty() {
                continue;
            }
            let text = line.text.trim_start_matches('\u{feff}');
            let cells = split(text)
                .ok_or_else(|| line.fault("is no row of the table; the file may be damaged"))?;
            split_lines.push(Row { line: *line, cells });
        }
        let mut rows = split_lines.into_iter();
        let names = rows.next().map(|row| row.cells).unwrap_or_default();
        let rows: Vec<Row<'a>> = rows.collect();
        for row in &rows {
            if row.cells.len() != names.len() {
                return Err(row.line.fault(sentence!(
                    "other-cells",
                    "has {cells} cells, not {columns} as the first line; the file may be cut off",
                    cells = row.cells.len(),
                    columns = names.len()
                )));
            }
        }
        Ok(Self { names, rows })
    }

    /// The names of the columns with their positions.
    pub(super) fn names(&self) -> impl Iterator<Item = (usize, &str)> {
        let names = self.names.iter();
        names.map(|name| &**name).enumerate()
    }

    /// The position of a column, whose name can be in capitals.
    pub(super) fn column(&self, name: &str) -> Option<usize> {
        let mut names = self.names.iter();
        names.position(|own| own.trim().eq_ignore_ascii_case(name))
    }

    /// Like [`Self::column`], with an error if the column is missing.
    pub(super) fn need(&self, name: &str) -> Result<usize, Fault> {
        self.column(name).ok_or_else(|| {
            let why = sentence!(
                "column-missing",
                "has no column {name:?}; it may be damaged",
                name
            );
            Fault::in_line(1, why)
        })
    }
}

impl Row<'_> {
    /// The text of a cell, trimmed.
    pub(super) fn cell(&self, column: usize) -> &str {
        self.cells.get(column).map_or("", |cell| cell.trim())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_split_outside_quotes() {
        for (line, expected) in [
            ("a,b,", vec!["a", "b", ""]),
            ("\"a,b\",c", vec!["a,b", "c"]),
            ("\"say \"\"no\"\"\",\"\"", vec!["say \"no\"", ""]),
            ("", vec![""]),
        ] {
            assert_eq!(cells(line, ',').unwrap(), expected, "{line}");
        }
        for damaged in ["\"open,c", "\"a\"b,c"] {
            assert_eq!(cells(damaged, ','), None, "{damaged}");
        }
    }
}
