//! Escapes text from servers and other programs for the output that shows the text.

use std::io::{self, Write};

use serde_json::ser::{Formatter, PrettyFormatter};
use tenbin_record::is_harmful;

/// Escapes text for a terminal: one line, without characters that move the cursor, change colours
/// or reverse the writing direction.
pub fn for_terminal(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        if is_harmful(c) {
            safe.extend(c.escape_unicode());
        } else {
            safe.push(c);
        }
    }
    safe
}

/// Escapes serialised JSON for a terminal: values are unchanged, and each harmful character becomes
/// a Unicode escape. JSON serialisers escape only ASCII controls.
pub(crate) fn for_json(json: String) -> String {
    let is_harmful = |c: char| is_harmful(c) && c != '\n';
    if !json.contains(is_harmful) {
        return json;
    }
    let mut safe = String::with_capacity(json.len() + 64);
    for c in json.chars() {
        if is_harmful(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                safe.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            safe.push(c);
        }
    }
    safe
}

/// A JSON formatter that escapes each string with [`for_json`] while writing.
#[derive(Default)]
pub(crate) struct Harmless(PrettyFormatter<'static>);

impl Formatter for Harmless {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        if fragment.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
            writer.write_all(fragment.as_bytes())
        } else {
            writer.write_all(for_json(fragment.to_owned()).as_bytes())
        }
    }

    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_array(writer)
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array(writer)
    }

    fn begin_array_value<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.0.begin_array_value(writer, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array_value(writer)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object(writer)
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object(writer)
    }

    fn begin_object_key<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.0.begin_object_key(writer, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object_value(writer)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object_value(writer)
    }
}

/// A comment, which no reader of a page sees. GitHub looks for mentions (`@name`) and references (`#12`)
/// when the backslashes are gone, and not across a comment.
const COMMENT: &str = "<!-- -->";

/// The text, or its first characters and `…` if it has more than `most` characters.
pub fn shortened(text: &str, most: usize) -> String {
    if text.chars().nth(most).is_none() {
        return text.to_owned();
    }
    let start: String = text.chars().take(most.saturating_sub(1)).collect();
    start + "…"
}

/// Escapes running text for Markdown, so that no character has a special meaning.
pub(crate) fn for_markdown(text: &str) -> String {
    let text = for_terminal(text);
    let mut safe = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        if matches!(
            c,
            '\\' | '`'
                | '*'
                | '_'
                | '['
                | ']'
                | '<'
                | '>'
                | '#'
                | '|'
                | '~'
                | '&'
                | '!'
                | '@'
                | '$'
        ) {
            safe.push('\\');
        }
        safe.push(c);
        if begins_reference(c, letters.peek().copied()) {
            safe.push_str(COMMENT);
        }
    }
    safe
}

/// Whether a character can begin a mention or a reference. A mention can go on in the next span.
fn begins_reference(c: char, next: Option<char>) -> bool {
    match c {
        '@' => next.is_none_or(char::is_alphanumeric),
        '#' => next.is_some_and(|next| next.is_ascii_digit()),
        _ => false,
    }
}

/// Escapes text for HTML inside Markdown.
pub(crate) fn for_html(text: &str) -> String {
    let text = for_terminal(text);
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// Escapes text and attributes for HTML and SVG pages: no part of the text acts as mark-up or
/// entity or ends an attribute, and characters that XML does not allow become `\u{…}`.
pub(crate) fn for_xml(text: &str) -> String {
    let mut safe = String::with_capacity(text.len() + text.len() / 8);
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c if is_escaped_in_xml(c) => safe.extend(c.escape_unicode()),
            c => safe.push(c),
        }
    }
    safe
}

/// Escapes the value of a field of a form in an HTML page. Browsers send the value back, so all its
/// characters stay: those that [`for_xml`] shows as `\u{…}` become references.
pub(crate) fn for_field(text: &str) -> String {
    let mut safe = String::with_capacity(text.len() + text.len() / 8);
    for c in text.chars() {
        match c {
            // HTML reads a reference to one of these as another character.
            '\u{80}'..='\u{9f}' => safe.push(c),
            c if is_escaped_in_xml(c) => safe.push_str(&format!("&#x{:04x};", u32::from(c))),
            c => safe.push_str(&for_xml(c.encode_utf8(&mut [0; 4]))),
        }
    }
    safe
}

/// Whether [`for_xml`] shows a character as `\u{202e}`, which takes more space than a letter.
pub(crate) fn is_escaped_in_xml(c: char) -> bool {
    is_harmful(c) || matches!(c, '\u{fffe}' | '\u{ffff}')
}

/// Formats text as code in a cell of a Markdown table: no part of the text acts as mark-up, link or
/// mention.
pub(crate) fn as_code(text: &str) -> String {
    let text = for_terminal(text).replace('|', "\\|");
    let longest_run = text
        .split(|c| c != '`')
        .map(str::len)
        .max()
        .unwrap_or_default();
    let fence = "`".repeat(longest_run + 1);
    if longest_run == 0 && !text.is_empty() {
        format!("{fence}{text}{fence}")
    } else {
        format!("{fence} {text} {fence}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_keeps_its_values_and_has_no_control() {
        let hostile = "a\u{1b}\u{9b}31m\n\u{7f}\u{202e}\u{e0001}b";
        let json = serde_json::to_string_pretty(&[hostile]).expect("JSON");
        let safe = for_json(json);
        let is_control = |c: char| is_harmful(c) && c != '\n';
        assert!(!safe.contains(is_control), "{safe:?}");
        let again: Vec<String> = serde_json::from_str(&safe).expect("JSON");
        assert_eq!(again, [hostile]);
    }

    #[test]
    fn a_terminal_sees_no_control() {
        let hostile = "a\u{1b}[2J\u{9b}31m\r\nb\u{202e}c\u{7}";
        let safe = for_terminal(hostile);
        assert_eq!(safe, r"a\u{1b}[2J\u{9b}31m\u{d}\u{a}b\u{202e}c\u{7}");
        assert!(!safe.chars().any(char::is_control));
        assert_eq!(for_terminal("天秤 ±2 %"), "天秤 ±2 %");
    }

    #[test]
    fn markdown_means_itself() {
        assert_eq!(
            for_markdown("<img src=x>|*a*_b_`c`[d](e)\n# f"),
            r"\<img src=x\>\|\*a\*\_b\_\`c\`\[d\](e)\\u{a}\# f"
        );
    }

    #[test]
    fn markdown_mentions_nobody() {
        assert_eq!(
            for_markdown("@octocat, a/b#12, 3 @ 2 GHz, # 1, @"),
            r"\@<!-- -->octocat, a/b\#<!-- -->12, 3 \@ 2 GHz, \# 1, \@<!-- -->"
        );
    }

    #[test]
    fn a_field_keeps_every_character() {
        assert_eq!(
            for_field("a\u{200d}b\u{e0001}\u{202e}\u{1b}\u{85}"),
            "a&#x200d;b&#xe0001;&#x202e;&#x001b;\u{85}"
        );
        assert_eq!(for_field("<\"'&>天"), "&lt;&quot;&#39;&amp;&gt;天");
    }

    #[test]
    fn code_cannot_be_left() {
        assert_eq!(as_code("x | <b>"), r"`x \| <b>`");
        assert_eq!(as_code("a``b`c"), "``` a``b`c ```");
        assert_eq!(as_code("\n"), r"`\u{a}`");
    }
}
