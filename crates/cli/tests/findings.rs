//! Findings for real reasons, and the pages behind them.

mod common;

use common::{Nginx, Outcome, OwnServer, Scratch, Tenbin};

/// A short run against these targets.
fn weigh(scratch: &Scratch, targets: &[String], more: &[&str]) -> Outcome {
    let mut arguments: Vec<&str> = vec!["http", "--quiet", "--connections", "4"];
    for target in targets {
        arguments.extend(["--target", target]);
    }
    arguments.extend("--rounds 2 --slice 300ms --gap 10ms --warmup 50ms".split(' '));
    arguments.extend(more);
    Tenbin::new(scratch, arguments).run()
}

/// The finding of that rule in a document.
#[track_caller]
fn finding(run: &Outcome, rule: &str) -> serde_json::Value {
    let document: serde_json::Value = serde_json::from_str(&run.stdout).expect("a document");
    let findings = document["findings"].as_array().expect("findings");
    let found = findings.iter().find(|finding| finding["rule"] == rule);
    found.unwrap_or_else(|| panic!("no {rule}: {run}")).clone()
}

#[test]
fn a_server_that_keeps_no_connection_is_told_from_one_that_does() {
    let scratch = Scratch::new("keep-alive");
    let hello = "location / { return 200 'hello'; }";
    let keeping = Nginx::serving(&scratch, hello);
    let closing = Nginx::serving(&scratch, &format!("keepalive_timeout 0; {hello}"));
    let targets = [keeping.target("keeping"), closing.target("closing")];
    let run = weigh(&scratch, &targets, &["--json"]);
    let found = finding(&run, "keep_alive");
    assert_eq!(found["target"], "closing", "{run}");
    assert_eq!(found["severity"], "suspect", "{run}");
    assert_eq!(found["blame"], "server", "{run}");
}

#[test]
fn a_response_in_two_writes_waits_for_a_delayed_acknowledgement() {
    let scratch = Scratch::new("two-writes");
    let truth = |options: &[&str]| {
        let fixed = ["serve", "truth", "--listen", "127.0.0.1:0"];
        OwnServer::start(&scratch, [&fixed[..], options].concat())
    };
    let server = truth(&["--two-writes"]);
    let run = weigh(&scratch, &[server.url()], &["--json"]);
    let found = finding(&run, "tail_signature");
    assert_eq!(found["blame"], "server", "{run}");
    let evidence = found["evidence"].as_str().expect("evidence");
    assert!(evidence.contains("delayed acknowledgement"), "{run}");
    let slow = truth(&["--service", "fixed:46ms"]);
    let run = weigh(&scratch, &[slow.url()], &["--json"]);
    assert!(!run.stdout.contains("tail_signature"), "{run}");
}

#[test]
fn there_is_no_verdict_between_servers_that_answer_otherwise() {
    let scratch = Scratch::new("parity");
    let page = "x".repeat(3_000);
    let whole = Nginx::serving(&scratch, &format!("location / {{ return 200 '{page}'; }}"));
    let short = Nginx::serving(&scratch, "location / { return 200 'not here'; }");
    let targets = [whole.target("whole"), short.target("short")];
    let run = weigh(&scratch, &targets, &[]);
    run.expect_code(6);
    let lines: Vec<&str> = run.stdout.lines().collect();
    let [trust, verdict, _] = lines[lines.len() - 3..] else {
        panic!("three lines: {run}");
    };
    assert!(
        trust.starts_with("Trust    INVALID")
            && trust.contains("a body of short has 8 bytes on average, one of whole 3000"),
        "{run}"
    );
    assert_eq!(
        verdict,
        "Verdict  no verdict on short against whole at http-GET"
    );
    run.expect_stdout("for example: tenbin explain unequal_answers");
}

#[test]
fn every_rule_has_its_page() {
    let scratch = Scratch::new("explain");
    let all = Tenbin::new(&scratch, ["explain"]).run();
    all.expect_code(0);
    for line in all.stdout.lines() {
        let name = line.split(' ').next().expect("a name");
        let page = Tenbin::new(&scratch, ["explain", name]).run();
        page.expect_code(0).expect_stdout("**Threshold.**");
        assert!(page.stdout.starts_with(&format!("# {name}\n")), "{page}");
    }
    assert!(all.stdout.lines().count() > 20, "{all}");
    let unknown = Tenbin::new(&scratch, ["explain", "keep-aliv"]).run();
    unknown
        .expect_code(2)
        .expect_stderr("there is no rule \"keep-aliv\"; did you mean keep_alive?");
}
