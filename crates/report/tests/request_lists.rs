//! Reads lists of single requests of other tools, and the tables that say the same in short, and
//! checks their figures, the selection of requests, and the refusal of cut files.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use std::fs;
use std::time::Duration;

use tenbin_report::formats::{Content, Selection, read, read_bytes, reported_bytes};
use tenbin_verdict::lint::{Measurement, Range, Reported};

/// What a file says about one operation.
struct Row {
    operation: &'static str,
    requests: u64,
    failed: u64,
    /// Per second.
    rate: Option<f64>,
    /// Seconds.
    mean: Option<f64>,
    p50: Option<f64>,
    p99: Option<f64>,
}

const fn row(
    operation: &'static str,
    (requests, failed): (u64, u64),
    rate: f64,
    mean: f64,
    p50: f64,
    p99: Option<f64>,
) -> Row {
    Row {
        operation,
        requests,
        failed,
        rate: Some(rate),
        mean: Some(mean),
        p50: Some(p50),
        p99,
    }
}

/// The figures of each file, computed from its rows by other means.
const FIGURES: &[(&str, &str, &[Row])] = &[
    (
        "written/jmeter.csv",
        "JMeter",
        &[
            row("Search, all", (10, 1), 9.652_509_5, 0.118_666_7, 0.12, None),
            row("Home", (30, 2), 30.643_518_4, 0.024_75, 0.025, None),
        ],
    ),
    (
        "recorded/jmeter.csv",
        "JMeter",
        &[
            row("Home", (20, 2), 17.167_382_5, 0.055_166_67, 0.055, None),
            row(
                "Search, twice",
                (20, 2),
                17.528_483_3,
                0.058_777_78,
                0.056,
                None,
            ),
            row("Search", (20, 2), 17.528_483_3, 0.058_388_89, 0.055, None),
            Row {
                rate: Some(18.331_804_3),
                ..NOBODY
            },
        ],
    ),
    (
        "recorded/jmeter.xml",
        "JMeter",
        &[
            row("Home", (20, 2), 18.148_820_4, 0.055, 0.053, None),
            row(
                "Search, twice",
                (20, 2),
                19.083_967_7,
                0.050_888_89,
                0.048,
                None,
            ),
            Row {
                rate: Some(20.618_556_1),
                ..NOBODY
            },
        ],
    ),
    (
        "recorded/gatling-3.9.log",
        "Gatling",
        &[
            row("Home", (20, 2), 18.761_726_3, 0.055_888_89, 0.051, None),
            row(
                "Cart / Pay / Checkout",
                (20, 2),
                20.345_879_1,
                0.049_166_67,
                0.049,
                None,
            ),
            // Five milliseconds on a clock of milliseconds.
            Row {
                requests: 2,
                failed: 2,
                ..NOBODY
            },
        ],
    ),
    (
        "written/jmeter-semicolon.csv",
        "JMeter",
        &[
            Row {
                p50: None,
                ..row("Search, all", (6, 1), 9.677_419_4, 0.109_6, 0.0, None)
            },
            row("Home", (18, 2), 31.413_612_6, 0.024_312_5, 0.023, None),
        ],
    ),
    (
        "written/jmeter.xml",
        "JMeter",
        &[
            Row {
                p50: None,
                ..row("Log in & out", (4, 0), 4.016_064, 0.078, 0.0, None)
            },
            row("Home", (20, 2), 17.346_052, 0.042_5, 0.043, None),
        ],
    ),
    (
        "recorded/hey.csv",
        "hey",
        &[row(
            "requests",
            (200, 20),
            82.508_251,
            0.048_081_67,
            0.048,
            None,
        )],
    ),
    ("recorded/vegeta-requests.csv", "vegeta", VEGETA),
    ("recorded/vegeta-requests.json", "vegeta", VEGETA),
    (
        "recorded/k6-stream.json",
        "k6",
        &[
            row(
                "GET http://127.0.0.1:18080/",
                (12, 1),
                24.514_402_8,
                0.039_591_664,
                0.047_776_887,
                None,
            ),
            row(
                "POST order",
                (12, 2),
                22.593_234_1,
                0.048_729_976,
                0.048_029_086,
                None,
            ),
            Row {
                rate: Some(19_831.224_6),
                ..UNANSWERED
            },
        ],
    ),
    (
        "recorded/k6-stream.csv",
        "k6",
        &[
            Row {
                rate: None,
                ..row(
                    "GET http://127.0.0.1:18080/",
                    (12, 1),
                    0.0,
                    0.039_591_664,
                    0.047_776_887,
                    None,
                )
            },
            Row {
                rate: None,
                ..row(
                    "POST order",
                    (12, 2),
                    0.0,
                    0.048_729_976,
                    0.048_029_086,
                    None,
                )
            },
            UNANSWERED,
        ],
    ),
    ("written/gatling-3.3.log", "Gatling", GATLING),
    ("written/gatling-3.9.log", "Gatling", GATLING),
];

/// Requests to a port on which nothing listens.
const UNANSWERED: Row = Row {
    operation: "GET http://127.0.0.1:1/",
    requests: 2,
    failed: 2,
    rate: None,
    mean: None,
    p50: None,
    p99: None,
};

const NOBODY: Row = Row {
    operation: "Nobody",
    requests: 20,
    failed: 20,
    ..UNANSWERED
};

/// vegeta's rate has only correct responses.
const VEGETA: &[Row] = &[row(
    "requests",
    (60, 6),
    53.280_461,
    0.037_524_88,
    0.046_819_126,
    None,
)];

const GATLING: &[Row] = &[
    row("Home", (30, 0), 24.979_18, 0.026_5, 0.026, None),
    row(
        "Cart / Pay / Checkout",
        (30, 3),
        23.112_483,
        0.095_111_1,
        0.095,
        None,
    ),
];

fn path(name: &str) -> String {
    format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn bytes(name: &str) -> Vec<u8> {
    fs::read(path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn requests(content: Content) -> Reported {
    match content {
        Content::Requests(reported) => reported,
        other => panic!("{other:?}"),
    }
}

fn selected(name: &str, selection: &Selection) -> Result<Reported, String> {
    let content = read(&path(name), selection);
    content.map(requests).map_err(|error| error.to_string())
}

fn all(name: &str) -> Reported {
    selected(name, &Selection::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn text(name: &str, text: &str) -> Result<Reported, String> {
    let content = read_bytes(name, text.as_bytes());
    content.map(requests).map_err(|error| error.to_string())
}

/// All requests, failed or not.
fn ended(of: &Measurement) -> u64 {
    of.ok().unwrap() + of.failed()
}

fn only(reported: &Reported) -> &Measurement {
    let [of] = reported.measurements.as_slice() else {
        panic!("{reported:?}");
    };
    of
}

#[track_caller]
fn expect_near(what: &str, found: Option<Range>, expected: Option<f64>) {
    match (found, expected) {
        (None, None) => {}
        (Some(found), Some(expected)) => {
            // Histograms keep three digits.
            let slack = 1e-3 * expected;
            let is_near = (found.from - slack..=found.to + slack).contains(&expected)
                && (found.middle() - expected).abs() <= 2.0 * slack;
            assert!(is_near, "{what} is {found:?}, not {expected}");
        }
        other => panic!("{what}: {other:?}"),
    }
}

#[test]
fn the_figures_are_those_of_the_rows() {
    for (name, tool, rows) in FIGURES {
        let reported = all(name);
        assert_eq!(reported.tool, *tool, "{name}");
        let names: Vec<&str> = reported
            .measurements
            .iter()
            .map(|of| of.operation.as_str())
            .collect();
        let expected: Vec<&str> = rows.iter().map(|row| row.operation).collect();
        assert_eq!(names, expected, "{name}");
        for (of, row) in reported.measurements.iter().zip(*rows) {
            let counts = (ended(of), of.failed());
            assert_eq!(
                counts,
                (row.requests, row.failed),
                "{name}: {}",
                row.operation
            );
            let at = |quantile| of.percentile(quantile).map(|each| each.time);
            for (what, found, expected) in [
                ("rate", of.rate.as_ref().map(|said| said.value), row.rate),
                ("mean", of.mean.as_ref().map(|said| said.value), row.mean),
                ("p50", at(0.5), row.p50),
                ("p99", at(0.99), row.p99),
            ] {
                let what = format!("{name}: {}: {what}", row.operation);
                expect_near(&what, found, expected);
            }
        }
    }
}

/// A cut list is refused, or has exactly the requests of its complete lines: no list has a count of
/// its requests.
#[test]
fn a_cut_list_has_no_request_that_was_not_there() {
    for (name, _, _) in FIGURES {
        let content = bytes(name);
        let whole = all(name);
        let counts = |reported: &Reported| {
            let each = reported.measurements.iter();
            each.map(|of| (of.operation.clone(), ended(of)))
                .collect::<Vec<_>>()
        };
        let most = counts(&whole);
        for at in (1..40).map(|part| part * content.len() / 40) {
            let Ok(part) = reported_bytes(name, &content[..at]) else {
                continue;
            };
            assert_eq!(content[at - 1], b'\n', "{name}: cut within a line, at {at}");
            for (operation, count) in counts(&part) {
                let known = most.iter().find(|(own, _)| *own == operation);
                let is_part = count == 0 || known.is_some_and(|(_, all)| count <= *all);
                assert!(is_part, "{name}, cut at {at}: {count} of {operation}");
            }
        }
        // Within the last number or tag.
        let cut = reported_bytes(name, &content[..content.len() - 2]);
        assert!(cut.is_err(), "{name}: cut at the end");
    }
}

/// A damaged file is read or refused with one sentence, without a panic.
#[test]
fn damage_makes_nothing_panic() {
    let mut state = 11_u64;
    let mut draw = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from(state >> 33).unwrap() % below
    };
    let pieces: [&[u8]; 10] = [
        b"-", b"99999999999999999999", b"\t", b"\"", b"\n", b",", b"<", b">", b"\xff", b"",
    ];
    for (name, _, _) in FIGURES {
        let whole = bytes(name);
        for _ in 0..300 {
            let at = draw(whole.len());
            let rest = &whole[(at + draw(12)).min(whole.len())..];
            let damaged = [&whole[..at], pieces[draw(pieces.len())], rest].concat();
            if let Err(error) = reported_bytes(name, &damaged) {
                let said = error.to_string();
                assert_eq!(said.lines().count(), 1, "{name}: {said}");
            }
        }
    }
}

#[test]
fn a_list_without_requests_has_zero() {
    let jmeter = String::from_utf8(bytes("written/jmeter.csv")).unwrap();
    let names = jmeter.lines().next().unwrap();
    for (name, content) in [
        ("jmeter.csv", format!("{names}\n").as_str()),
        (
            "jmeter.xml",
            "<?xml version=\"1.0\"?>\n<testResults version=\"1.2\">\n</testResults>\n",
        ),
        ("jmeter.xml", "<testResults version=\"1.2\"/>"),
        (
            "simulation.log",
            "RUN\tcom.example.Shop\tshop\t1764234000000\t \t3.9.5\n",
        ),
        (
            "hey.csv",
            "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,\
             offset\n",
        ),
        (
            "k6.csv",
            "metric_name,timestamp,metric_value,status\nvus,1764234000,1.000000,\n",
        ),
        (
            "k6.json",
            "{\"type\":\"Metric\",\"data\":{\"name\":\"vus\",\"type\":\"gauge\"},\"metric\":\"vus\"}\n",
        ),
    ] {
        let reported = text(name, content).unwrap();
        let of = only(&reported);
        assert_eq!((of.ok(), of.failed()), (Some(0), 0), "{name}");
        assert!(of.rate.is_none() && of.mean.is_none(), "{name}");
        let shown = tenbin_report::formats::fronts::warp::analyze(&reported, 1);
        assert!(!shown.contains("NaN") && !shown.contains("inf"), "{shown}");
    }
}

fn pick(change: impl Fn(&mut Selection)) -> Selection {
    let mut selection = Selection::default();
    change(&mut selection);
    selection
}

#[test]
fn a_part_of_the_requests_can_be_picked() {
    let name = "written/jmeter.csv";
    let counts = |selection: &Selection| -> Vec<(String, u64)> {
        let reported = selected(name, selection).unwrap();
        let each = reported.measurements.iter();
        each.map(|of| (of.operation.clone(), ended(of))).collect()
    };
    let (home, search) = ("Home".to_owned(), "Search, all".to_owned());
    let some = pick(|it| {
        it.operation = Some("home".to_owned());
        it.offset = 5;
        it.limit = Some(10);
    });
    assert_eq!(counts(&some), [(home.clone(), 10)]);
    // Of 40 requests, each 25 ms after the one before it.
    let late = pick(|it| it.skip = Duration::from_millis(800));
    assert_eq!(counts(&late), [(search.clone(), 2), (home.clone(), 6)]);
    let host = |name: &str| pick(|it| it.host = Some(name.to_owned()));
    assert_eq!(counts(&host("127.0.0.1:9001")), [(search, 10), (home, 30)]);
    let nobody = selected(name, &host("elsewhere")).expect_err("nothing");
    assert!(
        nobody.ends_with("has no request that was asked for"),
        "{nobody}"
    );
    let outer = selected("written/jmeter.xml", &host("127.0.0.1:9001")).unwrap();
    assert_eq!(only(&outer).operation, "Home", "a transaction has no URL");
    let unknown = selected("written/gatling-3.9.log", &host("elsewhere")).expect_err("no hosts");
    assert!(unknown.contains("without their hosts"), "{unknown}");
}

#[test]
fn failures_have_their_reasons() {
    let reasons = |name: &str, operation: &str| -> Vec<(String, u64)> {
        let reported = all(name);
        let of = reported.measurement(operation).unwrap();
        let failures = of.listed.as_ref().unwrap().failures.clone();
        failures.into_iter().collect()
    };
    let one = |text: &str| (text.to_owned(), 1);
    assert_eq!(
        reasons("written/jmeter.csv", "Home"),
        [
            one(
                "Non HTTP response code: java.net.ConnectException Non HTTP response message: \
                 Connection refused"
            ),
            one("Test failed: text expected to contain /\"total\"/\nbut was empty"),
        ]
    );
    for name in ["recorded/k6-stream.json", "recorded/k6-stream.csv"] {
        let unanswered = reasons(name, "GET http://127.0.0.1:1/");
        assert_eq!(unanswered, [("dial: connection refused".to_owned(), 2)]);
        assert_eq!(
            reasons(name, "POST order"),
            [("status 503".to_owned(), 2)],
            "{name}"
        );
    }
    assert_eq!(
        reasons("written/jmeter.csv", "Search, all"),
        [one("503 Service Unavailable")]
    );
    let transaction = reasons("recorded/jmeter.csv", "Search, twice");
    assert!(
        transaction[0].0.ends_with("number of failing samples : 1"),
        "{transaction:?}"
    );
    assert_eq!(
        reasons("written/jmeter.xml", "Home"),
        [
            one("500 Internal Server Error"),
            one("Test failed: text expected to contain /total/"),
        ]
    );
    let gatling = reasons("written/gatling-3.9.log", "Cart / Pay / Checkout");
    assert!(
        gatling[0].0.ends_with("found 503") && gatling[0].1 == 3,
        "{gatling:?}"
    );
}

#[test]
fn names_of_requests_show_no_secrets() {
    for (file, name, with_secrets, shown) in [
        (
            "written/jmeter.csv",
            ",Home,",
            ",http://me:hush@h/a?access_token=hush&q=1,",
            "http://…@h/a?access_token=…&q=1",
        ),
        (
            "written/locust_stats.csv", "GET,/,", "GET,/a?q=1&api_key=hush,",
            "GET /a?q=1&api_key=…",
        ),
    ] {
        let content = String::from_utf8(bytes(file)).unwrap();
        let content = content.replace(name, with_secrets);
        let of_list = text(file, &content).unwrap();
        let reported = reported_bytes(file, content.as_bytes()).unwrap();
        for all in [of_list, reported] {
            assert!(all.measurement(shown).is_some(), "{all:?}");
            let document = tenbin_verdict::lint::document(&[("a".to_owned(), all.clone())]);
            let printed = format!("{all:?} {document:?}");
            assert!(!printed.contains("hush"), "{printed}");
        }
    }
}

#[test]
fn a_failure_text_shows_no_secret_of_its_url() {
    let url = "http://h/?api_key=hush";
    let list = bytes("written/jmeter.csv");
    let list = String::from_utf8(list).unwrap();
    let list = list.replace("Service Unavailable", &format!("no {url} today"));
    let reported = text("failures.csv", &list).unwrap();
    let of = reported.measurement("Search, all").unwrap();
    let failures = of.listed.as_ref().unwrap().failures.clone();
    let failures: Vec<(String, u64)> = failures.into_iter().collect();
    assert_eq!(
        failures,
        [("503 no http://h/?api_key=… today".to_owned(), 1)]
    );
}

#[test]
fn files_that_cannot_be_read_say_what_to_do() {
    let binary = selected("recorded/gatling-3.13.log", &Selection::default());
    let binary = binary.expect_err("binary");
    assert!(
        binary.contains("is the binary log of Gatling 3.13.1"),
        "{binary}"
    );
    let nameless = selected("written/jmeter-without-header.csv", &Selection::default());
    let nameless = nameless.expect_err("no names");
    assert!(
        nameless.ends_with(
            ":1: has no column names: run JMeter with \
             -Jjmeter.save.saveservice.print_field_names=true"
        ),
        "{nameless}"
    );
    let dates = String::from_utf8(bytes("written/jmeter.csv")).unwrap();
    let dates = dates.replacen("1764234000000", "2025/11/27 09:00:00", 1);
    let dates = text("jmeter.csv", &dates).expect_err("dates");
    assert!(dates.contains("timestamp_format=ms"), "{dates}");
    let old = text("simulation.log", "RUN\tShop\tshop\t1764234000000\t \t2.0\n");
    let old = old.expect_err("version 2");
    assert!(old.contains("only logs of version 3 are read"), "{old}");
}

/// Samples within a sample are parts of its time.
#[test]
fn only_the_outer_samples_of_jmeter_count() {
    let reported = all("written/jmeter.xml");
    assert!(reported.measurement("/login").is_none());
    let both = reported.measurement("Log in & out").unwrap();
    assert_eq!((ended(both), both.bytes), (4, Some(9_600)));
}

#[test]
fn whole_milliseconds_are_ranges() {
    let reported = all("written/gatling-3.9.log");
    let of = reported.measurement("Home").unwrap();
    let mean = of.mean.as_ref().unwrap().value;
    assert!((mean.from - 0.025_5).abs() < 1e-4 && (mean.to - 0.027_5).abs() < 1e-4);
    let rate = of.rate.as_ref().unwrap().value;
    assert!(rate.from < rate.to && rate.from > 24.9, "{rate:?}");
    assert_eq!(
        reported.caveats,
        ["the log has 1 error of Gatling that belong to no request"]
    );
}

/// The list from which the recorded text and JSON reports of vegeta were made.
#[test]
fn the_tables_of_vegeta_say_the_same_as_its_list() {
    let list = all("recorded/vegeta-requests.csv");
    let list = only(&list);
    let plot = all("recorded/vegeta-hdrplot.txt");
    let buckets = all("recorded/vegeta-hist.txt");
    for table in [&plot, &buckets] {
        let of = only(table);
        assert_eq!(of.ended.as_ref().unwrap().value, 60);
        assert_eq!((of.known_failed(), table.caveats.len()), (None, 1));
    }
    // The tables also have the times of the six failures.
    let p50 = |of: &Measurement| of.percentile(0.5).unwrap().time;
    let (median, bucket) = (p50(only(&plot)), p50(only(&buckets)));
    assert!((median.middle() - 0.046_827_323).abs() < 1e-9, "{median:?}");
    assert!((p50(list).middle() / median.middle() - 1.0).abs() < 0.01);
    assert_eq!((bucket.from, bucket.to), (0.046, 0.05));
    let end = |of: &Measurement| of.max.as_ref().unwrap().value.middle();
    assert!((end(only(&plot)) - 0.055_154_341).abs() < 1e-9);
    assert!((end(list) - 0.055_154_341).abs() < 1e-4);
}

#[test]
fn cut_tables_of_vegeta_are_refused() {
    for name in ["recorded/vegeta-hdrplot.txt", "recorded/vegeta-hist.txt"] {
        let content = bytes(name);
        for at in (1..40).map(|part| part * content.len() / 40) {
            let cut = reported_bytes(name, &content[..at]);
            assert!(cut.is_err(), "{name}: cut at {at}");
        }
    }
}

#[test]
fn a_list_of_vegeta_with_missing_numbers_is_refused() {
    for name in [
        "recorded/vegeta-requests.csv",
        "recorded/vegeta-requests.json",
    ] {
        let whole = String::from_utf8(bytes(name)).unwrap();
        let lines: Vec<&str> = whole.split_inclusive('\n').collect();
        let part = [&lines[..7], &lines[8..]].concat().concat();
        let why = text(name, &part).expect_err("a request is missing");
        assert!(why.contains("requests are missing"), "{why}");
    }
}

/// hey's rows have no date, so that two of its lists cannot be proved to be of the same time.
#[test]
fn lists_without_dates_are_not_merged() {
    let list = all("recorded/hey.csv");
    let of = only(&list);
    assert!(of.listed.as_ref().unwrap().span.is_none());
    assert!(
        (of.elapsed().unwrap() - 2.424).abs() < 1e-3,
        "{:?}",
        of.elapsed()
    );
    assert!(of.omits_failures && list.caveats.len() == 1);
    let merged = tenbin_report::formats::merge([list.clone(), list]);
    assert!(merged.expect_err("dates").contains("at an unknown time"));
}

/// A stream of k6 with the given tags of each request.
fn stream(tags: &[&str], failed: &[u8]) -> String {
    let point = |metric: &str, at: usize, value: &str, tags: &str| {
        format!(
            "{{\"metric\":\"{metric}\",\"type\":\"Point\",\"data\":{{\"time\":\
             \"2026-11-27T09:00:0{at}Z\",\"value\":{value},\"tags\":{tags}}}}}\n"
        )
    };
    let times = tags.iter().enumerate();
    let times = times.map(|(at, tags)| point("http_req_duration", at, "12.5", tags));
    let failed = failed.iter().enumerate();
    let failed = failed.map(|(at, value)| point("http_req_failed", at, &value.to_string(), "null"));
    times.chain(failed).collect()
}

#[test]
fn k6_says_which_requests_failed_by_its_tags() {
    let failed = |tags: &[&str], failed: &[u8]| {
        let reported = text("k6.json", &stream(tags, failed))?;
        Ok::<_, String>(only(&reported).known_failed())
    };
    // What k6 decided goes before the status, whose meaning a test can change.
    let tags = [
        "{\"status\":\"404\",\"expected_response\":\"true\"}",
        "{\"status\":\"200\",\"expected_response\":\"false\"}",
        "{\"status\":\"404\",\"error_code\":\"1404\"}",
        "{\"status\":\"302\"}",
        "{\"status\":\"0\",\"error\":\"request timeout\"}",
        "{\"error_code\":\"1050\"}",
    ];
    assert_eq!(failed(&tags, &[]), Ok(Some(4)));
    assert_eq!(failed(&["null", "{}"], &[0, 0]), Ok(Some(0)));
    assert_eq!(failed(&["null", "{}"], &[]), Ok(None));
    let which = failed(&["null", "{}"], &[0, 1]).expect_err("unknown");
    assert!(which.contains("1 request failed, and not which"), "{which}");
    // One name of requests is the operation of k6's summary.
    let one = "{\"method\":\"GET\",\"name\":\"page\",\"status\":\"200\"}";
    let reported = text("k6.json", &stream(&[one, one], &[])).unwrap();
    assert_eq!(only(&reported).operation, "requests");
}

#[test]
fn damaged_lines_of_k6_are_refused() {
    let whole = stream(&["{\"status\":\"200\"}", "{\"status\":\"200\"}"], &[]);
    for (from, to, wanted) in [
        ("12.5", "1e5", "exponent without sign"),
        ("12.5", "-1.5", "has no time from 0"),
        ("12.5", "\"12\"", "invalid type"),
        (":00:00Z", ":00:XXZ", "is not a timestamp"),
        ("}}}\n", "\n", "is no JSON object"),
    ] {
        // The first line is whole, so that the file is recognised.
        let damaged = format!("{whole}{}", whole.replacen(from, to, 1));
        let why = text("k6.json", &damaged).expect_err(to);
        assert!(why.contains(wanted), "{why}");
        assert!(why.starts_with("k6.json:3: "), "{why}");
    }
}

#[test]
fn k6_can_write_its_times_in_other_units() {
    let rows = |times: [&str; 2]| {
        let [first, last] = times;
        format!(
            "metric_name,timestamp,metric_value,status\nhttp_req_duration,{first},\
             500.000000,200\nhttp_req_duration,{last},500.000000,200\n"
        )
    };
    let elapsed = |times: [&str; 2]| {
        let reported = text("k6.csv", &rows(times)).unwrap();
        only(&reported).elapsed()
    };
    for times in [
        ["1764234000000", "1764234002000"],
        ["1764234000000000", "1764234002000000"],
        ["1764234000000000000", "1764234002000000000"],
        ["2026-11-27T09:00:00.5Z", "2026-11-27T10:00:02.5+01:00"],
    ] {
        assert_eq!(elapsed(times), Some(2.5), "{times:?}");
    }
    // Two seconds on a clock of whole seconds can be one or three.
    assert_eq!(elapsed(["1764234000", "1764234002"]), None);
    assert_eq!(elapsed(["1764234000", "1764234060"]), Some(60.5));
    let mixed = text("k6.csv", &rows(["1764234000", "1764234000000"]));
    assert!(
        mixed
            .expect_err("mixed")
            .contains("in another unit than before")
    );
}
