//! Malicious result files of other tools and of Tenbin.

use std::io::Read as _;

use super::bounds::{Attacked, for_each};
use super::common::{Scratch, Tenbin};

/// Name and content of the file.
type Row = (&'static str, fn() -> Vec<u8>);

const WARP: &str = "idx\tthread\top\tclient_id\tn_objects\tbytes\tendpoint\tfile\terror\tstart\t\
                    first_byte\tend\tduration_ns\tcat\n";
const DRNBENCH: &str = "n_clients,total_n_requests,queries_per_second,min_elapsed_time,\
                        max_elapsed_time,average_elapsed_time,200\n";
const HSBENCH: &str = "Loop: 0, Int: TOTAL, Dur(s): 10.0, Mode: PUT, Ops: 6170, MB/s: 0.60, IO/s: \
                       617, Lat(ms): [ min: 0.4, avg: 1.6, 99%: 4.2, max: 9.9 ], Slowdowns: 0\n";

const K6: &str = "http_req_duration..: avg=1.17ms\nhttp_req_failed..: 0.00% 0 out of 48450\n\
                  http_reqs..: 48450 2421.5/s\n";
const HLOG: &str = "#[Histogram log format version 1.3]\n";
/// A histogram without a value.
const EMPTY: &str = "HISTFAAAABx4nJNpmSzMwMDAxQABzFCaEUzOmNZg/wEiMJ6JiQkAOykGEQ==";

/// What `vegeta attack` writes begins like this; these bytes follow.
fn gob(rest: &[u8]) -> Vec<u8> {
    let marks = b"\x06Result\x09Timestamp\x07Latency";
    [rest, marks, rest].concat()
}

/// One request line of a warp file.
fn request(operation: &str, bytes: &str, error: &str, start: &str, end: &str) -> String {
    format!("0\t0\t{operation}\tc\t1\t{bytes}\thttp://h:1\tf\t{error}\t{start}\t\t{end}\t1\t0\n")
}

const START: &str = "2026-11-20T12:11:33.955740269Z";
const END: &str = "2026-11-20T12:11:34.955740269Z";

#[rustfmt::skip] // one row a line
const ROWS: &[Row] = &[
    ("nothing", Vec::new),
    ("NUL", || vec![0; 100_000]),
    ("no UTF-8", || vec![0xff; 100_000]),
    ("one line of 100 MB", || vec![b'a'; 100_000_000]),
    ("JSON a hundred thousand deep", || "{\"a\":".repeat(100_000).into_bytes()),
    ("an array a hundred thousand deep", || format!("{{\"a\":{}", "[".repeat(100_000)).into_bytes()),
    ("JSON of nothing", || b"{}".to_vec()),
    ("a result of another version", || b"{\"schema\":\"\\u001b[31mother\"}".to_vec()),
    ("warp: a head alone", || WARP.as_bytes().to_vec()),
    ("warp: escape sequences", || format!("{WARP}{}", request("\x1b[31mPUT", "1", "\x1b]0;title\x07", START, END)).into_bytes()),
    ("warp: negative bytes", || format!("{WARP}{}", request("PUT", "-1", "", START, END)).into_bytes()),
    ("warp: bytes beyond 64 bits", || format!("{WARP}{}", request("PUT", "99999999999999999999", "", START, END)).into_bytes()),
    ("warp: sums beyond 64 bits", || format!("{WARP}{}", request("PUT", "9223372036854775807", "", START, END).repeat(5)).into_bytes()),
    ("warp: an end before its start", || format!("{WARP}{}", request("PUT", "1", "", END, START)).into_bytes()),
    ("warp: thousands of years", || format!("{WARP}{}{}", request("PUT", "1", "", "0001-01-01T00:00:00Z", END), request("PUT", "1", "", START, "9999-12-31T23:59:59.999999999Z")).into_bytes()),
    ("warp: no time", || format!("{WARP}{}", request("PUT", "1", "", "yesterday", "\x1b[31m")).into_bytes()),
    ("warp: ten thousand operations", || (0..10_000).fold(WARP.to_owned(), |file, at| file + &request(&format!("OP{at}"), "1", "", START, END)).into_bytes()),
    ("warp: ten thousand failures", || (0..10_000).fold(WARP.to_owned(), |file, at| file + &request("PUT", "1", &format!("failure {at}"), START, END)).into_bytes()),
    ("drnbench: a head alone", || DRNBENCH.as_bytes().to_vec()),
    ("drnbench: no numbers", || format!("{DRNBENCH}NaN,inf,-inf,nan,NaN,NaN,NaN\n").into_bytes()),
    ("drnbench: numbers beyond everything", || format!("{DRNBENCH}18446744073709551615,18446744073709551615,1e308,1e308,1e308,1e308,1e308\n").into_bytes()),
    ("drnbench: negative numbers", || format!("{DRNBENCH}1,1,-1,-1,-1,-1,-1\n").into_bytes()),
    ("drnbench: escape sequences", || format!("{},\x1b[31m\n1,1,1,1,1,1,1,1\n", DRNBENCH.trim()).into_bytes()),
    ("drnbench: a thousand rows", || format!("{DRNBENCH}{}", "1,996,33.2,0.001,0.2,0.02,100.0\n".repeat(1_000)).into_bytes()),
    ("hsbench: numbers beyond everything", || HSBENCH.replace("617,", "1e308,").replace("6170", "99999999999999999999").into_bytes()),
    ("hsbench: no numbers", || HSBENCH.replace("617,", "NaN,").replace("10.0", "-0").into_bytes()),
    ("hsbench: escape sequences", || HSBENCH.replace("PUT", "\x1b[31mPUT").into_bytes()),
    ("Go: numbers beyond everything", || b"BenchmarkX-8 99999999999999999999 1e308 ns/op\n".repeat(4)),
    ("Go: no numbers", || b"BenchmarkX-8 1 NaN ns/op\nBenchmarkY 1 -1 ns/op\nBenchmarkZ 1 0 ns/op\n".to_vec()),
    ("Go: escape sequences", || b"Benchmark\x1b[31mX-8 1 100 ns/op\n".repeat(4)),
    ("gob: a message of 16 EiB", || gob(&[0xf8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01])),
    ("gob: a number of 200 bytes", || gob(&[0x7f, 0x38])),
    ("gob: types within types", || gob(&[0x05, 0x03, 0x01, 0x01, 0x01, 0x7f].repeat(1_000))),
    ("k6: numbers beyond everything", || K6.replace("48450", "99999999999999999999").into_bytes()),
    ("k6: times beyond everything", || K6.replace("1.17ms", &format!("{}h", "9".repeat(400))).into_bytes()),
    ("k6: escape sequences", || K6.replace("1.17ms", "\x1b[31m1.17ms").into_bytes()),
    ("fortio: numbers beyond everything", || br#"{"DurationHistogram":{"Count":18446744073709551615,"Avg":1e+308,"Data":[{"Start":0,"End":1e+308,"Count":18446744073709551615}],"Percentiles":[{"Percentile":1e+308,"Value":1}]},"NumThreads":18446744073709551615,"ActualDuration":1,"ActualQPS":1e+308}"#.to_vec()),
    ("hlog: no histogram", || format!("{HLOG}Tag=\x1b[31mA,0.0,1.0,1.0,HISTFAAAAB\n").into_bytes()),
    ("hlog: a hundred thousand tags", || (0..100_000).fold(HLOG.to_owned(), |log, at| log + &format!("Tag={at},0.0,1.0,0.000,{EMPTY}\n")).into_bytes()),
    ("hgrm: numbers beyond everything", || format!("Value Percentile TotalCount 1/(1-Percentile)\n\n{} 1.0 99999999999999999999\n#[Mean = 1, StdDeviation = 1]\n#[Max = 1, Total count = 99999999999999999999]\n", "9".repeat(400)).into_bytes()),
    ("zstd: garbage", || [&[0x28, 0xb5, 0x2f, 0xfd][..], &[0xaa; 1000]].concat()),
    ("zstd: 1 GiB of zeros", || packed("", 0)),
    ("zstd: a line of warp's of 1 GiB", || packed(WARP, b'a')),
];

/// This text and 1 GiB of this byte, compressed with zstd.
fn packed(text: &str, byte: u8) -> Vec<u8> {
    let content = text.as_bytes().chain(std::io::repeat(byte).take(1 << 30));
    zstd::encode_all(content, 1).expect("packed bytes")
}

/// Each command that reads results. A comparison gets the same file twice.
fn commands(file: &str) -> [Vec<String>; 7] {
    let words = |words: &[&str]| words.iter().map(ToString::to_string).collect();
    [
        words(&["show", file]),
        words(&["compare", file, file]),
        words(&["import", "--json", file]),
        words(&["lint", file]),
        words(&["chart", "-o", "chart", file]),
        words(&["warp", "analyze", "--no-color", file]),
        words(&["warp", "cmp", "--no-color", file, file]),
    ]
}

#[test]
fn result_files_are_read_or_refused() {
    for_each(ROWS, |&(name, content)| {
        let scratch = Scratch::new("attack-result");
        let file = scratch.write("result", content());
        for line in commands(&file) {
            let name = format!("{name}: {}", line.join(" "));
            let attacked = Attacked::run(&name, &scratch, Tenbin::new(&scratch, &line));
            attacked.expect_codes(&[0, 2, 6, 8]);
            if attacked.outcome.code == Some(2) {
                attacked.expect_said("error: ");
            }
        }
    });
}

#[test]
fn what_is_no_file_is_refused() {
    let scratch = Scratch::new("attack-no-result");
    let pipe = scratch.join("pipe");
    nix::unistd::mkfifo(pipe.as_str(), nix::sys::stat::Mode::S_IRWXU).expect("a pipe");
    for path in ["/dev/zero", &pipe] {
        for line in commands(path) {
            let line: Vec<String> = line;
            // warp's own commands read a pipe, as warp does, and so do those for files of other tools.
            if ["warp", "import", "lint"].contains(&&*line[0]) && path == pipe {
                continue;
            }
            let name = line.join(" ");
            let attacked = Attacked::run(&name, &scratch, Tenbin::new(&scratch, &line));
            attacked.expect_codes(&[2]).expect_said("error: ");
        }
    }
}
