//! Columns that line up, also under wide characters.

use unicode_width::UnicodeWidthStr;

/// A table: a head and rows of as many cells.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

const GAP: &str = "  ";

impl Table {
    pub(crate) fn new(head: Vec<String>) -> Self {
        Self { rows: vec![head] }
    }

    pub(crate) fn push(&mut self, row: Vec<String>) {
        self.rows.push(row);
    }

    /// Rows become columns.
    pub(crate) fn transposed(&self) -> Self {
        let columns = self.rows[0].len();
        let column = |i: usize| self.rows.iter().map(|row| row[i].clone()).collect();
        Self {
            rows: (0..columns).map(column).collect(),
        }
    }

    /// Columns taken by the widest row.
    pub(crate) fn width(&self) -> usize {
        let widths = self.widths();
        widths.iter().sum::<usize>() + GAP.len() * widths.len().saturating_sub(1)
    }

    /// The head and the rows, padded: the first column to the left, where names
    /// are, the others to the right.
    pub(crate) fn lines(&self) -> Vec<String> {
        let widths = self.widths();
        self.rows
            .iter()
            .map(|row| {
                let cells: Vec<String> = row
                    .iter()
                    .zip(&widths)
                    .enumerate()
                    .map(|(i, (cell, &width))| pad(cell, width, i > 0))
                    .collect();
                cells.join(GAP).trim_end().to_owned()
            })
            .collect()
    }

    fn widths(&self) -> Vec<usize> {
        let mut widths = vec![0; self.rows[0].len()];
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.width());
            }
        }
        widths
    }
}

fn pad(text: &str, width: usize, right: bool) -> String {
    let space = " ".repeat(width.saturating_sub(text.width()));
    if right {
        format!("{space}{text}")
    } else {
        format!("{text}{space}")
    }
}

/// Breaks text into lines of at most `width` columns, between words; a longer
/// word stays whole.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    wrap_between(text, " ", width)
}

/// The same, but only where `separator` stands.
pub(crate) fn wrap_between(text: &str, separator: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for part in text.split(separator) {
        if !line.is_empty() && line.width() + separator.width() + part.width() > width {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push_str(separator);
        }
        line.push_str(part);
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_take_two_columns() {
        let mut table = Table::new(vec!["target".to_owned(), "p50".to_owned()]);
        table.push(vec!["天秤".to_owned(), "1 ms".to_owned()]);
        assert_eq!(table.lines(), ["target   p50", "天秤    1 ms"]);
        assert_eq!(table.width(), 12);
        assert_eq!(table.transposed().lines(), ["target  天秤", "p50     1 ms"]);
    }

    #[test]
    fn wrapping_keeps_words() {
        assert_eq!(wrap("a bb ccc dddd", 6), ["a bb", "ccc", "dddd"]);
        assert_eq!(wrap("looooong x", 4), ["looooong", "x"]);
        assert_eq!(wrap_between("a b · c d · e", " · ", 9), ["a b · c d", "e"]);
    }
}
