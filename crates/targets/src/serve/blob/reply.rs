//! Responses in the format of CubeFS's access layer.

use bytes::Bytes;
use hyper::header::{CONTENT_RANGE, CONTENT_TYPE, HeaderValue};
use hyper::{Response, StatusCode};
use serde::Serialize;

use super::body::Parts;

/// Status of a deletion that failed for at least one location.
pub(super) const SOME_DELETED: u16 = 226;

pub(super) type Reply = Response<Parts>;

#[derive(Serialize)]
struct ErrorBody<'a> {
    error: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'a str>,
}

/// A response without a body.
pub(super) fn status_only(status: StatusCode) -> Reply {
    let mut reply = Reply::default();
    *reply.status_mut() = status;
    reply
}

/// A JSON response.
pub(super) fn json(status: StatusCode, document: &impl Serialize) -> Reply {
    let text = serde_json::to_vec(document).expect("plain data becomes JSON");
    let mut reply = Response::new(Parts::from(text));
    *reply.status_mut() = status;
    let kind = HeaderValue::from_static("application/json");
    reply.headers_mut().insert(CONTENT_TYPE, kind);
    reply
}

/// Why a request is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The request's arguments cannot be parsed.
    Unread(String),
    /// The request's arguments are invalid.
    Illegal,
    /// The request has no token, or a wrong token.
    Forbidden,
    /// The blob does not exist. The access layer never sends this status.
    NotFound,
    /// Too many requests, as from a load balancer.
    TooMany,
    /// The body is incomplete, or a block does not match its checksum.
    BrokenBody,
    /// An injected server error.
    Broken,
    /// Too many concurrent requests, as from the access layer.
    Limited,
    /// The blob is too large.
    TooLarge,
    /// The memory for blobs is used up.
    Full,
}

impl Refusal {
    pub(super) fn reply(&self) -> Reply {
        // Statuses that the access layer itself sends have no code.
        let (status, error, code) = match self {
            Self::Unread(why) => (400, why.as_str(), Some("Argument")),
            Self::Illegal => (400, "Illegal Arguments", None),
            Self::Forbidden => return status_only(StatusCode::FORBIDDEN),
            Self::NotFound => (404, "no such blob", Some("BlobNotFound")),
            Self::TooMany => (429, "too many requests", None),
            Self::BrokenBody => (466, "access read request body", None),
            Self::Broken => (500, "injected server error", Some("ServerError")),
            Self::Limited => (552, "access limited", None),
            Self::TooLarge => (400, "access exceed object size", None),
            Self::Full => (507, "no space left", Some("InsufficientStorage")),
        };
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        json(status, &ErrorBody { error, code })
    }
}

/// Response with `length` bytes from `offset` of a blob of `size` bytes. If `parts` has fewer
/// bytes, the connection is closed inside the body.
pub(super) fn content(parts: Vec<Bytes>, offset: u64, length: u64, size: u64) -> Reply {
    let mut reply = Response::new(Parts::announced(parts, length));
    let headers = reply.headers_mut();
    let kind = HeaderValue::from_static("application/octet-stream");
    headers.insert(CONTENT_TYPE, kind);
    // The response to an empty range has status 200, not 206.
    if length > 0 && length != size {
        let last = offset + length - 1;
        let range = format!("bytes {offset}-{last}/{size}");
        if let Ok(range) = HeaderValue::from_str(&range) {
            headers.insert(CONTENT_RANGE, range);
        }
        *reply.status_mut() = StatusCode::PARTIAL_CONTENT;
    }
    reply
}

/// A plain-text response.
pub(super) fn text(text: String) -> Reply {
    let mut reply = Response::new(Parts::from(text.into_bytes()));
    let kind = HeaderValue::from_static("text/plain; version=0.0.4");
    reply.headers_mut().insert(CONTENT_TYPE, kind);
    reply
}
