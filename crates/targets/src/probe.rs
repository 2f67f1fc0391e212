//! Sends one small HTTP request with a deadline, to check that a server responds and to read its
//! clock. Over HTTP/2, only connection prefaces are exchanged.

mod fetch;
mod head;
mod http2;
mod other_scheme;
mod refusal;
mod stream;

use std::io;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tenbin_plan::{HttpVersion, Sentence, sentence};
use url::Url;

pub use fetch::{FetchError, fetch};
use head::{Head, parse_head};
pub use other_scheme::{OtherScheme, get_or_name_scheme};
pub use refusal::ConnectionRefusal;
use refusal::refusal;
use stream::Stream;
pub use tenbin_http::Address;

/// Maximum time between two checks of the deadline.
const CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// The head of a response.
#[derive(Debug, Clone, PartialEq)]
pub struct ResponseHead {
    /// Status code; `None` over HTTP/2, where no request is sent.
    pub status: Option<u16>,
    /// `Server` header. Untrusted: output must escape it.
    pub server: Option<String>,
    /// Number of the first line of the head that ends with a line feed alone, without a carriage
    /// return; `None` if every line ends with both.
    pub bare_line_feed: Option<u64>,
    /// Whether the body is XML (`Content-Type: application/xml`), as the errors of S3 servers are.
    pub is_xml: bool,
    /// `Location` header. Untrusted: output must escape it.
    pub location: Option<String>,
    /// `Date` header, which has a resolution of one second.
    pub date: Option<SystemTime>,
    /// Time at which the request was sent.
    pub sent: SystemTime,
    /// Time at which the head was complete.
    pub received: SystemTime,
    /// The reason, if the response says that the server refuses every request on the connection.
    pub refusal: Option<ConnectionRefusal>,
}

/// An address of a target with the connection settings to use for it.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// The address.
    pub address: Address,
    /// Local address of the connection; chosen by the operating system if `None`.
    pub source: Option<IpAddr>,
    /// The HTTP version.
    pub http: HttpVersion,
    /// TLS configuration and the server's name; `None` without TLS.
    pub tls: Option<(Arc<ClientConfig>, ServerName<'static>)>,
    /// File with the only trusted certificate authorities, for use in messages.
    pub ca: Option<PathBuf>,
}

/// Why there was no valid HTTP response.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.sentence())]
pub enum ProbeError {
    /// No server listens.
    Refused {
        /// The address.
        address: Address,
    },
    /// The Unix socket does not exist.
    Missing {
        /// The address.
        address: Address,
    },
    /// The TLS handshake failed.
    Tls {
        /// The address.
        address: Address,
        /// What is wrong and what to do.
        reason: Sentence,
    },
    /// HTTP/2 is configured, but the server does not speak it.
    NotHttp2 {
        /// The address.
        address: Address,
        /// What the server does instead of HTTP/2.
        reason: Sentence,
    },
    /// The connection was not accepted in time.
    ConnectTimeout {
        /// The address.
        address: Address,
        /// The time limit.
        limit: Duration,
    },
    /// The connection failed for another reason.
    Connect {
        /// The address.
        address: Address,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The server refuses every request, because the connection lacks TLS or a client certificate.
    Refuses {
        /// The address.
        address: Address,
        /// The reason in the response.
        refusal: ConnectionRefusal,
    },
    /// The server speaks TLS where the URL says HTTP without TLS, or the reverse.
    OtherScheme {
        /// The address.
        address: Address,
        /// What it speaks.
        other: OtherScheme,
    },
    /// The server accepted the connection and sent nothing.
    Silent {
        /// The address.
        address: Address,
        /// The time waited.
        limit: Duration,
    },
    /// The server closed the connection without a response.
    Closed {
        /// The address.
        address: Address,
    },
    /// The response is not HTTP.
    NotHttp {
        /// The address.
        address: Address,
        /// First bytes of the response, escaped.
        begin: String,
        /// The protocol that the first bytes suggest.
        hint: Sentence,
    },
    /// The response has status 101, although the request asked for no other protocol.
    Switched {
        /// The address.
        address: Address,
    },
    /// A proxy responds in place of an S3 server.
    ProxyPage {
        /// Name of the host.
        host: String,
        /// The status.
        status: u16,
    },
    /// The connection failed during the request.
    Broken {
        /// The address.
        address: Address,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The caller interrupted the request.
    Abandoned {
        /// The address.
        address: Address,
    },
}

impl ProbeError {
    /// The error with its arguments.
    #[expect(clippy::too_many_lines, reason = "one row for each error")]
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::Refused { address } => sentence!(
                "refused",
                "nothing listens on {address} (connection refused); is the server started?",
                address
            ),
            Self::Missing { address } => sentence!(
                "no-socket",
                "there is no {address}; is the server started, and the path right?",
                address
            ),
            Self::Tls { address, reason } => {
                sentence!("of-address", "{address}: {reason}", address, reason)
            }
            Self::NotHttp2 { address, reason } => sentence!(
                "not-http2",
                "{address} does not speak HTTP/2: {reason}",
                address,
                reason
            ),
            Self::ConnectTimeout { address, limit } => sentence!(
                "connect-timeout",
                "{address} did not accept a connection within {limit}; check the address and \
                    firewalls",
                address,
                limit = format!("{limit:?}")
            ),
            Self::Connect { address, source } => sentence!(
                "cannot-connect",
                "cannot connect to {address}: {source}",
                address,
                source = Sentence::from(source)
            ),
            Self::Refuses { address, refusal } => sentence!(
                "address-does",
                "{address} {what}",
                address,
                what = refusal.sentence()
            ),
            Self::OtherScheme { address, other } => sentence!(
                "address-does",
                "{address} {what}",
                address,
                what = other.sentence()
            ),
            Self::Silent { address, limit } => sentence!(
                "silent",
                "{address} accepts connections but does not respond (waited {limit})",
                address,
                limit = format!("{limit:?}")
            ),
            Self::Closed { address } => sentence!(
                "closes",
                "{address} accepts connections but closes them without a response",
                address
            ),
            Self::NotHttp {
                address,
                begin,
                hint,
            } => sentence!(
                "not-http-response",
                "{address} responds, but not with HTTP (the response begins with \
                    \"{begin}\"){hint}",
                address,
                begin,
                hint
            ),
            Self::Switched { address } => sentence!(
                "switched",
                "{address} responds with status 101 (Switching Protocols) to a request that \
                    did not ask for another protocol; check what listens there",
                address
            ),
            Self::ProxyPage { host, status } => sentence!(
                "proxy-page",
                "{host} responds with status {status} but not with an S3 error, as a proxy \
                    does that cannot reach its server; check that the S3 server behind it runs",
                host,
                status
            ),
            Self::Broken { address, source } => sentence!(
                "broken",
                "the connection to {address} broke: {source}",
                address,
                source = Sentence::from(source)
            ),
            Self::Abandoned { address } => sentence!(
                "abandoned",
                "interrupted while waiting for {address}",
                address
            ),
        }
    }
}

impl ProbeError {
    /// Whether the server does not run or does not respond. Otherwise, the server responds, and the
    /// settings do not fit it.
    pub(crate) fn is_unreachable(&self) -> bool {
        matches!(
            self,
            Self::Refused { .. }
                | Self::Missing { .. }
                | Self::ConnectTimeout { .. }
                | Self::Connect { .. }
                | Self::Silent { .. }
                | Self::Closed { .. }
        )
    }
}

/// Sends a `GET` for the path of `url` to `endpoint`. `limit` covers connection, request and
/// response. `abandon` is called about every 50 ms; when it returns true, the request ends.
///
/// # Errors
/// When no complete response head is received.
pub fn get(
    url: &Url,
    endpoint: &Endpoint,
    limit: Duration,
    abandon: &dyn Fn() -> bool,
) -> Result<ResponseHead, ProbeError> {
    get_with(url, &[], endpoint, limit, abandon)
}

/// As [`get`], with these headers, which replace headers of Tenbin with the same name.
///
/// # Errors
/// When no complete response head is received.
pub fn get_with(
    url: &Url,
    headers: &[(String, String)],
    endpoint: &Endpoint,
    limit: Duration,
    abandon: &dyn Fn() -> bool,
) -> Result<ResponseHead, ProbeError> {
    let request = request(url, headers);
    stream::run(endpoint, limit, abandon, async |stream| {
        match endpoint.http {
            HttpVersion::Http1 => request_head(&request, stream).await,
            HttpVersion::Http2 => http2::exchange_prefaces(stream).await,
        }
    })
}

async fn request_head(request: &str, stream: &mut Stream<'_>) -> Result<ResponseHead, ProbeError> {
    let sent = SystemTime::now();
    stream.write(request.as_bytes()).await?;
    let mut head = Vec::new();
    loop {
        if stream.read(&mut head).await? == 0 {
            return Err(not_http(stream.address(), &head));
        }
        match parse_head(&head, sent) {
            Head::Complete(response, end) => {
                let body = head.split_off(end);
                let refusal = refusal(&response, body, stream).await;
                return Ok(ResponseHead {
                    refusal,
                    ..response
                });
            }
            Head::Impossible => return Err(not_http(stream.address(), &head)),
            Head::Switched => {
                return Err(ProbeError::Switched {
                    address: stream.address().clone(),
                });
            }
            Head::Partial => {}
        }
    }
}

/// Whether the endpoint accepts a connection, which is closed at once.
///
/// # Errors
/// When the connection is refused, times out, or fails for another reason.
pub fn connect(endpoint: &Endpoint, limit: Duration) -> Result<(), ProbeError> {
    let runtime = tenbin_http::runtime().map_err(|error| endpoint.unconnected(error, limit))?;
    runtime.block_on(stream::connect(endpoint, limit)).map(drop)
}

fn request(url: &Url, headers: &[(String, String)]) -> String {
    let host = url.host_str().unwrap_or("localhost");
    let port = url.port().map_or(String::new(), |port| format!(":{port}"));
    let path = url.path();
    let query = url
        .query()
        .map_or(String::new(), |query| format!("?{query}"));
    let mut text = format!("GET {path}{query} HTTP/1.1\r\n");
    let own = [
        ("Host", format!("{host}{port}")),
        ("User-Agent", "tenbin".to_owned()),
        ("Accept", "*/*".to_owned()),
    ];
    let is_replaced = |name: &str| {
        let mut names = headers.iter();
        names.any(|(given, _)| given.eq_ignore_ascii_case(name))
    };
    for (name, value) in own.iter().filter(|(name, _)| !is_replaced(name)) {
        text += &format!("{name}: {value}\r\n");
    }
    for (name, value) in headers {
        text += &format!("{name}: {value}\r\n");
    }
    text + "Connection: close\r\n\r\n"
}

fn not_http(address: &Address, bytes: &[u8]) -> ProbeError {
    // The first bytes are a TLS alert, or an HTTP/2 SETTINGS frame.
    let hint = match bytes {
        [0x15, 0x03, ..] => sentence!("this-is-tls", "; this is TLS: write https:// in its url"),
        [_, _, _, 0x04, ..] => sentence!("this-is-http2", "; this is HTTP/2: see --http 2"),
        _ => Sentence::default(),
    };
    ProbeError::NotHttp {
        address: address.clone(),
        begin: bytes[..bytes.len().min(32)].escape_ascii().to_string(),
        hint,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn garbage_is_escaped_in_the_message() {
        let address = Address::Tcp("127.0.0.1:1".parse().unwrap());
        let text = not_http(&address, b"\x1b[2J\xff").to_string();
        assert!(text.contains(r"\x1b[2J\xff"), "{text}");
    }
}
