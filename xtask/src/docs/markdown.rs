//! Links and headings of Markdown pages.

use std::collections::BTreeSet;
use std::ops::Range;

use anyhow::Result;

/// A link or an image: `[text](destination)`.
#[derive(Debug, PartialEq)]
pub(super) struct Link<'t> {
    /// Destination as written.
    pub(super) destination: &'t str,
    /// Line number, from 1.
    pub(super) line: usize,
    at: Range<usize>,
}

/// All links of a page outside of code and comments, in their order.
pub(super) fn links(text: &str) -> Vec<Link<'_>> {
    let prose = without_code(text);
    let starts = prose.match_indices("](").map(|(at, mark)| at + mark.len());
    starts
        .filter_map(|start| {
            let length = prose[start..].find([')', ' ', '\n'])?;
            prose[start + length..].starts_with(')').then(|| Link {
                destination: &text[start..start + length],
                line: text[..start].matches('\n').count() + 1,
                at: start..start + length,
            })
        })
        .collect()
}

/// The page with the destination of every link replaced where `replacement` returns a new one.
pub(super) fn with_links(
    text: &str,
    mut replacement: impl FnMut(&Link<'_>) -> Result<Option<String>>,
) -> Result<String> {
    let mut result = String::with_capacity(text.len());
    let mut copied = 0;
    for link in links(text) {
        if let Some(destination) = replacement(&link)? {
            result += &text[copied..link.at.start];
            result += &destination;
            copied = link.at.end;
        }
    }
    result += &text[copied..];
    Ok(result)
}

/// Identifiers of all headings, as a link names them after `#`.
pub(super) fn heading_ids(text: &str) -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    let prose = without_fences(text);
    let lines = prose.lines().filter_map(heading);
    for title in lines {
        let id = id_of(title);
        let numbered = (1..).map(|number| format!("{id}-{number}"));
        let free = std::iter::once(id.clone())
            .chain(numbered)
            .find(|id| !ids.contains(id));
        ids.extend(free);
    }
    ids
}

/// The text of a line if the line is a heading.
fn heading(line: &str) -> Option<&str> {
    let text = line.trim_start_matches('#');
    let level = line.len() - text.len();
    ((1..=6).contains(&level) && text.starts_with(' ')).then(|| text.trim())
}

/// The identifier that GitHub and mdBook give to a heading.
fn id_of(title: &str) -> String {
    // Of a link in a heading, only the text counts.
    let mut shown = title.to_owned();
    while let Some(start) = shown.find("](") {
        let end = shown[start..]
            .find(')')
            .map_or(shown.len(), |at| start + at + 1);
        shown.replace_range(start..end, "");
    }
    shown
        .to_lowercase()
        .chars()
        .filter_map(|c| match c {
            ' ' => Some('-'),
            '-' | '_' => Some(c),
            _ => c.is_alphanumeric().then_some(c),
        })
        .collect()
}

/// The text with code blocks, code spans and comments blanked out: same length, same lines.
fn without_code(text: &str) -> String {
    let mut prose = without_fences(text).into_bytes();
    let mut start = 0;
    // A code span ends at the latest with its paragraph.
    while start < prose.len() {
        let rest = &prose[start..];
        let length = rest.windows(2).position(|pair| pair == b"\n\n");
        let end = length.map_or(prose.len(), |length| start + length + 2);
        blank_spans(&mut prose[start..end]);
        start = end;
    }
    String::from_utf8(prose).expect("whole characters are replaced by spaces")
}

/// The text with fenced code blocks and comments blanked out.
fn without_fences(text: &str) -> String {
    let mut prose = String::with_capacity(text.len());
    let mut fence: Option<&str> = None;
    let mut in_comment = false;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim();
        let marks = |mark: char| trimmed.len() - trimmed.trim_start_matches(mark).len();
        let opened = ['`', '~'].map(marks).into_iter().max().filter(|&n| n >= 3);
        let is_hidden =
            fence.is_some() || opened.is_some() || in_comment || trimmed.starts_with("<!--");
        if fence.is_none() && opened.is_none() && (in_comment || trimmed.starts_with("<!--")) {
            in_comment = !trimmed.ends_with("-->");
        }
        match (fence, opened) {
            (None, Some(length)) => fence = Some(&trimmed[..length]),
            (Some(mark), Some(_)) if trimmed.starts_with(mark) => fence = None,
            _ => {}
        }
        if is_hidden {
            prose.extend(
                line.bytes()
                    .map(|byte| if byte == b'\n' { '\n' } else { ' ' }),
            );
        } else {
            prose += line;
        }
    }
    prose
}

/// Blanks out the code spans of a paragraph.
fn blank_spans(paragraph: &mut [u8]) {
    let run = |paragraph: &[u8], at: usize| {
        let ticks = paragraph[at..].iter().take_while(|&&byte| byte == b'`');
        ticks.count()
    };
    let mut at = 0;
    while at < paragraph.len() {
        let opening = run(paragraph, at);
        if opening == 0 {
            at += 1;
            continue;
        }
        let mut end = at + opening;
        while end < paragraph.len() {
            match run(paragraph, end) {
                0 => end += 1,
                length if length == opening => break,
                length => end += length,
            }
        }
        if end < paragraph.len() {
            for byte in &mut paragraph[at..end + opening] {
                if *byte != b'\n' {
                    *byte = b' ';
                }
            }
            at = end + opening;
        } else {
            at += opening;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_found_outside_of_code_and_comments() {
        let text = "a [b](c.md) and `[d](e.md)`\n\n```console\n$ [f](g.md)\n```\n\
                    <!-- [h](i.md) -->\n[`j`](k.md#l), `m\nn [o](p.md)` [q](r.md)\n";
        let found: Vec<_> = links(text)
            .iter()
            .map(|l| (l.destination, l.line))
            .collect();
        assert_eq!(found, [("c.md", 1), ("k.md#l", 7), ("r.md", 8)]);
    }

    #[test]
    fn only_the_replaced_destinations_change() {
        let text = "é [b](c.md) `[b](c.md)` [d](#e)\n";
        let changed = with_links(text, |link| {
            Ok((link.destination == "c.md").then(|| "../x.md".to_owned()))
        });
        assert_eq!(changed.unwrap(), "é [b](../x.md) `[b](c.md)` [d](#e)\n");
    }

    #[test]
    fn headings_have_the_identifiers_that_links_use() {
        let text = "# `kind = \"http\"`\n```\n# no\n```\n## A [b](c.md), d_e\n## はじめて\n## A b, d_e\n#no\n";
        let ids: Vec<_> = heading_ids(text).into_iter().collect();
        assert_eq!(ids, ["a-b-d_e", "a-b-d_e-1", "kind--http", "はじめて"]);
    }
}
