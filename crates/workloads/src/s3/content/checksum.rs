//! Checksums of content in S3 headers.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha256};
use tenbin_engine::ResponseHead;
use tenbin_plan::Checksum;

use crate::s3::signing::request_writer::Header;

/// The header for a checksum of a PUT, in lower case; `None` without a checksum.
pub(crate) fn header(checksum: Checksum) -> Option<&'static str> {
    Some(match checksum {
        Checksum::None => return None,
        Checksum::Md5 => "content-md5",
        Checksum::Crc32 => "x-amz-checksum-crc32",
        Checksum::Crc32c => "x-amz-checksum-crc32c",
        Checksum::Crc64Nvme => "x-amz-checksum-crc64nvme",
        Checksum::Sha1 => "x-amz-checksum-sha1",
        Checksum::Sha256 => "x-amz-checksum-sha256",
    })
}

/// Headers that announce the checksum of the parts when a multipart upload is created. CRC64NVME is
/// computed over the complete object (Amazon S3 user guide, "Checking object integrity").
pub(crate) fn announced(checksum: Checksum) -> &'static [Header<'static>] {
    const ALGORITHM: &str = "x-amz-checksum-algorithm";
    match checksum {
        Checksum::None | Checksum::Md5 => &[],
        Checksum::Crc32 => &[(ALGORITHM, b"CRC32")],
        Checksum::Crc32c => &[(ALGORITHM, b"CRC32C")],
        Checksum::Crc64Nvme => &[
            (ALGORITHM, b"CRC64NVME"),
            ("x-amz-checksum-type", b"FULL_OBJECT"),
        ],
        Checksum::Sha1 => &[(ALGORITHM, b"SHA1")],
        Checksum::Sha256 => &[(ALGORITHM, b"SHA256")],
    }
}

/// The element for a part's checksum in the list of parts.
pub(crate) fn element(checksum: Checksum) -> Option<&'static str> {
    match checksum {
        Checksum::None | Checksum::Md5 => None,
        Checksum::Crc32 => Some("ChecksumCRC32"),
        Checksum::Crc32c => Some("ChecksumCRC32C"),
        Checksum::Crc64Nvme => Some("ChecksumCRC64NVME"),
        Checksum::Sha1 => Some("ChecksumSHA1"),
        Checksum::Sha256 => Some("ChecksumSHA256"),
    }
}

/// Whether a checksum in the response shows that the server stored other content than was sent.
/// With `plain`, the content is stored unencrypted and in one piece, so that its ETag can be its
/// MD5.
pub(crate) fn contradicted(
    checksum: Checksum,
    sent: &str,
    plain: bool,
    head: &ResponseHead<'_>,
) -> bool {
    if checksum == Checksum::Md5 {
        let etag = unquoted(head.header("etag").unwrap_or_default());
        // The ETag is the MD5 only of content stored unencrypted and in one piece.
        let is_md5 = etag.len() == 32 && plain;
        return is_md5 && etag_of_md5(sent).is_some_and(|md5| md5.as_bytes() != etag);
    }
    let answered = header(checksum).and_then(|name| head.header(name));
    answered.is_some_and(|answered| answered != sent.as_bytes())
}

fn unquoted(text: &[u8]) -> &[u8] {
    let inner = text.strip_prefix(b"\"").unwrap_or(text);
    inner.strip_suffix(b"\"").unwrap_or(inner)
}

/// The checksum of content in Base64, as in headers; empty without a checksum.
pub(crate) fn of(checksum: Checksum, content: &[u8]) -> String {
    use crc_fast::CrcAlgorithm::{Crc32Iscsi, Crc32IsoHdlc, Crc64Nvme};
    let narrow = |algorithm| {
        let sum = crc_fast::checksum(algorithm, content) as u32;
        STANDARD.encode(sum.to_be_bytes())
    };
    match checksum {
        Checksum::None => String::new(),
        Checksum::Md5 => STANDARD.encode(Md5::digest(content)),
        Checksum::Crc32 => narrow(Crc32IsoHdlc),
        Checksum::Crc32c => narrow(Crc32Iscsi),
        Checksum::Crc64Nvme => {
            STANDARD.encode(crc_fast::checksum(Crc64Nvme, content).to_be_bytes())
        }
        Checksum::Sha1 => STANDARD.encode(Sha1::digest(content)),
        Checksum::Sha256 => STANDARD.encode(Sha256::digest(content)),
    }
}

/// The ETag for an MD5 in Base64: hexadecimal, without quotes.
pub(crate) fn etag_of_md5(base64: &str) -> Option<String> {
    let bytes = STANDARD.decode(base64).ok()?;
    (bytes.len() == 16).then(|| bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Check values from the catalogue of CRC algorithms (reveng.sourceforge.io) and the examples
    /// in RFC 1321, RFC 3174 and FIPS 180-4.
    #[test]
    fn known_checksums() {
        let check = b"123456789";
        let base64 = |bytes: &[u8]| STANDARD.encode(bytes);
        for (checksum, expected) in [
            (Checksum::Crc32, base64(&0xcbf4_3926_u32.to_be_bytes())),
            (Checksum::Crc32c, base64(&0xe306_9283_u32.to_be_bytes())),
            (
                Checksum::Crc64Nvme,
                base64(&0xae8b_1486_0a79_9888_u64.to_be_bytes()),
            ),
        ] {
            assert_eq!(of(checksum, check), expected, "{checksum:?}");
        }
        assert_eq!(of(Checksum::Md5, b"abc"), "kAFQmDzST7DWlj99KOF/cg==");
        assert_eq!(of(Checksum::Sha1, b"abc"), "qZk+NkcGgWq6PiVxeFDCbJzQ2J0=");
        assert_eq!(
            of(Checksum::Sha256, b"abc"),
            "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="
        );
        assert_eq!(of(Checksum::None, b"abc"), "");
        assert_eq!(
            etag_of_md5(&of(Checksum::Md5, b"abc")).unwrap(),
            "900150983cd24fb0d6963f7d28e17f72"
        );
    }
}
