//! Encodings in which a secret can appear in text.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// All characters except the unreserved characters of RFC 3986, section 2.3.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');
/// Shortest secret, bytes, whose hexadecimal and Base64 forms are long enough to be recognized.
const SHORTEST_ENCODED: usize = 6;

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const FOR_URLS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The secret and its encoded forms: percent-encoded, hexadecimal, and Base64 at every offset in a
/// longer text.
pub(crate) fn forms(secret: &str) -> Vec<Vec<u8>> {
    let percent = [NON_ALPHANUMERIC, RESERVED]
        .map(|set| utf8_percent_encode(secret, set).to_string().into_bytes());
    let mut forms = vec![secret.as_bytes().to_vec()];
    for form in percent {
        forms.push(with_lower_escapes(&form));
        forms.push(form);
    }
    if secret.len() >= SHORTEST_ENCODED {
        let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
        forms.push(hex.to_ascii_uppercase().into_bytes());
        forms.push(hex.into_bytes());
        for alphabet in [STANDARD, FOR_URLS] {
            forms.extend((0..3).map(|offset| base64(secret.as_bytes(), offset, alphabet)));
        }
    }
    forms
}

/// Converts percent escapes to lower case: `%2F` becomes `%2f`.
fn with_lower_escapes(text: &[u8]) -> Vec<u8> {
    let escaped = |at: usize| (1..=2).any(|back| at >= back && text[at - back] == b'%');
    let each = text.iter().enumerate();
    each.map(|(at, byte)| {
        if escaped(at) {
            byte.to_ascii_lowercase()
        } else {
            *byte
        }
    })
    .collect()
}

/// The Base64 characters (RFC 4648) that depend only on the secret, if `offset` bytes (modulo
/// three) precede the secret.
fn base64(secret: &[u8], offset: usize, alphabet: &[u8; 64]) -> Vec<u8> {
    let bit = |at: usize| (secret[at / 8] >> (7 - at % 8)) & 1;
    let bits = secret.len() * 8;
    // Base64 divides the whole text into groups of six bits; skip a group that starts before the
    // secret.
    let first = (6 - offset * 8 % 6) % 6;
    (first..)
        .step_by(6)
        .take_while(|start| start + 6 <= bits)
        .map(|start| (start..start + 6).fold(0, |value, at| value << 1 | bit(at)))
        .map(|value| alphabet[usize::from(value)])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base64s(secret: &str) -> Vec<String> {
        let each = (0..3).map(|offset| base64(secret.as_bytes(), offset, STANDARD));
        each.map(|form| String::from_utf8(form).unwrap()).collect()
    }

    #[test]
    fn base64_is_recognized_at_every_offset() {
        // Output of `base64` for "hunter2", "xhunter2" and "xyhunter2".
        let whole = ["aHVudGVyMg==", "eGh1bnRlcjI=", "eHlodW50ZXIy"];
        for (form, whole) in base64s("hunter2").iter().zip(whole) {
            assert!(form.len() >= 8 && whole.contains(form), "{form} in {whole}");
        }
    }

    #[test]
    fn escapes_are_recognized_in_both_cases() {
        let forms = forms("a/b+c");
        for form in ["a/b+c", "a%2Fb%2Bc", "a%2fb%2bc"] {
            assert!(forms.contains(&form.as_bytes().to_vec()), "{form}");
        }
    }
}
