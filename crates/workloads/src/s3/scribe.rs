//! Writes the heads of S3 requests, signed if there are credentials.

use tenbin_engine::Exchange;

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
    /// By [`Exchange::host`].
    hosts: Vec<Host>,
    /// None: requests go unsigned.
    signer: Option<Signer>,
}

struct Host {
    /// Value of its `Host` header, which is signed.
    name: String,
    /// What follows the target of every request to it: the version, and the headers
    /// that are the same each time.
    standing: Vec<u8>,
}

impl Host {
    fn new(name: &str, keep_alive: bool) -> Self {
        let mut standing = b" HTTP/1.1\r\n".to_vec();
        push_header(&mut standing, "Host", name.as_bytes());
        push_header(&mut standing, "User-Agent", crate::USER_AGENT.as_bytes());
        if !keep_alive {
            push_header(&mut standing, "Connection", b"close");
        }
        Self {
            name: name.to_owned(),
            standing,
        }
    }
}

impl Scribe {
    pub(crate) fn new(place: &Place, target: &Site, keep_alive: bool) -> Self {
        let hosts = place.hosts.iter();
        Self {
            hosts: hosts.map(|host| Host::new(host, keep_alive)).collect(),
            signer: target
                .credentials
                .as_ref()
                .map(|credentials| Signer::new(credentials, &target.region, "s3")),
        }
    }

    /// Writes the whole head, for the exchange's host, over the one that it held.
    /// Allocates only while that and the signer's buffers have not yet grown to
    /// their size.
    pub(crate) fn write(&mut self, exchange: &mut Exchange, unix_seconds: u64, ask: &Ask<'_>) {
        let host = &self.hosts[exchange.host];
        let out = &mut exchange.head;
        out.clear();
        write_start(out, host, ask);
        if let Some(body) = &ask.body {
            out.extend_from_slice(b"Content-Length: ");
            push_decimal(out, body.length);
            out.extend_from_slice(b"\r\n");
            if let Some(md5) = body.md5 {
                push_header(out, "Content-MD5", md5.as_bytes());
            }
        }
        if let Some(signer) = &mut self.signer {
            write_signature(out, signer, host, unix_seconds, ask);
        }
        out.extend_from_slice(b"\r\n");
    }
}

fn write_start(out: &mut Vec<u8>, host: &Host, ask: &Ask<'_>) {
    out.extend_from_slice(ask.method.as_bytes());
    out.push(b' ');
    out.extend_from_slice(ask.path);
    if !ask.query.is_empty() {
        out.push(b'?');
        out.extend_from_slice(ask.query.as_bytes());
    }
    out.extend_from_slice(&host.standing);
}

fn write_signature(
    out: &mut Vec<u8>,
    signer: &mut Signer,
    host: &Host,
    unix_seconds: u64,
    ask: &Ask<'_>,
) {
    let body = ask.body.as_ref();
    let hash = body.map_or(EMPTY_SHA256.as_slice(), |body| body.hash);
    let md5 = body.and_then(|body| body.md5);
    let date = signer.at(unix_seconds);
    // In ascending order; the first only where it is sent.
    let headers: [(&str, &[u8]); 4] = [
        ("content-md5", md5.unwrap_or_default().as_bytes()),
        ("host", host.name.as_bytes()),
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

fn push_header(out: &mut Vec<u8>, name: &str, value: &[u8]) {
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b": ");
    out.extend_from_slice(value);
    out.extend_from_slice(b"\r\n");
}
