//! Load from several agents: their limits, and what happens when an agent, the coordinator or the
//! hub is lost.
#![cfg(target_os = "linux")]

mod common;

use std::time::Duration;

use common::{Agents, Outcome, OwnServer, Running, Scratch, Tenbin};
use nix::sys::signal::Signal;
use serde_json::Value;

const SOON: Duration = Duration::from_secs(60);

/// Options of a comparison.
const LOAD: [&str; 3] = ["--warmup", "0s", "--relaunch=never"];

fn servers(scratch: &Scratch) -> [OwnServer; 2] {
    let serve = ["serve", "http", "--listen", "127.0.0.1:0"];
    [(); 2].map(|()| OwnServer::start(scratch, serve))
}

/// Starts a comparison of the servers that uses `count` agents.
fn compare(
    scratch: &Scratch,
    servers: &[OwnServer],
    agents: &Agents,
    (count, rounds, slice): (u32, u32, &str),
    load: &[&str],
) -> Running {
    let urls = servers.iter().map(OwnServer::url);
    let targets = ["one=", "other="].iter().zip(urls);
    let targets: Vec<String> = targets.map(|(name, url)| format!("{name}{url}")).collect();
    let options = agents.options(count);
    let rounds = rounds.to_string();
    let mut words = vec!["http", "--rounds", &rounds, "--slice", slice];
    for target in &targets {
        words.extend(["--target", target]);
    }
    words.extend(LOAD);
    words.extend(options.iter().map(String::as_str));
    words.extend(load);
    Tenbin::new(scratch, words).start()
}

/// A file of the only run.
fn file(scratch: &Scratch, name: &str) -> Option<String> {
    let runs = std::fs::read_dir(scratch.path().join("runs")).ok()?;
    let run = runs.flatten().next()?.path();
    std::fs::read_to_string(run.join(name)).ok()
}

fn result(scratch: &Scratch) -> Value {
    let text = file(scratch, "result.json").expect("a result");
    serde_json::from_str(&text).expect("JSON")
}

/// Fails unless every agent waits for a coordinator again.
#[track_caller]
fn expect_free(scratch: &Scratch, agents: &Agents, count: usize) {
    let creds = agents.hub.file("coordinator.creds").display().to_string();
    let list = ["agents", "--nats", &agents.hub.url, "--creds", &creds];
    let listed = Tenbin::new(scratch, list).run();
    listed.expect_code(0);
    assert_eq!(listed.stdout.matches("  free  ").count(), count, "{listed}");
}

/// Waits until this number of slices has begun.
fn await_slices(scratch: &Scratch, run: &mut Running, count: usize) {
    run.wait_until(SOON, || {
        let lines = file(scratch, "intervals.jsonl").unwrap_or_default();
        lines.matches("\"planned_seconds\"").count() >= count
    });
}

/// Fails unless the run ended with this message, soon, and with the slices measured before.
#[track_caller]
fn expect_ended_early(scratch: &Scratch, ended: &Outcome, message: &str) {
    ended.expect_code(4).expect_stderr(message);
    let result = result(scratch);
    let slices = result["slices"].as_array().expect("slices");
    assert!((2..16).contains(&slices.len()), "{} slices", slices.len());
}

#[test]
fn agents_share_connections_and_are_named_in_the_result() {
    let scratch = Scratch::new("agents-share");
    let agents = Agents::start(&scratch, 2, &[]);
    let servers = servers(&scratch);
    // The pause is longer than the time after which a silent agent is lost.
    let load = ["--connections", "5", "--gap", "4s"];
    let run = compare(&scratch, &servers, &agents, (2, 2, "1s"), &load).wait(SOON);
    assert!(matches!(run.code, Some(0 | 6)), "{run}");
    let result = result(&scratch);
    let found = result["environment"]["agents"].as_array().expect("agents");
    let names: Vec<&Value> = found.iter().map(|agent| &agent["name"]).collect();
    assert_eq!(names, ["agent-0", "agent-1"]);
    let results = result["results"].as_array().expect("results");
    for one in results {
        assert_eq!(one["connections"]["opened"], 10, "{one}");
    }
    expect_free(&scratch, &agents, 2);
}

#[test]
fn a_search_with_agents_finds_the_highest_rate_of_all_together() {
    let scratch = Scratch::new("agents-search");
    let agents = Agents::start(&scratch, 2, &[]);
    // Four workers at 10 ms per request: at most 400 requests/s.
    let serve = [
        "serve",
        "truth",
        "--listen",
        "127.0.0.1:0",
        "--workers",
        "4",
    ];
    let server = OwnServer::start(
        &scratch,
        [&serve[..], &["--service", "fixed:10ms"]].concat(),
    );
    let search = ["--slo", "p50<60ms", "--rate", "50/s", "--connections", "64"];
    let run = compare(&scratch, &[server], &agents, (2, 2, "500ms"), &search).wait(SOON);
    assert!(matches!(run.code, Some(0 | 6)), "{run}");
    let result = result(&scratch);
    // A busy machine can lower the result, but a rate above the capacity cannot pass.
    let found = &result["searches"][0];
    let rate = found["rate"].as_f64().expect("a rate");
    assert!((50.0..440.0).contains(&rate), "{found}");
    let slices = result["slices"].as_array().expect("slices");
    for slice in slices {
        let number = |name: &str| slice[name].as_f64().expect("a number");
        let (offered, sent) = (number("offered"), number("ok") / number("seconds"));
        // Arrivals are random: about 150 in three seconds at the lowest rate.
        let is_near = (sent / offered - 1.0).abs() < 0.35;
        assert!(offered > 200.0 || is_near, "{sent} of {offered}");
    }
}

#[test]
fn an_agent_refuses_what_its_limits_forbid() {
    let scratch = Scratch::new("agents-limits");
    let servers = servers(&scratch);
    for (limits, load, message) in [
        (
            &["--allow", "10.0.0.0/8"][..],
            &[][..],
            "this agent may not send requests to 127.0.0.1; if it should, start the agent with \
             --allow 127.0.0.1",
        ),
        (
            &["--max-connections", "3"],
            &["--connections", "4"],
            "needs 4 connections of this agent, which may open 3",
        ),
        (
            &["--max-rate", "50"],
            &["--rate", "60"],
            "needs 60 requests per second of this agent, which may send 50",
        ),
        (&["--max-rate", "50"], &[], "has no fixed rate"),
    ] {
        let agents = Agents::start(&scratch, 1, limits);
        let run = compare(&scratch, &servers, &agents, (1, 2, "1s"), load).wait(SOON);
        run.expect_code(3).expect_stderr(message);
        expect_free(&scratch, &agents, 1);
    }
}

#[test]
fn a_run_does_not_wait_for_missing_agents_after_ctrl_c() {
    let scratch = Scratch::new("agents-missing");
    let mut agents = Agents::start(&scratch, 1, &[]);
    let servers = servers(&scratch);
    let lost = agents.agents.pop().expect("an agent");
    lost.signal(Signal::SIGINT);
    lost.wait(SOON).expect_code(0);
    let run = compare(&scratch, &servers, &agents, (2, 2, "1s"), &[]);
    let waits = common::wait_until(SOON, || run.so_far().contains("waiting for 2 agents"));
    assert!(waits, "{}", run.so_far());
    run.signal(Signal::SIGINT);
    run.wait(SOON).expect_code(130);
}

#[test]
fn a_killed_or_stopped_agent_ends_the_run_and_the_earlier_slices_stay() {
    for signal in [Signal::SIGKILL, Signal::SIGSTOP] {
        let scratch = Scratch::new("agents-lost");
        let agents = Agents::start(&scratch, 2, &[]);
        let servers = servers(&scratch);
        let mut run = compare(&scratch, &servers, &agents, (2, 8, "2s"), &[]);
        await_slices(&scratch, &mut run, 3);
        agents.agents[1].signal(signal);
        let ended = run.wait(SOON);
        let message = "agent \"agent-1\" has given no sign of life for 3 s";
        expect_ended_early(&scratch, &ended, message);
        expect_free(&scratch, &agents, 1);
    }
}

#[test]
fn agents_stop_sending_when_the_coordinator_is_killed() {
    let scratch = Scratch::new("agents-orphans");
    let mut agents = Agents::start(&scratch, 2, &[]);
    let servers = servers(&scratch);
    let mut run = compare(&scratch, &servers, &agents, (2, 2, "50s"), &[]);
    await_slices(&scratch, &mut run, 1);
    run.signal(Signal::SIGKILL);
    for agent in &mut agents.agents {
        let message = "no sign of life from the coordinator for 3 s: stopped";
        let stopped = common::wait_until(SOON, || agent.so_far().contains(message));
        assert!(stopped, "{}", agent.so_far());
    }
    expect_free(&scratch, &agents, 2);
}

#[test]
fn a_killed_hub_ends_the_run_and_the_load() {
    let scratch = Scratch::new("agents-hub");
    let mut agents = Agents::start(&scratch, 2, &[]);
    let servers = servers(&scratch);
    let mut run = compare(&scratch, &servers, &agents, (2, 8, "2s"), &[]);
    await_slices(&scratch, &mut run, 3);
    agents.hub.running.signal(Signal::SIGKILL);
    let ended = run.wait(SOON);
    expect_ended_early(
        &scratch,
        &ended,
        "the connection to the NATS server was lost",
    );
    for agent in &mut agents.agents {
        let stopped = common::wait_until(SOON, || agent.so_far().contains("has ended"));
        assert!(stopped, "{}", agent.so_far());
    }
}

#[test]
fn what_agents_cannot_do_is_refused_before_anything_starts() {
    let scratch = Scratch::new("agents-refused");
    let nowhere = format!("nats://127.0.0.1:{}", common::free_port());
    let target = ["--target", "http://127.0.0.1:9/"];
    let files = format!("file://{}", scratch.path().join("blobs").display());
    let files = ["blob", "--phases", "p", "--target", &files];
    let dummy = ["blob", "--phases", "p", "--builtin", "dummy=dummy"];
    for (words, code, message) in [
        (
            [&["http", "--agents", "2"][..], &target].concat(),
            2,
            "agents are found at a NATS server: set its url with --nats",
        ),
        (
            [
                &["http", "--agents", "2", "--nats", "http://x"][..],
                &target,
            ]
            .concat(),
            2,
            "the URL is neither nats:// nor tls://",
        ),
        (
            [&["http", "--agents", "2", "--nats", &nowhere][..], &target].concat(),
            3,
            "cannot connect to the NATS server at nats://127.0.0.1:",
        ),
        (
            [&files[..], &["--agents", "2", "--nats", &nowhere]].concat(),
            3,
            "agents send requests only to servers, and this target is a directory or the dummy",
        ),
        (
            [&dummy[..], &["--agents", "2", "--nats", &nowhere]].concat(),
            3,
            "agents send requests only to servers, and this target is a directory or the dummy",
        ),
    ] {
        let run = Tenbin::new(&scratch, words).run();
        run.expect_code(code).expect_stderr(message);
    }
}
