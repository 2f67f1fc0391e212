//! Taking in the content of an object: small ones whole, large ones straight into
//! a file of a durable store.

use std::sync::Arc;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use futures_util::StreamExt;
use md5::{Digest, Md5};
use s3s::dto::StreamingBlob;
use s3s::{S3Error, S3ErrorCode, S3Result, StdError, s3_error};

use super::service::{internal, on_disk_thread};
use super::store::{Store, Upload};

/// Content up to this size goes to the disk in one step.
const WHOLE: usize = 1024 * 1024;
/// A client's word about its length makes us reserve no more than this.
const TRUSTED_LENGTH: usize = 64 * 1024 * 1024;

/// Content that is completely here.
pub(super) struct Received {
    pub(super) upload: Upload,
    pub(super) size: u64,
    pub(super) md5: [u8; 16],
}

/// Takes in a body. `content_md5` is the header, if the client sent one.
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
    let mut staged = None;
    let mut digest = Md5::new();
    let mut size = 0;

    let mut body = body.unwrap_or_else(|| StreamingBlob::from(s3s::Body::empty()));
    while let Some(part) = body.next().await {
        let part = part.map_err(broken_body)?;
        digest.update(&part);
        size += part.len() as u64;
        buffer.extend_from_slice(&part);
        if store.disk().is_some() && buffer.len() > WHOLE {
            staged = Some(write_out(store, staged, &mut buffer).await?);
        }
    }

    let md5: [u8; 16] = digest.finalize().into();
    if expected.is_some_and(|expected| expected != md5) {
        return Err(s3_error!(BadDigest, "the content does not have this MD5"));
    }
    let upload = match staged {
        None => Upload::Whole(Bytes::from(buffer)),
        staged @ Some(_) => write_out(store, staged, &mut buffer).await?,
    };
    Ok(Received { upload, size, md5 })
}

/// Appends the buffer to the file, which is made if there is none yet.
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

/// `s3s` checks the signed hash of the payload while it passes, and keeps the
/// type of its error to itself.
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
