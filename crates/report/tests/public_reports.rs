//! Files as public reports describe them, with what each says. Those with `-real-` in the name were
//! recorded, the others were written to the published form.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use std::fs;
use std::path::Path;

use tenbin_report::formats::reported_bytes;
use tenbin_verdict::lint::{Files, Measurement, Reported, lint};

/// File, what it says, and the rules that find something in it.
const TABLE: &[(&str, &[&str], &[&str])] = &[
    (
        "ab-failed-no-kinds.txt",
        &["requests: 99997 right, 3 failed, 2043.8/s, mean 0.250, p50 0.250, p99 2.000 ms"],
        &["throughput_of_failures"],
    ),
    (
        "ab-kinds.txt",
        &["requests: 49991 right, 50009 failed, 1021.7/s, mean 0.250, p50 0.250, p99 2.000 ms"],
        &["throughput_of_failures"],
    ),
    (
        "ab-real-1.txt",
        &["requests: 1 right, 0 failed, 839.6/s, mean 1.000, p50 ?, p99 ? ms"],
        &["new_connections"],
    ),
    (
        "ab-real-d.txt",
        &["requests: 5 right, 0 failed, 1223.1/s, mean 2.000, p50 ?, p99 ? ms"],
        &["new_connections"],
    ),
    (
        "ab-real-e.csv",
        &["requests: ? right, ? failed, ?/s, mean ?, p50 4.847, p99 92.138 ms"],
        &[],
    ),
    (
        "ab-real-g.tsv",
        &["requests: 400 right, ? failed, ?/s, mean 25.797, p50 27.000, p99 33.000 ms"],
        &[],
    ),
    (
        "ab-real-g.txt",
        &["requests: 400 right, 0 failed, 2914.6/s, mean 26.000, p50 27.000, p99 33.000 ms"],
        &["new_connections"],
    ),
    (
        "ab-real-g2.tsv",
        &["requests: 60 right, ? failed, ?/s, mean 7.733, p50 5.000, p99 ? ms"],
        &[],
    ),
    (
        "ab-real-g3.tsv",
        &["requests: 300 right, ? failed, ?/s, mean 5.197, p50 5.000, p99 ? ms"],
        &["coarse_clock"],
    ),
    (
        "ab-real-head.txt",
        &["requests: 200 right, 0 failed, 2690.2/s, mean 3.000, p50 3.000, p99 7.000 ms"],
        &["few_samples", "new_connections"],
    ),
    (
        "ab-real-k10.txt",
        &["requests: 200 right, 0 failed, 9542.9/s, mean 1.000, p50 1.000, p99 3.000 ms"],
        &["few_samples"],
    ),
    (
        "ab-real-short.txt",
        &["requests: 200 right, 0 failed, 2751.0/s, mean 3.000, p50 3.000, p99 5.000 ms"],
        &["few_samples", "new_connections"],
    ),
    (
        "ab-real-v2.txt",
        &["requests: 300 right, 0 failed, 1511.5/s, mean 3.000, p50 2.000, p99 6.000 ms"],
        &["few_samples", "new_connections"],
    ),
    (
        "ab-real-w.html",
        &[
            "FILE: is the page that ab writes with -w; the text that ab prints without it can be read",
        ],
        &[],
    ),
    (
        "autocannon-real-early.json",
        &["requests: 428 right, 0 failed, 392.7/s, mean 2.040, p50 0.500, p99 22.000 ms"],
        &["few_samples"],
    ),
    (
        "autocannon.json",
        &["requests: 21541 right, 740 failed, 2147.7/s, mean 4.100, p50 4.000, p99 12.000 ms"],
        &["throughput_of_failures", "hidden_failures", "few_samples"],
    ),
    (
        "bombardier.json",
        &["requests: 100000 right, 15 failed, 9990.0/s, mean 4.980, p50 4.800, p99 9.100 ms"],
        &["throughput_of_failures"],
    ),
    (
        "bombardier.txt",
        &["requests: 100000 right, 15 failed, 9988.6/s, mean 4.980, p50 ?, p99 ? ms"],
        &["throughput_of_failures"],
    ),
    (
        "drnbench-semicolon.csv",
        &["1 client: 500 right, 0 failed, 50.0/s, mean 10.000, p50 ?, p99 ? ms"],
        &[],
    ),
    (
        "elbencho.csv",
        &["WRITE: 1600 right, ? failed, 1333.5/s, mean ?, p50 ?, p99 ? ms"],
        &[],
    ),
    (
        "fortio-codes.json",
        &["requests: 2938 right, 62 failed, 979.3/s, mean 0.400, p50 0.200, p99 ? ms"],
        &["throughput_of_failures", "few_samples"],
    ),
    (
        "gatling.txt",
        &["requests: 9924 right, 5000 failed, 24.3/s, mean 138.000, p50 133.000, p99 509.000 ms"],
        &["hidden_failures"],
    ),
    ("go-a.txt", &["Read-4 × 8", "Write-4 × 8"], &[]),
    ("go-b.txt", &["Read-4 × 8"], &["left_out"]),
    (
        "go-commas.txt",
        &["Site/TOML,sections=5,pages=1000-4 × 6"],
        &[],
    ),
    ("go-cpu-new.txt", &["Read-8 × 8"], &[]),
    ("go-cpu-old.txt", &["Read × 8", "Read-8 × 8"], &[]),
    ("go-cpu.txt", &["Read × 8", "Read-8 × 8"], &[]),
    ("go-crlf.txt", &["Read-16 × 8", "Write-16 × 8"], &[]),
    ("go-custom-only.txt", &["Read-16 × 6", "Pause-16 × 6"], &[]),
    ("go-failed.txt", &["Read-16 × 6"], &["left_out"]),
    ("go-json.txt", &["Read-16 × 6"], &[]),
    ("go-mbs.txt", &["Copy-16 × 6"], &[]),
    ("go-new.txt", &["Read-16 × 8", "Write-16 × 8"], &[]),
    (
        "go-numeric-end.txt",
        &["Copy/bytes-64 × 6", "Copy/bytes-65536 × 6"],
        &[],
    ),
    ("go-old.txt", &["Read-16 × 8", "Write-16 × 8"], &[]),
    (
        "go-packages.txt",
        &[
            "example.org/kv.Encode-16 × 6",
            "example.org/kv/slow.Encode-16 × 6",
        ],
        &[],
    ),
    ("go-split-line.txt", &["Read-16 × 6", "Write-16 × 6"], &[]),
    ("go-truncated.txt", &["Read-16 × 8", "Write-16 × 8"], &[]),
    ("go-unit-new.txt", &["Serve-16 × 6"], &[]),
    ("go-unit.txt", &["Serve-16 × 6"], &[]),
    ("go-utf16le.txt", &["Read-16 × 8", "Write-16 × 8"], &[]),
    ("go-utf8bom.txt", &["Read-16 × 8", "Write-16 × 8"], &[]),
    ("go-v.txt", &["Read-16 × 6"], &[]),
    (
        "h2load-2015.txt",
        &["requests: 500 right, 0 failed, 3533.6/s, mean 0.251, p50 ?, p99 ? ms"],
        &[],
    ),
    (
        "h2load-goaway.txt",
        &["requests: 400 right, 3600 failed, 2807.0/s, mean 0.251, p50 ?, p99 ? ms"],
        &["hidden_failures"],
    ),
    (
        "h2load-real-D.txt",
        &["requests: 6885 right, 0 failed, 6885.0/s, mean 0.288, p50 ?, p99 ? ms"],
        &[],
    ),
    (
        "h2load-real-goaway.txt",
        &["requests: 200 right, 200 failed, 1279.6/s, mean 1.510, p50 ?, p99 ? ms"],
        &["hidden_failures"],
    ),
    (
        "h2load-timing-zero.txt",
        &["requests: 0 right, 0 failed, 0.0/s, mean ?, p50 ?, p99 ? ms"],
        &["no_result"],
    ),
    (
        "hey-10-requests.txt",
        &["requests: 10 right, 0 failed, 6.4/s, mean 777.200, p50 836.400, p99 ? ms"],
        &["few_samples"],
    ),
    (
        "hey-good.txt",
        &["requests: 10 right, 0 failed, 6.4/s, mean 777.200, p50 836.400, p99 837.600 ms"],
        &["few_samples"],
    ),
    (
        "hey-good.txt.gz",
        &["requests: 10 right, 0 failed, 6.4/s, mean 777.200, p50 836.400, p99 837.600 ms"],
        &["few_samples"],
    ),
    (
        "hey-spaces.txt",
        &["requests: 10 right, 0 failed, 6.4/s, mean 777.200, p50 836.400, p99 837.600 ms"],
        &["few_samples"],
    ),
    (
        "hey-utf8bom.txt",
        &["requests: 10 right, 0 failed, 6.4/s, mean 777.200, p50 836.400, p99 837.600 ms"],
        &["few_samples"],
    ),
    (
        "hey.csv",
        &["requests: 392 right, 8 failed, 1794.1/s, mean 16.999, p50 17.007, p99 19.005 ms"],
        &["throughput_of_failures"],
    ),
    (
        "hgrm-comma.hgrm",
        &["values: ? right, ? failed, ?/s, mean 1.600, p50 1.500, p99 ? ms"],
        &[],
    ),
    (
        "hgrm-dot.hgrm",
        &["values: ? right, ? failed, ?/s, mean 1.600, p50 1.500, p99 ? ms"],
        &[],
    ),
    (
        "hyperfine.json",
        &["curl -s http://127.0.0.1:9001/ × 10"],
        &[],
    ),
    (
        "k6-ci-log.txt",
        &["requests: 8970 right, 0 failed, 299.0/s, mean 131.220, p50 124.770, p99 ? ms"],
        &[],
    ),
    (
        "k6-custom-stats.txt",
        &["requests: 8970 right, 0 failed, 299.0/s, mean 33.100, p50 ?, p99 812.330 ms"],
        &["few_samples"],
    ),
    (
        "k6-export-thresholds.json",
        &["requests: 912 right, 0 failed, 15.2/s, mean 32.700, p50 9.860, p99 ? ms"],
        &[],
    ),
    (
        "k6-minutes.txt",
        &["requests: 8970 right, 0 failed, 299.0/s, mean 33100.000, p50 30200.000, p99 ? ms"],
        &[],
    ),
    (
        "k6-no-failed-metric.txt",
        &["requests: 8970 right, ? failed, 299.0/s, mean 131.220, p50 124.770, p99 ? ms"],
        &[],
    ),
    (
        "k6-stream.json",
        &["requests: 100 right, 0 failed, 896.9/s, mean 62.000, p50 61.506, p99 ? ms"],
        &[],
    ),
    (
        "k6-threshold-marks.txt",
        &["requests: 8970 right, 0 failed, 299.0/s, mean 131.220, p50 124.770, p99 ? ms"],
        &[],
    ),
    (
        "locust_stats.csv",
        &[
            "GET /: 1196 right, 4 failed, 39.9/s, mean 13.400, p50 12.000, p99 60.000 ms",
            "GET /never: 0 right, 0 failed, 0.0/s, mean ?, p50 ?, p99 ? ms",
        ],
        &["no_result", "throughput_of_failures", "few_samples"],
    ),
    (
        "oha-all-failed.json",
        &["requests: 0 right, 8202 failed, 0.0/s, mean ?, p50 ?, p99 ? ms"],
        &["no_result", "throughput_of_failures"],
    ),
    (
        "oha-good.json",
        &["requests: 1000 right, 0 failed, 500.0/s, mean 4.000, p50 3.100, p99 15.000 ms"],
        &[],
    ),
    (
        "oha-nan.json",
        &["requests: 1000 right, 0 failed, 500.0/s, mean ?, p50 3.100, p99 15.000 ms"],
        &[],
    ),
    (
        "oha-two.json",
        &["FILE:2: holds several results of oha, or other text; write each to a separate file"],
        &[],
    ),
    (
        "oha-utf8bom.json",
        &["requests: 1000 right, 0 failed, 500.0/s, mean 4.000, p50 3.100, p99 15.000 ms"],
        &[],
    ),
    (
        "osb-summary.csv",
        &["term: ? right, ? failed, 50.2/s, mean ?, p50 6.100, p99 7.600 ms"],
        &[],
    ),
    (
        "vegeta-encoded.csv",
        &["requests: 200 right, 0 failed, 999.0/s, mean 1.201, p50 1.201, p99 ? ms"],
        &[],
    ),
    (
        "vegeta-encoded.json",
        &["requests: 200 right, 0 failed, 142756.2/s, mean 1.201, p50 1.201, p99 ? ms"],
        &[],
    ),
    (
        "vegeta-hdrplot.txt",
        &["requests: 500 right, ? failed, ?/s, mean ?, p50 0.220, p99 1.200 ms"],
        &[],
    ),
    (
        "vegeta-minutes.txt",
        &["requests: 120000 right, 0 failed, 1000.0/s, mean 3.200, p50 2.900, p99 12.100 ms"],
        &[],
    ),
    (
        "vegeta-none.txt",
        &["requests: 0 right, 500 failed, 0.0/s, mean 0.240, p50 0.220, p99 1.200 ms"],
        &["no_result", "hidden_failures"],
    ),
    (
        "vegeta-status0.txt",
        &[
            "requests: 2414 right, 6586 failed, 109.3/s, mean 5327.000, p50 5306.000, p99 10185.000 ms",
        ],
        &["hidden_failures"],
    ),
    (
        "warp-loading-prefix.json",
        &["FILE: has no sums of an operation"],
        &[],
    ),
    (
        "wrk-all-read-errors.txt",
        &["requests: 0 right, 236 failed, 0.0/s, mean ?, p50 ?, p99 ? ms"],
        &["no_result", "hidden_failures"],
    ),
    (
        "wrk-ansi.txt",
        &["requests: 210433 right, 0 failed, 7005.1/s, mean 1.120, p50 1.010, p99 3.100 ms"],
        &[],
    ),
    (
        "wrk-ci-log.txt",
        &["requests: 210433 right, 0 failed, 7005.1/s, mean 1.120, p50 1.010, p99 3.100 ms"],
        &[],
    ),
    (
        "wrk-compose-log.txt",
        &["requests: 210433 right, 0 failed, 7005.1/s, mean 1.120, p50 1.010, p99 3.100 ms"],
        &[],
    ),
    (
        "wrk-good.txt",
        &["requests: 210433 right, 0 failed, 7005.1/s, mean 1.120, p50 1.010, p99 3.100 ms"],
        &[],
    ),
    (
        "wrk-indented.txt",
        &["requests: 210433 right, 0 failed, 7005.1/s, mean 1.120, p50 1.010, p99 3.100 ms"],
        &[],
    ),
    (
        "wrk-lua-json.txt",
        &["requests: 210433 right, 0 failed, 7005.1/s, mean 1.120, p50 1.010, p99 3.100 ms"],
        &[],
    ),
    (
        "wrk-no-unit.txt",
        &["FILE:4: the mean latency is \"1531867\""],
        &[],
    ),
    (
        "wrk-real-early.txt",
        &["requests: 5066 right, 0 failed, 5046.4/s, mean 1.050, p50 1.320, p99 4.460 ms"],
        &["filled_in"],
    ),
    (
        "wrk-real-hang.txt",
        &["requests: 0 right, 0 failed, 0.0/s, mean ?, p50 ?, p99 ? ms"],
        &["no_result"],
    ),
    (
        "wrk-real-refused.txt",
        &["FILE: is the error of wrk that it could not connect; nothing was measured"],
        &[],
    ),
    (
        "wrk-real-silentclose.txt",
        &["requests: 2252 right, 2250 failed, 2236.9/s, mean 1.470, p50 0.752, p99 8.020 ms"],
        &["hidden_failures"],
    ),
    (
        "wrk-seconds.txt",
        &["requests: 260 right, 0 failed, 8.7/s, mean 9010.000, p50 9100.000, p99 75000.000 ms"],
        &["few_samples"],
    ),
    (
        "wrk-tfb-raw.txt",
        &["FILE: holds several results of wrk; write each to a separate file"],
        &[],
    ),
    (
        "wrk-utf16le.txt",
        &["requests: 210433 right, 0 failed, 7005.1/s, mean 1.120, p50 1.010, p99 3.100 ms"],
        &[],
    ),
    (
        "wrk-utf8bom.txt",
        &["requests: 210433 right, 0 failed, 7005.1/s, mean 1.120, p50 1.010, p99 3.100 ms"],
        &[],
    ),
    (
        "wrk-zero.txt",
        &["requests: 0 right, 0 failed, 0.0/s, mean ?, p50 ?, p99 ? ms"],
        &["no_result"],
    ),
];

/// One line for each operation: right and failed requests, rate of the right ones, mean, p50, p99.
fn said(reported: &Reported) -> Vec<String> {
    let mut lines: Vec<(String, usize)> = Vec::new();
    for of in &reported.measurements {
        let line = if of.is_repetition {
            of.name()
        } else {
            format!("{}: {}", of.name(), figures(of))
        };
        match lines.iter_mut().find(|(known, _)| *known == line) {
            Some((_, count)) => *count += 1,
            None => lines.push((line, 1)),
        }
    }
    let counted = |(line, count): (String, usize)| match count {
        1 => line,
        _ => format!("{line} × {count}"),
    };
    lines.into_iter().map(counted).collect()
}

fn figures(of: &Measurement) -> String {
    let count = |count: Option<u64>| count.map_or("?".to_owned(), |count| count.to_string());
    let millis = |seconds: Option<f64>| {
        seconds.map_or("?".to_owned(), |seconds| format!("{:.3}", seconds * 1e3))
    };
    let at = |quantile: f64| Some(of.percentile(quantile)?.time.middle());
    format!(
        "{} right, {} failed, {}/s, mean {}, p50 {}, p99 {} ms",
        count(of.ok()),
        count(of.known_failed()),
        of.speed()
            .map_or("?".to_owned(), |speed| format!("{speed:.1}")),
        millis(of.mean.as_ref().map(|mean| mean.value.middle())),
        millis(at(0.5)),
        millis(at(0.99)),
    )
}

fn rules(reported: &Reported) -> Vec<&'static str> {
    let findings = lint(&Files {
        all: std::slice::from_ref(reported),
        changed: &[],
    });
    let mut rules: Vec<&str> = findings.iter().map(|finding| finding.rule).collect();
    rules.dedup();
    rules
}

#[test]
fn every_file_is_read_rightly_or_refused_with_its_reason() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/public-reports");
    let mut names: Vec<String> = fs::read_dir(&directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let listed: Vec<&str> = TABLE.iter().map(|(name, ..)| *name).collect();
    assert_eq!(names, listed);
    for (name, expected, found) in TABLE {
        let bytes = fs::read(directory.join(name)).unwrap();
        match reported_bytes("FILE", &bytes) {
            Ok(read) => {
                assert_eq!(said(&read), *expected, "{name}");
                assert_eq!(rules(&read), *found, "{name}");
            }
            Err(error) => assert_eq!([error.to_string()], *expected, "{name}"),
        }
    }
}
