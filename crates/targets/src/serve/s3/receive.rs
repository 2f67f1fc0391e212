//! Receives the content of an object. Small content stays in memory; large content for a durable
//! store is written directly to a file.

use std::sync::Arc;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use futures_util::StreamExt;
use md5::{Digest, Md5};
use s3s::dto::StreamingBlob;
use s3s::{S3Error, S3ErrorCode, S3Result, StdError, s3_error};

use super::failure::{self, internal, on_disk_thread};
use super::store::{Store, Upload};

/// Content size above which a durable store writes in several steps, bytes.
const WHOLE: usize = 1024 * 1024;
/// Largest buffer that is allocated in advance from a client's `Content-Length`, bytes.
const TRUSTED_LENGTH: usize = 64 * 1024 * 1024;

/// Content that has been received completely.
pub(super) struct Received {
    pub(super) upload: Upload,
    pub(super) size: u64,
    pub(super) md5: [u8; 16],
}

/// Receives a body. `content_md5`: value of the `Content-MD5` header, if sent.
pub(super) async fn receive(
    store: &Arc<Store>,
    body: Option<StreamingBlob>,
    announced: Option<i64>,
    content_md5: Option<&str>,
) -> S3Result<Received> {
    let expected = content_md5.map(decode_md5).transpose()?;
    let room = announced.and_then(|length| usize::try_from(length).ok());
    let mut buffer = Vec::with_capacity(room.unwrap_or(0).min(if store.disk().is_some() {
        WHOLE
    } else {
        TRUSTED_LENGTH
    }));
    let mut share = store.share();
    let mut full = false;
    let mut staged = None;
    let mut digest = Md5::new();
    let mut size = 0;

    let mut body = body.unwrap_or_else(|| StreamingBlob::from(s3s::Body::empty()));
    while let Some(part) = body.next().await {
        let part = part.map_err(broken_body)?;
        // Content beyond the memory limit is still read, so that the client receives its response
        // at the end.
        full = full
            || share
                .as_mut()
                .is_some_and(|share| share.grow(part.len() as u64).is_err());
        if full {
            (buffer, share) = (Vec::new(), None);
            continue;
        }
        digest.update(&part);
        size += part.len() as u64;
        buffer.extend_from_slice(&part);
        if store.disk().is_some() && buffer.len() > WHOLE {
            staged = Some(write_out(store, staged, &mut buffer).await?);
        }
    }

    if full {
        return Err(failure::full());
    }
    let md5: [u8; 16] = digest.finalize().into();
    if expected.is_some_and(|expected| expected != md5) {
        return Err(s3_error!(BadDigest, "the content does not have this MD5"));
    }
    let upload = match staged {
        None => Upload::Whole(Bytes::from(buffer), share.map(Arc::new)),
        staged @ Some(_) => write_out(store, staged, &mut buffer).await?,
    };
    Ok(Received { upload, size, md5 })
}

/// Appends the buffer to the file; creates the file if missing.
async fn write_out(
    store: &Arc<Store>,
    staged: Option<Upload>,
    buffer: &mut Vec<u8>,
) -> S3Result<Upload> {
    let bytes = std::mem::replace(buffer, Vec::with_capacity(WHOLE));
    on_disk_thread(store, move |store| {
        let disk = store
            .disk()
            .ok_or_else(|| std::io::Error::other("no disk to stage on"))?;
        let mut file = match staged {
            Some(Upload::Staged(file)) => file,
            _ => disk.stage()?,
        };
        file.append(&bytes)?;
        Ok(Upload::Staged(file))
    })
    .await
}

fn decode_md5(header: &str) -> S3Result<[u8; 16]> {
    BASE64_STANDARD
        .decode(header)
        .ok()
        .and_then(|bytes| bytes.try_into().ok())
        .ok_or_else(|| {
            s3_error!(
                InvalidDigest,
                "Content-MD5 is not the base64 form of an MD5"
            )
        })
}

/// Converts an error while reading a body. `s3s` verifies the signed hash of the payload during the
/// transfer; the type of its error is private, so the error is recognized by its text.
fn broken_body(error: StdError) -> S3Error {
    if error.to_string().contains("Sha256Mismatch") {
        let mut refused = S3Error::with_message(
            S3ErrorCode::Custom("XAmzContentSHA256Mismatch".into()),
            "the content does not have the SHA-256 that was signed",
        );
        refused.set_status_code(hyper::StatusCode::BAD_REQUEST);
        return refused;
    }
    if error.is::<std::io::Error>() {
        return internal(error);
    }
    s3_error!(IncompleteBody, "the content ended early or is malformed")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serve::s3::disk::Disk;
    use futures_util::stream;
    use std::io;

    fn stream_of(bytes: &[u8]) -> Option<StreamingBlob> {
        let parts: Vec<io::Result<Bytes>> = bytes
            .chunks(100_000)
            .map(|part| Ok(Bytes::copy_from_slice(part)))
            .collect();
        Some(StreamingBlob::wrap(stream::iter(parts)))
    }

    fn run<T>(work: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime.unwrap().block_on(work)
    }

    #[test]
    fn large_content_is_written_in_parts_and_read_back_whole() {
        let directory = tempfile::tempdir().unwrap();
        let disk = Disk::open(directory.path().to_owned()).unwrap();
        let store = Arc::new(Store::durable(disk).unwrap());
        let bytes: Vec<u8> = (0..3_456_789_u32).map(|n| (n % 251) as u8).collect();
        let received = run(receive(&store, stream_of(&bytes), None, None)).unwrap();
        assert_eq!(received.size, bytes.len() as u64);
        assert_eq!(received.md5, <[u8; 16]>::from(Md5::digest(&bytes)));
        assert!(matches!(received.upload, Upload::Staged(_)));
        let incoming = directory.path().join("incoming");
        let staged = std::fs::read_dir(&incoming).unwrap().next().unwrap();
        assert!(std::fs::read(staged.unwrap().path()).unwrap() == bytes);
        drop(received);
        assert_eq!(std::fs::read_dir(&incoming).unwrap().count(), 0);
    }

    #[test]
    fn a_full_store_responds_with_507_and_keeps_its_objects() {
        let store = Arc::new(Store::in_memory(Some(10_000)));
        let put = |length: usize| {
            let bytes = vec![7; length];
            run(receive(
                &store,
                stream_of(&bytes),
                Some(length as i64),
                None,
            ))
        };
        let kept = put(6_000).unwrap();
        let refused = put(6_000).map(|received| received.size).unwrap_err();
        assert_eq!(refused.code().as_str(), "InsufficientStorage");
        assert_eq!(
            refused.status_code().map(|status| status.as_u16()),
            Some(507)
        );
        assert_eq!(put(3_000).unwrap().size, 3_000);
        drop(kept);
        assert_eq!(put(9_000).unwrap().size, 9_000);
    }

    #[test]
    fn content_that_does_not_match_its_headers_is_refused() {
        let store = Arc::new(Store::in_memory(None));
        let md5 = BASE64_STANDARD.encode(Md5::digest(b"hello"));
        let put = |bytes: &[u8], md5: &str| {
            run(receive(&store, stream_of(bytes), None, Some(md5))).map(|received| received.size)
        };
        assert_eq!(put(b"hello", &md5).unwrap(), 5);
        let code = |result: S3Result<u64>| result.unwrap_err().code().clone();
        assert_eq!(code(put(b"hellO", &md5)), S3ErrorCode::BadDigest);
        assert_eq!(code(put(b"hello", "hello")), S3ErrorCode::InvalidDigest);

        let broken: [Result<Bytes, io::Error>; 1] = [Err(io::ErrorKind::ConnectionReset.into())];
        let body = Some(StreamingBlob::wrap(stream::iter(broken)));
        assert!(run(receive(&store, body, None, None)).is_err());
    }
}
