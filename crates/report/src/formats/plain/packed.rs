//! Unpacks gzip and zstd, and refuses other archives.

use std::io::{BufRead, Read};

use flate2::bufread::MultiGzDecoder;
use tenbin_plan::sentence;

use super::{Fault, no_text};

/// The first bytes of a zstd file.
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// The first bytes of a gzip file.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The last bytes of the first four of a part of a zstd file that holds no data.
const ZSTD_SKIPPED: [u8; 3] = [0x2a, 0x4d, 0x18];

/// A text, unpacked if it was packed.
pub(super) enum Unpacked<'a> {
    /// The text is not packed.
    Plain(Box<dyn BufRead + 'a>),
    /// The content of the packed text.
    Packed(Box<dyn Read + 'a>),
}

pub(super) fn unpacked<'a>(
    beginning: &[u8],
    text: Box<dyn BufRead + 'a>,
) -> Result<Unpacked<'a>, Fault> {
    if beginning.starts_with(&GZIP) {
        return Ok(Unpacked::Packed(Box::new(MultiGzDecoder::new(text))));
    }
    let is_skipped =
        matches!(beginning, [0x50..=0x5f, rest @ ..] if rest.starts_with(&ZSTD_SKIPPED));
    if beginning.starts_with(&ZSTD) || is_skipped {
        let unpacked = zstd::Decoder::with_buffer(text).map_err(|error| {
            Fault::of_the_file(sentence!(
                "cannot-unpack", "cannot be unpacked: {error}", error
            ))
        })?;
        return Ok(Unpacked::Packed(Box::new(unpacked)));
    }
    match no_text::what(beginning) {
        Some(what) => Err(Fault::of_the_file(what)),
        None => Ok(Unpacked::Plain(text)),
    }
}
