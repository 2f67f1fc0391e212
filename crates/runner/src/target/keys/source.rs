//! What issues the keys of a target.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tenbin_plan::{Credentials, KeySource, Secret, Sentence, Target, WebIdentity, sentence};
use tenbin_workloads::BucketAddress;
use tenbin_workloads::s3::keyring::{KeyUse, Keyring};
use tenbin_workloads::s3::sessions::{Issuer, KeyRequest, Role, Signing, issued};
use url::{Position, Url};

use super::route::KeyRoute;

/// The keys that sign requests for other keys.
pub(super) enum Base {
    Fixed(Credentials),
    /// Keys of a token service, which are renewed themselves.
    Ring(Arc<Keyring>),
}

impl Base {
    fn keys(&self) -> Credentials {
        match self {
            Self::Fixed(keys) => keys.clone(),
            Self::Ring(ring) => ring.keys(),
        }
    }
}

/// What issues keys.
pub(super) struct Source {
    asked: Asked,
    region: String,
    route: Arc<KeyRoute>,
}

enum Asked {
    TokenService(RoleOfTarget, Identity),
    Bucket(BucketAddress, Base),
}

/// What is known of the role of a target.
struct RoleOfTarget {
    arn: Option<String>,
    session_name: Option<String>,
    external_id: Option<String>,
    lifetime: Option<Duration>,
}

/// Who asks a token service.
enum Identity {
    Keys(Base),
    /// The token of a web identity.
    Token(Secret),
    /// The file with the token of a web identity.
    TokenFile(PathBuf),
}

/// Keys, and how long they are valid from now.
pub(super) struct FreshKeys {
    pub(super) keys: Credentials,
    pub(super) life: Duration,
}

/// Why there are no keys.
#[derive(Debug)]
pub(super) struct Refusal {
    /// The reason, in one clause.
    pub(super) why: Sentence,
    /// Whether another try can succeed soon.
    pub(super) is_temporary: bool,
}

impl Refusal {
    fn lasting(why: Sentence) -> Self {
        Self {
            why,
            is_temporary: false,
        }
    }
}

impl Source {
    /// The token service of a target.
    pub(super) fn account((target, base): (&Target, Option<Base>), route: &Arc<KeyRoute>) -> Self {
        let sessions = &target.sessions;
        let role = RoleOfTarget {
            arn: sessions.assume_role.clone(),
            session_name: sessions.role_session_name.clone(),
            external_id: sessions.external_id.clone(),
            lifetime: sessions.role_duration,
        };
        let identity = match (&sessions.web_identity, base) {
            (Some(identity), _) => Identity::of(identity),
            (None, Some(base)) => Identity::Keys(base),
            // The plan refuses a role without keys.
            (None, None) => Identity::Token(Secret::new("")),
        };
        Self {
            asked: Asked::TokenService(role, identity),
            region: target.region.clone(),
            route: Arc::clone(route),
        }
    }

    /// A bucket that issues the keys of a session.
    pub(super) fn bucket(
        bucket: BucketAddress,
        base: Base,
        target: &Target,
        route: &Arc<KeyRoute>,
    ) -> Self {
        Self {
            asked: Asked::Bucket(bucket, base),
            region: target.region.clone(),
            route: Arc::clone(route),
        }
    }

    pub(super) fn key_use(&self) -> KeyUse {
        match self.asked {
            Asked::TokenService(..) => KeyUse::Account,
            Asked::Bucket(..) => KeyUse::BucketSession,
        }
    }

    fn issuer(&self) -> Issuer {
        match &self.asked {
            Asked::TokenService(_, Identity::Keys(_)) => Issuer::AssumeRole,
            Asked::TokenService(..) => Issuer::WebIdentity,
            Asked::Bucket(..) => Issuer::CreateSession,
        }
    }

    /// The name of what issues the keys, for a message: `AssumeRole at http://127.0.0.1:9000`.
    pub(super) fn describe(&self) -> String {
        let name = self.issuer().name();
        match &self.asked {
            Asked::TokenService(..) => {
                let service = self.route.service();
                format!("{name} at {}", service.origin().ascii_serialization())
            }
            Asked::Bucket(bucket, _) => format!("{name} of bucket {}", bucket.name),
        }
    }

    /// Asks for keys.
    pub(super) fn obtain(&self) -> Result<FreshKeys, Refusal> {
        let now = seconds_now();
        let (reply, secret) = match &self.asked {
            Asked::TokenService(role, identity) => self.ask_service(role, identity, now)?,
            Asked::Bucket(bucket, base) => (self.ask_bucket(bucket, base, now), None),
        };
        let reply = reply.map_err(|why| Refusal {
            why,
            is_temporary: true,
        })?;
        let found = issued(reply.status, &reply.body).map_err(|why| Refusal {
            why: without(why, secret.as_ref()),
            is_temporary: reply.status >= 500 || reply.status == 429,
        })?;
        let life = found.expires.saturating_sub(seconds_now());
        if life == 0 {
            return Err(Refusal::lasting(sentence!(
                "keys-expired",
                "by the clock of this machine, its keys have expired already; compare the clocks \
                 of this machine and of the server"
            )));
        }
        Ok(FreshKeys {
            keys: found.keys,
            life: Duration::from_secs(life),
        })
    }

    fn ask_service(
        &self,
        role: &RoleOfTarget,
        identity: &Identity,
        now: u64,
    ) -> Result<(Result<tenbin_http::Reply, Sentence>, Option<Secret>), Refusal> {
        let service = self.route.service();
        let role = Role {
            arn: role.arn.as_deref(),
            session_name: role.session_name.as_deref(),
            external_id: role.external_id.as_deref(),
            lifetime: role.lifetime,
        };
        let (request, secret) = match identity.token().map_err(Refusal::lasting)? {
            Token::Given(token) => {
                let request = KeyRequest::web_identity(service.path(), &role, token.reveal());
                (request, Some(token))
            }
            Token::Keys(keys) => {
                let signing = Signing {
                    keys: &keys,
                    region: &self.region,
                    host: host_of(service),
                    now,
                };
                let request = KeyRequest::assume_role(service.path(), &role, &signing);
                (request, None)
            }
        };
        Ok((self.route.ask_service(&request), secret))
    }

    fn ask_bucket(
        &self,
        bucket: &BucketAddress,
        base: &Base,
        now: u64,
    ) -> Result<tenbin_http::Reply, Sentence> {
        let keys = base.keys();
        let signing = Signing {
            keys: &keys,
            region: &self.region,
            host: &bucket.host,
            now,
        };
        let request = KeyRequest::create_session(&bucket.path, &signing);
        self.route.ask_bucket(&request, &bucket.host)
    }
}

/// What a request to a token service is made with.
enum Token {
    Given(Secret),
    Keys(Credentials),
}

impl Identity {
    fn of(identity: &WebIdentity) -> Self {
        match &identity.source {
            KeySource::File(path) => Self::TokenFile(path.clone()),
            _ => Self::Token(identity.secret.clone()),
        }
    }

    /// The token, or the keys, at this time.
    fn token(&self) -> Result<Token, Sentence> {
        match self {
            Self::Keys(base) => Ok(Token::Keys(base.keys())),
            Self::Token(token) => Ok(Token::Given(token.clone())),
            Self::TokenFile(path) => {
                let text = std::fs::read_to_string(path).map_err(|error| {
                    sentence!(
                        "identity-token-unreadable",
                        "the token in {path} cannot be read ({error})",
                        path = path.display(),
                        error
                    )
                })?;
                Ok(Token::Given(Secret::new(text.trim())))
            }
        }
    }
}

/// The text without the secret, which a server could repeat.
fn without(text: Sentence, secret: Option<&Secret>) -> Sentence {
    match secret
        .map(Secret::reveal)
        .filter(|secret| !secret.is_empty())
    {
        Some(secret) => text.replaced(secret, "(token)"),
        None => text,
    }
}

/// Host name, and port unless it is the scheme's default.
fn host_of(url: &Url) -> &str {
    &url[Position::BeforeHost..Position::AfterPort]
}

fn seconds_now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| now.as_secs())
}
