//! Decompresses input: gzip, zstd and bzip2, recognized by their first bytes.

use std::io::{self, BufRead, BufReader};
use std::path::Path;

use bzip2::bufread::MultiBzDecoder;
use flate2::bufread::MultiGzDecoder;

const BUFFER: usize = 256 << 10;

/// Extensions of compressed files that are read.
pub(crate) const EXTENSIONS: [&str; 3] = ["gz", "zst", "bz2"];

type Input = Box<dyn BufRead>;

/// A compression: its name, its first bytes and its decoder; `None` if it cannot be read.
type Packing = (&'static str, &'static [u8], Option<Unpack>);
type Unpack = fn(Input) -> io::Result<Input>;

const PACKINGS: [Packing; 6] = [
    (
        "bzip2",
        b"BZh",
        Some(|input| buffered(MultiBzDecoder::new(input))),
    ),
    (
        "gzip",
        b"\x1f\x8b",
        Some(|input| buffered(MultiGzDecoder::new(input))),
    ),
    (
        "zstd",
        b"\x28\xb5\x2f\xfd",
        Some(|input| buffered(zstd::Decoder::with_buffer(input)?)),
    ),
    ("xz", b"\xfd7zXZ\0", None),
    ("zip", b"PK\x03\x04", None),
    ("7z", b"7z\xbc\xaf\x27\x1c", None),
];

fn buffered(reader: impl io::Read + 'static) -> io::Result<Input> {
    Ok(Box::new(BufReader::with_capacity(BUFFER, reader)))
}

/// Decompresses input that starts with the signature of gzip, zstd or bzip2; returns other input
/// unchanged.
///
/// # Errors
/// When the input cannot be read, or is compressed in a way that is not supported.
pub fn unpacked(mut input: impl BufRead + 'static) -> io::Result<Input> {
    let start = input.fill_buf()?;
    let packing = PACKINGS
        .iter()
        .find(|(_, magic, _)| start.starts_with(magic));
    match packing {
        None => Ok(Box::new(input)),
        Some((_, _, Some(unpack))) => unpack(Box::new(input)),
        Some((name, _, None)) => Err(io::Error::new(
            io::ErrorKind::Unsupported,
            format!(
                "{name} is not supported; decompress the file, or compress it with gzip or zstd"
            ),
        )),
    }
}

/// Whether a file has the extension of a compression.
pub fn is_packed(path: &Path) -> bool {
    let end = path.extension().and_then(|end| end.to_str());
    end.is_some_and(|end| EXTENSIONS.contains(&end))
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};

    use super::*;

    type Pack = fn(&[u8]) -> Vec<u8>;

    const TEXT: &[u8] = b"load --table Pages\n[\n]\n";

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn bzip2(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn read(bytes: Vec<u8>) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        unpacked(io::Cursor::new(bytes))?.read_to_end(&mut text)?;
        Ok(text)
    }

    #[test]
    fn every_compression_is_read_also_in_several_parts() {
        let packers: [Pack; 4] = [
            gzip,
            bzip2,
            |bytes| zstd::encode_all(bytes, 1).unwrap(),
            |bytes| bytes.to_vec(),
        ];
        for pack in packers {
            let (one, other) = TEXT.split_at(7);
            assert_eq!(read(pack(TEXT)).unwrap(), TEXT);
            assert_eq!(read([pack(one), pack(other)].concat()).unwrap(), TEXT);
        }
    }

    #[test]
    fn a_truncated_or_unknown_compression_is_an_error() {
        let whole = gzip(TEXT);
        let error = read(whole[..whole.len() - 9].to_vec()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
        let error = read(b"\xfd7zXZ\0\0".to_vec()).unwrap_err().to_string();
        assert!(
            error.starts_with("xz is not supported; decompress"),
            "{error}"
        );
    }
}
