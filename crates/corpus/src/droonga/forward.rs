//! Client of fluentd's forward protocol as used by Droonga: `[tag, time, envelope]` in MessagePack
//! over TCP, without responses.

use std::fmt;
use std::io::{self, BufWriter, Read as _, Write as _};
use std::net::{Shutdown, TcpStream, ToSocketAddrs as _};
use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::error::Error;
use crate::json::Json;

/// Default port of a Droonga engine.
pub const DEFAULT_PORT: u16 = 10_031;
/// Default tag of messages.
pub const DEFAULT_TAG: &str = "droonga";

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Longest wait for a node to read all messages and close the connection.
const READ_TIMEOUT: Duration = Duration::from_secs(60);

/// Address of an engine: `[droonga:]HOST[:PORT][/TAG]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// Name or IP address of the host.
    pub host: String,
    /// Port; default 10031.
    pub port: u16,
    /// Tag; default `droonga`.
    pub tag: String,
}

impl Address {
    /// Parses an address; `port` and `tag` are the defaults for an address without them.
    ///
    /// # Errors
    /// When the text is not an address.
    pub fn parse(text: &str, port: u16, tag: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is not a server: write HOST, HOST:PORT or HOST:PORT/TAG");
        if text.starts_with("http:") || text.starts_with("https:") {
            return Err(format!(
                "{text}: messages go over the forward protocol only: write HOST:PORT, with the \
                 port of the engine, {DEFAULT_PORT}"
            ));
        }
        let rest = text.strip_prefix("droonga:").unwrap_or(text);
        let (place, tag) = rest.split_once('/').unwrap_or((rest, tag));
        let (host, given) = match place.strip_prefix('[') {
            Some(bracketed) => bracketed.split_once(']').ok_or_else(wrong)?,
            None => place.split_at(place.find(':').unwrap_or(place.len())),
        };
        let port = match given {
            "" => port,
            given => {
                let digits = given.strip_prefix(':').ok_or_else(wrong)?;
                digits.parse().map_err(|_| wrong())?
            }
        };
        if host.is_empty() || tag.is_empty() || port == 0 || host.contains(char::is_whitespace) {
            return Err(wrong());
        }
        Ok(Self {
            host: host.to_owned(),
            port,
            tag: tag.to_owned(),
        })
    }
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::parse(text, DEFAULT_PORT, DEFAULT_TAG)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]:{}/{}", self.host, self.port, self.tag)
        } else {
            write!(f, "{}:{}/{}", self.host, self.port, self.tag)
        }
    }
}

/// The nodes of a cluster; [`Self::send`] uses them in turn.
#[derive(Debug)]
pub struct Nodes {
    nodes: Vec<Node>,
    next: usize,
}

#[derive(Debug)]
struct Node {
    address: Address,
    stream: Option<BufWriter<TcpStream>>,
}

impl Nodes {
    /// Creates the nodes without connecting.
    pub fn new(addresses: Vec<Address>) -> Self {
        let node = |address| Node {
            address,
            stream: None,
        };
        Self {
            nodes: addresses.into_iter().map(node).collect(),
            next: 0,
        }
    }

    /// Sends a message to the next node.
    ///
    /// # Errors
    /// When the node is unreachable or has closed the connection.
    pub fn send(&mut self, envelope: &Json) -> Result<(), Error> {
        let at = self.next % self.nodes.len().max(1);
        self.next += 1;
        self.send_to(at, envelope)
    }

    /// Sends a message to the first node.
    ///
    /// # Errors
    /// When the node is unreachable or has closed the connection.
    pub fn send_first(&mut self, envelope: &Json) -> Result<(), Error> {
        self.send_to(0, envelope)
    }

    fn send_to(&mut self, at: usize, envelope: &Json) -> Result<(), Error> {
        let Some(node) = self.nodes.get_mut(at) else {
            return Err(Error::refused("no server to send to".to_owned()));
        };
        let packed = packed(&node.address.tag, envelope)
            .map_err(|reason| Error::server(node.address.to_string(), reason))?;
        let written = node.open()?.write_all(&packed);
        written.map_err(|error| node.failed(&error))
    }

    /// Sends all buffered messages.
    ///
    /// # Errors
    /// When a node has closed the connection.
    pub fn flush(&mut self) -> Result<(), Error> {
        for node in &mut self.nodes {
            if let Some(stream) = &mut node.stream {
                let flushed = stream.flush();
                flushed.map_err(|error| node.failed(&error))?;
            }
        }
        Ok(())
    }

    /// Waits until the nodes have read all messages. The protocol has no acknowledgement, but a
    /// node closes the connection after reading the end of the stream. The next message opens a new
    /// connection.
    ///
    /// # Errors
    /// When a node has closed the connection early, or has not read all messages within 60 s.
    pub fn wait_until_read(&mut self) -> Result<(), Error> {
        self.flush()?;
        for node in &mut self.nodes {
            if let Some(stream) = node.stream.take() {
                let closed = close(&stream);
                closed.map_err(|error| node.failed(&error))?;
            }
        }
        Ok(())
    }
}

impl Node {
    fn open(&mut self) -> Result<&mut BufWriter<TcpStream>, Error> {
        if self.stream.is_none() {
            let stream = self.connect()?;
            self.stream = Some(BufWriter::with_capacity(64 << 10, stream));
        }
        self.stream
            .as_mut()
            .ok_or_else(|| Error::server(self.address.to_string(), "not connected"))
    }

    fn connect(&self) -> Result<TcpStream, Error> {
        let Address { host, port, .. } = &self.address;
        let failed = |error: &io::Error| {
            let reason = match error.kind() {
                io::ErrorKind::ConnectionRefused => {
                    "no engine listens there (connection refused); start it, or check the port"
                        .to_owned()
                }
                _ => format!("cannot connect: {error}"),
            };
            Error::server(self.address.to_string(), reason)
        };
        let places = (host.as_str(), *port).to_socket_addrs();
        let places = places.map_err(|error| failed(&error))?;
        let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
        for place in places {
            match TcpStream::connect_timeout(&place, CONNECT_TIMEOUT) {
                Ok(stream) => {
                    let limited = stream.set_write_timeout(Some(READ_TIMEOUT));
                    limited.map_err(|error| failed(&error))?;
                    return Ok(stream);
                }
                Err(error) => last = error,
            }
        }
        Err(failed(&last))
    }

    fn failed(&mut self, error: &io::Error) -> Error {
        self.stream = None;
        let reason = match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
                format!("it has not read all messages within {READ_TIMEOUT:?}")
            }
            _ => format!("the connection broke: {error}"),
        };
        Error::server(self.address.to_string(), reason)
    }
}

/// Shuts down the write side of the connection and waits until the node closes the connection.
fn close(stream: &BufWriter<TcpStream>) -> io::Result<()> {
    let mut stream = stream.get_ref();
    stream.shutdown(Shutdown::Write)?;
    stream.set_read_timeout(Some(READ_TIMEOUT))?;
    let mut ignored = [0; 1024];
    while stream.read(&mut ignored)? > 0 {}
    Ok(())
}

fn packed(tag: &str, envelope: &Json) -> Result<Vec<u8>, String> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let seconds = now.map_or(0, |now| now.as_secs());
    let message = (format!("{tag}.message"), seconds, envelope);
    rmp_serde::to_vec(&message).map_err(|error| format!("cannot encode a message: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let read = |text: &str| text.parse::<Address>().map(|address| address.to_string());
        for (text, meant) in [
            ("node0", "node0:10031/droonga"),
            ("node0:1", "node0:1/droonga"),
            ("droonga:node0:1/tag", "node0:1/tag"),
            ("droonga:node0", "node0:10031/droonga"),
            ("127.0.0.1/tag", "127.0.0.1:10031/tag"),
            ("[::1]:5", "[::1]:5/droonga"),
            ("[::1]", "[::1]:10031/droonga"),
        ] {
            assert_eq!(read(text).as_deref(), Ok(meant));
        }
        for text in [
            "", ":1", "h:0", "h:x", "h:1/", "[::1", "[::1]x", "http://h", "a b",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
        let moved = Address::parse("h", 7, "t").unwrap();
        assert_eq!(moved.to_string(), "h:7/t");
    }

    #[test]
    fn a_message_is_an_array_of_three() {
        let envelope = Json::parse(br#"{"type":"add","n":[1,null]}"#).unwrap();
        let bytes = packed("droonga", &envelope).unwrap();
        assert_eq!(bytes[0], 0x93);
        let (tag, time, read): (String, u64, Json) = rmp_serde::from_slice(&bytes).unwrap();
        assert_eq!(tag, "droonga.message");
        assert!(time > 1_700_000_000);
        assert_eq!(read, envelope);
    }
}
