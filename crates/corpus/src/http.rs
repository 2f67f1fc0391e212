//! A small HTTP client for loading: one response per request, with time limits.

use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ureq::tls::{Certificate, RootCerts, TlsConfig, TlsProvider};
use ureq::{Agent, Body};
use url::Url;

use crate::error::{Error, excerpt};

/// Time limit of a connection attempt.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Time limit of a response. Creating an index or indexing a batch can take minutes.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(600);
/// Largest response that is read into memory, bytes.
const MAX_BODY: u64 = 256 << 20;

/// Credentials and certificate checks for a server.
#[derive(Clone, Default)]
pub struct Login {
    /// User name and password.
    pub basic: Option<(String, String)>,
    /// Whether to accept invalid TLS certificates.
    pub insecure: bool,
}

impl std::fmt::Debug for Login {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Login")
    }
}

/// A client of one HTTP or HTTPS server.
pub struct Client {
    agent: Agent,
    base: String,
    /// Headers of every request: names and values.
    headers: Vec<(String, String)>,
}

impl std::fmt::Debug for Client {
    // The headers can hold a password or a token.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client")
            .field("base", &self.base)
            .finish_non_exhaustive()
    }
}

/// A response.
#[derive(Debug)]
pub struct Reply {
    /// Status code.
    pub status: u16,
    /// Body.
    pub body: Vec<u8>,
}

impl Reply {
    /// Whether the status is 2xx.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The start of the body, for use in a message.
    pub fn excerpt(&self) -> String {
        excerpt(&String::from_utf8_lossy(&self.body))
    }
}

impl Client {
    /// Creates a client of the server at `url` without connecting.
    ///
    /// # Errors
    /// When `url` is not an HTTP URL.
    pub fn new(url: &str, login: &Login) -> Result<Self, Error> {
        Self::with_timeout(url, login, RESPONSE_TIMEOUT)
    }

    /// Like [`Self::new`], with `timeout` as the time limit for responses.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn with_timeout(url: &str, login: &Login, timeout: Duration) -> Result<Self, Error> {
        let refuse = |reason: &str| Error::Refused(format!("server {url}: {reason}"));
        let parsed = Url::parse(url)
            .map_err(|_| refuse("write a URL, for example http://127.0.0.1:10041"))?;
        if !matches!(parsed.scheme(), "http" | "https") || parsed.host().is_none() {
            return Err(refuse("write a URL that begins with http:// or https://"));
        }
        if !parsed.username().is_empty() || parsed.password().is_some() {
            return Err(Error::Refused(
                "a server's url must not hold a user or a password: every user of this machine \
                 could read it; use --user and --password-file"
                    .to_owned(),
            ));
        }
        let mut base = parsed;
        base.set_query(None);
        base.set_fragment(None);
        let base = base.as_str().trim_end_matches('/').to_owned();
        let mut config = Agent::config_builder()
            .timeout_connect(Some(CONNECT_TIMEOUT))
            .timeout_global(Some(timeout))
            .http_status_as_error(false)
            .max_redirects(0)
            .user_agent("tenbin")
            .proxy(None);
        if base.starts_with("https:") {
            config = config.tls_config(tls(login));
        }
        let authorization = login.basic.as_ref().map(|(user, password)| {
            let pair = format!("{user}:{password}");
            let value = format!("Basic {}", STANDARD.encode(pair));
            ("Authorization".to_owned(), value)
        });
        Ok(Self {
            agent: config.build().new_agent(),
            base,
            headers: authorization.into_iter().collect(),
        })
    }

    /// Adds a header to every request. An invalid name or value makes requests fail.
    pub fn add_header(&mut self, name: &str, value: &str) {
        self.headers.push((name.to_owned(), value.to_owned()));
    }

    /// Base URL of the server, without a trailing slash.
    pub fn url(&self) -> &str {
        &self.base
    }

    /// Sends a `GET` request.
    ///
    /// # Errors
    /// When no complete response is received.
    pub fn get(&self, path: &str) -> Result<Reply, Error> {
        let mut request = self.agent.get(format!("{}{path}", self.base));
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let response = request.call().map_err(|error| self.failed(&error))?;
        self.reply(response)
    }

    /// Sends a `GET` request and returns the response as a stream, for responses too large for
    /// memory. A status other than 2xx becomes an [`Error::Server`].
    ///
    /// # Errors
    /// When no response is received.
    pub fn stream(&self, path: &str) -> Result<impl Read + use<>, Error> {
        // Only each read has a time limit; the whole response has none.
        let mut request = self
            .agent
            .get(format!("{}{path}", self.base))
            .config()
            .timeout_global(None)
            .timeout_per_read(Some(RESPONSE_TIMEOUT))
            .build();
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let response = request.call().map_err(|error| self.failed(&error))?;
        if response.status().is_success() {
            return Ok(response.into_body().into_reader());
        }
        let reply = self.reply(response)?;
        let reason = format!("{path} has status {}: {}", reply.status, reply.excerpt());
        Err(Error::server(&self.base, reason))
    }

    /// Sends a `POST` request.
    ///
    /// # Errors
    /// When no complete response is received.
    pub fn post(&self, path: &str, kind: &str, body: &[u8]) -> Result<Reply, Error> {
        let request = self.agent.post(format!("{}{path}", self.base));
        self.send(request, kind, body)
    }

    /// Sends a `PUT` request.
    ///
    /// # Errors
    /// When no complete response is received.
    pub fn put(&self, path: &str, kind: &str, body: &[u8]) -> Result<Reply, Error> {
        let request = self.agent.put(format!("{}{path}", self.base));
        self.send(request, kind, body)
    }

    /// Sends a `DELETE` request.
    ///
    /// # Errors
    /// When no complete response is received.
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
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let response = request.header("Content-Type", kind).send(body);
        self.reply(response.map_err(|error| self.failed(&error))?)
    }

    fn reply(&self, mut response: ureq::http::Response<Body>) -> Result<Reply, Error> {
        let status = response.status().as_u16();
        let body = response
            .body_mut()
            .with_config()
            .limit(MAX_BODY)
            .read_to_vec();
        Ok(Reply {
            status,
            body: body.map_err(|error| self.failed(&error))?,
        })
    }

    fn failed(&self, error: &ureq::Error) -> Error {
        let reason = match error {
            ureq::Error::Io(io) if io.kind() == std::io::ErrorKind::ConnectionRefused => {
                "no server listens there (connection refused); start it, or check the port"
                    .to_owned()
            }
            ureq::Error::ConnectionFailed => "cannot connect; check the address".to_owned(),
            ureq::Error::HostNotFound => "the host is unknown; check its name".to_owned(),
            ureq::Error::Timeout(_) => format!("no response in time ({error})"),
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
    let provider = Arc::new(rustls::crypto::ring::default_provider());
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
