//! Writes the heads of S3 requests, signed if there are credentials.

use std::sync::Arc;

use super::place::Place;
use super::sigv4::{EMPTY_SHA256, Signed, Signer};
use crate::site::Site;
use crate::text::push_decimal;

/// What is asked of the server.
pub(crate) struct Ask<'a> {
    pub(crate) method: &'static str,
    /// Encoded.
    pub(crate) path: &'a [u8],
    /// In canonical form, without `?`.
    pub(crate) query: &'static str,
    pub(crate) body: Option<Body<'a>>,
}

/// What the head says of the request's body.
pub(crate) struct Body<'a> {
    pub(crate) length: u64,
    /// Hexadecimal SHA-256, or `UNSIGNED-PAYLOAD`.
    pub(crate) hash: &'a [u8],
    /// Base64, where the operation demands it.
    pub(crate) md5: Option<&'a str>,
}

/// Each worker has its own.
pub(crate) struct Scribe {
    place: Arc<Place>,
    /// None: requests go unsigned.
    signer: Option<Signer>,
    keep_alive: bool,
}

impl Scribe {
    pub(crate) fn new(place: Arc<Place>, target: &Site, keep_alive: bool) -> Self {
        Self {
            place,
            signer: target
                .credentials
                .as_ref()
                .map(|credentials| Signer::new(credentials, &target.region, "s3")),
            keep_alive,
        }
    }

    /// Writes the whole head over what `out` held. Allocates only while `out`
    /// and the signer's buffers have not yet grown to their size.
    pub(crate) fn write(&mut self, out: &mut Vec<u8>, unix_seconds: u64, ask: &Ask<'_>) {
        out.clear();
        self.write_start(out, ask);
        if let Some(body) = &ask.body {
            out.extend_from_slice(b"Content-Length: ");
            push_decimal(out, body.length);
            out.extend_from_slice(b"\r\n");
            if let Some(md5) = body.md5 {
                push_header(out, "Content-MD5", md5.as_bytes());
            }
        }
        self.write_signature(out, unix_seconds, ask);
        out.extend_from_slice(b"\r\n");
    }

    fn write_start(&self, out: &mut Vec<u8>, ask: &Ask<'_>) {
        out.extend_from_slice(ask.method.as_bytes());
        out.push(b' ');
        out.extend_from_slice(ask.path);
        if !ask.query.is_empty() {
            out.push(b'?');
            out.extend_from_slice(ask.query.as_bytes());
        }
        out.extend_from_slice(b" HTTP/1.1\r\n");
        push_header(out, "Host", self.place.host.as_bytes());
        push_header(out, "User-Agent", crate::USER_AGENT.as_bytes());
        if !self.keep_alive {
            push_header(out, "Connection", b"close");
        }
    }

    fn write_signature(&mut self, out: &mut Vec<u8>, unix_seconds: u64, ask: &Ask<'_>) {
        let Some(signer) = &mut self.signer else {
            return;
        };
        let body = ask.body.as_ref();
        let hash = body.map_or(EMPTY_SHA256.as_slice(), |body| body.hash);
        let md5 = body.and_then(|body| body.md5);
        let date = signer.at(unix_seconds);
        // In ascending order; the first only where it is sent.
        let headers: [(&str, &[u8]); 4] = [
            ("content-md5", md5.unwrap_or_default().as_bytes()),
            ("host", self.place.host.as_bytes()),
            ("x-amz-content-sha256", hash),
            ("x-amz-date", &date),
        ];
        let headers = &headers[usize::from(md5.is_none())..];
        let signature = signer.sign(&Signed {
            method: ask.method.as_bytes(),
            path: ask.path,
            query: ask.query.as_bytes(),
            headers,
            payload_hash: hash,
        });
        push_header(out, "x-amz-content-sha256", hash);
        push_header(out, "x-amz-date", &date);
        out.extend_from_slice(b"Authorization: ");
        signer.push_authorization(out, headers, &signature);
        out.extend_from_slice(b"\r\n");
    }
}

fn push_header(out: &mut Vec<u8>, name: &str, value: &[u8]) {
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b": ");
    out.extend_from_slice(value);
    out.extend_from_slice(b"\r\n");
}
