//! Malicious HTTP/1.1 servers, and servers that use a different protocol.

use super::bounds::{Attacked, for_a_moment, for_each};
use super::common::{Scratch, Tenbin};
use super::play::{Act, Http1, endless, send, server};

/// Expected result of a run against such a server.
#[derive(Clone, Copy, PartialEq)]
enum Ends {
    /// The RFC allows the behaviour: the run succeeds.
    Well,
    /// No correct response.
    Badly,
}

use Ends::{Badly, Well};

/// Name, behaviour of the server instead of a response, expected result, and expected output if the
/// server behaves this way from the first request.
type Row = (&'static str, fn() -> Vec<Act>, Ends, &'static str);

/// Name and behaviour of a server that does not wait for a request.
type Unasked = (&'static str, fn() -> Vec<Act>);

const HEAD: &str = "HTTP/1.1 200 OK\r\n";

/// Sends `HEAD`, header lines and a body, and reads the next request.
fn answer(headers: &str, body: &str) -> Vec<Act> {
    vec![send(format!("{HEAD}{headers}\r\n{body}")), Act::Again]
}

#[rustfmt::skip] // one row a line
const ROWS: &[Row] = &[
    // Response heads.
    ("a head without end", || vec![send(HEAD), endless("X-A: b\r\n")], Badly, ""),
    ("a header line without end", || vec![send(HEAD), send("X-A: "), endless("b")], Badly, ""),
    ("a reason without end", || vec![send("HTTP/1.1 200 "), endless("O")], Badly, ""),
    ("ten thousand headers", || answer(&"X-A: b\r\n".repeat(10_000), ""), Badly, ""),
    ("a head of 1 MiB", || answer(&format!("X-A: {}\r\n", "b".repeat(1 << 20)), ""), Badly, ""),
    ("a head that drips", || vec![send(HEAD), Act::Drip(b"X-A: b\r\n".to_vec())], Badly, ""),
    ("interim responses without end", || vec![endless("HTTP/1.1 100 Continue\r\n\r\n")], Badly, ""),
    ("early hints without end", || vec![endless("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n")], Badly, ""),
    ("another protocol unasked", || vec![send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"), Act::Hold], Badly, ""),
    ("a header without a colon", || answer("X-A\r\nContent-Length: 0\r\n", ""), Badly, ""),
    ("a space before the colon", || answer("Content-Length : 2\r\n", "ok"), Badly, ""),
    ("a folded header line", || answer("X-A: b\r\n c\r\nContent-Length: 2\r\n", "ok"), Badly, ""),
    ("NUL in a header", || answer("X-A: b\0c\r\nContent-Length: 2\r\n", "ok"), Badly, ""),
    ("NUL in the reason", || vec![send("HTTP/1.1 200 O\0K\r\nContent-Length: 2\r\n\r\nok"), Act::Again], Badly, ""),
    ("escape sequences in the reason", || vec![send("HTTP/1.1 500 \x1b[31mred\x1b]0;title\x07\r\nContent-Length: 0\r\n\r\n"), Act::Again], Badly, ""),
    ("escape sequences in headers", || answer("Server: \x1b[31mred\x1b]0;t\x07\r\nContent-Length: 2\r\n", "ok"), Badly, ""),
    ("a control of eight bits in the name of the server", || answer("Server: nginx\u{9b}31m\u{202e}\r\nContent-Length: 2\r\n", "ok"), Well, ""),
    ("an escape sequence in a header of an error", || vec![send("HTTP/1.1 503 x\r\nServer: nginx\u{202e}\u{9b}31m\r\nContent-Length: 0\r\n\r\n"), Act::Again], Badly, ""),
    ("a status of four digits", || vec![send("HTTP/1.1 2000 OK\r\nContent-Length: 2\r\n\r\nok"), Act::Again], Badly, ""),
    ("a status of two digits", || vec![send("HTTP/1.1 20 OK\r\nContent-Length: 2\r\n\r\nok"), Act::Again], Badly, ""),
    ("status 000", || vec![send("HTTP/1.1 000 OK\r\nContent-Length: 2\r\n\r\nok"), Act::Again], Badly, ""),
    ("status 999", || vec![send("HTTP/1.1 999 OK\r\nContent-Length: 2\r\n\r\nok"), Act::Again], Badly, ""),
    ("another version of HTTP", || vec![send("HTTP/9.9 200 OK\r\nContent-Length: 2\r\n\r\nok"), Act::Again], Badly, ""),
    // Content lengths.
    ("a negative length", || answer("Content-Length: -1\r\n", "ok"), Badly, ""),
    ("a length beyond 64 bits", || answer("Content-Length: 99999999999999999999999\r\n", "ok"), Badly, ""),
    ("a length of 8 EiB", || vec![send(format!("{HEAD}Content-Length: 9223372036854775807\r\n\r\n")), endless("x")], Badly, ""),
    ("a signed length", || answer("Content-Length: +2\r\n", "ok"), Badly, ""),
    ("a hexadecimal length", || answer("Content-Length: 0x2\r\n", "ok"), Badly, ""),
    ("two lengths that differ", || answer("Content-Length: 2\r\nContent-Length: 3\r\n", "ok"), Badly, ""),
    ("a list of lengths that differ", || answer("Content-Length: 2, 3\r\n", "ok"), Badly, ""),
    ("a length with chunks", || answer("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", "2\r\nok\r\n0\r\n\r\n"), Badly, ""),
    ("a body that is cut off", || vec![send(format!("{HEAD}Content-Length: 100\r\n\r\nok"))], Badly, ""),
    ("a body that never comes", || vec![send(format!("{HEAD}Content-Length: 100\r\n\r\n")), Act::Hold], Badly, ""),
    ("a body that drips", || vec![send(format!("{HEAD}Content-Length: 1000000\r\n\r\n")), Act::Drip(b"x".to_vec())], Badly, ""),
    ("a body without end", || vec![send(format!("{HEAD}\r\n")), endless("x")], Badly, ""),
    ("a body with status 204", || vec![send("HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\nok"), Act::Again], Badly, ""),
    // Chunked encoding.
    ("chunks of a byte without end", || vec![send(format!("{HEAD}Transfer-Encoding: chunked\r\n\r\n")), endless("1\r\nx\r\n")], Badly, ""),
    ("a chunk size without end", || vec![send(format!("{HEAD}Transfer-Encoding: chunked\r\n\r\n")), endless("0")], Badly, ""),
    ("a chunk extension without end", || vec![send(format!("{HEAD}Transfer-Encoding: chunked\r\n\r\n5;")), endless("a")], Badly, ""),
    ("trailers without end", || vec![send(format!("{HEAD}Transfer-Encoding: chunked\r\n\r\n0\r\n")), endless("X: y\r\n")], Badly, ""),
    ("a chunk size beyond 64 bits", || answer("Transfer-Encoding: chunked\r\n", "FFFFFFFFFFFFFFFFF\r\nok"), Badly, ""),
    ("a negative chunk size", || answer("Transfer-Encoding: chunked\r\n", "-2\r\nok\r\n0\r\n\r\n"), Badly, ""),
    ("a chunk size that is no number", || answer("Transfer-Encoding: chunked\r\n", "\x1b[31m\r\nok\r\n0\r\n\r\n"), Badly, ""),
    ("a chunk longer than its size", || answer("Transfer-Encoding: chunked\r\n", "2\r\nokok\r\n0\r\n\r\n"), Badly, ""),
    ("chunks without the last", || vec![send(format!("{HEAD}Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n"))], Badly, ""),
    ("an unknown transfer encoding", || answer("Transfer-Encoding: xchunked\r\nContent-Length: 2\r\n", "ok"), Badly, ""),
    ("chunked twice", || answer("Transfer-Encoding: chunked, chunked\r\n", "2\r\nok\r\n0\r\n\r\n"), Badly, ""),
    // Connections.
    ("a close instead of a response", Vec::new, Badly, ""),
    ("a reset instead of a response", || vec![Act::Reset], Badly, ""),
    ("a reset in the middle of a body", || vec![send(format!("{HEAD}Content-Length: 100\r\n\r\nok")), Act::Reset], Badly, ""),
    ("silence", || vec![Act::Hold], Badly, ""),
    ("a close after each response", || vec![send(format!("{HEAD}Content-Length: 2\r\n\r\nok"))], Well, ""),
    ("two equal lengths", || answer("Content-Length: 2\r\nContent-Length: 2\r\n", "ok"), Well, ""),
    ("a body up to the close", || vec![send(format!("{HEAD}\r\nok"))], Well, ""),
    ("data after the response", || answer("Content-Length: 2\r\n", "okHTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nunasked!!"), Badly, ""),
    ("garbage after the response", || answer("Content-Length: 2\r\n", "ok\x1b[31mgarbage"), Badly, ""),
    // Statuses other than success.
    ("a redirect to itself", || vec![send("HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n"), Act::Again], Badly, ""),
    ("a redirect to a file", || vec![send("HTTP/1.1 301 x\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n"), Act::Again], Badly, ""),
    // Other protocols.
    ("frames of HTTP/2", || vec![send(b"\0\0\0\x04\0\0\0\0\0\0\0\x08\x07\0\0\0\0\0\0\0\0\0\0\0\0"), Act::Hold], Badly, ""),
    ("an alert of TLS", || vec![send(b"\x15\x03\x01\x00\x02\x02\x46"), Act::Hold], Badly, ""),
    ("another server's greeting", || vec![send("SSH-2.0-OpenSSH_9.2\x1b[31m\r\n"), Act::Hold], Badly, ""),
    ("random bytes without end", || vec![Act::Endless((0_u8..=255).map(|byte| byte.wrapping_mul(167)).collect())], Badly, ""),
];

/// A short `tenbin http` against a local port.
fn http<'a>(scratch: &'a Scratch, scheme: &str, port: u16, more: &[&str]) -> Tenbin<'a> {
    for_a_moment(scratch, &format!("{scheme}://127.0.0.1:{port}/"), more)
}

#[test]
fn from_the_first_request() {
    for_each(ROWS, |&(name, acts, ends, says)| {
        let scratch = Scratch::new("attack-first");
        let port = server(Http1 { at_once: false }, 0, move |_| acts());
        let attacked = Attacked::run(name, &scratch, http(&scratch, "http", port, &[]));
        match ends {
            // 4 or 6: requests before the run are checked less strictly, so they can succeed.
            Badly => attacked.expect_codes(&[3, 4, 6]).expect_said("evil"),
            Well => attacked.expect_codes(&[0, 6]),
        };
        attacked.expect_said(says);
    });
}

#[test]
fn while_it_is_measured() {
    for_each(ROWS, |&(name, acts, ends, _)| {
        let scratch = Scratch::new("attack-later");
        // Correct responses: for up to 130 requests before the run and the start of the first slice.
        let port = server(Http1 { at_once: false }, 300, move |_| acts());
        let attacked = Attacked::run(name, &scratch, http(&scratch, "http", port, &[]));
        match ends {
            Badly => attacked.expect_codes(&[4, 6]),
            Well => attacked.expect_codes(&[0, 6]),
        };
    });
}

#[test]
fn before_any_request() {
    const ROWS: &[Unasked] = &[
        ("a response that nobody asked for", || {
            answer("Content-Length: 2\r\n", "ok")
        }),
        ("garbage without end", || vec![endless("\x1b[31m")]),
        ("a close", Vec::new),
        ("a reset", || vec![Act::Reset]),
    ];
    for_each(ROWS, |&(name, acts)| {
        let scratch = Scratch::new("attack-unasked");
        let port = server(Http1 { at_once: true }, 0, move |_| {
            let acts = acts().into_iter();
            acts.filter(|act| !matches!(act, Act::Again)).collect()
        });
        let attacked = Attacked::run(name, &scratch, http(&scratch, "http", port, &[]));
        attacked.expect_codes(&[3, 4, 6]);
    });
}

#[test]
fn instead_of_tls() {
    const ROWS: &[Unasked] = &[
        ("HTTP in clear text", || {
            answer("Content-Length: 2\r\n", "ok")
        }),
        ("an alert", || vec![send(b"\x15\x03\x03\x00\x02\x02\x28")]),
        ("alerts without end", || {
            vec![Act::Endless(b"\x15\x03\x03\x00\x02\x01\x00".to_vec())]
        }),
        ("a record of the greatest length", || {
            vec![send(b"\x16\x03\x03\xff\xff"), endless("x")]
        }),
        ("a handshake that never ends", || {
            vec![send(b"\x16\x03\x03\x40\x00\x02\xff\xff\xff"), endless("\0")]
        }),
        ("empty records without end", || {
            vec![Act::Endless(b"\x16\x03\x03\x00\x00".to_vec())]
        }),
        ("silence", || vec![Act::Hold]),
        ("random bytes", || {
            vec![send((0_u8..=255).rev().collect::<Vec<u8>>())]
        }),
    ];
    for_each(ROWS, |&(name, acts)| {
        let scratch = Scratch::new("attack-tls");
        let port = server(Http1 { at_once: true }, 0, move |_| {
            let acts = acts().into_iter();
            acts.filter(|act| !matches!(act, Act::Again)).collect()
        });
        let attacked = Attacked::run(name, &scratch, http(&scratch, "https", port, &[]));
        attacked.expect_codes(&[3]).expect_said("evil");
    });
}

/// 512 MiB of zeros, compressed with gzip.
fn bomb(scratch: &Scratch) -> Vec<u8> {
    let file = scratch.join("bomb.gz");
    let line = format!("head -c 536870912 /dev/zero | gzip -1 > '{file}'");
    let status = std::process::Command::new("sh")
        .args(["-c", &line])
        .status();
    assert!(status.is_ok_and(|status| status.success()), "gzip");
    std::fs::read(&file).expect("the packed zeros")
}

#[test]
fn bodies_that_unpack_to_much() {
    let scratch = Scratch::new("attack-bomb");
    let bomb = bomb(&scratch);
    let head = format!(
        "{HEAD}Content-Encoding: gzip\r\nContent-Length: {}\r\n\r\n",
        bomb.len()
    );
    let whole = [head.into_bytes(), bomb].concat();
    let port = server(Http1 { at_once: false }, 0, move |_| {
        vec![Act::Send(whole.clone()), Act::Again]
    });
    let wanted = ["-H", "Accept-Encoding: gzip", "--verify"];
    let tenbin = http(&scratch, "http", port, &wanted);
    Attacked::run("a gzip bomb", &scratch, tenbin).expect_codes(&[0, 3, 6]);
}
