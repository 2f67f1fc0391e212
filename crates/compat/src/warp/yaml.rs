//! The part of YAML in the files of `warp run`: nested keys with texts and lists of texts.

use tenbin_plan::{Sentence, sentence};

/// A key with its value.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// Line of the key, from 1.
    pub(super) line: usize,
    /// The names of the sections, then the key.
    pub(super) path: Vec<String>,
    /// The value; a list with commas between its items. `None` for a section, and for null.
    pub(super) value: Option<String>,
}

/// The keys of a file, in order.
///
/// # Errors
/// The first line that is not in the part of YAML that this parser reads, without its text, which
/// can be a secret.
pub(super) fn entries(text: &str) -> Result<Vec<Entry>, Sentence> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut sections: Vec<(usize, String)> = Vec::new();
    let mut takes_items = false;
    for (at, line) in text.lines().enumerate() {
        let line = without_comment(line).trim_end();
        let content = line.trim_start_matches(' ');
        if content.is_empty() || line == "---" {
            continue;
        }
        let unread = || {
            sentence!(
                "warp-unread-yaml",
                "line {line} is YAML that Tenbin does not read; write \"key: value\", and lists with \
                 \"- \" before each item",
                line = at + 1
            )
        };
        let indent = line.len() - content.len();
        if let Some(item) = item_of(content) {
            let list = entries.last_mut().filter(|_| takes_items);
            let list = list.ok_or_else(unread)?;
            let item = scalar(item).flatten().ok_or_else(unread)?;
            list.value = Some(match list.value.take() {
                Some(items) => format!("{items},{item}"),
                None => item,
            });
            continue;
        }
        let (key, value) = key_of(content).ok_or_else(unread)?;
        while sections.last().is_some_and(|(outer, _)| *outer >= indent) {
            sections.pop();
        }
        let outer = sections.iter().map(|(_, name)| name.clone());
        let path = outer.chain([key.to_owned()]).collect();
        let value = scalar(value).ok_or_else(unread)?;
        takes_items = value.is_none();
        sections.push((indent, key.to_owned()));
        entries.push(Entry {
            line: at + 1,
            path,
            value,
        });
    }
    Ok(entries)
}

fn item_of(content: &str) -> Option<&str> {
    match content.strip_prefix('-') {
        Some(rest) if rest.is_empty() || rest.starts_with(' ') => Some(rest.trim_start()),
        _ => None,
    }
}

/// A key, and the text after its colon.
fn key_of(content: &str) -> Option<(&str, &str)> {
    let (key, rest) = content.split_once(':')?;
    let is_key = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let is_end = rest.is_empty() || rest.starts_with(' ');
    (is_end && !key.is_empty() && key.chars().all(is_key)).then(|| (key, rest.trim_start()))
}

/// A value on one line; `Some(None)` for null, `None` if the value is not read.
fn scalar(text: &str) -> Option<Option<String>> {
    let inside = |quote: char| {
        let inner = text.strip_prefix(quote)?.strip_suffix(quote)?;
        (text.len() > 1).then_some(inner)
    };
    match text.chars().next() {
        None => Some(None),
        _ if matches!(text, "~" | "null") => Some(None),
        Some('\'') => {
            let inner = inside('\'')?;
            let is_closed = !inner.replace("''", "").contains('\'');
            is_closed.then(|| Some(inner.replace("''", "'")))
        }
        Some('"') => {
            let inner = inside('"').filter(|inner| !inner.contains(['"', '\\']))?;
            Some(Some(inner.to_owned()))
        }
        Some('[') => {
            let items = text.strip_prefix('[')?.strip_suffix(']')?.split(',');
            let items: Option<Vec<String>> =
                items.map(|item| scalar(item.trim()).flatten()).collect();
            Some(Some(items?.join(",")))
        }
        Some('&' | '*' | '!' | '|' | '>' | '{' | '}' | ']' | '%' | '@' | '`' | '?') => None,
        Some(_) if text.contains(": ") || text.ends_with(':') => None,
        Some(_) => Some(Some(text.to_owned())),
    }
}

/// A line up to its comment: `#` at the start or after a space, outside of quotes.
fn without_comment(line: &str) -> &str {
    let mut quote = None;
    let mut before = ' ';
    for (at, c) in line.char_indices() {
        match (quote, c) {
            (Some(open), _) if open == c => quote = None,
            (Some(_), _) => {}
            // A quote in the middle of a word is a letter; two quotes inside of quotes are one.
            (None, '\'' | '"') if matches!(before, ' ' | '[' | ',' | '\'') => quote = Some(c),
            (None, '#') if before == ' ' => return &line[..at],
            _ => {}
        }
        before = c;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Result<Vec<(String, Option<String>)>, Sentence> {
        let entries = entries(text)?.into_iter();
        Ok(entries.map(|one| (one.path.join("/"), one.value)).collect())
    }

    #[test]
    fn keys_lists_quotes_and_comments_are_read() {
        let text = "---\n# first\na:\n  b: 1 # one\n  c: 'it''s # no comment'\n  d:\n  - x\n  - \"y z\"\n\
                    e: [p, 'q']\nf: ~\ng: h#i\nj: can't\n";
        let of = |path: &str, value: &str| (path.to_owned(), Some(value.to_owned()));
        let none = |path: &str| (path.to_owned(), None);
        let expected = [
            none("a"),
            of("a/b", "1"),
            of("a/c", "it's # no comment"),
            of("a/d", "x,y z"),
            of("e", "p,q"),
            none("f"),
            of("g", "h#i"),
            of("j", "can't"),
        ];
        assert_eq!(values(text), Ok(expected.to_vec()));
    }

    #[test]
    fn other_yaml_is_refused_with_its_line() {
        for text in [
            "a: |", "a: &b c", "a: {b: c}", "a: 'b", "a: \"b\\n\"", "a: b: c", "- a", "just text",
            "a: [b", "\ta: b", "a b: c", "a:b",
        ] {
            let why = values(&format!("x: 1\n{text}")).expect_err(text);
            assert!(
                why.text()
                    .starts_with("line 2 is YAML that Tenbin does not read"),
                "{why}"
            );
        }
    }
}
