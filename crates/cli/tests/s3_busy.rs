//! Object stores that temporarily reject requests, like JOG: of concurrent PUTs, the store accepts
//! one and responds with 500 to all others.

mod common;

use std::time::Duration;

use common::{ACCESS, Outcome, OwnServer, SECRET, Scratch, Tenbin, words};

/// Starts a built-in S3 server with these faults.
fn server(scratch: &Scratch, faults: &[&str]) -> OwnServer {
    let keys = format!("--access-key {ACCESS} --secret-key {SECRET}");
    let faults: String = faults
        .iter()
        .map(|fault| format!(" --fault {fault}"))
        .collect();
    let line = format!("serve s3 --listen 127.0.0.1:0 {keys}{faults}");
    OwnServer::start(scratch, words(line))
}

/// Runs `tenbin` with the credentials of the server.
fn run(scratch: &Scratch, words: &str) -> Outcome {
    Tenbin::line(scratch, words)
        .env("TENBIN_ACCESS_KEY", ACCESS)
        .env("TENBIN_SECRET_KEY", SECRET)
        .run()
}

fn s3(scratch: &Scratch, server: &OwnServer, words: &str) -> Outcome {
    let target = format!("--target jog={}", server.url());
    let short = "--size 1KiB --warmup 0s --rounds 2 --slice 500ms";
    run(scratch, &format!("s3 {words} {target} {short}"))
}

#[test]
fn objects_are_laid_out_on_a_store_that_takes_one_put_at_a_time() {
    let scratch = Scratch::new("busy-laying");
    let server = server(&scratch, &["busy:98%"]);
    for operation in ["get", "stat", "list", "delete", "copy"] {
        let words = format!("{operation} --objects 100 -c 8");
        let run = s3(&scratch, &server, &words);
        run.expect_measured();
        run.expect_stderr("loading 100 objects: the server refused")
            .expect_stderr(
                "all succeeded when they were sent again (concurrency was reduced to 1)",
            );
    }
    // With one connection there are no concurrent PUTs, so the store rejects none.
    let run = s3(&scratch, &server, "get --objects 2 -c 1");
    run.expect_measured();
    assert!(!run.stderr.contains("refused"), "{run}");
}

#[test]
fn warp_lays_out_its_objects_on_a_busy_store() {
    let scratch = Scratch::new("busy-warp");
    let server = server(&scratch, &["busy:98%"]);
    let host = format!("--host={}", server.address);
    for command in ["get", "mixed"] {
        let words = format!(
            "warp {command} {host} --access-key={ACCESS} --secret-key={SECRET} --objects=50 \
             --obj.size=1KiB --concurrent=10 --duration=2s"
        );
        let run = run(&scratch, &words);
        run.expect_measured();
        run.expect_stderr("loading 50 objects: the server refused");
    }
}

#[test]
fn broken_connections_and_retry_after_are_respected_while_laying_out() {
    let scratch = Scratch::new("busy-resets");
    let flaky = server(&scratch, &["reset:10%", "slow-down:5%"]);
    let words = "get --objects 40 -c 4";
    let run = s3(&scratch, &flaky, words);
    run.expect_measured();
    run.expect_stderr("loading 40 objects: the server refused");
    // At least two of 40 requests get `Retry-After: 1`, a wait of one second.
    assert!(run.took > Duration::from_secs(2), "{run}");
}

#[test]
fn a_store_that_never_takes_anything_is_given_up() {
    let scratch = Scratch::new("busy-hopeless");
    let server = server(&scratch, &["slow-down:100%"]);
    let words = "get --objects 40 -c 4";
    let run = s3(&scratch, &server, words);
    run.expect_code(3)
        .expect_stderr("loading 40 objects failed: an object cannot be put: ")
        .expect_stderr("no request has succeeded for 3");
}

#[test]
fn errors_stay_errors_and_the_finding_says_what_warp_would_hide() {
    let scratch = Scratch::new("busy-put");
    let server = server(&scratch, &["busy:98%"]);
    let run = s3(&scratch, &server, "put --objects 500 -c 20");
    run.expect_code(6)
        .expect_stdout("warp reports such operations as successes")
        .expect_stdout("run with --retries 10");

    let words = "put --objects 500 -c 20 --retries 10 --json";
    let run = s3(&scratch, &server, words);
    let document: serde_json::Value = serde_json::from_str(&run.stdout).expect("a document");
    let operations = document["results"][0]["operations"].as_array().cloned();
    let operations = operations.unwrap_or_else(|| panic!("no operations: {run}"));
    let of = |name: &str, key: &str| {
        let found = operations.iter().find(|one| one["operation"] == name);
        let found = found.unwrap_or_else(|| panic!("no {name}: {run}"));
        found[key].as_u64().unwrap_or(0)
    };
    let (done, attempts) = (of("PUT", "ok"), of("PUT attempt", "ok"));
    assert!(done > 50 && attempts >= done, "{run}");
    assert!(of("PUT attempt", "failed") > of("PUT", "failed"), "{run}");
}

#[test]
fn requests_that_were_sent_again_are_listed_with_their_attempts() {
    let scratch = Scratch::new("busy-listed");
    let server = server(&scratch, &["busy:80%", "reset:10%"]);
    let measured = s3(&scratch, &server, "put --objects 500 -c 20 --retries 10");
    measured.expect_measured();
    let result = scratch.result();
    let listed = |key: &str| {
        let list = result["results"][0][key].as_array().cloned();
        list.unwrap_or_else(|| panic!("no {key}: {measured}"))
    };
    let slow = listed("slow_requests");
    assert!(!listed("failed_requests").is_empty(), "{measured}");
    let again = slow.iter().filter_map(|one| one["attempts"].as_u64());
    let most = again.max().unwrap_or(0);
    assert!(most >= 2, "{slow:#?}");
    let shown = run(&scratch, "show last --section slow");
    shown
        .expect_code(0)
        .expect_stdout("The slowest requests with a correct response")
        .expect_stdout("Failed requests")
        .expect_stdout(&format!("{most}×"));
}

#[test]
fn data_that_cannot_fit_is_refused_before_anything_is_put() {
    let scratch = Scratch::new("no-space");
    // 42 TB of objects do not fit into a store in memory.
    let words = "s3 get --builtin memory=s3-memory --objects 4000000";
    let in_memory = of_10_mib(&scratch, words);
    in_memory
        .expect_code(2)
        .expect_stderr("target \"memory\" keeps at most ")
        .expect_stderr(
            "use fewer objects (--objects) or smaller ones (--size, with warp --obj.size)",
        );
    let words = "s3 get --builtin disk=s3-durable --objects 4000000";
    let on_disk = of_10_mib(&scratch, words);
    on_disk
        .expect_code(2)
        .expect_stderr("of objects into target \"disk\" before measuring");
}

fn of_10_mib(scratch: &Scratch, words: &str) -> Outcome {
    run(scratch, &format!("{words} --size 10MiB"))
}

#[test]
fn a_store_in_memory_refuses_what_is_beyond_its_limit_and_lives() {
    let scratch = Scratch::new("memory-limit");
    let keys = format!("--access-key {ACCESS} --secret-key {SECRET}");
    let line = format!("serve s3 --listen 127.0.0.1:0 --memory 1MiB {keys}");
    let mut server = OwnServer::start(&scratch, words(line));
    let words = "get --objects 2000 -c 4";
    let run = s3(&scratch, &server, words);
    run.expect_code(3)
        .expect_stderr("2,000 objects (2.0 MiB)")
        .expect_stderr("InsufficientStorage");
    assert!(server.running.is_running());

    let plan = scratch.write(
        "plan.toml",
        "[rounds]\ncount = 1\nslice = \"300ms\"\nwarmup = \"0s\"\n[[target]]\nname = \"small\"\n\
         builtin = \"s3-memory\"\nmemory = \"1MiB\"\n[[workload]]\nkind = \"s3\"\n\
         operation = \"get\"\nsize = \"1KiB\"\nobjects = 2000\n",
    );
    let refused = run_plan(&scratch, &plan);
    refused
        .expect_code(2)
        .expect_stderr("target \"small\" keeps at most 1.0 MiB in memory")
        .expect_stderr("or raise its memory limit (memory = \"4MiB\")");
}

fn run_plan(scratch: &Scratch, plan: &str) -> Outcome {
    run(scratch, &format!("run {plan}"))
}

#[test]
fn the_time_of_laying_out_is_forecast() {
    let scratch = Scratch::new("lay-forecast");
    // The store accepts one PUT at a time, 4 ms each: 3,000 PUTs take at least 12 s.
    let server = server(&scratch, &["busy:0%"]);
    let run = s3(&scratch, &server, "get --objects 3000 -c 2");
    run.expect_measured();
    run.expect_stderr("after loading 3,000 objects (2.9 MiB) per target")
        .expect_stderr("loading 3,000 objects (2.9 MiB) takes about ");
}

#[test]
fn the_workloads_of_the_example_run_on_a_busy_store() {
    let scratch = Scratch::new("busy-example");
    let server = server(&scratch, &["busy:98%"]);
    let example = include_str!("../../../examples/object-stores/local.toml");
    let workloads = &example[example.find("[[workload]]").expect("workloads")..];
    let plan = scratch.write(
        "plan.toml",
        format!(
            "[rounds]\ncount = 2\nslice = \"250ms\"\nwarmup = \"100ms\"\n[load]\nconnections = 4\n\
             [[target]]\nname = \"jog\"\nurl = \"{}\"\naccess_key = \"{ACCESS}\"\n\
             secret_key = \"{SECRET}\"\n\n{workloads}",
            server.url()
        ),
    );
    let run = run_plan(&scratch, &plan);
    run.expect_code(6)
        .expect_stderr("and all succeeded when they were sent again")
        .expect_stdout("warp reports such operations as successes");
}
