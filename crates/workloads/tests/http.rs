//! Tests of the `http` workload: sent requests, and responses that count as success.

#![allow(clippy::unwrap_used, reason = "a test may")]

mod support;

use support::{drive, http_work, load, response, site};
use tenbin_engine::{BodyUse, ErrorClass, Exchange, Judgement, Next, ResponseHead, Workload};
use tenbin_plan::{self as plan, HttpWork, MayDiffer, WorkloadKind};
use tenbin_workloads::{WorkloadError, null, prepare};
use url::Url;

/// Prepares a workload for a target; `url` can contain several URLs, separated by spaces.
fn workload(
    work: HttpWork,
    url: &str,
    keep_alive: bool,
) -> Result<Box<dyn Workload>, WorkloadError> {
    let mut load = load(1);
    load.keep_alive = keep_alive;
    let work = plan::Workload {
        name: "page".into(),
        kind: WorkloadKind::Http(work),
        load,
        stages: false,
    };
    let mut urls = url.split(' ');
    let mut site = site(urls.next().unwrap());
    for other in urls {
        site = site.and_host(&Url::parse(other).unwrap());
    }
    let mut prepared = prepare(&work, &site, 1, 1)?;
    assert!(prepared.check().is_none() && prepared.after_run().is_none());
    Ok(prepared.slice().remove(0))
}

fn head(work: HttpWork, url: &str, keep_alive: bool) -> String {
    let mut worker = workload(work, url, keep_alive).unwrap();
    let mut exchange = Exchange::default();
    assert_eq!(worker.next(support::NOW, &mut exchange), Next::Ready);
    String::from_utf8(exchange.head).unwrap()
}

const USER_AGENT: &str = concat!("User-Agent: tenbin/", env!("CARGO_PKG_VERSION"), "\r\n");

#[test]
fn the_plain_request() {
    assert_eq!(
        head(http_work("GET"), "http://127.0.0.1:8080/a?b=c", true),
        format!("GET /a?b=c HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n{USER_AGENT}\r\n")
    );
    assert_eq!(
        head(http_work("GET"), "http://[::1]:80", false),
        format!("GET / HTTP/1.1\r\nHost: [::1]\r\n{USER_AGENT}Connection: close\r\n\r\n")
    );
}

#[test]
fn own_headers_replace_the_defaults_and_a_body_has_its_length() {
    let mut work = http_work("POST");
    work.path = Some("/submit".into());
    work.headers = vec![
        ("user-agent".into(), "mine".into()),
        ("X-A".into(), "1".into()),
        ("X-A".into(), "2".into()),
    ];
    work.body = b"hello".to_vec();
    assert_eq!(
        head(work.clone(), "http://h/", true),
        "POST /submit HTTP/1.1\r\nHost: h\r\nuser-agent: mine\r\nX-A: 1\r\nX-A: 2\r\n\
         Content-Length: 5\r\n\r\n"
    );
    let mut worker = workload(work, "http://h/", true).unwrap();
    drive(worker.as_mut(), 1, 1, 1, &mut |request| {
        assert_eq!(request.body, b"hello");
        response(200, "")
    });
    assert!(head(http_work("PUT"), "http://h/", true).contains("Content-Length: 0\r\n"));
}

#[test]
fn the_head_is_written_once_for_a_connection() {
    let mut worker = workload(http_work("HEAD"), "http://h/", true).unwrap();
    let mut exchange = Exchange {
        head: b"something else".to_vec(),
        ..Exchange::default()
    };
    assert_eq!(worker.next(support::NOW, &mut exchange), Next::Ready);
    assert!(exchange.bodyless_response);
    assert_eq!(worker.next(support::NOW, &mut exchange), Next::Same);
    let mut null = null::prepared(2).slice();
    assert_eq!(null.len(), 2);
    assert_eq!(null[0].next(support::NOW, &mut exchange), Next::Ready);
    assert!(!exchange.bodyless_response);
    assert_eq!(null[1].next(support::NOW, &mut exchange), Next::Same);
}

#[test]
fn every_host_is_called_by_its_own_name() {
    let urls = "http://one:8080/x http://two/x http://[::1]:81/x";
    let heads = |work: HttpWork| {
        let mut worker = workload(work, urls, true).unwrap();
        [2, 0, 1].map(|host| {
            let mut exchange = Exchange {
                host,
                ..Exchange::default()
            };
            assert_eq!(worker.next(support::NOW, &mut exchange), Next::Ready);
            assert_eq!(worker.next(support::NOW, &mut exchange), Next::Same);
            String::from_utf8(exchange.head).unwrap()
        })
    };
    let expected = ["[::1]:81", "one:8080", "two"]
        .map(|host| format!("GET /x HTTP/1.1\r\nHost: {host}\r\n{USER_AGENT}\r\n"));
    assert_eq!(heads(http_work("GET")), expected);

    let mut work = http_work("GET");
    work.headers = vec![("host".into(), "own".into())];
    let own = format!("GET /x HTTP/1.1\r\n{USER_AGENT}host: own\r\n\r\n");
    assert_eq!(heads(work), [own.clone(), own.clone(), own]);
}

#[test]
fn statuses_are_judged_and_bodies_dropped_but_those_of_refusals() {
    let judge = |expect: &[u16], status| {
        let mut work = http_work("GET");
        work.expect = expect.to_vec();
        // Without this, the first responses are read to learn the expected response.
        work.may_differ = MayDiffer::BODY;
        let mut worker = workload(work, "http://h/", true).unwrap();
        let mut judge = || {
            let mut exchange = Exchange::default();
            let head = ResponseHead {
                status,
                length: None,
                bytes: b"",
            };
            let body = worker.head(&mut exchange, &head);
            worker.body(&mut exchange, 0, br#"{"message":"no"}"#);
            (body, worker.judge(&mut exchange, status, 16))
        };
        // The first body is searched for signs of an error.
        judge();
        let (body, judged) = judge();
        let is_read = body == BodyUse::Inspect;
        assert_eq!(is_read, judged != Judgement::Correct, "{status}");
        judged
    };
    let failed = Judgement::Failed(ErrorClass::Status, "no".to_owned());
    for (expect, status, judgement) in [
        (&[][..], 200, &Judgement::Correct),
        (&[], 299, &Judgement::Correct),
        (&[], 304, &failed),
        (&[], 199, &failed),
        (&[304, 404], 404, &Judgement::Correct),
        (&[304, 404], 200, &failed),
    ] {
        assert_eq!(judge(expect, status), *judgement, "{expect:?} {status}");
    }
}

#[test]
fn what_would_break_the_request_is_refused() {
    let refused = |change: &dyn Fn(&mut HttpWork)| {
        let mut work = http_work("GET");
        change(&mut work);
        workload(work, "http://h/", true).err().unwrap()
    };
    assert!(matches!(
        refused(&|w| w.method = "GE T".into()),
        WorkloadError::Method { .. }
    ));
    assert!(matches!(
        refused(&|w| w.method = String::new()),
        WorkloadError::Method { .. }
    ));
    for path in ["", "x", "/a b", "/a\r\nb", "/a#b"] {
        assert!(matches!(
            refused(&|w| w.path = Some(path.into())),
            WorkloadError::Path { .. }
        ));
    }
    for (name, value) in [
        ("", "x"),
        ("a b", "x"),
        ("Authorization", "s3cret\r\nEvil: yes"),
        ("Content-Length", "5"),
        ("transfer-encoding", "chunked"),
    ] {
        let refused = refused(&|w| w.headers = vec![(name.into(), value.into())]);
        assert!(matches!(refused, WorkloadError::Header { .. }));
        assert!(!refused.to_string().contains("s3cret"));
    }
}
