//! Malicious HTTP/2 servers.

use super::bounds::{Attacked, for_a_moment, for_each};
use super::common::{Scratch, Tenbin};
use super::play::{Act, Http2, frame, send, server};

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RESET: u8 = 3;
const SETTINGS: u8 = 4;
const PUSH: u8 = 5;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
const WINDOW: u8 = 8;
const CONTINUATION: u8 = 9;
/// Flag `END_STREAM` of a frame.
const END: u8 = 1;
const HEAD_ENDS: u8 = 4;

/// `:status: 200`, entry 8 of the static table of HPACK.
const OK: &[u8] = &[0x88];

/// Name, behaviour of the server instead of a response on the stream, and expected result.
type Row = (&'static str, fn(u32) -> Vec<Act>, Ends);

#[derive(Clone, Copy, PartialEq)]
enum Ends {
    /// The RFC allows the behaviour: the run succeeds.
    Well,
    /// No correct response.
    Badly,
}

use Ends::{Badly, Well};

fn headers(stream: u32, flags: u8, block: &[u8]) -> Act {
    send(frame(HEADERS, flags, stream, block))
}

fn data(stream: u32, flags: u8, bytes: &[u8]) -> Act {
    send(frame(DATA, flags, stream, bytes))
}

fn well(stream: u32) -> [Act; 2] {
    [headers(stream, HEAD_ENDS, OK), data(stream, END, b"ok")]
}

/// Endless repetitions of these frames.
fn flood(frames: Vec<u8>) -> Vec<Act> {
    vec![Act::Endless(frames)]
}

/// Sends these frames, then a response, and reads the next request.
fn then_well(stream: u32, before: Vec<u8>) -> Vec<Act> {
    let [head, body] = well(stream);
    vec![send(before), head, body, Act::Again]
}

/// A literal header field without indexing (RFC 7541, section 6.2.2), with lengths up to 126 bytes.
fn field(name: &[u8], value: &[u8]) -> Vec<u8> {
    [&[0, name.len() as u8], name, &[value.len() as u8], value].concat()
}

fn max() -> [u8; 4] {
    0x7fff_ffff_u32.to_be_bytes()
}

#[rustfmt::skip] // one row a line
const ROWS: &[Row] = &[
    ("settings without end", |_| flood(frame(SETTINGS, 0, 0, &[])), Badly),
    ("settings of many values without end", |_| flood(frame(SETTINGS, 0, 0, &[0, 3, 0, 0, 0, 100].repeat(100))), Badly),
    ("pings without end", |_| flood(frame(PING, 0, 0, b"12345678")), Badly),
    ("answers to pings that nobody sent, without end", |_| flood(frame(PING, 1, 0, b"12345678")), Badly),
    ("empty data without end", |s| [vec![headers(s, HEAD_ENDS, OK)], flood(frame(DATA, 0, s, &[]))].concat(), Badly),
    ("data of a byte without end", |s| [vec![headers(s, HEAD_ENDS, OK)], flood(frame(DATA, 0, s, b"x"))].concat(), Badly),
    ("padding without end", |s| [vec![headers(s, HEAD_ENDS, OK)], flood(frame(DATA, 8, s, &[&[255], &[0; 255][..]].concat()))].concat(), Badly),
    ("unknown frames without end", |_| flood(frame(0xaa, 0xff, 0, &[7; 100])), Badly),
    ("priorities without end", |s| flood(frame(2, 0, s, &[0, 0, 0, 0, 1])), Badly),
    ("window updates without end", |_| flood(frame(WINDOW, 0, 0, &1_u32.to_be_bytes())), Badly),
    ("resets without end", |s| flood(frame(RESET, 0, s, &8_u32.to_be_bytes())), Badly),
    ("interim responses without end", |s| flood(frame(HEADERS, HEAD_ENDS, s, &[&[0x08, 3], &b"103"[..]].concat())), Badly),
    ("a head in frames without end", |s| [vec![headers(s, 0, OK)], flood(frame(CONTINUATION, 0, s, &field(b"a", b"b").repeat(100)))].concat(), Badly),
    ("a head in empty frames without end", |s| [vec![headers(s, 0, OK)], flood(frame(CONTINUATION, 0, s, &[]))].concat(), Badly),
    ("a head of 1 MiB", |s| {
        let part = field(b"x-a", &[b'b'; 120]).repeat(120);
        let mut acts = vec![headers(s, 0, OK)];
        acts.extend((0..70).map(|_| send(frame(CONTINUATION, 0, s, &part))));
        acts.extend([send(frame(CONTINUATION, HEAD_ENDS, s, &[])), data(s, END, b"ok"), Act::Again]);
        acts
    }, Badly),
    ("a head that unpacks to much", |s| {
        // One entry of the dynamic table, referenced 12,000 times.
        let entry = [&[0x40, 1, b'a', 127, 0x81, 0x1e][..], &[b'b'; 4000]].concat();
        vec![headers(s, HEAD_ENDS, &[OK, &entry, &[0xbe; 12_000]].concat()), data(s, END, b"ok"), Act::Again]
    }, Badly),
    ("window updates beyond the greatest window", |s| then_well(s, [frame(WINDOW, 0, 0, &max()), frame(WINDOW, 0, 0, &max())].concat()), Badly),
    ("window updates of a stream beyond the greatest", |s| vec![send(frame(WINDOW, 0, s, &max())), send(frame(WINDOW, 0, s, &max())), Act::Again], Badly),
    ("a window update of nothing", |s| vec![send(frame(WINDOW, 0, s, &[0; 4])), Act::Again], Badly),
    ("an initial window beyond the greatest", |_| vec![send(frame(SETTINGS, 0, 0, &[0, 4, 255, 255, 255, 255])), Act::Hold], Badly),
    ("settings of extremes", |s| then_well(s, frame(SETTINGS, 0, 0, &[0, 1, 255, 255, 255, 255, 0, 4, 0, 0, 0, 0, 0, 6, 0, 0, 0, 0])), Well),
    ("no streams allowed", |_| vec![send(frame(SETTINGS, 0, 0, &[0, 3, 0, 0, 0, 0])), Act::Hold], Badly),
    ("a reset of each request", |s| vec![send(frame(RESET, 0, s, &2_u32.to_be_bytes())), Act::Again], Badly),
    ("each request refused", |s| vec![send(frame(RESET, 0, s, &7_u32.to_be_bytes())), Act::Again], Badly),
    ("goodbye instead of a response", |_| vec![send(frame(GOAWAY, 0, 0, &[0; 8]))], Badly),
    ("goodbye without end", |_| flood(frame(GOAWAY, 0, 0, &[0; 8])), Badly),
    ("goodbye with an error and hostile text", |_| vec![send(frame(GOAWAY, 0, 0, b"\0\0\0\0\0\0\0\x0b\x1b[31mcalm down"))], Badly),
    ("goodbye after each response", |s| {
        let [head, body] = well(s);
        vec![head, body, send(frame(GOAWAY, 0, 0, &[s.to_be_bytes(), [0; 4]].concat()))]
    }, Well),
    // The response before the extra data is complete.
    ("data on a closed stream", |s| {
        let [head, body] = well(s);
        vec![head, body.clone(), body.clone(), body, Act::Again]
    }, Well),
    ("data without a head", |s| vec![data(s, END, b"ok"), Act::Again], Badly),
    ("a stream that nobody opened", |_| vec![data(999, END, b"ok"), Act::Hold], Badly),
    ("a pushed response", |s| vec![send(frame(PUSH, HEAD_ENDS, s, &[0, 0, 0, 2, 0x82, 0x86, 0x84])), Act::Hold], Badly),
    ("two heads", |s| vec![headers(s, HEAD_ENDS, OK), headers(s, HEAD_ENDS, OK), data(s, END, b"ok"), Act::Again], Badly),
    ("a head without a status", |s| vec![headers(s, HEAD_ENDS, &field(b"a", b"b")), data(s, END, b"ok"), Act::Again], Badly),
    ("a status of text", |s| vec![headers(s, HEAD_ENDS, &[&[0x08, 3], &b"abc"[..]].concat()), data(s, END, b"ok"), Act::Again], Badly),
    ("line ends in a header", |s| vec![headers(s, HEAD_ENDS, &[OK, &field(b"x-a", b"b\r\nx-c: d")].concat()), data(s, END, b"ok"), Act::Again], Badly),
    ("escape sequences in a header", |s| vec![headers(s, HEAD_ENDS, &[OK, &field(b"server", b"\x1b[31m\x07")].concat()), data(s, END, b"ok"), Act::Again], Badly),
    ("a length that lies", |s| vec![headers(s, HEAD_ENDS, &[OK, &[0x5c, 2], &b"99"[..]].concat()), data(s, END, b"ok"), Act::Again], Badly),
    ("a frame beyond the greatest size", |s| vec![headers(s, HEAD_ENDS, OK), data(s, 0, &[0; 20_000]), Act::Hold], Badly),
    ("padding longer than its frame", |s| vec![headers(s, HEAD_ENDS, OK), send(frame(DATA, 9, s, b"\xffok")), Act::Hold], Badly),
    ("an index beyond the table of HPACK", |s| vec![headers(s, HEAD_ENDS, &[0xff, 0xff, 0xff, 0xff, 0x0f]), Act::Hold], Badly),
    ("random bytes without end", |_| vec![Act::Endless((0_u8..=255).map(|byte| byte.wrapping_mul(167)).collect())], Badly),
    ("HTTP/1.1", |_| vec![send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")], Badly),
    ("a close", |_| Vec::new(), Badly),
    ("silence", |_| vec![Act::Hold], Badly),
];

fn http2<'a>(scratch: &'a Scratch, port: u16) -> Tenbin<'a> {
    for_a_moment(
        scratch,
        &format!("http://127.0.0.1:{port}/"),
        &["--http", "2"],
    )
}

#[test]
fn from_the_first_request() {
    for_each(ROWS, |&(name, acts, ends)| {
        let scratch = Scratch::new("attack2-first");
        let port = server(Http2, 0, acts);
        let attacked = Attacked::run(name, &scratch, http2(&scratch, port));
        match ends {
            // 3 if the first request of the workload gets no response, otherwise 4 or 6.
            Badly => attacked.expect_codes(&[3, 4, 6]).expect_said("evil"),
            Well => attacked.expect_codes(&[0, 6]),
        };
    });
}

#[test]
fn while_it_is_measured() {
    for_each(ROWS, |&(name, acts, ends)| {
        let scratch = Scratch::new("attack2-later");
        let port = server(Http2, 100, acts);
        let attacked = Attacked::run(name, &scratch, http2(&scratch, port));
        match ends {
            Badly => attacked.expect_codes(&[4, 6]),
            Well => attacked.expect_codes(&[0, 6]),
        };
    });
}
