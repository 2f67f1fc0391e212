//! HTTP as a loader needs it: a request, its answer, and a time limit.

use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ureq::tls::{Certificate, RootCerts, TlsConfig, TlsProvider};
use ureq::{Agent, Body};
use url::Url;

use crate::error::{Error, excerpt};

/// Longest wait for a connection.
const CONNECT: Duration = Duration::from_secs(10);
/// Longest wait for an answer: indexes are made, and batches indexed, before there is one.
const ANSWER: Duration = Duration::from_secs(600);
/// Longest answer that is taken into memory.
const LONGEST: u64 = 256 << 20;

/// How a server lets us in.
#[derive(Clone, Default)]
pub struct Login {
    /// User and password.
    pub basic: Option<(String, String)>,
    /// Accept any certificate.
    pub insecure: bool,
}

impl std::fmt::Debug for Login {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Login")
    }
}

/// A server that speaks HTTP.
#[derive(Debug)]
pub struct Client {
    agent: Agent,
    base: String,
    authorization: Option<String>,
}

/// An answer.
#[derive(Debug)]
pub struct Reply {
    /// Its status.
    pub status: u16,
    /// Its body.
    pub body: Vec<u8>,
}

impl Reply {
    /// Whether the status is one of success.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The beginning of the body, for a message.
    pub fn excerpt(&self) -> String {
        excerpt(&String::from_utf8_lossy(&self.body))
    }
}

impl Client {
    /// A client of the server at `url`; nothing is sent yet.
    ///
    /// # Errors
    /// When that is no URL of HTTP.
    pub fn new(url: &str, login: &Login) -> Result<Self, Error> {
        Self::patient(url, login, ANSWER)
    }

    /// The same, waiting for an answer at most so long.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn patient(url: &str, login: &Login, answer: Duration) -> Result<Self, Error> {
        let refuse = |reason: &str| Error::Refused(format!("server {url}: {reason}"));
        let parsed = Url::parse(url)
            .map_err(|_| refuse("write a URL, for example http://127.0.0.1:10041"))?;
        if !matches!(parsed.scheme(), "http" | "https") || parsed.host().is_none() {
            return Err(refuse("write a URL that begins with http:// or https://"));
        }
        if !parsed.username().is_empty() || parsed.password().is_some() {
            return Err(Error::Refused(
                "a server's url must not hold a user or a password: everybody on this machine \
                 could read it; use --user and --password-file"
                    .to_owned(),
            ));
        }
        let mut base = parsed;
        base.set_query(None);
        base.set_fragment(None);
        let base = base.as_str().trim_end_matches('/').to_owned();
        let mut config = Agent::config_builder()
            .timeout_connect(Some(CONNECT))
            .timeout_global(Some(answer))
            .http_status_as_error(false)
            .max_redirects(0)
            .user_agent("tenbin")
            .proxy(None);
        if base.starts_with("https:") {
            config = config.tls_config(tls(login));
        }
        let authorization = login.basic.as_ref().map(|(user, password)| {
            let pair = format!("{user}:{password}");
            format!("Basic {}", STANDARD.encode(pair))
        });
        Ok(Self {
            agent: config.build().new_agent(),
            base,
            authorization,
        })
    }

    /// Where the server is.
    pub fn url(&self) -> &str {
        &self.base
    }

    /// Asks for a path with `GET`.
    ///
    /// # Errors
    /// When there is no complete answer.
    pub fn get(&self, path: &str) -> Result<Reply, Error> {
        let mut request = self.agent.get(format!("{}{path}", self.base));
        if let Some(value) = &self.authorization {
            request = request.header("Authorization", value);
        }
        let response = request.call().map_err(|error| self.failed(&error))?;
        self.reply(response)
    }

    /// Asks for a path with `GET`, for an answer that is too long for memory. The body
    /// of one that is no success is a [`Error::Server`].
    ///
    /// # Errors
    /// When there is no answer.
    pub fn stream(&self, path: &str) -> Result<impl Read + use<>, Error> {
        // It may take as long as it likes, but not without a word.
        let mut request = self
            .agent
            .get(format!("{}{path}", self.base))
            .config()
            .timeout_global(None)
            .timeout_per_read(Some(ANSWER))
            .build();
        if let Some(value) = &self.authorization {
            request = request.header("Authorization", value);
        }
        let response = request.call().map_err(|error| self.failed(&error))?;
        if response.status().is_success() {
            return Ok(response.into_body().into_reader());
        }
        let reply = self.reply(response)?;
        let reason = format!("{path} has status {}: {}", reply.status, reply.excerpt());
        Err(Error::server(&self.base, reason))
    }

    /// Sends a body with `POST`.
    ///
    /// # Errors
    /// When there is no complete answer.
    pub fn post(&self, path: &str, kind: &str, body: &[u8]) -> Result<Reply, Error> {
        let request = self.agent.post(format!("{}{path}", self.base));
        self.send(request, kind, body)
    }

    /// Sends a body with `PUT`.
    ///
    /// # Errors
    /// When there is no complete answer.
    pub fn put(&self, path: &str, kind: &str, body: &[u8]) -> Result<Reply, Error> {
        let request = self.agent.put(format!("{}{path}", self.base));
        self.send(request, kind, body)
    }

    /// Sends a body with `DELETE`.
    ///
    /// # Errors
    /// When there is no complete answer.
    pub fn delete(&self, path: &str, kind: &str, body: &[u8]) -> Result<Reply, Error> {
        let request = self.agent.delete(format!("{}{path}", self.base));
        self.send(request.force_send_body(), kind, body)
    }

    fn send(
        &self,
        mut request: ureq::RequestBuilder<ureq::typestate::WithBody>,
        kind: &str,
        body: &[u8],
    ) -> Result<Reply, Error> {
        if let Some(value) = &self.authorization {
            request = request.header("Authorization", value);
        }
        let response = request.header("Content-Type", kind).send(body);
        self.reply(response.map_err(|error| self.failed(&error))?)
    }

    fn reply(&self, mut response: ureq::http::Response<Body>) -> Result<Reply, Error> {
        let status = response.status().as_u16();
        let body = response
            .body_mut()
            .with_config()
            .limit(LONGEST)
            .read_to_vec();
        Ok(Reply {
            status,
            body: body.map_err(|error| self.failed(&error))?,
        })
    }

    fn failed(&self, error: &ureq::Error) -> Error {
        let reason = match error {
            ureq::Error::Io(io) if io.kind() == std::io::ErrorKind::ConnectionRefused => {
                "nothing listens there (connection refused); is the server started?".to_owned()
            }
            ureq::Error::ConnectionFailed => "cannot connect; is the address right?".to_owned(),
            ureq::Error::HostNotFound => "the host is not known; is its name right?".to_owned(),
            ureq::Error::Timeout(_) => format!("no answer in time ({error})"),
            _ => format!("the request failed: {error}"),
        };
        Error::server(&self.base, reason)
    }
}

fn tls(login: &Login) -> TlsConfig {
    let found = rustls_native_certs::load_native_certs();
    let certificates: Vec<Certificate<'static>> = found
        .certs
        .iter()
        .map(|certificate| Certificate::from_der(certificate).to_owned())
        .collect();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    TlsConfig::builder()
        .provider(TlsProvider::Rustls)
        .unversioned_rustls_crypto_provider(provider)
        .root_certs(RootCerts::new_with_certs(&certificates))
        .disable_verification(login.insecure)
        .build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_urls_without_passwords() {
        let refused = |url: &str| match Client::new(url, &Login::default()) {
            Ok(client) => panic!("{client:?}"),
            Err(error) => error.to_string(),
        };
        assert!(refused("127.0.0.1:10041").contains("write a URL"));
        assert!(refused("ftp://h/").contains("http:// or https://"));
        let hush = refused("http://me:hush@h:1/");
        assert!(!hush.contains("hush"), "{hush}");
        let client = Client::new("http://h:1/base/?x#y", &Login::default()).unwrap();
        assert_eq!(client.url(), "http://h:1/base");
    }
}
