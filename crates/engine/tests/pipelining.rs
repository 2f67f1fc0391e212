//! Tests several requests in flight on one connection, on real sockets.

#![allow(clippy::unwrap_used)]

mod support;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use support::{Driven, Echo, PATIENT, closed, driven, request, server};
use tenbin_engine::{
    BodyUse, ErrorClass, Exchange, Judgement, Moment, Next, ResponseHead, Route, Workload,
};

const HELLO: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

/// A workload that sends GET `count` times and expects a body of this length, without reading the
/// body.
struct Get {
    left: u64,
    length: u64,
}

impl Workload for Get {
    fn operations(&self) -> &[&'static str] {
        &["GET"]
    }

    fn next(&mut self, _now: Moment, exchange: &mut Exchange) -> Next {
        if self.left == 0 {
            return Next::Exhausted;
        }
        self.left -= 1;
        exchange.head = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n".to_vec();
        Next::Ready
    }

    fn head(&mut self, _exchange: &mut Exchange, _head: &ResponseHead<'_>) -> BodyUse {
        BodyUse::Discard
    }

    fn judge(&mut self, _exchange: &mut Exchange, status: u16, length: u64) -> Judgement {
        if status == 200 && length == self.length {
            Judgement::Correct
        } else {
            Judgement::Failed(ErrorClass::Short, format!("{status} {length}"))
        }
    }
}

fn get(address: SocketAddr, count: u64, length: u64, connections: usize, depth: usize) -> Driven {
    let mut load = closed(connections, PATIENT);
    load.depth = depth;
    let worker = Get {
        left: count,
        length,
    };
    driven(Route::plain(address), load, None, Box::new(worker))
}

/// Counts the requests in each read, up to a maximum in `most`, and responds in one write.
fn answer_in_batches(mut stream: TcpStream, most: &AtomicU64) {
    let mut buffer = vec![0; 1 << 16];
    loop {
        let Ok(count @ 1..) = stream.read(&mut buffer) else {
            return;
        };
        // Heads are 27 bytes long and never split, because all heads of a write fit into one
        // segment.
        let asked = count / 27;
        assert_eq!(count % 27, 0);
        most.fetch_max(asked as u64, Ordering::Relaxed);
        if stream.write_all(&HELLO.repeat(asked)).is_err() {
            return;
        }
    }
}

#[test]
fn requests_are_sent_together_and_every_response_counts() {
    let most = Arc::new(AtomicU64::new(0));
    let seen = Arc::clone(&most);
    let address = server(move |stream| answer_in_batches(stream, &seen));
    let driven = get(address, 5_000, 5, 2, 16);
    assert_eq!(driven.op.counts.ok, 5_000);
    assert_eq!((driven.ledger.opened, driven.ledger.reused), (2, 4_998));
    assert_eq!(driven.op.counts.received, 5_000 * 43);
    assert_eq!(most.load(Ordering::Relaxed), 16);
}

#[test]
fn requests_without_a_response_from_a_closing_server_are_sent_again_and_counted_once() {
    let served = Arc::new(AtomicU64::new(0));
    let seen = Arc::clone(&served);
    // Behaves like nginx with `keepalive_requests 10`, but sends responses in pieces.
    let address = server(move |mut stream| {
        stream.set_nodelay(true).unwrap();
        let mut buffer = [0; 27];
        for number in 1..=10 {
            if stream.read_exact(&mut buffer).is_err() {
                return;
            }
            seen.fetch_add(1, Ordering::Relaxed);
            let close = if number == 10 {
                "Connection: close\r\n"
            } else {
                ""
            };
            let answer = format!("HTTP/1.1 200 OK\r\n{close}Content-Length: 5\r\n\r\nhello");
            for part in answer.as_bytes().chunks(30) {
                if stream.write_all(part).is_err() {
                    return;
                }
            }
        }
        let _ = stream.shutdown(std::net::Shutdown::Write);
        while matches!(stream.read(&mut buffer), Ok(1..)) {}
    });
    let driven = get(address, 1_000, 5, 3, 8);
    assert_eq!(driven.op.counts.ok, 1_000, "{:?}", driven.op.failures);
    assert_eq!(driven.op.failed_count(), 0);
    assert_eq!(served.load(Ordering::Relaxed), 1_000);
    assert!(driven.ledger.opened >= 100);
    assert!(driven.ledger.resent_closed > 0, "{:?}", driven.ledger);
}

#[test]
fn request_bodies_are_pipelined() {
    static BODY: [u8; 300_000] = [9; 300_000];
    let address = server(|mut stream| {
        let mut left = Vec::new();
        while let Some(body) = next_request(&mut stream, &mut left) {
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
            let _ = stream.write_all(head.as_bytes());
            let _ = stream.write_all(&body);
        }
    });
    let mut load = closed(1, PATIENT);
    load.depth = 3;
    let mut worker = Echo::times(60, &BODY);
    worker.sent = BODY.to_vec();
    let driven = driven(Route::plain(address), load, None, Box::new(worker));
    assert_eq!(driven.op.counts.ok, 60, "{:?}", driven.op.failures);
    assert_eq!(driven.ledger.opened, 1);
}

/// Reads the body of the next request; further bytes stay in `left`.
fn next_request(stream: &mut TcpStream, left: &mut Vec<u8>) -> Option<Vec<u8>> {
    let mut buffer = vec![0; 1 << 16];
    loop {
        if let Some(end) = left.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&left[..end]).into_owned();
            let length: usize = head.rsplit(' ').next().unwrap().trim().parse().unwrap();
            if left.len() >= end + 4 + length {
                let after = left.split_off(end + 4 + length);
                let request = std::mem::replace(left, after);
                return Some(request[end + 4..].to_vec());
            }
        }
        match stream.read(&mut buffer) {
            Ok(count @ 1..) => left.extend_from_slice(&buffer[..count]),
            _ => return None,
        }
    }
}

#[test]
fn an_unrequested_response_is_a_protocol_error() {
    let address = server(|mut stream| {
        while request(&mut stream).is_some() {
            if stream.write_all(&HELLO.repeat(2)).is_err() {
                return;
            }
        }
    });
    let driven = get(address, 5, 5, 1, 1);
    assert_eq!(driven.errors(ErrorClass::Protocol), 5);
    assert_eq!(
        driven.op.failures["more bytes than the response announced"],
        5
    );
}

#[test]
fn a_reset_connection_fails_every_pipelined_request() {
    let address = server(|mut stream| {
        let mut buffer = [0; 27 * 4];
        let _ = stream.read_exact(&mut buffer);
        let _ = stream.write_all(HELLO);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe");
    });
    let driven = get(address, 4, 5, 1, 4);
    assert_eq!(driven.op.counts.ok, 1);
    assert_eq!(driven.errors(ErrorClass::Reset), 3);
}

#[test]
fn large_bodies_are_dropped_unread_and_counted() {
    const LENGTH: usize = 20_000_000;
    let address = server(|mut stream| {
        while request(&mut stream).is_some() {
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {LENGTH}\r\n\r\n");
            let _ = stream.write_all(head.as_bytes());
            for piece in vec![1; LENGTH].chunks(123_456) {
                let _ = stream.write_all(piece);
            }
        }
    });
    let driven = get(address, 6, LENGTH as u64, 2, 1);
    assert_eq!(driven.op.counts.ok, 6, "{:?}", driven.op.failures);
    assert!(driven.op.counts.received > 6 * LENGTH as u64);
    assert!(driven.took < Duration::from_secs(15));
}
