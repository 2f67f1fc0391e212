//! The blocks of a page, independent of their appearance.
//!
//! A [`Section`](crate::section::Section) turns a document into blocks; a [page](crate::page)
//! prints blocks. Text in blocks is not escaped: pages escape all text.

pub(crate) mod chart;

use tenbin_result::Figure;
use tenbin_result::format::{ENGLISH, UNKNOWN, Unit, Words, digits, ratio, ratio_ends, within};

use chart::Chart;

/// A part of a page.
#[derive(Debug, Clone)]
pub(crate) enum Block {
    /// A heading inside a section.
    Heading(Text),
    /// A paragraph.
    Paragraph(Text),
    /// A list.
    List(Vec<Text>),
    /// A table.
    Table(Table),
    /// A chart. Pages without drawings print the table behind the chart.
    Chart(Box<Chart>),
    /// Lines printed with their line breaks and spaces, such as data in another format.
    Verbatim(String),
}

impl Block {
    /// A paragraph of one sentence, to which a full stop is added.
    pub(crate) fn sentence(text: &str) -> Self {
        Self::Paragraph(Text::sentence(text))
    }

    /// A heading.
    pub(crate) fn heading(text: impl Into<String>) -> Self {
        Self::Heading(Text::plain(text))
    }

    /// A list of sentences; `None` if `all` is empty.
    pub(crate) fn sentences<'a>(all: impl IntoIterator<Item = &'a String>) -> Option<Self> {
        let all: Vec<Text> = all.into_iter().map(|each| Text::sentence(each)).collect();
        (!all.is_empty()).then_some(Self::List(all))
    }
}

/// Formatted text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Text(Vec<Span>);

/// A part of a text with one style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Span {
    /// The text, not escaped.
    pub(crate) text: String,
    /// Style of the text.
    pub(crate) look: Look,
}

/// Style of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    /// No emphasis.
    Plain,
    /// Emphasis.
    Strong,
    /// Code: text to type, or text found in a file.
    Code,
    /// A positive result.
    Good,
    /// A doubtful result.
    Doubtful,
    /// A negative result.
    Bad,
    /// Less important text.
    Faint,
}

impl Text {
    /// Text without emphasis.
    pub(crate) fn plain(text: impl Into<String>) -> Self {
        Self::default().and(Look::Plain, text)
    }

    /// Text without emphasis, to which a full stop is added unless the text ends with one.
    pub(crate) fn sentence(text: &str) -> Self {
        if text.ends_with(['.', ':', '!', '?', '。']) {
            Self::plain(text)
        } else if text.ends_with(is_japanese) {
            Self::plain(format!("{text}。"))
        } else {
            Self::plain(format!("{text}."))
        }
    }

    /// Text in the style of code.
    pub(crate) fn code(text: impl Into<String>) -> Self {
        Self::default().and(Look::Code, text)
    }

    /// Appends text.
    pub(crate) fn and(mut self, look: Look, text: impl Into<String>) -> Self {
        let text = text.into();
        self.0.push(Span { text, look });
        self
    }

    /// The spans of the text.
    pub(crate) fn spans(&self) -> &[Span] {
        &self.0
    }

    /// The text without its style.
    pub(crate) fn letters(&self) -> String {
        self.0.iter().map(|span| span.text.as_str()).collect()
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self::plain(text)
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self::plain(text)
    }
}

/// A table: first the key columns, which name a row, then the figures.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    /// Number of key columns.
    pub(crate) keys: usize,
    /// Column headers.
    pub(crate) head: Vec<String>,
    /// Rows, each with one cell per column.
    pub(crate) rows: Vec<Vec<Cell>>,
    /// Number of rows omitted from `rows`, if the caller requested only the first rows.
    pub(crate) left_out: usize,
    /// The words for what is missing of a figure.
    pub(crate) words: Words,
}

/// A cell of a table.
#[derive(Debug, Clone)]
pub(crate) enum Cell {
    /// Text.
    Text(Text),
    /// A figure with a unit; the page decides how to show its interval.
    Figure(Unit, Option<Figure>),
    /// A figure without a unit.
    Number(Option<Figure>),
    /// A ratio.
    Ratio(Option<Figure>),
}

impl Cell {
    /// A value without an interval; `unknown` for `None`.
    pub(crate) fn once(unit: Unit, value: Option<f64>) -> Self {
        unit.maybe(value).into()
    }

    /// An empty cell.
    pub(crate) fn empty() -> Self {
        Self::Text(Text::default())
    }

    /// Text in the style of code.
    pub(crate) fn code(text: impl Into<String>) -> Self {
        Self::Text(Text::code(text))
    }

    /// Whether the cell has a known value or text.
    pub(crate) fn says_something(&self) -> bool {
        match self {
            Self::Text(text) => !matches!(text.letters().as_str(), "" | UNKNOWN | NOT_TIMED),
            Self::Figure(_, figure) | Self::Number(figure) | Self::Ratio(figure) => {
                figure.is_some()
            }
        }
    }

    /// The text of the cell. `detail` selects how much of the interval is included.
    pub(crate) fn text(&self, detail: Detail, words: &Words) -> Text {
        match self {
            Self::Text(text) => text.clone(),
            Self::Figure(unit, figure) => Text::plain(match detail {
                Detail::Value => {
                    let value = figure.map(|figure| unit.of(figure.value));
                    value.unwrap_or_else(|| words.unknown.to_string())
                }
                Detail::Spread => match figure {
                    Some(point) if point.interval.is_none() => {
                        format!("{}{NO_SPREAD}", unit.of(point.value))
                    }
                    _ => unit.with_spread(*figure, words),
                },
                Detail::Interval => unit.with_interval(*figure, words),
            }),
            Self::Number(figure) => Text::plain(number(*figure, detail, words)),
            Self::Ratio(None) => Text::plain(words.unknown.clone()),
            Self::Ratio(Some(figure)) => Text::plain(match detail {
                Detail::Value => ratio(figure.value),
                _ => format!("{} ({})", ratio(figure.value), ratio_ends(*figure, words)),
            }),
        }
    }

    /// The interval of the figure; `None` for text and for an unknown figure.
    pub(crate) fn ends(&self, words: &Words) -> Option<String> {
        match self {
            Self::Text(_) => None,
            Self::Figure(unit, figure) => figure.map(|known| unit.interval(known, words)),
            Self::Number(figure) => figure.map(|known| number_ends(known, words)),
            Self::Ratio(figure) => figure.map(|known| ratio_ends(known, words)),
        }
    }
}

/// Text for a connection phase that did not occur, for example TLS on a plain connection.
pub(crate) const NOT_TIMED: &str = "not timed";

/// How an interval is shown after a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// Only the figure.
    Value,
    /// The longer side of the interval, as a share: `± 2.5 %`.
    Spread,
    /// Both ends.
    Interval,
}

fn number(figure: Option<Figure>, detail: Detail, words: &Words) -> String {
    let Some(known) = figure else {
        return words.unknown.to_string();
    };
    let value = digits(known.value);
    match (detail, known.interval) {
        (Detail::Value, _) => value,
        (Detail::Spread, None) => format!("{value}{NO_SPREAD}"),
        (Detail::Spread, Some(ends)) => {
            let longer = (known.value - ends.low).max(ends.high - known.value);
            match known.value {
                0.0 => format!("0 ±{}", digits(longer)),
                _ => format!("{value} ±{}", within(longer / known.value.abs())),
            }
        }
        (Detail::Interval, _) => format!("{value} ({})", number_ends(known, words)),
    }
}

fn number_ends(figure: Figure, words: &Words) -> String {
    figure.interval.map_or_else(
        || words.interval_unknown.to_string(),
        |ends| format!("{}–{}", digits(ends.low), digits(ends.high)),
    )
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text.into())
    }
}

/// What a cell prints behind a figure whose interval is unknown.
const NO_SPREAD: &str = " ±?";
/// Largest number of characters of a figure. A longer text is a sentence that begins with a
/// number.
const FIGURE: usize = 32;

impl Table {
    /// A table whose first `keys` columns name its rows.
    pub(crate) fn new<H: Into<String>>(keys: usize, head: impl IntoIterator<Item = H>) -> Self {
        Self {
            keys,
            head: head.into_iter().map(Into::into).collect(),
            rows: Vec::new(),
            left_out: 0,
            words: ENGLISH,
        }
    }

    /// Adds a row.
    pub(crate) fn push(&mut self, row: impl IntoIterator<Item = Cell>) {
        self.rows.push(row.into_iter().collect());
    }

    /// The table as a block; `None` without rows.
    pub(crate) fn block(self) -> Option<Block> {
        self.filled().map(Block::Table)
    }

    /// The table without columns that say nothing; `None` without rows.
    pub(crate) fn filled(self) -> Option<Self> {
        (!self.rows.is_empty()).then(|| self.tidied())
    }

    /// Removes columns without information: columns without any text or known figure, and leading
    /// key columns with the same value in all rows. At least one key column always remains.
    fn tidied(mut self) -> Self {
        let silent = |table: &Self, column: usize| {
            let mut cells = table.rows.iter().map(|row| &row[column]);
            !cells.any(Cell::says_something)
        };
        for column in (self.keys..self.head.len()).rev() {
            if silent(&self, column) {
                self.remove(column);
            }
        }
        for column in (1..self.keys).rev() {
            if silent(&self, column) {
                self.remove(column);
                self.keys -= 1;
            }
        }
        while self.keys > 1 && self.is_constant(0) {
            self.remove(0);
            self.keys -= 1;
        }
        self
    }

    /// Whether a column contains figures, which are right-aligned, instead of text.
    pub(crate) fn is_numeric(&self, column: usize) -> bool {
        let is_figure = |cell: &Cell| match cell {
            Cell::Figure(..) | Cell::Number(_) | Cell::Ratio(_) => true,
            Cell::Text(text) => {
                let letters = text.letters();
                let starts =
                    letters.starts_with(|c: char| c.is_ascii_digit() || "<−-+×".contains(c));
                let is_short = letters.chars().count() <= FIGURE;
                (starts && is_short) || !cell.says_something() || letters == self.words.unknown
            }
        };
        column >= self.keys && self.rows.iter().all(|row| is_figure(&row[column]))
    }

    fn is_constant(&self, column: usize) -> bool {
        let letters = |row: &Vec<Cell>| row[column].text(Detail::Value, &self.words).letters();
        let first = self.rows.first().map(letters);
        self.rows.iter().all(|row| Some(letters(row)) == first)
    }

    fn remove(&mut self, column: usize) {
        self.head.remove(column);
        for row in &mut self.rows {
            row.remove(column);
        }
    }
}

/// Whether it is a kana, a kanji or a wide form.
fn is_japanese(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}' | '\u{ff00}'..='\u{ffef}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_that_begin_with_a_number_are_no_figures() {
        let mut table = Table::new(1, ["workload", "statuses", "advice"]);
        table.push([
            "a".into(),
            "200: 407,780, 503: 12".into(),
            "2 of 2 hosts were busy all the time".into(),
        ]);
        assert!(table.is_numeric(1));
        assert!(!table.is_numeric(2));
    }
    use tenbin_result::format::TIME;

    fn known(value: f64) -> Option<Figure> {
        Some(Figure {
            value,
            interval: None,
            n: 1,
        })
    }

    #[test]
    fn columns_without_a_figure_and_names_that_never_change_are_left_out() {
        let mut table = Table::new(2, ["workload", "target", "p50", "p99"]);
        for target in ["a", "b"] {
            table.push([
                "get".into(),
                target.into(),
                Cell::Figure(TIME, known(0.001)),
                Cell::Figure(TIME, None),
            ]);
        }
        let Some(Block::Table(tidy)) = table.block() else {
            panic!("no table");
        };
        assert_eq!(tidy.head, ["target", "p50"]);
        assert_eq!(tidy.keys, 1);
    }

    #[test]
    fn a_figure_known_in_one_row_keeps_its_column() {
        let mut table = Table::new(1, ["target", "p50"]);
        table.push(["a".into(), Cell::Figure(TIME, None)]);
        table.push(["b".into(), Cell::Figure(TIME, known(0.001))]);
        let Some(Block::Table(tidy)) = table.block() else {
            panic!("no table");
        };
        assert_eq!(tidy.head.len(), 2);
        assert_eq!(
            tidy.rows[0][1].text(Detail::Value, &ENGLISH).letters(),
            UNKNOWN
        );
    }

    #[test]
    fn the_page_decides_how_much_of_an_interval_is_shown() {
        let figure = known(0.002);
        let cell = Cell::Figure(TIME, figure);
        assert_eq!(cell.text(Detail::Value, &ENGLISH).letters(), "2.00 ms");
        assert_eq!(cell.text(Detail::Spread, &ENGLISH).letters(), "2.00 ms ±?");
        assert_eq!(
            cell.text(Detail::Interval, &ENGLISH).letters(),
            "2.00 ms (interval unknown)"
        );
    }
}
