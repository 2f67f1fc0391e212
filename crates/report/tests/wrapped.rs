//! Reads every file of other tools as people have it: in other encodings, compressed, and inside logs.
//! The figures must be the same.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use tenbin_report::formats::reported_bytes;
use tenbin_verdict::lint::{Measurement, Range, Reported, Said};

const DIRECTORIES: [&str; 6] = [
    "fixtures/http", "fixtures/s3", "fixtures/recorded", "fixtures/written",
    "fixtures/public-reports", "published",
];

/// Every file that can be read, with its text and its figures. Files that are not plain text are left
/// out.
fn files() -> Vec<(PathBuf, String, Reported)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut all = Vec::new();
    for directory in DIRECTORIES {
        let Ok(entries) = fs::read_dir(root.join(directory)) else {
            continue;
        };
        for entry in entries.flatten() {
            let path = entry.path();
            let bytes = fs::read(&path).unwrap();
            let is_plain = !bytes.starts_with(&[0xef, 0xbb, 0xbf]) && !bytes.contains(&b'\r');
            let Ok(text) = String::from_utf8(bytes) else {
                continue;
            };
            let is_wrapped = text.contains('\u{1b}');
            if let (true, false, Ok(reported)) = (
                is_plain,
                is_wrapped,
                reported_bytes("file", text.as_bytes()),
            ) && reported
                .caveats
                .iter()
                .all(|caveat| !caveat.starts_with("was read "))
            {
                all.push((path, text, reported));
            }
        }
    }
    assert!(all.len() >= 60, "{} files", all.len());
    all
}

/// All figures without the lines that state them.
fn figures(reported: &Reported) -> Vec<String> {
    let of = |of: &Measurement| {
        let value = |said: &Option<Said<Range>>| said.as_ref().map(|said| said.value);
        let percentiles: Vec<_> = of
            .percentiles
            .iter()
            .map(|it| (it.quantile, it.time))
            .collect();
        let failures: Vec<_> = of.failures.iter().map(|it| (&it.what, it.count)).collect();
        format!(
            "{} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {percentiles:?} {failures:?} {:?} {:?}",
            of.name(),
            of.connections.as_ref().map(|said| said.value),
            of.ended.as_ref().map(|said| said.value),
            value(&of.seconds),
            value(&of.rate),
            value(&of.min),
            value(&of.mean),
            value(&of.max),
            of.bytes,
            of.listed
        )
    };
    reported.measurements.iter().map(of).collect()
}

fn same_figures(path: &Path, how: &str, expected: &Reported, bytes: &[u8]) {
    let read = reported_bytes("file", bytes);
    let read = read.unwrap_or_else(|error| panic!("{} {how}: {error}", path.display()));
    assert_eq!(read.tool, expected.tool, "{} {how}", path.display());
    assert!(
        figures(&read) == figures(expected),
        "{} {how}:\n{:#?}\n{:#?}",
        path.display(),
        figures(&read),
        figures(expected)
    );
}

#[test]
fn encodings_and_compression_change_no_figure() {
    for (path, text, expected) in files() {
        let marked = format!("\u{feff}{text}");
        let little: Vec<u8> = marked.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = marked.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
        gzip.write_all(text.as_bytes()).unwrap();
        for (how, bytes) in [
            ("with a byte order mark", marked.into_bytes()),
            ("in UTF-16, low byte first", little),
            ("in UTF-16, high byte first", big),
            ("with CRLF", text.replace('\n', "\r\n").into_bytes()),
            ("in gzip", gzip.finish().unwrap()),
            ("in zstd", zstd::encode_all(text.as_bytes(), 1).unwrap()),
        ] {
            same_figures(&path, how, &expected, &bytes);
        }
    }
}

#[test]
fn prefixes_of_logs_change_no_figure() {
    for (path, text, expected) in files() {
        for prefix in [
            "    ",
            "2026-11-27T09:12:44.1234567Z ",
            "load-1  | ",
            "Nov 27 09:12:44 host load[4711]: ",
            "[load] ",
            "\u{1b}[36mload-1  |\u{1b}[0m ",
        ] {
            let wrapped: String = text
                .lines()
                .map(|line| format!("{prefix}{line}\n"))
                .collect();
            same_figures(
                &path,
                &format!("after {prefix:?}"),
                &expected,
                wrapped.as_bytes(),
            );
        }
    }
}

#[test]
fn lines_in_another_order_are_no_figures_that_are_not_numbers() {
    for (path, text, _) in files() {
        let mut lines: Vec<&str> = text.lines().collect();
        let half = lines.len() / 2;
        for how in ["reversed", "halves exchanged"] {
            match how {
                "reversed" => lines.reverse(),
                _ => lines.rotate_left(half),
            }
            let Ok(read) = reported_bytes("file", (lines.join("\n") + "\n").as_bytes()) else {
                continue;
            };
            for of in &read.measurements {
                let speed = of.speed().unwrap_or_default();
                assert!(speed.is_finite(), "{} {how}: {of:?}", path.display());
            }
        }
    }
}

/// A result of wrk.
const WRK: &str = "fixtures/http/wrk-latency.txt";
/// A result of Go.
const GO: &str = "goos: linux\nBenchmarkA-8 1000 1200 ns/op\nBenchmarkA-8 1000 1210 ns/op\nPASS\n";

fn of_fixture(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    fs::read_to_string(root.join(name)).unwrap()
}

fn refused(bytes: &[u8]) -> String {
    reported_bytes("file", bytes).unwrap_err().to_string()
}

#[test]
fn two_results_in_one_file_are_refused() {
    let wrk = of_fixture(WRK);
    for text in [format!("{wrk}{GO}"), format!("{GO}{wrk}")] {
        let said = refused(text.as_bytes());
        assert!(
            said.contains("holds two results, in the formats go and wrk"),
            "{said}"
        );
    }
    // The second result can stand behind the part that decides the format.
    let said = refused(format!("{wrk}{}{GO}", "other text\n".repeat(10_000)).as_bytes());
    assert!(said.contains("holds two results"), "{said}");
    let mut appended = wrk.into_bytes();
    appended.extend(GO.encode_utf16().flat_map(u16::to_le_bytes));
    assert!(refused(&appended).contains("UTF-8 and UTF-16"));
}

#[test]
fn repetitions_of_two_sources_are_not_mixed() {
    let prefixed = |prefix: &str| -> String {
        let lines = GO.lines().map(|line| format!("{prefix}{line}\n"));
        lines.collect()
    };
    let said = refused((prefixed("old-1  | ") + &prefixed("new-1  | ")).as_bytes());
    assert!(
        said.contains("holds results of 2 sources, \"old-1\" and \"new-1\""),
        "{said}"
    );
    let long = "old-1  | other text\n".repeat(10_000);
    let text = prefixed("old-1  | ") + &long + &prefixed("new-1  | ");
    assert!(refused(text.as_bytes()).contains("2 sources"));
    let text = prefixed("load-1  | ") + "server-1 | GET /\n";
    let read = reported_bytes("file", text.as_bytes()).unwrap();
    assert!(read.caveats[0].contains("the lines of other sources than \"load-1\""));
}

#[test]
fn a_converted_encoding_is_named() {
    let wrk = of_fixture(WRK);
    let utf16 =
        |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    let read = reported_bytes("file", &utf16(&format!("\u{feff}{wrk}"))).unwrap();
    assert_eq!(read.caveats[0], "was read as UTF-16");
    let read = reported_bytes("file", &utf16(&format!("\u{feff}\u{1b}[1m{wrk}\u{1b}[0m"))).unwrap();
    assert_eq!(
        read.caveats[0],
        "was read as UTF-16, and without colours of a terminal"
    );
}

#[test]
fn a_byte_that_is_not_utf8_is_no_obstacle() {
    let wrk = of_fixture(WRK);
    let expected = reported_bytes("file", wrk.as_bytes()).unwrap();
    let mut bytes = b"Dur\xe9e du test\n".to_vec();
    bytes.extend_from_slice(wrk.as_bytes());
    same_figures(Path::new(WRK), "in Latin-1", &expected, &bytes);
    let read = reported_bytes("file", &bytes).unwrap();
    assert_eq!(read.caveats[0], "was read without bytes that are not UTF-8");
    // In the part that does not decide the format.
    let mut late = GO.to_owned().into_bytes();
    late.extend(b"other text\n".repeat(10_000));
    late.extend_from_slice(b"caf\xe9\n");
    let read = reported_bytes("file", &late).unwrap();
    assert_eq!(read.caveats[0], "was read without bytes that are not UTF-8");
}

#[cfg(unix)]
#[test]
fn a_file_name_that_is_not_utf8_is_opened() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join(OsStr::from_bytes(b"a\xff\n.txt"));
    fs::write(&file, GO).unwrap();
    assert!(tenbin_report::formats::read_reported(&file).is_ok());
    fs::write(&file, "nothing\n").unwrap();
    let said = tenbin_report::formats::read_reported(&file)
        .unwrap_err()
        .to_string();
    assert!(said.contains("\\u{a}") && !said.contains('\n'), "{said}");
}
