//! Why a request could not be sent, or has no response.

use std::io;
use std::time::Duration;

/// A failure at a server, or a URL that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The URL is not the URL of a server.
    #[error("server {url}: {reason}")]
    Url {
        /// The URL as given.
        url: String,
        /// What is wrong.
        reason: String,
    },
    /// The URL holds a user or a password. The text does not quote it.
    #[error(
        "a server's url must not hold a user or a password: every user of this machine could read \
         it; use --user and --password-file"
    )]
    Password,
    /// A request failed.
    #[error("{server}: {failure}")]
    Request {
        /// URL of the server.
        server: String,
        /// Why.
        failure: Failure,
    },
}

/// Why a request failed.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The host cannot be resolved.
    #[error("the host is unknown; check its name")]
    UnknownHost(#[source] io::Error),
    /// The connection cannot be opened.
    #[error("{}", unconnected(.0))]
    Connect(#[source] io::Error),
    /// No connection within the limit.
    #[error("no response in time (no connection within {0:?})")]
    ConnectTimeout(Duration),
    /// No complete response within the limit.
    #[error("no response in time ({0:?})")]
    Timeout(Duration),
    /// The TLS handshake failed. The error can contain text of the server's certificate.
    #[error("the request failed: {}", .0.to_string().escape_debug())]
    Tls(#[source] io::Error),
    /// The request cannot be written as HTTP.
    #[error("the request failed: {0}")]
    Request(#[source] hyper::http::Error),
    /// There is no valid response head.
    #[error("the request failed: {0}")]
    Head(#[source] hyper::Error),
    /// The status is not 2xx.
    #[error("{path} has status {status}: {excerpt}")]
    Status {
        /// Path and query of the request.
        path: String,
        /// The status.
        status: u16,
        /// The start of the body, escaped.
        excerpt: String,
    },
    /// The body of the response ends early, or is not valid.
    #[error("the request failed: the response is incomplete ({0})")]
    Body(#[source] hyper::Error),
    /// The body of the response exceeds this number of bytes.
    #[error("the request failed: the response has more than {0} bytes")]
    TooLong(usize),
}

fn unconnected(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => {
            "no server listens there (connection refused); start it, or check the port".to_owned()
        }
        _ => format!("the request failed: {error}"),
    }
}

/// The start of an untrusted text for use in a message: one line, without control characters.
pub fn excerpt(text: &str) -> String {
    const LENGTH: usize = 120;
    let mut short = String::new();
    let mut length = 0;
    for word in text.split_whitespace() {
        if length > 0 {
            short.push(' ');
            length += 1;
        }
        for character in word.chars() {
            if length >= LENGTH {
                short.push('…');
                return short;
            }
            if character.is_control() {
                short.extend(character.escape_default())
            } else {
                short.push(character)
            }
            length += 1;
        }
    }
    short
}

#[cfg(test)]
mod tests {
    use super::excerpt;

    #[test]
    fn untrusted_text_becomes_one_short_escaped_line() {
        assert_eq!(excerpt(" a\n\t b\u{1b}[31m "), "a b\\u{1b}[31m");
        assert_eq!(excerpt(&"x".repeat(120)), "x".repeat(120));
        assert_eq!(excerpt(&"x".repeat(121)), "x".repeat(120) + "…");
        assert_eq!(excerpt(""), "");
    }
}
