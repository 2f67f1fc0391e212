//! Writes the heads of S3 requests with the target's signature version.

use smallvec::SmallVec;
use tenbin_engine::Exchange;
use tenbin_plan::{Credentials, Signature};

use super::{sigv2, sigv4};
use crate::s3::place::Place;
use crate::s3::signing::keyring::{KeyReader, KeyUse};
use crate::s3::signing::sigv4::EMPTY_SHA256;
use crate::site::Site;
use crate::text::{push_decimal, push_header};

/// A header that is signed: its name in lower case, its value trimmed.
pub(crate) type Header<'a> = (&'a str, &'a [u8]);

/// A header whose value is constant for the whole run.
pub(crate) type OwnHeader = (String, Vec<u8>);

/// Number of headers that are sorted without an allocation.
const USUAL_HEADERS: usize = 16;

/// A request to the server.
pub(crate) struct RequestSpec<'a> {
    pub(crate) method: &'static str,
    /// Index of the bucket.
    pub(crate) bucket: usize,
    /// Path, encoded as it is sent.
    pub(crate) path: &'a [u8],
    /// Query in canonical form, without `?`.
    pub(crate) query: &'a [u8],
    /// Constant headers of all requests of this kind.
    pub(crate) extra_headers: &'a [OwnHeader],
    /// Headers of this request.
    pub(crate) headers: &'a [Header<'a>],
    pub(crate) body: Option<Body<'a>>,
}

impl<'a> RequestSpec<'a> {
    /// A request with this method and no headers or query.
    pub(crate) fn plain(method: &'static str, bucket: usize, path: &'a [u8]) -> Self {
        Self {
            method,
            bucket,
            path,
            query: b"",
            extra_headers: &[],
            headers: &[],
            body: None,
        }
    }
}

/// Length and hash of a request body, for the head.
pub(crate) struct Body<'a> {
    pub(crate) length: u64,
    /// Hexadecimal SHA-256, or a constant such as `UNSIGNED-PAYLOAD`. Only used by Signature
    /// Version 4.
    pub(crate) hash: &'a [u8],
}

/// Writes and signs the heads of requests. Each worker has its own instance.
pub(crate) struct RequestWriter {
    /// Hosts by bucket, then by [`Exchange::host`].
    hosts: Vec<Vec<Host>>,
    signature_version: SignatureVersion,
    /// Headers of every request.
    headers: Vec<OwnHeader>,
    /// Header and value of the session token, for temporary keys.
    token: Option<OwnToken>,
    /// Keys that change during the run.
    key_reader: Option<KeyReader>,
    region: String,
}

/// Header and value of a session token.
type OwnToken = (&'static str, Vec<u8>);

/// The signature version.
#[expect(clippy::large_enum_variant, reason = "each worker has one")]
enum SignatureVersion {
    /// Unsigned.
    Anonymous,
    V2(sigv2::Signer),
    V4(sigv4::Signer),
}

struct Host {
    /// As [`crate::s3::place::Bucket::in_host`].
    bucket: Vec<u8>,
    /// Value of the `Host` header, which is signed.
    name: String,
    /// The part after the request target: HTTP version and constant headers.
    fixed_headers: Vec<u8>,
}

impl Host {
    fn new(name: &str, bucket: &[u8], keep_alive: bool) -> Self {
        let mut fixed_headers = b" HTTP/1.1\r\n".to_vec();
        push_header(&mut fixed_headers, "Host", name.as_bytes());
        push_header(
            &mut fixed_headers,
            "User-Agent",
            crate::USER_AGENT.as_bytes(),
        );
        if !keep_alive {
            push_header(&mut fixed_headers, "Connection", b"close");
        }
        Self {
            bucket: bucket.to_owned(),
            name: name.to_owned(),
            fixed_headers,
        }
    }
}

impl RequestWriter {
    pub(crate) fn new(place: &Place, target: &Site, keep_alive: bool) -> Self {
        let hosts = place.buckets.iter().map(|bucket| {
            let hosts = bucket.hosts.iter();
            hosts
                .map(|host| Host::new(host, &bucket.in_host, keep_alive))
                .collect()
        });
        let bucket = place.buckets.first().map_or("", |bucket| &bucket.name);
        let mut writer = Self {
            hosts: hosts.collect(),
            signature_version: SignatureVersion::Anonymous,
            headers: place.headers.clone(),
            token: None,
            key_reader: None,
            region: target.region.clone(),
        };
        match (&target.credentials, target.keyring(bucket)) {
            (None, _) => {}
            (Some(_), Some(ring)) => {
                let (reader, keys) = KeyReader::new(ring);
                writer.sign_with(&keys, Signature::V4, reader.key_use());
                writer.key_reader = Some(reader);
            }
            (Some(keys), None) => writer.sign_with(keys, target.signature, KeyUse::default()),
        }
        writer
    }

    /// Signs the following requests with these keys.
    fn sign_with(&mut self, keys: &Credentials, signature: Signature, key_use: KeyUse) {
        self.signature_version = match signature {
            Signature::None => return,
            Signature::V2 => SignatureVersion::V2(sigv2::Signer::new(keys)),
            Signature::V4 => {
                let signer = sigv4::Signer::new(keys, &self.region, key_use.service());
                SignatureVersion::V4(signer)
            }
        };
        let token = keys.session_token.as_ref();
        let token = token.map(|token| token.secret.reveal().as_bytes().to_vec());
        self.token = token.map(|token| (key_use.token_header(), token));
    }

    /// Changes to newer keys, if there are any.
    fn use_newer_keys(&mut self) {
        let Some(reader) = &mut self.key_reader else {
            return;
        };
        if let Some(keys) = reader.newer() {
            let key_use = reader.key_use();
            self.sign_with(&keys, Signature::V4, key_use);
        }
    }

    /// Writes requests for one of the hosts, whose [`Exchange::host`] is then 0.
    pub(crate) fn for_host(mut self, host: usize) -> Self {
        for hosts in &mut self.hosts {
            hosts.swap(0, host);
            hosts.truncate(1);
        }
        self
    }

    /// The signature of the next chunk in the body of the last written request. The payload hash of
    /// that request must be [`sigv4::STREAMING_PAYLOAD`]. `hash` is the hexadecimal SHA-256 of the
    /// chunk.
    pub(crate) fn sign_chunk(&mut self, hash: &[u8; 64]) -> [u8; 64] {
        match &mut self.signature_version {
            SignatureVersion::V4(signer) => signer.sign_chunk(hash),
            // Chunks are signed only with Signature Version 4.
            SignatureVersion::Anonymous | SignatureVersion::V2(_) => *hash,
        }
    }

    /// Writes the complete head for the exchange's host into the exchange. Allocates only until the
    /// buffers of the exchange and the signer have grown to their size.
    pub(crate) fn write(
        &mut self,
        exchange: &mut Exchange,
        unix_seconds: u64,
        spec: &RequestSpec<'_>,
    ) {
        self.use_newer_keys();
        let host = &self.hosts[spec.bucket][exchange.host];
        let out = &mut exchange.head;
        out.clear();
        write_start(out, host, spec);
        if let Some(body) = &spec.body {
            out.extend_from_slice(b"Content-Length: ");
            push_decimal(out, body.length);
            out.extend_from_slice(b"\r\n");
        }
        for (name, value) in given(spec, &self.headers, self.token.as_ref()) {
            push_header(out, name, value);
        }
        let headers = given(spec, &self.headers, self.token.as_ref());
        match &mut self.signature_version {
            SignatureVersion::Anonymous => {}
            SignatureVersion::V2(signer) => {
                write_v2(out, signer, host, unix_seconds, spec, headers.collect());
            }
            SignatureVersion::V4(signer) => {
                let date = signer.at(unix_seconds);
                write_v4(out, signer, host, &date, spec, headers.collect());
            }
        }
        out.extend_from_slice(b"\r\n");
    }
}

type Headers<'a> = SmallVec<[Header<'a>; USUAL_HEADERS]>;

fn given<'a>(
    spec: &'a RequestSpec<'_>,
    of_all: &'a [OwnHeader],
    token: Option<&'a OwnToken>,
) -> impl Iterator<Item = Header<'a>> {
    let extra_headers = spec.extra_headers.iter().chain(of_all);
    let extra_headers = extra_headers.map(|(name, value)| (name.as_str(), value.as_slice()));
    let token = token.map(|(name, token)| (*name, token.as_slice()));
    extra_headers
        .chain(spec.headers.iter().copied())
        .chain(token)
}

fn write_start(out: &mut Vec<u8>, host: &Host, spec: &RequestSpec<'_>) {
    out.extend_from_slice(spec.method.as_bytes());
    out.push(b' ');
    out.extend_from_slice(spec.path);
    if !spec.query.is_empty() {
        out.push(b'?');
        out.extend_from_slice(spec.query);
    }
    out.extend_from_slice(&host.fixed_headers);
}

fn write_v4<'a>(
    out: &mut Vec<u8>,
    signer: &mut sigv4::Signer,
    host: &'a Host,
    date: &'a [u8],
    spec: &RequestSpec<'a>,
    mut headers: Headers<'a>,
) {
    let hash = match &spec.body {
        Some(body) => body.hash,
        None => EMPTY_SHA256.as_slice(),
    };
    headers.push(("host", host.name.as_bytes()));
    headers.push(("x-amz-content-sha256", hash));
    headers.push(("x-amz-date", date));
    headers.sort_unstable_by_key(|(name, _)| *name);
    let signature = signer.sign(&sigv4::Signed {
        method: spec.method.as_bytes(),
        path: spec.path,
        query: spec.query,
        headers: &headers,
        payload_hash: hash,
    });
    push_header(out, "x-amz-content-sha256", hash);
    push_header(out, "x-amz-date", date);
    out.extend_from_slice(b"Authorization: ");
    signer.push_authorization(out, &headers, &signature);
    out.extend_from_slice(b"\r\n");
}

fn write_v2(
    out: &mut Vec<u8>,
    signer: &mut sigv2::Signer,
    host: &Host,
    unix_seconds: u64,
    spec: &RequestSpec<'_>,
    mut headers: Headers<'_>,
) {
    let date = signer.at(unix_seconds);
    headers.sort_unstable_by_key(|(name, _)| *name);
    let signature = signer.sign(
        &date,
        &sigv2::Signed {
            method: spec.method.as_bytes(),
            bucket: &host.bucket,
            path: spec.path,
            query: spec.query,
            headers: &headers,
        },
    );
    push_header(out, "Date", &date);
    out.extend_from_slice(b"Authorization: ");
    signer.push_authorization(out, &signature);
    out.extend_from_slice(b"\r\n");
}
