//! Tests that a protocol other than HTTP needs only a framing and a constant. The example is a part
//! of RESP, the protocol of Redis: simple strings, bulk strings and errors.

#![allow(clippy::unwrap_used)]

#[path = "support/mod.rs"]
mod support;

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::SocketAddr;

use support::{PATIENT, closed, driven, server};
use tenbin_engine::stream::{Complete, Framing, Listener, Progress};
use tenbin_engine::{
    BodyUse, ErrorClass, Exchange, Judgement, Moment, Next, Protocol, ResponseHead, Route,
    StreamProtocol, Workload,
};

const RESP: &dyn Protocol = &StreamProtocol::<Resp>::new("RESP");

#[derive(Default)]
struct Resp {
    line: Vec<u8>,
    /// Length of the bulk string, and the number of missing bytes including the line end.
    bulk: Option<(u64, u64)>,
}

impl Framing for Resp {
    type Shared = ();
    type Malformed = &'static str;

    fn feed(
        &mut self,
        bytes: &[u8],
        _bodyless: bool,
        (): &mut (),
        listener: &mut impl Listener,
    ) -> Result<Progress, &'static str> {
        let mut consumed = 0;
        while consumed < bytes.len() {
            let Some((length, left)) = self.bulk else {
                self.line.push(bytes[consumed]);
                consumed += 1;
                if !self.line.ends_with(b"\r\n") {
                    continue;
                }
                let line = std::mem::take(&mut self.line);
                let text = String::from_utf8_lossy(&line[1..line.len() - 2]).into_owned();
                let status = if line[0] == b'-' { 500 } else { 200 };
                listener.head(&ResponseHead {
                    status,
                    length: None,
                    bytes: &line,
                });
                match line[0] {
                    b'+' | b'-' => return Ok(end(status, 0, consumed)),
                    b'$' => {
                        let length = text.parse().map_err(|_| "a length is not a number")?;
                        self.bulk = Some((length, length + 2));
                    }
                    _ => return Err("an unknown type"),
                }
                continue;
            };
            let took = left.min((bytes.len() - consumed) as u64);
            consumed += took as usize;
            self.bulk = Some((length, left - took));
            if took == left {
                self.bulk = None;
                return Ok(end(200, length, consumed));
            }
        }
        Ok(Progress::Partial)
    }

    fn reset(&mut self) {
        *self = Self::default();
    }
}

fn end(status: u16, length: u64, consumed: usize) -> Progress {
    Progress::Complete(Complete {
        status,
        length,
        reusable: true,
        consumed,
    })
}

/// A server that responds to two of three commands with 300,000 bytes, and to the third with an
/// error.
fn store() -> SocketAddr {
    server(|stream| {
        let mut answers = stream.try_clone().unwrap();
        let bulk = [b"$300000\r\n", &vec![b'x'; 300_000][..], b"\r\n"].concat();
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            let answer = match line.as_str() {
                "GET bulk" => &bulk[..],
                "GET ping" => b"+PONG\r\n",
                _ => b"-ERR no such key\r\n",
            };
            if answers.write_all(answer).is_err() {
                return;
            }
        }
    })
}

struct Commands(u64);

impl Workload for Commands {
    fn operations(&self) -> &[&'static str] {
        &["GET"]
    }

    fn next(&mut self, _now: Moment, exchange: &mut Exchange) -> Next {
        if self.0 == 0 {
            return Next::Exhausted;
        }
        self.0 -= 1;
        exchange.head.clear();
        exchange.head.extend_from_slice(match self.0 % 3 {
            0 => b"GET bulk\r\n",
            1 => b"GET ping\r\n",
            _ => b"GET none\r\n",
        });
        Next::Ready
    }

    fn head(&mut self, _exchange: &mut Exchange, _head: &ResponseHead<'_>) -> BodyUse {
        BodyUse::Discard
    }

    fn judge(&mut self, _exchange: &mut Exchange, status: u16, length: u64) -> Judgement {
        match (status, length) {
            (200, 0 | 300_000) => Judgement::Correct,
            _ => Judgement::Failed(ErrorClass::Status, status.to_string()),
        }
    }
}

#[test]
fn a_framing_is_all_that_a_protocol_needs() {
    let address = store();
    for depth in [1, 4] {
        let route = Route {
            protocol: RESP,
            ..Route::plain(address)
        };
        let load = tenbin_plan::Load {
            depth,
            ..closed(3, PATIENT)
        };
        let done = driven(route, load, None, Box::new(Commands(300)));
        assert_eq!(done.op.counts.ok, 200, "depth {depth}");
        assert_eq!(done.op.failures.values().sum::<u64>(), 100);
        assert_eq!(done.op.answered, Some(100 * 300_000));
        assert_eq!(done.ledger.opened, 3, "connections are reused");
    }
}
