//! Correct and faulty responses.

use std::io::{self, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use rustix::net::sockopt::set_socket_linger;
use tenbin_plan::rng::Rng;
use tenbin_plan::{Sentence, sentence};

const CORRECT: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\nground truth";
/// Length of the body of [`CORRECT`], bytes.
const BODY: usize = 12;
/// [`CORRECT`] without the second half of the body.
const TRUNCATED: &[u8] = CORRECT.split_at(CORRECT.len() - 6).0;
const MALFORMED: &[u8] = b"HTTP/1.1 OK 200 Content-Length twelve\r\n\r\n";

/// Kinds of responses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ResponseKind {
    /// Status 200 and 12 bytes.
    Right,
    /// No response; the connection is reset.
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

/// Shares of the requests that get faulty responses, each 0 to 1.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Shares {
    /// Share of reset connections.
    pub reset: f64,
    /// Share of truncated bodies.
    pub truncate: f64,
    /// Share of responses that are not HTTP.
    pub malformed: f64,
}

impl Shares {
    /// Draws the kind of the next response, using exactly one random number.
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

/// Parses a share, written as `1%` or `0.01`.
///
/// # Errors
/// When the text is not a number from 0 to 1.
pub fn share(text: &str) -> Result<f64, Sentence> {
    let (number, whole) = match text.strip_suffix('%') {
        Some(number) => (number, 100.0),
        None => (text, 1.0),
    };
    let share = number.trim().parse::<f64>().map(|number| number / whole);
    share
        .ok()
        .filter(|share| (0.0..=1.0).contains(share))
        .ok_or_else(|| {
            sentence!(
                "no-share",
                "{text:?} is not a share; write for example \"1%\" or 0.01",
                text
            )
        })
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

    /// The bytes that are sent for this kind of response.
    pub(super) fn bytes(self) -> &'static [u8] {
        match self {
            Self::Right => CORRECT,
            Self::Reset => &[],
            Self::Truncated => TRUNCATED,
            Self::Malformed => MALFORMED,
        }
    }

    /// Sends the response. `two_writes`: the body of a correct response is sent in a separate
    /// write. The connection is closed after a faulty response, or if `last` is set.
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
                // With linger 0, closing the last handle resets the connection. Shutting down
                // reading makes the connection's thread drop its handle.
                set_socket_linger(stream, Some(Duration::ZERO))?;
                stream.shutdown(Shutdown::Read)
            }
            _ => stream.shutdown(Shutdown::Both),
        }
    }
}
