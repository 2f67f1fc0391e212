//! Secrets in text that is no request: names, lines of files, and what programs say about them.

use super::{conceal_parameters, is_secret_name};

/// Replaces a secret.
const CONCEALED: char = '…';

/// A name or a URL without the secrets in it. Only a text with a scheme can have a user in front of a
/// host: a name such as `a@b` is not a URL.
pub fn conceal_name(text: &str) -> String {
    let mut parts = text.split("://");
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let authority = part.split(['/', '?', '#', ',']).next().unwrap_or_default();
        let rest = match authority.rsplit_once('@') {
            Some((user, _)) => format!("{CONCEALED}{}", &part[user.len()..]),
            None => part.to_owned(),
        };
        shown += "://";
        shown += &rest;
    }
    conceal_parameters(&shown)
}

/// A text without the secrets in its words, some of which can be URLs.
pub fn conceal_words(text: &str) -> String {
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'');
    text.split_inclusive(ends)
        .map(|part| {
            let word = part.trim_end_matches(ends);
            format!("{}{}", conceal_name(word), &part[word.len()..])
        })
        .collect()
}

/// A line of a file, or a text that repeats one, without the secrets in it: those of
/// [`conceal_words`], and the values that follow the name of a secret and `=` or `:`, as in headers,
/// settings and JSON.
pub fn conceal_text(text: &str) -> String {
    let text = conceal_words(text);
    let mut shown = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find(['=', ':']) {
        let (before, after) = rest.split_at(at + 1);
        shown += before;
        rest = after;
        if is_secret_name(name_at_end(&before[..at])) {
            let (start, secret) = value(rest, before.ends_with(':'));
            shown += &rest[..start];
            let secret = &rest[start..start + secret];
            if is_reference(secret) {
                shown += secret;
            } else if !secret.is_empty() {
                shown.push(CONCEALED);
            }
            rest = &rest[start + secret.len()..];
        }
    }
    shown + rest
}

/// Whether a value is nothing but a reference to a variable, `{env:NAME}`, alone or after a scheme
/// such as `Bearer`.
fn is_reference(value: &str) -> bool {
    let last = value.rsplit_once(' ').map_or(value, |(scheme, last)| {
        let is_scheme = scheme.chars().all(|c| c.is_ascii_alphabetic());
        if is_scheme { last } else { value }
    });
    let name = last
        .strip_prefix("{env:")
        .and_then(|it| it.strip_suffix('}'));
    name.is_some_and(|name| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
}

/// A line of a file as an argument of a message: without secrets, and with control characters escaped,
/// also those that change the direction of writing.
pub fn quotable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in conceal_text(text).chars() {
        if c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}') {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// A line of a file in quotation marks, for messages: without secrets, of at most `most` characters,
/// and with control characters escaped.
pub fn quoted_line(text: &str, most: usize) -> String {
    let text = conceal_text(text);
    let mut short: String = text.chars().take(most).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    format!("{short:?}")
}

/// The name at the end of the text, which can be in quotation marks.
fn name_at_end(text: &str) -> &str {
    let is_name = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    let text = text.trim_end_matches(['"', '\'', '\\', ' ']);
    &text[text.trim_end_matches(is_name).len()..]
}

/// Where a value starts in the text behind its name, and its length, bytes. `is_rest`: a value without
/// quotation marks goes on to the end of the line, as that of a header.
fn value(text: &str, is_rest: bool) -> (usize, usize) {
    let start = text.len() - text.trim_start_matches([' ', '\t', '\\']).len();
    let from = &text[start..];
    let quote = from.chars().next().filter(|c| matches!(c, '"' | '\''));
    if let Some(quote) = quote {
        return (start + 1, end_of_quoted(&from[1..], quote));
    }
    let ends = |c: char| match c {
        '"' | '\'' | '\n' | '\r' => true,
        '&' | ';' | ',' | '#' | '}' | ']' | ')' => !is_rest,
        other => !is_rest && other.is_whitespace(),
    };
    (start, from.find(ends).unwrap_or(from.len()))
}

/// The length of a text up to its closing quotation mark, or to its end, bytes.
fn end_of_quoted(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    let end = text.find(|c: char| {
        let is_end = c == quote && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_end
    });
    end.unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_text_keeps_its_reason() {
        let text = "Get \"http://h/?token=x\": dial tcp [::1]:80: connection refused";
        let shown = "Get \"http://h/?token=…\": dial tcp [::1]:80: connection refused";
        assert_eq!(conceal_words(text), shown);
        assert_eq!(conceal_text(text), shown);
    }

    #[test]
    fn a_quoted_line_of_a_file_has_no_secret_and_no_control_character() {
        for (line, shown) in [
            // Patterns and access logs.
            ("GET /a?api_key=s3cret&q=1", "\"GET /a?api_key=…&q=1\""),
            ("/a b&token=s3cret", "\"/a b&token=…\""),
            ("http://me:s3cret@h/", "\"http://…@h/\""),
            // NDJSON.
            (
                "{\"password\": \"s3 \\\"cret\", \"a\": 1}",
                "\"{\\\"password\\\": \\\"…\\\", \\\"a\\\": 1}\"",
            ),
            ("{\"token\":123}", "\"{\\\"token\\\":…\""),
            // Headers and settings.
            ("Authorization: Bearer s3cret", "\"Authorization: …\""),
            ("-H 'X-Api-Key: s3cret' -c 4", "\"-H 'X-Api-Key: …' -c 4\""),
            (
                "-H 'Authorization: Bearer {env:TOKEN}'",
                "\"-H 'Authorization: Bearer {env:TOKEN}'\"",
            ),
            ("token=s3cret {env:A}", "\"token=… {env:A}\""),
            ("secret_key = \"s3cret\"", "\"secret_key = \\\"…\\\"\""),
            // CSV.
            ("1,token=s3cret,2", "\"1,token=…,2\""),
            ("a\u{1b}[31m\tb", "\"a\\u{1b}[31m\\tb\""),
            ("0.25s", "\"0.25s\""),
            ("at 10:00: no token", "\"at 10:00: no token\""),
        ] {
            assert_eq!(quoted_line(line, 200), shown);
        }
        assert_eq!(quoted_line("abcdef", 3), "\"abc…\"");
        assert_eq!(quoted_line("token=s3cret and more", 9), "\"token=… a…\"");
    }

    #[test]
    fn a_line_in_an_argument_is_one_line() {
        assert_eq!(
            quotable("a\nb\u{1b}[0m \u{202e}token=s3cret"),
            "a\\nb\\u{1b}[0m \\u{202e}token=…"
        );
    }
}
