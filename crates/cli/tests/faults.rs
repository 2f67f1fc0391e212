//! After every failure, Tenbin prints a clear message, exits with a documented code, keeps the
//! results so far, and leaves no process behind; Tenbin never panics.

mod common;
#[path = "faults/ended.rs"]
mod ended;
#[path = "faults/full_disk.rs"]
mod full_disk;
#[path = "faults/stand.rs"]
mod stand;
#[path = "faults/start.rs"]
mod start;
#[path = "faults/urls.rs"]
mod urls;

use std::io::{Read as _, Write as _};
use std::process::Command;
use std::thread;
use std::time::Duration;

use common::{Nginx, Scratch, Server, Tenbin, path_of};
use stand::{SOON, run_directory, server, shown};

#[test]
fn the_last_run_is_shown_and_files_are_not_taken_for_runs() {
    let scratch = Scratch::new("show-last");
    let show = |what: &str| Tenbin::new(&scratch, ["show", what]).run();
    show("last").expect_code(2).expect_stderr("no run in runs/");
    scratch.write("bad.csv", "a,b\n1,2\n");
    let file = show("bad.csv");
    file.expect_code(2)
        .expect_stderr("bad.csv: is none of the results that can be read");
    assert!(!file.stderr.contains("plan.toml"), "{file}");
    let nginx = Nginx::start(&scratch);
    for name in ["first", "second"] {
        let target = nginx.target(name);
        let line = [
            "http", "--target", &target, "--warmup", "0s", "--slice", "100ms",
        ];
        let run = Tenbin::new(&scratch, line.into_iter().chain(["--rounds", "2"])).run();
        run.expect_measured();
    }
    show("last").expect_stdout("second");
    assert!(on_a_terminal(&scratch, "xterm").contains('\u{1b}'));
    assert!(!on_a_terminal(&scratch, "dumb").contains('\u{1b}'));
    runs_are_listed_labelled_and_removed(&scratch);
}

/// `second` is the newest run, and `first` the one before.
fn runs_are_listed_labelled_and_removed(scratch: &Scratch) {
    let run = |line: &str| Tenbin::new(scratch, line.split(' ')).run();
    run("show previous").expect_stdout("first");
    run("show last~1").expect_stdout("first");
    run("show last~2")
        .expect_code(2)
        .expect_stderr("runs/ has 2 measured runs, so there is no run number 3");
    run("show 2")
        .expect_code(2)
        .expect_stderr("several runs begin with \"2\"");
    run("label previous before.1").expect_code(0);
    run("label last before.1")
        .expect_code(2)
        .expect_stderr("has the label \"before.1\"; remove it there first");
    run("label last last")
        .expect_code(2)
        .expect_stderr("is no label");
    // A directory with the name of the label is no run.
    std::fs::create_dir(scratch.path().join("before.1")).expect("a directory");
    run("show before.1").expect_stdout("first");
    run("note before.1 noted").expect_code(0);
    let listed = run("list");
    let lines: Vec<&str> = listed.expect_code(0).stdout.lines().collect();
    assert_eq!(lines.len(), 3, "{listed}");
    assert!(lines[2].contains("before.1"), "{listed}");
    assert!(
        lines[1].contains("VALID") || lines[1].contains("SUSPECT"),
        "{listed}"
    );
    let listed = run("list --json --match BEFORE");
    let rows: serde_json::Value = serde_json::from_str(&listed.stdout).expect("JSON");
    assert_eq!(rows.as_array().map(Vec::len), Some(1), "{listed}");
    assert_eq!(rows[0]["label"], "before.1");
    run("prune --keep 0").expect_code(0).expect_stderr(".trash");
    run("prune --keep 0 nowhere")
        .expect_code(2)
        .expect_stderr("nowhere is no directory");
    assert_eq!(run("list").stdout.lines().count(), 2);
    // What a killed run may have left is not lost with it.
    let only = std::fs::read_dir(scratch.path().join("runs")).expect("runs");
    let mut only = only.flatten().map(|run| run.path());
    let only = only.find(|run| run.join("plan.toml").exists());
    let left = only.expect("a run").join("left.json");
    let was = std::fs::read(&left).expect("left.json");
    let told = r#"[{"what": "3 objects in bucket b", "target": "a"}]"#;
    std::fs::write(&left, told).expect("writable");
    run("rm before.1")
        .expect_code(2)
        .expect_stderr("stays where it is");
    std::fs::write(&left, was).expect("writable");
    let inside = ["sh", "-c", "cd runs/2* && exec \"$0\" \"$@\""];
    let here = Tenbin::new(scratch, ["rm", "."]).inside(&inside).run();
    here.expect_code(0);
    run("list")
        .expect_code(0)
        .expect_stderr("there is no run in runs");
    let trash = std::fs::read_dir(scratch.path().join("runs/.trash"));
    assert_eq!(trash.expect("the trash").count(), 2);
}

/// Output of `tenbin show last` on a terminal with `TERM` set to `kind`.
fn on_a_terminal(scratch: &Scratch, kind: &str) -> String {
    let line = format!("{} show last", env!("CARGO_BIN_EXE_tenbin"));
    let shown = Command::new("script")
        .args(["--quiet", "--return", "--command", &line, "/dev/null"])
        .current_dir(scratch.path())
        .env("TERM", kind)
        .env_remove("NO_COLOR")
        .output()
        .expect("script, of util-linux");
    let text = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(text.contains("tenbin show"), "{text}");
    text
}

#[test]
fn exports_are_written_and_what_cannot_be_is_said() {
    let scratch = Scratch::new("export");
    let nginx = Nginx::start(&scratch);
    let target = nginx.target("nginx");
    let http = [
        "http", "--target", &target, "--warmup", "0s", "--slice", "100ms", "--rounds", "2",
    ];
    let with = |more: &[&str]| Tenbin::new(&scratch, [&http[..], more].concat()).run();
    with(&["--export", "gnuplot"])
        .expect_code(2)
        .expect_stderr("there is no format \"gnuplot\"; the formats are json, ");
    with(&["--json", "--export", "go=-"])
        .expect_code(2)
        .expect_stderr("only one of --json and the exports with =-");
    with(&["--export", "csv=same", "--export", "markdown=same"])
        .expect_code(2)
        .expect_stderr("--export csv and --export markdown name the same file, same");
    // What is known before the run is refused before the run.
    with(&[
        "--export", "json=no/such/place.json", "--export", "ramp", "--export", "junit", "--export",
        "ab=/dev/null",
    ])
    .expect_code(2)
    .expect_stderr("--export json: cannot write no/such/place.json")
    .expect_stderr("--export ramp: the run has no concurrency sweep; add --ramp")
    .expect_stderr(
        "--export junit: the run has no condition and no gate; add --expect or --fail-if",
    )
    .expect_stderr("--export ab: cannot write /dev/null: it is not a regular file");
    assert!(!std::path::Path::new(&scratch.join("runs")).exists());

    let run = with(&[
        "--export", "wrk", "--export", "go=-", "--export", "ab-csv=ab.csv",
    ]);
    run.expect_measured();
    assert!(run.stdout.starts_with("# run: "), "{run}");
    assert!(!run.stdout.contains("Verdict"), "{run}");
    let ab = std::fs::read_to_string(scratch.join("ab.csv")).expect("ab.csv");
    assert_eq!(ab.lines().count(), 102, "{ab}");
    let directory = run_directory(&scratch);
    let wrk = std::fs::read_to_string(directory.join("wrk.txt")).expect("wrk.txt");
    assert!(wrk.contains("Requests/sec:"), "{wrk}");
    let benchmark = std::fs::read_to_string(directory.join("benchmark.txt")).expect("the run");
    assert_eq!(run.stdout, benchmark);

    let show = |more: &[&str]| Tenbin::new(&scratch, [&["show", "last"], more].concat()).run();
    let shown = show(&["--export", "wrk=-"]);
    shown.expect_measured();
    assert_eq!(shown.stdout, wrk);
    // The report is appended to the step summary, without links to files.
    let summary = scratch.write("step.md", "earlier");
    for export in ["github-summary".to_owned(), format!("markdown={summary}")] {
        let line = ["show", "last", "--export", &export];
        let tenbin = Tenbin::new(&scratch, line).env("GITHUB_STEP_SUMMARY", &summary);
        tenbin.run().expect_measured();
    }
    let step = std::fs::read_to_string(&summary).expect("the summary");
    assert!(step.starts_with("earlier\n# http"), "{step}");
    assert_eq!(step.matches("\n# http").count(), 2, "{step}");
    assert!(!step.contains(".svg)"), "{step}");
    expect_links_only_beside_charts(&scratch, &directory);
    // One failed export does not prevent the other exports.
    show(&["--export", "ramp", "--export", "ab-csv=again.csv"])
        .expect_code(5)
        .expect_stderr("--export ramp: the run has no concurrency sweep; add --ramp");
    assert_eq!(
        std::fs::read_to_string(scratch.join("again.csv")).expect("again.csv"),
        ab
    );
    show(&["--export", "hlog=slices.hlog"]);
    let document = show(&["--json"]);
    let document: serde_json::Value = serde_json::from_str(&document.stdout).expect("JSON");
    read_by_java(&scratch, &document["results"][0]);
    let file = directory.join("result.json").display().to_string();
    let of_file = Tenbin::new(&scratch, ["show", &file]).run();
    assert_eq!(of_file.stdout, show(&[]).stdout);
}

/// Checks that the report as Markdown has links to charts only in the run directory.
fn expect_links_only_beside_charts(scratch: &Scratch, directory: &std::path::Path) {
    let written = |to: &str| {
        let export = format!("markdown={to}");
        let shown = Tenbin::new(scratch, ["show", "last", "--export", &export]).run();
        shown.expect_measured();
        shown.stdout
    };
    let beside = directory.join("again.md").display().to_string();
    written(&beside);
    let page = std::fs::read_to_string(&beside).expect("a file beside the charts");
    assert!(page.contains(".svg)"), "{page}");
    std::fs::remove_file(beside).expect("the file beside the charts");
    written("elsewhere.md");
    let page = std::fs::read_to_string(scratch.join("elsewhere.md")).expect("elsewhere.md");
    assert!(page.starts_with("# http"), "{page}");
    assert!(page.contains("<details>"), "{page}");
    assert!(!page.contains(".svg)"), "{page}");
    assert_eq!(written("-"), page);
}

/// Checks that HdrHistogram's own program reads all responses of the only operation in
/// `slices.hlog`.
fn read_by_java(scratch: &Scratch, result: &serde_json::Value) {
    let operation = &result["operations"][0];
    let word = |value: &serde_json::Value| value.as_str().expect("a name").to_owned();
    let names = [
        &result["target"], &result["workload"], &operation["operation"],
    ];
    let processed = std::process::Command::new("java")
        .env("PATH", common::search_path())
        .arg("-cp")
        .arg(common::opensearch_libraries().join("*"))
        .args(["org.HdrHistogram.HistogramLogProcessor", "-tag"])
        .arg(names.map(word).join("/"))
        .args(["-i", &scratch.join("slices.hlog")])
        .output()
        .expect("java runs");
    let text = String::from_utf8_lossy(&processed.stdout);
    assert!(processed.status.success(), "{processed:?}");
    // The last line with `Total count` has the cumulative count.
    let last = text.lines().rfind(|line| line.contains("Total count"));
    let count = last.and_then(|line| line.split('=').next_back());
    let count = count.and_then(|count| count.trim().trim_end_matches(']').trim().parse().ok());
    let count: u64 = count.unwrap_or_else(|| panic!("no count: {text}"));
    // Requests in flight at the end of a slice have a time, but do not count as throughput.
    let ok = operation["ok"].as_u64().expect("a count");
    assert!((ok..=ok + 200).contains(&count), "{ok}: {text}");
}

#[test]
fn standard_output_that_cannot_be_written() {
    let scratch = Scratch::new("full-stdout");
    let nginx = Nginx::start(&scratch);
    let target = nginx.target("nginx");
    let http = format!("http --target {target} --warmup 0s --slice 100ms --rounds 2");
    Tenbin::line(&scratch, http).run();
    scratch.write("x.grn", "table_create Pages TABLE_HASH_KEY UInt64\n");
    scratch.write(
        "x.json",
        "[[0,1,0.1],[[[1],[[\"title\",\"ShortText\"]],[\"a\"]]]]",
    );
    scratch.write("terms.txt", "a\n");
    let lines: [&[&str]; 11] = [
        &["--help"],
        &["--version"],
        &["wrk", "--help"],
        &["explain"],
        &["plan", "http", "--target", &target],
        &["show", "last"],
        &["show", "last", "--json"],
        &["search", "terms", "x.json"],
        &["search", "patterns", "terms.txt"],
        &["search", "convert", "x.grn"],
        &["grn2drn", "x.grn"],
    ];
    for line in lines {
        let tenbin = |stdout: std::process::Stdio| {
            common::tied(env!("CARGO_BIN_EXE_tenbin"))
                .args(line)
                .current_dir(scratch.path())
                .stdout(stdout)
                .stderr(std::process::Stdio::piped())
                .spawn()
                .expect("tenbin starts")
        };
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full");
        let full = tenbin(full.expect("/dev/full").into()).wait_with_output();
        let full = full.expect("it ends");
        let said = String::from_utf8_lossy(&full.stderr);
        assert_eq!(full.status.code(), Some(5), "{line:?}: {said}");
        assert!(said.contains("cannot write to standard output: "), "{said}");
        let mut closed = tenbin(std::process::Stdio::piped());
        drop(closed.stdout.take());
        let closed = closed.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&closed.stderr);
        assert!(!said.contains("standard output"), "{line:?}: {said}");
        assert!(
            matches!(closed.status.code(), Some(0 | 6)),
            "{line:?}: {said}"
        );
    }
    Tenbin::line(&scratch, "search convert x.grn --output /dev/full")
        .run()
        .expect_code(5)
        .expect_stderr("cannot write /dev/full: ")
        .expect_stderr("free space");
}

#[test]
fn a_server_that_accepts_and_never_answers() {
    let scratch = Scratch::new("silent");
    let port = server(|_stream| thread::sleep(Duration::from_secs(60)));
    let target = format!("silent=http://127.0.0.1:{port}/");
    let run = Tenbin::new(&scratch, ["http", "--target", &target, "--timeout", "1s"]).run();
    run.expect_code(3).expect_stderr("does not respond");
    assert!(run.took < Duration::from_secs(20), "{run}");
}

#[test]
fn a_server_that_answers_garbage() {
    let scratch = Scratch::new("garbage");
    let port = server(|mut stream| {
        let _ = stream.read(&mut [0; 4096]);
        let _ = stream.write_all(b"220 \x1b[31msmtp.example ESMTP\r\n");
        thread::sleep(Duration::from_secs(1));
    });
    let target = format!("smtp=http://127.0.0.1:{port}/");
    let run = Tenbin::new(&scratch, ["http", "--target", &target]).run();
    run.expect_code(3).expect_stderr("not with HTTP");
    run.expect_silence_about("\x1b[31m");
}

#[test]
fn a_server_that_turns_to_garbage_while_it_is_measured() {
    let scratch = Scratch::new("late-garbage");
    // The first 3,000 responses are correct: before the run and at its start.
    let answered = std::sync::atomic::AtomicU32::new(0);
    let port = server(move |mut stream| {
        let mut some = [0; 4096];
        while matches!(stream.read(&mut some), Ok(count) if count > 0) {
            let count = answered.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let answer: &[u8] = if count < 3000 {
                b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
            } else {
                b"what?\r\n\r\n"
            };
            if stream.write_all(answer).is_err() {
                return;
            }
            thread::sleep(Duration::from_micros(500));
        }
    });
    let target = format!("fickle=http://127.0.0.1:{port}/");
    let run = Tenbin::line(
        &scratch,
        format!("http --target {target} --warmup 0s --slice 300ms --connections 2"),
    )
    .run();
    run.expect_code(4).expect_stderr("no correct response");
    shown(&scratch).expect_stdout("fickle");
}

#[test]
fn a_wrong_secret_key() {
    let scratch = Scratch::new("wrong-key");
    let minio = minio_plan(&scratch, "wrong");
    let run = Tenbin::new(&scratch, ["run", &minio])
        .env("TENBIN_SECRET_KEY", "not-the-right-one")
        .run();
    run.expect_code(3)
        .expect_stderr("secret key")
        .expect_silence_about("not-the-right-one");
    scratch.expect_nobody_left(SOON);
}

/// Uses secret-looking values in every option that accepts free text.
#[test]
fn values_that_look_secret_are_in_no_file_of_the_run() {
    let scratch = Scratch::new("secret-values");
    let base64 = "Ym9keS1odXNo"; // of body-hush
    let server = format!(
        "a=sh -c 'printf %s $DB_PASSWORD | base64; echo $DB_PASSWORD; exec \"{}\" serve http --listen 127.0.0.1:{{port}}'",
        env!("CARGO_BIN_EXE_tenbin")
    );
    let run = Tenbin::new(
        &scratch,
        [
            "http", "--launch", &server, "--launch-env", "a=DB_PASSWORD=body-hush", "--launch-env",
            "a=DB_USER=kept", "--method", "POST", "--path", "/x?token={env:QUERY}", "--body",
            "password=pw-hush&a=b", "--rounds", "2", "--slice", "300ms",
        ],
    )
    .env("QUERY", "query-hush")
    .run();
    run.expect_stderr("note: plan.toml contains the env of target \"a\"; use {env:NAME}");
    let directory = run_directory(&scratch);
    let summary = std::fs::read_to_string(directory.join("SUMMARY.md")).expect("a summary");
    assert!(summary.contains("token={env:QUERY}"), "{summary}");
    for secret in ["-hush", base64] {
        run.expect_silence_about(secret);
        let found = Command::new("grep")
            .args(["-r", "-a", "-e", secret])
            .arg(&directory)
            .output();
        let found = String::from_utf8_lossy(&found.expect("grep").stdout).into_owned();
        assert!(found.is_empty(), "{found}");
    }
    let log = std::fs::read_to_string(directory.join("targets/a.log")).expect("a log");
    assert!(log.starts_with("[redacted]\n[redacted]\n"), "{log}");
}

/// A plan with a MinIO whose secret key differs from the key that Tenbin uses.
fn minio_plan(scratch: &Scratch, name: &str) -> String {
    let minio = path_of(Server::Minio);
    scratch.write(
        &format!("{name}.toml"),
        format!(
            r#"
[rounds]
count = 2
slice = "300ms"
warmup = "0s"

[[target]]
name = "minio"
command = ["{}", "server", "--quiet", "--address", "127.0.0.1:{{port}}", "{{data}}"]
url = "http://127.0.0.1:{{port}}"
ready = {{ url = "http://127.0.0.1:{{port}}/minio/health/cluster" }}
access_key = "tenbinuser"
secret_key_env = "TENBIN_SECRET_KEY"

[target.env]
MINIO_ROOT_USER = "tenbinuser"
MINIO_ROOT_PASSWORD = "the-real-password"
MINIO_BROWSER = "off"

[[workload]]
kind = "s3"
operation = "put"
size = "1KiB"
"#,
            minio.display()
        ),
    )
}

#[test]
fn a_full_disk() {
    let scratch = Scratch::new("full-disk");
    let nginx = Nginx::start(&scratch);
    let small = scratch.join("small");
    std::fs::create_dir(&small).expect("a mount point");
    // A small file system in a separate mount namespace.
    let script = format!(
        "mount -t tmpfs -o size=64k tmpfs '{small}' && '{}' http --target '{}' --warmup 0s \
         --slice 200ms --rounds 400 --gap 10ms --out '{small}'; code=$?; ls '{small}'/*; exit $code",
        env!("CARGO_BIN_EXE_tenbin"),
        nginx.target("nginx"),
    );
    let output = Command::new("unshare")
        .args(["--map-root-user", "--mount", "--", "sh", "-c", &script])
        .output()
        .expect("unshare can be started");
    let stderr = String::from_utf8_lossy(&output.stderr);
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(5), "{stderr}\n{stdout}");
    assert!(stderr.contains("full"), "{stderr}");
    assert!(!stderr.contains("panicked"), "{stderr}");
    // The results so far are printed and kept.
    assert!(stdout.contains("nginx"), "{stdout}");
    assert!(stdout.contains("intervals.jsonl"), "{stdout}");
}
