//! Bodies in the content coding `aws-chunked`, for payloads that are signed chunk by chunk or have
//! a trailing checksum.
//!
//! Follows "Signature calculations for the Authorization header: transferring payload in multiple
//! chunks" and "… including trailing headers" in the Amazon S3 API reference.

use crate::s3::signing::sigv4::EMPTY_SHA256;

/// Content per chunk, bytes: the minimum that the Amazon S3 API reference recommends.
pub(crate) const CHUNK: usize = 64 << 10;

const SIGNATURE: &[u8] = b";chunk-signature=";
const LINE_END: &[u8] = b"\r\n";

/// How bodies are framed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Framing {
    /// No framing.
    #[default]
    None,
    /// Signed chunks.
    Signed,
    /// Unsigned chunks with a trailing checksum.
    Trailer,
}

/// Length of `size` bytes of content in signed chunks.
pub(crate) fn signed_length(size: u64) -> u64 {
    let framed = |length: u64| {
        let frame = hex_digits(length) + SIGNATURE.len() + 64 + 2 * LINE_END.len();
        frame as u64 + length
    };
    let (whole, rest) = (size / CHUNK as u64, size % CHUNK as u64);
    let rest = if rest > 0 { framed(rest) } else { 0 };
    whole * framed(CHUNK as u64) + rest + framed(0)
}

/// Replaces `out` with content in signed chunks. `hashes` are the SHA-256 hashes of the chunks;
/// `sign` returns the signature of the next chunk.
pub(crate) fn write_signed(
    out: &mut Vec<u8>,
    content: &[u8],
    hashes: &[[u8; 64]],
    mut sign: impl FnMut(&[u8; 64]) -> [u8; 64],
) {
    out.clear();
    let mut push = |chunk: &[u8], hash: &[u8; 64]| {
        push_hex(out, chunk.len());
        out.extend_from_slice(SIGNATURE);
        out.extend_from_slice(&sign(hash));
        out.extend_from_slice(LINE_END);
        out.extend_from_slice(chunk);
        out.extend_from_slice(LINE_END);
    };
    for (chunk, hash) in content.chunks(CHUNK).zip(hashes) {
        push(chunk, hash);
    }
    push(&[], EMPTY_SHA256);
}

/// Content in unsigned chunks, with a trailing header.
pub(crate) fn with_trailer(content: &[u8], name: &str, value: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(content.len() + content.len() / CHUNK * 16 + 128);
    for chunk in content.chunks(CHUNK) {
        push_hex(&mut out, chunk.len());
        out.extend_from_slice(LINE_END);
        out.extend_from_slice(chunk);
        out.extend_from_slice(LINE_END);
    }
    out.extend_from_slice(b"0\r\n");
    out.extend_from_slice(name.as_bytes());
    out.push(b':');
    out.extend_from_slice(value.as_bytes());
    out.extend_from_slice(b"\r\n\r\n");
    out
}

fn hex_digits(number: u64) -> usize {
    (1..=15)
        .take_while(|digits| number >> (4 * digits) > 0)
        .count()
        + 1
}

fn push_hex(out: &mut Vec<u8>, number: usize) {
    for digit in (0..hex_digits(number as u64)).rev() {
        out.push(b"0123456789abcdef"[number >> (4 * digit) & 15]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_is_known_before_the_body_is_written() {
        // The example in the Amazon S3 API reference.
        assert_eq!(signed_length(66_560), 66_824);
        for size in [0, 1, 15, 16, 65_535, 65_536, 65_537, 131_072, 200_000] {
            let content = vec![b'x'; size];
            let hashes = vec![[b'h'; 64]; size.div_ceil(CHUNK)];
            let mut out = b"of another request".to_vec();
            write_signed(&mut out, &content, &hashes, |_| [b's'; 64]);
            assert_eq!(out.len() as u64, signed_length(size as u64), "{size}");
            let end = format!("0;chunk-signature={}\r\n\r\n", "s".repeat(64));
            assert!(out.ends_with(end.as_bytes()));
        }
    }

    #[test]
    fn a_trailer_follows_the_last_chunk() {
        let content = [b'a'; 70_000];
        let framed = with_trailer(&content, "x-amz-checksum-crc32c", "sOO8/Q==");
        let mut expected = b"10000\r\n".to_vec();
        expected.extend_from_slice(&content[..65_536]);
        expected.extend_from_slice(b"\r\n1170\r\n");
        expected.extend_from_slice(&content[65_536..]);
        expected.extend_from_slice(b"\r\n0\r\nx-amz-checksum-crc32c:sOO8/Q==\r\n\r\n");
        assert_eq!(framed, expected);
        assert_eq!(with_trailer(b"", "n", "v"), b"0\r\nn:v\r\n\r\n");
    }
}
