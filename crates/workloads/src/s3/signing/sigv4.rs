//! AWS Signature Version 4, in headers.
//!
//! Follows "Create a signed AWS API request" in the AWS IAM user guide, and is checked against the
//! published test suite. Used on the path of every request: the signing key of a day is derived
//! once and kept as an initialized HMAC, and a signature allocates nothing once its buffers have
//! grown.

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use tenbin_plan::Credentials;

use crate::s3::signing::timestamp::Timestamp;
use crate::text::hex;

/// The SHA-256 of an empty payload, in hexadecimal.
pub const EMPTY_SHA256: &[u8; 64] =
    b"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// Payload hash of an unsigned payload.
pub const UNSIGNED_PAYLOAD: &[u8] = b"UNSIGNED-PAYLOAD";

/// Payload hash of a payload that is signed chunk by chunk.
pub const STREAMING_PAYLOAD: &[u8] = b"STREAMING-AWS4-HMAC-SHA256-PAYLOAD";

/// Payload hash of an unsigned payload with a trailing checksum.
pub const TRAILER_PAYLOAD: &[u8] = b"STREAMING-UNSIGNED-PAYLOAD-TRAILER";

const ALGORITHM: &[u8] = b"AWS4-HMAC-SHA256";
const CHUNK_ALGORITHM: &[u8] = b"AWS4-HMAC-SHA256-PAYLOAD";

/// The signed parts of a request.
#[derive(Debug, Clone, Copy)]
pub struct Signed<'a> {
    /// Method.
    pub method: &'a [u8],
    /// Path, encoded as it is sent.
    pub path: &'a [u8],
    /// Query in canonical form, without `?`.
    pub query: &'a [u8],
    /// Headers: names in lower case and ascending, values trimmed.
    pub headers: &'a [(&'a str, &'a [u8])],
    /// Hexadecimal SHA-256 of the payload, or [`UNSIGNED_PAYLOAD`].
    pub payload_hash: &'a [u8],
}

/// Signs requests with one access key, for one region and service.
pub struct Signer {
    access_key: String,
    /// HMAC initialized with the secret key.
    root_key: Hmac<Sha256>,
    region: String,
    service: String,
    stamp: Timestamp,
    /// `20150830/us-east-1/s3/aws4_request`, for the current day.
    scope: Vec<u8>,
    /// HMAC initialized with the signing key of the current day.
    day_key: Hmac<Sha256>,
    canonical: Vec<u8>,
    to_sign: Vec<u8>,
    /// The last signature, which is part of the signature of the next chunk.
    last: [u8; 64],
}

impl Signer {
    /// A signer with the time 1970-01-01; [`Signer::at`] sets the time.
    pub fn new(credentials: &Credentials, region: &str, service: &str) -> Self {
        let stamp = Timestamp::new(0);
        let secret = format!("AWS4{}", credentials.secret_key.reveal());
        let root_key = keyed(secret.as_bytes());
        let day_key = day_key(&root_key, stamp.day(), region, service);
        let mut signer = Self {
            access_key: credentials.access_key.clone(),
            root_key,
            region: region.to_owned(),
            service: service.to_owned(),
            stamp,
            scope: Vec::new(),
            day_key,
            canonical: Vec::with_capacity(1024),
            to_sign: Vec::with_capacity(512),
            last: [0; 64],
        };
        signer.write_scope();
        signer
    }

    /// Sets the time, in seconds since 1970-01-01 UTC, and returns the value of `x-amz-date`, which
    /// must be a signed header.
    pub fn at(&mut self, unix_seconds: u64) -> [u8; 16] {
        if self.stamp.set(unix_seconds) {
            self.day_key = day_key(
                &self.root_key,
                self.stamp.day(),
                &self.region,
                &self.service,
            );
            self.write_scope();
        }
        *self.stamp.text()
    }

    /// The signature of a request at the time that was set last.
    pub fn sign(&mut self, request: &Signed<'_>) -> [u8; 64] {
        self.write_canonical(request);
        self.write_to_sign();
        self.finish()
    }

    /// The signature of the next chunk of the payload of the request signed last
    /// ("Signature calculations for the Authorization header: transferring payload
    /// in multiple chunks", Amazon S3 API reference). `hash` is the hexadecimal
    /// SHA-256 of the chunk.
    pub fn sign_chunk(&mut self, hash: &[u8; 64]) -> [u8; 64] {
        let out = &mut self.to_sign;
        out.clear();
        let lines: [&[u8]; 5] = [
            CHUNK_ALGORITHM,
            self.stamp.text(),
            &self.scope,
            &self.last,
            EMPTY_SHA256,
        ];
        for line in lines {
            out.extend_from_slice(line);
            out.push(b'\n');
        }
        out.extend_from_slice(hash);
        self.finish()
    }

    fn finish(&mut self) -> [u8; 64] {
        let mut mac = self.day_key.clone();
        mac.update(&self.to_sign);
        self.last = hex(&mac.finalize().into_bytes().into());
        self.last
    }

    /// The signature, at the time that was set last, of a text that is signed unchanged, such as
    /// the policy of a form.
    pub(crate) fn sign_text(&self, text: &[u8]) -> [u8; 64] {
        let mut mac = self.day_key.clone();
        mac.update(text);
        hex(&mac.finalize().into_bytes().into())
    }

    /// Access key and scope: `AK/20150830/us-east-1/s3/aws4_request`.
    pub(crate) fn credential(&self) -> String {
        format!(
            "{}/{}",
            self.access_key,
            String::from_utf8_lossy(&self.scope)
        )
    }

    /// Appends the value of the `Authorization` header.
    pub fn push_authorization(
        &self,
        out: &mut Vec<u8>,
        headers: &[(&str, &[u8])],
        signature: &[u8; 64],
    ) {
        out.extend_from_slice(ALGORITHM);
        out.extend_from_slice(b" Credential=");
        out.extend_from_slice(self.access_key.as_bytes());
        out.push(b'/');
        out.extend_from_slice(&self.scope);
        out.extend_from_slice(b", SignedHeaders=");
        push_names(out, headers);
        out.extend_from_slice(b", Signature=");
        out.extend_from_slice(signature);
    }

    /// The canonical request of the last signature.
    pub fn canonical_request(&self) -> &[u8] {
        &self.canonical
    }

    /// The string to sign of the last signature.
    pub fn string_to_sign(&self) -> &[u8] {
        &self.to_sign
    }

    fn write_canonical(&mut self, request: &Signed<'_>) {
        let out = &mut self.canonical;
        out.clear();
        for part in [request.method, request.path, request.query] {
            out.extend_from_slice(part);
            out.push(b'\n');
        }
        for (name, value) in request.headers {
            out.extend_from_slice(name.as_bytes());
            out.push(b':');
            out.extend_from_slice(value);
            out.push(b'\n');
        }
        out.push(b'\n');
        push_names(out, request.headers);
        out.push(b'\n');
        out.extend_from_slice(request.payload_hash);
    }

    fn write_to_sign(&mut self) {
        let out = &mut self.to_sign;
        out.clear();
        for part in [ALGORITHM, self.stamp.text(), &self.scope] {
            out.extend_from_slice(part);
            out.push(b'\n');
        }
        out.extend_from_slice(&hex(&Sha256::digest(&self.canonical).into()));
    }

    fn write_scope(&mut self) {
        self.scope.clear();
        self.scope.extend_from_slice(self.stamp.day());
        for part in [&self.region, &self.service, "aws4_request"] {
            self.scope.push(b'/');
            self.scope.extend_from_slice(part.as_bytes());
        }
    }
}

fn push_names(out: &mut Vec<u8>, headers: &[(&str, &[u8])]) {
    for (at, (name, _)) in headers.iter().enumerate() {
        if at > 0 {
            out.push(b';');
        }
        out.extend_from_slice(name.as_bytes());
    }
}

fn day_key(root_key: &Hmac<Sha256>, day: &[u8], region: &str, service: &str) -> Hmac<Sha256> {
    [day, region.as_bytes(), service.as_bytes(), b"aws4_request"]
        .into_iter()
        .fold(root_key.clone(), |mut key, part| {
            key.update(part);
            keyed(&key.finalize().into_bytes())
        })
}

fn keyed(key: &[u8]) -> Hmac<Sha256> {
    Hmac::new_from_slice(key).expect("HMAC takes keys of any length")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The worked example of "Signature calculations for the Authorization header:
    /// transferring payload in multiple chunks (chunked upload)", Amazon S3 API
    /// reference: 65 KiB of the letter a, in chunks of 64 KiB.
    #[test]
    fn chunks_are_signed_as_published() {
        let credentials = Credentials::literal(
            "AKIAIOSFODNN7EXAMPLE",
            "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        );
        let mut signer = Signer::new(&credentials, "us-east-1", "s3");
        let date = signer.at(1_369_353_600);
        assert_eq!(&date, b"20130524T000000Z");
        let seed = signer.sign(&Signed {
            method: b"PUT",
            path: b"/examplebucket/chunkObject.txt",
            query: b"",
            headers: &[
                ("content-encoding", b"aws-chunked"),
                ("content-length", b"66824"),
                ("host", b"s3.amazonaws.com"),
                ("x-amz-content-sha256", STREAMING_PAYLOAD),
                ("x-amz-date", &date),
                ("x-amz-decoded-content-length", b"66560"),
                ("x-amz-storage-class", b"REDUCED_REDUNDANCY"),
            ],
            payload_hash: STREAMING_PAYLOAD,
        });
        assert_eq!(
            &seed,
            b"4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9"
        );
        let body = [b'a'; 66_560];
        for (chunk, signature) in [
            (
                &body[..65_536],
                b"ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648",
            ),
            (
                &body[65_536..],
                b"0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497",
            ),
            (
                &[],
                b"b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9",
            ),
        ] {
            let hash = hex(&Sha256::digest(chunk).into());
            assert_eq!(&signer.sign_chunk(&hash), signature);
        }
    }

    /// A signer that moves through days and back gives the same signatures as a new signer for each
    /// time.
    #[test]
    fn the_kept_day_key_is_right_on_every_day() {
        let credentials = Credentials::literal("AK", "secret");
        let sign = |signer: &mut Signer, second| {
            let date = signer.at(second);
            signer.sign(&Signed {
                method: b"GET",
                path: b"/",
                query: b"",
                headers: &[("host", b"h"), ("x-amz-date", &date)],
                payload_hash: EMPTY_SHA256,
            })
        };
        let mut kept = Signer::new(&credentials, "us-east-1", "s3");
        for second in [86_399, 86_400, 86_401, 1_700_000_000, 86_399] {
            let mut fresh = Signer::new(&credentials, "us-east-1", "s3");
            assert_eq!(sign(&mut kept, second), sign(&mut fresh, second));
        }
    }
}
