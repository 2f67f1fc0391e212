//! Says of content that is no text, such as an archive, what it is and what to do.

/// Beginnings of content that is no text, what it is, and what to do.
const KINDS: &[(&[u8], &str)] = &[
    (b"\xfd7zXZ\0", "is compressed by xz; unpack it with xz -d"),
    (b"BZh", "is compressed by bzip2; unpack it with bzip2 -d"),
    (b"PK\x03\x04", "is a zip archive; unpack it with unzip"),
    (b"PK\x05\x06", "is an empty zip archive"),
    (
        b"7z\xbc\xaf\x27\x1c",
        "is a 7z archive; unpack it with 7z x",
    ),
    (b"Rar!\x1a\x07", "is a rar archive; unpack it with unrar x"),
    (
        b"\x04\x22\x4d\x18",
        "is compressed by lz4; unpack it with lz4 -d",
    ),
    (b"LZIP\x01", "is compressed by lzip; unpack it with lzip -d"),
    (
        b"\x89LZO\0",
        "is compressed by lzop; unpack it with lzop -d",
    ),
    (
        b"\x1f\x9d",
        "is compressed by compress; unpack it with uncompress",
    ),
    (
        b"\xff\x06\0\0sNaPpY",
        "is compressed by snappy; unpack it with snzip -d",
    ),
    (b"x\x01", ZLIB),
    (b"x\x9c", ZLIB),
    (b"x\xda", ZLIB),
    (b"]\0\0", "is compressed by lzma; unpack it with xz -d"),
    (b"%PDF-", "is a PDF; name the text that the tool printed"),
    (b"\x7fELF", "is a program, not a result"),
    (
        b"SQLite format 3\0",
        "is a database of SQLite, which is not read",
    ),
    (b"PAR1", "is a Parquet file; write its rows as CSV"),
    (
        b"\xff\xfe\0\0",
        "is text in UTF-32; write it as UTF-8 with iconv -f UTF-32 -t UTF-8",
    ),
    (
        b"\0\0\xfe\xff",
        "is text in UTF-32; write it as UTF-8 with iconv -f UTF-32 -t UTF-8",
    ),
];

const ZLIB: &str = "is compressed by zlib; unpack it with zlib-flate -uncompress";

/// Length of a header of tar.
const HEADER: usize = 512;
/// Where the checksum of a header is.
const CHECKSUM: std::ops::Range<usize> = 148..156;

/// What the content is and what to do, in one clause; `None` if it can be text or another result.
pub(super) fn what(beginning: &[u8]) -> Option<&'static str> {
    if is_tar(beginning) {
        return Some("is a tar archive; unpack it with tar -xf, and name one of its files");
    }
    let mut kinds = KINDS.iter();
    let is_kind = |begins: &[u8]| {
        let rest = beginning.strip_prefix(begins);
        // Bytes of letters alone can begin a text.
        let is_letters = begins.iter().all(u8::is_ascii_graphic);
        rest.is_some_and(|rest| !is_letters || begins == b"%PDF-" || has_bytes(rest))
    };
    let found = kinds.find(|(begins, _)| is_kind(begins));
    found.map(|(_, what)| *what)
}

/// Whether the next bytes are not those of a text.
fn has_bytes(rest: &[u8]) -> bool {
    let is_control = |byte: &u8| *byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x1b);
    let next = &rest[..rest.len().min(64)];
    next.iter().any(is_control) || next.iter().filter(|byte| !byte.is_ascii()).count() > 8
}

/// Whether a file begins with a header of tar whose checksum is right.
fn is_tar(beginning: &[u8]) -> bool {
    let Some(header) = beginning.get(..HEADER) else {
        return false;
    };
    let said = str::from_utf8(&header[CHECKSUM]).unwrap_or_default();
    let said = said.trim_matches([' ', '\0']);
    let Ok(said) = u64::from_str_radix(said, 8) else {
        return false;
    };
    let bytes = header.iter().enumerate();
    let sum = bytes.map(|(at, byte)| {
        if CHECKSUM.contains(&at) {
            u64::from(b' ')
        } else {
            u64::from(*byte)
        }
    });
    said > 0 && sum.sum::<u64>() == said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archives_are_named_and_texts_are_not() {
        let mut tar = vec![0; HEADER];
        tar[..8].copy_from_slice(b"wrk.txt\0");
        let sum: u64 = tar.iter().map(|byte| u64::from(*byte)).sum();
        let sum = sum + CHECKSUM.len() as u64 * u64::from(b' ');
        tar[CHECKSUM].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        for (bytes, said) in [
            (&b"\xfd7zXZ\0\0\x04"[..], "xz"),
            (b"BZh91AY&SY\x12\x01", "bzip2"),
            (b"PK\x03\x04\x14", "zip"),
            (b"x\x9c\x4b", "zlib"),
            (&tar, "tar"),
        ] {
            assert!(
                what(bytes).is_some_and(|what| what.contains(said)),
                "{said}"
            );
        }
        for text in [&b"BZhang measured"[..], b"PAR1 is the name", b"xz", b""] {
            assert_eq!(what(text), None);
        }
    }
}
