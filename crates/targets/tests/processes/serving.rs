//! Tests of the built-in servers, and of the preflight checks with every server.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::time::{Duration, Instant};

use tenbin_plan::{Builtin, Reach};
use tenbin_targets::{Running, TargetError, preflight};

use crate::support::{TestRun, address_of, builtin, exchange, target};

const LIMIT: Duration = Duration::from_secs(10);

fn builtin_answers(kind: Builtin, status: u16) {
    let run = TestRun::new();
    let mut running = run.bring_up(&builtin(kind)).unwrap();
    let flight = preflight::check(&running, true, LIMIT).unwrap();
    assert_eq!(flight.response.status, Some(status));
    let skew = flight.skew.unwrap();
    assert!(skew.low <= 0.0 && skew.high >= 0.0, "{skew:?}");
    assert!(flight.warnings.is_empty());
    let asked = Instant::now();
    running.stop().unwrap();
    assert!(
        asked.elapsed() < Duration::from_millis(2500),
        "stopped by force"
    );
}

pub(crate) fn all_builtin() {
    builtin_answers(Builtin::Http, 200);
    builtin_answers(Builtin::S3Memory, 403);
    builtin_answers(Builtin::S3Durable, 403);
}

pub(crate) fn keep_alive() {
    let run = TestRun::new();
    let running = run.bring_up(&builtin(Builtin::Http)).unwrap();
    let mut stream = TcpStream::connect(address_of(&running)).unwrap();
    for request in [
        "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc",
        "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
    ] {
        let answer = exchange(&mut stream, request);
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
        assert!(answer.ends_with("\r\n\r\nhello tenbin"), "{answer}");
    }
}

pub(crate) fn unsigned() {
    let run = TestRun::new();
    let running = run.bring_up(&builtin(Builtin::S3Memory)).unwrap();
    let mut stream = TcpStream::connect(address_of(&running)).unwrap();
    let mut ask = |headers: &str| {
        let request =
            format!("PUT /bucket HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n{headers}\r\n");
        exchange(&mut stream, &request)
    };
    let answer = ask("");
    assert!(answer.starts_with("HTTP/1.1 403"), "{answer}");
    assert!(answer.contains("<Code>AccessDenied</Code>"), "{answer}");

    let now = Command::new("date")
        .args(["-u", "+%Y%m%dT%H%M%SZ"])
        .output()
        .unwrap();
    let now = String::from_utf8(now.stdout).unwrap();
    let now = now.trim();
    let answer = ask(&format!(
        "X-Amz-Date: {now}\r\nX-Amz-Content-Sha256: UNSIGNED-PAYLOAD\r\n\
         Authorization: AWS4-HMAC-SHA256 \
         Credential=nobody/{}/us-east-1/s3/aws4_request, \
         SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=00\r\n",
        &now[..8]
    ));
    assert!(answer.starts_with("HTTP/1.1 403"), "{answer}");
    assert!(
        answer.contains("<Code>InvalidAccessKeyId</Code>"),
        "{answer}"
    );
}

/// Runs `test` with a server that runs `behave` on every connection.
fn with_server(behave: fn(TcpStream), test: impl FnOnce(Running)) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let stream = stream.unwrap();
            std::thread::spawn(move || behave(stream));
        }
    });
    let reach = Reach::Endpoint {
        url: url.parse().unwrap(),
    };
    test(TestRun::new().bring_up(&target("t", reach)).unwrap());
}

fn says(running: &Running, text: &str) {
    says_within(running, LIMIT, text);
}

fn says_within(running: &Running, limit: Duration, text: &str) {
    let error = preflight::check(running, true, limit).unwrap_err();
    assert!(error.to_string().contains(text), "{error}");
}

pub(crate) fn preflight_errors() {
    with_server(
        |_silent| std::thread::sleep(Duration::from_secs(5)),
        |t| {
            says_within(
                &t,
                Duration::from_millis(500),
                "accepts connections but does not respond",
            )
        },
    );
    with_server(drop, |t| says(&t, "closes them without a response"));
    with_server(
        |mut stream| stream.write_all(b"SSH-2.0-x\r\n\x1b[2J").unwrap(),
        |t| {
            says(
                &t,
                r#"but not with HTTP (the response begins with "SSH-2.0-x\r\n\x1b[2J")"#,
            )
        },
    );
    with_server(
        |mut stream| {
            let _ =
                stream.write_all(b"HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n");
            let _ = std::io::copy(&mut stream, &mut std::io::sink());
        },
        |t| {
            says(&t, "S3 refuses signatures more than 15 minutes off");
            let plain = preflight::check(&t, false, LIMIT).unwrap();
            assert!(plain.warnings[0].text().contains("behind this machine's"));
        },
    );

    let closed = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let reach = Reach::Endpoint {
        url: format!("http://{closed}/").parse().unwrap(),
    };
    let running = TestRun::new().bring_up(&target("t", reach)).unwrap();
    let error = preflight::check(&running, false, LIMIT).unwrap_err();
    assert!(matches!(error, TargetError::Unreachable { .. }));
    assert!(
        error
            .to_string()
            .contains(&format!("nothing listens on {closed}")),
        "{error}"
    );
}
