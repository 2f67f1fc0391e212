//! Which requests are let through: signed ones.

use s3s::access::{S3Access, S3AccessContext};
use s3s::{S3Result, s3_error};

/// Lets signed requests through, and no others. What a signature has to cover is checked
/// before: see [`super::signature`].
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
