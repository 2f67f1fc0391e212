//! Parser of Wikipedia's article dumps: MediaWiki's XML, plain or compressed with bzip2, read as
//! a stream.

mod categories;
mod dump;

use std::io::{self, BufRead, BufReader};

use bzip2::bufread::MultiBzDecoder;

pub use dump::{Dump, End};

/// First bytes of a bzip2 file.
const BZIP2: &[u8] = b"BZh";

/// Decompresses input that starts with the bzip2 signature; returns other input unchanged.
///
/// # Errors
/// When the input cannot be read.
pub fn unpacked(mut input: impl BufRead + 'static) -> io::Result<Box<dyn BufRead>> {
    let is_packed = input.fill_buf()?.starts_with(BZIP2);
    Ok(if is_packed {
        Box::new(BufReader::with_capacity(
            256 << 10,
            MultiBzDecoder::new(input),
        ))
    } else {
        Box::new(input)
    })
}
