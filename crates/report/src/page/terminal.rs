//! Prints the report for a terminal. The answer to the run's question comes first; the run
//! directory and a hint on how to see more come last.

use tenbin_result::Document;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use crate::block::{Block, Detail, Look, Span, Table, Text};
use crate::escape::for_terminal;
use crate::language;
use crate::section::{SECTIONS, Section, Shown};

/// Options of a page for a terminal.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// Width in columns.
    pub width: usize,
    /// Whether the terminal supports colour escape sequences.
    pub colour: bool,
    /// How much of the result is shown.
    pub extent: Extent<'a>,
}

/// How much of a result is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent<'a> {
    /// The parts that fit on a screen.
    Screen,
    /// All sections except single slices and raw data.
    Verbose,
    /// One section, by its name.
    Section(&'a str),
}

/// Sections printed only by `--section`, because their length grows with the run.
const LONG: [&str; 2] = ["slices", "benchmark"];

/// The report for a terminal. Ends with a newline.
pub fn terminal(document: &Document, view: View<'_>) -> String {
    let mut page = Page {
        text: String::new(),
        width: view.width.max(40),
        colour: view.colour,
    };
    let document = &language::for_reader(document);
    for section in in_order(view.extent) {
        let blocks = match view.extent {
            Extent::Screen => section.screen_blocks(document),
            Extent::Verbose | Extent::Section(_) => section.translated_blocks(document),
        };
        if !blocks.is_empty() {
            page.section(section, &section.heading(document), &blocks);
        }
    }
    page.text
}

/// Prints only these blocks, in lines of at most `width` columns. Ends with a newline.
pub(crate) fn plain(blocks: &[Block], width: usize) -> String {
    let mut page = Page {
        text: String::new(),
        width,
        colour: false,
    };
    page.blocks(blocks, Detail::Value);
    page.text
}

/// The sections of a page in order; the hint on how to see more comes last.
fn in_order(extent: Extent<'_>) -> Vec<&'static Section> {
    let of = |shown: &[Shown]| {
        let meant = SECTIONS
            .iter()
            .filter(|section| shown.contains(&section.shown));
        meant.collect::<Vec<_>>()
    };
    match extent {
        Extent::Screen => of(&[Shown::Always, Shown::InShort, Shown::Closing]),
        Extent::Verbose => {
            let mut all = of(&[Shown::Always]);
            let details = of(&[Shown::Details]).into_iter();
            all.extend(details.filter(|section| !LONG.contains(&section.name)));
            all.extend(of(&[Shown::Closing]));
            all
        }
        Extent::Section(name) => SECTIONS
            .iter()
            .filter(|section| section.name == name)
            .collect(),
    }
}

struct Page {
    text: String,
    width: usize,
    colour: bool,
}

const INDENT: &str = "  ";
/// Space between columns.
const GAP: &str = "  ";

impl Page {
    fn section(&mut self, section: &Section, heading: &str, blocks: &[Block]) {
        if !self.text.is_empty() {
            self.line("");
        }
        if !heading.is_empty() {
            let heading = self.painted(Look::Strong, heading);
            self.line(&heading);
        }
        let detail = match section.shown {
            Shown::Details => Detail::Spread,
            _ => Detail::Value,
        };
        self.blocks(blocks, detail);
    }

    fn blocks(&mut self, blocks: &[Block], detail: Detail) {
        for (at, block) in blocks.iter().enumerate() {
            let before = at.checked_sub(1).map(|before| &blocks[before]);
            if before.is_some_and(|before| needs_space(before, block)) {
                self.line("");
            }
            self.block(block, detail);
        }
    }

    fn block(&mut self, block: &Block, detail: Detail) {
        match block {
            Block::Heading(text) => {
                let text = self.painted(Look::Strong, &text.letters());
                self.line(&text);
            }
            Block::Paragraph(text) => self.wrapped(text, "", INDENT),
            Block::List(points) => {
                for point in points {
                    self.wrapped(point, "", INDENT);
                }
            }
            Block::Table(rows) => self.table(rows, detail),
            Block::Chart(chart) => {
                if let Some(rows) = &chart.table {
                    self.table(rows, detail);
                }
            }
            Block::Verbatim(text) => {
                for line in text.lines() {
                    self.line(&for_terminal(line));
                }
            }
        }
    }

    /// Wraps text to the page's width, with `first` before the first line and `rest` before the
    /// others.
    fn wrapped(&mut self, text: &Text, first: &str, rest: &str) {
        let mut line = Line::behind(first);
        let mut gap = 0;
        for span in text.spans() {
            for (at, word) in span.text.split(' ').enumerate() {
                gap += usize::from(at > 0);
                for (at, part) in breakable(word).into_iter().enumerate() {
                    let part = for_terminal(part);
                    let may_break = at > 0 || gap > 0;
                    if may_break && line.has_words && line.width + gap + part.width() > self.width {
                        self.line_of(&line);
                        line = Line::behind(rest);
                    }
                    line.push(gap, span.look, &part);
                    gap = 0;
                }
            }
        }
        self.line_of(&line);
    }

    fn line_of(&mut self, line: &Line) {
        let painted: String = line
            .spans
            .iter()
            .map(|span| self.painted_escaped(span.look, &span.text))
            .collect();
        self.line(&painted);
    }

    /// Prints a table. A table that is too wide is transposed if the result fits, printed as lines
    /// of text if its cells contain sentences, and otherwise split into parts that each repeat the
    /// key columns.
    fn table(&mut self, rows: &Table, detail: Detail) {
        let grid = Grid::of(rows, detail);
        if grid.fits(self.width) {
            return self.grid(&grid.named_once());
        }
        let turned = grid.transposed();
        if rows.keys == 1 && turned.fits(self.width) {
            return self.grid(&turned);
        }
        if grid.is_prose() {
            return self.records(&grid.named_once());
        }
        for (at, piece) in grid.pieces(self.width).into_iter().enumerate() {
            if at > 0 {
                self.line("");
            }
            self.grid(&piece.named_once());
        }
    }

    /// Prints each row as lines of text, for tables whose cells contain sentences.
    fn records(&mut self, grid: &Grid) {
        for row in grid.rows.iter().skip(1) {
            let mut text = Text::default();
            for (column, cell) in row.iter().enumerate() {
                if cell.text.is_empty() {
                    continue;
                }
                let between = match column {
                    0 => "",
                    _ if column < grid.keys => "  ",
                    _ if column == grid.keys => ": ",
                    _ => "; ",
                };
                text = text.and(Look::Plain, between).and(cell.look, &cell.text);
            }
            self.wrapped(&text, "", INDENT);
        }
    }

    fn grid(&mut self, grid: &Grid) {
        let widths = grid.widths();
        for (at, row) in grid.rows.iter().enumerate() {
            let mut line = String::new();
            for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
                let shown = for_terminal(&cell.text);
                let space = " ".repeat(width.saturating_sub(shown.width()));
                let look = if at == 0 { Look::Faint } else { cell.look };
                let shown = self.painted_escaped(look, &shown);
                if column > 0 {
                    line.push_str(GAP);
                }
                if grid.numeric[column] {
                    line.push_str(&format!("{space}{shown}"))
                } else {
                    line.push_str(&format!("{shown}{space}"))
                }
            }
            self.line(line.trim_end());
        }
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn painted(&self, look: Look, text: &str) -> String {
        self.painted_escaped(look, &for_terminal(text))
    }

    fn painted_escaped(&self, look: Look, text: &str) -> String {
        let code = match look {
            Look::Plain | Look::Code => None,
            Look::Strong => Some("1"),
            Look::Faint => Some("2"),
            Look::Good => Some("1;32"),
            Look::Doubtful => Some("1;33"),
            Look::Bad => Some("1;31"),
        };
        match code.filter(|_| self.colour && !text.is_empty()) {
            Some(code) => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
            None => text.to_owned(),
        }
    }
}

/// Characters that must not start a line of Japanese text.
const NOT_FIRST: &str = "、。,.」』)】・:;!?ー々っゃゅょッャュョァィゥェォ)…";
/// Characters that must not end a line of Japanese text.
const NOT_LAST: &str = "「『(【(";

/// Splits a word at the positions where a line can break: Japanese text has no spaces. Returns
/// nothing for an empty word.
fn breakable(word: &str) -> Vec<&str> {
    let is_wide = |c: char| c.width() == Some(2);
    let mut parts = Vec::new();
    let mut begin = 0;
    let mut before: Option<char> = None;
    for (at, c) in word.char_indices() {
        let breaks = before.is_some_and(|before| {
            (is_wide(before) || is_wide(c)) && !NOT_FIRST.contains(c) && !NOT_LAST.contains(before)
        });
        if breaks {
            parts.push(&word[begin..at]);
            begin = at;
        }
        before = Some(c);
    }
    if begin < word.len() {
        parts.push(&word[begin..]);
    }
    parts
}

/// A line that is being filled with words, which are already escaped.
struct Line {
    spans: Vec<Span>,
    width: usize,
    has_words: bool,
}

impl Line {
    fn behind(indent: &str) -> Self {
        Self {
            spans: vec![Span {
                text: indent.to_owned(),
                look: Look::Plain,
            }],
            width: indent.width(),
            has_words: false,
        }
    }

    /// Adds a word, preceded by `gap` spaces unless it is the first word.
    fn push(&mut self, gap: usize, look: Look, word: &str) {
        let gap = " ".repeat(if self.has_words { gap } else { 0 });
        self.width += gap.len() + word.width();
        self.has_words = true;
        match self.spans.last_mut().filter(|last| last.look == look) {
            Some(last) => last.text += &format!("{gap}{word}"),
            None => {
                if let Some(last) = self.spans.last_mut() {
                    last.text += &gap;
                }
                let text = word.to_owned();
                self.spans.push(Span { text, look });
            }
        }
    }
}

/// Whether an empty line must separate two blocks.
fn needs_space(before: &Block, block: &Block) -> bool {
    matches!(block, Block::Heading(_))
        || matches!((before, block), (Block::Table(_), Block::Table(_)))
}

/// The cells of a table as text, row by row; the first row is the header.
struct Grid {
    keys: usize,
    /// Whether each column is right-aligned.
    numeric: Vec<bool>,
    rows: Vec<Vec<Span>>,
}

/// Minimum length of a cell's text that counts as a sentence.
const SENTENCE: usize = 60;

impl Grid {
    fn of(table: &Table, detail: Detail) -> Self {
        let plain = |text: String| Span {
            text,
            look: Look::Plain,
        };
        let mut rows = vec![table.head.iter().cloned().map(plain).collect::<Vec<_>>()];
        for row in &table.rows {
            let cells = row
                .iter()
                .map(|cell| {
                    let text = cell.text(detail, &table.words);
                    let look = match text.spans() {
                        [only] => only.look,
                        _ => Look::Plain,
                    };
                    Span {
                        text: text.letters(),
                        look,
                    }
                })
                .collect();
            rows.push(cells);
        }
        let columns = 0..table.head.len();
        Self {
            keys: table.keys,
            numeric: columns.map(|column| table.is_numeric(column)).collect(),
            rows,
        }
    }

    /// Prints a name once above the rows that share it. The last key column is always printed.
    fn named_once(mut self) -> Self {
        let mut named: Vec<String> = vec![String::new(); self.keys];
        for row in self.rows.iter_mut().skip(1) {
            let mut same = true;
            for (key, known) in named.iter_mut().enumerate() {
                same &= *known == row[key].text;
                known.clone_from(&row[key].text);
                if same && key + 1 < self.keys {
                    row[key].text.clear();
                }
            }
        }
        self
    }

    fn widths(&self) -> Vec<usize> {
        let mut widths = vec![0; self.rows[0].len()];
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(for_terminal(&cell.text).width());
            }
        }
        widths
    }

    fn fits(&self, width: usize) -> bool {
        let widths = self.widths();
        widths.iter().sum::<usize>() + GAP.len() * widths.len().saturating_sub(1) <= width
    }

    fn is_prose(&self) -> bool {
        let mut cells = self.rows.iter().flatten();
        cells.any(|cell| cell.text.chars().count() > SENTENCE)
    }

    fn transposed(&self) -> Self {
        let columns = self.rows[0].len();
        let column = |at: usize| self.rows.iter().map(|row| row[at].clone()).collect();
        Self {
            keys: 1,
            numeric: (0..self.rows.len()).map(|column| column > 0).collect(),
            rows: (0..columns).map(column).collect(),
        }
    }

    /// Splits the table into groups of columns that fit, each with the key columns. A row without a
    /// cell in a group is left out of that group.
    fn pieces(&self, width: usize) -> Vec<Self> {
        let widths = self.widths();
        let wide = |column: &usize| widths[*column] + GAP.len();
        let names: usize = (0..self.keys).map(|column| wide(&column)).sum();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut used = width;
        for column in self.keys..widths.len() {
            if groups.is_empty() || used + wide(&column) > width {
                groups.push(Vec::new());
                used = names;
            }
            used += wide(&column);
            if let Some(group) = groups.last_mut() {
                group.push(column);
            }
        }
        let all: Vec<usize> = (self.keys..widths.len()).collect();
        let is_blank = |row: &[Span], columns: &[usize]| {
            let mut cells = columns.iter().map(|&column| &row[column]);
            cells.all(|cell| cell.text.is_empty())
        };
        let is_shown = |row: &[Span], group: &[usize]| !is_blank(row, group) || is_blank(row, &all);
        let piece = |group: &Vec<usize>| Self {
            keys: self.keys,
            numeric: (0..self.keys)
                .chain(group.iter().copied())
                .map(|column| self.numeric[column])
                .collect(),
            rows: self
                .rows
                .iter()
                .enumerate()
                .filter(|(at, row)| *at == 0 || is_shown(row, group))
                .map(|(_, row)| {
                    let columns = (0..self.keys).chain(group.iter().copied());
                    columns.map(|column| row[column].clone()).collect()
                })
                .collect(),
        };
        groups.iter().map(piece).collect()
    }
}

#[cfg(test)]
mod tests;
