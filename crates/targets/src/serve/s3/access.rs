//! Which requests are let through: signed ones, with every header signed that S3 demands.
//!
//! `s3s` verifies the signature over the headers that a request names in `SignedHeaders`,
//! whichever they are. S3 demands more ("Create a signed AWS API request", step 1): `host`
//! and every `x-amz-*` header that is sent must be among them. Otherwise whoever sees one
//! signed request can add `x-amz-copy-source` to it.

use s3s::access::{S3Access, S3AccessContext};
use s3s::{S3Result, s3_error};

const PREFIX: &str = "AWS4-HMAC-SHA256";

/// Lets signed requests through, and no others.
pub(super) struct SignedOnly;

#[async_trait::async_trait]
impl S3Access for SignedOnly {
    async fn check(&self, context: &mut S3AccessContext<'_>) -> S3Result<()> {
        if context.credentials().is_none() {
            return Err(s3_error!(AccessDenied, "the request is not signed"));
        }
        let authorization = context.headers().get("authorization");
        let authorization = authorization.and_then(|value| value.to_str().ok());
        let query = context.uri().query().unwrap_or_default();
        let Some(signed) = signed_headers(authorization, query) else {
            // A form, whose policy is signed as a whole, or signature version 2, which
            // covers all of them by definition.
            return Ok(());
        };
        let mut sent = context.headers().keys().map(|name| name.as_str());
        let must_be_signed = |name: &&str| *name == "host" || name.starts_with("x-amz-");
        let is_signed = |name: &str| signed.iter().any(|signed| signed == name);
        let unsigned = match is_signed("host") {
            false => Some("host"),
            true => sent.find(|name| must_be_signed(name) && !is_signed(name)),
        };
        match unsigned {
            None => Ok(()),
            Some(name) => Err(s3_error!(
                AccessDenied,
                "there were headers present in the request which were not signed: {name}"
            )),
        }
    }
}

/// Names of the headers that a signature of version 4 covers, in lower case; `None` if the
/// request carries no such signature.
fn signed_headers(authorization: Option<&str>, query: &str) -> Option<Vec<String>> {
    let list = match authorization.and_then(|value| value.strip_prefix(PREFIX)) {
        Some(parts) => {
            let mut parts = parts.split(',').map(str::trim);
            let list = parts.find_map(|part| part.strip_prefix("SignedHeaders="));
            list.unwrap_or_default().to_owned()
        }
        None => {
            let mut pairs = url::form_urlencoded::parse(query.as_bytes());
            let (_, list) =
                pairs.find(|(name, _)| name.eq_ignore_ascii_case("x-amz-signedheaders"))?;
            list.into_owned()
        }
    };
    let names = list.split(';').filter(|name| !name.is_empty());
    Some(names.map(str::to_ascii_lowercase).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_found_in_the_header_and_in_the_query() {
        let header = "AWS4-HMAC-SHA256 Credential=a/b, SignedHeaders=host;X-Amz-Date, Signature=c";
        let found = signed_headers(Some(header), "");
        assert_eq!(
            found,
            Some(vec!["host".to_owned(), "x-amz-date".to_owned()])
        );
        let empty = "AWS4-HMAC-SHA256 Credential=a/b, SignedHeaders=, Signature=c";
        assert_eq!(signed_headers(Some(empty), ""), Some(vec![]));
        let query = "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-SignedHeaders=host%3Bx-amz-acl";
        let found = signed_headers(None, query);
        assert_eq!(found, Some(vec!["host".to_owned(), "x-amz-acl".to_owned()]));
        assert_eq!(signed_headers(Some("AWS a:b"), "list-type=2"), None);
        assert_eq!(signed_headers(None, ""), None);
    }
}
