//! Checksums that clients can request, with one bit per algorithm.

use std::collections::BTreeMap;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use md5::{Digest, Md5};
use sha1::Sha1;
use sha2::Sha256;

/// The checksums of `content` that `bits` selects, in base64, by bit: 2 is CRC-32, 4 MD5, 8 SHA-1,
/// 16 SHA-256.
pub(super) fn of(bits: u8, content: &[u8]) -> BTreeMap<String, String> {
    type Sum = fn(&[u8]) -> Vec<u8>;
    let sums: [(u8, Sum); 4] = [
        (2, |content| {
            let sum = crc_fast::checksum(crc_fast::CrcAlgorithm::Crc32IsoHdlc, content);
            (sum as u32).to_be_bytes().to_vec()
        }),
        (4, |content| Md5::digest(content).to_vec()),
        (8, |content| Sha1::digest(content).to_vec()),
        (16, |content| Sha256::digest(content).to_vec()),
    ];
    sums.iter()
        .filter(|(bit, _)| bits & bit != 0)
        .map(|(bit, sum)| (bit.to_string(), BASE64_STANDARD.encode(sum(content))))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::of;

    /// Checks the checksums of "abc" against the standards and `cksum -o 3`.
    #[test]
    fn known_sums() {
        let sums = of(30, b"abc");
        assert_eq!(sums["2"], "NSRBwg==");
        assert_eq!(sums["4"], "kAFQmDzST7DWlj99KOF/cg==");
        assert_eq!(sums["8"], "qZk+NkcGgWq6PiVxeFDCbJzQ2J0=");
        assert_eq!(sums["16"], "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
        assert_eq!(of(4, b"abc").len(), 1);
        assert!(of(0, b"abc").is_empty());
    }
}
