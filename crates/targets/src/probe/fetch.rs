//! One whole small answer, its body included.

use std::time::{Duration, Instant};

use tenbin_plan::HttpVersion;
use url::Url;

use super::stream::Stream;
use super::{Door, HEAD_LIMIT, Patience, ProbeError, not_http, status_of};

/// No answer that is fetched is longer.
const BODY_LIMIT: usize = 16 << 20;

/// Why there is no answer to look into.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// None came.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// It is not asked over HTTP/2.
    #[error("it is asked over HTTP/1.1 only")]
    Http2,
    /// It is no success.
    #[error("it answered with status {0}")]
    Status(u16),
    /// It is not what HTTP allows, or longer than any answer that is looked into.
    #[error("its answer cannot be read")]
    Unreadable,
}

/// Asks with `GET` for `url` at `door`, within `limit` for everything together, and
/// gives the body of a successful answer.
///
/// # Errors
/// Whatever keeps it from coming.
pub fn fetch(url: &Url, door: &Door, limit: Duration) -> Result<Vec<u8>, FetchError> {
    if door.http == HttpVersion::Http2 {
        return Err(FetchError::Http2);
    }
    let patience = Patience {
        limit,
        deadline: Instant::now() + limit,
        abandon: &|| false,
    };
    let mut stream = Stream::open(door, &patience)?;
    stream.write(super::request(url).as_bytes())?;
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break end + 4;
        }
        let is_long = bytes.len() > HEAD_LIMIT;
        if is_long || stream.read(&mut bytes, &patience)? == 0 {
            return Err(not_http(stream.address(), &bytes).into());
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut body = bytes.split_off(end);
    let status = head.lines().next().and_then(status_of);
    match status {
        Some(200..=299) => {}
        Some(status) => return Err(FetchError::Status(status)),
        None => return Err(not_http(stream.address(), &bytes).into()),
    }
    let whole = Whole::of(&head);
    loop {
        if let Some(read) = whole.read(&body, false) {
            return Ok(read);
        }
        if body.len() > BODY_LIMIT {
            return Err(FetchError::Unreadable);
        }
        if stream.read(&mut body, &patience)? == 0 {
            return whole.read(&body, true).ok_or(FetchError::Unreadable);
        }
    }
}

/// How an answer says where it ends (RFC 9112, section 6.3).
enum Whole {
    Length(usize),
    Chunks,
    Close,
}

impl Whole {
    fn of(head: &str) -> Self {
        let header = |name: &str| {
            head.lines().skip(1).find_map(|line| {
                let (key, value) = line.split_once(':')?;
                key.eq_ignore_ascii_case(name).then(|| value.trim())
            })
        };
        let chunked = header("transfer-encoding")
            .is_some_and(|value| value.to_ascii_lowercase().ends_with("chunked"));
        if chunked {
            return Self::Chunks;
        }
        let length = header("content-length").and_then(|length| length.parse().ok());
        length.map_or(Self::Close, Self::Length)
    }

    /// The body, if all of it is there.
    fn read(&self, bytes: &[u8], closed: bool) -> Option<Vec<u8>> {
        match self {
            Self::Length(length) => bytes.get(..*length).map(<[u8]>::to_vec),
            Self::Close => closed.then(|| bytes.to_vec()),
            Self::Chunks => unchunked(bytes),
        }
    }
}

fn unchunked(mut rest: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let end = rest.windows(2).position(|two| two == b"\r\n")?;
        let size = std::str::from_utf8(&rest[..end]).ok()?;
        let size = size.split(';').next().unwrap_or_default().trim();
        let size = usize::from_str_radix(size, 16).ok()?;
        if size == 0 {
            return Some(body);
        }
        let begin = end + 2;
        let chunk_end = begin.checked_add(size)?;
        body.extend_from_slice(rest.get(begin..chunk_end)?);
        rest = rest.get(chunk_end.checked_add(2)?..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_end_where_they_say() {
        let whole = Whole::of("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n");
        assert_eq!(whole.read(b"ab", true), None);
        assert_eq!(whole.read(b"abcd", false).as_deref(), Some(&b"abc"[..]));
        let whole = Whole::of("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n");
        let chunks = b"2;x=y\r\nab\r\n1\r\nc\r\n0\r\n\r\n";
        assert_eq!(whole.read(chunks, false).as_deref(), Some(&b"abc"[..]));
        for end in 0..chunks.len() - 4 {
            assert_eq!(whole.read(&chunks[..end], true), None, "{end}");
        }
        assert_eq!(whole.read(b"ffffffffffffffff\r\n", true), None);
        assert_eq!(whole.read(b"xyz\r\n", true), None);
        let whole = Whole::of("HTTP/1.0 200 OK\r\n");
        assert_eq!(whole.read(b"ab", false), None);
        assert_eq!(whole.read(b"ab", true).as_deref(), Some(&b"ab"[..]));
    }
}
