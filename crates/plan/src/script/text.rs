//! Values in the text of a script, without a parser of its language.

use std::borrow::Cow;

/// Longest value that is taken over, bytes.
const LONGEST: usize = 200;

/// Whether a character can be part of a name of JavaScript.
pub(super) fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// What stands after each occurrence of a key of an object of JavaScript: `vus: 10`.
pub(super) fn after_keys<'a>(text: &'a str, key: &'a str) -> impl Iterator<Item = &'a str> {
    text.match_indices(key).filter_map(move |(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + key.len()..].trim_start_matches(['\'', '"']);
        let value = after.trim_start().strip_prefix(':')?;
        (!before.is_some_and(is_name_char)).then(|| value.trim_start())
    })
}

/// What stands after the first occurrence of a key.
pub(super) fn after_key<'a>(text: &'a str, key: &'a str) -> Option<&'a str> {
    after_keys(text, key).next()
}

/// The object in braces that a script assigns to a name: `const params = { … }`.
pub(super) fn object_of<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    if name.is_empty() || !name.chars().all(is_name_char) {
        return None;
    }
    text.match_indices(name).find_map(|(at, _)| {
        let before = text[..at].chars().next_back();
        let value = text[at + name.len()..].trim_start().strip_prefix('=')?;
        let value = value.trim_start();
        let is_object = !before.is_some_and(is_name_char) && value.starts_with('{');
        is_object.then_some(value)
    })
}

/// The text without comments: from `line` to the end of a line, and between the marks of `block`.
pub(super) fn without_comments(text: &str, line: &str, block: (&str, &str)) -> String {
    let mut code = String::with_capacity(text.len());
    let (mut rest, mut quote, mut escaped) = (text, None, false);
    while let Some(c) = rest.chars().next() {
        if quote.is_none() && rest.starts_with(block.0) {
            let inner = &rest[block.0.len()..];
            rest = inner.split_once(block.1).map_or("", |(_, after)| after);
            code.push(' ');
            continue;
        }
        if quote.is_none() && rest.starts_with(line) {
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
            continue;
        }
        quote = match quote {
            // A text in these quotes ends with its line at the latest.
            Some(open) if !escaped && (c == open || (c == '\n' && open != '`')) => None,
            None if ['\'', '"', '`'].contains(&c) => Some(c),
            other => other,
        };
        escaped = quote.is_some() && !escaped && c == '\\';
        code.push(c);
        rest = &rest[c.len_utf8()..];
    }
    code
}

/// The whole number that is a whole value; `None` for `0.5`, `1_000`, `1e3` and `2 * users`.
pub(super) fn number(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !(c.is_alphanumeric() || ['.', '_'].contains(&c)));
    let (digits, rest) = text.split_at(end.unwrap_or(text.len()));
    let is_whole = digits.bytes().all(|byte| byte.is_ascii_digit()) && ends(rest);
    (is_whole && !digits.is_empty() && digits.len() < 10).then_some(digits)
}

/// Whether a value ends before this text.
fn ends(rest: &str) -> bool {
    let rest = rest.trim_start();
    rest.is_empty() || rest.starts_with([',', ')', ';', '}', ']'])
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
    let rest = text.trim_start().get(value.len() + 2..)?;
    ends(rest).then_some(value)
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

/// The entries of an object in braces: names without quotes, and values; a variable that gives the entry
/// its name and value has no value here. `None` if the text is no object.
pub(super) fn entries(text: &str) -> Option<Vec<(&str, Option<&str>)>> {
    let inner = text.trim_start().strip_prefix('{')?;
    let entry = |item| match split_name(item) {
        Some((name, value)) => (name, Some(value.trim_start())),
        None => (item, None),
    };
    Some(items(inner).into_iter().map(entry).collect())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_end_and_marks_in_quotes_are_none() {
        let js = |text| without_comments(text, "//", ("/*", "*/"));
        assert_eq!(js("a('http://b'); // c\nd"), "a('http://b'); \nd");
        assert_eq!(js("a /* it's\n b */ c"), "a   c");
        assert_eq!(js("a('\\'//b') // c"), "a('\\'//b') ");
        let lua = |text| without_comments(text, "--", ("--[[", "]]"));
        assert_eq!(lua("a = '--b' --c\n--[[ d\n]]e"), "a = '--b' \n e");
    }

    #[test]
    fn a_number_is_the_whole_value() {
        assert_eq!(number("10, a"), Some("10"));
        assert_eq!(number("10\n}"), Some("10"));
        for computed in ["10 * 2", "10 || 3", "10.5", "1_000", "1e3", "users", ""] {
            assert_eq!(number(computed), None, "{computed}");
        }
    }

    #[test]
    fn an_object_is_found_by_its_name() {
        let text = "const params2 = 1;\nconst params = { a: 1 };";
        assert_eq!(object_of(text, "params"), Some("{ a: 1 };"));
        assert_eq!(object_of(text, "params2"), None);
        assert_eq!(
            entries("{ a: 1, 'b': '2', ...c }"),
            Some(vec![("a", Some("1")), ("b", Some("'2'")), ("...c", None)])
        );
        assert_eq!(entries("a"), None);
    }
}
