//! Plain HTTP on a real nginx.

mod common;

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use common::{Mixed, Nginx, Scratch, Tenbin, mixed};

#[test]
fn the_status_of_an_access_log_is_the_expected_one() {
    let scratch = Scratch::new("logged-status");
    let nginx = Nginx::serving(
        &scratch,
        r#"location = / { return 200 "hi"; } location = /old { return 301 /; }
           location = /gone { return 404; }"#,
    );
    let line = |path: &str, status: u16| {
        format!(
            "::1 - - [10/Oct/2000:13:55:36 -0700] \"GET {path} HTTP/1.1\" {status} 5 \"-\" \"curl\"\n"
        )
    };
    let log = scratch.write(
        "access.log",
        [line("/", 200), line("/gone", 404), line("/old", 301)].concat(),
    );
    let run = |more: &str| {
        let target = nginx.target("web");
        let line = format!(
            "http --target {target} --patterns {log} --rounds 2 --slice 200ms --gap 10ms \
             --warmup 0s --connections 2 --json {more}"
        );
        let run = Tenbin::line(&scratch, line).run();
        let result: serde_json::Value = serde_json::from_str(&run.stdout).expect("a document");
        let failed = result["results"][0]["failed"].as_u64().expect("a number");
        (run, failed)
    };
    let (as_logged, failed) = run("");
    assert_eq!(failed, 0, "{as_logged}");
    as_logged.expect_stderr("2 requests of the log got a redirect or an error such as 404");
    let (named, failed) = run("--expect 200");
    assert!(failed > 0, "{named}");
}

#[test]
fn two_nginx_are_weighed_and_the_run_can_be_shown_and_repeated() {
    let scratch = Scratch::new("two-nginx");
    let (left, right) = (Nginx::start(&scratch), Nginx::start(&scratch));
    let (one, other) = (left.target("left"), right.target("right"));
    let run = Tenbin::line(
        &scratch,
        format!(
            "http --target {one} --target {other} --rounds 12 --slice 200ms --gap 10ms \
             --warmup 100ms --connections 8"
        ),
    )
    .run();
    run.expect_measured();
    run.expect_stdout("left").expect_stdout("right");
    let runs = scratch.path().join("runs");
    let directory = std::fs::read_dir(&runs)
        .expect("runs")
        .next()
        .expect("a run")
        .expect("an entry")
        .path();
    for file in [
        "plan.toml", "environment.json", "intervals.jsonl", "latency.hlog", "slices.bin",
        "result.json", "SUMMARY.md", "report.html", "forest.svg",
    ] {
        assert!(directory.join(file).is_file(), "{file}");
    }
    let relative = directory
        .strip_prefix(scratch.path())
        .expect("a run directory in the scratch directory");
    let shown = Tenbin::new(&scratch, ["show".as_ref(), relative.as_os_str()]).run();
    assert_eq!(shown.stdout, run.stdout, "show prints what the run printed");
    let written = Tenbin::new(&scratch, ["report", "last", "--out", "page.html"]).run();
    written.expect_stderr("written: page.html");
    let page = |path: &std::path::Path| std::fs::read_to_string(path).expect("a page");
    assert_eq!(
        page(&scratch.path().join("page.html")),
        page(&directory.join("report.html")),
        "report writes what the run wrote"
    );
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
    again.expect_measured();
    packs_are_verified_and_repeated(&scratch, relative);
}

#[test]
fn the_list_has_the_figure_of_a_run_of_one_target() {
    let scratch = Scratch::new("listed-alone");
    let nginx = Nginx::start(&scratch);
    let line = format!(
        "http --target {} --rounds 2 --slice 100ms --gap 10ms --warmup 0s --connections 2",
        nginx.target("web")
    );
    Tenbin::line(&scratch, line).run().expect_measured();
    let list = Tenbin::line(&scratch, "list").run();
    list.expect_code(0);
    let figure = list.stdout.contains("web: ");
    let is_untrusted = list.stdout.contains("the figures cannot be trusted");
    assert!(figure || is_untrusted, "{list}");
}

/// Packs a run into one file, shows, verifies and repeats it, and changes a figure of the run.
#[test]
fn a_label_and_a_note_stand_at_the_top_of_what_shows_the_run() {
    let scratch = Scratch::new("labelled");
    let nginx = Nginx::start(&scratch);
    let line = format!(
        "http --target {} --rounds 2 --slice 100ms --gap 10ms --warmup 0s --connections 2 --expect \
         'errors<50%'",
        nginx.target("web")
    );
    Tenbin::line(&scratch, line).run().expect_measured();
    let run = scratch.run().expect("a run");
    let name = run.file_name().expect("a name").to_string_lossy();
    let private = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(run.join("plan.toml"), private).expect("permissions");
    for (line, said) in [
        (
            "label last login-cmp",
            format!("label of run {name}: login-cmp"),
        ),
        (
            "note login-cmp 'after the <kernel> update'",
            format!("note of run {name}: after the <kernel> update"),
        ),
    ] {
        let done = Tenbin::line(&scratch, line).run();
        done.expect_code(0).expect_stderr(&said);
    }
    for file in ["label.txt", "note.txt"] {
        let metadata = std::fs::metadata(run.join(file)).expect(file);
        let mode = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions());
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
    let written = std::fs::read_to_string(run.join("report.html")).expect("a page");
    Tenbin::line(&scratch, "report last --out page.html")
        .run()
        .expect_code(0);
    let reported = std::fs::read_to_string(scratch.path().join("page.html")).expect("a page");
    for page in [written, reported] {
        assert!(page.contains("label: login-cmp"), "{page}");
        assert!(page.contains("after the &lt;kernel&gt; update"), "{page}");
    }
    Tenbin::line(&scratch, "report last --out titled.html --title 'A & <b>'")
        .run()
        .expect_code(0);
    let titled = std::fs::read_to_string(scratch.path().join("titled.html")).expect("a page");
    assert!(titled.contains("<title>A &amp; &lt;b&gt;</title>"));
    assert!(titled.contains("<h1 class=\"heading\">A &amp; &lt;b&gt;</h1>"));
    Tenbin::line(&scratch, "report last --out runs")
        .run()
        .expect_code(2)
        .expect_stderr("cannot write runs: is a directory");
    Tenbin::line(&scratch, "pack last --out packed.tar.zst")
        .run()
        .expect_code(0);
    for shown in ["last", "packed.tar.zst"] {
        Tenbin::line(&scratch, format!("show {shown}"))
            .run()
            .expect_stdout("label: login-cmp")
            .expect_stdout("after the <kernel> update");
        Tenbin::line(&scratch, format!("verify {shown}"))
            .run()
            .expect_code(0);
    }
    let list = Tenbin::line(&scratch, "list").run();
    list.expect_stdout("the expectation is met");
    Tenbin::line(&scratch, "label last ''")
        .run()
        .expect_stderr(&format!("removed the label of run {name}"));
    let page = std::fs::read_to_string(run.join("report.html")).expect("a page");
    assert!(!page.contains("label: login-cmp"));
}

fn packs_are_verified_and_repeated(scratch: &Scratch, run: &Path) {
    let tenbin = |arguments: &[&str]| Tenbin::new(scratch, arguments).run();
    let name = run.to_str().expect("a name");
    let packed = tenbin(&["pack", name, "--out", "run.tar.zst"]);
    assert_eq!(packed.code, Some(0), "{packed}");
    let verified = tenbin(&["verify", "run.tar.zst"]);
    assert_eq!(verified.code, Some(0), "{verified}");
    verified.expect_stdout("all checksums match");
    verified.expect_stdout("agree with result.json");
    verified.expect_stdout("pages unchanged: SUMMARY.md, report.html");
    let shown = tenbin(&["show", "run.tar.zst"]);
    let first = |text: &str| text.lines().next().map(str::to_owned);
    assert_eq!(first(&shown.stdout), first(&tenbin(&["show", name]).stdout));

    let result = scratch.path().join(run).join("result.json");
    let text = std::fs::read_to_string(&result).expect("a result");
    let start = text.find("\"throughput\":").expect("a figure") + "\"throughput\":".len();
    let digit = start
        + text[start..]
            .find(|c: char| c.is_ascii_digit())
            .expect("a digit");
    let other = if &text[digit..=digit] == "9" {
        "8"
    } else {
        "9"
    };
    let changed = [&text[..digit], other, &text[digit + 1..]].concat();
    std::fs::write(&result, changed).expect("a changed result");
    let verified = tenbin(&["verify", name]);
    assert_eq!(verified.code, Some(6), "{verified}");
    verified.expect_stdout("DIFFERS in 1 of");
    std::fs::write(&result, text).expect("the result");

    for page in ["SUMMARY.md", "report.html"] {
        let path = scratch.path().join(run).join(page);
        let genuine = std::fs::read(&path).expect("a page");
        std::fs::write(&path, "nginx is ten times faster\n").expect("another page");
        tenbin(&["pack", name, "--out", "forged.tar.zst"]).expect_code(0);
        let forged = tenbin(&["verify", "forged.tar.zst"]);
        forged
            .expect_code(6)
            .expect_stdout(&format!("{page} is not the file of this result"));
        std::fs::write(&path, genuine).expect("the page");
    }

    let again = tenbin(&["rerun", "run.tar.zst", "--rounds", "2", "--quiet"]);
    assert!(matches!(again.code, Some(0 | 6 | 8)), "{again}");
    again.expect_stdout("Compared with the earlier run");
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
    let run = Tenbin::line(
        &scratch,
        format!(
            "http --target {target} --requests 500 --rounds 2 --slice 5s --warmup 0s \
             --json --quiet"
        ),
    )
    .run();
    run.expect_measured();
    assert_eq!(run.stderr, "");
    let document: serde_json::Value = serde_json::from_str(&run.stdout).expect("a document");
    assert!(document.to_string().contains("\"ok\":1000"), "{run}");
    let shown = Tenbin::line(&scratch, "show last").run();
    let words: Vec<&str> = shown.stdout.split_whitespace().collect();
    let head = words.join(" ");
    assert!(
        head.contains("2 rounds of 500 requests") && !head.contains("500 requests or"),
        "{shown}"
    );
    let seen = std::fs::read_to_string(&log).expect("the access log");
    // Besides the counted requests, one checks the connection, and some learn the expected response
    // of the unloaded server before and after the load.
    let uncounted = seen.lines().count() - 1_000;
    assert!((17..=400).contains(&uncounted), "{uncounted}");
}

#[test]
fn an_open_loop_keeps_its_rate() {
    let scratch = Scratch::new("open-loop");
    let nginx = Nginx::start(&scratch);
    let target = nginx.target("nginx");
    let run = Tenbin::line(
        &scratch,
        format!(
            "http --target {target} --rate 500/s --rounds 2 --slice 1s --warmup 0s \
             --json --quiet"
        ),
    )
    .run();
    run.expect_measured();
    // A busy machine affects the throughput, but not the schedule.
    assert_eq!(due_in_windows(&scratch), 1000, "{run}");
}

/// Parsed lines of `intervals.jsonl` of the only run.
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

/// Number of operations that were due in the measured windows of the only run.
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
    run.expect_measured();
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
    let measured = run(
        format!("nginx={}", nginx.url()),
        "/teapot?page=2&token=hush-hush",
    );
    measured.expect_code(4).expect_stderr("418");
    let listed = Tenbin::new(&scratch, ["show", "last", "--section", "slow"]).run();
    listed
        .expect_stdout("418")
        .expect_stdout("GET /teapot?page=2&token=…");
    let failed = &scratch.result()["results"][0]["failed_requests"];
    assert_eq!(failed.as_array().map(Vec::len), Some(20), "{failed}");
    assert_eq!(failed[0]["error"], "status", "{failed}");
    // A URL with an error response is rejected before the measurement.
    let target = format!("nginx={}teapot", nginx.url());
    let refused = Tenbin::new(&scratch, ["http", "--target", &target]).run();
    refused.expect_code(3).expect_stderr("418");
}

#[test]
fn flags_and_plan_say_the_same() {
    let scratch = Scratch::new("two-faces");
    let flags = [
        "http", "--target", "a=http://127.0.0.1:1/", "--target", "b=http://127.0.0.1:2/x",
        "--rate", "250/s", "--connections", "3", "--rounds", "4", "--slice", "750ms", "--method",
        "POST", "--body", "hello", "--header", "X-A: b", "--expect", "201",
    ];
    let printed = Tenbin::new(&scratch, [["plan"].as_slice(), &flags].concat()).run();
    printed.expect_code(0);
    let plan = scratch.write("plan.toml", &printed.stdout);
    let again = Tenbin::new(&scratch, ["plan", "file", &plan]).run();
    assert_eq!(again.stdout, printed.stdout, "{again}");
}

/// Keeps the quickstarts apart: they would take the cores from each other.
fn alone() -> MutexGuard<'static, ()> {
    static QUICKSTART: Mutex<()> = Mutex::new(());
    QUICKSTART.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Fails unless a quickstart of this scratch directory says that one worker makes `old` the slower one.
#[track_caller]
fn expect_one_worker_named(scratch: &Scratch, line: &str) {
    let _turn = alone();
    let run = Tenbin::line(scratch, line)
        .within(Duration::from_secs(100))
        .run();
    run.expect_measured();
    run.expect_stdout("new is FASTER than old");
    for line in [
        "limit, old: the target serves one request at a time (established): one worker, or a lock",
        "why: old is slower than new: it serves 0.2",
    ] {
        run.expect_stdout(line);
    }
    scratch.expect_nobody_left(Duration::from_secs(5));
}

#[test]
fn quickstart_names_what_makes_the_slower_server_slow() {
    expect_one_worker_named(&Scratch::new("quickstart"), "quickstart");
}

#[test]
fn quickstart_names_what_makes_the_slower_blob_store_slow() {
    let scratch = Scratch::new("quickstart-blob");
    expect_one_worker_named(&scratch, "quickstart blob --rounds 12");
}

#[test]
fn quickstart_compares_four_workloads_of_object_stores() {
    let _turn = alone();
    let scratch = Scratch::new("quickstart-s3");
    let run = Tenbin::line(&scratch, "quickstart s3 --rounds 4")
        .within(Duration::from_secs(150))
        .run();
    run.expect_measured();
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

/// Runs a short measurement of `urls` with `options` added.
fn measured(scratch: &Scratch, urls: &[&str], options: &[&str]) -> common::Outcome {
    let mut line = vec!["http"];
    for url in urls {
        line.extend(["--target", url]);
    }
    let usual = [
        "--rounds", "2", "--slice", "500ms", "--gap", "10ms", "--warmup", "1500ms", "-c", "8",
    ];
    line.extend(usual);
    line.extend(options);
    Tenbin::new(scratch, line).run()
}

/// Severity and evidence of all findings of a rule.
fn findings_of(document: &serde_json::Value, rule: &str) -> Vec<(String, String)> {
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let findings = document["findings"].as_array().expect("findings").iter();
    findings
        .filter(|finding| finding["rule"] == rule)
        .map(|finding| (text(&finding["severity"]), text(&finding["evidence"])))
        .collect()
}

#[track_caller]
fn document(run: &common::Outcome) -> serde_json::Value {
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run}"))
}

#[test]
fn an_overloaded_server_that_says_so_with_status_200_meets_no_condition() {
    let scratch = Scratch::new("overloaded");
    let server = Mixed::start(mixed::Kind::Overloaded);
    let url = server.url();
    let run = measured(
        &scratch,
        &[&url],
        &["--json", "--expect", "throughput>2000/s,errors<0.1%"],
    );
    assert_ne!(run.code, Some(0), "{run}");
    let document = document(&run);
    let found = findings_of(&document, "mixed_responses");
    assert_eq!(found.len(), 1, "{run}");
    assert_eq!(found[0].0, "invalid", "{run}");
    assert!(found[0].1.contains("status 200, 10000 bytes"), "{run}");
    assert!(
        found[0]
            .1
            .contains(r#"for example: {"error":"overloaded"}"#),
        "{run}"
    );
    let run = Tenbin::line(
        &scratch,
        format!("http --target {url} --slo p99<100ms,errors<0.1% --slice 500ms -c 8"),
    )
    .run();
    assert_ne!(
        scratch.result()["searches"][0]["outcome"],
        "proven",
        "{run}"
    );
}

#[test]
fn half_of_the_responses_being_of_another_kind_voids_a_run() {
    use mixed::Kind;
    let scratch = Scratch::new("halves");
    for (kind, seen) in [
        (Kind::Empty, "and 0 bytes"),
        (Kind::Shorter, "and 9000 bytes"),
        (Kind::OtherBytes, "and 10000 bytes; for example: "),
    ] {
        for chunked in [false, true] {
            let server = if !chunked {
                Mixed::start(kind)
            } else {
                Mixed::chunked(kind)
            };
            let run = measured(&scratch, &[&server.url()], &["--json"]);
            let found = findings_of(&document(&run), "mixed_responses");
            assert_eq!(found.len(), 1, "{kind:?} {chunked}: {run}");
            assert_eq!(found[0].0, "invalid", "{kind:?} {chunked}: {run}");
            assert!(found[0].1.contains(seen), "{kind:?} {chunked}: {run}");
        }
    }
    let (one, other) = (Mixed::start(Kind::Honest), Mixed::start(Kind::OtherBytes));
    let run = measured(
        &scratch,
        &[&one.url(), &other.url()],
        &["--json", "--no-keep-alive"],
    );
    let document = document(&run);
    let found = findings_of(&document, "mixed_responses");
    assert_eq!(found.len(), 1, "{run}");
    assert_eq!(found[0].0, "invalid", "{run}");
}

#[test]
fn pages_that_differ_from_the_start_stay_valid() {
    use mixed::Kind;
    let scratch = Scratch::new("dynamic");
    // The content of the clock can be the same before the load.
    for (kind, notes) in [
        (Kind::Dynamic, 1..=1),
        (Kind::Clock, 0..=1),
        (Kind::Honest, 0..=0),
    ] {
        let server = Mixed::start(kind);
        let run = measured(&scratch, &[&server.url()], &["--json"]);
        let document = document(&run);
        let found = findings_of(&document, "mixed_responses");
        assert!(notes.contains(&found.len()), "{kind:?}: {run}");
        assert!(
            found.iter().all(|(severity, _)| severity == "note"),
            "{run}"
        );
        assert_eq!(findings_of(&document, "errors"), [], "{kind:?}: {run}");
        let run = measured(
            &scratch,
            &[&server.url()],
            &["--json", "--may-differ", "body"],
        );
        let document = self::document(&run);
        assert_eq!(findings_of(&document, "mixed_responses"), [], "{run}");
    }
}

#[test]
fn gzip_on_one_side_is_named_and_responses_over_http2_are_compared_too() {
    let scratch = Scratch::new("gzip");
    let half = Mixed::start(mixed::Kind::OtherBytes);
    let page = scratch.join("page.txt");
    std::fs::write(&page, "the same page, weighed twice\n".repeat(400)).expect("a page");
    let home = scratch.path().display();
    let half = half.url();
    let page = format!("root {home}; gzip_min_length 1; types {{ text/plain txt; }}");
    let (_nginx, port) = Nginx::with_servers(&scratch, |port| {
        format!(
            "server {{ listen 127.0.0.1:{port}; {page} gzip off; }} \
             server {{ listen 127.0.0.2:{port}; {page} gzip on; gzip_types text/plain; }} \
             server {{ listen 127.0.0.3:{port} http2; location / {{ proxy_pass {half}; }} }}"
        )
    });
    let run = measured(
        &scratch,
        &[
            &format!("plain=http://127.0.0.1:{port}/page.txt"),
            &format!("gzip=http://127.0.0.2:{port}/page.txt"),
        ],
        &["--json", "-H", "Accept-Encoding: gzip"],
    );
    let document = document(&run);
    let found = findings_of(&document, "unequal_answers");
    assert_eq!(found.len(), 1, "{run}");
    assert_eq!(found[0].0, "suspect", "{run}");
    assert!(
        found[0]
            .1
            .contains("by compression (gzip against none); the decoded bodies are equal"),
        "{run}"
    );
    assert_eq!(findings_of(&document, "mixed_responses"), [], "{run}");

    let run = measured(
        &scratch,
        &[&format!("half=http://127.0.0.3:{port}/")],
        &["--json", "--http", "2"],
    );
    let found = findings_of(&self::document(&run), "mixed_responses");
    assert_eq!(found.len(), 1, "{run}");
    assert_eq!(found[0].0, "invalid", "{run}");
}
