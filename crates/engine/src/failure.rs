//! Counts failure texts by shape: the text with placeholders for variable parts.
//!
//! Servers put numbers, ids and names into error messages, so the same failure has a different text
//! each time. Texts of one shape count together, under the first text.

use std::collections::BTreeMap;

/// Start of the text of a connection for which the system has no free port.
pub const NO_PORT: &str = "no local port left";

/// Replaces a number, an id or a quoted name in a shape.
const PLACEHOLDER: char = '#';

/// Fewest letters and digits of a hexadecimal id.
const SHORTEST_HEX: usize = 8;

/// Fewest letters and digits of an id that is not hexadecimal.
const SHORTEST_ID: usize = 12;

/// Adds `count` failures with `text` to the failures of the same shape.
pub fn count(failures: &mut BTreeMap<String, u64>, text: &str, count: u64) {
    if let Some(known) = failures.get_mut(text) {
        *known += count;
        return;
    }
    let shape = shape(text);
    let known = failures
        .iter_mut()
        .find(|(known, _)| self::shape(known) == shape);
    match known {
        Some((_, known)) => *known += count,
        None => drop(failures.insert(text.to_owned(), count)),
    }
}

/// First word of the text of a failed check, and the words between the check and what was received.
const CHECK: (&str, &str) = ("check ", "; got ");

/// `text` with a placeholder for every number, id and quoted name. Status codes stay: three digits
/// after an opening bracket or the word `status`.
///
/// The shape of a failed check is the check itself: two checks never share a shape, and all
/// failures of one check do.
pub fn shape(text: &str) -> String {
    if text.starts_with(CHECK.0)
        && let Some(end) = text.find(CHECK.1)
    {
        return text[..end].to_owned();
    }
    let mut shape = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' | '\'' | '`' if opens_quote(&shape) => quoted(rest, first),
            _ if is_word(first) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            _ => 0,
        };
        if length == 0 {
            shape.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let (token, after) = rest.split_at(length);
        match is_word(first) {
            true if is_status(&shape, token, after) => shape.push_str(token),
            true => push_word(&mut shape, token),
            false => shape.push(PLACEHOLDER),
        }
        rest = after;
    }
    shape
}

/// Whether a quotation mark after `before` can open a name. A mark inside a word, as in `it's`,
/// cannot.
fn opens_quote(before: &str) -> bool {
    !before.ends_with(|c: char| c.is_alphanumeric())
}

/// Length of the quoted name at the start of `text`, with both quotation marks, bytes; 0 if the
/// closing mark is missing.
fn quoted(text: &str, mark: char) -> usize {
    text[1..].find(mark).map_or(0, |end| end + 2)
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_')
}

fn is_status(before: &str, token: &str, after: &str) -> bool {
    let is_number = token.len() == 3 && token.bytes().all(|byte| byte.is_ascii_digit());
    let of_brackets = before.ends_with('(')
        && (after.starts_with(')')
            || after[..].starts_with(' ') && {
                let next = after[1..].chars().next();
                next.is_some_and(char::is_alphabetic)
            });
    is_number && (of_brackets || before.ends_with("status ") || before.ends_with("status: "))
}

/// Appends a word with a placeholder for each number, or one placeholder if the word is an id.
fn push_word(shape: &mut String, word: &str) {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let letters = word.bytes().filter(u8::is_ascii_alphabetic).count();
    let is_hex = word
        .bytes()
        .all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    let is_id = is_hex && digits > 0 && word.len() >= SHORTEST_HEX
        || digits > 1 && letters > 0 && !word.contains('-') && word.len() >= SHORTEST_ID;
    if is_id {
        shape.push(PLACEHOLDER);
        return;
    }
    let mut in_number = false;
    for c in word.chars() {
        if !c.is_ascii_digit() {
            shape.push(c);
        } else if !in_number {
            shape.push(PLACEHOLDER);
        }
        in_number = c.is_ascii_digit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_ids_and_quoted_names_make_no_other_shape() {
        let same = [
            [
                "blob 17 not found (0 < 5)",
                "blob 123456 not found (250 < 5)",
            ],
            [
                "bid: 1a2b3c4d5e6f vid: 3: no such key \"a/b\"",
                "bid: 99887766ffee vid: 12: no such key \"c\"",
            ],
            [
                "request 3f2504e0-4f89-11d3-9a0c-0305e82c3301 failed",
                "request 6ba7b810-9dad-11d1-80b4-00c04fd430c8 failed",
            ],
            [
                "id tx00000A1B2C3D4Z, part 1", "id tx99999Z9Y8X7W6Q, part 20",
            ],
        ];
        for [one, other] in same {
            assert_eq!(shape(one), shape(other));
        }
        let different = [
            ["refused (500 Internal)", "refused (503 Busy)"],
            ["refused (500)", "refused (503)"],
            ["status 404", "status 405"],
            ["it's gone, isn't it", "it's there, isn't it"],
            ["no such key", "no such bucket"],
        ];
        for [one, other] in different {
            assert_ne!(shape(one), shape(other));
        }
        assert_eq!(shape("größer \"als"), "größer \"als");
    }

    #[test]
    fn failures_are_counted_under_the_text_that_came_first() {
        let mut failures = BTreeMap::new();
        for number in 100..740 {
            count(&mut failures, &format!("blob {number} is lost (0 < 5)"), 1);
        }
        count(&mut failures, "limited (429)", 2);
        let expected = [("blob 100 is lost (0 < 5)", 640), ("limited (429)", 2)];
        let expected = expected.map(|(text, count)| (text.to_owned(), count));
        assert_eq!(failures, BTreeMap::from(expected));
    }
}
