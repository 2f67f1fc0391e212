//! Tests that the request path allocates nothing after the first request.
//!
//! A separate test binary, because allocations are counted for the whole process.

#![allow(clippy::unwrap_used, reason = "a test may")]

#[path = "../../engine/tests/support/counting.rs"]
mod counting;
mod support;

use counting::allocations;
use support::{http_work, load, s3_work, site};
use tenbin_engine::{
    BodyUse, Exchange, Judgement, Moment, Next, RequestOutcome, ResponseHead, Workload,
};
use tenbin_plan::{
    self as plan, Checksum, ContentKind, Payload, S3Operation, S3Work, Signature, WorkloadKind,
};
use tenbin_workloads::{null, prepare};
use url::Url;

/// Exchanges before the count. A worker that does not know the expected response learns it from
/// the first 16 responses.
const FIRST: u64 = 20;

/// Number of allocations in 1000 correct exchanges across midnight, after the first exchanges.
fn allocations_of(
    worker: &mut dyn Workload,
    host: usize,
    response: &dyn Fn(u64) -> Vec<u8>,
) -> u64 {
    let mut exchange = Exchange {
        host,
        ..Exchange::default()
    };
    let mut allocated = 0;
    for at in 0..FIRST + 1000 {
        // 500 seconds before midnight UTC, so that the signing key changes during the exchanges.
        let before_midnight = 1_440_979_200 - 500;
        let moment = Moment {
            nanos: at,
            unix_seconds: before_midnight + at,
        };
        let before = allocations();
        let next = worker.next(moment, &mut exchange);
        assert!(matches!(next, Next::Ready | Next::Same));
        let _ = worker.payload(&exchange);
        let preparing = allocations() - before;

        let body = response(exchange.tag);
        let head = ResponseHead {
            status: 200,
            length: Some(body.len() as u64),
            bytes: b"HTTP/1.1 200 OK\r\n\r\n",
        };
        let before = allocations();
        if worker.head(&mut exchange, &head) == BodyUse::Inspect {
            worker.body(&mut exchange, 0, &body);
        }
        let judgement = worker.judge(&mut exchange, 200, body.len() as u64);
        let judging = allocations() - before;
        assert_eq!(judgement, Judgement::Correct);

        if at >= FIRST {
            allocated += preparing + judging;
        }
    }
    allocated
}

#[test]
fn the_counter_counts() {
    let before = allocations();
    drop(std::hint::black_box(Box::new(1)));
    assert_eq!(allocations() - before, 1);
}

fn with(operation: S3Operation, change: impl Fn(&mut S3Work)) -> plan::Workload {
    let mut work = s3_work(operation, 1000, 100);
    if let WorkloadKind::S3(s3) = &mut work.kind {
        change(s3);
    }
    work
}

#[test]
fn a_signature_of_version_2_allocates_nothing() {
    let site = site("http://localhost:9000").signed(Signature::V2);
    let work = s3_work(S3Operation::Put, 1000, 100);
    let mut prepared = prepare(&work, &site, 1, 1).unwrap();
    let mut worker = prepared.slice().remove(0);
    assert_eq!(allocations_of(worker.as_mut(), 0, &|_| Vec::new()), 0);
}

#[test]
fn a_request_drawn_from_patterns_allocates_nothing() {
    for order in ["weighted", "sequential", "shuffled", "zipf:1"] {
        let work = support::drawn("/a\n/b?c=d\n/a\n", &format!("order = {order:?}"));
        let other = Url::parse("http://localhost:9001").unwrap();
        let site = site("http://localhost:9000").and_host(&other);
        let mut prepared = prepare(&work, &site, 1, 1).unwrap();
        for host in [0, 1] {
            let mut worker = prepared.slice().remove(0);
            assert!(worker.follows());
            let allocated = allocations_of(worker.as_mut(), host, &|_| Vec::new());
            assert_eq!(allocated, 0, "{order} to host {host}");
            let exchange = Exchange::default();
            let before = allocations();
            for nanos in 0..1000 {
                let outcome = RequestOutcome {
                    status: Some(200),
                    correct: true,
                    nanos,
                };
                worker.completed(&exchange, outcome);
            }
            assert_eq!(allocations() - before, 0, "{order}");
        }
    }
}

#[test]
fn a_request_allocates_nothing() {
    let http = plan::Workload {
        name: "page".into(),
        kind: WorkloadKind::Http(http_work("GET")),
        load: load(1),
        stages: false,
    };
    let works = [
        http,
        s3_work(S3Operation::Put, 1000, 100),
        s3_work(S3Operation::Get, 1000, 100),
        s3_work(S3Operation::Delete, 1000, 2000),
        with(S3Operation::Put, |s3| s3.payload = Payload::Streaming),
        with(S3Operation::Put, |s3| {
            s3.payload = Payload::Trailer;
            s3.checksum = Checksum::Crc32c;
        }),
        with(S3Operation::Put, |s3| s3.content = ContentKind::Unique),
        with(S3Operation::Put, |s3| s3.rewrite = true),
        // Each object has one part.
        s3_work(S3Operation::GetPart, 1000, 100),
        s3_work(S3Operation::PutTags, 1000, 100),
        s3_work(S3Operation::LegalHold, 1000, 100),
        s3_work(S3Operation::ZipGet, 1000, 100),
    ];
    for work in works {
        let other = Url::parse("http://localhost:9001").unwrap();
        let site = site("http://localhost:9000").and_host(&other);
        let mut prepared = prepare(&work, &site, 1, 1).unwrap();
        let content = tenbin_workloads::s3::content::Content::new(
            1,
            &tenbin_workloads::s3::content::Recipe::plain(1000),
        );
        for host in [0, 1] {
            let mut worker = prepared.slice().remove(0);
            let body = |tag| content.body(tag).to_vec();
            let allocated = allocations_of(worker.as_mut(), host, &body);
            assert_eq!(allocated, 0, "{:?} to host {host}", work.kind);
        }
    }
    a_part_allocates_nothing();
    let mut worker = null::prepared(1).slice().remove(0);
    assert_eq!(allocations_of(worker.as_mut(), 0, &|_| Vec::new()), 0);
}

/// Counts allocations for the parts of one upload, after the first parts.
fn a_part_allocates_nothing() {
    const PARTS: u64 = 1000;
    let mut work = s3_work(S3Operation::Multipart, PARTS, 1);
    if let WorkloadKind::S3(s3) = &mut work.kind {
        s3.part_size = 1;
    }
    let mut prepared = prepare(&work, &site("http://localhost:9000"), 1, 1).unwrap();
    let mut worker = prepared.slice().remove(0);
    let mut exchange = Exchange::default();
    assert_eq!(worker.next(support::NOW, &mut exchange), Next::Ready);
    let mut response = |exchange: &mut Exchange, bytes: &[u8], body: &[u8]| {
        let head = ResponseHead {
            status: 200,
            length: Some(body.len() as u64),
            bytes,
        };
        let before = allocations();
        if worker.head(exchange, &head) == BodyUse::Inspect {
            worker.body(exchange, 0, body);
        }
        let judged = worker.judge(exchange, 200, body.len() as u64);
        assert_eq!(judged, Judgement::Correct);
        assert_eq!(worker.next(support::NOW, exchange), Next::Ready);
        let _ = worker.payload(exchange);
        allocations() - before
    };
    response(&mut exchange, b"", b"<UploadId>7</UploadId>");
    let allocated: u64 = (1..PARTS)
        .map(|part| {
            let tag = b"HTTP/1.1 200 OK\r\nETag: \"d41d8cd98f00b204e9800998ecf8427e\"\r\n\r\n";
            let allocated = response(&mut exchange, tag, b"");
            if part > 4 { allocated } else { 0 }
        })
        .sum();
    assert_eq!(allocated, 0);
}
