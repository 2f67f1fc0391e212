//! Answers, as the access layer gives them.

use bytes::Bytes;
use hyper::header::{CONTENT_RANGE, CONTENT_TYPE, HeaderValue};
use hyper::{Response, StatusCode};
use serde::Serialize;

use super::body::Parts;

/// Requests with bodies that end before they should.
pub(super) const SHORT_BODY: u16 = 466;

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

/// A refusal in words.
pub(super) fn trouble(status: u16, error: &str, code: Option<&str>) -> Reply {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    json(status, &Trouble { error, code })
}

/// A refusal of what the request says.
pub(super) fn argument(error: &str) -> Reply {
    trouble(400, error, Some("Argument"))
}

/// Content, or the part of it that was asked for. As long as it should be: where less
/// is there, the connection is closed inside it.
pub(super) fn content(parts: Vec<Bytes>, length: u64, part: Option<ContentRange>) -> Reply {
    let mut reply = Response::new(Parts::announced(parts, length));
    let headers = reply.headers_mut();
    let kind = HeaderValue::from_static("application/octet-stream");
    headers.insert(CONTENT_TYPE, kind);
    if let Some(ContentRange { offset, size }) = part {
        let last = (offset + length).saturating_sub(1);
        let range = format!("bytes {offset}-{last}/{size}");
        if let Ok(range) = HeaderValue::from_str(&range) {
            headers.insert(CONTENT_RANGE, range);
        }
        *reply.status_mut() = StatusCode::PARTIAL_CONTENT;
    }
    reply
}

/// Where a part begins, and the size of the whole, bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct ContentRange {
    pub(super) offset: u64,
    pub(super) size: u64,
}

/// Plain text.
pub(super) fn text(text: String) -> Reply {
    let mut reply = Response::new(Parts::from(text.into_bytes()));
    let kind = HeaderValue::from_static("text/plain; version=0.0.4");
    reply.headers_mut().insert(CONTENT_TYPE, kind);
    reply
}
