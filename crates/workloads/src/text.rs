//! Formatting of numbers into buffers, and checks of header text.

pub use tenbin_plan::grouped;

/// Appends `number` in decimal.
pub(crate) fn push_decimal(out: &mut Vec<u8>, number: u64) {
    let mut digits = [0_u8; 20];
    let mut first = digits.len();
    let mut rest = number;
    loop {
        first -= 1;
        digits[first] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[first..]);
}

/// Appends a header with the end of its line.
pub(crate) fn push_header(out: &mut Vec<u8>, name: &str, value: &[u8]) {
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b": ");
    out.extend_from_slice(value);
    out.extend_from_slice(b"\r\n");
}

/// Fills `out` with `number` in decimal, with leading zeros.
pub(crate) fn fill_decimal(out: &mut [u8], number: u64) {
    let mut rest = number;
    for digit in out.iter_mut().rev() {
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
}

/// The 32 bytes of a SHA-256 as lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8; 32]) -> [u8; 64] {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut out = [0; 64];
    for (pair, byte) in out.chunks_exact_mut(2).zip(bytes) {
        pair[0] = DIGITS[usize::from(byte >> 4)];
        pair[1] = DIGITS[usize::from(byte & 15)];
    }
    out
}

/// Whether `text` is allowed in a header value: visible ASCII without spaces.
pub(crate) fn is_visible(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_graphic())
}

/// Whether `text` is a token (RFC 9110, section 5.6.2): a method or header name.
pub(crate) fn is_token(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_in_decimal() {
        for number in [0, 7, 10, 1_234_567, u64::MAX] {
            let mut out = b"x".to_vec();
            push_decimal(&mut out, number);
            assert_eq!(out, format!("x{number}").into_bytes());
        }
        let mut out = *b"????";
        fill_decimal(&mut out, 42);
        assert_eq!(&out, b"0042");
    }

    #[test]
    fn hex_is_lower_case() {
        let mut bytes = [0; 32];
        bytes[0] = 0xaf;
        bytes[31] = 0x09;
        let hex = hex(&bytes);
        assert!(hex.starts_with(b"af00") && hex.ends_with(b"0009"));
    }
}
