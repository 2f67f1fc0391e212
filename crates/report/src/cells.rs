//! Writes rows of CSV and TSV files. Unknown values are empty cells.

use std::borrow::Cow;

use crate::escape::for_terminal;

/// The separator between two cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Between {
    /// A comma: CSV according to RFC 4180.
    Comma,
    /// A tab: TSV.
    Tab,
}

/// A cell.
#[derive(Debug, Clone)]
pub(crate) enum Cell<'a> {
    /// A name from a plan or a server.
    Name(Cow<'a, str>),
    /// A number; an empty cell if unknown.
    Number(Option<f64>),
    /// A count; an empty cell if unknown.
    Count(Option<u64>),
}

impl<'a> From<&'a str> for Cell<'a> {
    fn from(name: &'a str) -> Self {
        Self::Name(name.into())
    }
}

impl From<Option<f64>> for Cell<'_> {
    fn from(number: Option<f64>) -> Self {
        Self::Number(number)
    }
}

impl From<f64> for Cell<'_> {
    fn from(number: f64) -> Self {
        Self::Number(Some(number))
    }
}

impl From<Option<u64>> for Cell<'_> {
    fn from(count: Option<u64>) -> Self {
        Self::Count(count)
    }
}

impl From<u64> for Cell<'_> {
    fn from(count: u64) -> Self {
        Self::Count(Some(count))
    }
}

impl Between {
    /// Formats a row, including the line ending.
    pub(crate) fn row<'a>(self, cells: impl IntoIterator<Item = Cell<'a>>) -> String {
        let cells: Vec<String> = cells.into_iter().map(|cell| self.cell(cell)).collect();
        match self {
            Self::Comma => cells.join(",") + "\n",
            Self::Tab => cells.join("\t") + "\n",
        }
    }

    /// Formats the header row.
    pub(crate) fn head(self, columns: &'static [&'static str]) -> String {
        self.row(columns.iter().map(|name| Cell::from(*name)))
    }

    fn cell(self, cell: Cell<'_>) -> String {
        match cell {
            Cell::Name(name) => self.name(&name),
            // JSON parsers and programming languages read the output of `Display`.
            Cell::Number(number) => number
                .filter(|number| number.is_finite())
                .map_or_else(String::new, |number| number.to_string()),
            Cell::Count(count) => count.map_or_else(String::new, |count| count.to_string()),
        }
    }

    /// A name as one cell, written so that no spreadsheet interprets the name as a formula.
    pub(crate) fn name(self, name: &str) -> String {
        let safe = for_terminal(name);
        let safe = if name.starts_with(starts_formula) {
            format!("'{safe}")
        } else {
            safe
        };
        match self {
            Self::Comma if safe.contains([',', '"']) => {
                format!("\"{}\"", safe.replace('"', "\"\""))
            }
            Self::Comma | Self::Tab => safe,
        }
    }
}

/// Whether a spreadsheet may interpret a cell that starts with this character as a formula. Some
/// spreadsheets also accept the full-width forms.
fn starts_formula(c: char) -> bool {
    matches!(c, '=' | '+' | '-' | '@' | '＝' | '＋' | '－' | '＠') || c.is_control()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_no_formulas_and_leave_their_cell_never() {
        for (name, csv, tsv) in [
            ("nginx", "nginx", "nginx"),
            ("=1+2", "'=1+2", "'=1+2"),
            ("@SUM(A1)", "'@SUM(A1)", "'@SUM(A1)"),
            ("-x,\"y\"", "\"'-x,\"\"y\"\"\"", "'-x,\"y\""),
            ("＋x", "'＋x", "'＋x"),
            ("\t=x", "'\\u{9}=x", "'\\u{9}=x"),
            ("a\nb\tc", "a\\u{a}b\\u{9}c", "a\\u{a}b\\u{9}c"),
            ("a=b", "a=b", "a=b"),
        ] {
            assert_eq!(Between::Comma.row([name.into()]), format!("{csv}\n"));
            assert_eq!(Between::Tab.row([name.into()]), format!("{tsv}\n"));
        }
    }

    #[test]
    fn what_is_not_known_is_empty() {
        let row = [
            Cell::from(None::<f64>),
            Cell::from(f64::INFINITY),
            Cell::from(None::<u64>),
            Cell::from(0.0),
            Cell::from(0),
        ];
        assert_eq!(Between::Comma.row(row), ",,,0,0\n");
    }
}
