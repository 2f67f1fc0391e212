//! Constant headers by kind of request: settings that are stored with objects, and encryption keys.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use md5::{Digest, Md5};
use tenbin_plan::{Encryption, S3Work};

use crate::rng::{Rng, name_number};
use crate::s3::messages::tagging;
use crate::s3::signing::request_writer::OwnHeader;
use crate::s3::signing::uri::canonical_query;

/// Constant headers by kind of request.
#[derive(Debug, Default)]
pub(crate) struct ExtraHeaders {
    /// For requests that store content: PUT, POST of an upload, copies.
    pub(crate) store: Vec<OwnHeader>,
    /// For parts of an upload.
    pub(crate) part: Vec<OwnHeader>,
    /// For requests that read content or its headers.
    pub(crate) read: Vec<OwnHeader>,
    /// For copies: the headers of `store`, and the encryption key of the source.
    pub(crate) copy: Vec<OwnHeader>,
    /// Whether objects are stored unencrypted, so that the ETag of an object can be its MD5.
    pub(crate) plain: bool,
}

impl ExtraHeaders {
    pub(crate) fn new(work: &S3Work, seed: u64) -> Self {
        let mut extra_headers = Self::default();
        let store = &mut extra_headers.store;
        let mut put = |name: &str, value: &str| store.push((name.to_owned(), value.into()));
        if let Some(kind) = &work.content_type {
            put("content-type", kind);
        }
        if let Some(class) = &work.storage_class {
            put("x-amz-storage-class", class);
        }
        for (name, value) in &work.metadata {
            put(&format!("x-amz-meta-{name}"), value);
        }
        let tags = tagging::of(work);
        if !tags.is_empty() {
            let pairs = tags.iter();
            let pairs = pairs.map(|(name, value)| (name.as_bytes(), value.as_bytes()));
            let tags = canonical_query(pairs);
            store.push(("x-amz-tagging".to_owned(), tags));
        }
        match work.encryption {
            Encryption::None => {}
            Encryption::SseS3 => store.push((
                "x-amz-server-side-encryption".to_owned(),
                b"AES256".to_vec(),
            )),
            Encryption::SseC => {
                let key = customer_key(seed);
                extra_headers
                    .store
                    .extend(customer_headers("x-amz-server-side-encryption", &key));
                extra_headers.part = customer_headers("x-amz-server-side-encryption", &key);
                extra_headers.read = extra_headers.part.clone();
                extra_headers.copy =
                    customer_headers("x-amz-copy-source-server-side-encryption", &key);
            }
        }
        extra_headers.plain = work.encryption == Encryption::None;
        extra_headers
            .copy
            .extend(extra_headers.store.iter().cloned());
        extra_headers
    }
}

/// The encryption key of the run. It need not be secret, since the content is generated.
fn customer_key(seed: u64) -> [u8; 32] {
    let mut key = [0; 32];
    Rng::new(seed, &[name_number("sse-c")]).fill(&mut key);
    key
}

fn customer_headers(beginning: &str, key: &[u8; 32]) -> Vec<OwnHeader> {
    let header =
        |end: &str, value: String| (format!("{beginning}-customer-{end}"), value.into_bytes());
    vec![
        header("algorithm", "AES256".to_owned()),
        header("key", STANDARD.encode(key)),
        header("key-md5", STANDARD.encode(Md5::digest(key))),
    ]
}

#[cfg(test)]
mod tests {
    use tenbin_plan::S3Operation;

    use super::*;

    fn put() -> S3Work {
        S3Work::new(S3Operation::Put, 1, 1)
    }

    #[test]
    fn what_is_stored_goes_along() {
        let work = S3Work {
            storage_class: Some("REDUCED_REDUNDANCY".into()),
            content_type: Some("text/plain".into()),
            metadata: vec![("owner".into(), "me".into())],
            tags: vec![("b".into(), "x y".into()), ("a".into(), String::new())],
            encryption: Encryption::SseS3,
            ..put()
        };
        let extra_headers = ExtraHeaders::new(&work, 7);
        let store: Vec<String> = extra_headers
            .store
            .iter()
            .map(|(name, value)| format!("{name}: {}", String::from_utf8_lossy(value)))
            .collect();
        assert_eq!(
            store,
            [
                "content-type: text/plain",
                "x-amz-storage-class: REDUCED_REDUNDANCY",
                "x-amz-meta-owner: me",
                "x-amz-tagging: a=&b=x%20y",
                "x-amz-server-side-encryption: AES256",
            ]
        );
        assert!(extra_headers.read.is_empty());
    }

    #[test]
    fn an_encryption_key_is_sent_with_every_read() {
        let work = S3Work {
            encryption: Encryption::SseC,
            ..put()
        };
        let extra_headers = ExtraHeaders::new(&work, 7);
        for headers in [
            &extra_headers.store, &extra_headers.part, &extra_headers.read,
        ] {
            assert_eq!(headers.len(), 3);
        }
        assert_eq!(extra_headers.copy.len(), 6);
        assert!(extra_headers.copy[0].0.starts_with("x-amz-copy-source-"));
    }
}
