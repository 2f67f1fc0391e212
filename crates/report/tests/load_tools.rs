//! Reads the results of load generators for services and stores, and checks the figures and the
//! refusal of files that are cut off.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use std::fs;

use tenbin_report::formats::{read_reported, reported_bytes};
use tenbin_report::{Results, against};
use tenbin_result::Severity;
use tenbin_verdict::lint::{Files, Measurement, Range, Reported, lint};

/// The figures of one measurement, as the file has them.
struct Row {
    file: &'static str,
    operation: &'static str,
    /// Requests that the rate counts.
    ended: Option<u64>,
    failed: u64,
    rate: Option<f64>,
    mean: Option<f64>,
    p50: Option<f64>,
    p99: Option<f64>,
}

const fn row(
    file: &'static str,
    operation: &'static str,
    (ended, failed): (Option<u64>, u64),
    rate: Option<f64>,
    [mean, p50, p99]: [Option<f64>; 3],
) -> Row {
    Row {
        file,
        operation,
        ended,
        failed,
        rate,
        mean,
        p50,
        p99,
    }
}

/// Every measurement of every fixture.
const ROWS: &[Row] = &[
    row(
        "written/locust_stats.csv",
        "GET /",
        (Some(1_200), 4),
        Some(40.002_133_447_116_52),
        [Some(0.013_408_333), Some(0.012), Some(0.06)],
    ),
    row(
        "written/locust_stats.csv",
        "GET /never",
        (Some(0), 0),
        Some(0.0),
        [None, None, None],
    ),
    row(
        "written/locust_stats.csv",
        "POST /items, \"new\"",
        (Some(300), 0),
        Some(10.000_533_361_779_13),
        [Some(0.131_25), Some(0.12), Some(0.31)],
    ),
    row(
        "recorded/locust_stats.csv",
        "GET /",
        (Some(691), 0),
        Some(68.667_600_647_331),
        [Some(0.015_981_913), Some(0.015), Some(0.047)],
    ),
    row(
        "recorded/locust_stats.csv",
        "GET /missing, \"gone\"",
        (Some(246), 82),
        Some(24.446_063_327_414_51),
        [Some(0.016_282_588), Some(0.015), Some(0.056)],
    ),
    row(
        "recorded/locust_stats_history.csv",
        "GET /",
        (Some(691), 0),
        None,
        [Some(0.015_981_913), Some(0.015), None],
    ),
    row(
        "recorded/locust_stats_history.csv",
        "GET /missing, \"gone\"",
        (Some(246), 82),
        None,
        [Some(0.016_282_588), Some(0.015), None],
    ),
    row(
        "written/locust_stats_history.csv",
        "GET /",
        (Some(1_960), 0),
        None,
        [Some(0.003_5), Some(0.003), None],
    ),
    row(
        "written/locust_stats_history.csv",
        "GET /missing",
        (Some(380), 380),
        None,
        [Some(0.002_5), Some(0.002), None],
    ),
    row(
        "written/gatling.txt",
        "requests",
        (Some(9_924), 5_000),
        Some(26.894),
        [Some(0.138), Some(0.133), Some(0.509)],
    ),
    row(
        "written/gatling-table.txt",
        "requests",
        (Some(92_578), 2),
        Some(1_462.87),
        [Some(0.101), Some(0.099), Some(1.021)],
    ),
    row(
        "recorded/gatling-3.9.txt",
        "requests",
        (Some(2_667), 533),
        Some(381.0),
        [Some(0.001), Some(0.001), Some(0.004)],
    ),
    row(
        "recorded/gatling-3.14.txt",
        "requests",
        (Some(2_667), 533),
        Some(381.0),
        [Some(0.001), Some(0.001), Some(0.006)],
    ),
    row(
        "recorded/gatling-global-stats.json",
        "All Requests",
        (Some(2_667), 533),
        Some(381.0),
        [Some(0.001), Some(0.001), Some(0.004)],
    ),
    row(
        "recorded/gatling-stats.json",
        "basket / add",
        (Some(1_067), 533),
        Some(152.428_571_428_571_42),
        [Some(0.001), Some(0.001), Some(0.005)],
    ),
    row(
        "recorded/gatling-stats.json",
        "page",
        (Some(1_600), 0),
        Some(228.571_428_571_428_57),
        [Some(0.001), Some(0.001), Some(0.004)],
    ),
    row(
        "written/gatling-stats.json",
        "cart / add",
        (Some(470), 30),
        Some(15.666_666_666_666_666),
        [Some(0.057), Some(0.039), Some(0.401)],
    ),
    row(
        "written/gatling-stats.json",
        "home",
        (Some(1_000), 0),
        Some(33.333_333_333_333_336),
        [Some(0.019), Some(0.017), Some(0.066)],
    ),
    row(
        "written/rally.csv",
        "index-append",
        (None, 0),
        Some(40_125.07),
        [None, Some(0.181_504_19), None],
    ),
    row(
        "written/rally.csv",
        "term, cached",
        (None, 0),
        Some(50.18),
        [None, Some(0.006_121_433), Some(0.007_611_082)],
    ),
    row(
        "written/rally.md",
        "index-append",
        (None, 0),
        Some(40_125.1),
        [None, Some(0.181_504), None],
    ),
    row(
        "written/rally.md",
        "term",
        (None, 0),
        Some(50.18),
        [None, Some(0.006_121_43), Some(0.007_611_08)],
    ),
    row(
        "written/race.json",
        "index-append",
        (None, 0),
        Some(40_125.07),
        [Some(0.190_25), Some(0.181_5), None],
    ),
    row(
        "written/race.json",
        "term",
        (None, 0),
        Some(50.18),
        [Some(0.006_25), Some(0.006_125), Some(0.007_625)],
    ),
    row(
        "written/elbencho.csv",
        "MKDIRS",
        (Some(16), 0),
        Some(7_804.5),
        [Some(812.5e-6), None, None],
    ),
    row(
        "written/elbencho.csv",
        "WRITE",
        (Some(1_600), 0),
        Some(1_333.5),
        [Some(11_210.5e-6), None, None],
    ),
    row(
        "written/elbencho.csv",
        "READ, path type dir",
        (Some(1_600), 0),
        Some(7_578.5),
        [Some(2_041.5e-6), None, None],
    ),
    row(
        "written/elbencho.csv",
        "READ, path type file",
        (None, 0),
        Some(120_412.5),
        [Some(530.5e-6), None, None],
    ),
    row(
        "written/elbencho.json",
        "WRITE",
        (Some(1_600), 0),
        Some(1_333.5),
        [Some(11_210.5e-6), None, None],
    ),
    row(
        "written/elbencho.json",
        "READ",
        (Some(1_600), 0),
        Some(7_578.5),
        [Some(2_041.5e-6), None, None],
    ),
    row(
        "written/wrk-lua.txt",
        "requests",
        (Some(210_433), 0),
        Some(7_005.1),
        [Some(0.001_12), Some(0.001_01), Some(0.003_1)],
    ),
];

fn path(name: &str) -> String {
    format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn bytes(name: &str) -> Vec<u8> {
    fs::read(path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn said(name: &str) -> Reported {
    read_reported(&path(name)).unwrap_or_else(|error| panic!("{error}"))
}

#[track_caller]
fn near(name: &str, found: Option<Range>, expected: Option<f64>) {
    let (found, expected) = (found.map(Range::middle), expected);
    let is_near = match (found, expected) {
        (Some(found), Some(expected)) => (found - expected).abs() <= 1e-6 * expected.abs(),
        (found, expected) => found == expected,
    };
    assert!(is_near, "{name}: {found:?} is not {expected:?}");
}

#[test]
fn the_files_have_the_figures_that_they_show() {
    let mut files: Vec<&str> = ROWS.iter().map(|row| row.file).collect();
    files.dedup();
    for file in files {
        let reported = said(file);
        let names: Vec<&str> = reported
            .measurements
            .iter()
            .map(|of| of.operation.as_str())
            .collect();
        let rows: Vec<&Row> = ROWS.iter().filter(|row| row.file == file).collect();
        let expected: Vec<&str> = rows.iter().map(|row| row.operation).collect();
        assert_eq!(names, expected, "{file}");
        for (row, of) in rows.iter().zip(&reported.measurements) {
            let name = format!("{file}, {}", row.operation);
            let ended = of.ended.as_ref().map(|said| said.value);
            assert_eq!((ended, of.failed()), (row.ended, row.failed), "{name}");
            near(&name, of.rate.as_ref().map(|said| said.value), row.rate);
            near(&name, of.mean.as_ref().map(|said| said.value), row.mean);
            let at = |quantile| of.percentile(quantile).map(|each| each.time);
            near(&name, at(0.5), row.p50);
            near(&name, at(0.99), row.p99);
        }
    }
}

/// The figures that a cut file must not change.
fn figures(of: &Measurement) -> Vec<String> {
    let range = |name: &str, range: Option<Range>| range.map(|range| format!("{name} {range:?}"));
    let value = |said: &Option<tenbin_verdict::lint::Said<Range>>| said.as_ref().map(|it| it.value);
    let mut all = vec![
        of.ended.as_ref().map(|said| format!("{}", said.value)),
        of.bytes.map(|bytes| format!("{bytes} bytes")),
        range("rate", value(&of.rate)),
        range("seconds", value(&of.seconds)),
        range("min", value(&of.min)),
        range("mean", value(&of.mean)),
        range("max", value(&of.max)),
    ];
    for each in &of.percentiles {
        all.push(range(&each.quantile.to_string(), Some(each.time)));
    }
    all.into_iter().flatten().collect()
}

#[test]
fn a_prefix_of_a_file_is_refused_or_gives_no_other_figure() {
    let mut files: Vec<&str> = ROWS.iter().map(|row| row.file).collect();
    files.dedup();
    // Every beginning of a history is the history of a shorter test.
    files.retain(|file| !file.contains("history"));
    files.extend(["written/go-test.json", "recorded/go-test.json"]);
    for file in files {
        let (whole, content) = (said(file), bytes(file));
        let known: Vec<String> = whole.measurements.iter().flat_map(figures).collect();
        let mut refused = 0;
        for part in 1..40 {
            let at = content.len() * part / 40;
            match reported_bytes(file, &content[..at]) {
                Err(error) => {
                    refused += 1;
                    assert_eq!(error.to_string().lines().count(), 1, "{error}");
                }
                Ok(read) => {
                    for figure in read.measurements.iter().flat_map(figures) {
                        assert!(known.contains(&figure), "{file} cut at {at}: {figure}");
                    }
                }
            }
        }
        assert!(refused > 20, "{file}: {refused}");
    }
}

#[test]
fn a_beginning_of_a_history_has_fewer_requests() {
    let file = "written/locust_stats_history.csv";
    let content = bytes(file);
    let sum = |reported: &Reported| -> u64 {
        let all = reported.measurements.iter();
        all.map(|of| of.ended.as_ref().unwrap().value).sum()
    };
    let whole = sum(&said(file));
    assert_eq!(whole, 2_340);
    let mut read = 0;
    for at in 1..content.len() {
        if let Ok(part) = reported_bytes(file, &content[..at]) {
            read += 1;
            assert!(sum(&part) <= whole, "cut at {at}");
            assert!(content[at - 1] == b'\n', "cut in a row at {at}");
        }
    }
    assert_eq!(read, 4, "after each row of the sum but the last");
}

#[test]
fn the_history_of_locust_knows_the_users_and_the_length() {
    let reported = said("written/locust_stats_history.csv");
    let of = &reported.measurements[0];
    assert_eq!(of.connections.as_ref().unwrap().value, 8);
    let seconds = of.seconds.as_ref().unwrap().value;
    assert_eq!((seconds.from, seconds.to), (0.0, 4.0));
    assert!(reported.caveats[0].contains("last ten seconds"));
}

#[test]
fn totals_that_contradict_each_other_are_refused() {
    for (file, from, to, why) in [
        (
            "written/locust_stats.csv",
            ",Aggregated,1500",
            ",Aggregated,1510",
            "1510 requests in all, and 1500 by name",
        ),
        (
            "written/gatling.txt",
            "OK=9924   KO=5000  )\n> min",
            "OK=9924   KO=5001  )\n> min",
            "14,924 requests, of which 9,924 are OK and 5,001 are KO",
        ),
        (
            "written/gatling-table.txt",
            "1,462.9",
            "2,462.9",
            "requests per second, of which",
        ),
        (
            "written/gatling-stats.json",
            "\"total\": 1500, \"ok\": 1470",
            "\"total\": 1501, \"ok\": 1471",
            "1,501 requests in all, and 1,500 by name",
        ),
        (
            "written/rally.csv",
            "Mean Throughput,index-append,40125.07",
            "Mean Throughput,index-append,90125.07",
            "is not between the least and the most",
        ),
        (
            "written/rally.csv",
            "error rate,index-append,0.00,%\r\n",
            "",
            "no error rate",
        ),
        (
            "written/elbencho.csv",
            "1500,1333,1500",
            "1500,9333,1500",
            "contradicts itself: 1,600 requests",
        ),
    ] {
        let text = String::from_utf8(bytes(file)).unwrap();
        let from = if text.contains('\r') {
            from.to_owned()
        } else {
            from.replace('\r', "")
        };
        assert!(text.contains(&from), "{file}: {from}");
        let error = reported_bytes("file", text.replacen(&from, to, 1).as_bytes()).unwrap_err();
        assert!(error.to_string().contains(why), "{file}: {error}");
    }
}

#[test]
fn failures_have_the_texts_of_gatling() {
    let reported = said("written/gatling.txt");
    let of = &reported.measurements[0];
    let kinds: Vec<(u64, &str)> = of
        .failures
        .iter()
        .map(|failed| (failed.count, failed.what.as_str()))
        .collect();
    let status = "status.find.in(200,304,201,202), but actually found 503";
    let timeout = "i.g.h.c.i.RequestTimeoutException: Request timeout after 60000";
    assert_eq!(kinds, [(4_990, status), (10, timeout)]);
    assert!(of.failures.iter().all(|failed| !failed.counted));
}

#[test]
fn a_rate_of_failures_without_a_number_is_a_caveat() {
    let reported = said("written/rally.csv");
    let omits = reported.measurements.iter().map(|of| of.omits_failures);
    assert_eq!(omits.collect::<Vec<bool>>(), [false, true]);
    let said = reported.caveats.join("; ");
    assert!(said.contains("term, cached: 2.5"), "{said}");
    assert!(!said.contains("index-append: 0"), "{said}");
    assert!(
        said.contains("index-append: the throughput counts docs/s"),
        "{said}"
    );
}

#[test]
fn a_share_of_failures_is_a_finding() {
    let text = String::from_utf8(bytes("written/rally.csv")).unwrap();
    let rules = |text: &str| -> Vec<(&str, Severity)> {
        let file = reported_bytes("file", text.as_bytes()).unwrap();
        let found = lint(&Files {
            all: &[file],
            changed: &[],
        });
        found.iter().map(|it| (it.rule, it.severity)).collect()
    };
    assert_eq!(rules(&text), [("hidden_failures", Severity::Invalid)]);
    let few = text.replace(",2.50,%", ",0.05,%");
    assert_ne!(few, text);
    assert_eq!(rules(&few), [("hidden_failures", Severity::Suspect)]);
}

#[test]
fn tasks_of_one_name_are_refused() {
    let text = "Metric,Task,Value,Unit\nMean Throughput,t,2.5,ops/s\nerror rate,t,0,%\nMean \
                Throughput,t,3.5,ops/s\nerror rate,t,0,%\n";
    let error = reported_bytes("file", text.as_bytes())
        .unwrap_err()
        .to_string();
    let why = "has a second \"Mean Throughput\" of the task \"t\"";
    assert!(error.contains(":4: ") && error.contains(why), "{error}");
}

#[test]
fn throughputs_in_different_units_are_not_compared() {
    let of = |unit: &str, rate: f64| {
        let text = format!(
            "Metric,Task,Value,Unit\nMean Throughput,t,{rate},{unit}\nerror rate,t,0,%\nMean \
             Throughput,u,7,ops/s\nerror rate,u,0,%\n"
        );
        Results::of_file(unit, text.as_bytes()).unwrap()
    };
    let (docs, ops) = (of("docs/s", 40_000.0), of("ops/s", 50_000.0));
    let earlier = against(&docs, &ops, &[]).unwrap();
    let names: Vec<&str> = earlier
        .changes
        .iter()
        .map(|it| it.workload.as_str())
        .collect();
    assert_eq!(names, ["u"]);
    let said = earlier.warnings.join("; ");
    let why = "no comparison of t: its throughput is in docs/s before and in req/s after";
    assert!(said.contains(why), "{said}");
    let same = against(&docs, &of("docs/s", 44_000.0), &[]).unwrap();
    let ratio = same.changes[0].ratio.unwrap().value;
    assert!((ratio - 1.1).abs() < 1e-9 && same.changes[0].unit.as_deref() == Some("docs/s"));
}

#[test]
fn phases_of_elbencho_know_their_threads_and_bytes() {
    let csv = said("written/elbencho.csv");
    let connections: Vec<u64> = csv
        .measurements
        .iter()
        .map(|of| of.connections.as_ref().unwrap().value)
        .collect();
    assert_eq!(connections, [16, 16, 16, 2 * 8 * 4]);
    let sizes: Vec<Option<u64>> = csv.measurements.iter().map(|of| of.bytes).collect();
    assert_eq!(sizes, [None, Some(6_553_600), Some(6_553_600), None]);
    let json = said("written/elbencho.json");
    assert_eq!(json.measurements[0].bytes, Some(6_553_600));
    let twice = String::from_utf8(bytes("written/elbencho.json")).unwrap();
    let twice = reported_bytes("file", format!("{twice}{twice}").as_bytes()).unwrap();
    assert!(twice.measurements.iter().all(|of| of.is_repetition));
}

#[test]
fn the_output_of_go_test_json_is_that_of_go_test() {
    let json = said("written/go-test.json");
    let lines = String::from_utf8(bytes("written/go-test.json")).unwrap();
    let mut text = String::new();
    for line in lines.lines() {
        let event: serde_json::Value = serde_json::from_str(line).unwrap();
        text += event["Output"].as_str().unwrap_or_default();
    }
    let plain = reported_bytes("go.txt", text.as_bytes()).unwrap();
    assert_eq!(json.measurements.len(), 6);
    let rates = |reported: &Reported| -> Vec<Range> {
        let all = reported.measurements.iter();
        all.map(|of| of.rate.as_ref().unwrap().value).collect()
    };
    assert_eq!(rates(&json), rates(&plain));
    // The quote names the line of the file in which the result begins.
    let quote = &json.measurements[1].rate.as_ref().unwrap().quote;
    assert_eq!(quote.line, Some(7));
    assert!(quote.text.contains("813.5 ns/op"), "{quote:?}");
}

#[test]
fn no_request_is_no_fault() {
    let gatling = String::from_utf8(bytes("written/gatling-table.txt")).unwrap();
    let mut none = String::new();
    for line in gatling.lines() {
        match line.split_once('|').filter(|_| line.starts_with("> ")) {
            Some((name, _)) => none += &format!("{name}|  - | - | -\n"),
            None => none += &format!("{line}\n"),
        }
    }
    let locust = String::from_utf8(bytes("written/locust_stats.csv")).unwrap();
    let head = locust.lines().next().unwrap();
    let empty = ",Aggregated,0,0,0,0.0,0,0,0,0.0,0.0,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A";
    let elbencho = String::from_utf8(bytes("written/elbencho.csv")).unwrap();
    let (columns, row) = elbencho.split_once('\n').unwrap();
    let row = row.lines().next().unwrap();
    let row = row.replace(",12000,7804,", ",,,").replace(",14,16,", ",,,");
    for text in [
        none,
        format!("{head}\n{empty}\n"),
        format!("{columns}\n{row}\n"),
    ] {
        let read = reported_bytes("file", text.as_bytes());
        let read = read.unwrap_or_else(|error| panic!("{error}"));
        let of = &read.measurements[0];
        assert_eq!(of.ended.as_ref().unwrap().value, 0, "{text}");
        assert_eq!(of.failed(), 0, "{text}");
        assert!(of.speed().is_none_or(|speed| speed == 0.0), "{text}");
    }
}

/// Phases that differ in a setting are not repetitions of each other.
#[test]
fn phases_of_one_name_are_told_apart_by_their_settings() {
    let text = String::from_utf8(bytes("written/elbencho.csv")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let more = lines[2].replace("dir,1,1,16,", "dir,1,1,32,");
    let sweep = format!("{}\n{}\n{more}\n{more}\n", lines[0], lines[2]);
    let read = reported_bytes("file", sweep.as_bytes()).unwrap();
    let all = read.measurements.iter();
    let names: Vec<(&str, bool)> = all
        .map(|of| (of.operation.as_str(), of.is_repetition))
        .collect();
    let expected = [
        ("WRITE, threads 16", false),
        ("WRITE, threads 32", true),
        ("WRITE, threads 32", true),
    ];
    assert_eq!(names, expected);
}
