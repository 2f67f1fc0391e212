//! Removes the content encoding of a body that is checked.

use std::io::{self, Read};

use tenbin_engine::ResponseHead;

/// A content encoding.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Encoding {
    #[default]
    None,
    Gzip,
    Deflate,
    Zstd,
    /// An encoding that cannot be removed, such as `br`, or several encodings.
    Other,
}

impl Encoding {
    /// The encoding in the `Content-Encoding` header.
    pub(super) fn of(head: &ResponseHead<'_>) -> Self {
        let Some(value) = head.header("content-encoding") else {
            return Self::None;
        };
        let is = |name: &str| value.eq_ignore_ascii_case(name.as_bytes());
        match () {
            () if value.is_empty() || is("identity") => Self::None,
            () if is("gzip") || is("x-gzip") => Self::Gzip,
            () if is("deflate") => Self::Deflate,
            () if is("zstd") => Self::Zstd,
            () => Self::Other,
        }
    }
}

/// Writes the decoded body into `into`. Returns false if the encoding is not supported, or if the
/// body is damaged or longer than `most` bytes.
pub(super) fn decoded(body: &[u8], encoding: Encoding, into: &mut Vec<u8>, most: usize) -> bool {
    into.clear();
    let whole = match encoding {
        Encoding::None => copied(body, into, most),
        Encoding::Gzip => copied(flate2::read::MultiGzDecoder::new(body), into, most),
        // The zlib format (RFC 9110, section 8.4.1.2).
        Encoding::Deflate => copied(flate2::read::ZlibDecoder::new(body), into, most),
        Encoding::Zstd => {
            zstd::stream::read::Decoder::new(body).and_then(|decoder| copied(decoder, into, most))
        }
        Encoding::Other => Ok(false),
    };
    whole.unwrap_or(false)
}

fn copied(from: impl Read, into: &mut Vec<u8>, most: usize) -> io::Result<bool> {
    from.take(most as u64 + 1).read_to_end(into)?;
    Ok(into.len() <= most)
}
