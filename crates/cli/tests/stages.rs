//! Server stages by percentile band: a real nginx that sends known times, and the built-in blob
//! server, which sends its measured times.

mod common;

use common::{Nginx, Outcome, OwnServer, Scratch, Tenbin};
use serde_json::Value;

/// nginx locations with constant stage times. The total is 1 µs, so nearly all of the service time
/// remains for the network.
const TOLD: &str = r#"
    location / {
        default_type text/plain;
        add_header Server-Timing 'db;dur=1.5, cache;desc="hit, or not"';
        add_header Server-Timing 'app;dur="0.25", total;dur=0.001';
        return 200 "hello world\n";
    }
    location /unreadable { add_header Server-Timing 'db;dur=fast'; return 200 "x"; }
    location /silent { return 200 "x"; }
"#;

fn document(run: &Outcome) -> Value {
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run}"))
}

/// Stages of the first operation on `target` of the first workload whose name starts with
/// `workload`.
fn stages(document: &Value, workload: &str, target: &str) -> Value {
    let results = document["results"].as_array().expect("results").iter();
    let mut mine = results.filter(|result| {
        let name = result["workload"].as_str().unwrap_or_default();
        name.starts_with(workload) && result["target"] == target
    });
    mine.next().expect("a result")["stages"][0].clone()
}

fn count(stages: &Value, what: &str) -> u64 {
    stages[what].as_u64().unwrap_or_else(|| panic!("{stages}"))
}

/// Known means of a stage by band, seconds.
fn means(stages: &Value, stage: &str) -> Vec<f64> {
    let all = stages["stages"].as_array().expect("stages");
    let own = all.iter().find(|each| each["stage"] == stage);
    let own = own.unwrap_or_else(|| panic!("no {stage}: {stages}"));
    let bands = own["bands"].as_array().expect("bands").iter();
    bands.filter_map(|mean| mean["value"].as_f64()).collect()
}

#[test]
fn nginx_tells_its_stages_over_both_versions_of_http() {
    let scratch = Scratch::new("stages-nginx");
    let (_nginx, port) = Nginx::with_servers(&scratch, |port| {
        format!(
            "server {{ listen 127.0.0.1:{port}; {TOLD} }} \
             server {{ listen 127.0.0.2:{port} http2; {TOLD} }}"
        )
    });
    let targets = [
        format!("one=http://127.0.0.1:{port}/"),
        format!("two=http://127.0.0.2:{port}/"),
        format!("garbled=http://127.0.0.1:{port}/unreadable"),
        format!("silent=http://127.0.0.1:{port}/silent"),
    ];
    let mut words = vec!["http", "--stages", "--json", "--http", "two=2"];
    for target in &targets {
        words.extend(["--target", target]);
    }
    words.extend(["--rounds", "4", "--slice", "500ms", "--gap", "10ms"]);
    words.extend(["--warmup", "0s", "--connections", "2"]);
    let run = Tenbin::new(&scratch, &words).run();
    run.expect_measured();
    let document = document(&run);
    for target in ["one", "two"] {
        let told = stages(&document, "", target);
        assert!(count(&told, "answers") > 0, "{told}");
        assert_eq!(count(&told, "carrying"), count(&told, "answers"), "{told}");
        assert_eq!(count(&told, "unreadable"), 0);
        for (stage, expected) in [("db", 0.001_5), ("app", 0.000_25)] {
            let means = means(&told, stage);
            assert!(!means.is_empty(), "{told}");
            for mean in means {
                assert!((mean - expected).abs() < 1e-9, "{stage}: {told}");
            }
        }
        let named: Vec<&Value> = told["stages"].as_array().expect("stages").iter().collect();
        assert_eq!(named.len(), 2, "the cache reported no time: {told}");
        let fastest = &told["bands"][0];
        let [service, total, rest] =
            ["service", "total", "remainder"].map(|what| fastest[what]["value"].as_f64());
        let (service, total, rest) = (service.unwrap(), total.unwrap(), rest.unwrap());
        assert!((total - 1e-6).abs() < 1e-9, "{told}");
        assert!((service - total - rest).abs() <= service * 1e-6, "{told}");
    }
    let garbled = stages(&document, "", "garbled");
    assert_eq!(count(&garbled, "unreadable"), count(&garbled, "answers"));
    assert_eq!(count(&garbled, "carrying"), 0, "{garbled}");
    let silent = stages(&document, "", "silent");
    assert_eq!(
        (count(&silent, "carrying"), count(&silent, "unreadable")),
        (0, 0)
    );

    let directory = std::fs::read_dir(scratch.path().join("runs"))
        .and_then(|mut runs| runs.next().expect("a run"))
        .expect("a run directory")
        .path();
    let plan = std::fs::read_to_string(directory.join("plan.toml")).expect("the plan");
    assert!(plan.contains("stages = true"), "{plan}");
    let shown = Tenbin::new(&scratch, ["show".as_ref(), directory.as_os_str()]).run();
    shown
        .expect_stdout("fastest half")
        .expect_stdout("means over the requests in a band")
        .expect_stdout("(network and client)")
        .expect_stdout("silent, GET: no response reported the time of a stage");
    let summary = std::fs::read_to_string(directory.join("SUMMARY.md")).expect("the summary");
    assert!(
        summary.contains("<summary>Server stages</summary>"),
        "{summary}"
    );
    // `show` calculates the same stages from the run directory.
    let again = Tenbin::new(
        &scratch,
        ["show".as_ref(), directory.as_os_str(), "--json".as_ref()],
    )
    .run();
    let again = self::document(&again);
    assert_eq!(stages(&again, "", "two"), stages(&document, "", "two"));
}

#[test]
fn nobody_reads_stages_who_was_not_asked_to() {
    let scratch = Scratch::new("stages-off");
    let nginx = Nginx::serving(&scratch, TOLD);
    let run = Tenbin::line(
        &scratch,
        format!(
            "http --json --target {} --rounds 1 --slice 200ms --warmup 0s",
            nginx.target("a")
        ),
    )
    .run();
    run.expect_measured();
    assert_eq!(stages(&document(&run), "", "a"), Value::Null);
}

#[test]
fn the_http_server_tells_its_own_if_asked() {
    let scratch = Scratch::new("stages-http");
    let serve = ["serve", "http", "--listen", "127.0.0.1:0", "--delay", "2ms"];
    let mute = OwnServer::start(&scratch, serve);
    let telling = OwnServer::start(&scratch, serve.iter().chain(&["--server-timing"]));
    let targets = [("mute", &mute), ("telling", &telling)];
    let targets = targets.map(|(name, server)| format!("{name}=http://{}/", server.address));
    let mut words = vec!["http", "--stages", "--json", "--connections", "2"];
    for target in &targets {
        words.extend(["--target", target]);
    }
    words.extend(["--rounds", "2", "--slice", "500ms", "--gap", "10ms"]);
    words.extend(["--warmup", "0s"]);
    let run = Tenbin::new(&scratch, &words).run();
    run.expect_measured();
    let document = document(&run);
    assert_eq!(count(&stages(&document, "", "mute"), "carrying"), 0);
    let told = stages(&document, "", "telling");
    assert!(count(&told, "answers") > 0, "{told}");
    assert_eq!(count(&told, "carrying"), count(&told, "answers"), "{told}");
    // `--delay 2ms` makes `rest` at least 2 ms; the duration of `read` can be any.
    let (read, rest) = (means(&told, "read"), means(&told, "rest"));
    assert!(!rest.is_empty() && rest.iter().all(|mean| *mean >= 0.002));
    assert!(!read.is_empty() && read.iter().all(|mean| *mean >= 0.0));
    for band in told["bands"].as_array().expect("bands") {
        let [service, total] = ["service", "total"].map(|what| band[what]["value"].as_f64());
        let (Some(service), Some(total)) = (service, total) else {
            continue;
        };
        assert!(total >= 0.002 && total <= service, "{told}");
    }
}

#[test]
fn the_blob_server_tells_the_stages_of_every_phase() {
    let scratch = Scratch::new("stages-blob");
    let server = OwnServer::start(&scratch, ["serve", "blob", "--listen", "127.0.0.1:0"]);
    let target = format!("blob=http://{}", server.address);
    let run = Tenbin::line(
        &scratch,
        format!(
            "blob --json --stages --target {target} --phases pgd --size 10KiB \
             --rounds 1 --slice 3s --warmup 0s --gap 0s --objects 500"
        ),
    )
    .run();
    run.expect_measured();
    let document = document(&run);
    for (phase, named) in [
        (
            "put",
            &["CLUSTERMGR", "cm", "PROXY", "alloc", "read", "write"][..],
        ),
        ("get", &["ACCESS"]),
        ("delete", &["PROXY"]),
    ] {
        let told = stages(&document, phase, "blob");
        assert!(count(&told, "answers") > 0, "{told}");
        assert_eq!(count(&told, "carrying"), count(&told, "answers"), "{told}");
        for stage in named {
            assert!(!means(&told, stage).is_empty(), "{stage}: {told}");
        }
        // The server reads a blob after sending the head, so ACCESS excludes the read.
        for of_the_whole in ["total", "remainder"] {
            let known = told["bands"][0][of_the_whole]["value"].as_f64().is_some();
            assert_eq!(known, phase != "get", "{of_the_whole}: {told}");
        }
    }
}
