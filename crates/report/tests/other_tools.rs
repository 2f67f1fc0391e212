//! Reads recorded results of bombardier, autocannon, Artillery, hyperfine, fio, pgbench and
//! sysbench, and checks the figures and the refusal of cut files.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

#[path = "other_tools/rows.rs"]
mod rows;

use std::fs;

use rows::{ROWS, Row};
use tenbin_report::formats::{Content, Selection, read, read_reported, reported_bytes};
use tenbin_verdict::lint::{Files, Measurement, Range, Reported, lint};

fn path(name: &str) -> String {
    format!(
        "{}/tests/fixtures/recorded/{name}",
        env!("CARGO_MANIFEST_DIR")
    )
}

fn said(name: &str) -> Reported {
    read_reported(&path(name)).unwrap_or_else(|error| panic!("{error}"))
}

fn text(name: &str) -> String {
    fs::read_to_string(path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn of_text(text: &str) -> Reported {
    reported_bytes("file", text.as_bytes()).unwrap_or_else(|error| panic!("{error}"))
}

fn refusal(text: &str) -> String {
    let error = reported_bytes("file", text.as_bytes()).unwrap_err();
    error.to_string()
}

/// The measurement in a row of the table.
fn measured<'a>(reported: &'a Reported, row: &Row) -> &'a Measurement {
    let found = reported.measurement(row.operation);
    found.unwrap_or_else(|| panic!("{}: {reported:#?}", row.file))
}

#[track_caller]
fn near(what: &str, found: Option<Range>, expected: Option<f64>) {
    match (found, expected) {
        (None, None) => {}
        (Some(found), Some(expected)) => {
            let slack = 1e-9 * expected;
            let holds = found.from - slack <= expected && expected <= found.to + slack;
            // A range does not reach below 0.
            let is_middle = (found.middle() - expected).abs() <= 1e-3 * expected;
            let is_near = holds && (is_middle || found.from == 0.0);
            assert!(is_near, "{what}: {found:?} is not {expected}");
        }
        (found, expected) => panic!("{what}: {found:?} is not {expected:?}"),
    }
}

#[test]
fn recorded_files_have_the_figures_that_they_show() {
    for row in ROWS {
        let reported = said(row.file);
        let of = measured(&reported, row);
        let name = format!("{}, {}", row.file, row.operation);
        assert_eq!(of.ended.as_ref().unwrap().value, row.ended, "{name}");
        assert_eq!(of.failed(), row.failed, "{name}");
        let value =
            |said: &Option<tenbin_verdict::lint::Said<Range>>| said.as_ref().map(|said| said.value);
        near(&format!("{name}: rate"), value(&of.rate), row.rate);
        near(&format!("{name}: mean"), value(&of.mean), row.mean);
        for (quantile, expected) in [(0.5, row.p50), (0.99, row.p99)] {
            let found = of.percentile(quantile).map(|each| each.time);
            near(&format!("{name}: {quantile}"), found, expected);
        }
    }
}

#[test]
fn no_operation_is_missing_or_added() {
    for file in files() {
        let mut names: Vec<String> = Vec::new();
        for of in said(file).measurements {
            if !names.contains(&of.operation) {
                names.push(of.operation);
            }
        }
        let rows = ROWS.iter().filter(|row| row.file == file);
        let expected: Vec<&str> = rows.map(|row| row.operation).collect();
        assert_eq!(names, expected, "{file}");
    }
}

/// The files of the table.
fn files() -> Vec<&'static str> {
    let mut files: Vec<&str> = ROWS.iter().map(|row| row.file).collect();
    files.dedup();
    files
}

/// The figures of a file, to compare those of a cut one.
fn figures(reported: &Reported) -> Vec<String> {
    let mut all = Vec::new();
    for of in &reported.measurements {
        let name = &of.operation;
        all.push(format!(
            "{name} ended {:?}",
            of.ended.as_ref().map(|it| it.value)
        ));
        all.push(format!("{name} failed {}", of.failed()));
        for (what, said) in [
            ("rate", &of.rate),
            ("seconds", &of.seconds),
            ("min", &of.min),
            ("mean", &of.mean),
            ("max", &of.max),
        ] {
            if let Some(said) = said {
                all.push(format!("{name} {what} {:?}", said.value));
            }
        }
        for each in &of.percentiles {
            all.push(format!("{name} {} {:?}", each.quantile, each.time));
        }
    }
    all
}

#[test]
fn cut_files_are_refused_or_give_no_other_figure() {
    for file in files() {
        let whole = figures(&said(file));
        let text = text(file);
        for part in 0..40 {
            let end = text.len() * part / 40;
            let Ok(cut) = reported_bytes(file, &text.as_bytes()[..end]) else {
                continue;
            };
            for figure in figures(&cut) {
                assert!(whole.contains(&figure), "{file}, cut at {end}: {figure}");
            }
        }
    }
}

/// Replaces a part of a text that must be there.
#[track_caller]
fn changed(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{from}");
    text.replacen(from, to, 1)
}

const NOTHING_BY_BOMBARDIER: &str = "\
Bombarding http://127.0.0.1:1/ for 1s using 4 connection(s)
Done!
Statistics        Avg      Stdev        Max
  There wasn't enough data to compute statistics for requests.
  There wasn't enough data to compute statistics for latencies.
  HTTP codes:
    1xx - 0, 2xx - 0, 3xx - 0, 4xx - 0, 5xx - 0
    others - 0
  Throughput:       0.00/s";

#[test]
fn a_run_without_requests_has_zero_requests() {
    for text in [
        NOTHING_BY_BOMBARDIER,
        "transaction type: <builtin: select only>\nscaling factor: 1\nquery mode: simple\nnumber of \
         clients: 1\nnumber of threads: 1\nmaximum number of tries: 1\nduration: 1 s\nnumber of \
         transactions actually processed: 0\n",
        "{\"aggregate\": {\"counters\": {\"vusers.created\": 0}, \"rates\": {}}}",
        "{\"fio version\": \"fio-3.33\", \"jobs\": [{\"jobname\": \"idle\", \"error\": 0, \"read\": \
         {\"total_ios\": 0}}]}",
    ] {
        let reported = of_text(text);
        let [of] = reported.measurements.as_slice() else {
            panic!("{reported:?}");
        };
        assert_eq!((of.ok(), of.failed()), (Some(0), 0), "{text}");
        assert_eq!((&of.rate, &of.mean), (&None, &None), "{text}");
        assert!(of.percentiles.is_empty(), "{text}");
    }
}

#[test]
fn the_rate_of_old_versions_of_pgbench_leaves_out_the_connections() {
    let old = "starting vacuum...end.\ntransaction type: <builtin: TPC-B (sort of)>\nscaling factor: \
               1\nquery mode: simple\nnumber of clients: 10\nnumber of threads: 1\nnumber of \
               transactions per client: 1000\nnumber of transactions actually processed: \
               9000/10000\nlatency average = 11.720 ms\ntps = 853.10 (including connections \
               establishing)\ntps = 855.40 (excluding connections establishing)\n";
    let reported = of_text(old);
    let [of] = reported.measurements.as_slice() else {
        panic!("{reported:?}");
    };
    assert_eq!(of.operation, "<builtin: TPC-B (sort of)>");
    assert!(of.omits_failures);
    near("rate", of.rate.as_ref().map(|it| it.value), Some(855.4));
    let caveats = reported.caveats.join("; ");
    assert!(caveats.contains("9000 of 10000"), "{caveats}");
    assert!(caveats.contains("did not measure"), "{caveats}");
    let (first, _) = old.split_once("tps = 855").unwrap();
    assert!(refusal(first).contains("cut off"), "{}", refusal(first));
}

#[test]
fn totals_that_contradict_their_parts_are_refused() {
    for (file, from, to, why) in [
        (
            "artillery.json",
            "\"http.codes.404\": 4",
            "\"http.codes.404\": 5",
            "contradicts itself: 40 responses, and 41 by status",
        ),
        (
            "autocannon.json",
            "\"404\":{\"count\":5487}",
            "\"404\":{\"count\":5486}",
            "contradicts itself: 5487 responses with status 4xx or 5xx, and 5486 by status",
        ),
        (
            "hyperfine.json",
            "\"mean\": 0.0016",
            "\"mean\": 0.0018",
            "contradicts itself: results[0].mean",
        ),
        (
            "fio-errors.json",
            "\"total_ios\" : 64",
            "\"total_ios\" : 65",
            "contradicts itself: jobs[0].read.iops: 64000.0, 1 ms and 65 operations",
        ),
        (
            "pgbench-failed.txt", "serialization failures: 200", "serialization failures: 100",
            "by kind of failure",
        ),
        (
            "pgbench-scripts.txt",
            " - 502 transactions",
            " - 503 transactions",
            "contradicts itself: the scripts have 2001 transactions and the run has 2000",
        ),
        (
            "sysbench-database.txt",
            "transactions:                        714",
            "transactions:                        715",
            "contradicts the number of transactions",
        ),
        (
            "bombardier.txt", "99%    10.60ms", "99%     0.60ms", "p95 is longer than p99",
        ),
    ] {
        let said = refusal(&changed(&text(file), from, to));
        assert!(said.contains(why), "{file}: {said}");
    }
}

#[test]
fn each_run_of_hyperfine_is_a_repetition() {
    let file = path("hyperfine.json");
    let series = match read(&file, &Selection::default()) {
        Ok(Content::Repetitions(series)) => series,
        other => panic!("{other:?}"),
    };
    let found: Vec<(&str, usize, bool)> = series
        .iter()
        .map(|each| {
            (
                each.workload.as_str(),
                each.values.len(),
                each.measure == tenbin_verdict::Measure::Time,
            )
        })
        .collect();
    // The third command fails, so it has no speed.
    assert_eq!(found, [("true", 12, true), ("sleep 0.01", 12, true)]);
    let reported = said("hyperfine.json");
    assert_eq!(reported.measurements.len(), 36);
    assert!(reported.measurements.iter().all(|of| of.is_repetition));
    let failed = &reported.measurements[35];
    assert_eq!(failed.operation, "sh -c 'exit 3'");
    assert_eq!((failed.failed(), failed.ok()), (1, Some(0)));
    assert_eq!(failed.failures[0].what, "exit code 3");
    // Without the single times, what remains are the figures of the command.
    let whole = "{\"results\": [{\"command\": \"true\", \"mean\": 0.5, \"stddev\": 0.1, \"median\": \
                 0.4, \"user\": 0.1, \"system\": 0.1, \"min\": 0.25, \"max\": 1.0, \
                 \"exit_codes\": [0, null, 0]}]}";
    let reported = of_text(whole);
    let [of] = reported.measurements.as_slice() else {
        panic!("{reported:?}");
    };
    assert_eq!(
        (of.ok(), of.failed(), of.is_repetition),
        (Some(2), 1, false)
    );
    near("rate", of.rate.as_ref().map(|it| it.value), Some(2.0));
    near("median", of.percentile(0.5).map(|it| it.time), Some(0.4));
}

/// Reasons and numbers of failures, with whether the number of operations includes them.
fn failures(reported: &Reported) -> Vec<(String, u64, bool)> {
    let all = reported.measurements.iter().flat_map(|of| &of.failures);
    all.map(|failed| (failed.what.clone(), failed.count, failed.counted))
        .collect()
}

#[test]
fn failures_have_their_reasons() {
    type Reason = (&'static str, u64, bool);
    let expected: &[(&str, &[Reason])] = &[
        (
            "autocannon.json",
            &[("responses with status 404", 5_487, true)],
        ),
        (
            "autocannon-refused.json",
            &[("errors of connections", 40, false)],
        ),
        (
            "artillery-endpoints.json",
            &[
                ("responses with status 404", 1, true),
                ("ECONNRESET", 2, false),
                ("responses with status 404", 3, true),
            ],
        ),
        ("artillery-refused.json", &[("ECONNREFUSED", 5, false)]),
        (
            "fio-errors.json",
            &[(
                "errors, one of them number 84 of the operating system",
                2,
                true,
            )],
        ),
        (
            "pgbench-failed.txt",
            &[("serialization failures", 200, false)],
        ),
        ("pgbench-rate.txt", &[("skipped transactions", 188, false)]),
        ("sysbench-database.txt", &[("ignored errors", 12, false)]),
    ];
    for (file, wanted) in expected {
        let found = failures(&said(file));
        let found: Vec<(&str, u64, bool)> = found
            .iter()
            .map(|(what, count, counted)| (what.as_str(), *count, *counted))
            .collect();
        assert_eq!(found, *wanted, "{file}");
    }
}

#[test]
fn errors_of_many_connections_have_few_reasons() {
    let found = failures(&said("bombardier.txt"));
    let reasons: Vec<&str> = found.iter().map(|(what, ..)| what.as_str()).collect();
    let expected = [
        "responses with status 4xx",
        "server closed idle connection",
        "EOF",
        "connection reset by peer",
    ];
    assert_eq!(reasons, expected);
    let text = changed(NOTHING_BY_BOMBARDIER, "others - 0", "others - 7");
    let other = failures(&of_text(&text));
    let what = "requests with another status or without a response";
    assert_eq!(other, [(what.to_owned(), 7, true)]);
}

fn rules(file: &str) -> Vec<&'static str> {
    let found = lint(&Files {
        all: &[said(file)],
        changed: &[],
    });
    found.iter().map(|finding| finding.rule).collect()
}

/// With a rate, autocannon recorded 158,753 times of 3,955 responses.
#[test]
fn times_that_autocannon_adds_are_found() {
    assert!(rules("autocannon-rate.json").contains(&"filled_in"));
    assert!(!rules("autocannon.json").contains(&"filled_in"));
}

#[test]
fn failures_of_a_verified_read_are_found() {
    assert_eq!(rules("fio.json"), ["few_samples"; 4]);
    assert!(rules("fio-errors.json").contains(&"throughput_of_failures"));
    assert_eq!(rules("pgbench-failed.txt"), ["hidden_failures"]);
    assert!(rules("sysbench-cpu.txt").is_empty());
}

#[test]
fn interim_responses_are_no_requests() {
    let text = text("autocannon.json");
    let text = changed(&text, "\"1xx\":0", "\"1xx\":100");
    let reported = of_text(&text);
    assert_eq!(reported.measurements[0].ok(), Some(49_385));
    assert!(reported.caveats[0].contains("100 interim responses"));
}

#[test]
fn errors_that_no_endpoint_has_are_said() {
    let text = text("artillery-endpoints.json");
    let text = changed(
        &text, "\"errors.ECONNRESET\": 2", "\"errors.ECONNRESET\": 5",
    );
    let caveats = of_text(&text).caveats.join("; ");
    assert!(caveats.ends_with("belong: 3 ECONNRESET"), "{caveats}");
    let sockets = "{\"aggregate\": {\"counters\": {\"vusers.created\": 1, \"socketio.emit\": 1}, \
                   \"rates\": {}}}";
    assert!(refusal(sockets).contains("other protocols"));
}

#[test]
fn the_microseconds_of_old_versions_of_fio_are_read() {
    let old = "{\"fio version\": \"fio-2.16\", \"jobs\": [{\"jobname\": \"job\", \"error\": 0, \
               \"read\": {\"io_bytes\": 2048, \"bw\": 2048, \"iops\": 512.00, \"runtime\": 1000, \
               \"total_ios\": 512, \"clat\": {\"min\": 12, \"max\": 900, \"mean\": 100.50, \
               \"percentile\": {\"50.000000\": 99, \"99.000000\": 804, \"0.00\": 0}}, \"lat\": \
               {\"min\": 13, \"max\": 901, \"mean\": 101.50}}}]}";
    let reported = of_text(old);
    let [of] = reported.measurements.as_slice() else {
        panic!("{reported:?}");
    };
    assert_eq!((of.operation.as_str(), of.ok()), ("job read", Some(512)));
    assert_eq!(of.bytes, None, "KiB, which are rounded");
    near("rate", of.rate.as_ref().map(|it| it.value), Some(512.0));
    near("mean", of.mean.as_ref().map(|it| it.value), Some(100.5e-6));
    let times: Vec<(f64, f64, f64)> = of
        .percentiles
        .iter()
        .map(|each| (each.quantile, each.time.from * 1e6, each.time.to * 1e6))
        .collect();
    let [(half, from, to), (most, low, high)] = times.as_slice() else {
        panic!("{times:?}");
    };
    assert_eq!((*half, *most), (0.5, 0.99));
    // Bars of fio's histogram: one value, and eight values wide.
    assert!((from - 99.0).abs() < 1e-6 && (to - 99.0).abs() < 1e-6);
    assert!((low - 800.0).abs() < 1e-6 && (high - 808.0).abs() < 1e-6);
}

#[test]
fn notes_before_the_document_of_fio_are_skipped() {
    let text = text("fio-plus.json");
    assert!(text.starts_with("note: "), "{text}");
    assert_eq!(of_text(&text).tool, "fio");
}

#[test]
fn jobs_and_scripts_of_one_name_stay_apart() {
    let names = |reported: &Reported| -> Vec<String> {
        let all = reported.measurements.iter();
        all.map(|of| of.operation.clone()).collect()
    };
    let expected = ["readers (job 1) read", "readers (job 2) read"];
    assert_eq!(names(&said("fio.json"))[..2], expected);
    let scripts =
        text("pgbench-scripts.txt").replace("<builtin: simple update>", "<builtin: select only>");
    let expected = [
        "<builtin: select only> (script 1)",
        "<builtin: select only> (script 2)",
    ];
    assert_eq!(names(&of_text(&scripts)), expected);
}

/// Since version 19, the number of a script's transactions includes failures.
#[test]
fn failures_of_a_script_of_pgbench_are_not_its_transactions() {
    let text = text("pgbench-scripts.txt");
    let text = changed(
        &text,
        " - 502 transactions (25.1% of total, tps = 1223.587451)\n - number of failed transactions: 0 (0.000%)",
        " - 512 transactions (25.1% of total)\n - number of transactions actually processed: 502 \
         (tps = 1223.587451)\n - number of failed transactions: 10 (1.953%)",
    );
    let reported = of_text(&text);
    let of = &reported.measurements[1];
    assert_eq!((of.ok(), of.failed()), (Some(502), 10));
    near(
        "rate",
        of.rate.as_ref().map(|it| it.value),
        Some(1_223.587_451),
    );
}

#[test]
fn transactions_that_old_versions_of_pgbench_skip_are_failures() {
    // Versions before 15 have no number of failed transactions.
    let text = text("pgbench-rate.txt");
    let old: Vec<&str> = text
        .lines()
        .filter(|line| !line.starts_with("number of failed transactions"))
        .collect();
    let old = old.join("\n") + "\n";
    let old = changed(&old, "188 (9.681%)", "188 (9.681 %)");
    let found = failures(&of_text(&old));
    assert_eq!(found, [("skipped transactions".to_owned(), 188, false)]);
}

#[test]
fn an_aborted_run_of_pgbench_is_no_result() {
    let text = text("pgbench.txt");
    for line in [
        "pgbench: error: client 1 script 0 aborted in command 4 query 0: ERROR:  deadlock\n",
        "client 12 aborted in state 8: ERROR:  deadlock detected\n",
        "pgbench: error: Run was aborted; the above results are incomplete.\n",
    ] {
        for whole in [format!("{line}{text}"), format!("{text}{line}")] {
            let file = of_text(&whole);
            let found = lint(&Files {
                all: std::slice::from_ref(&file),
                changed: &[],
            });
            let [finding] = found.as_slice() else {
                panic!("{found:?}");
            };
            assert_eq!(finding.rule, "no_result");
            assert_eq!(finding.severity, tenbin_result::Severity::Invalid);
            assert_eq!(finding.quotes[0].quote.text, line.trim());
        }
    }
}

/// A result of hyperfine with these times and parameters.
fn command(name: &str, times: &[f64], exit_code: u8, parameters: &str) -> String {
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    let codes = vec![exit_code; times.len()];
    format!(
        "{{\"command\": {name:?}, \"mean\": {mean}, \"median\": {mean}, \"system\": 0.1, \"times\": \
         {times:?}, \"exit_codes\": {codes:?}, \"parameters\": {{{parameters}}}}}"
    )
}

fn hyperfine(commands: &[String]) -> String {
    format!("{{\"results\": [{}]}}\n", commands.join(", "))
}

#[test]
fn parameters_tell_results_of_hyperfine_apart() {
    let names = |text: &str| {
        let mut names: Vec<String> = Vec::new();
        for of in of_text(text).measurements {
            if !names.contains(&of.operation) {
                names.push(of.operation);
            }
        }
        names
    };
    let text = hyperfine(&[
        command("bench", &[0.1, 0.2], 0, "\"threads\": \"1\""),
        command("bench", &[0.3, 0.4], 0, "\"threads\": \"2\", \"size\": 3"),
    ]);
    let [one, two] = names(&text).try_into().expect("two names");
    assert_eq!(one, "bench (threads=1)");
    assert!(two.contains("threads=2") && two.contains("size=3"), "{two}");
    let twice = hyperfine(&[command("a", &[0.1], 0, ""), command("a", &[0.2], 0, "")]);
    assert_eq!(names(&twice), ["a (result 1)", "a (result 2)"]);
}

#[test]
fn times_of_zero_leave_no_speed_of_a_command() {
    let text = hyperfine(&[
        command("zero", &[0.0, 0.001, 0.001], 0, ""),
        command("fine", &[0.002, 0.001], 0, ""),
    ]);
    let reported = of_text(&text);
    assert_eq!(reported.caveats.len(), 1);
    assert!(
        reported.caveats[0].starts_with("zero: 1 of 3 times are 0 s"),
        "{:?}",
        reported.caveats
    );
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("zero.json");
    std::fs::write(&file, &text).unwrap();
    let read = read(file.to_str().unwrap(), &Selection::default());
    let Ok(Content::Repetitions(series)) = read else {
        panic!("{read:?}");
    };
    let names: Vec<&str> = series.iter().map(|it| it.workload.as_str()).collect();
    assert_eq!(names, ["fine"]);
}

#[test]
fn failures_of_repetitions_are_one_finding_of_each_rule() {
    let text = hyperfine(&[command("false", &[0.1, 0.2, 0.3], 1, "")]);
    let found = lint(&Files {
        all: &[of_text(&text)],
        changed: &[],
    });
    let rules: Vec<&str> = found.iter().map(|finding| finding.rule).collect();
    assert_eq!(rules, ["no_result", "throughput_of_failures"]);
    for finding in &found {
        assert!(
            finding
                .evidence
                .text()
                .ends_with("; 2 further repetitions alike"),
            "{finding:?}"
        );
    }
}

#[test]
fn one_error_of_fio_is_one_error() {
    let text = changed(
        &text("fio-errors.json"),
        "\"total_err\" : 2",
        "\"total_err\" : 1",
    );
    let found = failures(&of_text(&text));
    assert_eq!(found[0].0, "error, number 84 of the operating system");
}
