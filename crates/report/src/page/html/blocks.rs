//! Prints blocks as HTML.

use std::fmt::Write as _;

use tenbin_result::format::Words;
use tenbin_result::{Language, message};

use crate::block::{Block, Cell, Detail, Look, Table, Text};
use crate::chart::{self, Chart};
use crate::escape::{for_xml, shortened};
use crate::language::{fixed, of_ui, say_in};

/// Limits on the size of printed blocks.
#[derive(Debug)]
pub(super) struct Limits {
    /// Maximum number of rows of a table or items of a list.
    pub(super) rows: usize,
    /// Maximum number of lines of verbatim text.
    lines: usize,
    /// Maximum number of letters of a cell, a list item or a paragraph.
    letters: usize,
    /// Maximum number of blocks of a section.
    blocks: usize,
}

impl Limits {
    /// The size limits that are tried in this order, from the widest to the narrowest, until a
    /// section is small enough.
    pub(super) const ALL: [Self; 4] = [
        Self::new(100, 2_000, 4_000, 400),
        Self::new(50, 500, 1_000, 200),
        Self::new(20, 100, 400, 100),
        Self::new(8, 20, 160, 30),
    ];

    const fn new(rows: usize, lines: usize, letters: usize, blocks: usize) -> Self {
        Self {
            rows,
            lines,
            letters,
            blocks,
        }
    }
}

/// Largest number of columns that fit on paper in letters of the usual size.
const MANY: usize = 10;

/// A section that is being printed.
pub(super) struct Blocks<'a> {
    limits: &'a Limits,
    /// The command that prints the omitted content.
    more: &'a str,
    /// Prefix of the element IDs in this section.
    prefix: String,
    language: Language,
    charts: usize,
    /// Whether the section has a heading.
    is_titled: bool,
    html: String,
}

impl<'a> Blocks<'a> {
    pub(super) fn new(
        limits: &'a Limits,
        more: &'a str,
        prefix: String,
        language: Language,
        is_titled: bool,
    ) -> Self {
        Self {
            limits,
            more,
            prefix,
            language,
            charts: 0,
            is_titled,
            html: String::new(),
        }
    }

    pub(super) fn html(mut self, blocks: &[Block], detail: Detail) -> String {
        for block in blocks.iter().take(self.limits.blocks) {
            self.block(block, detail);
        }
        self.cut(blocks.len(), self.limits.blocks, "parts");
        self.html
    }

    fn block(&mut self, block: &Block, detail: Detail) {
        match block {
            Block::Heading(text) => self.line(self.heading(), text),
            Block::Paragraph(text) => self.line("p", text),
            Block::List(points) => {
                self.html.push_str("<ul>\n");
                for point in points.iter().take(self.limits.rows) {
                    self.line("li", point);
                }
                self.html.push_str("</ul>\n");
                self.cut(points.len(), self.limits.rows, "points");
            }
            Block::Table(table) => self.table(table, detail),
            Block::Chart(chart) => self.chart(chart),
            Block::Verbatim(text) => {
                self.html.push_str("<pre tabindex=\"0\">");
                let lines = text.lines().count();
                for line in text.lines().take(self.limits.lines) {
                    self.html.push_str(&for_xml(&self.short(line)));
                    self.html.push('\n');
                }
                self.html.push_str("</pre>\n");
                self.cut(lines, self.limits.lines, "lines");
            }
        }
    }

    /// The tag of a heading within the section.
    fn heading(&self) -> &'static str {
        if self.is_titled { "h3" } else { "h2" }
    }

    fn line(&mut self, tag: &str, text: &Text) {
        let text = self.inline(text);
        let _ = writeln!(self.html, "<{tag}>{text}</{tag}>");
    }

    /// States how many items are shown, and which command prints all of them.
    fn cut(&mut self, all: usize, shown: usize, what: &str) {
        if all > shown {
            let _ = writeln!(
                self.html,
                "<p class=\"faint\">{shown} of {all} {what}; all of them: <code>{}</code></p>",
                for_xml(self.more)
            );
        }
    }

    fn inline(&self, text: &Text) -> String {
        let mut left = self.limits.letters;
        let mut html = String::new();
        for span in text.spans() {
            if span.text.is_empty() {
                continue;
            }
            let letters = span.text.chars().count();
            let shown = shortened(&span.text, left);
            let shown = match span.look {
                Look::Code => for_xml(&shown),
                Look::Plain => with_commands(&for_xml(&unbroken(&shown))),
                _ => for_xml(&unbroken(&shown)),
            };
            left = left.saturating_sub(letters);
            let (open, close) = match span.look {
                Look::Plain => ("", ""),
                Look::Strong => ("<strong>", "</strong>"),
                Look::Code => ("<code>", "</code>"),
                Look::Good => ("<strong class=\"good\">", "</strong>"),
                Look::Doubtful => ("<strong class=\"doubt\">", "</strong>"),
                Look::Bad => ("<strong class=\"bad\">", "</strong>"),
                Look::Faint => ("<span class=\"faint\">", "</span>"),
            };
            let _ = write!(html, "{open}{shown}{close}");
            if left == 0 {
                break;
            }
        }
        html
    }

    fn short(&self, text: &str) -> String {
        shortened(text, self.limits.letters)
    }

    /// Prints a table. Each cell also has the head of its column: on a phone, each row becomes a card, a
    /// list of heads and cells. The roles keep it a table for screen readers there.
    fn table(&mut self, table: &Table, detail: Detail) {
        let numeric: Vec<bool> = (0..table.head.len())
            .map(|column| table.is_numeric(column))
            .collect();
        let heads: Vec<String> = table
            .head
            .iter()
            .map(|head| for_xml(&self.short(head)))
            .collect();
        let many = if table.head.len() > MANY {
            " class=\"many\""
        } else {
            ""
        };
        let _ = writeln!(
            self.html,
            "<div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"{}\"><table{many} role=\"table\">",
            of_ui(self.language, "table")
        );
        if heads.iter().any(|head| !head.is_empty()) {
            self.head(&heads, &numeric);
        }
        self.html.push_str("<tbody role=\"rowgroup\">\n");
        let mut before: Vec<String> = Vec::new();
        for row in table.rows.iter().take(self.limits.rows) {
            self.html.push_str("<tr role=\"row\">");
            let mut names = Vec::new();
            for (column, cell) in row.iter().enumerate() {
                let content = self.cell(cell, detail, &table.words);
                if column < table.keys {
                    names.push(content);
                    let is_same = before.get(..=column) == Some(names.as_slice());
                    let is_repeated = is_same && column + 1 < table.keys;
                    self.name(&names[column], &heads[column], is_repeated);
                    continue;
                }
                let head = match (content.as_str(), heads[column].as_str()) {
                    ("", _) | (_, "") => String::new(),
                    (_, head) => format!(" data-h=\"{head}\""),
                };
                let class = if numeric[column] { " class=\"n\"" } else { "" };
                let _ = write!(self.html, "<td role=\"cell\"{class}{head}>{content}</td>");
            }
            before = names;
            self.html.push_str("</tr>\n");
        }
        self.html.push_str("</tbody></table></div>\n");
        self.cut(table.rows.len() + table.left_out, self.limits.rows, "rows");
    }

    fn head(&mut self, heads: &[String], numeric: &[bool]) {
        self.html
            .push_str("<thead role=\"rowgroup\"><tr role=\"row\">");
        for (head, numeric) in heads.iter().zip(numeric) {
            let class = if *numeric { " class=\"n\"" } else { "" };
            // A head without text would have no name for a screen reader.
            let _ = match head.as_str() {
                "" => write!(self.html, "<td role=\"cell\"></td>"),
                head => write!(
                    self.html,
                    "<th scope=\"col\" role=\"columnheader\"{class}>{head}</th>"
                ),
            };
        }
        self.html.push_str("</tr></thead>\n");
    }

    /// Prints the name of a row. A name that the row above has, too, is shown only on cards.
    fn name(&mut self, name: &str, head: &str, is_repeated: bool) {
        let head = match head {
            "" => String::new(),
            head => format!(" data-h=\"{head}\""),
        };
        let _ = match (name, is_repeated) {
            ("", _) => write!(self.html, "<td role=\"cell\"></td>"),
            (name, true) => write!(
                self.html,
                "<td role=\"cell\"{head}><span class=\"again\">{name}</span></td>"
            ),
            (name, false) => write!(
                self.html,
                "<th scope=\"row\" role=\"rowheader\"{head}>{name}</th>"
            ),
        };
    }

    /// Prints a figure with its interval below it.
    fn cell(&self, cell: &Cell, detail: Detail, words: &Words) -> String {
        if detail == Detail::Value || matches!(cell, Cell::Text(_)) {
            return self.inline(&cell.text(Detail::Value, words));
        }
        let value = cell.text(Detail::Value, words).letters();
        match cell.ends(words) {
            None => for_xml(&unbroken(&value)),
            Some(ends) => format!(
                "{} <small>{}</small>",
                for_xml(&unbroken(&value)),
                for_xml(&unbroken(&ends))
            ),
        }
    }

    fn chart(&mut self, chart: &Chart) {
        let id = format!("{}-{}", self.prefix, self.charts);
        self.charts += 1;
        let tag = self.heading();
        let title = self.short(&chart.title);
        let link = say_in(self.language, &message!("link-to-chart", title = &title));
        let _ = writeln!(
            self.html,
            "<figure id=\"{id}\" aria-labelledby=\"{id}t\">\n<figcaption><{tag}><span id=\"{id}t\">{}</span>&#160;\
             <a class=\"here\" href=\"#{id}\" aria-label=\"{}\">#</a></{tag}>{}</figcaption>\n\
             <div class=\"drawing\" tabindex=\"0\" role=\"group\" aria-labelledby=\"{id}t\">",
            for_xml(&title),
            for_xml(&link),
            for_xml(&unbroken(&self.short(&chart.about)))
        );
        self.html.push_str(&chart::inline(chart, &id));
        self.html.push_str("</div>\n");
        if let Some(data) = chart::for_script(chart) {
            let _ = writeln!(
                self.html,
                "<script type=\"application/json\">{}</script>",
                chart::json(&data)
            );
        }
        self.html.push_str("</figure>\n");
        if let Some(table) = &chart.table {
            let figures = fixed(self.language, "Figures of this chart");
            let _ = writeln!(
                self.html,
                "<details class=\"behind\"><summary>{}</summary>",
                for_xml(&figures)
            );
            self.table(table, Detail::Interval);
            self.html.push_str("</details>\n");
        }
    }
}

/// Units that stay on the line of their number.
const UNITS: [&str; 18] = [
    "%", "s", "ms", "µs", "ns", "k/s", "M/s", "G/s", "B", "KiB", "MiB", "GiB", "TiB", "B/s",
    "KiB/s", "MiB/s", "GiB/s", "TiB/s",
];

/// Replaces the space between a number and its unit by one at which no line breaks.
fn unbroken(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(' ') {
        let is_of_word = |c: char| c.is_alphanumeric() || matches!(c, '/' | '%');
        let end = after.find(|c| !is_of_word(c)).unwrap_or(after.len());
        let is_unit =
            before.ends_with(|c: char| c.is_ascii_digit()) && UNITS.contains(&&after[..end]);
        kept.push_str(before);
        kept.push(if is_unit { '\u{a0}' } else { ' ' });
        rest = after;
    }
    kept + rest
}

/// Marks commands in escaped text (`` `tenbin …` `` in advice) as code.
fn with_commands(html: &str) -> String {
    let mut marked = String::with_capacity(html.len());
    let mut rest = html;
    while let Some((before, after)) = rest.split_once("`tenbin ") {
        marked.push_str(before);
        match after.split_once('`') {
            Some((command, after)) => {
                let _ = write!(marked, "<code>tenbin {command}</code>");
                rest = after;
            }
            None => {
                marked.push_str("`tenbin ");
                rest = after;
            }
        }
    }
    marked + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_stays_with_its_number() {
        let text = "timeout 30 s · 5 sizes, 1.5 MiB/s (−15 … +34 %) for 2 seconds";
        let expected = "timeout 30_s · 5 sizes, 1.5_MiB/s (−15 … +34_%) for 2 seconds";
        assert_eq!(unbroken(text).replace('\u{a0}', "_"), expected);
        assert_eq!(unbroken(" s  % "), " s  % ");
    }

    #[test]
    fn commands_in_advice_are_code_and_other_backticks_stay() {
        assert_eq!(
            with_commands("run `tenbin doctor` or `x`, then `tenbin "),
            "run <code>tenbin doctor</code> or `x`, then `tenbin "
        );
        assert_eq!(with_commands("``tenbin a`b"), "`<code>tenbin a</code>b");
    }
}
