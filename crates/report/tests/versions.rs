//! Reads what other versions and variants of HTTP tools print, and what stands around it.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use std::fs;

use tenbin_report::formats::reported_bytes;
use tenbin_verdict::lint::{Files, Measurement, Reported, lint};

fn read(text: &str) -> Reported {
    reported_bytes("file", text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn only(reported: &Reported) -> &Measurement {
    let [only] = reported.measurements.as_slice() else {
        panic!("{reported:?}");
    };
    only
}

fn refusal(text: &str) -> String {
    let error = reported_bytes("file", text.as_bytes()).unwrap_err();
    error.to_string()
}

fn fixture(name: &str) -> String {
    let path = format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn near(found: Option<f64>, expected: f64) {
    let found = found.expect("a figure");
    assert!(
        (found / expected - 1.0).abs() < 0.01,
        "{found}, not {expected}"
    );
}

fn at(of: &Measurement, quantile: f64) -> Option<f64> {
    of.percentile(quantile).map(|each| each.time.middle())
}

fn max(of: &Measurement) -> Option<f64> {
    of.max.as_ref().map(|said| said.value.middle())
}

fn rules(reported: Reported) -> Vec<&'static str> {
    let files = Files {
        all: &[reported],
        changed: &[],
    };
    lint(&files).iter().map(|finding| finding.rule).collect()
}

/// What wrk and its variants print, with these names of columns and these lines behind the times.
fn wrk(third: &str, calibration: &str, latencies: &str) -> String {
    format!(
        "Running 1m test @ http://127.0.0.1:8080/\n  2 threads and 64 connections\n{calibration}  \
         Thread Stats   Avg      Stdev     {third}   +/- Stdev\n    Latency   824.13ms  474.06ms   \
         1.64s    57.56%\n    Req/Sec   500.00     85.31     1.33k    88.24%\n{latencies}  59972 \
         requests in 1.00m, 3.89MB read\nRequests/sec:    999.54\nTransfer/sec:     66.36KB\n"
    )
}

const CALIBRATION: &str =
    "  Thread calibration: mean lat.: 797.206ms, rate sampling interval: 2924ms\n";

#[test]
fn variants_of_wrk2_are_open_loops_and_have_their_own_columns() {
    // Without -L, only the calibration tells wrk2 from wrk.
    let stock = read(&wrk("Max", CALIBRATION, ""));
    assert_eq!(stock.tool, "wrk2");
    assert!(!only(&stock).closed_loop && !only(&stock).fills_in);
    near(max(only(&stock)), 1.64);
    assert!(rules(stock).is_empty());
    // The variant of DeathStarBench prints p99 in place of the longest time.
    for calibration in ["", CALIBRATION] {
        let variant = read(&wrk("99%", calibration, ""));
        assert_eq!(variant.tool, "wrk2");
        assert!(!only(&variant).closed_loop && max(only(&variant)).is_none());
        near(at(only(&variant), 0.99), 1.64);
    }
    let latencies = "  Latency Distribution (HdrHistogram - Recorded Latency)\n 50.000%  \
                     800.00ms\n 99.000%    1.64s \n 99.999%    7.65s \n100.000%   13.02s \n\
                     ----------------------------------------------------------\n";
    let variant = read(&wrk("99%", "", latencies));
    near(at(only(&variant), 0.99), 1.64);
    near(at(only(&variant), 0.999_99), 7.65);
    near(max(only(&variant)), 13.02);
    // wrk itself stays a closed loop.
    let closed = read(&wrk("Max", "", ""));
    assert!(closed.tool == "wrk" && only(&closed).closed_loop);
    assert_eq!(rules(closed), ["filled_in"]);
}

#[test]
fn wrk_is_read_with_what_a_terminal_and_other_tools_leave() {
    let nothing = wrk("Max", CALIBRATION, "").replace("824.13ms  474.06ms", "nanus     nanus");
    assert!(only(&read(&nothing)).mean.is_none());
    let stopped = wrk("Max", "", "").replace("  Thread Stats", "^C  Thread Stats");
    near(max(only(&read(&stopped))), 1.64);
    let both = wrk("Max", "", "") + &fixture("http/ab-keepalive.txt");
    assert!(
        refusal(&both).contains("two results, in the formats wrk and ab"),
        "{}",
        refusal(&both)
    );
    let both = fixture("http/ab-keepalive.txt") + &wrk("Max", "", "");
    assert!(
        refusal(&both).contains("two results, in the formats wrk and ab"),
        "{}",
        refusal(&both)
    );
    let table = "Running 10s test @ http://localhost:3000\n10 connections\n\n\
                 │ Stat    │ 2.5% │ 50%  │\n│ Latency │ 0 ms │ 0 ms │\n";
    assert!(refusal(table).contains("measure with --json"));
}

/// What h2load prints, with these lines before the figures and this table.
fn h2load(begin: &str, finished: &str, timeout: &str, table: &str) -> String {
    format!(
        "starting benchmark...\n{begin}\n\nfinished in {finished}, 11265.00 req/s, 7.92MB/s\n\
         requests: 3379500 total, 3379500 started, 3379500 done, 3379500 succeeded, 0 failed, 0 \
         errored{timeout}\nstatus codes: 3379500 2xx, 0 3xx, 0 4xx, 0 5xx\ntraffic: 23.23GB \
         (24940899666) total, 2.90GB (3109163644) headers (space savings 28.12%), 18.80GB \
         (20187283008) data\n{table}"
    )
}

const TIMES: &str = "                     min         max         mean         sd        +/- sd\n\
                     time for request:      116us    102.23ms      6.63ms      3.41ms    72.93%\n";

#[test]
fn h2load_is_read_with_a_warm_up_and_in_each_version() {
    let warm = "spawning thread #0: 8 total client(s). Timing-based test with 10s of warm-up time \
                and 300s of main duration for measurements.";
    let reported = read(&h2load(warm, "310.00s", ", 0 timeout", TIMES));
    near(only(&reported).elapsed(), 300.0);
    near(only(&reported).speed(), 11_265.0);
    assert_eq!(only(&reported).connections.as_ref().unwrap().value, 8);
    let wrong = h2load("", "310.00s", ", 0 timeout", TIMES);
    assert!(refusal(&wrong).contains("contradicts itself"));
    // Before timeouts were counted.
    let old = "spawning thread #0: 10 concurrent clients, 3379500 total requests";
    let reported = read(&h2load(old, "300.00s", "", TIMES));
    near(max(only(&reported)), 0.102_23);
    // Since 1.70, other labels.
    let table = "                 min         max         median      p95         p99         mean     \
                 sd         +/- sd\nrequest     :        7us       461us        10us        15us     \
                 20us        11us         3us    93.62%\nconnect     :       78us        97us        \
                 88us        97us        97us        88us         7us    50.00%\n";
    let reported = read(&h2load(old, "300.00s", ", 0 timeout", table));
    near(at(only(&reported), 0.99), 20e-6);
    near(max(only(&reported)), 461e-6);
    let none = h2load(old, "300.00s", ", 0 timeout", "");
    assert!(refusal(&none).contains("no row of the times of requests"));
}

#[test]
fn hey_is_read_with_doubled_percent_signs_and_points_at_the_end() {
    let hey = fixture("http/hey.txt");
    let usual = read(&hey);
    let doubled = read(&hey.replace("% in ", "%% in "));
    assert_eq!(at(only(&doubled), 0.99), at(only(&usual), 0.99));
    assert!(at(only(&doubled), 0.99).is_some());
    let points = read(&hey.replace(" secs\n", " secs.\n"));
    assert_eq!(only(&points).elapsed(), only(&usual).elapsed());
    let oha = hey.replacen("  Total:", "  Success rate:\t100.00%\n  Total:", 1);
    assert!(refusal(&oha).contains("with --output-format json"));
}

#[test]
fn vegeta_is_read_with_tabs() {
    let vegeta = "Requests\t[total, rate]\t\t\t1200, 120.00\nDuration\t[total, attack, wait]\t\t\
                  10.094965987s, 9.949883921s, 145.082066ms\nLatencies\t[mean, 50, 95, 99, max]\t\t\
                  113.172398ms, 108.272568ms, 140.18235ms, 247.771566ms, 264.815246ms\nBytes In\t\
                  [total, mean]\t\t\t3714690, 3095.57\nBytes Out\t[total, mean]\t\t\t0, 0.00\n\
                  Success\t\t[ratio]\t\t\t\t55.42%\nStatus Codes\t[code:count]\t\t\t0:535  200:665  \n\
                  Error Set:\n";
    let reported = read(vegeta);
    assert_eq!(only(&reported).failed(), 535);
    near(at(only(&reported), 0.99), 0.247_77);
    assert!(refusal(&(vegeta.to_owned() + vegeta)).contains("several reports"));
}

#[test]
fn percentiles_of_old_versions_of_autocannon_have_no_point() {
    let new = fixture("recorded/autocannon.json");
    let old = new
        .replace("\"p99_9\"", "\"p999\"")
        .replace("\"p99_99\"", "\"p9999\"");
    assert_ne!(new, old);
    assert_eq!(at(only(&read(&old)), 0.999), at(only(&read(&new)), 0.999));
    assert_eq!(
        at(only(&read(&old)), 0.999_9),
        at(only(&read(&new)), 0.999_9)
    );
}

#[test]
fn responses_of_another_length_are_no_failures_of_ab() {
    let ab = fixture("http/ab-keepalive.txt");
    let line = "Failed requests:        0\n";
    assert!(ab.contains(line), "{ab}");
    let lengths = ab.replace(
        line,
        "Failed requests:        903\n   (Connect: 0, Receive: 1, Length: 900, Exceptions: 2)\n",
    );
    let reported = read(&lengths);
    assert_eq!(only(&reported).failed(), 3);
    assert!(reported.caveats[0].contains("ab counts 900 responses as failed"));
    let statuses = lengths.replace(
        "Total transferred:",
        "Non-2xx responses:      7\nTotal transferred:",
    );
    assert_eq!(only(&read(&statuses)).failed(), 10);
    let gave_up = "This is ApacheBench, Version 2.3 <$Revision: 1903618 $>\n\nBenchmarking 127.0.0.1 \
                   (be patient)\napr_socket_recv: Connection reset by peer (104)\nTotal of 123 \
                   requests completed\n";
    assert!(refusal(gave_up).contains("ab gave up and printed no result"));
}

/// Tools that print their progress into a file have their result behind its beginning.
#[test]
fn results_behind_a_long_progress_are_read() {
    let many = |line: &str| line.repeat(100_000 / line.len());
    let k6 = fixture("recorded/k6-v1.txt");
    let usual = read(&k6);
    let line = "running (0m01.0s), 50/50 VUs, 30 complete and 0 interrupted iterations\n";
    let long = read(&(many(line) + &k6));
    assert_eq!(only(&long).speed(), only(&usual).speed());
    let none = refusal(&many(line));
    assert!(
        none.contains("has no metric http_reqs, which k6 prints for HTTP"),
        "{none}"
    );
    let ab = fixture("http/ab-keepalive.txt");
    let banner = "This is ApacheBench, Version 2.3 <$Revision: 1903618 $>\n";
    let long = read(&(banner.to_owned() + &many("LOG: Response code = 200\n") + &ab));
    assert_eq!(only(&long).speed(), only(&read(&ab)).speed());
    let bombardier = fixture("recorded/bombardier.txt");
    let intro = "Bombarding http://127.0.0.1:8080/ for 1m30s using 125 connection(s)\n";
    let bar = many(" 0 / 100000 [====>-----] 0% 9000/s 00m05s\n");
    let long = read(&(intro.to_owned() + &bar + &bombardier));
    assert_eq!(only(&long).speed(), only(&read(&bombardier)).speed());
}

/// JSON documents can have many checks, or counters, before what a tool is known by.
#[test]
fn long_documents_are_recognised_by_what_they_begin_with() {
    let k6 = fixture("recorded/k6-handle-summary.json");
    let rest = k6.trim_start().strip_prefix('{').unwrap();
    let check = "{\"name\":\"is right\",\"passes\":1,\"fails\":0},".repeat(3_000);
    let check = check.trim_end_matches(',');
    let long = format!("{{\"root_group\":{{\"groups\":[],\"checks\":[{check}]}},{rest}");
    assert_eq!(only(&read(&long)).speed(), only(&read(&k6)).speed());
    let artillery = fixture("recorded/artillery.json");
    let counters: String = (0..3_000)
        .map(|number| format!("\"plugins.metrics-by-endpoint./{number}.codes.200\": 0,"))
        .collect();
    let long = artillery.replacen("\"counters\": {", &format!("\"counters\": {{{counters}"), 1);
    assert!(long.len() > artillery.len());
    assert_eq!(read(&long).tool, read(&artillery).tool);
}

#[test]
fn lists_of_other_protocols_and_joined_files_are_refused() {
    let point = |metric: &str| {
        format!(
            "{{\"metric\":\"{metric}\",\"type\":\"Point\",\"data\":{{\"time\":\
             \"2026-01-30T09:00:00Z\",\"value\":1.5,\"tags\":{{\"status\":\"200\"}}}}}}\n"
        )
    };
    let grpc = refusal(&point("grpc_req_duration"));
    assert!(grpc.contains("has no point of http_req_duration"), "{grpc}");
    let list = "timeStamp,elapsed,label,success\n1764180000000,12,Home,true\n";
    assert_eq!(read(list).measurements.len(), 1);
    let twice = refusal(&(list.to_owned() + list));
    assert!(twice.contains("the names of the columns again"), "{twice}");
    assert!(twice.starts_with("file:3: "), "{twice}");
}

#[test]
fn errors_of_fortio_without_a_status_have_their_own_text() {
    let text = "{\"RunType\":\"TCP\",\"ActualQPS\":10.0,\"ActualDuration\":1000000000,\"NumThreads\":1,\
                \"DurationHistogram\":{\"Count\":10,\"Min\":0.001,\"Max\":0.001,\"Avg\":0.001,\"Data\":\
                [{\"Start\":0.001,\"End\":0.001,\"Count\":10}]},\"RetCodes\":{\"OK\":7,\"i/o \
                timeout\":3}}";
    let reported = read(text);
    assert_eq!(only(&reported).failures[0].what, "i/o timeout");
}
