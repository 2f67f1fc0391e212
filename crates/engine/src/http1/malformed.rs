//! Errors in HTTP/1.1 responses.

use thiserror::Error;

/// Why bytes are not a valid HTTP/1.1 response.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Malformed {
    /// Status line or headers are not HTTP.
    #[error("not an HTTP response ({0})")]
    Head(httparse::Error),
    /// Status 101, although no request has an `Upgrade` header that asks for another protocol (RFC
    /// 9110, section 15.2.2).
    #[error("status 101 (Switching Protocols), which no request asked for")]
    Switched,
    /// The head is longer than 64 KiB.
    #[error("response head longer than 64 KiB")]
    LongHead,
    /// `Content-Length` is not a number, or occurs twice with different numbers.
    #[error("bad content-length")]
    Length,
    /// The head has both `Content-Length` and `Transfer-Encoding`: possibly an attempt at request
    /// smuggling or response splitting (RFC 9112, section 6.3).
    #[error("content-length together with transfer-encoding")]
    TwoLengths,
    /// `Transfer-Encoding` names `chunked` more than once, which RFC 9112, section 6.1, forbids.
    #[error("transfer-encoding names chunked more than once")]
    Coding,
    /// The chunk framing is invalid.
    #[error("bad chunked body")]
    Chunk,
}
