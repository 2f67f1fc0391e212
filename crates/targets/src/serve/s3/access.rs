//! Refuses unsigned requests.

use s3s::access::{S3Access, S3AccessContext};
use s3s::{S3Result, s3_error};

/// Accepts only signed requests. [`super::signature`] has already checked which headers the
/// signature covers.
pub(super) struct SignedOnly;

#[async_trait::async_trait]
impl S3Access for SignedOnly {
    async fn check(&self, context: &mut S3AccessContext<'_>) -> S3Result<()> {
        match context.credentials() {
            Some(_) => Ok(()),
            None => Err(s3_error!(AccessDenied, "the request is not signed")),
        }
    }
}
