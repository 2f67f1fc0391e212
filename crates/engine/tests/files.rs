//! Tests request bodies that the kernel sends from a file.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

mod support;

use std::io::Write;
use std::os::fd::AsFd;
use std::sync::Mutex;

use support::{PATIENT, closed, driven, request, server};
use tenbin_engine::{Exchange, InFile, Judgement, Moment, Next, Route, Workload};

const LENGTH: usize = 3_000_000;
/// Offset of the body in its file.
const OFFSET: usize = 12_345;

/// A workload that sends a body from a file. The body in memory differs, so that the server can
/// detect which body was sent.
struct Put {
    left: u64,
    file: std::fs::File,
    decoy: Vec<u8>,
}

impl Workload for Put {
    fn operations(&self) -> &[&'static str] {
        &["PUT"]
    }

    fn next(&mut self, _now: Moment, exchange: &mut Exchange) -> Next {
        if self.left == 0 {
            return Next::Exhausted;
        }
        self.left -= 1;
        exchange.head =
            format!("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: {LENGTH}\r\n\r\n").into_bytes();
        Next::Ready
    }

    fn payload<'a>(&'a self, _exchange: &Exchange) -> &'a [u8] {
        &self.decoy
    }

    fn payload_file<'a>(&'a self, _exchange: &Exchange) -> Option<InFile<'a>> {
        Some(InFile {
            file: self.file.as_fd(),
            offset: OFFSET as u64,
        })
    }

    fn judge(&mut self, _exchange: &mut Exchange, _status: u16, _length: u64) -> Judgement {
        Judgement::Correct
    }
}

#[test]
fn a_body_from_a_file_arrives_complete_at_a_slow_reader() {
    static BODIES: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());
    let address = server(|mut stream| {
        while let Some(body) = request(&mut stream) {
            BODIES.lock().unwrap().push(body);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        }
    });
    let bytes: Vec<u8> = (0..LENGTH + OFFSET).map(|at| (at % 251) as u8).collect();
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(&bytes).unwrap();
    let worker = Put {
        left: 6,
        file,
        decoy: vec![0; LENGTH],
    };
    let load = closed(2, PATIENT);
    let done = driven(Route::plain(address), load, None, Box::new(worker));
    assert_eq!(done.op.counts.ok, 6, "{:?}", done.op.failures);
    assert!(done.op.counts.sent > 6 * LENGTH as u64);
    let bodies = BODIES.lock().unwrap();
    assert_eq!(bodies.len(), 6);
    assert!(bodies.iter().all(|body| body == &bytes[OFFSET..]));
}
