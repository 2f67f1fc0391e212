//! Fetches one small response including its body.

use std::time::{Duration, Instant};

use tenbin_plan::HttpVersion;
use url::Url;

use super::stream::Stream;
use super::{Deadline, Endpoint, HEAD_LIMIT, ProbeError, not_http, status_of};

/// Longest response, bytes.
const BODY_LIMIT: usize = 16 << 20;

/// Why a response could not be fetched.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The request failed.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// Fetching over HTTP/2 is not supported.
    #[error("Tenbin sends this request over HTTP/1.1 only")]
    Http2,
    /// The status is not 2xx.
    #[error("the response has status {0}")]
    Status(u16),
    /// The response is invalid or too long.
    #[error("the response is not valid HTTP")]
    Unreadable,
}

/// Sends a `GET` for `url` to `endpoint` and returns the body of a successful response. `limit`
/// covers connection, request and response.
///
/// # Errors
/// When no successful response is received.
pub fn fetch(url: &Url, endpoint: &Endpoint, limit: Duration) -> Result<Vec<u8>, FetchError> {
    if endpoint.http == HttpVersion::Http2 {
        return Err(FetchError::Http2);
    }
    let deadline = Deadline {
        limit,
        deadline: Instant::now() + limit,
        abandon: &|| false,
    };
    let mut stream = Stream::open(endpoint, &deadline)?;
    stream.write(super::request(url, &[]).as_bytes())?;
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break end + 4;
        }
        let is_long = bytes.len() > HEAD_LIMIT;
        if is_long || stream.read(&mut bytes, &deadline)? == 0 {
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
    let whole = Framing::of(&head);
    loop {
        if let Some(read) = whole.read(&body, false) {
            return Ok(read);
        }
        if body.len() > BODY_LIMIT {
            return Err(FetchError::Unreadable);
        }
        if stream.read(&mut body, &deadline)? == 0 {
            return whole.read(&body, true).ok_or(FetchError::Unreadable);
        }
    }
}

/// How a response delimits its body (RFC 9112, section 6.3).
enum Framing {
    Length(usize),
    Chunks,
    Close,
}

impl Framing {
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

    /// The body, if complete; `closed`: whether the connection has ended.
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
    fn bodies_end_where_the_headers_say() {
        let whole = Framing::of("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n");
        assert_eq!(whole.read(b"ab", true), None);
        assert_eq!(whole.read(b"abcd", false).as_deref(), Some(&b"abc"[..]));
        let whole = Framing::of("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n");
        let chunks = b"2;x=y\r\nab\r\n1\r\nc\r\n0\r\n\r\n";
        assert_eq!(whole.read(chunks, false).as_deref(), Some(&b"abc"[..]));
        for end in 0..chunks.len() - 4 {
            assert_eq!(whole.read(&chunks[..end], true), None, "{end}");
        }
        assert_eq!(whole.read(b"ffffffffffffffff\r\n", true), None);
        assert_eq!(whole.read(b"xyz\r\n", true), None);
        let whole = Framing::of("HTTP/1.0 200 OK\r\n");
        assert_eq!(whole.read(b"ab", false), None);
        assert_eq!(whole.read(b"ab", true).as_deref(), Some(&b"ab"[..]));
    }
}
