//! Text in URLs.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

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
}
