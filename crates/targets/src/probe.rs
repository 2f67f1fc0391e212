//! One small HTTP request with a deadline: enough to ask whether somebody is
//! there, and what time it is there. Over HTTP/2 no more than whether it is spoken.

mod fetch;
mod http2;
mod stream;

use std::fmt;
use std::io::{self, ErrorKind};
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use socket2::Socket;
use tenbin_plan::HttpVersion;
use url::Url;

pub use crate::address::Address;
pub use fetch::{FetchError, fetch};
use stream::Stream;

/// Longest wait between two looks at whether to give up.
const STEP: Duration = Duration::from_millis(50);
/// No sensible answer has a longer head.
const HEAD_LIMIT: usize = 64 * 1024;
/// No complaint about the connection is longer.
const COMPLAINT_LIMIT: usize = 4 * 1024;
/// Longest wait for the body of a complaint.
const COMPLAINS_WITHIN: Duration = Duration::from_secs(1);

/// The head of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Status code; unknown over HTTP/2, where nothing is asked for.
    pub status: Option<u16>,
    /// `Server` header. Server-supplied: hostile until escaped.
    pub server: Option<String>,
    /// `Date` header, cut to whole seconds by its format.
    pub date: Option<SystemTime>,
    /// When the request was sent.
    pub sent: SystemTime,
    /// When the head was complete.
    pub received: SystemTime,
    /// What the server says is wrong with the connection itself, if anything.
    pub complaint: Option<Complaint>,
}

/// What makes a server refuse every request on such a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Complaint {
    /// Plain HTTP came to a port of TLS.
    WantsTls,
    /// No client certificate was shown.
    WantsCertificate,
}

impl Complaint {
    /// In the words of nginx, Apache and Go; hyphens and letters' case vary.
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

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::WantsTls => "speaks TLS; write https:// in its url",
            Self::WantsCertificate => {
                "wants to see a client certificate; give one with --cert FILE and --key FILE"
            }
        })
    }
}

/// One place where a target may be found, and what has to be spoken there.
#[derive(Debug, Clone)]
pub struct Door {
    /// Where.
    pub address: Address,
    /// Address that the connection comes from; the system's choice without.
    pub source: Option<IpAddr>,
    /// What is spoken.
    pub http: HttpVersion,
    /// TLS and the name of the server, if TLS is spoken.
    pub tls: Option<(Arc<ClientConfig>, ServerName<'static>)>,
    /// The file whose authorities alone that TLS trusts, for messages.
    pub ca: Option<PathBuf>,
}

/// Why there was no answer.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    /// Nobody listens.
    #[error("nothing listens on {address} (connection refused); is the server started?")]
    Refused {
        /// Where.
        address: Address,
    },
    /// There is no such socket.
    #[error("there is no {address}; is the server started, and the path right?")]
    Missing {
        /// Where.
        address: Address,
    },
    /// The TLS handshake failed.
    #[error("{address}: {reason}")]
    Tls {
        /// Where.
        address: Address,
        /// What is wrong and what to do.
        reason: String,
    },
    /// HTTP/2 was asked for, and is not spoken.
    #[error("{address} does not speak HTTP/2: {reason}")]
    NotHttp2 {
        /// Where.
        address: Address,
        /// What it does instead.
        reason: String,
    },
    /// No connection within the time.
    #[error(
        "{address} did not accept a connection within {limit:?}; is the address right, and no firewall in the way?"
    )]
    ConnectTimeout {
        /// Where.
        address: Address,
        /// The time.
        limit: Duration,
    },
    /// A connection could not be made for another reason.
    #[error("cannot connect to {address}: {source}")]
    Connect {
        /// Where.
        address: Address,
        /// What the system said.
        source: io::Error,
    },
    /// It answers, but only to refuse every request.
    #[error("{address} {complaint}")]
    Refuses {
        /// Where.
        address: Address,
        /// What it says is wrong.
        complaint: Complaint,
    },
    /// Connected, and then silence.
    #[error("{address} accepts connections but never answers (waited {limit:?})")]
    Silent {
        /// Where.
        address: Address,
        /// How long we waited.
        limit: Duration,
    },
    /// Connected, and then the end.
    #[error("{address} accepts connections but closes them without an answer")]
    Closed {
        /// Where.
        address: Address,
    },
    /// Something else than HTTP speaks there.
    #[error("{address} answers, but not with HTTP (it begins with \"{begin}\"){hint}")]
    NotHttp {
        /// Where.
        address: Address,
        /// First bytes, escaped.
        begin: String,
        /// What they remind of.
        hint: &'static str,
    },
    /// The connection broke.
    #[error("the connection to {address} broke: {source}")]
    Broken {
        /// Where.
        address: Address,
        /// What the system said.
        source: io::Error,
    },
    /// The caller did not want to wait any longer.
    #[error("interrupted while waiting for {address}")]
    Abandoned {
        /// Where.
        address: Address,
    },
}

/// When to give up.
pub(crate) struct Patience<'a> {
    limit: Duration,
    deadline: Instant,
    abandon: &'a dyn Fn() -> bool,
}

impl Patience<'_> {
    /// Fails when it is time to give up.
    fn check(&self, address: &Address) -> Result<(), ProbeError> {
        let address = || address.clone();
        if (self.abandon)() {
            return Err(ProbeError::Abandoned { address: address() });
        }
        if Instant::now() >= self.deadline {
            return Err(ProbeError::Silent {
                address: address(),
                limit: self.limit,
            });
        }
        Ok(())
    }
}

/// Asks with `GET` for the path of `url` at `door`, within `limit` for everything
/// together. `abandon` is asked every 50 ms whether to give up.
///
/// # Errors
/// Whatever keeps a complete HTTP head from coming.
pub fn get(
    url: &Url,
    door: &Door,
    limit: Duration,
    abandon: &dyn Fn() -> bool,
) -> Result<Answer, ProbeError> {
    let patience = Patience {
        limit,
        deadline: Instant::now() + limit,
        abandon,
    };
    let mut stream = Stream::open(door, &patience)?;
    match door.http {
        HttpVersion::Http1 => ask(url, &mut stream, &patience),
        HttpVersion::Http2 => http2::greet(&mut stream, &patience),
    }
}

fn ask(url: &Url, stream: &mut Stream<'_>, patience: &Patience<'_>) -> Result<Answer, ProbeError> {
    let sent = SystemTime::now();
    stream.write(request(url).as_bytes())?;
    let mut head = Vec::new();
    loop {
        if stream.read(&mut head, patience)? == 0 {
            return Err(not_http(stream.address(), &head));
        }
        match parse_head(&head, sent) {
            Head::Complete(answer, end) => {
                let body = head.split_off(end);
                let complaint = complaint(&answer, body, stream, patience);
                return Ok(Answer {
                    complaint,
                    ..answer
                });
            }
            Head::Impossible => return Err(not_http(stream.address(), &head)),
            Head::Partial => {}
        }
    }
}

/// Looks into the body of the one answer that servers complain with. What cannot be
/// read of it is no failure: there is an answer.
fn complaint(
    answer: &Answer,
    mut body: Vec<u8>,
    stream: &mut Stream<'_>,
    patience: &Patience<'_>,
) -> Option<Complaint> {
    if answer.status != Some(400) {
        return None;
    }
    let patience = Patience {
        deadline: patience.deadline.min(Instant::now() + COMPLAINS_WITHIN),
        ..*patience
    };
    loop {
        let complaint = Complaint::of(&body);
        if complaint.is_some() || body.len() > COMPLAINT_LIMIT {
            return complaint;
        }
        match stream.read(&mut body, &patience) {
            Ok(0) | Err(_) => return None,
            Ok(_) => {}
        }
    }
}

/// Opens a connection within `limit`, without TLS.
///
/// # Errors
/// Refused, timed out, or what the system says.
pub fn connect(door: &Door, limit: Duration) -> Result<Socket, ProbeError> {
    let address = &door.address;
    stream::connect(address, door.source, limit.max(Duration::from_millis(1))).map_err(|source| {
        let address = address.clone();
        match source.kind() {
            ErrorKind::ConnectionRefused => ProbeError::Refused { address },
            ErrorKind::TimedOut => ProbeError::ConnectTimeout { address, limit },
            ErrorKind::NotFound => ProbeError::Missing { address },
            _ => ProbeError::Connect { address, source },
        }
    })
}

fn request(url: &Url) -> String {
    let host = url.host_str().unwrap_or("localhost");
    let port = url.port().map_or(String::new(), |port| format!(":{port}"));
    let path = url.path();
    let query = url
        .query()
        .map_or(String::new(), |query| format!("?{query}"));
    format!(
        "GET {path}{query} HTTP/1.1\r\nHost: {host}{port}\r\nUser-Agent: tenbin\r\nAccept: */*\r\nConnection: close\r\n\r\n"
    )
}

enum Head {
    Partial,
    /// And where it ends.
    Complete(Answer, usize),
    Impossible,
}

fn parse_head(bytes: &[u8], sent: SystemTime) -> Head {
    const START: &[u8] = b"HTTP/1.";
    let seen = bytes.len().min(START.len());
    if bytes[..seen] != START[..seen] || bytes.len() > HEAD_LIMIT {
        return Head::Impossible;
    }
    let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
        return Head::Partial;
    };
    let text = String::from_utf8_lossy(&bytes[..end]);
    let mut lines = text.split("\r\n");
    let Some(status) = lines.next().and_then(status_of) else {
        return Head::Impossible;
    };
    if status < 200 {
        return match parse_head(&bytes[end + 4..], sent) {
            Head::Complete(answer, further) => Head::Complete(answer, end + 4 + further),
            unfinished => unfinished,
        };
    }
    let header = |name: &str| {
        text.split("\r\n").skip(1).find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    };
    let answer = Answer {
        status: Some(status),
        server: header("server").map(str::to_owned),
        date: header("date").and_then(|date| httpdate::parse_http_date(date).ok()),
        sent,
        received: SystemTime::now(),
        complaint: None,
    };
    Head::Complete(answer, end + 4)
}

fn status_of(line: &str) -> Option<u16> {
    let code = line.split(' ').nth(1)?;
    let status = code.parse().ok()?;
    (code.len() == 3 && (100..=599).contains(&status)).then_some(status)
}

fn not_http(address: &Address, bytes: &[u8]) -> ProbeError {
    // A TLS alert, or the settings that open HTTP/2.
    let hint = match bytes {
        [0x15, 0x03, ..] => "; that is TLS, so that its url begins with https://",
        [_, _, _, 0x04, ..] => "; that is HTTP/2, see --http 2",
        _ => "",
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

    fn complete(bytes: &[u8]) -> Answer {
        match parse_head(bytes, SystemTime::now()) {
            Head::Complete(answer, end) => {
                assert!(end == bytes.len() || bytes[end - 4..end] == *b"\r\n\r\n");
                answer
            }
            Head::Partial => panic!("partial"),
            Head::Impossible => panic!("impossible"),
        }
    }

    #[test]
    fn a_head_is_read_past_interim_answers() {
        let answer = complete(
            b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 403 Forbidden\r\nSERVER: MinIO\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n<xml>",
        );
        assert_eq!(answer.status, Some(403));
        assert_eq!(answer.server.as_deref(), Some("MinIO"));
        let date = answer.date.unwrap().duration_since(SystemTime::UNIX_EPOCH);
        assert_eq!(date.unwrap().as_secs(), 784_111_777);
    }

    #[test]
    fn every_prefix_is_partial_and_garbage_is_known_at_once() {
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
    fn complaints_about_the_connection_are_known_by_their_words() {
        for (body, complaint) in [
            (
                "<center>The plain HTTP request was sent to HTTPS port</center>",
                Some(Complaint::WantsTls),
            ),
            (
                "You're speaking plain HTTP to an SSL-enabled server port.<br />",
                Some(Complaint::WantsTls),
            ),
            (
                "Client sent an HTTP request to an HTTPS server.\n",
                Some(Complaint::WantsTls),
            ),
            (
                "<center>No required SSL certificate was sent</center>",
                Some(Complaint::WantsCertificate),
            ),
            ("<h1>400 Bad Request</h1>", None),
        ] {
            assert_eq!(Complaint::of(body.as_bytes()), complaint, "{body}");
        }
    }

    #[test]
    fn garbage_is_escaped_in_the_message() {
        let address = Address::Tcp("127.0.0.1:1".parse().unwrap());
        let text = not_http(&address, b"\x1b[2J\xff").to_string();
        assert!(text.contains(r"\x1b[2J\xff"), "{text}");
    }
}
