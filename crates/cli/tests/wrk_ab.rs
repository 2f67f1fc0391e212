//! The wrk and ab command lines of the FAQ, on a real nginx.

mod common;

use std::os::unix::fs::symlink;
use std::time::Duration;

use common::{Nginx, OwnServer, Scratch, Server, Tenbin, names_machine_rule, path_of, words};

#[test]
fn the_lines_of_the_faq_run_as_written() {
    let scratch = Scratch::new("wrk-ab");
    let nginx = Nginx::serving(
        &scratch,
        "location / { return 200 'hello world'; } location = /broken { return 500; } \
         location = /nothing { return 404; }",
    );
    let url = nginx.url();
    let line = |line: &str| {
        let line = line.replace("http://127.0.0.1:8787/", &url);
        Tenbin::new(&scratch, line.split(' ')).run()
    };

    let keeping = line("ab -n8000 -c20 -k http://127.0.0.1:8787/");
    keeping.expect_measured();
    let number = |name: &str, run: &common::Outcome| {
        let found = run.stdout.lines().find_map(|line| line.strip_prefix(name));
        let found = found.unwrap_or_else(|| panic!("no {name}: {run}"));
        found.trim_start_matches(':').trim().to_owned()
    };
    assert_eq!(number("Complete requests", &keeping), "8000", "{keeping}");
    assert_eq!(number("Failed requests", &keeping), "0");
    assert_eq!(number("Concurrency Level", &keeping), "20");
    assert!(number("Server Software", &keeping).starts_with("nginx"));
    assert_eq!(number("Keep-Alive requests", &keeping), "8000");
    keeping.expect_stdout("Percentage of the requests served");

    let closing = line("ab -n800 -c20 -e served.csv -g times.tsv http://127.0.0.1:8787/");
    closing.expect_measured();
    closing.expect_stderr("without -k each request opens a connection");
    assert!(!closing.stdout.contains("Keep-Alive requests"), "{closing}");
    expect_files_of_ab(&scratch, 800);

    let wrk = line("wrk -c 20 -d 3s --latency http://127.0.0.1:8787/");
    wrk.expect_measured();
    wrk.expect_stdout("Running 3s test @ http://127.0.0.1")
        .expect_stdout("  2 threads and 20 connections")
        .expect_stdout("    99%")
        .expect_stdout("Requests/sec: ");
    let last: Vec<&str> = wrk.stdout.lines().rev().take(3).collect();
    assert!(last[0].starts_with("Run      "), "{wrk}");
    assert!(last[1].starts_with("Verdict  "), "{wrk}");
    assert!(last[2].starts_with("Trust    "), "{wrk}");

    let broken = line("wrk -c 2 -d 1s http://127.0.0.1:8787/broken");
    assert_eq!(broken.code, Some(4), "{broken}");
    broken
        .expect_stderr("warning: target \"server\": GET returned status 500")
        .expect_stdout("  Non-2xx or 3xx responses: ");
    let missing = line("wrk -c 2 -d 1s http://127.0.0.1:8787/nothing");
    missing
        .expect_code(3)
        .expect_stderr("GET returned status 404");
}

/// Fails unless `served.csv` (`-e`) and `times.tsv` (`-g`) have the times of this many responses, agree
/// with each other, and are read as results of ab.
#[track_caller]
fn expect_files_of_ab(scratch: &Scratch, responses: usize) {
    let column = |name: &str, separator: char, at: usize| -> Vec<f64> {
        let text = std::fs::read_to_string(scratch.join(name)).expect(name);
        let cell = |line: &str| -> Option<f64> { line.split(separator).nth(at)?.parse().ok() };
        let cells = text.lines().skip(1).map(cell);
        cells
            .collect::<Option<_>>()
            .unwrap_or_else(|| panic!("{name}: {text}"))
    };
    let (served, times) = (column("served.csv", ',', 1), column("times.tsv", '\t', 4));
    assert_eq!((served.len(), times.len()), (101, responses));
    assert!(served.is_sorted() && times.is_sorted(), "{served:?}");
    assert!(times[0] > 0.0, "{times:?}");
    for percent in [50, 90, 99, 100] {
        // The rank of a percentile may be rounded up or down.
        let rank = responses * percent / 100 - 1;
        let near = times[rank - 1] * 0.99..=times[(rank + 1).min(responses - 1)] * 1.01;
        assert!(near.contains(&served[percent]), "{percent} %: {near:?}");
    }
    let read = |file: &str| -> serde_json::Value {
        let run = Tenbin::new(scratch, ["import", "--json", file]).run();
        run.expect_code(0);
        serde_json::from_str(&run.stdout).expect("a document")
    };
    let result = |file: &str| read(file)["results"][0].clone();
    assert_eq!(result("times.tsv")["ok"], responses);
    assert!(result("served.csv")["ok"].is_null());
}

#[test]
fn a_file_of_ab_that_cannot_be_written_is_no_success() {
    let scratch = Scratch::new("wrk-ab-lost");
    let fixed = ["serve", "http", "--listen", "127.0.0.1:0", "--delay", "5ms"];
    let server = OwnServer::start(&scratch, fixed);
    std::fs::create_dir(scratch.join("out")).expect("a directory");
    let url = format!("http://{}/", server.address);
    Tenbin::new(&scratch, ["ab", "-e", "same", "-g", "same", &url])
        .run()
        .expect_code(2)
        .expect_stderr("same is given twice");
    let line = [
        "ab", "-t", "2", "-c", "2", "-k", "-e", "out/served.csv", &url,
    ];
    let mut run = Tenbin::new(&scratch, line).start();
    run.wait_until(Duration::from_secs(20), || scratch.run().is_some());
    std::fs::remove_dir(scratch.join("out")).expect("an empty directory");
    run.wait(Duration::from_secs(60))
        .expect_code(5)
        .expect_stdout("Complete requests")
        .expect_stderr("out/served.csv");
}

#[test]
fn one_target_is_measured_in_one_stretch_and_nothing_is_said_of_slices() {
    let scratch = Scratch::new("wrk-ab-stretch");
    let nginx = Nginx::start(&scratch);
    let address = format!("127.0.0.1:{}/", nginx.port());
    let wrk = ["wrk", "-c", "32", "-d", "3s", &nginx.url()];
    for line in [&wrk[..], &["ab", "-n4000", "-c20", "-k", &address]] {
        let run = Tenbin::new(&scratch, line).run();
        run.expect_code(0).expect_stderr("1 slice");
        let findings = run.stdout.lines().filter(|line| line.starts_with("* "));
        let others: Vec<&str> = findings.filter(|line| !names_machine_rule(line)).collect();
        assert_eq!(others, [""; 0], "{run}");
        assert!(!run.stderr.contains("so that its figures"), "{run}");
    }
}

#[test]
fn a_redirect_is_no_failure() {
    let scratch = Scratch::new("wrk-ab-302");
    let nginx = Nginx::serving(&scratch, "location / { return 302 /elsewhere; }");
    let wrk = Tenbin::new(&scratch, ["wrk", "-c2", "-d1s", &nginx.url()]).run();
    wrk.expect_measured();
    assert!(!wrk.stdout.contains("Non-2xx"), "{wrk}");
    let ab = Tenbin::new(&scratch, ["ab", "-n200", "-c2", &nginx.url()]).run();
    ab.expect_measured()
        .expect_stdout("Complete requests:      200\nFailed requests:        0\n")
        .expect_stdout("\nNon-2xx responses:      200\n");
}

#[test]
fn a_route_of_half_a_second_is_measured_for_the_whole_time() {
    let scratch = Scratch::new("wrk-ab-slow");
    let fixed = "serve http --listen 127.0.0.1:0 --delay 500ms";
    let server = OwnServer::start(&scratch, words(fixed));
    let url = format!("http://{}/", server.address);
    // Slices of 500 ms would sometimes end without a response.
    let run = Tenbin::new(&scratch, ["wrk", "-c4", "-d4s", &url]).run();
    run.expect_code(0).expect_stdout(" requests in 4.0");
    let line = run
        .stdout
        .lines()
        .find(|line| line.contains(" requests in "));
    let count: Option<u64> = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    assert!(
        count.is_some_and(|count| (24..=36).contains(&count)),
        "{run}"
    );
}

/// The text of each line before the first digit.
fn labels(text: &str) -> Vec<String> {
    let lines = text
        .lines()
        .take_while(|line| !line.starts_with("Transfer/sec"));
    let label = |line: &str| {
        let end = line
            .find(|c: char| c.is_ascii_digit())
            .unwrap_or(line.len());
        line[..end].trim_end().to_owned()
    };
    lines.map(label).collect()
}

#[test]
fn wrk_itself_prints_the_same_lines() {
    let scratch = Scratch::new("wrk-ab-itself");
    let nginx = Nginx::serving(
        &scratch,
        "location / { return 200 'hello'; } location = /no { return 404; }",
    );
    let arguments = ["-c4", "-t2", "-d1s", "--latency", &nginx.url()];
    let theirs = std::process::Command::new(path_of(Server::Wrk))
        .args(arguments)
        .output()
        .expect("wrk runs");
    let theirs = String::from_utf8_lossy(&theirs.stdout).into_owned();
    let line = ["wrk"].into_iter().chain(arguments);
    let ours = Tenbin::new(&scratch, line).run();
    assert_eq!(labels(&ours.stdout), labels(&theirs), "{ours}\n{theirs}");
}

/// The number before `words` in a text.
fn number_before(text: &str, words: &str) -> f64 {
    let (before, _) = text.split_once(words).expect(words);
    let number = before.split_whitespace().next_back().expect("a number");
    number.parse().expect("a number")
}

#[test]
fn a_rate_is_held_and_shown_as_wrk2_does() {
    let scratch = Scratch::new("wrk-ab-rate");
    let nginx = Nginx::start(&scratch);
    let line = ["wrk2", "-c8", "-d2s", "-R200", "--latency", &nginx.url()];
    let run = Tenbin::new(&scratch, line).run();
    run.expect_measured();
    run.expect_stdout("  Latency Distribution (HdrHistogram - Recorded Latency)\n 50.000%")
        .expect_stdout("  Detailed Percentile spectrum:")
        .expect_stdout("Total count    =          400]");
    // Responses in the window to requests sent before it count, too. There are none unless this
    // machine stalls at the start of the window.
    let requests = number_before(&run.stdout, " requests in 2.00s");
    assert!((396.0..=416.0).contains(&requests), "{run}");
    run.expect_stdout(&format!("Requests/sec:    {:.2}", requests / 2.0));
}

#[test]
fn several_servers_are_compared() {
    let scratch = Scratch::new("wrk-ab-several");
    let nginx = Nginx::start(&scratch);
    let fixed = ["serve", "http", "--listen", "127.0.0.1:0", "--delay", "5ms"];
    let server = OwnServer::start(&scratch, fixed);
    let (slow, quick) = (
        format!("slow=http://{}/", server.address),
        format!("quick={}", nginx.url()),
    );
    let run = Tenbin::new(&scratch, ["wrk", "-c2", "-d2s", &slow, &quick]).run();
    run.expect_measured();
    run.expect_stderr("2 targets take turns: 16 slices of 125ms on each");
    assert_eq!(run.stdout.matches("Running 2s test @ ").count(), 2, "{run}");
    let reports = run.stdout.matches("Trust    ").count();
    assert_eq!(reports, 1, "{run}");
}

#[test]
fn rounds_that_cannot_show_a_difference_are_said_and_quiet_says_nothing_but_errors() {
    let scratch = Scratch::new("wrk-ab-rounds");
    let nginx = Nginx::start(&scratch);
    let (a, b) = (nginx.target("a"), nginx.target("b"));
    let line = [
        "http", "--target", &a, "--target", &b, "--rounds", "2", "--slice", "100ms",
    ];
    // Few requests, so that the load generator is not the limit.
    let few = ["--warmup", "0s", "--connections", "2", "--think", "1ms"];
    let short = line.into_iter().chain(few);
    let run = Tenbin::new(&scratch, short.clone()).run();
    run.expect_stderr("warning: no difference can be shown with --rounds 2:")
        .expect_stderr("needs 12 rounds → use --rounds 12 or more");
    let quiet = Tenbin::new(&scratch, short.chain(["--quiet"])).run();
    assert_eq!(quiet.stderr, "", "{quiet}");
    quiet.expect_stdout("too few rounds");
    let nobody = format!("http://127.0.0.1:{}/", common::free_port());
    let failed = Tenbin::new(&scratch, ["http", "--quiet", "--target", &nobody]).run();
    failed.expect_code(3).expect_stderr("nothing listens on");
    assert_eq!(failed.stderr.lines().count(), 1, "{failed}");
}

#[test]
fn by_their_names_too() {
    let scratch = Scratch::new("wrk-ab-names");
    for tool in ["wrk", "wrk2", "ab"] {
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
            "hsbench", "-a", "k", "-s", "k", "-u", &url, "-o", "missing/x.csv",
        ],
        vec![
            "hsbench", "-a", "k", "-s", "k", "-u", &url, "-j", "/dev/full",
        ],
    ] {
        // No server listens there, so a run that started would end with 3.
        Tenbin::new(&scratch, line)
            .run()
            .expect_code(2)
            .expect_stderr("name a file that can be written");
    }
}
