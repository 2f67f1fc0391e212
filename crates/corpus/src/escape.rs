//! Text in URLs.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// A name or a value of a query, spaces as `%20`.
pub fn query_component(text: &str) -> String {
    utf8_percent_encode(text, UNRESERVED).to_string()
}

/// As Ruby's `CGI.escape` does it: spaces as `+`, everything else that is not a letter,
/// a digit or one of `-_.~` in hexadecimal digits.
pub fn cgi(text: &str) -> String {
    query_component(text).replace("%20", "+")
}

/// What [`cgi`] and [`query_component`] were made of; `None` where that is no text.
pub fn unescaped(text: &str) -> Option<String> {
    let spaced = text.replace('+', " ");
    let decoded = percent_decode_str(&spaced).decode_utf8().ok()?;
    Some(decoded.into_owned())
}

/// Whether texts look as [`cgi`] leaves them: each is made of nothing but what stands in a URL,
/// and one at least has hexadecimal digits.
pub fn are_escaped(texts: &[String]) -> bool {
    let is_safe = |b: u8| b.is_ascii_alphanumeric() || b"-_.~+*%".contains(&b);
    let is_digit = |b: Option<&u8>| b.is_some_and(u8::is_ascii_hexdigit);
    let mut digits = false;
    let all = texts.iter().all(|text| {
        let bytes = text.as_bytes();
        bytes.iter().enumerate().all(|(at, &byte)| {
            digits |= byte == b'%';
            let follows = is_digit(bytes.get(at + 1)) && is_digit(bytes.get(at + 2));
            is_safe(byte) && (byte != b'%' || follows)
        })
    });
    all && digits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_and_the_rest() {
        assert_eq!(
            cgi("C++ (a_b-c.d~*) 町"),
            "C%2B%2B+%28a_b-c.d~%2A%29+%E7%94%BA"
        );
        assert_eq!(query_component("a b+"), "a%20b%2B");
    }

    #[test]
    fn what_is_escaped_is_known_by_its_digits() {
        let all = |texts: &[&str]| {
            let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
            are_escaped(&texts)
        };
        assert!(all(&["%E7%94%BA", "a+b", "C%2B%2B"]));
        for raw in [
            &["a+b", "tea"][..],
            &["%E7", "町"],
            &["100%", "%41"],
            &["a b%20"],
        ] {
            assert!(!all(raw), "{raw:?}");
        }
        assert_eq!(unescaped("C%2B%2B+%E7%94%BA").as_deref(), Some("C++ 町"));
        assert_eq!(unescaped("%E7"), None);
    }
}
