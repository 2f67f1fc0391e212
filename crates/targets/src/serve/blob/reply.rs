//! Answers, as the access layer gives them.

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{CONTENT_RANGE, CONTENT_TYPE, HeaderValue};
use hyper::{Response, StatusCode};
use serde::Serialize;

/// Requests with bodies that end before they should.
pub(super) const SHORT_BODY: u16 = 466;

/// Some were deleted, and some were not.
pub(super) const SOME_DELETED: u16 = 226;

pub(super) type Reply = Response<Full<Bytes>>;

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
    let mut reply = Response::new(Full::new(text.into()));
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

/// Content, or the part of it that was asked for.
pub(super) fn content(content: Bytes, part: Option<(u64, u64)>) -> Reply {
    let size = part.map_or(0, |(_, size)| size);
    let length = content.len() as u64;
    let mut reply = Response::new(Full::new(content));
    let headers = reply.headers_mut();
    let kind = HeaderValue::from_static("application/octet-stream");
    headers.insert(CONTENT_TYPE, kind);
    if let Some((offset, _)) = part {
        let last = (offset + length).saturating_sub(1);
        let range = format!("bytes {offset}-{last}/{size}");
        if let Ok(range) = HeaderValue::from_str(&range) {
            headers.insert(CONTENT_RANGE, range);
        }
        *reply.status_mut() = StatusCode::PARTIAL_CONTENT;
    }
    reply
}
