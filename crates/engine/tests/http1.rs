//! Tests the HTTP/1.1 driver on real sockets, against servers whose behaviour the tests define.

#![allow(clippy::unwrap_used)]

mod support;

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use support::{Echo, PATIENT, closed, fixed, request, run, run_for, server};
use tenbin_engine::{
    Destination, Drive, ErrorClass, Part, Route, SliceEvent, StartGate, Workload, drive,
};

#[test]
fn keeps_its_connections() {
    let address = fixed(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
    let driven = run(address, Echo::times(500, b"hello"), 3, PATIENT);
    assert_eq!(driven.op.counts.ok, 500);
    assert_eq!(driven.op.counts.received, 500 * 43);
    assert_eq!(driven.ledger.opened, 3);
    assert_eq!(driven.ledger.reused, 497);
    driven.expect_tcp_of_all();
}

#[test]
fn reads_responses_that_arrive_byte_by_byte() {
    let address = server(|mut stream| {
        stream.set_nodelay(true).unwrap();
        while request(&mut stream).is_some() {
            for byte in b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n" {
                if stream.write_all(&[*byte]).is_err() {
                    return;
                }
            }
        }
    });
    let driven = run(address, Echo::times(40, b"hello"), 1, PATIENT);
    assert_eq!(driven.op.counts.ok, 40);
    assert_eq!(driven.ledger.opened, 1);
}

#[test]
fn bodies_of_requests_and_of_responses_are_counted_separately() {
    let address = server(|mut stream| {
        while request(&mut stream).is_some() {
            let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nfew";
            if stream.write_all(answer).is_err() {
                return;
            }
        }
    });
    let mut worker = Echo::times(4, b"few");
    worker.sent = b"much more".to_vec();
    let driven = run(address, worker, 1, PATIENT);
    assert_eq!(driven.op.counts.ok, 4);
    assert_eq!(driven.op.counts.payload, 4 * 9);
    assert_eq!(driven.op.answered, Some(4 * 3));
}

#[test]
fn sends_bodies_larger_than_any_buffer_and_reads_them_back() {
    static LARGE: [u8; 3_000_000] = [7; 3_000_000];
    let address = server(|mut stream| {
        while let Some(body) = request(&mut stream) {
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
            stream.write_all(head.as_bytes()).unwrap();
            // The client can close the connection as soon as it has the response.
            let _ = stream.write_all(&body);
        }
    });
    let mut worker = Echo::times(4, &LARGE);
    worker.sent = LARGE.to_vec();
    let driven = run(address, worker, 1, PATIENT);
    assert_eq!(driven.op.counts.ok, 4);
    assert!(driven.op.counts.sent > 12_000_000);
}

#[test]
fn follows_connection_close() {
    let address = server(|mut stream| {
        request(&mut stream);
        stream
            .write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nuntil the end")
            .unwrap();
    });
    let driven = run(address, Echo::times(30, b"until the end"), 2, PATIENT);
    assert_eq!(driven.op.counts.ok, 30);
    assert_eq!(driven.ledger.closed_by_server, 30);
}

#[test]
fn bytes_that_are_not_http_are_a_protocol_error() {
    let driven = run(
        fixed(b"220 smtp.example ESMTP\r\n"),
        Echo::times(10, b""),
        1,
        PATIENT,
    );
    assert_eq!(driven.op.counts.ok, 0);
    assert_eq!(driven.errors(ErrorClass::Protocol), 10);
}

#[test]
fn a_connection_closed_inside_the_response_is_a_reset() {
    let address = server(|mut stream| {
        request(&mut stream);
        stream
            .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this")
            .unwrap();
    });
    let driven = run(address, Echo::times(10, b""), 2, PATIENT);
    assert_eq!(driven.errors(ErrorClass::Reset), 10);
    assert_eq!(
        driven.op.failures["connection closed inside the response"],
        10
    );
}

#[test]
fn a_missing_response_is_a_timeout() {
    let address = server(|mut stream| {
        request(&mut stream);
        thread::sleep(Duration::from_secs(5));
    });
    let driven = run(address, Echo::times(2, b""), 1, Duration::from_millis(150));
    assert_eq!(driven.errors(ErrorClass::Timeout), 2);
    assert!(driven.took < Duration::from_secs(4), "{:?}", driven.took);
}

#[test]
fn a_closed_port_is_a_connect_error() {
    let address = TcpListener::bind("127.0.0.1:0")
        .and_then(|listener| listener.local_addr())
        .unwrap();
    let window = Some(Duration::from_millis(200));
    let driven = run_for(address, Echo::times(5, b""), 1, PATIENT, window);
    assert!(driven.errors(ErrorClass::Connect) > 1);
    assert!(driven.op.failures.contains_key("connection refused"));
}

#[test]
fn an_early_refusal_of_a_large_body_is_read() {
    let address = server(|mut stream| {
        // Responds after reading only the request head, then closes.
        let mut some = [0; 1000];
        let _ = stream.read(&mut some);
        let _ = stream
            .write_all(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        let _ = stream.shutdown(std::net::Shutdown::Write);
        // Reads the rest of the request, because closing with unread bytes would reset the
        // connection.
        let mut sink = vec![0; 1 << 16];
        while matches!(stream.read(&mut sink), Ok(count) if count > 0) {}
    });
    let mut worker = Echo::times(3, b"");
    worker.sent = vec![1; 5_000_000];
    let driven = run(address, worker, 1, PATIENT);
    assert_eq!(driven.errors(ErrorClass::Status), 3);
}

#[test]
fn stop_ends_the_slice_at_once() {
    let address = server(|mut stream| {
        request(&mut stream);
        thread::sleep(Duration::from_secs(10));
    });
    let stop = AtomicBool::new(false);
    let plan = Drive {
        rest: None,
        destination: Destination::Route(Route::plain(address)),
        load: closed(1, PATIENT),
        seed: 1,
        lead: Duration::ZERO,
        stages: false,
        part: Part::default(),
        window: Some(Duration::from_secs(60)),
    };
    let begun = Instant::now();
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(100));
            stop.store(true, Ordering::Relaxed);
        });
        let workers: Vec<Box<dyn Workload>> = vec![Box::new(Echo::times(9, b""))];
        let done = drive(&plan, workers, &stop, &mut |_| {}).unwrap();
        assert!(done.cut_short);
    });
    assert!(begun.elapsed() < Duration::from_secs(5));
}

#[test]
fn a_slice_that_is_stopped_before_its_start_sends_nothing() {
    let requests = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&requests);
    let address = server(move |mut stream| {
        while request(&mut stream).is_some() {
            counted.fetch_add(1, Ordering::Relaxed);
        }
    });
    let gate = Arc::new(StartGate::new(Duration::MAX));
    let stop = AtomicBool::new(false);
    let plan = Drive {
        rest: None,
        destination: Destination::Route(Route::plain(address)),
        load: closed(3, PATIENT),
        seed: 1,
        lead: Duration::from_secs(1),
        stages: false,
        part: Part {
            gate: Some(Arc::clone(&gate)),
            ..Part::default()
        },
        window: Some(Duration::from_secs(60)),
    };
    thread::scope(|scope| {
        scope.spawn(|| {
            while !gate.is_ready() {
                thread::sleep(Duration::from_millis(1));
            }
            stop.store(true, Ordering::Relaxed);
        });
        let workers: Vec<Box<dyn Workload>> = vec![Box::new(Echo::times(9, b""))];
        let done = drive(&plan, workers, &stop, &mut |_| {}).unwrap();
        assert!(done.cut_short);
    });
    assert_eq!(requests.load(Ordering::Relaxed), 0);
}

#[test]
fn stage_times_are_those_of_correct_responses_in_the_histogram() {
    let address = server(|mut stream| {
        let mut count = 0;
        while request(&mut stream).is_some() {
            count += 1;
            let answer: &[u8] = match count % 3 {
                0 => b"HTTP/1.1 500 No\r\nServer-Timing: db;dur=9\r\nContent-Length: 0\r\n\r\n",
                _ => b"HTTP/1.1 200 OK\r\nServer-Timing: db;dur=1\r\nContent-Length: 0\r\n\r\n",
            };
            if stream.write_all(answer).is_err() {
                return;
            }
        }
    });
    let plan = Drive {
        rest: None,
        destination: Destination::Route(Route::plain(address)),
        load: closed(4, PATIENT),
        seed: 1,
        lead: Duration::from_millis(100),
        stages: true,
        part: Part::default(),
        window: Some(Duration::from_millis(200)),
    };
    let workers: Vec<Box<dyn Workload>> = (0..2)
        .map(|_| Box::new(Echo::times(u64::MAX, b"")) as Box<dyn Workload>)
        .collect();
    let mut kept = 0;
    let done = drive(&plan, workers, &AtomicBool::new(false), &mut |event| {
        if let SliceEvent::Sample(sample) = event {
            kept += sample.ops[0].times.service.len();
        }
    })
    .unwrap();
    let stages = done.stages.unwrap();
    let echo = stages.of("ECHO").unwrap();
    assert!(kept > 0);
    assert_eq!((echo.answers(), echo.carrying()), (kept, kept));
    let spent: u64 = echo.buckets.iter().map(|each| each.stages[0].ns).sum();
    assert_eq!(spent, kept * 1_000_000, "failures are not included");
}

#[test]
fn endless_tiny_chunks_do_not_prevent_timeout_or_stop() {
    let chunks = b"1\r\nx\r\n".repeat(20_000);
    let address = server(move |mut stream| {
        if request(&mut stream).is_none() {
            return;
        }
        let head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
        let mut alive = stream.write_all(head).is_ok();
        let begun = Instant::now();
        while alive && begun.elapsed() < Duration::from_secs(10) {
            alive = stream.write_all(&chunks).is_ok();
        }
    });
    let timeout = Duration::from_millis(200);
    let window = Some(Duration::from_secs(1));
    let driven = run_for(address, Echo::times(u64::MAX, b""), 1, timeout, window);
    assert_eq!(driven.op.counts.ok, 0);
    assert!(
        driven.errors(ErrorClass::Timeout) >= 2,
        "{:?}",
        driven.op.errors
    );
    assert!(driven.took < Duration::from_secs(6), "{:?}", driven.took);
}
