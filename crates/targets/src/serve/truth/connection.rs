//! Reads the requests of one connection.

use std::io::{self, ErrorKind, Read};
use std::net::TcpStream;
use std::sync::Arc;

use tenbin_plan::duration::Time;

use super::Clock;
use super::log::Entry;
use super::response::ResponseKind;
use super::scheduler::{Overrides, Scheduler};
use super::timekeeper::{Pending, Timekeeper};

const MOST_HEADERS: usize = 64;
pub(super) const LONGEST_HEAD: usize = 64 * 1024;

/// Parsed head of a request, with the values that matter to the server.
#[derive(Debug, Default)]
pub(super) struct Head {
    pub(super) length: u64,
    pub(super) body: u64,
    close: bool,
    pub(super) overrides: Overrides,
}

/// A connection and the bytes that have been read but not parsed.
pub(super) struct Connection {
    number: u64,
    /// Whether responses are sent in two writes.
    two_writes: bool,
    stream: Arc<TcpStream>,
    clock: Clock,
    held: Vec<u8>,
}

impl Connection {
    /// Prepares a connection. With `two_writes`, Nagle's algorithm stays enabled.
    pub(super) fn new(
        number: u64,
        stream: TcpStream,
        clock: Clock,
        two_writes: bool,
    ) -> io::Result<Self> {
        stream.set_nodelay(!two_writes)?;
        Ok(Self {
            number,
            two_writes,
            stream: Arc::new(stream),
            clock,
            held: Vec::new(),
        })
    }

    /// Reads requests and schedules their responses until the peer closes the connection.
    pub(super) fn serve(
        mut self,
        scheduler: &Scheduler,
        timekeeper: &Timekeeper,
    ) -> io::Result<()> {
        while let Some(head) = self.head()? {
            self.skip(head.length + head.body)?;
            let received = self.clock.now();
            let decision = scheduler.schedule(received, head.overrides);
            timekeeper.add(Pending {
                stream: Arc::clone(&self.stream),
                response: decision.response,
                last: head.close,
                two_writes: self.two_writes,
                entry: Entry {
                    number: decision.number,
                    connection: self.number,
                    received,
                    due: decision.due,
                    answered: 0,
                    bytes_in: head.length + head.body,
                    bytes_out: decision.response.bytes().len() as u64,
                    response: decision.response.name(),
                },
            });
            if head.close || decision.response != ResponseKind::Right {
                return self.skip_all();
            }
        }
        Ok(())
    }

    /// Parses the head of the next request without consuming it; `None` at the end of the stream.
    fn head(&mut self) -> io::Result<Option<Head>> {
        loop {
            if let Some(head) = parse(&self.held)? {
                return Ok(Some(head));
            }
            if self.held.len() > LONGEST_HEAD {
                return Err(ErrorKind::InvalidData.into());
            }
            if self.read_more()? == 0 {
                return Ok(None);
            }
        }
    }

    /// Consumes `bytes` bytes; waits for bytes that have not arrived.
    fn skip(&mut self, bytes: u64) -> io::Result<()> {
        let mut left = bytes;
        loop {
            let here = left.min(self.held.len() as u64);
            self.held.drain(..here as usize);
            left -= here;
            if left == 0 {
                return Ok(());
            }
            if self.read_more()? == 0 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
        }
    }

    /// Reads until the peer closes, because closing with unread bytes would reset the connection.
    fn skip_all(&mut self) -> io::Result<()> {
        while self.read_more()? > 0 {
            self.held.clear();
        }
        Ok(())
    }

    fn read_more(&mut self) -> io::Result<usize> {
        let mut part = [0; 16 * 1024];
        let read = (&*self.stream).read(&mut part)?;
        self.held.extend_from_slice(&part[..read]);
        Ok(read)
    }
}

pub(super) fn parse(held: &[u8]) -> io::Result<Option<Head>> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    let httparse::Status::Complete(length) =
        request.parse(held).map_err(|_| ErrorKind::InvalidData)?
    else {
        return Ok(None);
    };
    let mut head = Head {
        length: length as u64,
        ..Head::default()
    };
    for header in request.headers.iter() {
        let value = std::str::from_utf8(header.value).map_err(|_| ErrorKind::InvalidData)?;
        match header.name.to_ascii_lowercase().as_str() {
            "content-length" => {
                head.body = value.trim().parse().map_err(|_| ErrorKind::InvalidData)?
            }
            // Refused, because no measurement needs chunked bodies.
            "transfer-encoding" => return Err(ErrorKind::InvalidData.into()),
            "connection" => head.close = value.trim().eq_ignore_ascii_case("close"),
            "x-tenbin-delay" => {
                let time = value.parse::<Time>().map_err(|_| ErrorKind::InvalidData)?;
                head.overrides.delay = Some(time.0.as_nanos() as u64);
            }
            "x-tenbin-answer" => {
                let response =
                    ResponseKind::from_name(value.trim()).ok_or(ErrorKind::InvalidData)?;
                head.overrides.response = Some(response);
            }
            _ => {}
        }
    }
    Ok(Some(head))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overrides_in_headers_are_read() {
        let text = b"POST / HTTP/1.1\r\ncontent-length: 3\r\nX-Tenbin-Delay: 5ms\r\n\
            x-tenbin-answer: reset\r\nConnection: close\r\n\r\nabc";
        assert!(parse(&text[..text.len() - 4]).unwrap().is_none());
        let head = parse(text).unwrap().unwrap();
        assert_eq!(head.length + head.body, text.len() as u64);
        assert!(head.close);
        let overrides = Overrides {
            delay: Some(5_000_000),
            response: Some(ResponseKind::Reset),
        };
        assert_eq!(head.overrides, overrides);
    }

    #[test]
    fn an_invalid_override_is_an_error() {
        for header in ["X-Tenbin-Delay: soon", "X-Tenbin-Answer: nice"] {
            assert!(parse(format!("GET / HTTP/1.1\r\n{header}\r\n\r\n").as_bytes()).is_err());
        }
    }
}
