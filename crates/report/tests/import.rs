//! Reads results recorded from warp 1.4.0 on MinIO and computes the figures again. The expected
//! figures come from a separate calculation over the same files.

#![allow(
    clippy::too_many_lines,
    reason = "a test tells one story, or has a table of cases"
)]

use std::fmt::Write as _;
use std::time::Duration;

use tenbin_report::formats::fronts::warp::{analyze, analyze_json, cmp};
use tenbin_report::formats::{Selection, merge, read_requests as import};
use tenbin_verdict::lint::{Measurement, Range, Reported, Said};

fn file(name: &str) -> String {
    format!("{}/tests/fixtures/warp/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn read(name: &str) -> Reported {
    read_with(name, &Selection::default())
}

fn read_with(name: &str, selection: &Selection) -> Reported {
    import(&file(name), selection).unwrap_or_else(|error| panic!("{error}"))
}

/// Writes `text` to a file and reads the file.
fn read_text(name: &str, text: &[u8]) -> Result<Reported, String> {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).expect("written");
    let path = path.to_str().expect("a path in UTF-8");
    import(path, &Selection::default()).map_err(|error| error.to_string())
}

#[track_caller]
fn expect_near(found: Option<f64>, expected: f64, share: f64) {
    let found = found.expect("a figure");
    assert!(
        (found - expected).abs() <= share * expected.abs(),
        "{found} is not {expected}"
    );
}

fn exactly(range: Range) -> Option<f64> {
    (range.from == range.to).then_some(range.from * 1e9)
}

/// An exact percentile, nanoseconds.
fn percentile(of: &Measurement, quantile: f64) -> Option<f64> {
    exactly(of.percentile(quantile)?.time)
}

/// An exact figure, nanoseconds.
fn exact(said: &Option<Said<Range>>) -> Option<f64> {
    exactly(said.as_ref()?.value)
}

fn connections(of: &Measurement) -> Option<u64> {
    of.connections.as_ref().map(|said| said.value)
}

/// Objects per second of each second.
fn seconds(of: &Measurement) -> Vec<f64> {
    let listed = of.listed.as_ref().expect("a list");
    listed
        .segments(1)
        .iter()
        .map(|second| second.objects)
        .collect()
}

/// Relative precision of a histogram with three significant digits.
const DIGITS: f64 = 0.001;

#[test]
fn a_list_of_requests_gives_true_figures() {
    let imported = read("warp-put-full-cut.csv.zst");
    assert!(
        imported
            .command_line
            .as_deref()
            .is_some_and(|line| line.starts_with("warp put ") && line.ends_with("--full=true"))
    );
    let [put] = imported.measurements.as_slice() else {
        panic!("{imported:?}");
    };
    assert_eq!(
        (put.operation.as_str(), put.ok(), put.known_failed()),
        ("PUT", Some(5000), Some(0))
    );
    assert_eq!(put.bytes, Some(327_680_000));
    assert_eq!(connections(put), Some(8));
    expect_near(put.elapsed(), 5.125_496_453, 1e-9);
    expect_near(put.objects_per_second(), 975.515_259_028_899_3, 1e-9);
    expect_near(
        put.bytes_per_second(),
        60.969_703_689_306_21 * 1_048_576.0,
        1e-9,
    );
    for (quantile, nanoseconds) in [
        (0.5, 7_563_877.0),
        (0.9, 12_812_345.0),
        (0.99, 19_645_326.0),
    ] {
        expect_near(percentile(put, quantile), nanoseconds, DIGITS);
    }
    expect_near(exact(&put.min), 1_510_635.0, DIGITS);
    expect_near(exact(&put.mean), 8_184_030.892_6, DIGITS);
    expect_near(exact(&put.max), 33_282_005.0, DIGITS);
    assert_eq!(seconds(put), EXPECTED_SECONDS);
    let pairs = put.listed.as_ref().unwrap().segments(2);
    assert_eq!(pairs.len(), 2);
    assert_eq!(
        pairs[0].objects,
        (EXPECTED_SECONDS[0] + EXPECTED_SECONDS[1]) / 2.0
    );
}

const EXPECTED_SECONDS: [f64; 4] = [916.0, 923.0, 1011.0, 1028.0];

#[test]
fn preparation_and_run_stay_apart_and_the_first_byte_is_timed() {
    let imported = read("warp-get-full-cut.csv.zst");
    let put = imported.measurement("PUT").expect("PUT");
    let get = imported.measurement("GET").expect("GET");
    assert_eq!((put.ok(), get.ok()), (Some(104), Some(3896)));
    expect_near(put.objects_per_second(), 995.849_490_831_730_8, 1e-9);
    expect_near(get.objects_per_second(), 4_721.723_355_532_648, 1e-9);
    expect_near(percentile(get, 0.99), 6_249_450.0, DIGITS);
    let first_byte = |of: &Measurement| of.listed.as_ref()?.first_byte.clone();
    let of_get = first_byte(get).expect("first bytes");
    expect_near(
        Some(of_get.value_at_quantile(0.5) as f64),
        1_376_955.0,
        DIGITS,
    );
    assert!(first_byte(put).is_none());
    // A run shorter than a second contains no whole second.
    assert!(seconds(get).is_empty());
}

/// Lists of warp 1.6.1 have another column, `last_byte`, before `end`. The figures stay the same.
#[test]
fn a_list_with_the_columns_of_warp_1_6_1_is_read() {
    const NAME: &str = "warp-get-full-cut.csv.zst";
    let packed = std::fs::read(file(NAME)).expect("the fixture");
    let text = zstd::decode_all(packed.as_slice()).expect("zstd");
    let text = String::from_utf8(text).expect("UTF-8");
    let mut with_last_byte = String::new();
    for (number, line) in text.lines().enumerate() {
        let mut row: Vec<&str> = line.split('\t').collect();
        if let Some(end) = row.get(11).copied() {
            row.insert(11, if number == 0 { "last_byte" } else { end });
        }
        let _ = writeln!(with_last_byte, "{}", row.join("\t"));
    }
    assert!(with_last_byte.contains("first_byte\tlast_byte\tend"));
    let packed = zstd::encode_all(with_last_byte.as_bytes(), 3).expect("zstd");
    let (old, new) = (read(NAME), read_text("last-byte.csv.zst", &packed));
    let (old, new) = (old, new.expect("a list"));
    assert!(!old.measurements.is_empty());
    assert_eq!(
        format!("{:?}", new.measurements),
        format!("{:?}", old.measurements)
    );
}

#[test]
fn a_part_of_the_requests_can_be_picked() {
    let pick = |selection: Selection| read_with("warp-get-full-cut.csv.zst", &selection);
    let get = pick(Selection {
        operation: Some("GET".to_owned()),
        offset: 96,
        limit: Some(100),
        ..Selection::default()
    });
    assert_eq!(get.measurements.len(), 1);
    assert_eq!(get.measurements[0].ok(), Some(100));
    let host = |name: &str| Selection {
        host: Some(name.to_owned()),
        ..Selection::default()
    };
    assert_eq!(pick(host("127.0.0.1:9300")).measurements.len(), 2);
    let nobody = import(&file("warp-put-full-cut.csv.zst"), &host("elsewhere:1"));
    assert!(
        nobody
            .expect_err("nothing")
            .to_string()
            .ends_with("has no request that was asked for")
    );
    let late = read_with(
        "warp-put-full-cut.csv.zst",
        &Selection {
            skip: Duration::from_secs(3),
            ..Selection::default()
        },
    );
    assert!(
        late.measurements[0].ok() < Some(2600),
        "{:?}",
        late.measurements[0].ok()
    );
    expect_near(late.measurements[0].elapsed(), 2.125, 0.01);
    let sums = import(&file("warp-put.json.zst"), &host("127.0.0.1:9300"));
    assert!(
        sums.expect_err("sums")
            .to_string()
            .contains("holds sums only")
    );
}

#[test]
fn failures_are_never_throughput() {
    let head = "idx\tthread\top\tclient_id\tn_objects\tbytes\tendpoint\tfile\terror\tstart\tfirst_byte\tend\tduration_ns\n";
    let mut text = head.to_owned();
    for at in 0..10 {
        let error = if at % 2 == 0 {
            "503 \u{1b}[31mSlowDown"
        } else {
            ""
        };
        let _ = writeln!(
            text,
            "{at}\t0\tGET\tc\t1\t1000\thttp://h\tf\t{error}\t2026-01-01T00:00:0{at}Z\t\t2026-01-01T00:00:0{at}.5Z\t500000000"
        );
    }
    let imported = read_text("failures.csv", text.as_bytes()).expect("read");
    let get = &imported.measurements[0];
    assert_eq!(
        (get.ok(), get.known_failed(), get.bytes),
        (Some(5), Some(5), Some(5000))
    );
    expect_near(get.objects_per_second(), 5.0 / 9.5, 1e-12);
    assert_eq!(get.samples, Some(5));
    let shown = analyze(&imported, 1);
    assert!(
        shown.contains("* Errors: 5\n  - 5 x 503 \\u{1b}[31mSlowDown\n"),
        "{shown}"
    );
}

/// A listing of 1,000 objects in 10 ms, one after the other.
fn listing() -> String {
    let mut text = "idx\tthread\top\tn_objects\tbytes\tendpoint\terror\tstart\tend\n".to_owned();
    for at in 0..500_u32 {
        let at_ms = |ms: u32| format!("2026-01-01T00:00:0{}.{:03}Z", ms / 1000, ms % 1000);
        let (start, end) = (at_ms(at * 10), at_ms(at * 10 + 9));
        let _ = writeln!(text, "{at}\t0\tLIST\t1000\t0\thttp://h\t\t{start}\t{end}");
    }
    text
}

#[test]
fn objects_per_second_are_the_throughput_everywhere() {
    let text = "Report: LIST. Concurrency: 1. Ran: 5s\n * Average: 100020.00 obj/s\n * Reqs: Avg: 9.0ms, \
                50%: 9.0ms, 90%: 9.0ms, 99%: 9.0ms, Fastest: 9.0ms, Slowest: 9.0ms, StdDev: 0.0ms\n";
    let files = [("listing.csv", listing()), ("listing.txt", text.to_owned())];
    let all = files.map(|(name, text)| {
        let mut read = read_text(name, text.as_bytes()).expect(name);
        read.files = vec![name.to_owned()];
        read
    });
    for read in &all {
        let of = &read.measurements[0];
        assert_eq!(of.unit(), "obj/s");
        expect_near(of.objects_per_second(), 500_000.0 / 4.999, 1e-4);
        assert!(
            analyze(read, 1).contains(" obj/s\n"),
            "{}",
            analyze(read, 1)
        );
        let document = tenbin_verdict::lint::document(&[("a".to_owned(), read.clone())]);
        let throughput = document.results[0].throughput.map(|figure| figure.value);
        expect_near(throughput, 500_000.0 / 4.999, 1e-4);
        let evidence: Vec<&str> = document
            .findings
            .iter()
            .map(|it| it.evidence.as_str())
            .collect();
        assert!(
            evidence.contains(&"LIST: the throughput counts obj/s, not requests"),
            "{evidence:?}"
        );
        // Objects per second and the time of a request for 1,000 of them say nothing about Little's law.
        let found = tenbin_verdict::lint::lint(&tenbin_verdict::lint::Files {
            all: std::slice::from_ref(read),
            changed: &[],
        });
        assert!(found.iter().all(|it| it.rule != "little"), "{found:?}");
    }
    assert!(
        cmp(&all[0], &all[1], &[]).contains("obj/s (-0.0 %)")
            || cmp(&all[0], &all[1], &[]).contains("obj/s (+0.0 %)")
    );
    let [before, after] =
        files_of_comparison(&[("listing.csv", &listing()), ("listing.txt", text)]);
    let earlier = tenbin_report::against(&before, &after, &[]).expect("a comparison");
    let [change] = earlier.changes.as_slice() else {
        panic!("{earlier:?}");
    };
    assert_eq!(change.unit.as_deref(), Some("obj/s"));
    expect_near(change.ratio.map(|figure| figure.value), 1.0, 1e-4);
    // A tool that counts requests has another unit.
    let hsbench = "Loop: 0, Int: TOTAL, Dur(s): 5.0, Mode: LIST, Ops: 500, MB/s: 0.00, IO/s: 100, Lat(ms): \
                   [ min: 9.0, avg: 9.0, 99%: 9.0, max: 9.0 ], Slowdowns: 0\n";
    let [before, after] = files_of_comparison(&[("listing.txt", text), ("hsbench.txt", hsbench)]);
    let refused = tenbin_report::against(&before, &after, &[])
        .expect_err("no ratio")
        .to_string();
    assert!(
        refused.contains("LIST: its throughput is in obj/s before and in req/s after"),
        "{refused}"
    );
}

fn files_of_comparison(files: &[(&str, &str); 2]) -> [tenbin_report::Results; 2] {
    files.map(|(name, text)| tenbin_report::Results::of_file(name, text.as_bytes()).expect(name))
}

#[test]
fn sums_give_what_follows_from_them_and_no_more() {
    let imported = read("warp-put.json.zst");
    let put = imported.measurement("PUT").expect("PUT");
    expect_near(put.objects_per_second(), 6804.0 / 6.001_538_677, 1e-9);
    // With one window, its percentiles are those of the run.
    expect_near(percentile(put, 0.99), 17_756_046.0, 1e-9);
    // warp labels the segments 11:05 to 11:07, two seconds too early.
    let known = put.listed.as_ref().unwrap().known_seconds;
    assert_eq!(known, Some((1_795_176_667, 1_795_176_670)));
    assert_eq!(seconds(put), [1095.35, 1243.84, 1241.92]);
    assert!(imported.caveats.is_empty());

    let mixed = read("warp-mixed.json.zst");
    let names: Vec<String> = mixed.measurements.iter().map(Measurement::name).collect();
    assert_eq!(names, ["DELETE", "GET", "PUT", "STAT"]);
    let stat = mixed.measurement("STAT").expect("STAT");
    assert_eq!(stat.bytes_per_second(), None);
    expect_near(stat.objects_per_second(), 3161.0 / 6.001_503_180, 1e-9);

    // Two windows have a p99 of 4.2 ms and 87 ms; warp prints 45.7 ms.
    let little = read("warp-get-1k.json.zst");
    let get = little.measurement("GET").expect("GET");
    let p99 = get.percentile(0.99).unwrap().time;
    assert_eq!((p99.from, p99.to), (0.004_185_666, 0.087_122_339));
    expect_near(exact(&get.max), 119_881_364.0, 1e-9);
    expect_near(
        exact(&get.mean),
        (1.17977 * 65017.0 + 3.122_864 * 1034.0) / 66051.0 * 1e6,
        1e-9,
    );
    assert_eq!(little.caveats.len(), 1, "{:?}", little.caveats);
}

#[test]
fn sums_with_failures_are_told_as_far_as_they_are_certain() {
    let text = r#"{"v":2,"by_op_type":{"GET":{"total_requests":30,"total_objects":30,
        "total_errors":10,"total_bytes":3000,"start_time":"2026-01-01T00:00:00Z",
        "end_time":"2026-01-01T00:00:10Z","first_errors":["503"]}}}"#;
    let imported = read_text("failures.json", text.as_bytes()).expect("read");
    let get = &imported.measurements[0];
    assert_eq!((get.ok(), get.known_failed()), (Some(20), Some(10)));
    expect_near(get.objects_per_second(), 2.0, 1e-12);
    assert_eq!(get.bytes_per_second(), None);
    assert_eq!(get.percentile(0.5), None);
    assert_eq!(imported.caveats.len(), 1);
}

#[test]
fn different_work_and_results_that_cannot_be_trusted_are_said_in_the_last_line() {
    let last = |text: &str| text.lines().last().unwrap_or_default().to_owned();
    let before = read("warp-put.json.zst");
    let mut after = before.clone();
    let changed = &mut after.measurements[0];
    changed.connections.as_mut().unwrap().value = 7;
    changed.bytes = changed.bytes.map(|bytes| bytes / 4);
    let text = cmp(&before, &after, &[]);
    assert!(text.contains("* DIFFERENT WORK: concurrency "), "{text}");
    assert!(
        text.contains("* DIFFERENT WORK: mean object size "),
        "{text}"
    );
    assert!(last(&text).contains("the two did different work"), "{text}");
    let text = cmp(&before, &before, &["runs/bad".to_owned()]);
    assert!(
        last(&text).starts_with("Verdict: INVALID: runs/bad"),
        "{text}"
    );
}

#[test]
fn a_result_is_the_same_as_itself() {
    for name in [
        "warp-put-full-cut.csv.zst", "warp-put.json.zst", "warp-mixed.json.zst",
        "warp-get-1k.json.zst",
    ] {
        let text = cmp(&read(name), &read(name), &[]);
        assert!(text.contains("cannot tell: one run each"), "{text}");
        let changes: Vec<&str> = text.matches(" %)").collect();
        assert!(!changes.is_empty(), "{text}");
        assert_eq!(text.matches("(+0.0 %)").count(), changes.len(), "{text}");
        assert_eq!(
            text.matches(" -> 0\n").count(),
            read(name).measurements.len(),
            "{text}"
        );
    }
}

#[test]
fn results_merge_into_the_figures_of_all_requests() {
    let merged = merge([
        read("warp-put-full-cut.csv.zst"),
        read("warp-put-full-cut.csv.zst"),
    ])
    .expect("measured at the same time");
    let put = merged.measurement("PUT").expect("PUT");
    assert_eq!((put.ok(), connections(put)), (Some(10_000), Some(16)));
    expect_near(put.objects_per_second(), 2.0 * 975.515_259_028_899_3, 1e-9);
    expect_near(percentile(put, 0.99), 19_645_326.0, DIGITS);
}

/// Throughputs of consecutive runs cannot be added.
#[test]
fn results_of_different_times_are_not_merged() {
    let apart = [read("warp-put-full-cut.csv.zst"), read("warp-put.json.zst")];
    let refusal = merge(apart).unwrap_err();
    for part in [
        "did not run PUT at the same time",
        "warp-put-full-cut.csv.zst from 20",
        "with cmp",
    ] {
        assert!(refusal.contains(part), "{refusal}");
    }

    let shifted = |seconds: i64| {
        let mut result = read("warp-put-full-cut.csv.zst");
        for of in &mut result.measurements {
            let (start, end) = of.listed.as_mut().unwrap().span.as_mut().unwrap();
            *start += seconds * 1_000_000_000;
            *end += seconds * 1_000_000_000;
        }
        result
    };
    // Runs of 5.1 s, started by hand one second apart.
    let together = merge([shifted(0), shifted(1)]).unwrap();
    let rate = together.measurement("PUT").unwrap().objects_per_second();
    expect_near(rate, 10_000.0 / 6.125_496_453, 1e-9);
    assert!(merge([shifted(0), shifted(1), shifted(4)]).is_err());

    let mut nobody_knows = shifted(0);
    nobody_knows.measurements[0].listed.as_mut().unwrap().span = None;
    let refusal = merge([shifted(0), nobody_knows]).unwrap_err();
    assert!(refusal.contains("at an unknown time"), "{refusal}");
}

#[test]
fn what_is_shown_of_a_file() {
    let mut imported = read("warp-put-full-cut.csv.zst");
    imported.files = vec!["warp-put-full-cut.csv.zst".to_owned()];
    insta::assert_snapshot!(analyze(&imported, 1));
    let mut little = read("warp-get-1k.json.zst");
    little.files = vec!["warp-get-1k.json.zst".to_owned()];
    insta::assert_snapshot!(analyze(&little, 1));
    let document: serde_json::Value =
        serde_json::from_slice(&analyze_json(&[little])).expect("JSON");
    assert_eq!(document[0]["operations"][0]["p99"]["from"], 0.004_185_666);
}

#[test]
fn garbled_files_give_one_sentence_with_the_place() {
    let head = "idx\tthread\top\tn_objects\tbytes\tendpoint\terror\tstart\tend\n";
    let row = |fields: &str| format!("{head}0\t0\tPUT\t{fields}\n");
    let good = "1\t1\th\t\t2026-01-01T00:00:00Z\t2026-01-01T00:00:01Z";
    assert!(read_text("good.csv", row(good).as_bytes()).is_ok());
    let gibberish: Vec<u8> = (0..=255).cycle().take(4096).collect();
    let packed = zstd::encode_all(row(good).as_bytes(), 1).expect("packed");
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        ("empty.csv", Vec::new(), ": is empty"),
        (
            "gibberish.csv",
            gibberish,
            ": is none of the results that can be read",
        ),
        (
            "columns.csv",
            b"idx\tthread\n".to_vec(),
            ":1: has no column \"op\"",
        ),
        (
            "nothing.csv",
            head.as_bytes().to_vec(),
            ": has no request that was asked for",
        ),
        (
            "fields.csv",
            row("1\t1\th").into_bytes(),
            ":2: has 6 fields, not 9 as the first line",
        ),
        (
            "time.csv",
            row(&good.replace("00Z", "XXZ")).into_bytes(),
            ":2: \"2026-01-01T00:00:XXZ\" is not a timestamp",
        ),
        (
            "bytes.csv",
            row(&good.replacen("1\t1", "1\t-5", 1)).into_bytes(),
            ":2: \"-5\" is not a number of bytes",
        ),
        (
            "back.csv",
            row(&good.replace(":01Z", ":01+01:00")).into_bytes(),
            ":2: the request ends before",
        ),
        (
            "huge.csv",
            [row(good).as_bytes(), &vec![b'x'; 100_000]].concat(),
            ":3: is longer than",
        ),
        (
            "cut.csv.zst",
            packed[..packed.len() - 6].to_vec(),
            "it may be cut off",
        ),
        (
            "old.json",
            b"{\"v\": 1}".to_vec(),
            ": has version 1 of warp's sums, and version 2 is read",
        ),
        (
            "none.json",
            b"{\"v\": 2}".to_vec(),
            ": has no sums of an operation",
        ),
        (
            "open.json",
            b"{\"v\": 2,\n\"by_op_type\": {".to_vec(),
            ":2: is not what warp writes: EOF",
        ),
        (
            "type.json",
            b"{\"v\": 2,\n\"by_op_type\": 3}".to_vec(),
            ":2: is not what warp writes: invalid type",
        ),
    ];
    for (name, text, wanted) in cases {
        let said = read_text(name, &text).expect_err(name);
        assert!(said.contains(wanted), "{name}: {said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
    let gone = import("no-such-file.csv.zst", &Selection::default()).expect_err("gone");
    assert!(
        gone.to_string()
            .starts_with("no-such-file.csv.zst: cannot be opened"),
        "{gone}"
    );
}

/// A randomly damaged file must be read or refused, without a panic.
#[test]
fn damage_makes_nothing_panic() {
    let csv = std::fs::read(file("warp-get-full-cut.csv.zst")).expect("a file");
    let csv = zstd::decode_all(csv.as_slice()).expect("unpacked");
    let json = std::fs::read(file("warp-put.json.zst")).expect("a file");
    let json = zstd::decode_all(json.as_slice()).expect("unpacked");
    // A small random number generator, so that a failure can be reproduced.
    let mut state = 7_u64;
    let mut draw = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from(state >> 33).expect("small") % below
    };
    let pieces: [&[u8]; 7] = [b"-", b"9999999999", b"\t", b"\"", b"\n", b"\xff", b""];
    let mut refused = 0;
    for round in 0..400 {
        let whole: &[u8] = if round % 2 == 0 {
            &csv[..20_000]
        } else {
            &json
        };
        let (at, piece) = (draw(whole.len()), pieces[draw(pieces.len())]);
        let rest = &whole[(at + draw(12)).min(whole.len())..];
        let damaged = [&whole[..at], piece, rest].concat();
        match read_text("damaged", &damaged) {
            Ok(imported) => {
                let twice = merge([imported.clone(), imported]);
                assert!(twice.is_err() || !analyze(&twice.unwrap(), 1).is_empty());
            }
            Err(said) => {
                refused += 1;
                assert_eq!(said.lines().count(), 1, "{said}");
            }
        }
    }
    assert!(refused > 50, "{refused}");
}
