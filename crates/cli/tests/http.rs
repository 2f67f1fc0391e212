//! Plain HTTP against real nginx.

mod common;

use std::time::Duration;

use common::{Nginx, Scratch, Tenbin};

#[test]
fn two_nginx_are_weighed_and_the_run_can_be_shown_and_repeated() {
    let scratch = Scratch::new("two-nginx");
    let (left, right) = (Nginx::start(&scratch), Nginx::start(&scratch));
    let (one, other) = (left.target("left"), right.target("right"));
    let run = Tenbin::new(
        &scratch,
        [
            "http",
            "--target",
            &one,
            "--target",
            &other,
            "--rounds",
            "12",
            "--slice",
            "200ms",
            "--gap",
            "10ms",
            "--warmup",
            "100ms",
            "--connections",
            "8",
        ],
    )
    .run();
    assert!(matches!(run.code, Some(0 | 6)), "{run}");
    run.expect_stdout("left").expect_stdout("right");
    let runs = scratch.path().join("runs");
    let directory = std::fs::read_dir(&runs)
        .expect("runs")
        .next()
        .expect("a run")
        .expect("an entry")
        .path();
    for file in [
        "plan.toml",
        "environment.json",
        "intervals.jsonl",
        "latency.hlog",
        "result.json",
        "SUMMARY.md",
    ] {
        assert!(directory.join(file).is_file(), "{file}");
    }
    let relative = directory
        .strip_prefix(scratch.path())
        .expect("a run directory in the scratch directory");
    let shown = Tenbin::new(&scratch, ["show".as_ref(), relative.as_os_str()]).run();
    assert_eq!(shown.stdout, run.stdout, "show prints what the run printed");
    let plan = directory.join("plan.toml");
    let again = Tenbin::new(
        &scratch,
        [
            "run".as_ref(),
            plan.as_os_str(),
            "--rounds".as_ref(),
            "2".as_ref(),
        ],
    )
    .run();
    assert!(matches!(again.code, Some(0 | 6)), "{again}");
}

#[test]
fn json_is_the_document_alone_and_counts_what_the_server_saw() {
    let scratch = Scratch::new("json");
    let log = scratch.join("access.log");
    let nginx = Nginx::serving(
        &scratch,
        &format!(
            "access_log {log}; location / {{ default_type text/plain; return 200 'hello world\n'; }}"
        ),
    );
    let target = nginx.target("nginx");
    let run = Tenbin::new(
        &scratch,
        [
            "http",
            "--target",
            &target,
            "--requests",
            "500",
            "--rounds",
            "2",
            "--slice",
            "5s",
            "--warmup",
            "0s",
            "--json",
            "--quiet",
        ],
    )
    .run();
    assert!(matches!(run.code, Some(0 | 6)), "{run}");
    assert_eq!(run.stderr, "");
    let document: serde_json::Value = serde_json::from_str(&run.stdout).expect("a document");
    assert!(document.to_string().contains("\"ok\":1000"), "{run}");
    let seen = std::fs::read_to_string(&log).expect("the access log");
    // One request more than counted: the look before the first slice.
    assert_eq!(seen.lines().count(), 1001);
}

#[test]
fn an_open_loop_keeps_its_rate() {
    let scratch = Scratch::new("open-loop");
    let nginx = Nginx::start(&scratch);
    let target = nginx.target("nginx");
    let run = Tenbin::new(
        &scratch,
        [
            "http", "--target", &target, "--rate", "500/s", "--rounds", "2", "--slice", "1s",
            "--warmup", "0s", "--json", "--quiet",
        ],
    )
    .run();
    assert!(matches!(run.code, Some(0 | 6)), "{run}");
    // Throughput depends on how busy this machine is, the schedule does not.
    assert_eq!(due_in_windows(&scratch), 1000, "{run}");
}

/// The lines of `intervals.jsonl` of the only run.
fn intervals(scratch: &Scratch) -> Vec<serde_json::Value> {
    let run = std::fs::read_dir(scratch.path().join("runs"))
        .expect("runs")
        .next()
        .expect("a run")
        .expect("an entry");
    let text = std::fs::read_to_string(run.path().join("intervals.jsonl")).expect("intervals");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a line of JSON"))
        .collect()
}

/// Operations that were due in the measured windows of the only run.
fn due_in_windows(scratch: &Scratch) -> u64 {
    intervals(scratch)
        .into_iter()
        .filter(|line| line["kind"] == "operation")
        .map(|line| {
            let count = |kind: &str| line[kind]["count"].as_u64().unwrap_or(0);
            count("response") + count("failed")
        })
        .sum()
}

#[test]
fn times_count_from_the_beginning_of_the_run() {
    let scratch = Scratch::new("beginning");
    let serve = format!(
        "sleep 1.5; exec '{}' serve http --listen 127.0.0.1:{{port}}",
        env!("CARGO_BIN_EXE_tenbin")
    );
    let plan = format!(
        "[[target]]\nname = \"late\"\ncommand = [\"sh\", \"-c\", {serve:?}]\n\
         url = \"http://127.0.0.1:{{port}}/\"\n\n\
         [[workload]]\nkind = \"http\"\n\n\
         [rounds]\ncount = 2\nslice = \"300ms\"\nwarmup = \"0s\"\n"
    );
    let plan = scratch.write("plan.toml", &plan);
    let run = Tenbin::new(&scratch, ["run", &plan, "--quiet"]).run();
    assert!(matches!(run.code, Some(0 | 6)), "{run}");
    let first = intervals(&scratch)
        .into_iter()
        .find_map(|line| line["start"].as_f64())
        .expect("a slice begins");
    assert!(first >= 1.5, "bringing up belongs to the run: {first}");
}

#[test]
fn a_status_that_is_not_expected_is_an_error_and_not_throughput() {
    let scratch = Scratch::new("status");
    let nginx = Nginx::serving(
        &scratch,
        "location / { return 200 'fine'; } location /teapot { return 418; }",
    );
    let run = |target: String, path: &str| {
        let line = ["http", "--target", &target, "--path", path];
        let briefly = ["--slice", "300ms", "--warmup", "0s"];
        Tenbin::new(&scratch, line.into_iter().chain(briefly)).run()
    };
    let measured = run(format!("nginx={}", nginx.url()), "/teapot");
    measured.expect_code(4).expect_stderr("418");
    // A URL that answers with an error is refused before anything is measured.
    let target = format!("nginx={}teapot", nginx.url());
    let refused = Tenbin::new(&scratch, ["http", "--target", &target]).run();
    refused.expect_code(3).expect_stderr("418");
}

#[test]
fn flags_and_plan_say_the_same() {
    let scratch = Scratch::new("two-faces");
    let flags = [
        "http",
        "--target",
        "a=http://127.0.0.1:1/",
        "--target",
        "b=http://127.0.0.1:2/x",
        "--rate",
        "250/s",
        "--connections",
        "3",
        "--rounds",
        "4",
        "--slice",
        "750ms",
        "--method",
        "POST",
        "--body",
        "hello",
        "--header",
        "X-A: b",
        "--expect",
        "201",
    ];
    let printed = Tenbin::new(&scratch, [["plan"].as_slice(), &flags].concat()).run();
    printed.expect_code(0);
    let plan = scratch.write("plan.toml", &printed.stdout);
    let again = Tenbin::new(&scratch, ["plan", "file", &plan]).run();
    assert_eq!(again.stdout, printed.stdout, "{again}");
}

#[test]
fn quickstart_weighs_four_workloads() {
    let scratch = Scratch::new("quickstart");
    let run = Tenbin::new(&scratch, ["quickstart"])
        .within(Duration::from_secs(150))
        .run();
    // On a busy machine slices of so short a run can be without an answer, and it says so.
    assert!(matches!(run.code, Some(0 | 6)), "{run}");
    for workload in ["put-1KiB", "get-1KiB", "put-1MiB", "get-1MiB"] {
        run.expect_stdout(workload);
    }
    assert_eq!(
        scratch
            .entries()
            .iter()
            .filter(|name| !name.starts_with("tenbin-"))
            .collect::<Vec<_>>(),
        ["runs"]
    );
    scratch.expect_nobody_left(Duration::from_secs(5));
}
