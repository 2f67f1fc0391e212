//! The tags of an XML file, read one by one. Text between tags, which can be whole responses, is
//! passed over, so that memory does not grow with it.

use std::borrow::Cow;
use std::io::BufRead;

use crate::formats::reader::Fault;

/// Longest tag, bytes.
const LONGEST: usize = 1 << 16;

/// Longest text that is kept, bytes.
const LONGEST_TEXT: usize = 1 << 10;

/// The tags of a file.
pub(super) struct Tags<'a> {
    text: &'a mut dyn BufRead,
    /// Line of the current byte.
    line: u64,
    /// Content of the tag, without its brackets.
    tag: Vec<u8>,
    /// Whether the bracket of the next tag has been read.
    is_in_tag: bool,
}

/// A tag.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Tag<'a> {
    /// `<name …>`, or `<name …/>`, which has no content.
    Open {
        name: &'a str,
        /// Attributes with their names.
        attributes: Vec<(&'a str, Cow<'a, str>)>,
        has_content: bool,
    },
    /// `</name>`.
    Close { name: &'a str },
}

/// What is no tag: the text at its start, and the text that ends it.
const OTHERS: [(&[u8], &[u8]); 3] = [(b"!--", b"--"), (b"![CDATA[", b"]]"), (b"?", b"?")];

impl<'a> Tags<'a> {
    pub(super) fn new(text: &'a mut dyn BufRead) -> Self {
        Self {
            text,
            line: 1,
            tag: Vec::new(),
            is_in_tag: false,
        }
    }

    /// The next tag and its line; `None` at the end of the file.
    pub(super) fn next(&mut self) -> Result<Option<(u64, Tag<'_>)>, Fault> {
        loop {
            if !self.is_in_tag && !self.pass_text(&mut |_| {})? {
                return Ok(None);
            }
            self.is_in_tag = false;
            let line = self.line;
            if !self.take_tag(line)? {
                continue;
            }
            let tag = str::from_utf8(&self.tag)
                .ok()
                .and_then(tag)
                .ok_or_else(|| Fault::in_line(line, "is no tag of XML; the file may be damaged"))?;
            return Ok(Some((line, tag)));
        }
    }

    /// The text up to the next tag, of which the beginning is kept.
    pub(super) fn text(&mut self) -> Result<String, Fault> {
        let mut kept = Vec::new();
        self.is_in_tag = self.pass_text(&mut |part| {
            let room = LONGEST_TEXT.saturating_sub(kept.len());
            kept.extend_from_slice(&part[..part.len().min(room)]);
        })?;
        let text = String::from_utf8_lossy(&kept);
        // A reference can be cut at the end of what is kept.
        Ok(unescaped(&text)
            .unwrap_or(Cow::Borrowed(&*text))
            .into_owned())
    }

    /// Passes over the text before the next tag, and hands it to `keep`. False at the end of the
    /// file.
    fn pass_text(&mut self, keep: &mut dyn FnMut(&[u8])) -> Result<bool, Fault> {
        loop {
            let buffer = self
                .text
                .fill_buf()
                .map_err(|error| Fault::reading(self.line, &error))?;
            let at = buffer.iter().position(|byte| *byte == b'<');
            let passed = &buffer[..at.unwrap_or(buffer.len())];
            self.line += passed.iter().filter(|byte| **byte == b'\n').count() as u64;
            keep(passed);
            let (length, is_end) = (passed.len(), buffer.is_empty());
            self.text.consume(length + usize::from(at.is_some()));
            if at.is_some() || is_end {
                return Ok(!is_end);
            }
        }
    }

    /// Reads to the end of a tag. False for a comment, a section of characters, or a processing
    /// instruction.
    fn take_tag(&mut self, line: u64) -> Result<bool, Fault> {
        self.tag.clear();
        let mut quote = None;
        loop {
            let byte = self.byte(line)?;
            let other = OTHERS.iter().find(|(start, _)| self.tag.starts_with(start));
            if let Some((start, end)) = other {
                if byte == b'>' && self.tag[start.len()..].ends_with(end) {
                    return Ok(false);
                }
                // Only the last bytes are needed to find the end.
                if self.tag.len() > start.len() + end.len() {
                    self.tag.remove(start.len());
                }
                self.tag.push(byte);
                continue;
            }
            match (quote, byte) {
                (None, b'>') => return Ok(true),
                (None, b'"' | b'\'') => quote = Some(byte),
                (Some(open), byte) if open == byte => quote = None,
                _ => {}
            }
            if self.tag.len() == LONGEST {
                return Err(Fault::in_line(
                    line,
                    format!("has a tag of more than {LONGEST} bytes; the file may be damaged"),
                ));
            }
            self.tag.push(byte);
        }
    }

    fn byte(&mut self, line: u64) -> Result<u8, Fault> {
        let buffer = self
            .text
            .fill_buf()
            .map_err(|error| Fault::reading(self.line, &error))?;
        let Some(&byte) = buffer.first() else {
            return Err(Fault::in_line(
                line,
                "has a tag that does not end; the file is cut off",
            ));
        };
        self.text.consume(1);
        self.line += u64::from(byte == b'\n');
        Ok(byte)
    }
}

/// Parses a tag without its brackets.
fn tag(text: &str) -> Option<Tag<'_>> {
    if let Some(name) = text.strip_prefix('/') {
        return Some(Tag::Close { name: name.trim() });
    }
    let (text, has_content) = match text.strip_suffix('/') {
        Some(text) => (text, false),
        None => (text, true),
    };
    let name = text.split_ascii_whitespace().next()?;
    let mut attributes = Vec::new();
    let mut rest = text.trim_start()[name.len()..].trim();
    while !rest.is_empty() {
        let (name, after) = rest.split_once('=')?;
        let after = after.trim_start();
        let quote = after.chars().next().filter(|it| ['"', '\''].contains(it))?;
        let (value, after) = after[1..].split_once(quote)?;
        attributes.push((name.trim(), unescaped(value)?));
        rest = after.trim_start();
    }
    Some(Tag::Open {
        name,
        attributes,
        has_content,
    })
}

/// The text of an attribute, with its references resolved.
fn unescaped(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('&') {
        return Some(Cow::Borrowed(text));
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        let (name, after) = after.split_once(';')?;
        plain.push_str(before);
        plain.push(character(name)?);
        rest = after;
    }
    plain.push_str(rest);
    Some(Cow::Owned(plain))
}

fn character(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        name => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix('x') {
                Some(digits) => u32::from_str_radix(digits, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_found_between_texts_comments_and_sections() {
        let text = "<?xml version=\"1.0\"?>\n<!-- <no> -- --><a b='1>2' c=\"&lt;&#x41;&#66;\">\n\
                    text <![CDATA[ <no> ]] ]]>\n<d/></a >";
        let mut text = text.as_bytes();
        let mut tags = Tags::new(&mut text);
        let mut found = Vec::new();
        while let Some((line, tag)) = tags.next().expect("a tag") {
            found.push(format!("{line} {tag:?}"));
        }
        let expected = [
            "2 Open { name: \"a\", attributes: [(\"b\", \"1>2\"), (\"c\", \"<AB\")], has_content: true }",
            "4 Open { name: \"d\", attributes: [], has_content: false }",
            "4 Close { name: \"a\" }",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn the_text_of_an_element_is_kept() {
        let mut text = "<a>1 &lt; 2\n</a><b/>".as_bytes();
        let mut tags = Tags::new(&mut text);
        assert!(tags.next().expect("a tag").is_some());
        assert_eq!(tags.text().expect("a text"), "1 < 2\n");
        let next = tags.next().expect("a tag");
        assert_eq!(next, Some((2, Tag::Close { name: "a" })));
        let long = format!("<a>{}</a>", "x".repeat(9_999));
        let mut text = long.as_bytes();
        let mut tags = Tags::new(&mut text);
        assert!(tags.next().expect("a tag").is_some());
        assert_eq!(tags.text().expect("a text").len(), LONGEST_TEXT);
        assert!(tags.next().expect("a tag").is_some());
        assert_eq!(tags.text().expect("no text"), "");
        assert_eq!(tags.next().expect("the end"), None);
    }

    #[test]
    fn what_is_no_tag_is_refused() {
        for text in [
            "<a b=1>", "<a b=\"1>", "<a", "<>", "<a b=\"&no;\">", "<!-- >",
        ] {
            let mut text = text.as_bytes();
            assert!(Tags::new(&mut text).next().is_err(), "{text:?}");
        }
        let long = format!("<a b=\"{}\">", "x".repeat(LONGEST));
        assert!(Tags::new(&mut long.as_bytes()).next().is_err());
    }
}
