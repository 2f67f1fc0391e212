//! Counts the keys and tables of a plan before the plan is parsed: a parser creates a table for each
//! part of a dotted key, which takes a thousand times the memory of the text.

/// Largest number of keys, parts of dotted keys, tables and lists of a plan.
pub(crate) const MOST_NAMES: usize = 100_000;

/// Whether a text has more than [`MOST_NAMES`] of the signs `=`, `.` and `[` outside of strings and
/// comments.
pub(crate) fn has_too_many(text: &str) -> bool {
    let bytes = text.as_bytes();
    let (mut names, mut at) = (0, 0);
    while let Some(&byte) = bytes.get(at) {
        at += match byte {
            b'#' => length_until(&bytes[at..], 1, b"\n", false),
            b'"' | b'\'' => {
                let quotes = [byte; 3];
                let is_long = bytes[at..].starts_with(&quotes);
                let end = if is_long { &quotes[..] } else { &quotes[..1] };
                length_until(&bytes[at..], end.len(), end, byte == b'"')
            }
            _ => {
                names += usize::from(matches!(byte, b'=' | b'.' | b'['));
                1
            }
        };
        if names > MOST_NAMES {
            return true;
        }
    }
    false
}

/// Length up to and including the first `end` at or after `start`; the length of the whole text if
/// there is none. With `escapes`, a backslash hides the next byte.
fn length_until(text: &[u8], start: usize, end: &[u8], escapes: bool) -> usize {
    let mut at = start;
    while at < text.len() {
        if text[at..].starts_with(end) {
            return at + end.len();
        }
        at += if escapes && text[at] == b'\\' { 2 } else { 1 };
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_signs_outside_of_strings_and_comments_count() {
        let many = MOST_NAMES + 1;
        for (text, expected) in [
            ("a=1\n".repeat(many), true),
            ("a=1\n".repeat(MOST_NAMES), false),
            (format!("{}a = 1", "a.".repeat(many)), true),
            (format!("a = {}", "[".repeat(many)), true),
            (format!("a = \"{}\"", "=".repeat(many)), false),
            (format!("a = \"\\\"{}\"", "=".repeat(many)), false),
            (format!("a = '{}'", "[".repeat(many)), false),
            (format!("a = '\\'\n{}", "b=1\n".repeat(many)), true),
            (format!("a = \"\"\"\n\"{}\"\"\"", "=\n".repeat(many)), false),
            (format!("# {}\na = 1", "=".repeat(many)), false),
            ("\"".to_owned(), false),
            ("\"\\".to_owned(), false),
        ] {
            let start: String = text.chars().take(40).collect();
            assert_eq!(has_too_many(&text), expected, "{start}");
        }
    }
}
