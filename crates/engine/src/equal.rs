//! Comparison of bytes on the path of a request.

/// Bytes that are compared before the next check for a difference. The compiler uses vector
/// instructions within a block.
const BLOCK: usize = 128;

/// Whether two slices are equal.
///
/// `==` calls `memcmp` of the C library, and that of musl compares byte by byte: in the static
/// packages, the verification of a body of 1 MiB took 4.4 times the CPU time.
#[must_use]
pub fn equal(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let (blocks, rest) = one.as_chunks::<BLOCK>();
    let (other_blocks, other_rest) = other.as_chunks::<BLOCK>();
    let mut pairs = blocks.iter().zip(other_blocks);
    pairs.all(|(one, other)| differences(one, other) == 0) && differences(rest, other_rest) == 0
}

/// The bytes after `prefix`, if `bytes` start with `prefix`.
pub(crate) fn strip_prefix<'b>(bytes: &'b [u8], prefix: &[u8]) -> Option<&'b [u8]> {
    let (start, after) = bytes.split_at_checked(prefix.len())?;
    equal(start, prefix).then_some(after)
}

/// 0 if two slices of the same length are equal.
#[inline]
fn differences(one: &[u8], other: &[u8]) -> u64 {
    let (words, rest) = one.as_chunks::<8>();
    let (other_words, other_rest) = other.as_chunks::<8>();
    let words = words.iter().zip(other_words);
    let rest = rest.iter().zip(other_rest);
    let off = words.fold(0, |off, (one, other)| {
        off | (u64::from_le_bytes(*one) ^ u64::from_le_bytes(*other))
    });
    rest.fold(off, |off, (one, other)| off | u64::from(one ^ other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_single_difference_is_found() {
        for length in 0..3 * BLOCK {
            let one: Vec<u8> = (0..length).map(|at| at as u8).collect();
            let mut other = one.clone();
            assert!(equal(&one, &other), "{length}");
            assert!(!equal(&one, &[&one[..], b"x"].concat()), "{length}");
            for at in 0..length {
                other[at] ^= 1 << (at % 8);
                assert!(!equal(&one, &other), "byte {at} of {length}");
                other[at] = one[at];
            }
        }
    }

    #[test]
    fn a_prefix_is_taken_away() {
        assert_eq!(
            strip_prefix(b"HTTP/1.1 200", b"HTTP/"),
            Some(&b"1.1 200"[..])
        );
        assert_eq!(strip_prefix(b"HTTP/1.1 200", b"http/"), None);
        assert_eq!(strip_prefix(b"HTTP", b"HTTP/"), None);
        assert_eq!(strip_prefix(b"HTTP/", b"HTTP/"), Some(&b""[..]));
    }
}
