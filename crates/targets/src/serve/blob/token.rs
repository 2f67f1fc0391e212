//! The authentication token of requests.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE;
use md5::{Digest, Md5};

/// Request header with the token.
pub(super) const HEADER: &str = "blob-store-auth-token";

/// Length of the time stamp before the checksum, bytes.
const TIME: usize = 8;

/// Whether a token is valid for a path and its query. The token's age is ignored, as in the access
/// layer.
pub(super) fn is_valid(token: &[u8], path: &str, query: &str, secret: &str) -> bool {
    let Ok(bytes) = BASE64_URL_SAFE.decode(token) else {
        return false;
    };
    let Some((time, sum)) = bytes.split_at_checked(TIME) else {
        return false;
    };
    let mut digest = Md5::new();
    digest.update(path);
    digest.update(query);
    digest.update(time);
    digest.update(secret);
    digest.finalize().as_slice() == sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_right_secret_and_path_are_valid() {
        let time = 1_700_000_000_u64.to_le_bytes();
        let mut digest = Md5::new();
        digest.update("/putsize=3");
        digest.update(time);
        digest.update("secret");
        let mut bytes = time.to_vec();
        bytes.extend_from_slice(&digest.finalize());
        let token = BASE64_URL_SAFE.encode(bytes);
        let is_valid = |path, query, secret| is_valid(token.as_bytes(), path, query, secret);
        assert!(is_valid("/put", "size=3", "secret"));
        assert!(!is_valid("/put", "size=4", "secret"));
        assert!(!is_valid("/put", "size=3", "other"));
    }

    #[test]
    fn invalid_tokens_are_refused() {
        for garbage in ["", "====", "YWJj", "\u{0}"] {
            assert!(!is_valid(garbage.as_bytes(), "/put", "", "secret"));
        }
    }
}
