//! Reads recorded files of other tools and checks the figures, the refusal of damaged files, and
//! the findings about such files.

#![allow(
    clippy::too_many_lines,
    reason = "a test tells one story, or has a table of cases"
)]
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use std::collections::BTreeMap;
use std::fs;

use tenbin_report::Results;
use tenbin_report::formats::{Content, Selection, read, read_reported, reported_bytes};
use tenbin_verdict::lint::{Files, LintFinding, Measurement, Range, Reported, lint};

/// Every recorded or published file, with its tool.
const FILES: &[(&str, &str)] = &[
    ("fixtures/http/wrk-latency.txt", "wrk"),
    ("fixtures/http/wrk2-latency.txt", "wrk2"),
    ("fixtures/http/ab-close.txt", "ab"),
    ("fixtures/http/ab-keepalive.txt", "ab"),
    ("fixtures/http/oha.json", "oha"),
    ("fixtures/http/h2load.txt", "h2load"),
    ("fixtures/http/hey.txt", "hey"),
    ("fixtures/http/vegeta.txt", "vegeta"),
    ("fixtures/http/vegeta.json", "vegeta"),
    ("fixtures/recorded/vegeta-hist.txt", "vegeta"),
    ("fixtures/s3/hsbench.txt", "hsbench"),
    ("fixtures/s3/hsbench.csv", "hsbench"),
    ("fixtures/s3/hsbench.json", "hsbench"),
    ("fixtures/s3/blobstore-bench.txt", "hsbench"),
    ("published/blobstore-bench-doc.log", "hsbench"),
    ("fixtures/s3/warp-put.txt", "warp"),
    ("fixtures/s3/warp-mixed.txt", "warp"),
    ("fixtures/s3/warp-get-1k.txt", "warp"),
    ("published/droonga-tutorial.csv", "drnbench"),
    ("published/jog-before.gobench.txt", "go test -bench"),
    ("published/minio.gobench.txt", "go test -bench"),
    ("fixtures/recorded/k6-v0.txt", "k6"),
    ("fixtures/recorded/k6-v1.txt", "k6"),
    ("fixtures/recorded/k6-summary-export.json", "k6"),
    ("fixtures/recorded/k6-handle-summary.json", "k6"),
    ("fixtures/recorded/k6-machine-readable.json", "k6"),
    ("fixtures/recorded/k6-v0-summary-export.json", "k6"),
    ("fixtures/recorded/fortio.json", "fortio"),
    ("fixtures/recorded/bombardier-timed.txt", "bombardier"),
    ("fixtures/recorded/bombardier-intro.json", "bombardier"),
    ("fixtures/recorded/autocannon.json", "autocannon"),
    ("fixtures/recorded/autocannon-rate.json", "autocannon"),
    ("fixtures/recorded/artillery.json", "artillery"),
    ("fixtures/recorded/artillery-refused.json", "artillery"),
    ("fixtures/recorded/hyperfine.json", "hyperfine"),
    ("fixtures/recorded/fio-errors.json", "fio"),
    ("fixtures/recorded/pgbench.txt", "pgbench"),
    ("fixtures/recorded/pgbench-failed.txt", "pgbench"),
    ("fixtures/recorded/pgbench-rate.txt", "pgbench"),
    ("fixtures/recorded/pgbench-scripts.txt", "pgbench"),
    ("fixtures/recorded/sysbench-database.txt", "sysbench"),
    ("fixtures/recorded/sysbench-cpu.txt", "sysbench"),
    ("fixtures/recorded/sysbench-files.txt", "sysbench"),
    ("fixtures/recorded/sysbench-memory.txt", "sysbench"),
    ("fixtures/written/locust_stats.csv", "locust"),
    ("fixtures/recorded/locust_stats.csv", "locust"),
    ("fixtures/recorded/gatling-3.9.txt", "gatling"),
    ("fixtures/recorded/gatling-3.14.txt", "gatling"),
    ("fixtures/recorded/gatling-stats.json", "gatling"),
    ("fixtures/recorded/gatling-global-stats.json", "gatling"),
    ("fixtures/written/gatling.txt", "gatling"),
    ("fixtures/written/gatling-table.txt", "gatling"),
    ("fixtures/written/gatling-stats.json", "gatling"),
    (
        "fixtures/written/rally.csv",
        "Rally or OpenSearch Benchmark",
    ),
    ("fixtures/written/rally.md", "Rally or OpenSearch Benchmark"),
    (
        "fixtures/written/race.json",
        "Rally or OpenSearch Benchmark",
    ),
    ("fixtures/written/elbencho.csv", "elbencho"),
    ("fixtures/written/elbencho.json", "elbencho"),
    ("fixtures/written/go-test.json", "go test -bench"),
    ("fixtures/recorded/go-test.json", "go test -bench"),
    ("fixtures/written/wrk-lua.txt", "wrk"),
];

fn path(name: &str) -> String {
    format!("{}/tests/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn bytes(name: &str) -> Vec<u8> {
    fs::read(path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn said(name: &str) -> Reported {
    read_reported(&path(name)).unwrap_or_else(|error| panic!("{error}"))
}

fn only(reported: &Reported) -> &Measurement {
    let [of] = reported.measurements.as_slice() else {
        panic!("{reported:?}");
    };
    of
}

#[track_caller]
fn near(found: Option<Range>, expected: f64) {
    let found = found.expect("a figure").middle();
    assert!(
        (found - expected).abs() <= 1e-9 * expected.abs(),
        "{found} is not {expected}"
    );
}

fn rate(of: &Measurement) -> Option<Range> {
    of.rate.as_ref().map(|said| said.value)
}

fn mean(of: &Measurement) -> Option<Range> {
    of.mean.as_ref().map(|said| said.value)
}

fn at(of: &Measurement, quantile: f64) -> Option<Range> {
    of.percentile(quantile).map(|each| each.time)
}

#[test]
fn the_recorded_files_have_the_figures_that_they_show() {
    for (name, tool) in FILES {
        assert_eq!(said(name).tool, *tool, "{name}");
    }
    // Requests, connections, rate, mean, p50 and p99 as printed.
    type Row = (
        &'static str,
        u64,
        Option<u64>,
        f64,
        f64,
        Option<f64>,
        Option<f64>,
    );
    let rows: &[Row] = &[
        (
            "wrk-latency.txt",
            504_960,
            Some(16),
            162_854.23,
            77.01e-6,
            Some(47e-6),
            Some(153e-6),
        ),
        (
            "wrk2-latency.txt",
            23_932,
            Some(16),
            1_994.30,
            797.06e-6,
            Some(821e-6),
            Some(1.89e-3),
        ),
        (
            "oha.json",
            316_623,
            None,
            105_460.353_694_154_15,
            0.000_150_920_025_179_485_94,
            Some(0.000_111_296),
            Some(0.000_458_274),
        ),
        (
            "h2load.txt",
            448_441,
            Some(16),
            149_480.33,
            106e-6,
            None,
            None,
        ),
        (
            "hey.txt",
            175_219,
            None,
            58_398.132,
            0.0003,
            Some(0.0002),
            Some(0.004),
        ),
        (
            "vegeta.txt",
            1_500,
            None,
            500.32,
            105.902e-6,
            Some(88.4e-6),
            Some(311.079e-6),
        ),
        (
            "vegeta.json",
            1_500,
            None,
            500.320_961_567_149_54,
            105_902e-9,
            Some(88_400e-9),
            Some(311_079e-9),
        ),
    ];
    for (name, requests, connections, per_second, average, p50, p99) in rows {
        let reported = said(&format!("fixtures/http/{name}"));
        let of = only(&reported);
        assert_eq!(of.ended.as_ref().unwrap().value, *requests, "{name}");
        let known = of.connections.as_ref().map(|said| said.value);
        assert_eq!(known, *connections, "{name}");
        near(rate(of), *per_second);
        near(mean(of), *average);
        for (quantile, expected) in [(0.5, p50), (0.99, p99)] {
            match expected {
                Some(expected) => near(at(of, quantile), *expected),
                None => assert_eq!(at(of, quantile), None, "{name}"),
            }
        }
    }
}

#[test]
fn ab_prints_whole_milliseconds_which_are_ranges() {
    let reported = said("fixtures/http/ab-keepalive.txt");
    let of = only(&reported);
    near(rate(of), 158_720.08);
    assert_eq!(of.ok(), Some(20_000));
    assert_eq!(of.bytes, Some(240_000));
    let median = at(of, 0.5).unwrap();
    assert_eq!((median.from, median.to), (0.0, 0.0005));
    assert!(of.keep_alive.as_ref().unwrap().value);
    let closed = said("fixtures/http/ab-close.txt");
    assert!(!only(&closed).keep_alive.as_ref().unwrap().value);
    let shown = match read(
        &path("fixtures/http/ab-keepalive.txt"),
        &Selection::default(),
    ) {
        Ok(Content::Requests(shown)) => shown,
        other => panic!("{other:?}"),
    };
    let text = tenbin_report::formats::fronts::warp::analyze(&shown, 1);
    assert!(
        text.contains("median: between 0.000ms and 0.500ms"),
        "{text}"
    );
}

#[test]
fn aborted_requests_of_oha_are_failures_and_no_throughput() {
    let reported = said("fixtures/http/oha.json");
    let of = only(&reported);
    assert_eq!((of.ok(), of.failed()), (Some(316_607), 16));
    let speed = of.speed().unwrap();
    assert!((speed - 316_607.0 / 3.002_294_122).abs() < 1e-3, "{speed}");
}

#[test]
fn loops_and_operations_stay_apart() {
    for name in ["hsbench.txt", "hsbench.csv", "hsbench.json"] {
        let reported = said(&format!("fixtures/s3/{name}"));
        let names: Vec<&str> = reported
            .measurements
            .iter()
            .map(|of| of.operation.as_str())
            .collect();
        assert_eq!(names, ["BINIT", "PUT", "GET", "DEL", "BDEL"], "{name}");
        let put = &reported.measurements[1];
        assert_eq!(put.ended.as_ref().unwrap().value, 2_419, "{name}");
        let slack = if name == "hsbench.json" { 1e-6 } else { 0.05 };
        let average = mean(put).unwrap().middle();
        assert!(
            (average - 0.002_477_162_8).abs() < slack * 0.0025,
            "{name}: {average}"
        );
    }
    let text = said("fixtures/s3/hsbench.txt");
    let threads = text.measurements[1].connections.as_ref().unwrap().value;
    assert_eq!(threads, 2);
    let doc = said("published/blobstore-bench-doc.log");
    let puts = doc.measurements.iter().filter(|of| of.operation == "PUT");
    assert!(puts.count() >= 2);
    let mixed = said("fixtures/s3/warp-mixed.txt");
    let names: Vec<&str> = mixed
        .measurements
        .iter()
        .map(|of| of.operation.as_str())
        .collect();
    assert_eq!(names, ["DELETE", "GET", "PUT", "STAT"], "the total is none");
    near(rate(&mixed.measurements[1]), 1_264.06);
    near(mean(&mixed.measurements[1]), 0.0025);
}

/// The figures, over all operations, that a damaged file must not change. A digit can also be part
/// of an operation's name.
fn figures(reported: &Reported) -> BTreeMap<String, Vec<String>> {
    let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for of in &reported.measurements {
        let mut add = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                all.entry(name.to_owned()).or_default().push(value);
            }
        };
        let range = |said: &Option<tenbin_verdict::lint::Said<Range>>| {
            said.as_ref().map(|said| format!("{:?}", said.value))
        };
        let connections = of.connections.as_ref().map(|said| said.value.to_string());
        add("connections", connections);
        add(
            "ended",
            of.ended.as_ref().map(|said| said.value.to_string()),
        );
        add("seconds", range(&of.seconds));
        add("rate", range(&of.rate));
        add("min", range(&of.min));
        add("mean", range(&of.mean));
        add("max", range(&of.max));
        add("bytes", of.bytes.map(|bytes| bytes.to_string()));
        for each in &of.percentiles {
            add(
                &format!("p{}", each.quantile),
                Some(format!("{:?}", each.time)),
            );
        }
    }
    all
}

/// A small random number generator, so that a failure can be reproduced.
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }
}

/// Checks that a damaged file is refused with a reason of one sentence, or gives only figures of
/// the undamaged file.
#[track_caller]
fn expect_nothing_invented(name: &str, how: &str, damaged: &[u8], whole: &Reported) -> bool {
    match reported_bytes(name, damaged) {
        Err(error) => {
            let said = error.to_string();
            assert_eq!(said.lines().count(), 1, "{name}, {how}: {said}");
            assert!(said.len() > name.len() + 10, "{name}, {how}: {said}");
            true
        }
        Ok(read) => {
            let known = figures(whole);
            for (figure, values) in figures(&read) {
                for value in values {
                    let is_known = known.get(&figure).is_some_and(|all| all.contains(&value));
                    assert!(is_known, "{name}, {how}: {figure} became {value}");
                }
            }
            false
        }
    }
}

#[test]
fn cut_files_are_refused_or_give_no_other_figure() {
    let mut draw = Draw(18);
    for (name, _) in FILES {
        let whole = said(name);
        let content = bytes(name);
        let ends = content.iter().enumerate();
        let mut cuts: Vec<usize> = ends
            .filter(|(_, byte)| **byte == b'\n')
            .flat_map(|(at, _)| [at, at + 1])
            .filter(|at| *at < content.len())
            .collect();
        cuts.extend((0..150).map(|_| draw.below(content.len())));
        let mut refused = 0;
        for at in &cuts {
            let how = format!("cut at {at}");
            let is_refused = expect_nothing_invented(name, &how, &content[..*at], &whole);
            refused += usize::from(is_refused);
        }
        assert!(
            refused * 10 > cuts.len(),
            "{name}: {refused} of {}",
            cuts.len()
        );
    }
}

#[test]
fn altered_files_are_refused_or_give_no_other_figure() {
    let mut draw = Draw(81);
    let letters = b"abcdefghijklmnopqrstuvwxyzEOlI";
    for (name, _) in FILES {
        let whole = said(name);
        let content = bytes(name);
        let digits = content.iter().enumerate();
        let digits: Vec<usize> = digits
            .filter(|(_, byte)| byte.is_ascii_digit())
            .map(|(at, _)| at)
            .collect();
        for _ in 0..400 {
            let at = digits[draw.below(digits.len())];
            let mut altered = content.clone();
            altered[at] = letters[draw.below(letters.len())];
            let how = format!("{:?} at {at}", char::from(altered[at]));
            expect_nothing_invented(name, &how, &altered, &whole);
        }
        let text = String::from_utf8(content).unwrap();
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        for gone in 0..lines.len() {
            let rest: String = [&lines[..gone], &lines[gone + 1..]].concat().concat();
            // This is the only line that states how many requests failed; without the line, no
            // failure is known.
            if lines[gone].contains("aborted due to deadline") {
                continue;
            }
            let how = format!("without line {}", gone + 1);
            expect_nothing_invented(name, &how, rest.as_bytes(), &whole);
        }
    }
}

#[test]
fn totals_that_contradict_each_other_are_refused() {
    let cases = [
        (
            "http/wrk-latency.txt", "504960 requests", "604960 requests", "604,960 requests in",
        ),
        (
            "http/wrk-latency.txt", "162854.23", "182854.23", "contradicts itself",
        ),
        (
            "http/wrk-latency.txt", "99%  153.00us", "99%   53.00us", "p90 is longer than p99",
        ),
        (
            "http/ab-close.txt",
            "Concurrency Level:      16",
            "Concurrency Level:      32",
            "contradicts the rate and the concurrency",
        ),
        (
            "http/ab-close.txt",
            "Complete requests:      2000",
            "Complete requests:      3000",
            "contradicts itself: 3,000 requests",
        ),
        (
            "http/oha.json", "\"200\": 316607", "\"200\": 316600", "contradicts itself",
        ),
        (
            "http/oha.json",
            "\"aborted due to deadline\": 16",
            "\"aborted due to deadline\": 17",
            "contradicts itself: 316,624 requests",
        ),
        (
            "http/h2load.txt",
            "448441 done",
            "448440 done",
            "contradicts itself: 448441 succeeded",
        ),
        (
            "http/hey.txt",
            "[200]\t175219",
            "[200]\t175210",
            "contradicts itself: the histogram",
        ),
        (
            "http/vegeta.txt", "200:1500", "200:1400 500:100", "contradicts the statuses",
        ),
        (
            "http/vegeta.json", "\"success\":1", "\"success\":0.5", "contradicts itself: success",
        ),
        (
            "s3/hsbench.csv",
            "2419,50.37",
            "9419,50.37",
            "contradicts itself: 9,419 requests",
        ),
    ];
    for (name, from, to, why) in cases {
        let name = format!("fixtures/{name}");
        let text = String::from_utf8(bytes(&name)).unwrap();
        assert!(text.contains(from), "{name}: {from}");
        let error = reported_bytes("file", text.replacen(from, to, 1).as_bytes()).unwrap_err();
        assert!(error.to_string().contains(why), "{name}: {error}");
    }
}

/// The tables that ab writes with -e and -g, with the columns of ab's manual.
#[test]
fn the_tables_of_ab_are_read() {
    let mut csv = "Percentage served,Time in ms\n".to_owned();
    for percent in 0..100 {
        csv += &format!("{percent},{}.{percent:03}\n", percent / 10);
    }
    let read = reported_bytes("ab.csv", csv.as_bytes()).unwrap();
    near(at(only(&read), 0.5), 0.00505);
    assert_eq!(only(&read).ended, None, "the file does not say");
    let cut = &csv.as_bytes()[..csv.len() / 2];
    assert!(reported_bytes("ab.csv", cut).is_err());

    let mut tsv = "starttime\tseconds\tctime\tdtime\tttime\twait\n".to_owned();
    for request in 0..400 {
        let time = request / 10;
        tsv += &format!(
            "Fri Nov 20 12:10:24 2026\t1795176624\t1\t{time}\t{}\t{time}\n",
            time + 1
        );
    }
    let read = reported_bytes("ab.tsv", tsv.as_bytes()).unwrap();
    let of = only(&read);
    assert_eq!(of.ended.as_ref().unwrap().value, 400);
    near(at(of, 0.5), 0.020);
    near(at(of, 0.99), 0.040);
    assert_eq!(at(of, 0.999), None, "400 requests have no p99.9");
    let wrong = tsv.replacen("\t1\t0\t1\t", "\t1\t0\t7\t", 1);
    let error = reported_bytes("ab.tsv", wrong.as_bytes())
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("ab.tsv:2: contradicts itself"), "{error}");
}

fn found(names: &[&str], changed: &[&str]) -> Vec<LintFinding> {
    let all: Vec<Reported> = names.iter().map(|name| said(name)).collect();
    judged(&all, changed)
}

fn judged(all: &[Reported], changed: &[&str]) -> Vec<LintFinding> {
    let changed: Vec<String> = changed.iter().map(|name| (*name).to_owned()).collect();
    lint(&Files {
        all,
        changed: &changed,
    })
}

fn rules(findings: &[LintFinding]) -> Vec<&'static str> {
    findings.iter().map(|finding| finding.rule).collect()
}

fn of_text(text: &str) -> Vec<LintFinding> {
    let read = reported_bytes("file", text.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    judged(&[read], &[])
}

/// The rows for 6, 10, 14 and 18 clients were measured with 8, 12, 16 and 20 clients.
#[test]
fn the_published_sweep_had_more_clients_than_its_rows_say() {
    let findings = found(&["published/droonga-tutorial.csv"], &[]);
    let little: Vec<_> = findings.iter().filter(|it| it.rule == "little").collect();
    let really: Vec<(&str, &str, u64)> = little
        .iter()
        .map(|it| {
            let said = it.evidence.text().rsplit("; ").next().unwrap();
            (
                it.operation.as_deref().unwrap(),
                said.split(' ').next().unwrap(),
                it.quotes[0].quote.line.unwrap(),
            )
        })
        .collect();
    let expected = [
        ("6 clients", "8", 5),
        ("10 clients", "12", 7),
        ("14 clients", "16", 9),
        ("18 clients", "20", 11),
    ];
    assert_eq!(really, expected);
    assert_eq!(rules(&findings), ["little"; 4]);
    assert!(little[0].quotes[0].quote.text.starts_with("6,4540,151.33"));
}

#[test]
fn the_published_average_of_warp_violates_littles_law() {
    let findings = found(&["fixtures/s3/warp-get-1k.txt"], &[]);
    assert_eq!(rules(&findings), ["little"]);
    let quoted: Vec<&str> = findings[0]
        .quotes
        .iter()
        .map(|it| it.quote.text.as_str())
        .collect();
    assert!(
        quoted[0].starts_with("Report: GET. Concurrency: 8"),
        "{quoted:?}"
    );
    assert!(quoted[2].contains("Avg: 2.2ms"), "{quoted:?}");
    // The mean of all requests in the sums is correct; the percentiles in the sums are means of
    // percentiles.
    let sums = found(&["fixtures/warp/warp-get-1k.json.zst"], &[]);
    assert_eq!(rules(&sums), ["averaged_percentiles"]);
    assert!(
        sums[0].evidence.text().contains("4.19 ms to 87.1 ms"),
        "{}",
        sums[0].evidence
    );
}

#[test]
fn operations_that_a_change_did_not_touch_are_found() {
    let files = [
        "published/jog-before.gobench.txt",
        "published/jog-after.gobench.txt",
    ];
    let findings = found(&files, &["ListObjectsV2"]);
    assert_eq!(rules(&findings), ["changed_untouched", "single_runs"]);
    let evidence = findings[0].evidence.text();
    for part in ["GetObject_1KB-8 2.27", "MultipartUpload-8 1.42"] {
        assert!(evidence.contains(part), "{evidence}");
    }
    assert!(!evidence.contains("ListObjectsV2"), "{evidence}");
    // Without --changed, these can be two servers, which one client measured: its allocations are
    // equal, and say nothing about the servers.
    assert_eq!(rules(&found(&files, &[])), ["single_runs"]);
    let servers = ["published/minio.gobench.txt", files[1], files[0]];
    assert_eq!(rules(&found(&servers, &[])), ["single_runs"]);
    // Comparing a file with itself shows no change, but does not count as a repetition.
    assert_eq!(rules(&found(&[files[0], files[0]], &[])), ["single_runs"]);
}

#[test]
fn every_error_of_the_recorded_files_is_found_and_no_other() {
    let expected: &[(&str, &[&str])] = &[
        ("wrk-latency.txt", &[]),
        ("wrk2-latency.txt", &["few_samples"]),
        ("ab-close.txt", &["new_connections"]),
        ("ab-keepalive.txt", &[]),
        ("oha.json", &["stopped_at_deadline"]),
        ("h2load.txt", &[]),
        ("hey.txt", &[]),
        ("vegeta.txt", &[]),
        ("vegeta.json", &[]),
    ];
    for (name, wanted) in expected {
        let findings = found(&[&format!("fixtures/http/{name}")], &[]);
        assert_eq!(rules(&findings), *wanted, "{name}: {findings:#?}");
        assert!(findings.iter().all(|it| !it.quotes.is_empty()), "{name}");
    }
    for name in [
        "s3/hsbench.json", "s3/warp-put.txt", "s3/warp-mixed.txt", "warp/warp-put.json.zst",
    ] {
        let findings = found(&[&format!("fixtures/{name}")], &[]);
        let serious = findings.iter().filter(|it| it.rule != "few_samples");
        assert_eq!(serious.count(), 0, "{name}: {findings:#?}");
    }
}

#[test]
fn requests_that_oha_stops_at_its_deadline_are_a_note_up_to_one_for_each_connection() {
    let oha = String::from_utf8(bytes("fixtures/http/oha.json")).unwrap();
    let findings = of_text(&oha);
    assert_eq!(rules(&findings), ["stopped_at_deadline"]);
    assert_eq!(
        findings[0].evidence.text(),
        "oha stopped 16 requests at its deadline (-w waits for them): 0.0051 % of the requests"
    );
    let other = oha.replace("aborted due to deadline", "connection closed");
    let findings = of_text(&other);
    assert_eq!(
        rules(&findings),
        ["throughput_of_failures", "hidden_failures"]
    );
    let evidence = findings[0].evidence.text();
    assert!(evidence.ends_with(": 16 connection closed"), "{evidence}");
    // More requests than the 16 connections can have in flight.
    let more = oha
        .replace(
            "\"aborted due to deadline\": 16",
            "\"aborted due to deadline\": 26",
        )
        .replace("316607", "316597")
        .replace("315944", "315934");
    let found = of_text(&more);
    assert_eq!(rules(&found), ["throughput_of_failures", "hidden_failures"]);
}

#[test]
fn corrected_latencies_of_wrk_and_failures_are_found() {
    let wrk = String::from_utf8(bytes("fixtures/http/wrk-latency.txt")).unwrap();
    // wg/wrk#438: 5,043 requests per second of 6.04 ms on one connection.
    let published = wrk
        .replace("1 threads and 16", "1 threads and 1")
        .replace("77.01us", "6.04ms")
        .replace("50%   47.00us", "50%    5.80ms")
        .replace("75%   88.00us", "75%    5.90ms")
        .replace("90%   95.00us", "90%    7.00ms")
        .replace("99%  153.00us", "99%    8.00ms")
        .replace("504960 requests", "15633 requests")
        .replace("162854.23", "5043.00");
    let findings = of_text(&published);
    assert_eq!(rules(&findings), ["filled_in"]);
    assert!(
        findings[0].evidence.text().contains("30.5"),
        "{}",
        findings[0].evidence
    );
    let all_500 = wrk.replace(
        "Requests/sec",
        "  Non-2xx or 3xx responses: 504960\nRequests/sec",
    );
    let findings = of_text(&all_500);
    assert_eq!(rules(&findings), ["no_result", "throughput_of_failures"]);
    assert_eq!(findings[1].quotes[0].quote.line, Some(12));
    let sockets = wrk.replace(
        "Requests/sec",
        "  Socket errors: connect 0, read 0, write 0, timeout 7\nRequests/sec",
    );
    assert_eq!(rules(&of_text(&sockets)), ["hidden_failures"]);
    let ab = String::from_utf8(bytes("fixtures/http/ab-keepalive.txt")).unwrap();
    let ab = ab.replace("Keep-Alive", "Non-2xx responses:      20000\nKeep-Alive");
    let found = of_text(&ab);
    assert_eq!(
        rules(&found),
        ["no_result", "throughput_of_failures", "hidden_failures"]
    );
    assert!(
        found[2]
            .evidence
            .text()
            .starts_with("the file says that no request failed")
    );
}

/// The file of `vegeta attack` whose two reports are recorded beside it.
fn binary() -> Vec<u8> {
    bytes("fixtures/recorded/vegeta.bin")
}

#[test]
fn the_list_of_vegeta_has_the_figures_of_its_report() {
    let list = said("fixtures/recorded/vegeta.bin");
    let report = said("fixtures/recorded/vegeta.json");
    let (list, report) = (only(&list), only(&report));
    assert_eq!((list.ok(), list.failed()), (Some(90), 10));
    assert_eq!((report.ok(), report.failed()), (Some(90), 10));
    let is_near = |found: Option<Range>, expected: f64| {
        let found = found.unwrap().middle();
        assert!((found / expected - 1.0).abs() < 2e-3, "{found} {expected}");
    };
    is_near(rate(list), rate(report).unwrap().middle());
    // Of the 90 successful requests, from what `vegeta encode -to csv` prints.
    is_near(mean(list), 4_221_605.54e-9);
    is_near(at(list, 0.5), 449_097e-9);
    is_near(list.max.as_ref().map(|said| said.value), 28_063_563e-9);
    assert_eq!(at(list, 0.99), None, "90 requests have no p99");
}

/// A list that is cut within a request is refused; between two, it has the requests before the cut
/// or is refused for the numbers that are missing. No damage makes the reader panic.
#[test]
fn a_cut_list_of_vegeta_has_no_request_that_was_not_there() {
    let whole = binary();
    let mut refused = 0;
    for at in 0..whole.len() {
        match reported_bytes("vegeta.bin", &whole[..at]) {
            Ok(read) => {
                let of = only(&read);
                assert!(of.ok().unwrap() + of.failed() < 100, "cut at {at}");
            }
            Err(error) => {
                refused += 1;
                assert_eq!(error.to_string().lines().count(), 1, "{error}");
            }
        }
    }
    assert!(
        refused > whole.len() * 9 / 10,
        "{refused} of {}",
        whole.len()
    );
    let mut draw = Draw(7);
    for _ in 0..2_000 {
        let mut altered = whole.clone();
        for _ in 0..=draw.below(3) {
            let at = draw.below(altered.len());
            altered[at] = u8::try_from(draw.below(256)).unwrap();
        }
        if let Err(error) = reported_bytes("vegeta.bin", &altered) {
            assert_eq!(error.to_string().lines().count(), 1, "{error}");
        }
    }
}

#[test]
fn k6_says_the_same_in_text_and_json() {
    for (text, json) in [
        ("k6-v0.txt", "k6-v0-summary-export.json"),
        ("k6-v1.txt", "k6-summary-export.json"),
    ] {
        let text = said(&format!("fixtures/recorded/{text}"));
        let json = said(&format!("fixtures/recorded/{json}"));
        let (text, json) = (only(&text), only(&json));
        assert_eq!(text.ok(), json.ok());
        assert_eq!(text.failed(), json.failed());
        assert!(text.failed() > 0, "one in ten requests had status 404");
        let connections = |of: &Measurement| of.connections.as_ref().map(|said| said.value);
        assert_eq!((connections(text), connections(json)), (Some(4), Some(4)));
        let holds = |outer: Option<Range>, inner: Option<Range>| {
            let (outer, inner) = (outer.unwrap(), inner.unwrap().middle());
            assert!(
                (outer.from..=outer.to).contains(&inner),
                "{outer:?} {inner}"
            );
        };
        holds(rate(text), rate(json));
        holds(mean(text), mean(json));
        for quantile in [0.5, 0.9, 0.95] {
            holds(at(text, quantile), at(json, quantile));
        }
    }
}

#[test]
fn the_object_of_handle_summary_is_read() {
    let reported = said("fixtures/recorded/k6-handle-summary.json");
    let of = only(&reported);
    assert_eq!((of.ok(), of.failed()), (Some(9_609), 1_067));
    near(rate(of), 5_309.029_868_972_521);
    near(of.seconds.as_ref().map(|said| said.value), 2.010_913_531);
    // The machine-readable summary has no rate, but the length of the test.
    let reported = said("fixtures/recorded/k6-machine-readable.json");
    let of = only(&reported);
    assert_eq!((of.ok(), of.failed()), (Some(16_232), 1_802));
    let speed = of.speed().unwrap();
    assert!((speed - 16_232.0 / 2.500_426_728).abs() < 1e-6, "{speed}");
    near(at(of, 0.95), 1.390_865_999_999_999_5e-3);
}

#[test]
fn a_percentile_of_fortio_lies_in_its_bar() {
    let reported = said("fixtures/recorded/fortio.json");
    let of = only(&reported);
    assert_eq!(of.connections.as_ref().unwrap().value, 4);
    let median = at(of, 0.5).unwrap();
    assert!(median.from < median.to, "{median:?}");
    let text = String::from_utf8(bytes("fixtures/recorded/fortio.json")).unwrap();
    let slow = text.replace("\"DisableKeepAlive\": false", "\"DisableKeepAlive\": true");
    assert_eq!(rules(&of_text(&slow)), ["new_connections"]);
}

#[test]
fn what_measured_nothing_is_invalid_and_compared_with_nothing() {
    let wrk = String::from_utf8(bytes("fixtures/http/wrk-latency.txt")).unwrap();
    let with = |totals: &str| {
        let lines = wrk.lines().map(|line| {
            if line.contains(" requests in ") {
                totals.to_owned()
            } else if line.starts_with("Requests/sec:") {
                "Requests/sec:      0.00".to_owned()
            } else {
                line.to_owned()
            }
        });
        lines.collect::<Vec<_>>().join("\n") + "\n"
    };
    for (totals, why) in [
        ("  0 requests in 10.02s, 0.00B read", "0 requests ended"),
        (
            "  35951 requests in 307445734491.35m, 4.46MB read",
            "which no run takes",
        ),
    ] {
        let text = with(totals);
        let findings = of_text(&text);
        assert_eq!(findings[0].rule, "no_result");
        assert!(
            findings[0].evidence.text().contains(why),
            "{}",
            findings[0].evidence
        );
        let error = Results::of_file("wrk.txt", text.as_bytes()).unwrap_err();
        assert!(
            error.contains("no_result") && error.contains(why),
            "{error}"
        );
    }
}

#[test]
fn a_rounded_zero_of_k6_is_not_exactly_0() {
    let text = String::from_utf8(bytes("fixtures/recorded/k6-v0.txt")).unwrap();
    let line = text
        .lines()
        .find(|line| line.contains("http_req_duration..."))
        .unwrap();
    let (label, _) = line.split_once(": ").unwrap();
    let with = |statistics: &str| {
        let replaced = text.replace(line, &format!("{label}: {statistics}"));
        let read = reported_bytes("k6.txt", replaced.as_bytes()).unwrap();
        only(&read).min.as_ref().unwrap().value
    };
    // With --summary-time-unit=s.
    let rounded = with("avg=0.00s min=0.00s med=0.00s max=0.05s p(90)=0.00s p(95)=0.01s");
    assert_eq!((rounded.from, rounded.to), (0.0, 0.01));
    let exact = with("avg=1ms min=0s med=1ms max=5ms p(90)=1ms p(95)=2ms");
    assert_eq!((exact.from, exact.to), (0.0, 0.0));
}
