//! Checksums and decoding of response bodies.

use std::io::Read;

use crc_fast::{CrcAlgorithm, Digest};

const ALGORITHM: CrcAlgorithm = CrcAlgorithm::Crc64Nvme;
/// Initial state of a CRC-64/NVME checksum.
pub(super) const START: u64 = u64::MAX;
/// Longest decoded body, bytes.
const MOST_DECODED: u64 = 64 << 20;

/// Updates the state of a checksum with the next bytes.
#[inline]
pub(super) fn fold(state: u64, part: &[u8]) -> u64 {
    let mut digest = Digest::new_with_init_state(ALGORITHM, state);
    digest.update(part);
    digest.get_state()
}

/// The checksum of all bytes that were added to `state`.
#[inline]
pub(super) fn finished(state: u64) -> u64 {
    Digest::new_with_init_state(ALGORITHM, state).finalize()
}

/// Length, bytes, and checksum of a decoded body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Decoded {
    pub(super) length: u64,
    pub(super) sum: u64,
}

impl Decoded {
    /// Decodes a body. `None` if the encoding is unknown, several encodings are applied, or the
    /// body is damaged or longer than [`MOST_DECODED`]. Brotli (`br`) is not supported.
    pub(super) fn of(body: &[u8], encoding: Option<&str>) -> Option<Self> {
        let encoding = encoding.unwrap_or_default().trim().to_ascii_lowercase();
        match encoding.as_str() {
            "" | "identity" => Self::read(body),
            "gzip" | "x-gzip" => Self::read(flate2::read::MultiGzDecoder::new(body)),
            // The zlib format (RFC 9110, section 8.4.1.2); some servers send raw DEFLATE.
            "deflate" => Self::read(flate2::read::ZlibDecoder::new(body))
                .or_else(|| Self::read(flate2::read::DeflateDecoder::new(body))),
            "zstd" => Self::read(zstd::stream::read::Decoder::new(body).ok()?),
            _ => None,
        }
    }

    fn read(from: impl Read) -> Option<Self> {
        let mut from = from.take(MOST_DECODED + 1);
        let mut buffer = vec![0; 64 * 1024];
        let (mut length, mut state) = (0, START);
        loop {
            let count = from.read(&mut buffer).ok()?;
            if count == 0 {
                break;
            }
            length += count as u64;
            state = fold(state, &buffer[..count]);
        }
        (length <= MOST_DECODED).then(|| Self {
            length,
            sum: finished(state),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn the_checksum_of_parts_is_that_of_the_whole() {
        let body: Vec<u8> = (0..10_000_u32).map(|at| (at * 7) as u8).collect();
        let whole = crc_fast::checksum(ALGORITHM, &body);
        for cut in [0, 1, 7, 256, 9_999] {
            let (head, tail) = body.split_at(cut);
            assert_eq!(finished(fold(fold(START, head), tail)), whole, "{cut}");
        }
    }

    #[test]
    fn encoded_bodies_have_the_checksum_of_the_plain_one() {
        let body = b"compare the same page twice. ".repeat(400);
        let plain = Decoded::of(&body, None);
        assert_eq!(plain.map(|plain| plain.length), Some(body.len() as u64));
        let level = flate2::Compression::default();
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), level);
        gzip.write_all(&body).unwrap();
        let gzip = gzip.finish().unwrap();
        let mut deflate = flate2::write::ZlibEncoder::new(Vec::new(), level);
        deflate.write_all(&body).unwrap();
        let deflate = deflate.finish().unwrap();
        let zstd = zstd::bulk::compress(&body, 3).unwrap();
        assert_eq!(Decoded::of(&gzip, Some("gzip")), plain);
        assert_eq!(Decoded::of(&deflate, Some(" Deflate")), plain);
        assert_eq!(Decoded::of(&zstd, Some("zstd")), plain);
        assert_eq!(Decoded::of(&gzip[..gzip.len() / 2], Some("gzip")), None);
        assert_eq!(Decoded::of(&body, Some("br")), None);
        assert_eq!(Decoded::of(&body, Some("gzip, br")), None);
    }
}
