//! Temporary keys of a target: those of a token service (AWS STS), and those of a session of a
//! bucket (S3 Express One Zone).

use std::fmt;

use url::Url;

use super::{Reach, Sessions, Target};
use crate::keys::scalar::Scalar;
use crate::secrets::secret::{KeySource, Secret};
use crate::{Sentence, sentence};

/// End of the names of directory buckets (Amazon S3 user guide, "Directory bucket naming rules").
const DIRECTORY_BUCKET: &str = "--x-s3";

/// The token of a web identity (OpenID Connect).
#[derive(Clone, PartialEq)]
pub struct WebIdentity {
    /// The token as it was before the run.
    pub secret: Secret,
    /// Source of the token. A file is read again for every renewal.
    pub source: KeySource,
}

impl fmt::Debug for WebIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebIdentity(…)")
    }
}

impl Sessions {
    /// Whether a token service issues the keys of the target.
    pub fn gets_keys(&self) -> bool {
        self.assume_role.is_some() || self.sts_endpoint.is_some() || self.web_identity.is_some()
    }

    /// Whether requests for the bucket are signed with the keys of a session of the bucket.
    pub fn is_express(&self, bucket: &str) -> bool {
        self.express_session
            .unwrap_or_else(|| bucket.ends_with(DIRECTORY_BUCKET))
    }
}

impl Target {
    /// The token service at another URL than the target: the one in the plan, or for a target at
    /// Amazon the one of the region. `None`: the target itself.
    pub fn token_service(&self) -> Option<String> {
        let Reach::Endpoint { url } = &self.reach else {
            return self.sessions.sts_endpoint.clone();
        };
        let host = url.host_str().unwrap_or_default();
        let is_of = |domain: &&&str| host.ends_with(&format!(".{domain}"));
        let amazon = ["amazonaws.com", "amazonaws.com.cn"];
        let region = &self.region;
        let of_region = amazon.iter().find(is_of);
        let of_region = of_region.map(|domain| format!("https://sts.{region}.{domain}/"));
        self.sessions.sts_endpoint.clone().or(of_region)
    }
}

/// Longest ARN of a role and longest name, bytes (AWS STS API reference, "AssumeRole").
const LONGEST: usize = 2048;

/// Reads the ARN of a role.
pub(super) fn role(scalar: &Scalar) -> Result<String, Sentence> {
    checked(
        scalar,
        sentence!(
            "not-a-role",
            "a role; write for example \"arn:aws:iam::123456789012:role/bench\""
        ),
    )
}

/// Reads the name of a session: the characters that AWS allows.
pub(super) fn name(scalar: &Scalar) -> Result<String, Sentence> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "_+=,.@-".contains(c);
    let name = scalar.text()?;
    if (2..=64).contains(&name.len()) && name.chars().all(allowed) {
        Ok(name.to_owned())
    } else {
        Err(sentence!(
            "no-session-name",
            "{name:?} is not 2 to 64 letters, digits and characters of \"_+=,.@-\"",
            name
        ))
    }
}

/// Reads an external id.
pub(super) fn external_id(scalar: &Scalar) -> Result<String, Sentence> {
    checked(
        scalar,
        sentence!(
            "not-an-external-id",
            "an external id; write its text without spaces"
        ),
    )
}

fn checked(scalar: &Scalar, what: Sentence) -> Result<String, Sentence> {
    let text = scalar.text()?;
    let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic());
    if !text.is_empty() && text.len() <= LONGEST && is_plain {
        Ok(text.to_owned())
    } else {
        Err(sentence!("is-not", "{text:?} is not {what}", text, what))
    }
}

/// Reads the URL of a token service.
pub(super) fn endpoint(scalar: &Scalar) -> Result<String, Sentence> {
    let text = scalar.text()?;
    let wrong = |why: Sentence| {
        Err(sentence!(
            "no-sts-url",
            "{why}; write for example \"http://127.0.0.1:9000\"",
            why
        ))
    };
    let Ok(url) = Url::parse(text) else {
        return wrong(sentence!("sts-no-url", "is not a URL"));
    };
    if !url.username().is_empty() || url.password().is_some() {
        return wrong(sentence!(
            "sts-password",
            "holds a user or a password, which printed plans would show"
        ));
    }
    if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
        return wrong(sentence!(
            "sts-scheme",
            "is not a URL that begins with http:// or https://"
        ));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return wrong(sentence!(
            "sts-query",
            "has a query or a fragment, which the requests replace"
        ));
    }
    Ok(url.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_at_amazon_has_the_token_service_of_its_region() {
        let target = |url: &str| Target {
            region: "eu-west-1".to_owned(),
            ..Target::new(
                "t",
                Reach::Endpoint {
                    url: Url::parse(url).unwrap(),
                },
            )
        };
        let express = "https://s3express-euw1-az1.eu-west-1.amazonaws.com";
        let own = Some("https://sts.eu-west-1.amazonaws.com/".to_owned());
        assert_eq!(target(express).token_service(), own);
        assert_eq!(target("http://127.0.0.1:9000").token_service(), None);
        let given = Target {
            sessions: Sessions {
                sts_endpoint: Some("http://sts/".to_owned()),
                ..Sessions::default()
            },
            ..target(express)
        };
        assert_eq!(given.token_service().as_deref(), Some("http://sts/"));
    }

    #[test]
    fn directory_buckets_have_sessions_unless_the_plan_says_otherwise() {
        let sessions = |express_session| Sessions {
            express_session,
            ..Sessions::default()
        };
        assert!(sessions(None).is_express("bench--use1-az4--x-s3"));
        assert!(!sessions(None).is_express("bench"));
        assert!(sessions(Some(true)).is_express("bench"));
        assert!(!sessions(Some(false)).is_express("bench--use1-az4--x-s3"));
    }
}
