//! Requests for temporary keys.

use std::time::Duration;

use sha2::{Digest, Sha256};

use super::Signing;
use crate::s3::signing::sigv4::{Signed, Signer};
use crate::s3::signing::uri::push_encoded;
use crate::text::hex;

/// Version of the interface of token services.
const VERSION: &str = "2011-06-15";
/// Name of a session without another one.
const SESSION_NAME: &str = "tenbin";
/// Content type of requests to token services.
const FORM: &str = "application/x-www-form-urlencoded";
/// The token service of all regions, whose own region is `us-east-1`.
const GLOBAL_HOST: &str = "sts.amazonaws.com";

/// A request for temporary keys.
pub struct KeyRequest {
    /// Path and query.
    pub path: String,
    /// Headers besides `Host` and `Content-Type`.
    pub headers: Vec<(&'static str, String)>,
    /// Body of a POST with a form; `None` for a GET.
    pub form: Option<String>,
}

/// What a token service is asked for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Role<'a> {
    /// ARN of the role.
    pub arn: Option<&'a str>,
    /// Name of the session.
    pub session_name: Option<&'a str>,
    /// External id that the role demands.
    pub external_id: Option<&'a str>,
    /// Lifetime of the keys.
    pub lifetime: Option<Duration>,
}

impl KeyRequest {
    /// The request for the keys of a role, or without a role for other keys of the same account.
    /// `path` is that of the token service.
    pub fn assume_role(path: &str, role: &Role<'_>, signing: &Signing<'_>) -> Self {
        let mut form = role.form("AssumeRole");
        push_pair(&mut form, "ExternalId", role.external_id);
        let region = match signing.host {
            GLOBAL_HOST => "us-east-1",
            _ => signing.region,
        };
        let signing = Signing { region, ..*signing };
        let content_type = ("content-type", FORM.to_owned());
        let to_sign = ToSign {
            method: "POST",
            path,
            query: "",
            service: "sts",
            body: form.as_bytes(),
        };
        Self {
            path: path.to_owned(),
            headers: to_sign.headers(&signing, Some(content_type)),
            form: Some(form),
        }
    }

    /// The request for the keys of a web identity, which is not signed.
    pub fn web_identity(path: &str, role: &Role<'_>, token: &str) -> Self {
        let mut form = role.form("AssumeRoleWithWebIdentity");
        push_pair(&mut form, "WebIdentityToken", Some(token));
        Self {
            path: path.to_owned(),
            headers: Vec::new(),
            form: Some(form),
        }
    }

    /// The request for a session of a bucket. `path` is that of the bucket, encoded.
    pub fn create_session(path: &str, signing: &Signing<'_>) -> Self {
        let to_sign = ToSign {
            method: "GET",
            path,
            query: "session=",
            service: "s3express",
            body: b"",
        };
        Self {
            path: format!("{path}?session="),
            headers: to_sign.headers(signing, None),
            form: None,
        }
    }
}

impl Role<'_> {
    fn form(&self, action: &str) -> String {
        let mut form = format!("Action={action}&Version={VERSION}");
        push_pair(&mut form, "RoleArn", self.arn);
        let name = self.session_name.unwrap_or(SESSION_NAME);
        push_pair(&mut form, "RoleSessionName", Some(name));
        let seconds = self.lifetime.map(|time| time.as_secs().to_string());
        push_pair(&mut form, "DurationSeconds", seconds.as_deref());
        form
    }
}

fn push_pair(form: &mut String, name: &str, value: Option<&str>) {
    let Some(value) = value else { return };
    let mut encoded = Vec::with_capacity(value.len());
    push_encoded(&mut encoded, value.as_bytes(), false);
    form.push('&');
    form.push_str(name);
    form.push('=');
    form.push_str(&String::from_utf8_lossy(&encoded));
}

/// The signed parts of a request.
struct ToSign<'a> {
    method: &'a str,
    path: &'a str,
    /// Query in canonical form.
    query: &'a str,
    service: &'a str,
    body: &'a [u8],
}

impl ToSign<'_> {
    /// The headers of the request, of which the last is the signature. `other` is signed and not
    /// returned.
    fn headers(
        &self,
        signing: &Signing<'_>,
        other: Option<(&'static str, String)>,
    ) -> Vec<(&'static str, String)> {
        let mut signer = Signer::new(signing.keys, signing.region, self.service);
        let date = signer.at(signing.now);
        let hash = hex(&Sha256::digest(self.body).into());
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let token = signing.keys.session_token.as_ref();
        let token = token.map(|token| ("x-amz-security-token", token.secret.reveal().to_owned()));
        let mut headers = vec![
            ("x-amz-content-sha256", text(&hash)),
            ("x-amz-date", text(&date)),
        ];
        headers.extend(token);
        let host = ("host", signing.host.to_owned());
        let mut signed = headers.clone();
        signed.push(host);
        signed.extend(other);
        signed.sort();
        let signed: Vec<(&str, &[u8])> = signed
            .iter()
            .map(|(name, value)| (*name, value.as_bytes()))
            .collect();
        let signature = signer.sign(&Signed {
            method: self.method.as_bytes(),
            path: self.path.as_bytes(),
            query: self.query.as_bytes(),
            headers: &signed,
            payload_hash: &hash,
        });
        let mut authorization = Vec::new();
        signer.push_authorization(&mut authorization, &signed, &signature);
        headers.push(("authorization", text(&authorization)));
        headers
    }
}

#[cfg(test)]
mod tests {
    use tenbin_plan::{Credentials, KeySource, Secret, SessionToken};

    use super::*;

    fn header<'a>(request: &'a KeyRequest, name: &str) -> &'a str {
        let mut headers = request.headers.iter();
        let found = headers.find(|(own, _)| *own == name);
        &found.expect("the header is sent").1
    }

    #[test]
    fn a_role_is_asked_for_with_all_that_is_known_of_it() {
        let keys = Credentials::literal("AK", "secret");
        let signing = Signing {
            keys: &keys,
            region: "eu-west-1",
            host: "sts.example:9000",
            now: 1_440_938_160,
        };
        let role = Role {
            arn: Some("arn:aws:iam::1:role/a b"),
            session_name: None,
            external_id: Some("x=1"),
            lifetime: Some(Duration::from_secs(900)),
        };
        let request = KeyRequest::assume_role("/", &role, &signing);
        assert_eq!(
            request.form.as_deref(),
            Some(
                "Action=AssumeRole&Version=2011-06-15&RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fa%20b\
                 &RoleSessionName=tenbin&DurationSeconds=900&ExternalId=x%3D1"
            )
        );
        let authorization = header(&request, "authorization");
        assert!(authorization.contains("Credential=AK/20150830/eu-west-1/sts/aws4_request"));
        assert!(
            authorization
                .contains("SignedHeaders=content-type;host;x-amz-content-sha256;x-amz-date,")
        );
        let global = Signing {
            host: GLOBAL_HOST,
            ..signing
        };
        let request = KeyRequest::assume_role("/", &role, &global);
        assert!(header(&request, "authorization").contains("/us-east-1/sts/"));
    }

    #[test]
    fn a_session_is_asked_for_with_the_token_of_the_role() {
        let mut keys = Credentials::literal("AK", "secret");
        keys.session_token = Some(SessionToken {
            secret: Secret::new("token"),
            source: KeySource::Generated,
        });
        let signing = Signing {
            keys: &keys,
            region: "us-west-2",
            host: "box--usw2-az1--x-s3.example",
            now: 1_440_938_160,
        };
        let request = KeyRequest::create_session("/", &signing);
        assert_eq!(
            (request.path.as_str(), &request.form),
            ("/?session=", &None)
        );
        assert_eq!(header(&request, "x-amz-security-token"), "token");
        let authorization = header(&request, "authorization");
        assert!(authorization.contains("/us-west-2/s3express/aws4_request"));
        assert!(
            authorization.contains(
                "SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token,"
            )
        );
    }

    #[test]
    fn the_request_of_a_web_identity_is_not_signed() {
        let request = KeyRequest::web_identity("/", &Role::default(), "a.b-c_d");
        let form = request.form.unwrap_or_default();
        assert!(form.ends_with("&RoleSessionName=tenbin&WebIdentityToken=a.b-c_d"));
        assert!(request.headers.is_empty());
    }
}
