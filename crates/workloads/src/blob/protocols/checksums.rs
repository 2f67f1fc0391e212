//! Checksums of sent content: checksums that the server computes, and checksums in the blocks of a
//! framed body.

use std::collections::BTreeMap;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use md5::{Digest, Md5};
use sha1::Sha1;
use sha2::Sha256;
use tenbin_plan::BlobHash;

/// Maximum content of a block in a framed body, bytes: 64 KiB minus the checksum.
const BLOCK: usize = (64 << 10) - SUM;

/// Length of a block's checksum, bytes.
const SUM: usize = 4;

/// Whether the server returned all requested checksums, with the right values.
pub(crate) fn fit(hashes: &[BlobHash], sent: &[u8], sums: &[u8]) -> bool {
    if hashes.is_empty() {
        return true;
    }
    let Ok(sums) = serde_json::from_slice::<BTreeMap<&str, &str>>(sums) else {
        return false;
    };
    hashes.iter().all(|&hash| {
        let ours = BASE64_STANDARD.encode(sum(hash, sent));
        let bit = hash.bit().to_string();
        sums.get(bit.as_str()).is_some_and(|theirs| *theirs == ours)
    })
}

fn sum(hash: BlobHash, bytes: &[u8]) -> Vec<u8> {
    match hash {
        BlobHash::Crc32 => crc32(bytes).to_be_bytes().to_vec(),
        BlobHash::Md5 => Md5::digest(bytes).to_vec(),
        BlobHash::Sha1 => Sha1::digest(bytes).to_vec(),
        BlobHash::Sha256 => Sha256::digest(bytes).to_vec(),
    }
}

pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    crc_fast::checksum(crc_fast::CrcAlgorithm::Crc32IsoHdlc, bytes) as u32
}

/// Replaces `out` with the content in blocks, each preceded by its CRC-32 (little-endian).
/// Allocates nothing if `out` has enough capacity.
pub(crate) fn frame(content: &[u8], out: &mut Vec<u8>) {
    out.clear();
    out.reserve(framed_length(content.len() as u64) as usize);
    for block in content.chunks(BLOCK) {
        out.extend_from_slice(&crc32(block).to_le_bytes());
        out.extend_from_slice(block);
    }
}

/// Length of `length` bytes of content after framing, bytes.
pub(crate) fn framed_length(length: u64) -> u64 {
    length + length.div_ceil(BLOCK as u64) * SUM as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_fit_only_what_was_sent() {
        let all = [
            BlobHash::Crc32,
            BlobHash::Md5,
            BlobHash::Sha1,
            BlobHash::Sha256,
        ];
        // Checksums of "abc", from the standards.
        let sums = br#"{"2":"NSRBwg==","4":"kAFQmDzST7DWlj99KOF/cg==",
            "8":"qZk+NkcGgWq6PiVxeFDCbJzQ2J0=",
            "16":"ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="}"#;
        assert!(fit(&all, b"abc", sums));
        for hash in all {
            assert!(!fit(&[hash], b"abd", sums), "{hash:?}");
            assert!(!fit(&[hash], b"abc", b"{}"), "{hash:?}");
        }
        assert!(fit(&[], b"abc", b""));
        assert!(!fit(&[BlobHash::Md5], b"abc", b"not json"));
    }

    #[test]
    fn a_framed_body_is_blocks_of_64_kib_with_their_sums() {
        let mut out = b"old".to_vec();
        frame(b"abc", &mut out);
        // CRC-32 of "abc" is 0x352441c2.
        assert_eq!(out, b"\xc2\x41\x24\x35abc");
        for length in [1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK, 1 << 20] {
            let content = vec![7; length];
            frame(&content, &mut out);
            assert_eq!(out.len() as u64, framed_length(length as u64));
            let blocks: Vec<&[u8]> = out.chunks(64 << 10).collect();
            assert_eq!(blocks.len(), length.div_ceil(BLOCK));
            for block in blocks {
                let (sum, content) = block.split_at(SUM);
                assert_eq!(sum, crc32(content).to_le_bytes());
            }
        }
    }
}
