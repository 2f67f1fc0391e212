//! Small XML documents in requests.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use md5::Md5;
use sha2::{Digest, Sha256};

use crate::s3::signing::request_writer::Body;
use crate::text::hex;

/// The namespace of S3's documents.
pub(crate) const NAMESPACE: &str = "http://s3.amazonaws.com/doc/2006-03-01/";

/// An XML request body with its checksums for headers.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) body: Vec<u8>,
    /// Hexadecimal SHA-256.
    pub(crate) hash: [u8; 64],
    /// MD5 in Base64; S3 requires it for some requests.
    pub(crate) md5: String,
}

impl Document {
    pub(crate) fn new(xml: String) -> Self {
        let body = xml.into_bytes();
        Self {
            hash: hex(&Sha256::digest(&body).into()),
            md5: STANDARD.encode(Md5::digest(&body)),
            body,
        }
    }

    /// Length and hash of the body, for the head of the request.
    pub(crate) fn announced(&self) -> Body<'_> {
        Body {
            length: self.body.len() as u64,
            hash: &self.hash,
        }
    }

    /// The `content-md5` header.
    pub(crate) fn md5_header(&self) -> (&'static str, &[u8]) {
        ("content-md5", self.md5.as_bytes())
    }
}
