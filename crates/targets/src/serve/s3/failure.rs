//! Converts failures of the store to S3 errors.

use std::sync::Arc;

use hyper::StatusCode;
use s3s::{S3Error, S3ErrorCode, S3Result, StdError, s3_error};

use super::store::{Store, StoreError};

/// Runs `work` on a thread that is allowed to block.
pub(super) async fn on_disk_thread<T: Send + 'static>(
    store: &Arc<Store>,
    work: impl FnOnce(&Store) -> Result<T, StoreError> + Send + 'static,
) -> S3Result<T> {
    let store = Arc::clone(store);
    let result = tokio::task::spawn_blocking(move || work(&store)).await;
    Ok(result.map_err(|error| internal(Box::new(error)))??)
}

/// An internal error without details about files.
pub(super) fn internal(source: StdError) -> S3Error {
    S3Error::with_source(s3s::S3ErrorCode::InternalError, source)
}

impl From<StoreError> for S3Error {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NoSuchBucket => s3_error!(NoSuchBucket, "the bucket does not exist"),
            StoreError::NoSuchKey => s3_error!(NoSuchKey, "the key does not exist"),
            StoreError::BucketExists => {
                s3_error!(BucketAlreadyOwnedByYou, "the bucket already exists")
            }
            StoreError::BucketNotEmpty => s3_error!(BucketNotEmpty, "the bucket is not empty"),
            StoreError::KeyExists => s3_error!(PreconditionFailed, "the key already exists"),
            StoreError::Full => full(),
            StoreError::Storage(error) => internal(Box::new(error)),
        }
    }
}

/// Error for an in-memory store whose memory is used up.
pub(super) fn full() -> S3Error {
    let mut refused = S3Error::with_message(
        S3ErrorCode::Custom("InsufficientStorage".into()),
        "the store keeps its objects in memory and has reached its limit; see --memory",
    );
    refused.set_status_code(StatusCode::INSUFFICIENT_STORAGE);
    refused
}
