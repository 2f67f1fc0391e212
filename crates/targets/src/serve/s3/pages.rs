//! Code shared by the two list operations: their parameters, and the encoding of keys in responses.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use s3s::dto::{CommonPrefix, EncodingType, Object as ListedObject, Timestamp};
use s3s::{S3Result, s3_error};

use super::object::{e_tag, signed};
use super::store::Listing;

/// Maximum number of entries per page (Amazon S3 API reference, ListObjectsV2).
const PAGE: i32 = 1000;
/// Characters that `encoding-type=url` does not escape.
const URL_SAFE: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~')
    .remove(b'/');

/// Parameters common to both list operations.
pub(super) struct ListRequest {
    pub(super) prefix: String,
    pub(super) delimiter: Option<String>,
    pub(super) token: Option<String>,
    pub(super) marker: Option<String>,
    pub(super) limit: usize,
}

pub(super) fn page_size(asked: Option<i32>) -> S3Result<usize> {
    usize::try_from(asked.unwrap_or(PAGE).min(PAGE))
        .map_err(|_| s3_error!(InvalidArgument, "max-keys is negative"))
}

pub(super) fn count(number: usize) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

/// Encoding of keys in listings: none, or URL encoding, which lets XML contain every key.
pub(super) struct KeyEncoding(pub(super) Option<EncodingType>);

impl KeyEncoding {
    pub(super) fn of(asked: Option<EncodingType>) -> Self {
        Self(asked.filter(|asked| asked.as_str() == EncodingType::URL))
    }

    pub(super) fn encode(&self, text: &str) -> String {
        match self.0 {
            Some(_) => utf8_percent_encode(text, URL_SAFE).to_string(),
            None => text.to_owned(),
        }
    }

    pub(super) fn objects(&self, listing: &Listing) -> Vec<ListedObject> {
        listing
            .objects
            .iter()
            .map(|(key, object)| ListedObject {
                key: Some(self.encode(key)),
                size: Some(signed(object.size)),
                e_tag: Some(e_tag(object)),
                last_modified: Some(Timestamp::from(object.modified)),
                ..ListedObject::default()
            })
            .collect()
    }

    pub(super) fn common_prefixes(&self, listing: &Listing) -> Vec<CommonPrefix> {
        listing
            .common_prefixes
            .iter()
            .map(|prefix| CommonPrefix {
                prefix: Some(self.encode(prefix)),
            })
            .collect()
    }
}
