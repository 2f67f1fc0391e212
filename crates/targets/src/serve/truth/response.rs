//! Responses, correct and faulty.

use std::io::{self, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use rustix::net::sockopt::set_socket_linger;
use tenbin_plan::rng::Rng;

const CORRECT: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\nground truth";
/// Bytes of the body of [`CORRECT`].
const BODY: usize = 12;
/// The first half of the body of [`CORRECT`].
const TRUNCATED: &[u8] = CORRECT.split_at(CORRECT.len() - 6).0;
const MALFORMED: &[u8] = b"HTTP/1.1 OK 200 Content-Length twelve\r\n\r\n";

/// Kinds of responses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ResponseKind {
    /// Status 200 and 12 bytes.
    Right,
    /// The connection is reset instead of a response.
    Reset,
    /// Half of the body, then the end of the connection.
    Truncated,
    /// Invalid HTTP, then the end of the connection.
    Malformed,
}

const NAMES: &[(&str, ResponseKind)] = &[
    ("ok", ResponseKind::Right),
    ("reset", ResponseKind::Reset),
    ("truncate", ResponseKind::Truncated),
    ("malformed", ResponseKind::Malformed),
];

/// Shares of requests with faulty responses, each 0 to 1.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Shares {
    /// The connection is reset.
    pub reset: f64,
    /// The body is truncated.
    pub truncate: f64,
    /// The response is not HTTP.
    pub malformed: f64,
}

impl Shares {
    /// Draws the next response. Uses exactly one random number.
    pub(super) fn draw(&self, random: &mut Rng) -> ResponseKind {
        let mut left = random.unit();
        for (share, response) in [
            (self.reset, ResponseKind::Reset),
            (self.truncate, ResponseKind::Truncated),
            (self.malformed, ResponseKind::Malformed),
        ] {
            if left < share {
                return response;
            }
            left -= share;
        }
        ResponseKind::Right
    }
}

/// Parses a share: `1%` or `0.01`.
///
/// # Errors
/// When the text is not a number from 0 to 1.
pub fn share(text: &str) -> Result<f64, String> {
    let (number, whole) = match text.strip_suffix('%') {
        Some(number) => (number, 100.0),
        None => (text, 1.0),
    };
    let share = number.trim().parse::<f64>().map(|number| number / whole);
    share
        .ok()
        .filter(|share| (0.0..=1.0).contains(share))
        .ok_or_else(|| format!("{text:?} is not a share; write for example \"1%\" or 0.01"))
}

impl ResponseKind {
    pub(super) fn from_name(name: &str) -> Option<Self> {
        let found = NAMES.iter().find(|&&(known, _)| known == name);
        found.map(|&(_, response)| response)
    }

    pub(super) fn name(self) -> &'static str {
        let found = NAMES.iter().find(|&&(_, response)| response == self);
        found.map_or("?", |&(name, _)| name)
    }

    /// The bytes that are sent.
    pub(super) fn bytes(self) -> &'static [u8] {
        match self {
            Self::Right => CORRECT,
            Self::Reset => &[],
            Self::Truncated => TRUNCATED,
            Self::Malformed => MALFORMED,
        }
    }

    /// Sends the response. `two_writes`: the body of a correct response goes into a separate
    /// write. The connection is closed after a faulty response, or with `last`.
    pub(super) fn send(
        self,
        mut stream: &TcpStream,
        last: bool,
        two_writes: bool,
    ) -> io::Result<()> {
        let body = if two_writes && self == Self::Right {
            BODY
        } else {
            0
        };
        let (head, body) = self.bytes().split_at(self.bytes().len() - body);
        stream.write_all(head)?;
        stream.write_all(body)?;
        match self {
            Self::Right if !last => Ok(()),
            Self::Reset => {
                // With linger 0, closing the last handle resets the connection; the end of
                // reading makes the connection's thread drop its handle.
                set_socket_linger(stream, Some(Duration::ZERO))?;
                stream.shutdown(Shutdown::Read)
            }
            _ => stream.shutdown(Shutdown::Both),
        }
    }
}
