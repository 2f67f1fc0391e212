//! Answers, as the access layer gives them.

use bytes::Bytes;
use hyper::header::{CONTENT_RANGE, CONTENT_TYPE, HeaderValue};
use hyper::{Response, StatusCode};
use serde::Serialize;

use super::body::Parts;

/// Some were deleted, and some were not.
pub(super) const SOME_DELETED: u16 = 226;

pub(super) type Reply = Response<Parts>;

#[derive(Serialize)]
struct Trouble<'a> {
    error: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'a str>,
}

/// Nothing but a status.
pub(super) fn bare(status: StatusCode) -> Reply {
    let mut reply = Reply::default();
    *reply.status_mut() = status;
    reply
}

/// A document.
pub(super) fn json(status: StatusCode, document: &impl Serialize) -> Reply {
    let text = serde_json::to_vec(document).expect("plain data becomes JSON");
    let mut reply = Response::new(Parts::from(text));
    *reply.status_mut() = status;
    let kind = HeaderValue::from_static("application/json");
    reply.headers_mut().insert(CONTENT_TYPE, kind);
    reply
}

/// Why a request is not served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Refusal {
    /// Its arguments cannot be read.
    Unread(String),
    /// Its arguments can be read, and are wrong.
    Illegal,
    /// It has no token, or a wrong one.
    Forbidden,
    /// There is no such blob. The access layer never says so.
    NotFound,
    /// Too many requests, as something in front of the access layer says it.
    TooMany,
    /// Its body ends before it should, or a block of it is not what its sum says.
    BrokenBody,
    /// It broke the server.
    Broken,
    /// Too many requests at a time, as the access layer says it.
    Limited,
    /// Larger than a blob may be.
    TooLarge,
    /// There is no memory left for it.
    Full,
}

impl Refusal {
    pub(super) fn reply(&self) -> Reply {
        // Statuses of the access layer's own have no code.
        let (status, error, code) = match self {
            Self::Unread(why) => (400, why.as_str(), Some("Argument")),
            Self::Illegal => (400, "Illegal Arguments", None),
            Self::Forbidden => return bare(StatusCode::FORBIDDEN),
            Self::NotFound => (404, "no such blob", Some("BlobNotFound")),
            Self::TooMany => (429, "too many requests", None),
            Self::BrokenBody => (466, "access read request body", None),
            Self::Broken => (500, "asked to break", Some("ServerError")),
            Self::Limited => (552, "access limited", None),
            Self::TooLarge => (553, "access exceed object size", None),
            Self::Full => (507, "no space left", Some("InsufficientStorage")),
        };
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        json(status, &Trouble { error, code })
    }
}

/// So much content from an offset into a blob of `size` bytes. Where less is there, the
/// connection is closed inside it.
pub(super) fn content(parts: Vec<Bytes>, offset: u64, length: u64, size: u64) -> Reply {
    let mut reply = Response::new(Parts::announced(parts, length));
    let headers = reply.headers_mut();
    let kind = HeaderValue::from_static("application/octet-stream");
    headers.insert(CONTENT_TYPE, kind);
    // Nothing is no part.
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

/// Plain text.
pub(super) fn text(text: String) -> Reply {
    let mut reply = Response::new(Parts::from(text.into_bytes()));
    let kind = HeaderValue::from_static("text/plain; version=0.0.4");
    reply.headers_mut().insert(CONTENT_TYPE, kind);
    reply
}
