//! The figures of a running experiment, read over HTTP.
#![cfg(target_os = "linux")]

mod common;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::mpsc::channel;
use std::time::Duration;

use common::{Running, Scratch, Tenbin};
use nix::sys::signal::Signal;
use serde_json::Value;

const SOON: Duration = Duration::from_secs(60);

/// Options that compare two built-in servers in slices of one second.
const SHORT: [&str; 16] = [
    "--builtin", "one=http", "--builtin", "other=http", "--rounds", "4", "--slice", "1s",
    "--warmup", "0s", "--gap", "0s", "--relaunch=never", "--connections", "2", "--quiet",
];

/// Waits for an output line that starts with `before`, and returns the rest of the line.
fn printed(running: &mut Running, before: &str) -> String {
    let mut found = None;
    let mut find = |text: &str| {
        let mut lines = text.lines();
        found = lines.find_map(|line| line.strip_prefix(before).map(str::to_owned));
        found.is_some()
    };
    let started = common::wait_until(SOON, || find(&running.so_far()));
    assert!(started, "{}", running.so_far());
    found.expect("an address")
}

/// Splits a URL into host with port, and path.
fn parts(url: &str) -> (&str, &str) {
    let rest = url.strip_prefix("http://").expect("an HTTP URL");
    rest.split_at(rest.find('/').expect("a path"))
}

fn open(host: &str, path: &str, named: &str) -> TcpStream {
    let mut stream = TcpStream::connect(host).expect("a connection");
    stream.set_read_timeout(Some(SOON)).expect("a time limit");
    let request = format!("GET {path} HTTP/1.1\r\nHost: {named}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("a request");
    stream
}

/// Sends a GET with the Host header `named`, and returns status, head and body.
fn get(host: &str, path: &str, named: &str) -> (u16, String, String) {
    let mut text = String::new();
    let mut stream = open(host, path, named);
    stream.read_to_string(&mut text).expect("a response");
    let (head, body) = text.split_once("\r\n\r\n").expect("a head");
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok());
    (status.expect("a status"), head.to_owned(), body.to_owned())
}

/// Reads events until the first event named `last`, and returns all names and data.
fn events_until(stream: TcpStream, last: &str) -> Vec<(String, Value)> {
    let mut events = Vec::new();
    let mut name = String::new();
    for line in BufReader::new(stream).lines() {
        let line = line.expect("a line");
        if let Some(of) = line.strip_prefix("event: ") {
            name = of.to_owned();
        } else if let Some(data) = line.strip_prefix("data: ") {
            events.push((name.clone(), serde_json::from_str(data).expect("JSON")));
            if name == last {
                return events;
            }
        }
    }
    panic!("the stream ended without {last}: {events:?}");
}

fn run_directory(scratch: &Scratch) -> PathBuf {
    let mut runs = std::fs::read_dir(scratch.path().join("runs")).expect("runs");
    runs.next().expect("a run").expect("an entry").path()
}

#[test]
fn a_live_run_sends_its_figures_to_those_who_have_the_token_and_then_the_report() {
    let scratch = Scratch::new("live");
    let mut running = Tenbin::new(&scratch, ["http", "--live"].iter().chain(&SHORT)).start();
    let url = printed(&mut running, "live page: ");
    let (host, path) = parts(&url);
    assert!(host.starts_with("127.0.0.1:"), "{url}");

    let (status, head, page) = get(host, path, host);
    assert_eq!(status, 200, "{head}");
    for part in [
        "default-src 'none'",
        "connect-src 'self'",
        "script-src 'sha256-",
        "frame-ancestors 'none'",
        "X-Content-Type-Options: nosniff",
    ] {
        assert!(head.contains(part), "{part} in {head}");
    }
    assert!(page.contains("new EventSource(\"events\")"), "{page}");
    assert!(page.contains("one, other"), "{page}");
    for (path, named) in [
        ("/", host),
        ("/events", host),
        ("/00000000000000000000000000000000/events", host),
        (path, "rebound.example"),
    ] {
        let (status, _, body) = get(host, path, named);
        assert_eq!(status, 403, "{path} at {named}: {body}");
    }

    let events = events_until(open(host, &format!("{path}events"), host), "done");
    assert_eq!(events[0].0, "begin");
    let seconds: Vec<&Value> = events
        .iter()
        .filter(|(name, _)| name == "second")
        .map(|(_, data)| data)
        .collect();
    for target in ["one", "other"] {
        let mut of = seconds.iter().filter(|data| data["target"] == target);
        let busy = of.find(|data| data["rate"].as_f64() > Some(0.0));
        let busy = busy.unwrap_or_else(|| panic!("no figures of {target}: {events:?}"));
        assert!(busy["p50"].as_f64() > Some(0.0), "{busy}");
        assert!(busy["p99"].as_f64() >= busy["p50"].as_f64(), "{busy}");
        assert_eq!((&busy["failed"], &busy["slices"]), (&0.into(), &8.into()));
    }
    // There may be no event between two slices of a target, so not every slice number appears.
    let slices = seconds.iter().map(|data| data["slice"].as_u64());
    assert!(slices.max().flatten() > Some(4), "{events:?}");

    let (status, head, report) = get(host, &format!("{path}report.html"), host);
    assert_eq!(status, 200, "{head}");
    let kept = std::fs::read_to_string(run_directory(&scratch).join("report.html"));
    assert!(report == kept.expect("a report"));
    let run = running.wait(SOON);
    run.expect_measured();
    assert!(
        TcpStream::connect(host).is_err(),
        "the server is still there"
    );
    scratch.expect_nobody_left(Duration::from_secs(5));
}

/// Chromium opens the live page and then loads the report.
#[test]
fn a_browser_follows_the_live_page_to_the_report() {
    let scratch = Scratch::new("live-browser");
    let mut running = Tenbin::new(&scratch, ["http", "--live"].iter().chain(&SHORT)).start();
    let url = printed(&mut running, "live page: ");
    // The virtual time of headless Chromium does not advance while the browser waits for events.
    let output = common::tied("chromium")
        .args(["--headless=new", "--no-sandbox", "--disable-gpu"])
        .args(["--disable-dev-shm-usage", "--no-first-run"])
        .args([
            "--disable-background-networking",
            "--disable-component-update",
        ])
        .args(["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"])
        .args(["--enable-logging=stderr", "--virtual-time-budget=20000"])
        .arg(format!("--user-data-dir={}", scratch.join("profile")))
        .args(["--dump-dom", &url])
        .output()
        .expect("chromium, which `cargo xtask setup` installs");
    let run = running.wait(SOON);
    run.expect_measured();
    let dom = String::from_utf8_lossy(&output.stdout);
    assert!(dom.contains("class=\"badge"), "no report: {dom}");
    let said = String::from_utf8_lossy(&output.stderr);
    let console: Vec<&str> = said
        .lines()
        .filter(|line| line.contains(":CONSOLE"))
        .collect();
    assert!(console.is_empty(), "{console:?}");
}

#[test]
fn a_plan_can_ask_for_further_files_and_the_live_page() {
    let scratch = Scratch::new("output");
    std::fs::create_dir(scratch.path().join("bench")).expect("a directory");
    let plan = |export: &str| {
        let text = format!(
            "expect = \"throughput>1/s\"\n[rounds]\ncount = 1\nslice = \"300ms\"\nwarmup = \
             \"0s\"\n[output]\nexport = {export}\nlive = true\n[[target]]\nname = \
             \"one\"\nbuiltin = \"http\"\n[[workload]]\nkind = \"http\"\n"
        );
        scratch.write("bench/plan.toml", text)
    };
    let refused = Tenbin::new(&scratch, ["run", &plan("[\"gnuplot\"]")]).run();
    refused
        .expect_code(2)
        .expect_stderr("in [output]: export \"gnuplot\": there is no format \"gnuplot\"");

    let plan = plan("[\"csv\", \"junit=result.xml\"]");
    let run = Tenbin::line(&scratch, format!("run {plan} --export csv --export go")).run();
    assert!(matches!(run.code, Some(0 | 6 | 8)), "{run}");
    run.expect_stderr("live page: http://127.0.0.1:");
    // No client had the live page open, so the run does not wait for one.
    assert!(run.took < Duration::from_secs(60), "{run}");
    let directory = run_directory(&scratch);
    let junit = std::fs::read_to_string(scratch.path().join("bench/result.xml"));
    assert!(junit.expect("bench/result.xml").contains("<testsuite"));
    assert_eq!(run.stderr.matches("note: csv: ").count(), 1, "{run}");
    assert_eq!(run.stderr.matches("note: go: ").count(), 1, "{run}");
    let kept = std::fs::read_to_string(directory.join("plan.toml")).expect("a plan");
    let junit = format!("junit={}", scratch.join("bench/result.xml"));
    assert!(
        kept.contains(&format!(
            "[output]\nexport = [\"csv\", \"{junit}\"]\nlive = true\n"
        )),
        "{kept}"
    );

    // A packed plan can come from another machine, so `rerun` ignores `[output]`.
    std::fs::remove_file(scratch.path().join("bench/result.xml")).expect("bench/result.xml");
    let again = Tenbin::new(&scratch, ["rerun", "last"]).run();
    assert!(matches!(again.code, Some(0 | 6 | 8)), "{again}");
    again.expect_silence_about("live page");
    assert!(!scratch.path().join("bench/result.xml").exists(), "{again}");
}

#[test]
fn a_port_in_use_is_refused_before_anything_starts() {
    let scratch = Scratch::new("live-port");
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port();
    for option in [format!("--live={port}"), format!("--prometheus={port}")] {
        let run = Tenbin::new(&scratch, ["http", &option].iter().chain(&SHORT)).run();
        let name = option.split('=').next().expect("a flag");
        run.expect_code(2).expect_stderr(&format!(
            "error: {name}: cannot listen on 127.0.0.1:{port}: "
        ));
    }
    assert!(!scratch.path().join("runs").exists());
}

/// Starts a Prometheus server that scrapes this address every second; returns its own address, too.
fn prometheus(scratch: &Scratch, address: &str) -> (std::process::Child, String) {
    let config = format!(
        "global:\n  scrape_interval: 1s\n  scrape_timeout: 1s\nscrape_configs:\n  - job_name: \
         tenbin\n    static_configs:\n      - targets: ['{address}']\n"
    );
    let config = scratch.write("prometheus.yml", config);
    let own = format!("127.0.0.1:{}", common::free_port());
    let log = std::fs::File::create(scratch.join("prometheus.log")).expect("a log");
    let child = common::tied("prometheus")
        .arg(format!("--config.file={config}"))
        .arg(format!("--storage.tsdb.path={}", scratch.join("tsdb")))
        .arg(format!("--web.listen-address={own}"))
        .stderr(log)
        .spawn()
        .expect("prometheus, which `cargo xtask setup` installs");
    let is_up = || TcpStream::connect(&own).is_ok();
    assert!(common::wait_until(SOON, is_up), "prometheus does not start");
    (child, own)
}

/// Runs a Prometheus query, and returns the label `target` and the value of each sample.
fn query(own: &str, query: &str) -> Vec<(String, f64)> {
    let (status, _, body) = get(own, &format!("/api/v1/query?query={query}"), own);
    if status != 200 {
        return Vec::new();
    }
    // A chunked body has chunk sizes before and after the JSON.
    let (start, end) = (body.find('{'), body.rfind('}'));
    let json: Value = match (start, end) {
        (Some(start), Some(end)) => serde_json::from_str(&body[start..=end]).expect("JSON"),
        _ => return Vec::new(),
    };
    let samples = json["data"]["result"].as_array().expect("samples").iter();
    let sample = |sample: &Value| {
        let value = sample["value"][1].as_str()?.parse().ok()?;
        let target = sample["metric"]["target"].as_str().unwrap_or_default();
        Some((target.to_owned(), value))
    };
    samples.filter_map(sample).collect()
}

#[test]
fn a_prometheus_server_reads_the_counters_of_a_run() {
    let scratch = Scratch::new("prometheus");
    let port = common::free_port().to_string();
    let address = format!("127.0.0.1:{port}");
    let (mut server, own) = prometheus(&scratch, &address);
    // Longer than the test, which interrupts the run at the end.
    let length = ["--rounds", "100", "--slice", "2s"];
    let options = SHORT
        .iter()
        .filter(|word| !["--rounds", "4", "--slice", "1s"].contains(word));
    let arguments = ["http", "--prometheus", &port];
    let arguments = arguments.iter().chain(&length).chain(options);
    let mut running = Tenbin::new(&scratch, arguments).start();
    let url = printed(&mut running, "metrics: ");
    assert_eq!(url, format!("http://{address}/metrics"));

    let mut last = Vec::new();
    let has_both = common::wait_until(SOON, || {
        last = query(&own, "tenbin_operations_total");
        let has = |name| {
            last.iter()
                .any(|(target, count)| target == name && *count > 0.0)
        };
        has("one") && has("other")
    });
    assert!(has_both, "{last:?}: {}", running.so_far());
    for (of, least) in [
        ("tenbin_service_seconds{quantile=\"0.99\"}", 1e-6),
        ("tenbin_target_cpu_seconds_total", 1e-6),
        ("tenbin_slices", 8.0),
        ("tenbin_slice", 1.0),
        ("tenbin_run_info", 1.0),
        ("sum(tenbin_target_active)", 0.0),
        ("sum(tenbin_errors_total)", 0.0),
    ] {
        let encoded = of
            .replace('{', "%7B")
            .replace('}', "%7D")
            .replace('"', "%22");
        let found = query(&own, &encoded);
        assert!(!found.is_empty(), "{of}: no sample");
        assert!(
            found.iter().all(|(_, value)| *value >= least),
            "{of}: {found:?}"
        );
    }
    let (status, head, metrics) = get(&address, "/metrics", &address);
    assert_eq!(status, 200, "{head}");
    let file = scratch.write("metrics.txt", metrics);
    let checked = common::tied("promtool")
        .args(["check", "metrics"])
        .stdin(std::fs::File::open(file).expect("the metrics"))
        .output()
        .expect("promtool, which comes with prometheus");
    let said = String::from_utf8_lossy(&checked.stderr);
    assert!(checked.status.success() && said.is_empty(), "{said}");
    running.signal(Signal::SIGINT);
    running.wait(SOON).expect_code(130);
    server.kill().expect("the server can be stopped");
    server.wait().expect("the server has ended");
    scratch.expect_nobody_left(Duration::from_secs(5));
}

/// Field names of an opentelemetry-proto message. `of` names the field that contains the message.
fn fields(of: &str) -> &'static [&'static str] {
    match of {
        "" => &["resourceMetrics"],
        "resourceMetrics" => &["resource", "scopeMetrics", "schemaUrl"],
        "resource" => &["attributes", "droppedAttributesCount"],
        "scopeMetrics" => &["scope", "metrics", "schemaUrl"],
        "scope" => &["name", "version", "attributes", "droppedAttributesCount"],
        "metrics" => &["name", "description", "unit", "gauge", "sum", "histogram"],
        "gauge" => &["dataPoints"],
        "sum" => &["dataPoints", "aggregationTemporality", "isMonotonic"],
        "histogram" => &["dataPoints", "aggregationTemporality"],
        "dataPoints" => &[
            "attributes", "startTimeUnixNano", "timeUnixNano", "asDouble", "asInt", "count", "sum",
            "min", "max", "bucketCounts", "explicitBounds", "exemplars", "flags",
        ],
        "attributes" => &["key", "value"],
        "value" => &["stringValue", "intValue", "doubleValue", "boolValue"],
        of => panic!("no message in {of}"),
    }
}

/// 64-bit integer fields, which are decimal strings in OTLP/JSON.
const LONG: [&str; 4] = ["startTimeUnixNano", "timeUnixNano", "asInt", "count"];

/// Fails unless the protocol defines all fields of `value`, recursively.
fn check_fields(of: &str, value: &Value) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                assert!(fields(of).contains(&name.as_str()), "{of}: {name}");
                if LONG.contains(&name.as_str()) {
                    let text = member
                        .as_str()
                        .unwrap_or_else(|| panic!("{name}: {member}"));
                    text.parse::<u64>().expect("digits");
                }
                check_fields(name, member);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| check_fields(of, item)),
        _ => {}
    }
}

/// Receives one export with the token "a, b", and returns its JSON body.
fn receive(listener: &TcpListener) -> Value {
    let (mut stream, _) = listener.accept().expect("a connection");
    let mut reader = BufReader::new(stream.try_clone().expect("a stream"));
    let mut line = String::new();
    reader.read_line(&mut line).expect("a request line");
    assert_eq!(line, "POST /v1/metrics HTTP/1.1\r\n");
    let (mut length, mut token) = (0, String::new());
    loop {
        line.clear();
        reader.read_line(&mut line).expect("a header");
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            break;
        };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().expect("a length"),
            "content-type" => assert_eq!(value, "application/json"),
            "x-token" => token = value.to_owned(),
            _ => {}
        }
    }
    assert_eq!(token, "a, b");
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("a body");
    let response = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\
                    Connection: close\r\n\r\n{}";
    stream.write_all(response.as_bytes()).expect("a response");
    serde_json::from_slice(&body).expect("JSON")
}

/// Data points of a metric.
fn points<'r>(request: &'r Value, metric: &str) -> &'r [Value] {
    let all = &request["resourceMetrics"][0]["scopeMetrics"][0]["metrics"];
    let mut all = all.as_array().expect("metrics").iter();
    let found = all.find(|one| one["name"] == metric);
    let found = found.unwrap_or_else(|| panic!("no {metric} in {request}"));
    let kinds = ["sum", "gauge", "histogram"].map(|kind| found[kind]["dataPoints"].as_array());
    kinds.into_iter().flatten().next().expect("points")
}

#[test]
fn a_collector_receives_the_counters_of_a_run_by_otlp() {
    let scratch = Scratch::new("otlp");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let arguments = ["http", "--otlp", &url];
    let running = Tenbin::new(&scratch, arguments.iter().chain(&SHORT))
        .env("OTEL_EXPORTER_OTLP_HEADERS", "x-token=a%2C%20b")
        .start();
    let (exports, received) = channel();
    std::thread::spawn(move || while exports.send(receive(&listener)).is_ok() {});
    let run = running.wait(SOON);
    run.expect_measured();
    assert!(!run.stderr.contains("--otlp"), "{run}");
    // Tenbin waits for the response to the last export before it ends.
    let next = || received.recv_timeout(Duration::from_secs(2)).ok();
    let exports: Vec<Value> = std::iter::from_fn(next).collect();
    assert!(exports.len() >= 2, "{exports:?}");
    exports.iter().for_each(|export| check_fields("", export));
    let last = exports.last().expect("an export");
    let all = std::fs::read_to_string(run_directory(&scratch).join("result.json"));
    let all: Value = serde_json::from_str(&all.expect("result.json")).expect("JSON");
    for target in ["one", "other"] {
        let named = |point: &&Value| {
            let attributes = point["attributes"].as_array().expect("attributes");
            let named = |each: &Value| each["value"]["stringValue"] == target;
            attributes.iter().any(named)
        };
        let of = |metric: &str| points(last, metric).iter().find(named).cloned();
        let operations = of("tenbin.operations").expect("a counter");
        let mut results = all["results"].as_array().expect("results").iter();
        let result = results
            .find(|one| one["target"] == target)
            .expect("a result");
        assert_eq!(operations["asInt"], result["ok"].to_string(), "{target}");
        let times = of("tenbin.service.duration").expect("times");
        let buckets = times["bucketCounts"].as_array().expect("buckets").iter();
        let sum: u64 = buckets
            .map(|count| {
                count
                    .as_str()
                    .expect("digits")
                    .parse::<u64>()
                    .expect("a count")
            })
            .sum();
        assert_eq!(times["count"], sum.to_string());
        let bounds = times["explicitBounds"].as_array().expect("bounds");
        assert_eq!(
            bounds.len() + 1,
            times["bucketCounts"].as_array().expect("buckets").len()
        );
    }
}

#[test]
fn a_collector_that_is_not_there_is_reported_once_and_the_run_continues() {
    let scratch = Scratch::new("otlp-gone");
    let url = format!("http://127.0.0.1:{}", common::free_port());
    let arguments = ["http", "--otlp", &url];
    let run = Tenbin::new(&scratch, arguments.iter().chain(&SHORT)).run();
    run.expect_measured();
    let warning = "warning: --otlp: cannot send metrics: ";
    assert_eq!(run.stderr.matches(warning).count(), 1, "{run}");
}

#[test]
fn headers_for_the_collector_that_cannot_be_read_are_refused_and_not_shown() {
    let scratch = Scratch::new("otlp-headers");
    let arguments = ["http", "--otlp", "http://127.0.0.1:9"];
    let run = Tenbin::new(&scratch, arguments.iter().chain(&SHORT))
        .env("OTEL_EXPORTER_OTLP_HEADERS", "Bearer hush")
        .run();
    assert_eq!(run.code, Some(2), "{run}");
    let message = "OTEL_EXPORTER_OTLP_HEADERS is not name=value,name=value";
    assert!(run.stderr.contains(message), "{run}");
    assert!(!run.stderr.contains("hush"), "{run}");
}
