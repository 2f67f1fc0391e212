//! JSON responses of the access layer. Locations are opaque and kept byte for byte as received.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

/// Response to a deletion that failed in part.
#[derive(Deserialize)]
struct DeleteResponse<'a> {
    #[serde(borrow, default)]
    failed_locations: Vec<&'a RawValue>,
}

/// Response to a request that was refused.
#[derive(Deserialize)]
struct Trouble<'a> {
    #[serde(borrow, default)]
    code: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    error: Option<Cow<'a, str>>,
}

/// Longest error code or message that is shown, bytes.
const LONGEST_WORDS: usize = 64;

/// Location and checksums, as received; `None` if the response has no valid location.
pub(crate) fn stored(response: &[u8]) -> Option<(&[u8], &[u8])> {
    let (location, sums) = fields(response)?;
    let location = location.filter(|location| location.starts_with(b"{"))?;
    Some((location, sums))
}

/// The checksums, as received; empty if there are none.
pub(crate) fn sums(response: &[u8]) -> &[u8] {
    fields(response).map_or(b"", |(_, sums)| sums)
}

/// Location, if any, and checksums; `None` if the response is malformed. Used on the request path:
/// allocates nothing, while a JSON library allocates for nested values.
fn fields(response: &[u8]) -> Option<(Option<&[u8]>, &[u8])> {
    let (mut location, mut sums) = (None, &b""[..]);
    let mut at = expect(response, 0, b'{')?;
    loop {
        let name = skip_spaces(response, at);
        let behind_name = skip_string(response, name)?;
        let value = skip_spaces(response, expect(response, behind_name, b':')?);
        let end = skip_value(response, value)?;
        match &response[name..behind_name] {
            b"\"location\"" => location = Some(&response[value..end]),
            b"\"hashsum\"" => sums = &response[value..end],
            _ => {}
        }
        let next = skip_spaces(response, end);
        match response.get(next)? {
            b',' => at = next + 1,
            b'}' => break,
            _ => return None,
        }
    }
    Some((location, sums))
}

fn skip_spaces(text: &[u8], mut at: usize) -> usize {
    while text.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    at
}

/// Skips spaces and then `byte`, and returns the next position; `None` if another byte follows the
/// spaces.
fn expect(text: &[u8], at: usize, byte: u8) -> Option<usize> {
    let at = skip_spaces(text, at);
    (*text.get(at)? == byte).then_some(at + 1)
}

/// The position after the string that starts at `at`; `None` if `at` is not the start of a complete
/// string.
fn skip_string(text: &[u8], at: usize) -> Option<usize> {
    let mut at = expect(text, at, b'"')?;
    loop {
        match text.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// The position after the value that starts at `at`; `None` if the value is incomplete. Of a nested
/// value, only the brackets are checked.
fn skip_value(text: &[u8], mut at: usize) -> Option<usize> {
    let begin = at;
    let mut depth = 0_usize;
    loop {
        match text.get(at)? {
            b'"' => {
                at = skip_string(text, at)?;
                if depth == 0 {
                    return Some(at);
                }
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth == 0 => return (at > begin).then_some(at),
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            b',' | b' ' | b'\t' | b'\r' | b'\n' if depth == 0 => {
                return (at > begin).then_some(at);
            }
            _ => {}
        }
        at += 1;
    }
}

/// The locations that were not deleted, as received; `None` if the response is malformed.
pub(crate) fn failed_locations(response: &[u8]) -> Option<Vec<&[u8]>> {
    let read: DeleteResponse<'_> = serde_json::from_slice(response).ok()?;
    let failed = read.failed_locations.iter();
    Some(failed.map(|location| location.get().as_bytes()).collect())
}

/// Whether two locations are equal apart from spaces and the order of fields.
pub(crate) fn same(one: &[u8], other: &[u8]) -> bool {
    let read = |text: &[u8]| serde_json::from_slice::<serde_json::Value>(text).ok();
    one == other
        || read(one)
            .zip(read(other))
            .is_some_and(|(one, other)| one == other)
}

/// Code and error message of a refusal, without characters that cannot be shown.
pub(crate) fn refusal(response: &[u8]) -> String {
    let Ok(read) = serde_json::from_slice::<Trouble<'_>>(response) else {
        return String::new();
    };
    let shown = |words: &Cow<'_, str>| {
        let plain = |byte: u8| byte.is_ascii_graphic() || byte == b' ';
        (1..=LONGEST_WORDS).contains(&words.len()) && words.bytes().all(plain)
    };
    let words = [read.code, read.error].into_iter().flatten();
    words.filter(shown).collect::<Vec<_>>().join(": ")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const RESPONSE: &[u8] =
        br#"{"location":{"cluster_id":1,"blobs":[{"min_bid":1}]},"hashsum":{}}"#;

    #[test]
    fn a_location_is_kept_byte_for_byte() {
        let response = br#"{"location": {"b":1, "a" : [ {"x":"}"} ]} ,"hashsum":{"4":"x"}}"#;
        let (location, sums) = stored(response).unwrap();
        assert_eq!(location, br#"{"b":1, "a" : [ {"x":"}"} ]}"#);
        assert_eq!(sums, br#"{"4":"x"}"#);
        assert_eq!(
            stored(br#"{"x":[1,{"location":2}],"y":"\"","location":{}}"#),
            Some((&b"{}"[..], &b""[..]))
        );
        for wrong in [
            "{}", "", "{\"location\":1}", "{\"location\":{}", "{\"location\":}",
            "{\"location\":[{}]}", "{\"location\":{\"a\":\"}", "[{\"location\":{}}]",
        ] {
            assert_eq!(stored(wrong.as_bytes()), None, "{wrong}");
        }
    }

    #[test]
    fn locations_are_the_same_in_any_order_of_fields() {
        assert!(same(br#"{"a":1,"b":[2]}"#, br#"{ "b": [2], "a": 1 }"#));
        assert!(!same(br#"{"a":1}"#, br#"{"a":2}"#));
        assert!(!same(b"x", b"y"));
    }

    #[test]
    fn error_messages_are_shown_without_harmful_characters() {
        for (response, told) in [
            (r#"{"error":"EOF","code":"Argument"}"#, "Argument: EOF"),
            (
                r#"{"error":"access read request body"}"#,
                "access read request body",
            ),
            (r#"{"code":"\u001b[31m","error":"x"}"#, "x"),
            (r#"{"code":"","error":7}"#, ""),
            (r#"{"code":"a\u0000b"}"#, ""),
            ("<html>", ""),
        ] {
            assert_eq!(refusal(response.as_bytes()), told);
        }
        let long = format!(r#"{{"error":"{}"}}"#, "x".repeat(LONGEST_WORDS + 1));
        assert_eq!(refusal(long.as_bytes()), "");
    }

    proptest! {
        #[test]
        fn an_incomplete_response_is_refused(cut in 0..RESPONSE.len()) {
            prop_assert_eq!(stored(&RESPONSE[..cut]), None);
            prop_assert!(stored(RESPONSE).is_some());
        }

        #[test]
        fn garbage_does_not_panic(bytes: Vec<u8>) {
            let _ = stored(&bytes);
            let _ = (failed_locations(&bytes), refusal(&bytes));
        }
    }
}
