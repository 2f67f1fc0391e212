//! Percent-encoding of URIs as required by SigV4 and S3.

/// Appends `text` percent-encoded, except for the unreserved characters of RFC 3986 (letters,
/// digits, `-`, `.`, `_`, `~`) and, if `keep_slash`, `/`.
pub fn push_encoded(out: &mut Vec<u8>, text: &[u8], keep_slash: bool) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for &byte in text {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) || (keep_slash && byte == b'/') {
            out.push(byte);
        } else {
            out.extend_from_slice(&[
                b'%',
                DIGITS[usize::from(byte >> 4)],
                DIGITS[usize::from(byte & 15)],
            ]);
        }
    }
}

/// An encoded path; slashes are kept.
pub fn encode_path(path: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(path.len());
    push_encoded(&mut out, path, true);
    out
}

/// A query in canonical form, as it is signed: encoded, then sorted by name and value.
pub fn canonical_query<'a>(pairs: impl IntoIterator<Item = (&'a [u8], &'a [u8])>) -> Vec<u8> {
    let encoded = |text: &[u8]| {
        let mut out = Vec::with_capacity(text.len());
        push_encoded(&mut out, text, false);
        out
    };
    let mut pairs: Vec<_> = pairs
        .into_iter()
        .map(|(name, value)| (encoded(name), encoded(value)))
        .collect();
    pairs.sort_unstable();
    let parts: Vec<_> = pairs
        .into_iter()
        .map(|(name, value)| [name, value].join(&b'='))
        .collect();
    parts.join(&b'&')
}

/// Decodes percent-encoding. A `%` without two hexadecimal digits is kept.
pub fn decode(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    push_decoded(&mut out, text);
    out
}

/// As [`decode`], appended to `out`.
pub(crate) fn push_decoded(out: &mut Vec<u8>, text: &[u8]) {
    let mut rest = text;
    while let [first, after @ ..] = rest {
        let escape = (*first == b'%').then(|| escaped_byte(after)).flatten();
        out.push(escape.unwrap_or(*first));
        rest = if escape.is_some() { &after[2..] } else { after };
    }
}

fn escaped_byte(digits: &[u8]) -> Option<u8> {
    let digit = |at: usize| char::from(*digits.get(at)?).to_digit(16);
    Some((digit(0)? * 16 + digit(1)?) as u8)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn known_encodings() {
        assert_eq!(encode_path(b"/a b/\xc3\xbc+~"), b"/a%20b/%C3%BC%2B~");
        assert_eq!(
            canonical_query([(&b"b"[..], &b"x/y"[..]), (b"a", b""), (b"b", b"1")]),
            b"a=&b=1&b=x%2Fy"
        );
        assert_eq!(decode(b"100%25%zz%2"), b"100%%zz%2");
    }

    proptest! {
        #[test]
        fn decoding_undoes_encoding(text: Vec<u8>, keep_slash: bool) {
            let mut encoded = Vec::new();
            push_encoded(&mut encoded, &text, keep_slash);
            prop_assert!(encoded.iter().all(|b| b.is_ascii_alphanumeric() || b"-._~%/".contains(b)));
            prop_assert!(keep_slash || !encoded.contains(&b'/'));
            prop_assert_eq!(decode(&encoded), text);
        }

        #[test]
        fn different_texts_stay_different(a: Vec<u8>, b: Vec<u8>) {
            prop_assert_eq!(a == b, encode_path(&a) == encode_path(&b));
        }
    }
}
