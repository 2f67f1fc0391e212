//! What is not an HTTP/1.1 answer, and why.

use thiserror::Error;

/// Why bytes are not an answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Malformed {
    /// Status line or headers are not HTTP.
    #[error("not an HTTP answer ({0})")]
    Head(httparse::Error),
    /// The head does not end.
    #[error("answer head longer than 64 KiB")]
    LongHead,
    /// `Content-Length` is not one number.
    #[error("bad content-length")]
    Length,
    /// `Content-Length` and `Transfer-Encoding` contradict each other: RFC 9112, section 6.3,
    /// takes that for an attempt to smuggle a response.
    #[error("content-length together with transfer-encoding")]
    TwoLengths,
    /// `Transfer-Encoding` names `chunked` more than once, which RFC 9112, section 6.1, forbids.
    #[error("transfer-encoding names chunked more than once")]
    Coding,
    /// The chunked body is not one.
    #[error("bad chunked body")]
    Chunk,
    /// Bytes follow the end of the answer, though nothing else was asked.
    #[error("more bytes than the answer announced")]
    Excess,
}
