//! Converts heads of requests and responses between HTTP/1.1, which workloads use, and HTTP/2.

use http::header::{self, HeaderName, HeaderValue};
use http::uri::{Authority, Scheme};
use http::{Method, Request, Response, Uri};
use thiserror::Error;

use crate::equal::equal;

/// Most header lines accepted in a request.
const MOST_HEADERS: usize = 128;

/// Request headers that HTTP/2 does not send: HTTP/1.1 connection headers (RFC 9113 section 8.2.2),
/// and `Host`, which becomes `:authority`.
const CONNECTION_HEADERS: [HeaderName; 5] = [
    header::HOST,
    header::CONNECTION,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    HeaderName::from_static("keep-alive"),
];

/// Why a request cannot be sent as HTTP/2.
#[derive(Debug, Error)]
pub(super) enum InvalidRequest {
    #[error("request head is not HTTP/1.1 ({0})")]
    Head(#[from] httparse::Error),
    #[error("request head is incomplete")]
    Unended,
    #[error("request has no host")]
    NoHost,
    #[error("request is not valid in HTTP/2 ({0})")]
    Parts(#[from] http::Error),
}

/// Caches the last converted request, because most requests equal the previous request.
#[derive(Debug)]
pub(super) struct RequestMemory {
    scheme: Scheme,
    bytes: Vec<u8>,
    request: Option<Request<()>>,
}

impl RequestMemory {
    pub(super) fn new(with_tls: bool) -> Self {
        Self {
            scheme: if with_tls {
                Scheme::HTTPS
            } else {
                Scheme::HTTP
            },
            bytes: Vec::new(),
            request: None,
        }
    }

    /// The HTTP/2 request for this HTTP/1.1 head.
    pub(super) fn request(&mut self, head: &[u8]) -> Result<Request<()>, InvalidRequest> {
        if let Some(request) = &self.request
            && equal(&self.bytes, head)
        {
            return Ok(request.clone());
        }
        let request = translate(head, &self.scheme)?;
        self.bytes.clear();
        self.bytes.extend_from_slice(head);
        self.request = Some(request.clone());
        Ok(request)
    }
}

fn translate(head: &[u8], scheme: &Scheme) -> Result<Request<()>, InvalidRequest> {
    let mut lines = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut parsed = httparse::Request::new(&mut lines);
    if parsed.parse(head)?.is_partial() {
        return Err(InvalidRequest::Unended);
    }
    let (Some(method), Some(path)) = (parsed.method, parsed.path) else {
        return Err(InvalidRequest::Unended);
    };
    let host = parsed
        .headers
        .iter()
        .find(|line| line.name.eq_ignore_ascii_case("host"))
        .ok_or(InvalidRequest::NoHost)?;
    let uri = Uri::builder()
        .scheme(scheme.clone())
        .authority(Authority::try_from(host.value).map_err(http::Error::from)?)
        .path_and_query(path)
        .build()?;
    let mut request = Request::new(());
    *request.method_mut() = Method::from_bytes(method.as_bytes()).map_err(http::Error::from)?;
    *request.uri_mut() = uri;
    *request.version_mut() = http::Version::HTTP_2;
    for line in parsed.headers.iter() {
        let name = HeaderName::from_bytes(line.name.as_bytes()).map_err(http::Error::from)?;
        if !CONNECTION_HEADERS.contains(&name) {
            let value = HeaderValue::from_bytes(line.value).map_err(http::Error::from)?;
            request.headers_mut().append(name, value);
        }
    }
    Ok(request)
}

/// Writes the head of a response in HTTP/1.1 format, replacing the content of `into`.
pub(super) fn render<T>(answer: &Response<T>, into: &mut Vec<u8>) {
    into.clear();
    into.extend_from_slice(b"HTTP/2 ");
    into.extend_from_slice(answer.status().as_str().as_bytes());
    into.extend_from_slice(b"\r\n");
    for (name, value) in answer.headers() {
        into.extend_from_slice(name.as_str().as_bytes());
        into.extend_from_slice(b": ");
        into.extend_from_slice(value.as_bytes());
        into.extend_from_slice(b"\r\n");
    }
    into.extend_from_slice(b"\r\n");
}

/// The `Content-Length` of the response, if present.
pub(super) fn announced_length<T>(answer: &Response<T>) -> Option<u64> {
    let value = answer.headers().get(header::CONTENT_LENGTH)?;
    value.to_str().ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::ResponseHead;

    #[test]
    fn a_request_keeps_the_headers_that_are_valid_in_http_2() {
        let head = b"PUT /a%20b?c=d HTTP/1.1\r\nHost: db:9000\r\nConnection: keep-alive\r\n\
            X-Amz-Date: now\r\nContent-Length: 5\r\n\r\n";
        let mut memory = RequestMemory::new(true);
        for _ in 0..2 {
            let request = memory.request(head).unwrap();
            assert_eq!(request.method(), Method::PUT);
            assert_eq!(request.uri().to_string(), "https://db:9000/a%20b?c=d");
            let names: Vec<_> = request.headers().keys().map(HeaderName::as_str).collect();
            assert_eq!(names, ["x-amz-date", "content-length"]);
        }
    }

    #[test]
    fn a_request_that_differs_is_translated_again() {
        let mut memory = RequestMemory::new(false);
        let first = b"GET /1 HTTP/1.1\r\nHost: x\r\n\r\n";
        let second = b"GET /2 HTTP/1.1\r\nHost: x\r\n\r\n";
        assert_eq!(memory.request(first).unwrap().uri().path(), "/1");
        assert_eq!(memory.request(second).unwrap().uri().path(), "/2");
        assert!(memory.request(b"GET / HTTP/1.1\r\n\r\n").is_err());
    }

    #[test]
    fn headers_of_a_response_are_found() {
        let answer = Response::builder()
            .status(404)
            .header("etag", "\"x\"")
            .header("content-length", "12")
            .body(())
            .unwrap();
        let mut bytes = Vec::new();
        render(&answer, &mut bytes);
        let head = ResponseHead {
            status: 404,
            length: announced_length(&answer),
            bytes: &bytes,
        };
        assert_eq!(head.header("ETag"), Some(&b"\"x\""[..]));
        assert_eq!(head.length, Some(12));
    }
}
