//! Reads the requests of one connection.

use std::io::{self, ErrorKind, Read};
use std::net::TcpStream;
use std::sync::Arc;

use tenbin_plan::duration::Time;

use super::Clock;
use super::answer::Answer;
use super::desk::{Desk, Wish};
use super::log::Entry;
use super::timekeeper::{Pending, Timekeeper};

const MOST_HEADERS: usize = 64;
pub(super) const LONGEST_HEAD: usize = 64 * 1024;

/// What the head of a request says.
#[derive(Debug, Default)]
pub(super) struct Head {
    pub(super) length: u64,
    pub(super) body: u64,
    close: bool,
    pub(super) wish: Wish,
}

/// A connection and what has been read from it.
pub(super) struct Connection {
    number: u64,
    /// Answers go out in two writes.
    two_writes: bool,
    stream: Arc<TcpStream>,
    clock: Clock,
    held: Vec<u8>,
}

impl Connection {
    /// With `two_writes` Nagle's algorithm stays on.
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

    /// Reads and has answered one request after another, until the peer has enough.
    pub(super) fn serve(mut self, desk: &Desk, timekeeper: &Timekeeper) -> io::Result<()> {
        while let Some(head) = self.head()? {
            self.skip(head.length + head.body)?;
            let received = self.clock.now();
            let decision = desk.decide(received, head.wish);
            timekeeper.add(Pending {
                stream: Arc::clone(&self.stream),
                answer: decision.answer,
                last: head.close,
                two_writes: self.two_writes,
                entry: Entry {
                    number: decision.number,
                    connection: self.number,
                    received,
                    due: decision.due,
                    answered: 0,
                    bytes_in: head.length + head.body,
                    bytes_out: decision.answer.bytes().len() as u64,
                    answer: decision.answer.name(),
                },
            });
            if head.close || decision.answer != Answer::Right {
                return self.skip_all();
            }
        }
        Ok(())
    }

    /// The next request's head, left where it is; `None` when there is none to come.
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

    /// Takes so many bytes away, reading those not here yet.
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

    /// Reads until nothing more comes: a close with bytes unread would reset.
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
            // Not needed by anything that is measured with it.
            "transfer-encoding" => return Err(ErrorKind::InvalidData.into()),
            "connection" => head.close = value.trim().eq_ignore_ascii_case("close"),
            "x-tenbin-delay" => {
                let time = value.parse::<Time>().map_err(|_| ErrorKind::InvalidData)?;
                head.wish.delay = Some(time.0.as_nanos() as u64);
            }
            "x-tenbin-answer" => {
                let answer = Answer::from_name(value.trim()).ok_or(ErrorKind::InvalidData)?;
                head.wish.answer = Some(answer);
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
    fn reads_what_a_request_wishes_for() {
        let text = b"POST / HTTP/1.1\r\ncontent-length: 3\r\nX-Tenbin-Delay: 5ms\r\n\
            x-tenbin-answer: reset\r\nConnection: close\r\n\r\nabc";
        assert!(parse(&text[..text.len() - 4]).unwrap().is_none());
        let head = parse(text).unwrap().unwrap();
        assert_eq!(head.length + head.body, text.len() as u64);
        assert!(head.close);
        let wish = Wish {
            delay: Some(5_000_000),
            answer: Some(Answer::Reset),
        };
        assert_eq!(head.wish, wish);
    }

    #[test]
    fn a_wish_that_cannot_be_read_is_not_passed_over() {
        for header in ["X-Tenbin-Delay: soon", "X-Tenbin-Answer: nice"] {
            assert!(parse(format!("GET / HTTP/1.1\r\n{header}\r\n\r\n").as_bytes()).is_err());
        }
    }
}
