//! Framed bodies: the body consists of blocks that start with the CRC-32 of their content.

use bytes::{Bytes, BytesMut};

/// Request header that announces a framed body.
pub(super) const ENCODED: &str = "x-crc-encoded";

/// Response header that confirms the framing.
pub(super) const ACKNOWLEDGED: &str = "x-ack-crc-encoded";

/// Size of a full block including its checksum, bytes.
const BLOCK: usize = 64 << 10;

/// Size of a checksum, bytes; the checksum is little-endian.
const SUM: usize = 4;

/// Length of the framed body for `content` bytes of content.
pub(super) fn length(content: u64) -> u64 {
    let blocks = content.div_ceil((BLOCK - SUM) as u64);
    blocks * BLOCK as u64
}

/// The content of a framed body; `None` if a block does not match its checksum.
pub(super) fn content(body: &[u8]) -> Option<Bytes> {
    let mut content = BytesMut::with_capacity(body.len());
    for block in body.chunks(BLOCK) {
        let (sum, part) = block.split_first_chunk::<SUM>()?;
        let own = crc_fast::checksum(crc_fast::CrcAlgorithm::Crc32IsoHdlc, part) as u32;
        if u32::from_le_bytes(*sum) != own {
            return None;
        }
        content.extend_from_slice(part);
    }
    Some(content.freeze())
}

#[cfg(test)]
mod tests {
    use super::content;

    #[test]
    fn every_block_is_checked() {
        // CRC-32 of "abc" is 0x352441c2.
        let framed = *b"\xc2\x41\x24\x35abc";
        assert_eq!(content(&framed).as_deref(), Some(&b"abc"[..]));
        assert_eq!(content(b"").as_deref(), Some(&b""[..]));
        for at in 0..framed.len() {
            let mut other = framed;
            other[at] ^= 1;
            assert_eq!(content(&other), None, "{at}");
        }
        assert_eq!(content(b"abc"), None);
    }
}
