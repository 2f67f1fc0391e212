//! `SUMMARY.md`: the first screen of the report as Markdown to paste, with collapsible details.

use std::fmt::Write as _;

use tenbin_result::{Document, message};

use crate::block::{Block, Detail, Look, Table, Text};
use crate::escape::{as_code, for_html, for_markdown};
use crate::gate::title;
use crate::language;
use crate::page::html::command;
use crate::section::{SECTIONS, Section, Shown, charts_of};

/// Largest number of rows of a table whose length grows with the run: a site that shows Markdown does
/// not print megabytes.
const ROWS: usize = 1_000;

/// Longest page that a site shows as the summary of a job, bytes: GitHub takes 1 MiB for each step.
const LONGEST: usize = 900 * 1024;

/// Longest comment, characters: GitHub takes fewer than 65,536.
const LONGEST_COMMENT: usize = 65_000;

/// The complete page, with links to the files of the charts in the run directory.
pub(crate) fn summary(document: &Document) -> String {
    let (page, details) = parts(document, &document.run.name, true);
    page + &details
}

/// The complete page without links to files, to be read outside of the run directory.
pub(crate) fn without_files(document: &Document) -> String {
    let (page, details) = parts(document, &document.run.name, false);
    page + &details
}

/// The page without links to files for the summary of a job. If the page is too long, the details are
/// left out.
pub(crate) fn alone(document: &Document) -> String {
    let (page, details) = parts(document, &document.run.name, false);
    if page.len() + details.len() <= LONGEST {
        page + &details
    } else {
        page
    }
}

/// The first screen of the page without links to files, short enough for a comment on a pull request.
/// A page that is too long ends with a whole line, and not within a code block. The first line, which no
/// reader sees, names the experiment, so that a later run can find and replace the comment. The title
/// names what a gate compares.
pub(crate) fn comment(document: &Document) -> String {
    let name = for_html(&document.run.name).replace("--", "-\u{200b}-");
    let head = format!("<!-- tenbin: {name} -->\n");
    let (page, _) = parts(document, &title(document), false);
    let left = LONGEST_COMMENT.saturating_sub(head.chars().count());
    head + beginning(&page, left)
}

/// The whole lines at the beginning of a page that have at most `most` characters. A code block that
/// does not fit is left out as a whole, with all that follows.
fn beginning(page: &str, most: usize) -> &str {
    let (mut characters, mut at, mut end) = (0, 0, 0);
    let mut open_fence: Option<&str> = None;
    for line in page.split_inclusive('\n') {
        characters += line.chars().count();
        if characters > most {
            break;
        }
        at += line.len();
        let text = line.trim_end_matches('\n');
        open_fence = match open_fence {
            None if is_fence(text) => Some(text),
            Some(fence) if fence == text => None,
            unchanged => unchanged,
        };
        if open_fence.is_none() {
            end = at;
        }
    }
    &page[..end]
}

/// Whether a line begins or ends a code block: [`verbatim`] writes only backticks there, and other
/// text cannot contain such a line.
fn is_fence(line: &str) -> bool {
    line.len() >= 3 && line.bytes().all(|byte| byte == b'`')
}

/// The first screen and the details of the page. `has_files`: whether the page links to the files of
/// the charts.
fn parts(document: &Document, title: &str, has_files: bool) -> (String, String) {
    let document = &language::for_reader(document);
    let mut page = format!("# {}\n", for_markdown(title));
    let sections = || {
        SECTIONS
            .iter()
            .filter(|section| section.shown != Shown::Drawn)
    };
    let first = |section: &&Section| section.shown != Shown::Details;
    for section in sections().filter(first) {
        let blocks = if has_files {
            section.translated_blocks(document)
        } else {
            section.blocks_alone(document)
        };
        if blocks.is_empty() {
            continue;
        }
        if !section.title.is_empty() {
            let _ = write!(page, "\n## {}\n", section.heading(document));
        }
        let detail = if section.title.is_empty() {
            Detail::Value
        } else {
            Detail::Interval
        };
        write_blocks(&mut page, &blocks, detail, has_files);
    }
    if has_files {
        page.push_str(&charts(document));
    }
    let mut details = String::new();
    for section in sections().filter(|section| !first(section)) {
        let blocks = section.first_rows(document, ROWS);
        if blocks.is_empty() {
            continue;
        }
        let _ = write!(
            details,
            "\n<details><summary>{}</summary>\n",
            for_html(&section.heading(document))
        );
        write_blocks(&mut details, &blocks, Detail::Interval, has_files);
        details.push_str(&left_out(document, section, &blocks));
        details.push_str("\n</details>\n");
    }
    (page, details)
}

/// How many rows the page leaves out, and the command that prints them; empty if it has all.
fn left_out(document: &Document, section: &Section, blocks: &[Block]) -> String {
    let rows = |block: &Block| match block {
        Block::Table(table) => table.left_out,
        _ => 0,
    };
    match blocks.iter().map(rows).sum() {
        0 => String::new(),
        rows => {
            let message = message!(
                "more-rows",
                rows,
                command = as_code(&command(document, section))
            );
            format!("\n{}\n", language::say(document, &message))
        }
    }
}

/// The charts that are files in the run directory, in a collapsible part; empty without charts.
fn charts(document: &Document) -> String {
    let drawn = SECTIONS
        .iter()
        .filter(|section| section.shown == Shown::Drawn);
    let charts = drawn.flat_map(|section| charts_of(document, section.name));
    let mut images = String::new();
    for chart in charts {
        if let Some(file) = chart.file {
            let _ = writeln!(images, "\n![{}]({file})", for_markdown(&chart.title));
        }
    }
    if images.is_empty() {
        images
    } else {
        format!(
            "\n<details><summary>{}</summary>\n{images}\n</details>\n",
            language::text(document, "Charts")
        )
    }
}

fn write_blocks(page: &mut String, blocks: &[Block], detail: Detail, has_files: bool) {
    for block in blocks {
        page.push('\n');
        match block {
            Block::Heading(text) => {
                let _ = writeln!(page, "### {}", inline(text));
            }
            Block::Paragraph(text) => {
                let _ = writeln!(page, "{}", inline(text));
            }
            Block::List(points) => {
                for point in points {
                    let _ = writeln!(page, "- {}", inline(point));
                }
            }
            Block::Table(rows) => table(page, rows, detail),
            Block::Chart(chart) => {
                if let Some(file) = chart.file.filter(|_| has_files) {
                    let _ = writeln!(page, "![{}]({file})", for_markdown(&chart.title));
                }
                if let Some(rows) = &chart.table {
                    table(page, rows, detail);
                }
            }
            Block::Verbatim(text) => verbatim(page, text),
        }
    }
}

fn inline(text: &Text) -> String {
    let spans = text.spans().iter().map(|span| match span.look {
        _ if span.text.is_empty() => String::new(),
        Look::Plain | Look::Faint => for_markdown(&span.text),
        Look::Code => as_code(&span.text),
        Look::Strong | Look::Good | Look::Doubtful | Look::Bad => {
            format!("**{}**", for_markdown(&span.text))
        }
    });
    spans.collect()
}

fn table(page: &mut String, table: &Table, detail: Detail) {
    let head: Vec<String> = table.head.iter().map(|cell| for_markdown(cell)).collect();
    let _ = writeln!(page, "| {} |", head.join(" | "));
    let rule: Vec<&str> = (0..table.head.len())
        .map(|column| {
            if table.is_numeric(column) {
                "---:"
            } else {
                "---"
            }
        })
        .collect();
    let _ = writeln!(page, "| {} |", rule.join(" | "));
    for row in &table.rows {
        let cells: Vec<String> = row
            .iter()
            .map(|cell| inline(&cell.text(detail, &table.words)))
            .collect();
        let _ = writeln!(page, "| {} |", cells.join(" | "));
    }
}

/// Writes a code block. Its fence is longer than any fence in the text.
fn verbatim(page: &mut String, text: &str) {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    let _ = write!(page, "{fence}\n{text}{fence}\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_never_cut_within_a_code_block() {
        let mut page = "# run\n\n".to_owned();
        verbatim(&mut page, "```\na 1\nb 2\n");
        page += "\nend\n";
        assert_eq!(beginning(&page, 20), "# run\n\n");
        for most in 0..page.len() {
            let cut = beginning(&page, most);
            let fences = cut.lines().filter(|line| *line == "````").count();
            assert!(fences == 0 || fences == 2, "{most}: {cut}");
            assert!(cut.len() <= most && page.starts_with(cut), "{most}: {cut}");
            assert!(cut.is_empty() || cut.ends_with('\n'), "{most}: {cut}");
        }
        assert_eq!(beginning(&page, page.len()), page);
    }
}
