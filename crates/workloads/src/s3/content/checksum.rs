//! Checksums of content in S3 headers.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};
use tenbin_engine::ResponseHead;
use tenbin_plan::Checksum;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};
use xxhash_rust::xxh64::xxh64;

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
        Checksum::Sha512 => "x-amz-checksum-sha512",
        Checksum::XxHash64 => "x-amz-checksum-xxhash64",
        Checksum::XxHash3 => "x-amz-checksum-xxhash3",
        Checksum::XxHash128 => "x-amz-checksum-xxhash128",
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
        Checksum::Sha512 => &[(ALGORITHM, b"SHA512")],
        Checksum::XxHash64 => &[(ALGORITHM, b"XXHASH64")],
        Checksum::XxHash3 => &[(ALGORITHM, b"XXHASH3")],
        Checksum::XxHash128 => &[(ALGORITHM, b"XXHASH128")],
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
        Checksum::Sha512 => Some("ChecksumSHA512"),
        Checksum::XxHash64 => Some("ChecksumXXHASH64"),
        Checksum::XxHash3 => Some("ChecksumXXHASH3"),
        Checksum::XxHash128 => Some("ChecksumXXHASH128"),
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
        // The ETag is the MD5 only of content stored unencrypted and in one piece.
        let etag = md5_in_etag(head).filter(|_| plain);
        return etag.is_some_and(|etag| md5_of(sent).is_some_and(|md5| md5 != etag));
    }
    let answered = header(checksum).and_then(|name| head.header(name));
    answered.is_some_and(|answered| answered != sent.as_bytes())
}

/// The ETag of a response if it has the form of an MD5, in upper or lower case, and the response
/// announces no encryption with which an ETag is no MD5 (Amazon S3 API reference, "Object": ETag).
pub(crate) fn md5_in_etag(head: &ResponseHead<'_>) -> Option<[u8; 16]> {
    let by_key = head
        .header("x-amz-server-side-encryption")
        .is_some_and(|kind| !kind.eq_ignore_ascii_case(b"AES256"));
    let by_customer = head.header("x-amz-server-side-encryption-customer-algorithm");
    if by_key || by_customer.is_some() {
        return None;
    }
    let etag = unquoted(head.header("etag")?);
    let etag: &[u8; 32] = etag.try_into().ok()?;
    let mut md5 = [0; 16];
    for (byte, pair) in md5.iter_mut().zip(etag.chunks(2)) {
        let digit = |at: usize| char::from(pair[at]).to_digit(16);
        *byte = u8::try_from(digit(0)? << 4 | digit(1)?).ok()?;
    }
    Some(md5)
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
        Checksum::Sha512 => STANDARD.encode(Sha512::digest(content)),
        Checksum::XxHash64 => STANDARD.encode(xxh64(content, 0).to_be_bytes()),
        Checksum::XxHash3 => STANDARD.encode(xxh3_64(content).to_be_bytes()),
        Checksum::XxHash128 => STANDARD.encode(xxh3_128(content).to_be_bytes()),
    }
}

/// An MD5 in Base64, as bytes.
fn md5_of(base64: &str) -> Option<[u8; 16]> {
    STANDARD.decode(base64).ok()?.try_into().ok()
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
        assert_eq!(
            of(Checksum::Sha512, b"abc"),
            "3a81oZNherrMQXNJriBBMRLm+k6JqX6iCp7u5ktV05ohkpkqJ0/BqDa6PCOj/uu9RU1EI2Q86A4qmslPpUyknw=="
        );
        assert_eq!(of(Checksum::None, b"abc"), "");
    }

    /// The first bytes of the test buffer of xxHash, and their hashes with seed 0, from the vectors of
    /// its sanity check. S3 sends the bytes of a hash in canonical order, the highest first.
    #[test]
    fn known_hashes_of_the_xxhash_family() {
        let mut state = 2_654_435_761_u64;
        let bytes: Vec<u8> = std::iter::repeat_with(|| {
            let [byte, ..] = state.to_be_bytes();
            state = state.wrapping_mul(11_400_714_785_074_694_797);
            byte
        })
        .take(403)
        .collect();
        for (length, narrow, third, wide) in [
            (
                0,
                0xef46_db37_51d8_e999_u64,
                0x2d06_8005_38d3_94c2_u64,
                0x99aa_06d3_0147_98d8_6001_c324_468d_497f_u128,
            ),
            (
                1,
                0xe934_a84a_db05_2768,
                0xc44b_dff4_074e_ecdb,
                0xa6cd_5e93_9200_0f6a_c44b_dff4_074e_ecdb,
            ),
            (
                222,
                0xb641_ae8c_b691_c174,
                0xb916_3b55_8664_d356,
                0x337e_0964_1b94_8717_f1ae_bd59_7cec_6b3a,
            ),
            (
                403,
                0xd998_58fe_e822_83df,
                0xcdeb_804d_65c6_dea4,
                0x1b6d_e21e_332d_d73d_cdeb_804d_65c6_dea4,
            ),
        ] {
            let hash = |checksum| of(checksum, &bytes[..length]);
            let expected = STANDARD.encode(narrow.to_be_bytes());
            assert_eq!(hash(Checksum::XxHash64), expected, "{length}");
            let expected = STANDARD.encode(third.to_be_bytes());
            assert_eq!(hash(Checksum::XxHash3), expected, "{length}");
            let expected = STANDARD.encode(wide.to_be_bytes());
            assert_eq!(hash(Checksum::XxHash128), expected, "{length}");
        }
    }

    /// A response to a PUT with these header lines.
    fn contradicts(headers: &str) -> bool {
        let bytes = format!("HTTP/1.1 200 OK\r\n{headers}\r\n\r\n");
        let head = ResponseHead {
            status: 200,
            length: Some(0),
            bytes: bytes.as_bytes(),
        };
        contradicted(Checksum::Md5, &of(Checksum::Md5, b"abc"), true, &head)
    }

    #[test]
    fn an_etag_contradicts_only_if_it_is_the_md5_of_other_bytes() {
        const OTHER: &str = "ETag: \"0123456789abcdef0123456789abcdef\"";
        assert!(contradicts(OTHER));
        for (headers, why) in [
            ("ETag: \"900150983cd24fb0d6963f7d28e17f72\"", "the MD5"),
            (
                "ETag: \"900150983CD24FB0D6963F7D28E17F72\"",
                "in upper case",
            ),
            ("ETag: 900150983cd24fb0d6963f7d28e17f72", "without quotes"),
            ("ETag: \"0123456789abcdef0123456789abcdef-2\"", "of parts"),
            (
                "ETag: \"0123456789abcdef0123456789abcdeg\"",
                "not hexadecimal",
            ),
            ("ETag: \"v1\"", "short"),
            ("Date: today", "no ETag"),
        ] {
            assert!(!contradicts(headers), "{why}");
        }
        for encryption in [
            "x-amz-server-side-encryption: aws:kms",
            "x-amz-server-side-encryption: aws:kms:dsse",
            "x-amz-server-side-encryption-customer-algorithm: AES256",
        ] {
            assert!(
                !contradicts(&format!("{OTHER}\r\n{encryption}")),
                "{encryption}"
            );
        }
        assert!(contradicts(&format!(
            "{OTHER}\r\nx-amz-server-side-encryption: AES256"
        )));
    }
}
