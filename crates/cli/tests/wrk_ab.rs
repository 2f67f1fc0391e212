//! The command lines of wrk and ab, as the FAQ has them, against real nginx.

mod common;

use std::os::unix::fs::symlink;

use common::{Nginx, Scratch, Tenbin};

#[test]
fn the_lines_of_the_faq_run_as_written() {
    let scratch = Scratch::new("wrk-ab");
    let nginx = Nginx::serving(
        &scratch,
        "location / { return 200 'hello world'; } location = /nothing { return 404; }",
    );
    let url = nginx.url();
    let line = |line: &str| {
        let line = line.replace("http://127.0.0.1:8787/", &url);
        Tenbin::new(&scratch, line.split(' ')).run()
    };

    let keeping = line("ab -n8000 -c20 -k http://127.0.0.1:8787/");
    assert!(matches!(keeping.code, Some(0 | 6)), "{keeping}");
    let number = |name: &str, run: &common::Outcome| {
        let found = run.stdout.lines().find_map(|line| line.strip_prefix(name));
        let found = found.unwrap_or_else(|| panic!("no {name}: {run}"));
        found.trim_start_matches(':').trim().to_owned()
    };
    assert_eq!(number("Complete requests", &keeping), "8000", "{keeping}");
    assert_eq!(number("Failed requests", &keeping), "0");
    assert_eq!(number("Concurrency Level", &keeping), "20");
    assert!(number("Server Software", &keeping).starts_with("nginx"));
    // Each of eight slices opens its connections anew.
    assert_eq!(number("Keep-Alive requests", &keeping), "7840");
    keeping.expect_stdout("Percentage of the requests served");

    let closing = line("ab -n800 -c20 -e served.csv http://127.0.0.1:8787/");
    assert!(matches!(closing.code, Some(0 | 6)), "{closing}");
    closing.expect_stderr("without -k every request has a connection of its own");
    assert!(!closing.stdout.contains("Keep-Alive requests"), "{closing}");
    let csv = std::fs::read_to_string(scratch.join("served.csv")).expect("served.csv");
    assert_eq!(csv.lines().count(), 102, "{csv}");

    let wrk = line("wrk -c 20 -d 3s --latency http://127.0.0.1:8787/");
    assert!(matches!(wrk.code, Some(0 | 6)), "{wrk}");
    wrk.expect_stdout("Running 3s test @ http://127.0.0.1")
        .expect_stdout("  2 threads and 20 connections")
        .expect_stdout("    99%")
        .expect_stdout("Requests/sec: ");
    let last: Vec<&str> = wrk.stdout.lines().rev().take(3).collect();
    assert!(last[0].starts_with("Run      "), "{wrk}");
    assert!(last[1].starts_with("Verdict  "), "{wrk}");
    assert!(last[2].starts_with("Trust    "), "{wrk}");

    let missing = line("wrk -c 2 -d 1s http://127.0.0.1:8787/nothing");
    assert_eq!(missing.code, Some(4), "{missing}");
    missing.expect_stdout("Non-2xx responses: ");
}

#[test]
fn by_their_names_too() {
    let scratch = Scratch::new("wrk-ab-names");
    for tool in ["wrk", "ab"] {
        let link = scratch.join(tool);
        symlink(env!("CARGO_BIN_EXE_tenbin"), &link).expect("a link");
        let output = std::process::Command::new(&link)
            .arg("-h")
            .output()
            .expect("started");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(
            text.starts_with(&format!("Usage: tenbin {tool} ")),
            "{text}"
        );
    }
}

#[test]
fn a_file_that_cannot_be_written_is_refused_before_the_run() {
    let scratch = Scratch::new("wrk-ab-unwritable");
    let url = format!("http://127.0.0.1:{}/", common::free_port());
    for line in [
        vec!["ab", "-n100", "-e", "/proc/served.csv", &url],
        vec![
            "hsbench",
            "-a",
            "k",
            "-s",
            "k",
            "-u",
            &url,
            "-o",
            "missing/x.csv",
        ],
        vec![
            "hsbench",
            "-a",
            "k",
            "-s",
            "k",
            "-u",
            &url,
            "-j",
            "/dev/full",
        ],
    ] {
        // Nobody listens: had it begun, it would end with 3.
        Tenbin::new(&scratch, line)
            .run()
            .expect_code(2)
            .expect_stderr("name a file that can be written");
    }
}
