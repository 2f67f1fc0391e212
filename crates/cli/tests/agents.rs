//! Load from several agents: their limits, and what happens when an agent, the coordinator or the
//! hub is lost.
#![cfg(target_os = "linux")]

mod common;

use std::time::Duration;

use common::{Agents, Outcome, OwnServer, Running, Scratch, Tenbin};
use nix::sys::signal::Signal;
use serde_json::Value;

const SOON: Duration = Duration::from_secs(60);

/// Options of a comparison whose load sets no warm-up.
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
    if !load.contains(&"--warmup") {
        words.extend(LOAD);
    }
    if !load.contains(&"--gap") {
        words.extend(["--gap", "20ms"]);
    }
    words.extend(options.iter().map(String::as_str));
    words.extend(load);
    Tenbin::new(scratch, words).start()
}

/// A file of the only run.
fn file(scratch: &Scratch, name: &str) -> Option<String> {
    std::fs::read_to_string(scratch.run()?.join(name)).ok()
}

/// Fails unless every agent soon waits for a coordinator again: an agent says that it stops before its
/// requests in flight have ended.
#[track_caller]
fn expect_free(scratch: &Scratch, agents: &Agents, count: usize) {
    let creds = agents.hub.file("coordinator.creds").display().to_string();
    let list = ["agents", "--nats", &agents.hub.url, "--creds", &creds];
    let mut last = String::new();
    let are_free = common::wait_until(SOON, || {
        let listed = Tenbin::new(scratch, list).run();
        listed.expect_code(0);
        last = listed.to_string();
        listed.stdout.matches("  free  ").count() == count
    });
    assert!(are_free, "{last}");
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
    let result = scratch.result();
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
    run.expect_measured();
    let result = scratch.result();
    let found = result["environment"]["agents"].as_array().expect("agents");
    let names: Vec<&Value> = found.iter().map(|agent| &agent["name"]).collect();
    assert_eq!(names, ["agent-0", "agent-1"]);
    let results = result["results"].as_array().expect("results");
    for one in results {
        assert_eq!(one["connections"]["opened"], 10, "{one}");
        let slow = one["slow_requests"].as_array().expect("slow requests");
        let is_named = |request: &Value| names.contains(&&request["agent"]);
        assert!(slow.len() == 20 && slow.iter().all(is_named), "{one}");
    }
    // The agents on this machine are the load generator, not other programs.
    let lines = file(&scratch, "intervals.jsonl").expect("lines");
    assert!(lines.contains("\"programs\":["), "{lines}");
    for agent in &agents.agents {
        let program = format!("\"pid\":{},", agent.pid());
        assert!(!lines.contains(&program), "{program} {lines}");
    }
    expect_free(&scratch, &agents, 2);
}

#[test]
fn every_agent_has_its_figures_and_its_ratio() {
    let scratch = Scratch::new("agents-each");
    let agents = Agents::start(&scratch, 2, &[]);
    let servers = servers(&scratch);
    let load = ["--connections", "4"];
    let run = compare(&scratch, &servers, &agents, (2, 4, "1s"), &load).wait(SOON);
    run.expect_measured();
    let result = scratch.result();
    let parts = result["agents"].as_array().expect("agents");
    let of = |part: &Value| [&part["target"], &part["agent"]].map(ToString::to_string);
    let places: Vec<[String; 2]> = parts.iter().map(of).collect();
    let expected = [
        ["\"one\"", "\"agent-0\""],
        ["\"one\"", "\"agent-1\""],
        ["\"other\"", "\"agent-0\""],
        ["\"other\"", "\"agent-1\""],
    ];
    assert_eq!(places, expected);
    for part in parts {
        let number = |name: &str| {
            part[name]
                .as_f64()
                .unwrap_or_else(|| panic!("{name}: {part}"))
        };
        assert!((0.0..=1.0).contains(&number("cpu_busy")), "{part}");
        assert!((0.0..=1.1).contains(&number("busiest_thread")), "{part}");
        assert!(number("round_trip") > 0.0 && number("min_rtt") >= 0.0);
        let value = |name: &str| part[name]["value"].as_f64();
        assert!(value("p50") > Some(0.0) && value("p99") >= value("p50"));
        assert!(value("throughput") > Some(0.0), "{part}");
    }
    let ratios = result["agent_ratios"].as_array().expect("ratios");
    let metrics: Vec<&Value> = ratios.iter().map(|each| &each["metric"]).collect();
    assert_eq!(metrics, ["throughput", "service_p50", "service_p99"]);
    for each in ratios {
        let agents = each["agents"].as_array().expect("agents");
        let known = agents.iter().map(|agent| agent["ratio"]["value"].as_f64());
        assert_eq!(known.flatten().count(), 2, "{each}");
    }
    // Reads the figures of the agents from the files of the run.
    let runs = std::fs::read_dir(scratch.path().join("runs")).expect("runs");
    let directory = runs.flatten().next().expect("a run").path();
    let directory = directory.display().to_string();
    // The tests set TENBIN_VERBOSE, so all sections are shown.
    let shown = Tenbin::new(&scratch, ["show", &directory]).run();
    let section = shown.stdout.split("\nAgents\n").nth(1);
    let section = section.and_then(|rest| rest.split("\nConnections\n").next());
    let section = section.unwrap_or_else(|| panic!("{shown}"));
    for agent in ["agent-0", "agent-1"] {
        let rows = section.lines().filter(|row| row.contains(agent));
        // Two targets, in two tables of columns, and three figures that are compared.
        assert_eq!(rows.count(), 2 + 2 + 3, "{section}");
    }
}

#[test]
fn the_command_line_of_another_tool_can_use_agents() {
    let scratch = Scratch::new("agents-wrk");
    let agents = Agents::start(&scratch, 2, &[]);
    let [server, _] = servers(&scratch);
    let options = agents.options(2);
    let url = server.url();
    let line = ["wrk", "-d1", "-c2", "-t1", &url];
    let words = line.into_iter().chain(options.iter().map(String::as_str));
    let run = Tenbin::new(&scratch, words).run();
    run.expect_measured();
    run.expect_stdout("Requests/sec: ");
    let result = scratch.result();
    let found = result["environment"]["agents"].as_array().expect("agents");
    assert_eq!(found.len(), 2);
}

#[test]
fn a_search_with_agents_finds_the_highest_rate_of_all_together() {
    let scratch = Scratch::new("agents-search");
    let agents = Agents::start(&scratch, 2, &[]);
    // Four workers at 10 ms per request: at most 400 requests/s.
    let serve = [
        "serve", "truth", "--listen", "127.0.0.1:0", "--workers", "4",
    ];
    let server = OwnServer::start(
        &scratch,
        [&serve[..], &["--service", "fixed:10ms"]].concat(),
    );
    let search = ["--slo", "p50<60ms", "--rate", "50/s", "--connections", "64"];
    let run = compare(&scratch, &[server], &agents, (2, 2, "500ms"), &search).wait(SOON);
    run.expect_measured();
    let result = scratch.result();
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
        let log = agents.agents[0].so_far();
        assert!(
            log.contains(message),
            "the agent does not log its refusal: {log}"
        );
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

/// Numbers of the first void slice and of the slice after the last one, from the only such line.
fn void_slices(scratch: &Scratch) -> (u64, u64) {
    let text = file(scratch, "intervals.jsonl").expect("lines");
    let voids: Vec<Value> = text
        .lines()
        .filter(|line| line.starts_with("{\"kind\":\"void\""))
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let [void] = &voids[..] else {
        panic!("not one void line: {voids:?}");
    };
    let number = |name: &str| void[name].as_u64().expect("a number");
    (number("first"), number("next"))
}

/// Requests per second of the tests that count requests.
const RATE: f64 = 200.0;

/// Fails unless the result has exactly the planned slices of 1 s, each with the requests of its
/// window, none of them void, and the record gives the same result again.
#[track_caller]
fn expect_complete(scratch: &Scratch, ended: &Outcome, rounds: u64) {
    ended.expect_measured();
    let result = scratch.result();
    assert_eq!(result["run"]["complete"], true);
    let slices = result["slices"].as_array().expect("slices");
    let number = |slice: &Value, name: &str| slice[name].as_f64().expect("a number");
    assert_eq!(slices.len() as u64, 2 * rounds);
    let (first, next) = void_slices(scratch);
    assert!(next > first, "no slice is void");
    let begun = number(slices.last().expect("a slice"), "index") as u64 + 1;
    assert_eq!(begun, 2 * rounds + next - first);
    for (at, slice) in slices.iter().enumerate() {
        let index = number(slice, "index") as u64;
        assert!(!(first..next).contains(&index), "slice {index} is void");
        // Two targets: a block has two rounds.
        assert_eq!(number(slice, "block") as usize, at / 4, "{slice}");
        assert_eq!(slice["cut_short"], false, "{slice}");
    }
    for one in result["results"].as_array().expect("results") {
        let operation = &one["operations"][0];
        let (ok, failed) = (number(operation, "ok"), number(operation, "failed"));
        // A busy machine can move some responses out of a window.
        let expected = RATE * rounds as f64;
        assert!(
            (ok - expected).abs() <= 0.1 * expected,
            "{ok} of {expected}"
        );
        assert_eq!(failed, 0.0, "{operation}");
    }
    let runs = scratch.path().join("runs");
    let run = std::fs::read_dir(runs).expect("runs").flatten().next();
    let run = run.expect("a run").path().display().to_string();
    Tenbin::new(scratch, ["verify", &run]).run().expect_code(0);
}

/// Evidence of the findings on lost agents.
fn losses(scratch: &Scratch) -> Vec<String> {
    let result = scratch.result();
    let findings = result["findings"].as_array().expect("findings");
    let lost = findings.iter().filter(|it| it["rule"] == "agent_lost");
    let texts = lost.map(|it| it["evidence"].as_str().expect("text").to_owned());
    texts.collect()
}

fn agents_in_environment(scratch: &Scratch) -> Vec<String> {
    let result = scratch.result();
    let agents = result["environment"]["agents"].as_array().expect("agents");
    let names = agents
        .iter()
        .map(|it| it["name"].as_str().expect("a name").to_owned());
    names.collect()
}

/// Numbers of agents of the slices that began, in order.
fn agents_of_slices(scratch: &Scratch) -> Vec<u64> {
    let text = file(scratch, "intervals.jsonl").expect("lines");
    let begun = text
        .lines()
        .filter(|line| line.starts_with("{\"kind\":\"begin\""));
    let counts = begun.map(|line| {
        let line: Value = serde_json::from_str(line).expect("JSON");
        line["agents"].as_u64().expect("a number")
    });
    counts.collect()
}

const SILENT: &str = "agent \"agent-1\" sent no heartbeat for 3 s";

/// Options of a run that counts requests and goes on in this way after a loss.
fn counted(on_loss: &str) -> [String; 4] {
    ["--rate", &format!("{RATE}/s"), "--on-agent-loss", on_loss].map(str::to_owned)
}

/// Runs 3 blocks with 2 of `agents`, kills or stops one in the second block, and continues it once
/// it is lost if `comes_back`.
fn lose_one(
    scratch: &Scratch,
    agents: &Agents,
    (signal, comes_back): (Signal, bool),
    on_loss: &str,
) -> Outcome {
    let servers = servers(scratch);
    let options = counted(on_loss);
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let mut run = compare(scratch, &servers, agents, (2, 6, "1s"), &options);
    await_slices(scratch, &mut run, 6);
    agents.agents[1].signal(signal);
    if comes_back {
        let is_lost = common::wait_until(SOON, || run.so_far().contains("looking for up to 30 s"));
        assert!(is_lost, "{}", run.so_far());
        agents.agents[1].signal(Signal::SIGCONT);
    }
    run.wait(SOON * 2)
}

#[test]
fn another_agent_takes_the_place_of_a_killed_one() {
    let scratch = Scratch::new("agents-replaced");
    let agents = Agents::start(&scratch, 3, &[]);
    let ended = lose_one(&scratch, &agents, (Signal::SIGKILL, false), "repeat");
    ended.expect_stderr(&format!(
        "{SILENT}; block 2 is measured again with 2 agents"
    ));
    expect_complete(&scratch, &ended, 6);
    let found = losses(&scratch);
    assert_eq!(found.len(), 1);
    let repeated = format!("{SILENT} during block 2, which was repeated with 2 agents (");
    assert!(found[0].starts_with(&repeated), "{found:?}");
    let names = ["agent-0", "agent-2"];
    assert!(names.iter().all(|it| found[0].contains(it)), "{found:?}");
    assert!(!found[0].contains("mix"), "{found:?}");
    assert_eq!(
        agents_in_environment(&scratch),
        ["agent-0", "agent-1", "agent-2"]
    );
    let counts = agents_of_slices(&scratch);
    assert!(counts.iter().all(|count| *count == 2), "{counts:?}");
    expect_free(&scratch, &agents, 2);
}

#[test]
fn the_other_agents_continue_alone() {
    let scratch = Scratch::new("agents-continue");
    let agents = Agents::start(&scratch, 3, &[]);
    let ended = lose_one(&scratch, &agents, (Signal::SIGKILL, false), "continue");
    ended.expect_stderr(&format!(
        "{SILENT}; block 2 is measured again with 1 agent\n"
    ));
    expect_complete(&scratch, &ended, 6);
    let (_, next) = void_slices(&scratch);
    let counts = agents_of_slices(&scratch);
    let (before, after) = counts.split_at(next as usize);
    assert!(before.iter().all(|count| *count == 2), "{counts:?}");
    assert!(after.iter().all(|count| *count == 1), "{counts:?}");
    let found = losses(&scratch);
    assert_eq!(
        found,
        [format!(
            "{SILENT} during block 2, which was repeated with 1 agent (agent-0); figures of the whole run mix \
             slices of 1 and of 2 agents"
        )]
    );
    ended
        .expect_stdout("agent_lost")
        .expect_stdout("shared by 2 agents, of which 1 was lost");
    assert_eq!(agents_in_environment(&scratch), ["agent-0", "agent-1"]);
    expect_free(&scratch, &agents, 2);
}

#[test]
fn a_lost_agent_that_comes_back_is_used_again() {
    let scratch = Scratch::new("agents-return");
    let agents = Agents::start(&scratch, 2, &[]);
    let ended = lose_one(&scratch, &agents, (Signal::SIGSTOP, true), "repeat");
    ended.expect_stderr(&format!(
        "{SILENT}; block 2 is measured again with 2 agents"
    ));
    expect_complete(&scratch, &ended, 6);
    let counts = agents_of_slices(&scratch);
    assert!(counts.iter().all(|count| *count == 2), "{counts:?}");
    assert_eq!(losses(&scratch).len(), 1);
    expect_free(&scratch, &agents, 2);
}

#[test]
fn an_agent_that_its_user_stops_is_replaced_at_once() {
    let scratch = Scratch::new("agents-interrupted");
    let agents = Agents::start(&scratch, 3, &[]);
    let ended = lose_one(&scratch, &agents, (Signal::SIGINT, false), "repeat");
    let why = "agent \"agent-1\" was stopped by its user";
    ended.expect_stderr(&format!("{why}; block 2 is measured again with 2 agents"));
    expect_complete(&scratch, &ended, 6);
}

#[test]
fn a_loss_in_the_warm_up_repeats_the_warm_up() {
    let scratch = Scratch::new("agents-warm-up");
    let mut agents = Agents::start(&scratch, 3, &[]);
    let servers = servers(&scratch);
    let load = ["--rate", "200/s", "--warmup", "5s", "--relaunch=never"];
    let run = compare(&scratch, &servers, &agents, (2, 2, "1s"), &load);
    let lost = &mut agents.agents[1];
    let assigned = common::wait_until(SOON, || lost.so_far().contains("has assigned a plan"));
    assert!(assigned, "{}", lost.so_far());
    lost.signal(Signal::SIGKILL);
    let ended = run.wait(SOON * 2);
    ended.expect_measured();
    let again = " with 2 agents";
    assert!(ended.stderr.contains(again), "{ended}");
    let result = scratch.result();
    assert_eq!(result["slices"].as_array().expect("slices").len(), 4);
    let text = file(&scratch, "intervals.jsonl").expect("lines");
    assert!(!text.contains("\"kind\":\"void\""), "no slice had begun");
    let found = losses(&scratch);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].contains(", which was repeated with 2 agents ("),
        "{found:?}"
    );
}

#[test]
fn launched_servers_are_restarted_before_the_block_is_measured_again() {
    let scratch = Scratch::new("agents-relaunch");
    let agents = Agents::start(&scratch, 2, &[]);
    let creds = agents.hub.file("coordinator.creds").display().to_string();
    let (one, other) = (common::free_port(), common::free_port());
    let program = env!("CARGO_BIN_EXE_tenbin");
    let target = |name: &str, port: u16| {
        format!(
            "[[target]]\nname = \"{name}\"\nurl = \"http://127.0.0.1:{port}/\"\n\
             command = [\"{program}\", \"serve\", \"http\", \"--listen\", \
             \"127.0.0.1:{port}\"]\n"
        )
    };
    let plan = format!(
        "seed = 1\n[rounds]\ncount = 6\nslice = \"1s\"\nwarmup = \"1s\"\nrelaunch = \"block\"\n\
         [agents]\ncount = 2\nnats = \"{}\"\ncreds = \"{creds}\"\non_loss = \"continue\"\n\
         [load]\nconnections = 4\nrate = \"200/s\"\n\
         [[workload]]\nkind = \"http\"\n{}{}",
        agents.hub.url,
        target("one", one),
        target("other", other),
    );
    let path = scratch.path().join("plan.toml");
    std::fs::write(&path, plan).expect("a plan");
    let mut run = Tenbin::new(&scratch, ["run", &path.display().to_string()]).start();
    await_slices(&scratch, &mut run, 6);
    agents.agents[1].signal(Signal::SIGKILL);
    let ended = run.wait(SOON * 2);
    ended.expect_stderr("is measured again with 1 agent\n");
    expect_complete(&scratch, &ended, 6);
    let counts = agents_of_slices(&scratch);
    assert_eq!((counts.first(), counts.last()), (Some(&2), Some(&1)));
}

#[test]
fn a_search_repeats_only_the_probe_in_which_an_agent_was_lost() {
    let scratch = Scratch::new("agents-search-lost");
    let agents = Agents::start(&scratch, 2, &[]);
    let serve = ["serve", "truth", "--listen", "127.0.0.1:0"];
    let serve = [&serve[..], &["--workers", "4", "--service", "fixed:10ms"]].concat();
    let server = [OwnServer::start(&scratch, serve)];
    let load = ["--slo", "p50<60ms", "--rate", "50/s", "--connections", "64"];
    let load = [&load[..], &["--on-agent-loss", "continue"]].concat();
    let mut run = compare(&scratch, &server, &agents, (2, 2, "1s"), &load);
    // Two slices in the closed loop, and two probes.
    await_slices(&scratch, &mut run, 4);
    agents.agents[1].signal(Signal::SIGKILL);
    let ended = run.wait(SOON * 3);
    ended.expect_measured();
    ended.expect_stderr("; a step of the maximum-rate search is measured again with 1 agent");
    let (first, next) = void_slices(&scratch);
    assert!(next - first <= 1, "{first} to {next}");
    let result = scratch.result();
    let rate = result["searches"][0]["rate"].as_f64().expect("a rate");
    assert!((50.0..440.0).contains(&rate), "{rate}");
}

#[test]
fn two_runs_that_want_the_same_agents_use_them_one_after_the_other() {
    let scratch = Scratch::new("agents-wanted");
    let agents = Agents::start(&scratch, 2, &[]);
    let servers = servers(&scratch);
    let start = || {
        compare(
            &scratch,
            &servers,
            &agents,
            (2, 2, "1s"),
            &["--rate", "50/s"],
        )
    };
    let runs = [start(), start()];
    for run in runs {
        let ended = run.wait(SOON);
        ended.expect_measured();
    }
    expect_free(&scratch, &agents, 2);
}

#[test]
fn a_run_says_which_agents_another_run_uses() {
    let scratch = Scratch::new("agents-in-use");
    let agents = Agents::start(&scratch, 1, &[]);
    let servers = servers(&scratch);
    let mut first = compare(&scratch, &servers, &agents, (1, 2, "50s"), &[]);
    await_slices(&scratch, &mut first, 1);
    let wait = ["--agent-wait", "2s"];
    let other = compare(&scratch, &servers, &agents, (1, 2, "1s"), &wait).wait(SOON);
    other
        .expect_code(3)
        .expect_stderr("agent \"agent-0\" is in use by another run");
    first.signal(Signal::SIGINT);
    first.wait(SOON);
}

#[test]
fn the_file_with_the_right_key_is_named() {
    let scratch = Scratch::new("agents-keys");
    let agents = Agents::start(&scratch, 1, &[]);
    let [agent, coordinator] = ["agent.creds", "coordinator.creds"]
        .map(|name| agents.hub.file(name).display().to_string());
    let url = &agents.hub.url;
    let list = ["agents", "--nats", url, "--creds", &agent];
    let listed = Tenbin::new(&scratch, list).run();
    listed
        .expect_code(3)
        .expect_stderr("use coordinator.creds, which `tenbin hub` wrote, not agent.creds");
    let wrong = ["agent", "--nats", url, "--creds", &coordinator];
    let ended = Tenbin::new(&scratch, wrong).run();
    ended
        .expect_code(3)
        .expect_stderr("use agent.creds, which `tenbin hub` wrote");
}

#[test]
fn a_run_ends_when_its_last_agent_is_lost() {
    let scratch = Scratch::new("agents-none-left");
    let agents = Agents::start(&scratch, 1, &[]);
    let servers = servers(&scratch);
    let options = ["--on-agent-loss", "continue"];
    let mut run = compare(&scratch, &servers, &agents, (1, 8, "1s"), &options);
    await_slices(&scratch, &mut run, 3);
    agents.agents[0].signal(Signal::SIGKILL);
    let ended = run.wait(SOON);
    let message = "agent \"agent-0\" sent no heartbeat for 3 s; no agent is left";
    expect_ended_early(&scratch, &ended, message);
}

#[test]
fn a_killed_or_stopped_agent_ends_the_run_and_the_earlier_slices_stay() {
    for signal in [Signal::SIGKILL, Signal::SIGSTOP] {
        let scratch = Scratch::new("agents-lost");
        let agents = Agents::start(&scratch, 2, &[]);
        let servers = servers(&scratch);
        let stop = ["--on-agent-loss", "stop"];
        let mut run = compare(&scratch, &servers, &agents, (2, 8, "1s"), &stop);
        await_slices(&scratch, &mut run, 3);
        agents.agents[1].signal(signal);
        let ended = run.wait(SOON);
        expect_ended_early(&scratch, &ended, SILENT);
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
        let message = "no heartbeat from the coordinator for 3 s: stopped the load";
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
    let mut run = compare(&scratch, &servers, &agents, (2, 8, "1s"), &[]);
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
            "agents require a NATS server; set its URL with --nats",
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
            "no hub listens at 127.0.0.1:",
        ),
        (
            [&files[..], &["--agents", "2", "--nats", &nowhere]].concat(),
            3,
            "agents send requests only to servers, and this target is a directory or the dummy",
        ),
        (
            [
                &["http", "--agents", "2", "--nats", &nowhere][..],
                &["--ops-log", "ops.csv.zst"],
                &target,
            ]
            .concat(),
            3,
            "agents keep no log of requests; run without --ops-log, or without agents",
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
