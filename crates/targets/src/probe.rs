//! Sends one small HTTP request with a deadline, to check that a server responds and to read its
//! clock. Over HTTP/2, only connection prefaces are exchanged.

mod fetch;
mod http2;
mod other_scheme;
mod stream;

use std::io;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tenbin_plan::{HttpVersion, Sentence, sentence};
use tokio::time::{Instant, timeout_at};
use url::Url;

pub use fetch::{FetchError, fetch};
pub use other_scheme::{OtherScheme, get_or_name_scheme};
use stream::Stream;
pub use tenbin_http::Address;

/// Maximum time between two checks of the deadline.
const CHECK_INTERVAL: Duration = Duration::from_millis(50);
/// Longest response head, bytes.
const HEAD_LIMIT: usize = 64 * 1024;
/// Longest body of an error response that is read, bytes.
const REFUSAL_LIMIT: usize = 4 * 1024;
/// Longest wait for the body of an error response.
const REFUSAL_TIMEOUT: Duration = Duration::from_secs(1);

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

/// Why a server refuses every request on a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionRefusal {
    /// Plain HTTP was sent to a TLS port.
    WantsTls,
    /// The client sent no certificate.
    WantsCertificate,
}

impl ConnectionRefusal {
    /// Recognizes the wording of nginx, Apache and Go, regardless of hyphens and upper case.
    fn of(body: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(body).to_lowercase();
        let says = |words: &[&str]| words.iter().any(|words| text.contains(words));
        if says(&[
            "plain http request was sent to https port",
            "speaking plain http to an ssl-enabled server port",
            "sent an http request to an https server",
        ]) {
            Some(Self::WantsTls)
        } else if says(&["no required ssl certificate was sent"]) {
            Some(Self::WantsCertificate)
        } else {
            None
        }
    }
}

impl ConnectionRefusal {
    /// What the server does, after its address.
    fn sentence(self) -> Sentence {
        match self {
            Self::WantsTls => sentence!("wants-tls", "speaks TLS; write https:// in its url"),
            Self::WantsCertificate => {
                sentence!(
                    "wants-client-certificate",
                    "requires a client certificate; set one with --cert FILE and --key FILE"
                )
            }
        }
    }
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
    /// Whether the server does not run or does not answer. Otherwise, it answers, and the settings
    /// do not fit it.
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

/// Reads the body of a 400 response to find the reason. An unreadable body is no error, because the
/// server has responded.
async fn refusal(
    response: &ResponseHead,
    mut body: Vec<u8>,
    stream: &mut Stream<'_>,
) -> Option<ConnectionRefusal> {
    if response.status != Some(400) {
        return None;
    }
    let deadline = stream.deadline.min(Instant::now() + REFUSAL_TIMEOUT);
    let search = async {
        loop {
            let refusal = ConnectionRefusal::of(&body);
            if refusal.is_some() || body.len() > REFUSAL_LIMIT {
                return refusal;
            }
            match stream.read(&mut body).await {
                Ok(0) | Err(_) => return None,
                Ok(_) => {}
            }
        }
    };
    timeout_at(deadline, search).await.ok().flatten()
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

enum Head {
    Partial,
    /// A complete head, and the offset of the body.
    Complete(ResponseHead, usize),
    Impossible,
    /// Status 101, although the request asked for no other protocol.
    Switched,
}

fn parse_head(bytes: &[u8], sent: SystemTime) -> Head {
    const START: &[u8] = b"HTTP/1.";
    let seen = bytes.len().min(START.len());
    if bytes[..seen] != START[..seen] || bytes.len() > HEAD_LIMIT {
        return Head::Impossible;
    }
    let Some(end) = end_of_head(bytes) else {
        return Head::Partial;
    };
    let text = String::from_utf8_lossy(&bytes[..end]);
    let Some(status) = text.lines().next().and_then(status_of) else {
        return Head::Impossible;
    };
    if status == 101 {
        return Head::Switched;
    }
    if status < 200 {
        return match parse_head(&bytes[end..], sent) {
            Head::Complete(response, further) => Head::Complete(response, end + further),
            unfinished => unfinished,
        };
    }
    let header = |name: &str| {
        text.lines().skip(1).find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    };
    let response = ResponseHead {
        status: Some(status),
        server: header("server").map(str::to_owned),
        bare_line_feed: (1..)
            .zip(bytes[..end].split_inclusive(|&byte| byte == b'\n'))
            .find_map(|(number, line)| (!line.ends_with(b"\r\n")).then_some(number)),
        is_xml: header("content-type").is_some_and(is_xml),
        location: header("location").map(str::to_owned),
        date: header("date").and_then(|date| httpdate::parse_http_date(date).ok()),
        sent,
        received: SystemTime::now(),
        refusal: None,
    };
    Head::Complete(response, end)
}

fn is_xml(content_type: &str) -> bool {
    let kind = content_type.split(';').next().unwrap_or_default();
    let kind = kind.trim().to_ascii_lowercase();
    kind.ends_with("/xml") || kind.ends_with("+xml")
}

/// The offset after the empty line that ends a head. A line may end with a line feed alone, which a
/// recipient may accept (RFC 9112, section 2.2).
fn end_of_head(bytes: &[u8]) -> Option<usize> {
    let mut start = 0;
    loop {
        let length = bytes[start..].iter().position(|&byte| byte == b'\n')?;
        let line = &bytes[start..start + length];
        let end = start + length + 1;
        if start > 0 && matches!(line, b"" | b"\r") {
            return Some(end);
        }
        start = end;
    }
}

fn status_of(line: &str) -> Option<u16> {
    let code = line.split(' ').nth(1)?;
    let status = code.parse().ok()?;
    (code.len() == 3 && (100..=599).contains(&status)).then_some(status)
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

    fn complete(bytes: &[u8]) -> ResponseHead {
        match parse_head(bytes, SystemTime::now()) {
            Head::Complete(response, end) => {
                assert!(end == bytes.len() || bytes[end - 1] == b'\n');
                response
            }
            Head::Partial => panic!("partial"),
            Head::Switched => panic!("switched"),
            Head::Impossible => panic!("impossible"),
        }
    }

    #[test]
    fn a_head_is_read_past_interim_responses() {
        let response = complete(
            b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 403 Forbidden\r\nSERVER: MinIO\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n<xml>",
        );
        assert_eq!(response.status, Some(403));
        assert_eq!(response.server.as_deref(), Some("MinIO"));
        let date = response
            .date
            .unwrap()
            .duration_since(SystemTime::UNIX_EPOCH);
        assert_eq!(date.unwrap().as_secs(), 784_111_777);
    }

    /// RFC 9112, section 2.2: a recipient may recognise a single LF as the end of a line.
    #[test]
    fn a_line_that_ends_with_a_line_feed_alone_is_accepted_and_named() {
        for (head, line) in [
            (&b"HTTP/1.1 200 OK\r\nServer: x\r\n\r\nbody"[..], None),
            (b"HTTP/1.1 200 OK\nServer: x\n\nbody", Some(1)),
            (b"HTTP/1.1 200 OK\r\nServer: x\n\r\nbody", Some(2)),
            (b"HTTP/1.1 200 OK\r\nServer: x\r\n\nbody", Some(3)),
        ] {
            let response = match parse_head(head, SystemTime::now()) {
                Head::Complete(response, end) => {
                    assert_eq!(&head[end..], b"body");
                    response
                }
                _ => panic!("complete"),
            };
            assert_eq!(response.bare_line_feed, line);
            assert_eq!(response.server.as_deref(), Some("x"));
        }
    }

    #[test]
    fn a_switch_of_protocols_is_no_response() {
        for head in [
            &b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n"[..],
            b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 101 x\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
        ] {
            let parsed = parse_head(head, SystemTime::now());
            assert!(matches!(parsed, Head::Switched));
        }
    }

    #[test]
    fn every_prefix_is_partial_and_garbage_is_recognized_at_once() {
        let head = b"HTTP/1.1 200 OK\r\nServer: x\r\n\r\n";
        for end in 0..head.len() {
            assert!(matches!(
                parse_head(&head[..end], SystemTime::now()),
                Head::Partial
            ));
        }
        for garbage in [&b"SSH-2.0"[..], b"HTTP/2", b"HTTP/1.1 abc\r\n\r\n", b"\0"] {
            assert!(matches!(
                parse_head(garbage, SystemTime::now()),
                Head::Impossible
            ));
        }
    }

    #[test]
    fn refusals_are_recognized_by_their_wording() {
        for (body, refusal) in [
            (
                "<center>The plain HTTP request was sent to HTTPS port</center>",
                Some(ConnectionRefusal::WantsTls),
            ),
            (
                "You're speaking plain HTTP to an SSL-enabled server port.<br />",
                Some(ConnectionRefusal::WantsTls),
            ),
            (
                "Client sent an HTTP request to an HTTPS server.\n",
                Some(ConnectionRefusal::WantsTls),
            ),
            (
                "<center>No required SSL certificate was sent</center>",
                Some(ConnectionRefusal::WantsCertificate),
            ),
            ("<h1>400 Bad Request</h1>", None),
        ] {
            assert_eq!(ConnectionRefusal::of(body.as_bytes()), refusal, "{body}");
        }
    }

    #[test]
    fn garbage_is_escaped_in_the_message() {
        let address = Address::Tcp("127.0.0.1:1".parse().unwrap());
        let text = not_http(&address, b"\x1b[2J\xff").to_string();
        assert!(text.contains(r"\x1b[2J\xff"), "{text}");
    }
}
