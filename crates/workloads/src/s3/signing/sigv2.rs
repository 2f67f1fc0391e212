//! AWS Signature Version 2 for S3, for servers that support no other version.
//!
//! Follows "Signing and authenticating REST requests" (Signature Version 2) in the Amazon S3 user
//! guide, and is checked against its examples.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha1::Sha1;
use tenbin_plan::Credentials;

use crate::s3::signing::timestamp::http_date;
use crate::s3::signing::uri::push_decoded;

/// Parts of a query that are signed, ascending.
const SUB_RESOURCES: &[&str] = &[
    "acl", "cors", "delete", "encryption", "legal-hold", "lifecycle", "location", "logging",
    "notification", "partNumber", "policy", "requestPayment", "response-cache-control",
    "response-content-disposition", "response-content-encoding", "response-content-language",
    "response-content-type", "response-expires", "retention", "select", "select-type", "tagging",
    "torrent", "uploadId", "uploads", "versionId", "versioning", "versions", "website",
];

/// The signed parts of a request.
#[derive(Debug, Clone, Copy)]
pub struct Signed<'a> {
    /// Method.
    pub method: &'a [u8],
    /// `/` and the bucket, if the name of the host contains the bucket and the path does not.
    pub bucket: &'a [u8],
    /// Path, encoded as it is sent.
    pub path: &'a [u8],
    /// Query in canonical form, without `?`; its parts thus ascend, as required.
    pub query: &'a [u8],
    /// Headers: names in lower case and ascending, values trimmed.
    pub headers: &'a [(&'a str, &'a [u8])],
}

/// Signs requests with one access key.
pub struct Signer {
    access_key: String,
    /// HMAC initialized with the secret key.
    key: Hmac<Sha1>,
    second: u64,
    date: [u8; 29],
    to_sign: Vec<u8>,
}

impl Signer {
    /// A signer with the time 1970-01-01; [`Signer::at`] sets the time.
    pub fn new(credentials: &Credentials) -> Self {
        let secret = credentials.secret_key.reveal().as_bytes();
        Self {
            access_key: credentials.access_key.clone(),
            key: Hmac::new_from_slice(secret).expect("HMAC takes keys of any length"),
            second: 0,
            date: http_date(0),
            to_sign: Vec::with_capacity(512),
        }
    }

    /// Sets the time, in seconds since 1970-01-01 UTC, and returns the value of `Date`.
    pub fn at(&mut self, unix_seconds: u64) -> [u8; 29] {
        if unix_seconds != self.second {
            self.second = unix_seconds;
            self.date = http_date(unix_seconds);
        }
        self.date
    }

    /// The signature, in Base64, of a request with this `Date`.
    pub fn sign(&mut self, date: &[u8], request: &Signed<'_>) -> [u8; 28] {
        self.write_to_sign(date, request);
        let mut mac = self.key.clone();
        mac.update(&self.to_sign);
        let mut signature = [0; 28];
        STANDARD
            .encode_slice(mac.finalize().into_bytes(), &mut signature)
            .expect("20 bytes are 28 characters in Base64");
        signature
    }

    /// Appends the value of the `Authorization` header.
    pub fn push_authorization(&self, out: &mut Vec<u8>, signature: &[u8; 28]) {
        out.extend_from_slice(b"AWS ");
        out.extend_from_slice(self.access_key.as_bytes());
        out.push(b':');
        out.extend_from_slice(signature);
    }

    /// The string to sign of the last signature.
    pub fn string_to_sign(&self) -> &[u8] {
        &self.to_sign
    }

    fn write_to_sign(&mut self, date: &[u8], request: &Signed<'_>) {
        let header = |name: &str| {
            let mut headers = request.headers.iter();
            headers
                .find(|(own, _)| *own == name)
                .map_or(&b""[..], |(_, value)| value)
        };
        let out = &mut self.to_sign;
        out.clear();
        for line in [
            request.method,
            header("content-md5"),
            header("content-type"),
            date,
        ] {
            out.extend_from_slice(line);
            out.push(b'\n');
        }
        for (name, value) in request.headers {
            if name.starts_with("x-amz-") {
                out.extend_from_slice(name.as_bytes());
                out.push(b':');
                out.extend_from_slice(value);
                out.push(b'\n');
            }
        }
        out.extend_from_slice(request.bucket);
        out.extend_from_slice(request.path);
        push_sub_resources(out, request.query);
    }
}

fn push_sub_resources(out: &mut Vec<u8>, query: &[u8]) {
    let mut between = b'?';
    for pair in query.split(|&b| b == b'&') {
        let (name, value) = match pair.iter().position(|&b| b == b'=') {
            Some(at) => (&pair[..at], &pair[at + 1..]),
            None => (pair, &b""[..]),
        };
        if !SUB_RESOURCES.iter().any(|known| known.as_bytes() == name) {
            continue;
        }
        out.push(between);
        out.extend_from_slice(name);
        if !value.is_empty() {
            out.push(b'=');
            push_decoded(out, value);
        }
        between = b'&';
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Signed<'static> = Signed {
        method: b"GET",
        bucket: b"/awsexamplebucket1",
        path: b"/photos/puppy.jpg",
        query: b"",
        headers: &[],
    };

    const UPLOAD: &[(&str, &[u8])] = &[
        ("content-md5", b"4gJE4saaMU4BqNR0kLY+lw=="),
        ("content-type", b"application/x-download"),
        ("x-amz-acl", b"public-read"),
        ("x-amz-meta-checksumalgorithm", b"crc32"),
        ("x-amz-meta-filechecksum", b"0x02661779"),
        ("x-amz-meta-reviewedby", b"joe@example.com,jane@example.com"),
    ];

    /// The examples of "Signing and authenticating REST requests", Amazon S3 user guide: request,
    /// date and signature. The values of a repeated header are joined, as the guide describes.
    const EXAMPLES: [(Signed<'static>, &str, &str); 7] = [
        (
            PLAIN,
            "Tue, 27 Mar 2007 19:36:42 +0000",
            "qgk2+6Sv9/oM7G3qLEjTH1a1l1g=",
        ),
        (
            Signed {
                method: b"PUT",
                headers: &[("content-type", b"image/jpeg")],
                ..PLAIN
            },
            "Tue, 27 Mar 2007 21:15:45 +0000",
            "iqRzw+ileNPu1fhspnRs8nOjjIA=",
        ),
        (
            Signed {
                path: b"/",
                query: b"marker=puppy&max-keys=50&prefix=photos",
                ..PLAIN
            },
            "Tue, 27 Mar 2007 19:42:41 +0000",
            "m0WP8eCtspQl5Ahe6L1SozdX9YA=",
        ),
        (
            Signed {
                path: b"/",
                query: b"acl=",
                ..PLAIN
            },
            "Tue, 27 Mar 2007 19:44:46 +0000",
            "82ZHiFIjc+WbcwFKGUVEQspPn+0=",
        ),
        (
            Signed {
                method: b"PUT",
                bucket: b"/static.example.com",
                path: b"/db-backup.dat.gz",
                headers: UPLOAD,
                ..PLAIN
            },
            "Tue, 27 Mar 2007 21:06:08 +0000",
            "jtBQa0Aq+DkULFI8qrpwIjGEx0E=",
        ),
        (
            Signed {
                bucket: b"",
                path: b"/",
                ..PLAIN
            },
            "Wed, 28 Mar 2007 01:29:59 +0000",
            "qGdzdERIC03wnaRNKh6OqZehG9s=",
        ),
        (
            Signed {
                bucket: b"",
                path: b"/dictionary/fran%C3%A7ais/pr%c3%a9f%c3%a8re",
                ..PLAIN
            },
            "Wed, 28 Mar 2007 01:49:49 +0000",
            "DNEZGsoieTZ92F3bUfSPQcbGmlM=",
        ),
    ];

    #[test]
    fn the_published_examples() {
        let credentials = Credentials::literal(
            "AKIAIOSFODNN7EXAMPLE",
            "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        );
        let mut signer = Signer::new(&credentials);
        for (request, date, expected) in EXAMPLES {
            let signature = signer.sign(date.as_bytes(), &request);
            assert_eq!(
                String::from_utf8_lossy(&signature),
                expected,
                "{}",
                String::from_utf8_lossy(signer.string_to_sign())
            );
        }
    }

    #[test]
    fn only_parts_of_the_query_that_name_something_are_signed() {
        let mut out = Vec::new();
        push_sub_resources(
            &mut out,
            b"delimiter=%2F&partNumber=3&uploadId=a%2Bb&uploads=&x=1",
        );
        assert_eq!(out, b"?partNumber=3&uploadId=a+b&uploads");
        assert!(SUB_RESOURCES.is_sorted());
    }

    #[test]
    fn the_date_is_that_of_the_last_time_set() {
        let mut signer = Signer::new(&Credentials::literal("a", "b"));
        assert_eq!(&signer.at(0), b"Thu, 01 Jan 1970 00:00:00 GMT");
        assert_eq!(&signer.at(784_111_777), b"Sun, 06 Nov 1994 08:49:37 GMT");
    }
}
