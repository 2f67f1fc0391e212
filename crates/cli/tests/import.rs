//! `tenbin import`, `tenbin lint` and `tenbin compare` of result files of other tools.

mod common;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use common::{Scratch, Tenbin};

/// A recorded file of the tests of `tenbin-report`.
fn recorded(name: &str) -> String {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../report/tests");
    let path = tests.join(name).canonicalize().expect(name);
    path.to_str().expect("a path in UTF-8").to_owned()
}

/// Exit code, standard output and standard error.
fn tenbin(scratch: &Scratch, arguments: &[&str]) -> (i32, String, String) {
    let run = Tenbin::new(scratch, arguments).run();
    (
        run.code.unwrap_or(-1),
        run.stdout.clone(),
        run.stderr.clone(),
    )
}

fn json(scratch: &Scratch, file: &str) -> serde_json::Value {
    let (code, document, error) = tenbin(scratch, &["import", "--json", file]);
    assert_eq!(code, 0, "{error}");
    serde_json::from_str(&document).expect("a result document")
}

#[test]
fn what_a_file_does_not_say_is_null_and_never_0() {
    let scratch = Scratch::new("import-unknown");
    for (file, connections) in [
        ("fixtures/http/wrk-latency.txt", Some(16)),
        ("fixtures/http/hey.txt", None),
        ("fixtures/http/vegeta.txt", None),
        ("fixtures/recorded/vegeta.bin", None),
    ] {
        let document = json(&scratch, &recorded(file));
        let slice = &document["slices"][0];
        let run = &document["run"];
        assert_eq!(
            document["workloads"][0]["connections"].as_u64(),
            connections,
            "{file}"
        );
        assert!(slice["ok"].as_u64() > Some(0), "{file}: {slice}");
        assert!(slice["seconds"].as_f64() > Some(0.0), "{file}: {slice}");
        for unknown in [
            &run["seed"],
            &run["threads"],
            &run["slice_seconds"],
            &slice["start"],
            &slice["client_busiest_thread"],
        ] {
            assert!(unknown.is_null(), "{file}: {unknown}");
        }
    }
    // A file of percentiles has neither a number of requests nor a time.
    let mut percentages = "Percentage served,Time in ms\n".to_owned();
    for percent in 0..100 {
        percentages += &format!("{percent},1.{percent:03}\n");
    }
    let file = scratch.write("ab.csv", &percentages);
    let document = json(&scratch, &file);
    for member in ["ok", "failed", "seconds", "throughput"] {
        assert!(document["slices"][0][member].is_null(), "{member}");
    }
    assert!(document["results"][0]["ok"].is_null());
    let (code, shown, _) = tenbin(&scratch, &["import", &file]);
    assert_eq!(code, 0);
    assert!(
        shown.contains("* Average: unknown") && shown.contains("* Errors: unknown"),
        "{shown}"
    );
    // Lines of go test and ab's list of requests have no place for failures.
    let lines = scratch.write("go.txt", "BenchmarkGet-8 9000 100000 ns/op\n");
    let head = "starttime\tseconds\tctime\tdtime\tttime\twait\n";
    let requests = format!(
        "{head}{}",
        "Fri Nov 27 10:00:00 2026\t1795773600\t1\t2\t3\t2\n".repeat(9)
    );
    let requests = scratch.write("ab.tsv", &requests);
    for file in [lines, requests] {
        let document = json(&scratch, &file);
        assert!(document["results"][0]["failed"].is_null(), "{file}");
        let (code, shown, _) = tenbin(&scratch, &["import", &file]);
        assert_eq!(code, 0);
        assert!(shown.contains("* Errors: unknown"), "{shown}");
    }
    scratch.expect_nobody_left(Duration::ZERO);
}

#[test]
fn lint_ends_with_a_code_for_nothing_something_and_a_file_that_cannot_be_read() {
    let scratch = Scratch::new("lint-codes");
    let clean = recorded("fixtures/http/wrk-latency.txt");
    let noted = recorded("fixtures/http/oha.json");
    let oha = std::fs::read_to_string(&noted).expect("a file");
    let oha = oha.replace("aborted due to deadline", "connection closed");
    let flawed = scratch.write("oha.json", oha);
    let (code, text, _) = tenbin(&scratch, &["lint", &clean]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("nothing found"), "{text}");
    let (code, text, _) = tenbin(&scratch, &["lint", &noted]);
    assert_eq!(code, 0, "{text}");
    assert!(
        text.contains("oha stopped 16 requests at its deadline"),
        "{text}"
    );
    let (code, text, _) = tenbin(&scratch, &["lint", &clean, &flawed]);
    assert_eq!(code, 6, "{text}");
    for part in [
        "wrk-latency.txt: wrk, 1 measurement",
        "throughput_of_failures at requests",
        "errorDistribution.connection closed: 16",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let (code, _, error) = tenbin(&scratch, &["import", &flawed]);
    assert_eq!(code, 0, "{error}");
    let end = format!(": tenbin lint {flawed}\n");
    assert!(
        error.contains("lint finds ") && error.ends_with(&end),
        "{error}"
    );
    let (_, text, error) = tenbin(&scratch, &["compare", &clean, &flawed]);
    let next = format!("is not VALID: tenbin lint {flawed}");
    assert!(text.contains(&next), "{text}{error}");
    let (_, _, error) = tenbin(&scratch, &["import", &clean]);
    assert_eq!(error, "");
    let (code, text, _) = tenbin(&scratch, &["lint", "--json", &flawed]);
    assert_eq!(code, 6);
    let found: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(found["findings"][0]["rule"], "throughput_of_failures");
}

#[test]
fn scripts_are_refused_with_the_nearest_command() {
    let scratch = Scratch::new("import-scripts");
    let lua = scratch.write("post.lua", "wrk.method = \"POST\"\n");
    let k6 = scratch.write(
        "test.js",
        "import http from 'k6/http';\nexport const options = { vus: 3, duration: '5s' };\n\
         export default function () { http.get('http://h/x'); check(r, { http_req_duration: 1 }); }\n",
    );
    let (of_lua, of_k6) = (
        "is a script of wrk, and Tenbin does not run scripts: start with `tenbin http --target NAME=URL -X POST`",
        "start with `tenbin http --target NAME=http://h/x --connections 3 --duration 5s`",
    );
    let patterns = ["http", "--target", "http://127.0.0.1:9/", "--patterns"];
    for (file, why) in [(&lua, of_lua), (&k6, of_k6)] {
        for command in [&["import"][..], &["lint"], &["run"], &patterns] {
            let (code, _, error) = tenbin(&scratch, &[command, &[file.as_str()]].concat());
            assert_eq!(code, 2, "{command:?} {file}: {error}");
            // A list of paths is read line by line: the settings of a script are on other lines.
            let why = why.split(": start").next().unwrap_or_default();
            let why = if command.len() > 1 || command[0] == "import" {
                "Tenbin does not run scripts"
            } else {
                why
            };
            assert!(error.contains(why), "{command:?}: {error}");
            assert!(error.contains("--patterns"), "{command:?}: {error}");
        }
    }
    let secret = "wrk.headers[\"Authorization\"] = \"Bearer secret-token-123\"\n";
    let secret = scratch.write("secret.lua", secret);
    let (code, _, error) = tenbin(&scratch, &["import", &secret]);
    assert_eq!(code, 2, "{error}");
    assert!(!error.contains("secret-token-123"), "{error}");
    let header = "-H 'Authorization: Bearer {env:TOKEN}'\n";
    assert!(error.contains(header), "{error}");
    assert!(error.contains("(export TOKEN=… first)"), "{error}");
    for line in [&["import", "test.js"][..], &["k6", "run", "test.js"]] {
        let (code, _, error) = tenbin(&scratch, line);
        assert_eq!(code, 2, "{error}");
        let command = "\n  tenbin http --target NAME=http://h/x --connections 3 --duration 5s\n";
        assert!(error.contains(command), "{error}");
        assert!(error.contains("docs/coming-from.md#k6"), "{error}");
    }
    let (code, _, error) = tenbin(&scratch, &["http", "test.js"]);
    assert_eq!(code, 2, "{error}");
    assert!(error.contains("`tenbin import test.js`"), "{error}");
    let (code, _, error) = tenbin(&scratch, &["k6", "run", "missing.js"]);
    assert_eq!(code, 2, "{error}");
    assert!(error.contains("Tenbin does not run scripts"), "{error}");
    let (code, _, error) = tenbin(&scratch, &["gate", "run", "plan.toml", "-c", "4"]);
    assert_eq!(code, 2, "{error}");
    assert!(
        error.contains("in the plan") && !error.contains("'-- -c'"),
        "{error}"
    );
}

#[test]
fn every_percentile_of_a_summary_is_printed() {
    let scratch = Scratch::new("import-percentiles");
    let summary = std::fs::read_to_string(recorded("fixtures/recorded/k6-v1.txt")).expect("text");
    let file = scratch.write("k6.txt", summary);
    let (code, printed, error) = tenbin(&scratch, &["import", &file]);
    assert_eq!(code, 0, "{error}");
    assert!(printed.contains(", p95: "), "{printed}");
    assert!(!printed.contains("p99: unknown"), "{printed}");
    // What is printed can be read again.
    let printed = scratch.write("again.txt", printed);
    let (code, again, error) = tenbin(&scratch, &["import", &printed]);
    assert_eq!(code, 0, "{error}");
    assert!(again.contains(", p95: "), "{again}");
}

#[test]
fn files_that_are_cut_altered_or_no_files_are_refused_with_the_reason() {
    let scratch = Scratch::new("import-refused");
    let whole = std::fs::read_to_string(recorded("fixtures/http/wrk-latency.txt")).expect("text");
    let cut = scratch.write("cut.txt", &whole[..whole.len() - 20]);
    let altered = whole.replace("504960 requests", "604960 requests");
    let altered = scratch.write("altered.txt", altered);
    let binary = std::fs::read(recorded("fixtures/recorded/vegeta.bin")).expect("a file");
    let half = scratch.write("half.bin", &binary[..binary.len() / 2]);
    let folder = scratch.path().to_str().expect("UTF-8").to_owned();
    let good = recorded("fixtures/http/hey.txt");
    for (file, why) in [
        (cut.as_str(), "may be cut off"),
        (&altered, "contradicts itself: 604,960 requests"),
        (&half, "cut off"),
        (&folder, "is a directory; tenbin show prints"),
        ("/dev/zero", "is none of the results that can be read"),
        ("no-such-file", "cannot be opened"),
    ] {
        for command in ["import", "lint"] {
            // A good file before it does not hide it.
            let (code, _, error) = tenbin(&scratch, &[command, &good, file]);
            assert_eq!(code, 2, "{command} {file}: {error}");
            assert!(
                error.contains(file) && error.contains(why),
                "{command}: {error}"
            );
            assert_eq!(error.lines().count(), 1, "{error}");
        }
    }
}

#[test]
fn several_files_become_one_document_that_can_be_shown_and_compared() {
    let scratch = Scratch::new("import-several");
    let document = scratch.join("result.json");
    let (wrk, oha) = (
        recorded("fixtures/http/wrk-latency.txt"),
        recorded("fixtures/http/oha.json"),
    );
    let named = [format!("nginx={wrk}"), format!("caddy={oha}")];
    let arguments = [
        "import", "--name", &named[0], "--name", &named[1], "--out", &document,
    ];
    let (code, text, error) = tenbin(&scratch, &arguments);
    assert_eq!(code, 0, "{error}");
    assert_eq!(text.matches("Operation: requests").count(), 2, "{text}");
    assert!(
        text.contains("oha.json (caddy; the JSON that oha prints)"),
        "{text}"
    );
    // An imported document is SUSPECT.
    let (code, text, _) = tenbin(&scratch, &["show", &document]);
    assert_eq!(code, 0, "{text}");
    assert!(
        text.contains("nginx") && text.contains("nothing was measured here"),
        "{text}"
    );
    for invented in [", interleaved", "tenbin run", "16 connections", "round"] {
        assert!(!text.contains(invented), "{invented}: {text}");
    }

    let (code, text, error) = tenbin(&scratch, &["compare", &wrk, &oha]);
    assert_eq!(code, 8, "{text}{error}");
    for part in [
        "is a result of wrk and",
        "one run per side is inconclusive: repeat both runs",
        "oha.json does not say the number of connections",
        "p50 47.0 µs and 111 µs",
        "which one is faster cannot be concluded",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // An imported document beside a file, and the same file twice.
    for (before, after) in [(wrk.as_str(), wrk.as_str()), (&document, &wrk)] {
        let (code, text, error) = tenbin(&scratch, &["compare", before, after]);
        assert!(matches!(code, 2 | 8), "{before} {after}: {text}{error}");
    }
}

#[test]
fn a_list_of_requests_is_read_by_its_columns() {
    let scratch = Scratch::new("import-columns");
    let list = |name: &str, took: u64| -> String {
        let mut text = "started,took_ms,code\n".to_owned();
        for number in 0..100 {
            let start = 1_764_180_000_000_u64 + number * 10;
            let status = if number == 50 { 503 } else { 200 };
            text += &format!("{start},{took},{status}\n");
        }
        let path = scratch.path().join(name);
        std::fs::write(&path, text).expect("a file");
        path.to_str().expect("a path in UTF-8").to_owned()
    };
    let (fast, slow) = (list("fast.csv", 2), list("slow.csv", 5));
    let map = ["--columns", "time=started,duration=took_ms,status=code"];
    let (code, shown, error) = tenbin(&scratch, &["import", map[0], map[1], &fast]);
    assert_eq!(code, 0, "{error}");
    assert!(shown.contains("99"), "{shown}");
    let (code, found, error) = tenbin(&scratch, &["lint", map[0], map[1], &fast]);
    assert!(code == 0 || code == 6, "{found}{error}");
    let wrk = recorded("fixtures/http/wrk-latency.txt");
    for other in [&slow, &wrk] {
        let (code, said, error) = tenbin(&scratch, &["compare", map[0], map[1], &fast, other]);
        assert!(code != 2 && !said.is_empty(), "{code}: {said}{error}");
    }
    let (code, _, error) = tenbin(&scratch, &["import", &fast]);
    assert_eq!(code, 2, "{error}");
    let (code, _, error) = tenbin(&scratch, &["import", "--columns", "time=when", &fast]);
    assert_eq!(code, 2, "{error}");
    assert!(error.contains("no column \"when\""), "{error}");
}

#[test]
fn standard_input_and_pipes_are_read_like_files() {
    let piped = |line: &str| {
        let program = env!("CARGO_BIN_EXE_tenbin");
        let output = Command::new("bash")
            .args([
                "-c",
                line,
                "bash",
                program,
                &recorded("fixtures/http/wrk-latency.txt"),
            ])
            .output()
            .expect("bash");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let code = output.status.code().unwrap_or(-1);
        (code, text(&output.stdout), text(&output.stderr))
    };
    for line in [
        r#""$1" import - < "$2""#,
        r#"cat "$2" | "$1" import /dev/stdin"#,
        r#""$1" import <(gzip -c "$2")"#,
        r#"(head -c 100 "$2"; sleep 0.2; tail -c +101 "$2") | "$1" show -"#,
    ] {
        let (code, stdout, stderr) = piped(line);
        assert_eq!(code, 0, "{line}: {stderr}");
        assert!(
            stdout.contains("162,854") || stdout.contains("162854"),
            "{line}: {stdout}"
        );
    }
    let (code, stdout, stderr) = piped(r#"cat "$2" | "$1" compare - "$2""#);
    // One run each cannot tell.
    assert_eq!(code, 8, "{stderr}");
    assert!(stdout.contains("standard input"), "{stdout}");
    let (code, _, stderr) = piped(r#"cat "$2" | "$1" compare - -"#);
    assert_eq!(code, 2);
    assert!(stderr.contains("only one of the two"), "{stderr}");
}

#[test]
fn a_file_is_not_overwritten_and_not_read_twice() {
    let scratch = Scratch::new("import-twice");
    let text = std::fs::read_to_string(recorded("fixtures/http/wrk-latency.txt")).expect("text");
    let file = scratch.write("wrk.txt", &text);
    for arguments in [
        &["import", &file, "--out", &file][..],
        &[
            "import",
            "--name",
            &format!("a={file}"),
            "--out",
            &scratch.join("./wrk.txt"),
        ],
    ] {
        let (code, _, error) = tenbin(&scratch, arguments);
        assert_eq!(code, 2, "{error}");
        assert!(error.contains("is one of the files to read"), "{error}");
    }
    assert_eq!(std::fs::read_to_string(&file).expect("the file"), text);
    for command in ["import", "lint"] {
        let (code, _, error) = tenbin(&scratch, &[command, &file, &file]);
        assert_eq!(code, 2, "{error}");
        assert!(error.contains("wrk.txt is given twice"), "{error}");
    }
}

#[test]
fn a_line_break_in_a_file_name_is_escaped() {
    let scratch = Scratch::new("import-name");
    let text = "goos: linux\nBenchmarkA-8 1000 1200 ns/op\nPASS\n";
    let file = scratch.write("a\nb.txt", text);
    let (code, _, error) = tenbin(&scratch, &["show", &file]);
    assert_eq!(code, 2, "{error}");
    assert!(error.contains("a\\u{a}b.txt"), "{error}");
    assert_eq!(error.lines().count(), 1, "{error}");
}
