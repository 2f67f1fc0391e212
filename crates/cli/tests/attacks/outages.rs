//! Targets that stop answering during a run and come back, and hosts that never answer.

use std::thread::sleep;
use std::time::Duration;

use crate::common::{Outcome, OwnServer, Scratch, Tenbin};

fn truth(scratch: &Scratch, listen: &str) -> OwnServer {
    OwnServer::start(scratch, ["serve", "truth", "--listen", listen])
}

/// A run of two targets, of which the second one is away for 1.5 s.
fn with_an_outage(scratch: &Scratch, options: &[&str]) -> Outcome {
    let steady = truth(scratch, "127.0.0.1:0");
    let restarted = truth(scratch, "127.0.0.1:0");
    let address = restarted.address.to_string();
    let targets = [
        format!("steady={}", steady.url()),
        format!("restarted={}", restarted.url()),
    ];
    let usual =
        "--rounds 12 --slice 300ms --gap 20ms --warmup 200ms --connections 4 --timeout 500ms";
    let command = ["http", "--target", &targets[0], "--target", &targets[1]];
    let arguments = command
        .into_iter()
        .chain(usual.split(' '))
        .chain(options.iter().copied());
    let run = Tenbin::new(scratch, arguments).start();
    sleep(Duration::from_secs(4));
    drop(restarted);
    sleep(Duration::from_millis(1_500));
    let _again = truth(scratch, &address);
    run.wait(Duration::from_secs(60))
}

#[test]
fn a_run_goes_on_after_an_outage_and_names_it() {
    let scratch = Scratch::new("outage");
    let run = with_an_outage(&scratch, &[]);
    run.expect_measured()
        .expect_stdout("SUSPECT: outage")
        .expect_stdout("restarted stopped answering")
        .expect_stderr("waiting up to 60 s for an answer")
        .expect_stderr("answers again after");
    let result = scratch.result();
    let slices = result["slices"].as_array().expect("slices");
    assert_eq!(slices.len(), 24, "{run}");
    let is_empty = |slice: &&serde_json::Value| slice["ok"] == 0;
    assert_eq!(slices.iter().filter(is_empty).count(), 0, "{run}");
}

#[test]
fn an_outage_ends_the_run_if_that_is_asked_for_or_if_it_is_too_long() {
    let scratch = Scratch::new("outage-ends");
    with_an_outage(&scratch, &["--on-outage", "stop"]).expect_code(4);
    with_an_outage(&scratch, &["--on-outage", "300ms"])
        .expect_code(4)
        .expect_stderr("it did not answer within");
}

/// A target with two hosts of which the second one is dead.
fn with_a_dead_host(scratch: &Scratch, how: &str) -> Outcome {
    let server = truth(scratch, "127.0.0.1:0");
    // A port that was free a moment ago.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let dead = listener.local_addr().expect("an address");
    drop(listener);
    let target = format!("pair={}", server.url());
    let host = format!("http://{dead}/");
    let words = [
        "http", "--target", &target, "--host", &host, "--dead-hosts", how,
    ];
    let rounds = "--rounds 2 --slice 300ms --warmup 100ms --connections 4";
    Tenbin::new(scratch, words.into_iter().chain(rounds.split(' '))).run()
}

#[test]
fn a_dead_host_of_several_is_counted_left_out_or_refused() {
    let scratch = Scratch::new("dead-host");
    let run = with_a_dead_host(&scratch, "count");
    run.expect_measured()
        .expect_stdout("SUSPECT: dead_hosts")
        .expect_stderr("1 of 2 hosts do not respond");
    let failed = |scratch: &Scratch| scratch.result()["results"][0]["failed"].as_u64();
    assert!(failed(&scratch) > Some(0), "{run}");
    let scratch = Scratch::new("dead-host-left-out");
    let run = with_a_dead_host(&scratch, "leave-out");
    run.expect_measured()
        .expect_stdout("SUSPECT: dead_hosts")
        .expect_stdout("no requests were sent there");
    assert_eq!(failed(&scratch), Some(0), "{run}");
    with_a_dead_host(&scratch, "refuse")
        .expect_code(3)
        .expect_stderr("--dead-hosts count");
}
