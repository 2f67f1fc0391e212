//! URL escapes.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// Escapes a name or value in a query; spaces become `%20`.
pub fn query_component(text: &str) -> String {
    utf8_percent_encode(text, UNRESERVED).to_string()
}

/// Escapes like Ruby's `CGI.escape`: spaces become `+`; all other bytes except letters, digits and
/// `-_.~` become `%XX`.
pub fn cgi(text: &str) -> String {
    query_component(text).replace("%20", "+")
}

/// Decodes the output of [`cgi`] or [`query_component`]; `None` if the result is not UTF-8.
pub fn unescaped(text: &str) -> Option<String> {
    let spaced = text.replace('+', " ");
    let decoded = percent_decode_str(&spaced).decode_utf8().ok()?;
    Some(decoded.into_owned())
}

/// Whether `texts` look like output of [`cgi`]: every text has only characters allowed in a URL,
/// and at least one text contains an escape.
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
    fn spaces_and_other_characters_are_escaped() {
        assert_eq!(
            cgi("C++ (a_b-c.d~*) 町"),
            "C%2B%2B+%28a_b-c.d~%2A%29+%E7%94%BA"
        );
        assert_eq!(query_component("a b+"), "a%20b%2B");
    }

    #[test]
    fn escaped_texts_are_recognized_by_their_escapes() {
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
