//! Checksums and decoding of response bodies.

use std::borrow::Cow;
use std::io::Read;

use crc_fast::{CrcAlgorithm, Digest};

const ALGORITHM: CrcAlgorithm = CrcAlgorithm::Crc64Nvme;
/// Initial state of a CRC-64/NVME checksum.
pub(super) const START: u64 = u64::MAX;
/// Longest decoded body, bytes.
const MOST_DECODED: u64 = 16 << 20;

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

/// Decodes a body. `None` if the encoding is unknown, several encodings are applied, or the body is
/// damaged or longer than [`MOST_DECODED`]. Brotli (`br`) is not supported. A body that is not
/// `whole` is decoded only if it has no encoding.
pub(super) fn decoded<'a>(body: &'a [u8], encoding: &str, whole: bool) -> Option<Cow<'a, [u8]>> {
    match encoding {
        "" | "identity" => Some(Cow::Borrowed(body)),
        _ if !whole => None,
        "gzip" | "x-gzip" => read(flate2::read::MultiGzDecoder::new(body)),
        // The zlib format (RFC 9110, section 8.4.1.2); some servers send raw DEFLATE.
        "deflate" => read(flate2::read::ZlibDecoder::new(body))
            .or_else(|| read(flate2::read::DeflateDecoder::new(body))),
        "zstd" => read(zstd::stream::read::Decoder::new(body).ok()?),
        _ => None,
    }
}

fn read(from: impl Read) -> Option<Cow<'static, [u8]>> {
    let mut content = Vec::new();
    let count = from.take(MOST_DECODED + 1).read_to_end(&mut content).ok()?;
    (count as u64 <= MOST_DECODED).then_some(Cow::Owned(content))
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
    fn encoded_bodies_are_decoded() {
        let body = b"compare the same page twice. ".repeat(400);
        let level = flate2::Compression::default();
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), level);
        gzip.write_all(&body).unwrap();
        let gzip = gzip.finish().unwrap();
        let mut deflate = flate2::write::ZlibEncoder::new(Vec::new(), level);
        deflate.write_all(&body).unwrap();
        let deflate = deflate.finish().unwrap();
        let zstd = zstd::bulk::compress(&body, 3).unwrap();
        for (encoded, encoding) in [
            (&body, ""),
            (&gzip, "gzip"),
            (&deflate, "deflate"),
            (&zstd, "zstd"),
        ] {
            assert_eq!(
                decoded(encoded, encoding, true).as_deref(),
                Some(&body[..]),
                "{encoding}"
            );
        }
        assert_eq!(decoded(&gzip[..gzip.len() / 2], "gzip", true), None);
        assert_eq!(decoded(&gzip, "gzip", false), None);
        assert_eq!(decoded(&body, "br", true), None);
        assert_eq!(decoded(&body, "gzip, br", true), None);
    }
}
