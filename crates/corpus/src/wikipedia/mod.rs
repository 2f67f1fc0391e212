//! Wikipedia's dumps of articles: MediaWiki's XML, plain or packed with bzip2, read
//! as a stream.

mod categories;
mod dump;

use std::io::{self, BufRead, BufReader};

use bzip2::bufread::MultiBzDecoder;

pub use dump::{Dump, End};

/// How every file that bzip2 has packed begins.
const BZIP2: &[u8] = b"BZh";

/// Unpacks what bzip2 has packed, which its first bytes tell; other input as it is.
///
/// # Errors
/// Those of the input.
pub fn unpacked(mut input: impl BufRead + 'static) -> io::Result<Box<dyn BufRead>> {
    let is_packed = input.fill_buf()?.starts_with(BZIP2);
    Ok(match is_packed {
        true => Box::new(BufReader::with_capacity(
            256 << 10,
            MultiBzDecoder::new(input),
        )),
        false => Box::new(input),
    })
}
