//! Requests for temporary keys, and what the responses say: `AssumeRole` and
//! `AssumeRoleWithWebIdentity` of a token service (AWS STS API reference), and `CreateSession` of a
//! bucket (Amazon S3 API reference). Nothing is sent here.

mod issued;
mod request;

use tenbin_plan::Credentials;

pub use issued::{Issued, issued};
pub use request::{KeyRequest, Role};

/// What issues temporary keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Issuer {
    /// A token service, for the keys of an account.
    AssumeRole,
    /// A token service, for the token of a web identity.
    WebIdentity,
    /// A bucket.
    CreateSession,
}

impl Issuer {
    /// Name of the request, as in the references.
    pub fn name(self) -> &'static str {
        match self {
            Self::AssumeRole => "AssumeRole",
            Self::WebIdentity => "AssumeRoleWithWebIdentity",
            Self::CreateSession => "CreateSession",
        }
    }
}

/// With what a request for keys is signed.
#[derive(Debug, Clone, Copy)]
pub struct Signing<'a> {
    /// The keys.
    pub keys: &'a Credentials,
    /// Region.
    pub region: &'a str,
    /// Value of the `Host` header.
    pub host: &'a str,
    /// Seconds since 1970-01-01 UTC.
    pub now: u64,
}
