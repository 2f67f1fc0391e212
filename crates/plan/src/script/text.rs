//! Values in the text of a script, without a parser of its language.

use std::borrow::Cow;

/// Longest value that is taken over, bytes.
const LONGEST: usize = 200;

/// What stands after a key of an object of JavaScript: `vus: 10`.
pub(super) fn after_key<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(key).find_map(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + key.len()..].trim_start_matches(['\'', '"']);
        let value = after.trim_start().strip_prefix(':')?;
        (!before.is_some_and(is_name)).then(|| value.trim_start())
    })
}

/// The whole number at the beginning of a text; `None` for `0.5`, `1_000` and `1e3`.
pub(super) fn number(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !(c.is_alphanumeric() || ['.', '_'].contains(&c)));
    let digits = &text[..end.unwrap_or(text.len())];
    let is_whole = digits.bytes().all(|byte| byte.is_ascii_digit());
    (is_whole && !digits.is_empty() && digits.len() < 10).then_some(digits)
}

/// A text of [`quoted`] as a word of a shell: in quotes unless it has letters, digits and marks of URLs
/// only.
pub(super) fn word(text: &str) -> Cow<'_, str> {
    let is_safe = |c: char| c.is_ascii_alphanumeric() || "-._~:/@%+,=".contains(c);
    if text.chars().all(is_safe) {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(format!("'{text}'"))
    }
}

/// The text in quotes at the beginning of a text, if a shell would read it back from single quotes.
pub(super) fn quoted(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let quote = text.chars().next().filter(|c| ['\'', '"'].contains(c))?;
    let (value, _) = text[1..].split_once(quote)?;
    let is_plain = |c: char| !c.is_control() && !['\'', '\\', '`', '$'].contains(&c);
    (!value.is_empty() && value.len() <= LONGEST && value.chars().all(is_plain)).then_some(value)
}

/// The text in quotes that is a whole value: nothing is appended to it.
pub(super) fn literal(text: &str) -> Option<&str> {
    let value = quoted(text)?;
    let rest = text.trim_start().get(value.len() + 2..)?.trim_start();
    let ends =
        rest.is_empty() || rest.starts_with([',', ')', ';', '}', ']']) || rest.starts_with("--");
    ends.then_some(value)
}

/// The parts between the commas of a list in brackets; `text` begins after the opening bracket.
pub(super) fn items(text: &str) -> Vec<&str> {
    let mut items = Vec::new();
    let (mut start, mut depth, mut quote, mut escaped) = (0, 0_usize, None, false);
    for (at, c) in text.char_indices() {
        if let Some(open) = quote {
            if !escaped && c == open {
                quote = None;
            }
            escaped = !escaped && c == '\\';
            continue;
        }
        match c {
            '\'' | '"' | '`' => quote = Some(c),
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth == 0 => {
                items.push(text[start..at].trim());
                break;
            }
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                items.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    items.retain(|item| !item.is_empty());
    items
}

/// The entries of an object in braces: names without quotes, and values.
pub(super) fn entries(text: &str) -> Vec<(&str, &str)> {
    let Some(inner) = text.trim_start().strip_prefix('{') else {
        return Vec::new();
    };
    let entry = |item| {
        let (name, value) = split_name(item)?;
        Some((name, value.trim_start()))
    };
    items(inner).into_iter().filter_map(entry).collect()
}

/// The name before a colon, in quotes or not, and what follows the colon.
fn split_name(item: &str) -> Option<(&str, &str)> {
    if let Some(name) = quoted(item) {
        let rest = item.trim_start().get(name.len() + 2..)?;
        return Some((name, rest.trim_start().strip_prefix(':')?));
    }
    let (name, value) = item.split_once(':')?;
    Some((name.trim(), value))
}
